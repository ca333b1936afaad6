"""The Data page's panel on how a file is read: what it shows, and what its controls ask."""

import pandas as pd
import pytest

from core.data import ColumnOptions, ReadOptions
from core.data.readers.encoding import samples
from core.scenario import Scenario
from core.scenario.url import from_query
from pages.ui.data import reading
from tests.hostile.files import workbook
from tests.pages.data_page import checked, errors, metrics, open_page, spec

CONTENT = (
    "Straße;Lohn;Geburt;Kind;Nr\n"
    + "Süd;1.234,5;31.12.1990;ja;1\nNord;99,5;01.02.1991;nein;-99\nSüd;k. A.;05.07.1991;ja;3\n" * 20
).encode("cp1252")

READ = ReadOptions(decimal=",", thousands=".")
"""How the numbers of Lohn are written; "k. A." beside them is a mark of a missing value."""


@pytest.fixture
def app():
    app = open_page()
    app.file_uploader(key="own_file").upload("löhne.csv", CONTENT)
    return checked(app.run())


def page_text(app):
    texts = [item.value for item in (*app.caption, *app.markdown)]
    return " ".join(texts).replace("\\", "")


def set_box(app, key, value):
    app.selectbox(key=key).set_value(value)
    return checked(app.run())


def first_rows(app):
    return next(item.value for item in app.dataframe if "Straße" in item.value.columns)


def test_what_was_found_is_shown_and_is_part_of_the_question(app):
    assert not app.error
    assert spec(app).read == READ
    assert app.selectbox(key="read_encoding").options[0] == "as detected: Windows-1252, a guess"
    assert app.selectbox(key="read_delimiter").options[0] == "as detected: semicolons"
    assert first_rows(app)["Straße"].tolist()[:2] == ["Süd", "Nord"]
    assert "'-99' 20 times (an ordinary value in Nr)" in page_text(app)
    app.get("button_group")[0].set_value(reading.CHOSEN)
    checked(app.run())
    assert spec(app).read.missing == ("k. A.",)
    app.multiselect(key="read_marks").set_value(["-99", "k. A."])
    checked(app.run())
    assert spec(app).read.missing == ("-99", "k. A.")
    set_box(app, "read_decimal", ".")
    assert errors(app) == [
        "The decimal mark and the thousands mark are both '.': choose another for one of them."
    ]
    app.button(key="read_stay").click()
    checked(app.run())
    assert not app.error
    read = spec(app).read
    assert (read.decimal, read.thousands, read.missing) == (",", ".", ("-99", "k. A."))
    assert first_rows(app)["Lohn"].tolist()[:3] == ["1234.5", "99.5", "(missing)"]
    kinds = next(item.value for item in app.dataframe if "kind" in item.value.columns)
    assert kinds.set_index("column")["kind"]["Lohn"] == "numbers"
    # the link carries it, and a reload asks the same
    result, notices = from_query(dict(app.query_params.items()))
    assert (result.data.read, notices) == (read, ())
    assert (
        Scenario(data=result.data).content_hash()
        != Scenario(
            data=result.data.__class__(**{**vars(result.data), "read": ReadOptions()})
        ).content_hash()
    )
    checked(app.run())
    assert spec(app).read == read
    app.get("button_group")[0].set_value(reading.USUAL)
    checked(app.run())
    assert spec(app).read.missing is None


def test_a_column_is_read_as_dates_by_their_parts_and_back(app):
    set_box(app, "read_column", "Geburt")
    set_box(app, "read_column_kind", "date")
    assert spec(app).read.columns == (ColumnOptions("Geburt", "date", "dmy"),)
    assert first_rows(app)["Geburt"].tolist()[0] == "1990-12-31"
    set_box(app, "read_column_part", "quarter")
    assert first_rows(app)["Geburt"].tolist()[0] == "1990-Q4"
    set_box(app, "read_column_part", "weekday")  # a second time: the same control again
    assert first_rows(app)["Geburt"].tolist()[0] == "1 Monday"
    before = spec(app)
    set_box(app, "read_column_order", "mdy")
    said_so = "record 1 (line 2) has '31.12.1990': use a date with a four-digit year (month, day, "
    assert said_so in errors(app)[0]
    assert spec(app) == before
    app.button(key="read_stay").click()
    checked(app.run())
    assert not app.error
    app.multiselect(key="data_released").set_value(["Geburt"])
    checked(app.run())
    assert metrics(app)["Levels of X"] == "2"  # a Monday, and two Fridays
    set_box(app, "read_column_kind", "")
    assert spec(app).read == READ


