"""What the Data page says where data cannot be counted, and the buttons that mend it."""

from dataclasses import replace

import pandas as pd
import pytest

from core.data import Filter
from tests.pages.data_page import checked, errors, metrics, open_page, spec


def remedies(app):
    return {
        button.label.replace("\\", ""): button
        for button in app.button
        if button.key.startswith("way_")
    }


@pytest.fixture(scope="module")
def ids():
    """A file: few levels, a number and a name for each record, and names of which some are rare."""
    rows = 20_000
    frame = pd.DataFrame({"s": list("ab") * (rows // 2), "t": list("ppqqq") * (rows // 5)})
    frame["n"] = range(rows)
    frame["name"] = [f"u{i}" for i in range(rows)]
    frame["zip"] = [f"z{i if i < 14_000 else i % 20}" for i in range(rows)]
    return frame.to_csv(index=False).encode()


@pytest.mark.parametrize(
    ("secret", "released", "wanted"),
    [
        (["s"], ["n"], ["Bin n into 8 bins", "Use t as X"]),
        (["n"], ["s"], ["Bin n into 8 bins", "Use t as S"]),
        (
            ["s"],
            ["zip"],
            [f"Group levels of X below {least} records" for least in (10, 100)],
        ),
        (
            ["zip"],
            ["s"],
            [f"Group levels of S below {least} records" for least in (10, 100)],
        ),
        (["s"], ["name"], ["Use t as X", "Use n as X"]),  # no group would leave two levels
        (["s"], ["t", "name"], ["Remove name from X", "Use n as X"]),
    ],
)
def test_too_many_levels_come_with_what_makes_that_side_smaller(ids, secret, released, wanted):
    app = open_page()
    app.file_uploader(key="own_file").upload("ids.csv", ids)
    checked(app.run())
    assert not app.error
    app.multiselect(key="data_secret").set_value(secret)
    app.multiselect(key="data_released").set_value(released)
    app.session_state["_data"] = replace(spec(app), binnings=())
    checked(app.run())
    assert "at most 10,000 are allowed" in errors(app)[0]
    assert set(wanted) <= set(remedies(app))
    assert not any("of S" in item or "for S" in item for item in remedies(app) if secret == ["s"])
    assert not any("of X" in item or "for X" in item for item in remedies(app) if released == ["s"])
    for label in list(remedies(app)):
        request = spec(app)
        remedies(app)[label].click()
        checked(app.run())
        assert not app.error, label
        assert not remedies(app)
        app.session_state["_data"] = request
        checked(app.run())


@pytest.mark.parametrize(
    ("query", "label"),
    [
        ({"only": '["sex", "Neither"]'}, "Remove the filter on sex"),
        ({"only": ['["sex", "Male"]', '["age", [95, 99]]']}, "Remove all filters"),
        ({"only": '["nope", "x"]'}, "Remove the filter on nope"),
        ({"s": "race", "x": "sex", "merge": '[["sex"], "Male", "Female"]'}, "Do not merge symbols"),
        ({"x": "sex", "s": "race", "without": '[["sex"], "Male"]'}, "Do not leave out symbols"),
        ({"x": "nope"}, "Use workclass as X"),
        ({"x": "occupation,education"}, "Use occupation and education as X"),
        (
            {"s": "race,sex", "x": "occupation,workclass"},
            "Use race and sex as S, occupation and workclass as X",
        ),
        ({"s": "rase"}, "Use race as S"),
        (
            {"s": "rase", "x": "occupatoin,education"},
            "Use race as S, occupation and education as X",
        ),
        ({"s": ["sex", "nope"]}, "Remove nope from S"),
        ({"s": "nope", "x": "gone"}, "Start again with this data"),
        ({"bins": "occupation:width:4"}, "Use occupation without bins"),
        ({"rare": "40000"}, "Do not group levels of X"),
        ({"data": "upload:" + "0" * 64}, "Open Adult (census, training part)"),
    ],
)
def test_every_error_about_data_has_a_button_that_mends_it(query, label):
    app = open_page(**query)
    assert len(app.error) >= 1
    assert label in remedies(app), list(remedies(app))
    remedies(app)[label].click()
    checked(app.run())
    assert not app.error
    assert metrics(app)


def test_after_an_error_the_last_charts_stay_and_say_so():
    app = open_page(x="nope")
    assert "The charts show" not in " ".join(caption.value for caption in app.caption)
    app = open_page()
    app.multiselect(key="data_released").set_value(
        ["age", "education", "occupation", "hours-per-week"]
    )
    checked(app.run())
    assert len(app.error) == 1
    message = [caption.value.replace("\\", "") for caption in app.caption]
    assert (
        "The charts show the last count: sex and occupation of Adult (census, training part)."
        in message
    )
    assert not app.metric  # no figure stands for a count that was not made
    assert any("P(x), the released data" in text.value for text in app.markdown)
    remedies(app)["Remove age from X"].click()
    checked(app.run())
    assert "The charts show" not in " ".join(caption.value for caption in app.caption)


def test_what_was_typed_wrong_has_its_remedy_beside_it():
    app = open_page(x="age", bins="age:edges:17,40,65,90", only='["age", [20, 60]]')
    app.text_input(key="bins0_edges").set_value("40; 30")
    app.number_input(key="filter0_low").set_value(70.0)
    checked(app.run())
    assert len(app.error) == 2
    app.button(key="filter0_swapped").click()
    checked(app.run())
    assert spec(app).filters == (Filter("age", low=60.0, high=70.0),)
    app.button(key="bins0_edges_former").click()
    checked(app.run())
    assert not app.error
    assert app.text_input(key="bins0_edges").value == "17, 40, 65, 90"
    app.text_input(key="bins0_edges").set_value("one")
    checked(app.run())
    app.button(key="bins0_edges_width").click()
    checked(app.run())
    assert not app.error
    assert spec(app).binnings[0].kind == "width"


def test_a_refused_upload_can_be_read_with_another_separator_or_left():
    app = open_page()
    before = spec(app)
    app.file_uploader(key="own_file").upload("d.csv", b"a;b,c\nx;1,2\ny;1\nx;2\n")
    app.selectbox(key="own_delimiter").set_value(",")
    checked(app.run())
    assert "line 3" in errors(app)[0]
    app.button(key="own_file_stay").click()
    checked(app.run())
    assert not app.error
    assert spec(app) == before
    app.selectbox(key="own_delimiter").set_value("|")
    checked(app.run())
    assert len(app.error) == 1
    app.button(key="own_as_0").click()
    checked(app.run())
    assert not app.error
    assert metrics(app)["Records n"] == "3"
