import io

import numpy as np
import pandas as pd
import pyarrow as pa
from streamlit.testing.v1 import AppTest

from pages.ui.parts.exports import csv_bytes
from pages.ui.parts.tables import MOST_LINES, lines, number, readable
from tests.pages.waiting import PATIENCE

FRAME = pd.DataFrame(
    {"name": ["a", "b", "c", "d"], "log Ψ": [-0.5, -np.inf, np.inf, -1.80961], "n": [1, 2, 3, 4]},
    index=[0, 0, 1, 1],
)


def test_infinite_numbers_are_shown_as_such_and_stay_numbers():
    shown = readable(FRAME)
    assert shown.data["log Ψ"].tolist() == FRAME["log Ψ"].tolist()
    html = shown.to_html()
    for text in (">−∞<", ">∞<", ">−0.5<", ">−1.8096<"):
        assert text in html
    assert "inf" not in html


def test_where_there_is_no_number_a_dash_is_shown():
    def page():
        import numpy as np
        import pandas as pd

        from pages.ui.parts import tables

        tables.sheet(pd.DataFrame({"a": [0.5, np.nan]}), "some")
        tables.sheet(pd.DataFrame({"a": [0.5, np.nan, np.inf]}), "more")

    app = AppTest.from_function(page, default_timeout=PATIENCE).run()
    assert not app.exception
    assert [table.proto.placeholder for table in app.dataframe] == ["–", "–"]


def test_a_table_without_them_is_left_as_it_is():
    frame = FRAME[["name", "n"]]
    assert readable(frame) is frame


def test_the_csv_can_be_read_back():
    again = pd.read_csv(io.BytesIO(csv_bytes(FRAME)))
    np.testing.assert_array_equal(again["log Ψ"], FRAME["log Ψ"])


def test_the_browser_is_sent_values_to_sort_by_and_texts_to_show():
    def page():
        import numpy as np
        import pandas as pd

        from pages.ui.parts import tables

        tables.sheet(pd.DataFrame({"log Ψ": [-0.5, -np.inf, 2.0]}), "lifts")

    app = AppTest.from_function(page, default_timeout=PATIENCE).run()
    assert not app.exception
    assert app.dataframe[0].value["log Ψ"].tolist() == [-0.5, -np.inf, 2.0]
    sent = app.dataframe[0].proto.arrow_data.styler.display_values
    with pa.ipc.open_stream(sent) as stream:
        assert stream.read_all().to_pandas()["log Ψ"].tolist() == ["−0.5", "−∞", "2"]


def test_numbers_have_four_digits_at_most_or_two_that_say_something():
    assert [number(value) for value in (0.0, 12.0, 0.00001, -2.5)] == ["0", "12", "1e−05", "−2.5"]


def test_rows_are_as_high_as_their_longest_text_needs():
    frame = pd.DataFrame({"name": ["a", "b" * 40], "note": ["", "c" * 10]})
    assert lines(frame, {}) == 1
    assert lines(frame, {"note": 150}) == 1
    assert lines(frame, {"name": 18 + 132, "note": 150}) == 2  # 264 of 132 pixels
    assert lines(frame, {"name": 30}) == MOST_LINES
    assert lines(frame, {"name": 30}, 2) == 2
    assert lines(frame[:0], {"name": 100}) == 1


def test_a_column_without_a_word_is_in_the_files_of_a_table_alone():
    def page():
        import pandas as pd

        from pages.ui.parts import tables

        tables.read(pd.DataFrame({"claim": ["a", "b"], "reason": ["", ""]}), "none")
        tables.read(pd.DataFrame({"claim": ["a", "b"], "reason": ["", "c"]}), "some")

    app = AppTest.from_function(page, default_timeout=PATIENCE).run()
    assert not app.exception
    assert [list(table.value.columns) for table in app.table] == [["claim"], ["claim", "reason"]]