def test_a_column_has_marks_of_its_own_and_back(app):
    set_box(app, "read_column", "Nr")
    assert app.button_group(key="read_own_kind").value == "as in the file"
    app.button_group(key="read_own_kind").set_value("custom")
    checked(app.run())
    assert spec(app).read.columns == (ColumnOptions("Nr", missing=()),)
    assert app.multiselect(key="read_own_marks").options == ["-99"]
    app.multiselect(key="read_own_marks").set_value(["-99"])
    checked(app.run())
    assert spec(app).read.columns == (ColumnOptions("Nr", missing=("-99",)),)
    assert "'-99' 20 times (missing in Nr)" in page_text(app)
    assert first_rows(app)["Nr"].tolist()[:3] == ["1", "(missing)", "3"]
    assert Scenario(data=spec(app)) == from_query(dict(app.query_params))[0]
    set_box(app, "read_column", "Kind")
    assert app.button_group(key="read_own_kind").value == "as in the file"
    set_box(app, "read_column", "Nr")
    app.button_group(key="read_own_kind").set_value("as in the file")
    checked(app.run())
    assert spec(app).read == READ


def test_the_order_of_dates_that_fit_two_is_asked_for():
    app = open_page()
    content = "when,job\n" + "3/1/2024 1:45 PM,a\n4/2/2024 2 AM,b\n" * 10
    app.file_uploader(key="own_file").upload("when.csv", content.encode())
    checked(app.run())
    set_box(app, "read_column", "when")
    assert not app.warning
    set_box(app, "read_column_kind", "date")
    assert [item.value.replace("\\", "") for item in app.warning] == [
        "The dates in 'when' can be read as day, month, year or as month, day, year. Check that "
        "the order above is the right one."
    ]
    set_box(app, "read_column_part", "weekday")
    result = next(item.value for item in app.dataframe if "when" in item.value.columns)
    assert result["when"].tolist()[:2] == ["3 Wednesday", "7 Sunday"]
    set_box(app, "read_column_order", "mdy")
    set_box(app, "read_column_part", "hour")
    result = next(item.value for item in app.dataframe if "when" in item.value.columns)
    assert result["when"].tolist()[:2] == ["13", "2"]
    set_box(app, "read_column_order", "ymd")
    assert "read as dates, but record 1 (line 2) has '3/1/2024 1:45 PM'" in errors(app)[0]


def test_numbers_that_become_text_lose_their_bins(app):
    set_box(app, "read_column", "Nr")
    app.multiselect(key="data_released").set_value(["Nr"])
    checked(app.run())
    number = next(i for i, item in enumerate(app.get("button_group")) if "width" in str(item.proto))
    app.get("button_group")[number].set_value("width")
    checked(app.run())
    assert [cut.column for cut in spec(app).binnings] == ["Nr"]
    set_box(app, "read_column_kind", "text")
    assert spec(app).binnings == ()
    assert not app.error


def test_another_encoding_or_delimiter_that_does_not_fit_changes_nothing(app):
    before = spec(app)
    set_box(app, "read_encoding", "utf-8")
    assert "is not UTF-8 text: it has the byte 0xDF in line 1" in errors(app)[0]
    assert spec(app) == before
    set_box(app, "read_delimiter", ",")
    assert len(app.error) == 1
    assert spec(app) == before
    set_box(app, "read_encoding", "latin-1")
    assert not app.error
    assert spec(app).read.encoding == "latin-1"
    assert metrics(app)["Records n"] == "60"


def test_a_guessed_encoding_is_called_a_guess_and_others_show_how_they_read():
    app = open_page()
    rows = "город,доход\n" + "Москва,1\nТверь,2\n" * 20
    app.file_uploader(key="own_file").upload("a.csv", rows.encode("windows-1251"))
    checked(app.run())
    panel = next(item for item in app.expander if item.label.startswith("How the file is read"))
    assert "Windows-1252 is a guess; with it, a value reads ãîðîä" in panel.label.replace("\\", "")
    box = app.selectbox(key="read_encoding")
    assert box.options[0] == "as detected: Windows-1252, a guess"
    assert "Windows-1251 (Cyrillic): город" in box.options
    assert "Shift JIS (Japanese)" in box.options  # no text in it: no sample
    set_box(app, "read_encoding", "windows-1251")
    assert "guess" not in " ".join(item.label for item in app.expander)
    assert ["город", "доход"] in [list(item.value.columns) for item in app.dataframe]


def test_a_sample_of_a_long_field_is_found_at_once_and_cut():
    head = b"a" * 1_000_000 + "Москва и область далеко".encode("windows-1251") + b"," + b"b" * 99
    assert samples(head, ",")["windows-1251"] == "Москва и область далеко"
    assert samples(b"a,b\nc,d", ",") == {}


def test_an_identifier_is_said_and_not_chosen():
    frame = pd.DataFrame(
        {"id": [f"u{i}" for i in range(40)], "sex": list("fm") * 20, "job": list("abcd") * 10}
    )
    app = open_page()
    app.file_uploader(key="own_file").upload("people.csv", frame.to_csv(index=False).encode())
    checked(app.run())
    assert (spec(app).secret, spec(app).released) == (("sex",), ("job",))
    assert "'id' seems to be an identifier: nearly every record has its own value" in page_text(app)
    kinds = next(item.value for item in app.dataframe if "kind" in item.value.columns)
    assert kinds["kind"].tolist() == ["identifier", "categories", "categories"]


def test_decimal_commas_are_recognised_with_an_upload():
    app = open_page()
    content = "a;b\n" + "1,5;x\n2.000,5;y\n-;y\n" * 5
    app.file_uploader(key="own_file").upload("pay.csv", content.encode())
    checked(app.run())
    assert (spec(app).read.decimal, spec(app).read.thousands) == (",", ".")
    assert "'-' in 'a' is taken for a missing value: 5 records." in page_text(app)
    assert metrics(app)["Levels of S"] == "3"


def test_bundled_data_shows_how_it_is_read_only_where_a_link_says_so():
    app = open_page()
    assert not [item for item in app.selectbox if item.key == "read_decimal"]
    app = open_page(read='{"missing": ["Female"]}', x="race")
    assert metrics(app)["Levels of S"] == "2"
    assert "'Female' in 'sex' is taken for a missing value: 10,771 records." in page_text(app)
    assert app.selectbox(key="read_decimal").value == "."
    assert not [item for item in app.selectbox if item.key == "read_encoding"]
    bad = open_page(read='{"columns": [{"column": "sex", "kind": "number"}]}')
    assert "Column 'sex' is read as numbers, but record 1 has 'Male'" in errors(bad)[0]
    way = next(item for item in bad.button if item.label == "Read every column as is")
    way.click()
    checked(bad.run())
    assert spec(bad).read == ReadOptions()
    assert not bad.error


def test_dates_with_a_day_above_12_are_offered_in_their_order(app):
    assert "All values of 'Geburt' look like dates" in page_text(app)
    offered = [item.key for item in app.button if item.key.startswith("dates_")]
    assert offered == ["dates_0_dmy"]
    app.button(key="dates_0_dmy").click()
    checked(app.run())
    assert not app.error
    assert spec(app).read.columns == (ColumnOptions("Geburt", "date", "dmy"),)
    assert "look like dates" not in page_text(app)


def test_dates_of_which_two_orders_fit_are_asked_about():
    app = open_page()
    content = b"due,day,job\n" + b"3/1/2014,2/26/2014,a\n1/2/2014,1/2/2014,b\n" * 3
    app.file_uploader(key="own_file").upload("days.csv", content)
    checked(app.run())
    offered = [item.key for item in app.button if item.key.startswith("dates_")]
    assert offered == ["dates_0_dmy", "dates_0_mdy", "dates_1_mdy"]
    assert "All values of 'due' look like dates, in which order?" in page_text(app)


def test_how_fields_are_separated_is_not_asked_of_a_workbook():
    app = open_page()
    app.file_uploader(key="own_file").upload("a.xlsx", workbook())
    checked(app.run())
    assert spec(app).source.startswith("upload:")
    assert "Field separator" not in {item.label for item in app.selectbox}


def test_how_fields_are_separated_is_asked_once():
    app = open_page()
    boxes = [item.key for item in app.selectbox if item.label == "Field separator"]
    assert boxes == ["own_delimiter"]
    app.file_uploader(key="own_file").upload("a.csv", b"s;x\na;b\nc;d\n")
    checked(app.run())
    boxes = [item.key for item in app.selectbox if item.label == "Field separator"]
    assert boxes == ["read_delimiter"]
    app.file_uploader(key="own_file").upload("b.csv", b"s,x\nb\n")
    checked(app.run())
    boxes = [item.key for item in app.selectbox if item.label == "Field separator"]
    assert "own_delimiter" in boxes  # with what cannot be read


def test_how_fields_are_separated_is_asked_of_no_empty_file_and_no_picture():
    app = open_page()
    for content in (b"", b"\x89PNG\r\n\x1a\n"):
        app.file_uploader(key="own_file").upload("a.csv", content)
        checked(app.run())
        assert len(app.error) == 1
        assert "Field separator" not in {item.label for item in app.selectbox}


def test_rows_are_no_records_while_it_is_asked_what_they_stand_for():
    app = open_page()
    text = "ward,sex,Freq\nA,F,3\nA,M,5\nB,F,2\nB,M,9\n"
    app.file_uploader(key="own_file").upload("staff.csv", text.encode())
    checked(app.run())
    assert "**staff.csv**: 4 rows, CSV, separated by commas." in page_text(app)
    assert "**Columns** of 4 rows" in page_text(app)
    assert "Answer the question above, and the data will be counted." in page_text(app)
    app.button(key="asked_0_1").click()
    checked(app.run())
    assert "**Columns** of 4 records" in page_text(app)


def test_several_questions_are_called_so():
    app = open_page()
    text = "ward,sex,pay,n\nA,F,1.200,3 p\nA,M,1.300,5\nB,F,1.400,2\nB,M,1.500,9\n"
    app.file_uploader(key="own_file").upload("staff.csv", text.encode())
    checked(app.run())
    assert {"asked_0_0", "asked_1_0"} <= {item.key for item in app.button}
    assert "Answer the questions above, and the data will be counted." in page_text(app)


def test_dates_are_called_dates_and_no_identifier():
    app = open_page()
    days = "".join(f"2024-01-{day:02},{'ab'[day % 2]}\n" for day in range(1, 29))
    app.file_uploader(key="own_file").upload("days.csv", f"due,job\n{days}".encode())
    checked(app.run())
    assert "'due' seems to be an identifier" in page_text(app)
    app.button(key="dates_0_ymd").click()
    checked(app.run())
    kinds = next(item.value for item in app.dataframe if "kind" in item.value.columns)
    assert kinds.set_index("column")["kind"]["due"] == "date or time"
    assert "identifier" not in page_text(app)


def test_titles_of_a_file_with_counts_are_put_back_and_left_out_again():
    app = open_page()
    text = "Staff of the wards\nas of 2024\nward,sex,Freq\nA,F,3\nA,M,5\nB,F,2\nB,M,9\n"
    app.file_uploader(key="own_file").upload("staff.csv", text.encode())
    checked(app.run())
    app.button(key="asked_0_0").click()
    checked(app.run())
    assert (spec(app).read.weight, metrics(app)["Records n"]) == ("Freq", "19")
    (panel,) = (item.label for item in app.expander if "How the file is read" in item.label)
    assert ": 1 repair and 1 choice; each row stands for as many records as" in panel
    assert any(item.value.startswith("Before counting: each row") for item in app.sidebar.caption)
    assert "**staff.csv**: 19 records in 4 rows, CSV, separated by commas." in page_text(app)
    assert "**Columns** of 19 records in 4 rows" in page_text(app)
    app.button(key="repair_0").click()
    checked(app.run())
    assert not app.error
    read = spec(app).read
    assert (read.header, read.weight) == ((1,), None)
    assert spec(app).columns[0] == "Staff of the wards"
    app.button(key="chosen_header").click()
    checked(app.run())
    assert spec(app).columns == ("ward", "sex")


def test_one_repair_is_undone_beside_another():
    app = open_page()
    text = "ward,sex,,\nA,F\x96M,,\nward,sex,,\nB,F,,\nA,F,,\n"
    app.file_uploader(key="own_file").upload("staff.csv", text.encode())
    checked(app.run())
    for left in (2, 1, 0):
        next(item for item in app.button if str(item.key).startswith("repair_")).click()
        checked(app.run())
        assert len([item for item in app.button if str(item.key).startswith("repair_")]) == left
    assert spec(app).read.kept == ("again", "controls", "empty")


def test_totals_of_a_pasted_table_are_kept_and_left_out_again():
    app = open_page()
    app.text_area(key="own_matrix").set_value("\tx\ty\tTotal\na\t3\t4\t7\nb\t5\t6\t11")
    app.button(key="own_matrix_use").click()
    checked(app.run())
    assert (metrics(app)["Records n"], metrics(app)["Levels of X"]) == ("18", "2")
    for n, levels in (("36", "3"), ("18", "2")):
        app.button(key="keep_totals").click()
        checked(app.run())
        assert (metrics(app)["Records n"], metrics(app)["Levels of X"]) == (n, levels)


def test_a_single_column_is_counted_as_the_secret_that_is_released_itself():
    app = open_page()
    app.file_uploader(key="own_file").upload("sex.csv", b"sex\nF\nM\nF\n")
    checked(app.run())
    assert not app.error
    assert (spec(app).secret, spec(app).released) == (("sex",), ("sex",))
    assert metrics(app)["Records n"] == "3"
    assert "There is a single column. It is both S and X" in page_text(app)


def test_totals_and_then_a_cross_table_are_asked_about_and_put_back():
    app = open_page()
    text = "area,Bus,Car\nCity,120,45\nTown,60,77\nTotal,190,130\nVillage,10,8\n"
    app.file_uploader(key="own_file").upload("cross.csv", text.encode())
    checked(app.run())
    assert "1 row may be a total of others, but counts as a record: 'Total'." in page_text(app)
    app.button(key="asked_0_0").click()
    checked(app.run())
    assert spec(app).read.omit == ("Total",)
    app.button(key="asked_0_0").click()
    checked(app.run())
    assert (spec(app).columns, metrics(app)["Records n"]) == (("area", "column"), "320")
    app.button(key="chosen_cells").click()
    checked(app.run())
    assert not app.error
    assert (spec(app).read.cells, spec(app).read.omit) == (None, ("Total",))


SURVEY = "sex,job,wt,n\n" + "".join(
    f"{'fm'[i % 2]},{'abc'[i * i % 7 % 3]},{0.5 + i % 5},{1 + i % 3}\n" for i in range(60)
)


def weights_kind(app):
    return next(group for group in app.get("button_group") if group.label == "Kind of weights")


def test_weights_are_frequencies_or_of_sampling():
    app = open_page()
    app.file_uploader(key="own_file").upload("survey.csv", SURVEY.encode())
    checked(app.run())
    assert "Kind of weights" not in [group.label for group in app.get("button_group")]
    set_box(app, "read_weights", "n")
    assert (spec(app).read.weight, spec(app).read.sampling) == ("n", "")
    assert metrics(app)["Records n"] == "120"
    weights_kind(app).set_value("sampling")
    checked(app.run())
    assert (spec(app).read.weight, spec(app).read.sampling) == (None, "n")
    assert metrics(app)["Records n"] == "60"
    assert f"60 records are worth about {120**2 // (20 * (1 + 4 + 9))}" in page_text(app)
    again, _ = from_query({key: [value] for key, value in app.query_params.items()})
    assert again.data.read.sampling == "n"
    app.button(key="chosen_sampling").click()
    checked(app.run())
    assert spec(app).read == ReadOptions()


def test_fractions_chosen_as_frequencies_are_offered_as_sampling_weights():
    app = open_page()
    app.file_uploader(key="own_file").upload("survey.csv", SURVEY.encode())
    checked(app.run())
    set_box(app, "read_weights", "wt")
    assert "or read them as sampling weights" in errors(app)[0]
    app.button(key="read_choice_0").click()
    checked(app.run())
    assert (spec(app).read.weight, spec(app).read.sampling) == ("", "wt")
    assert "by the sampling weights of 'wt'" in page_text(app)


def test_persons_are_named_and_one_record_each_counts():
    app = open_page()
    text = "nr,sex,job\n" + "".join(f"{i % 20},{'fm'[i % 2]},{'abc'[i % 3]}\n" for i in range(50))
    app.file_uploader(key="own_file").upload("visits.csv", text.encode())
    checked(app.run())
    set_box(app, "read_person", "nr")
    assert "Up to 3 records a person: a promise for one record is not one" in page_text(app)
    assert metrics(app)["Records n"] == "50"
    set_box(app, "read_each", "first")
    assert (spec(app).read.person, spec(app).read.first) == ("nr", True)
    assert metrics(app)["Records n"] == "20"
    assert "30 records were left out: only one record of each person" in page_text(app)
    set_box(app, "read_each", "drawn")
    assert (spec(app).read.first, spec(app).read.drawn) == (False, 0)
    app.number_input(key="read_drawn").set_value(7)
    checked(app.run())
    assert spec(app).read.drawn == 7
    assert metrics(app)["Records n"] == "20"
    assert from_query(dict(app.query_params.items()))[0].data.read == spec(app).read
    app.button(key="chosen_person").click()
    checked(app.run())
    assert spec(app).read == ReadOptions()
