"""The Data page: what it shows at first, what a link makes of it, and what bad input does not."""

import tomllib
from pathlib import Path

import pandas as pd
import pytest

from core.data import DataSpec, Filter
from core.data.spec import LeftOut, Merge
from core.limits import MAX_UPLOAD_MB
from pages.ui.data import preprocessing
from tests.pages.data_page import PAGE, checked, errors, metrics, open_page, spec


def test_the_default_is_sex_and_occupation_of_adult():
    app = open_page()
    assert metrics(app) == {
        "Records n": "32,561",
        "Levels of S": "2",
        "Levels of X": "15",
        "Zero cells": "1",
        "Cells": "30",
    }
    assert app.multiselect(key="data_secret").value == ["sex"]
    assert app.multiselect(key="data_released").value == ["occupation"]
    shown = " ".join(code.value for code in app.code)
    assert "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d" in shown
    assert not app.error
    assert not app.warning


def test_a_link_brings_columns_bins_and_treatment():
    app = open_page(
        data="heart_hungarian", s="sex", x="chol", bins="chol:width:4", missing="drop", sx="1"
    )
    assert metrics(app)["Records n"] == "271"
    assert metrics(app)["Levels of X"] == "7"  # 2 × 4 pairs, of which one never occurs
    assert metrics(app)["Zero cells"] == "1"
    assert app.number_input(key="bins4_count").value == 4
    assert app.toggle(key="data_pair").value is True
    text = " ".join(caption.value for caption in app.caption)
    assert "23 of 294 records" in text.replace("\\", "")


def test_a_link_with_garbage_falls_back_and_says_so():
    app = open_page(data="iris", rare="many", missing="maybe", bins="age", sx="perhaps")
    assert app.warning
    assert app.title[0].value == "Data"


def test_a_link_to_an_upload_of_another_session_says_what_to_do():
    app = open_page(data="upload:" + 64 * "a", s="a", x="b")
    assert errors(app) == [
        "The uploaded file aaaaaaaaaaaa… is not in this session: upload it again."
    ]
    assert not app.metric


def test_choosing_columns_and_data_changes_the_question():
    app = open_page()
    app.multiselect(key="data_secret").set_value(["sex", "race"])
    checked(app.run())
    assert metrics(app)["Levels of S"] == "10"
    app.selectbox(key="data_source").set_value("german_credit")
    checked(app.run())
    assert spec(app) == DataSpec("german_credit", ("credit",), ("purpose",))
    assert metrics(app)["Records n"] == "1,000"
    app.selectbox(key="data_source").set_value("example:rldp_estimate")
    checked(app.run())
    assert app.toggle(key="data_pair").value is True
    assert metrics(app)["Levels of X"] == "4"


def test_no_column_gets_one_sentence_and_the_same_column_is_the_secret_itself():
    app = open_page()
    app.multiselect(key="data_released").set_value([])
    checked(app.run())
    assert errors(app) == ["Choose at least one column for X."]
    app.multiselect(key="data_released").set_value(["sex"])
    checked(app.run())
    assert not app.error
    assert metrics(app)["Levels of X"] == "2"
    app.multiselect(key="data_released").set_value(["race"])
    checked(app.run())
    assert not app.error


def test_bins_by_every_rule_and_edges_that_are_none():
    app = open_page(x="age")
    assert metrics(app)["Levels of X"] == "73"
    app.get("button_group")[1].set_value("width")
    checked(app.run())
    assert metrics(app)["Levels of X"] == "8"
    app.number_input(key="bins0_count").set_value(3)
    checked(app.run())
    assert metrics(app)["Levels of X"] == "3"
    app.get("button_group")[1].set_value("edges")
    checked(app.run())
    assert app.text_input(key="bins0_edges").value == "17, 41.33, 65.67, 90"
    app.text_input(key="bins0_edges").set_value("20, thirty")
    checked(app.run())
    assert errors(app) == [
        "The bin edges of 'age' must be numbers separated by commas, got '20, thirty'."
    ]
    app.text_input(key="bins0_edges").set_value("40; 30")
    checked(app.run())
    assert errors(app) == ["The bin edges of 'age' must be finite and increasing, got 40, 30."]
    app.text_input(key="bins0_edges").set_value("30, 40")
    checked(app.run())
    assert not app.error
    assert metrics(app)["Levels of X"] == "3"


def test_rare_levels_are_grouped_and_told():
    app = open_page(x="native-country", rare="100")
    assert metrics(app)["Levels of X"] == "10"
    text = " ".join(caption.value for caption in app.caption).replace("\\", "")
    assert "33 rare levels of 'native-country' with 1,389 records (4.3%) were grouped" in text


@pytest.mark.parametrize(
    ("key", "figure", "before", "after"),
    [("treat_rare", "Levels of X", "42", "10"), ("treat_rare_s", "Levels of S", "42", "10")],
)
def test_rare_levels_of_either_side_are_grouped_by_their_control(key, figure, before, after):
    sides = {"x": "native-country"} if key == "treat_rare" else {"s": "native-country", "x": "sex"}
    app = open_page(**sides)
    assert metrics(app)[figure] == before
    app.number_input(key=key).set_value(100)
    checked(app.run())
    assert metrics(app)[figure] == after


def test_an_upload_is_asked_a_question_and_stays_in_the_session():
    app = open_page()
    app.file_uploader(key="own_file").upload("people.csv", b"sex,<b>job</b>\nf,=1+1\nm,*b*\n")
    checked(app.run())
    assert spec(app).source.startswith("upload:")
    assert spec(app).released == ("<b>job</b>",)
    assert metrics(app)["Records n"] == "2"
    assert "people.csv" in app.selectbox(key="data_source").options
    assert all("<b>" not in caption.value for caption in app.caption)
    assert len(open_page().selectbox(key="data_source").options) < len(
        app.selectbox(key="data_source").options
    )


def test_two_uploads_of_one_name_are_told_apart():
    app = open_page()
    for content in (b"s,x\na,b\nc,d\n", b"s,y\na,b\nc,d\n"):
        app.file_uploader(key="own_file").upload("a*b.csv", content)
        checked(app.run())
    assert [
        item for item in app.selectbox(key="data_source").options if item.startswith("a*b")
    ] == [
        "a*b.csv",
        "a*b.csv (2)",
    ]
    assert spec(app).released == ("y",)
    assert any("a*b.csv (2)**" in item.value.replace("\\", "") for item in app.markdown)
    assert app.query_params["data"] == spec(app).source  # addresses have no numbers
    first = next(iter(app.session_state["_visit"].sources.uploads))
    checked(app.selectbox(key="data_source").set_value(first).run())
    assert spec(app).released == ("x",)


def test_a_first_column_without_a_name_is_read_and_the_page_says_so():
    app = open_page()
    frame = pd.DataFrame({"sex": list("fmfm") * 15, "job": list("abca") * 15})
    app.file_uploader(key="own_file").upload("frame.csv", frame.to_csv().encode())
    checked(app.run())
    assert not app.error
    assert (spec(app).secret, spec(app).released) == (("sex",), ("job",))
    message = " ".join(text.value for text in (*app.markdown, *app.caption)).replace("\\", "")
    assert "Column 1 has no name: called column 1." in message
    assert "column 1" in app.multiselect(key="data_secret").options


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "data.csv is empty."),
        (b"sex,job\n", "data.csv has column names but no records."),
        (bytes(range(256)), "data.csv is a binary file, not text; CSV, TSV, Parquet, Excel"),
        (b"sex^job\nf^a\nm^b\n", "it seems to be separated by carets: choose that."),
        (b"sex,job\nf,a\nm,b,c\n", "data.csv has 3 fields in line 3, but its header has 2."),
    ],
)
def test_a_bad_upload_gets_one_sentence_and_changes_nothing(content, sentence):
    app = open_page()
    before = spec(app)
    app.file_uploader(key="own_file").upload("data.csv", content)
    checked(app.run())
    assert len(app.error) == 1
    assert sentence in errors(app)[0]
    assert spec(app) == before
    assert metrics(app)["Records n"] == "32,561"


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (b"a,b\nx,1\nx,2\n", "S ('a') has only one level, 'x': there is nothing to hide."),
        (b"a,b\nx,\ny,\n", "Column 'b' is empty: all its 2 values are missing."),
    ],
)
def test_columns_that_say_nothing_get_one_sentence(rows, sentence):
    app = open_page()
    app.file_uploader(key="own_file").upload("data.csv", rows)
    checked(app.run())
    assert errors(app) == [sentence]
    app.selectbox(key="data_source").set_value("adult")
    checked(app.run())
    assert not app.error


def test_a_pasted_matrix_can_be_normalised():
    app = open_page()
    app.text_area(key="own_matrix").set_value("0.1 0.2\n0.3 0.6")
    app.button(key="own_matrix_use").click()
    checked(app.run())
    assert "sum to 1.2, probabilities must sum to 1" in errors(app)[0]
    assert spec(app) == DataSpec()
    app.button(key="own_matrix_normalise").click()
    checked(app.run())
    assert not app.error
    assert spec(app).source.startswith("matrix:")
    assert metrics(app) == {
        "Records n": "none",
        "Levels of S": "2",
        "Levels of X": "2",
        "Zero cells": "0",
        "Cells": "4",
    }


@pytest.mark.parametrize("entry", ["-1", "x", "nan", "inf"])
def test_a_matrix_with_a_bad_entry_changes_nothing(entry):
    app = open_page()
    app.text_area(key="own_matrix").set_value(f"1 2\n3 {entry}")
    app.button(key="own_matrix_use").click()
    checked(app.run())
    assert errors(app) == [
        f"The entry in row 2, column 2 must be a finite number of at least 0, got '{entry}'."
    ]
    assert spec(app) == DataSpec()


def test_a_random_joint_at_its_extremes():
    app = open_page()
    for key, value in (("own_n_s", 2), ("own_n_x", 2_000)):
        app.number_input(key=key).set_value(value)
    app.button(key="own_draw").click()
    checked(app.run())
    assert spec(app).source == "random:uniform:2x2000:0"
    assert metrics(app)["Cells"] == "4,000"
    reported = {item.value.replace("\\", "") for item in app.caption}
    assert "The distribution is used unchanged." in reported
    app.number_input(key="own_n_s").set_value(2_000)
    app.button(key="own_draw").click()
    checked(app.run())
    assert "at most 250,000 cells, got 2000×2000 = 4,000,000" in errors(app)[0]
    assert spec(app).source == "random:uniform:2x2000:0"


def test_the_server_refuses_what_core_refuses():
    config = Path(PAGE).parents[1] / ".streamlit" / "config.toml"
    settings = tomllib.loads(config.read_text(encoding="utf-8"))
    assert settings["server"]["maxUploadSize"] == MAX_UPLOAD_MB


def test_records_are_kept_by_the_values_of_a_column():
    app = open_page()
    app.selectbox(key="filter_add").set_value("race")
    checked(app.run())
    assert metrics(app)["Records n"] == "32,561"  # nothing is chosen yet
    app.multiselect(key="filter0").set_value(["Black", "Other"])
    checked(app.run())
    assert spec(app).filters == (Filter("race", ("Black", "Other")),)
    assert metrics(app)["Records n"] == "3,395"  # of Adult's 3,124 and 271
    assert app.query_params["only"] == '["race", "Black", "Other"]'
    text = " ".join(caption.value for caption in app.caption).replace("\\", "")
    assert "29,166 of 32,561 records (90%) were left out by filters" in text
    assert "filtered by race" in text
    app.multiselect(key="filter0").set_value([])
    checked(app.run())
    assert spec(app).filters == ()
    assert metrics(app)["Records n"] == "32,561"
    assert "only" not in app.query_params


def test_records_are_kept_by_a_range_of_numbers():
    app = open_page()
    app.selectbox(key="filter_add").set_value("age")
    checked(app.run())
    assert spec(app).filters == (Filter("age", low=17.0, high=90.0),)
    assert metrics(app)["Records n"] == "32,561"
    app.number_input(key="filter0_low").set_value(90.0)
    checked(app.run())
    assert metrics(app)["Records n"] == "43"
    app.number_input(key="filter0_high").set_value(20.0)
    checked(app.run())
    assert errors(app) == ["The range of 'age' to keep must not be empty, got 90 to 20."]
    assert spec(app).filters == (Filter("age", low=90.0, high=90.0),)
    app.number_input(key="filter0_low").set_value(None)
    checked(app.run())
    assert not app.error
    assert spec(app).filters == (Filter("age", high=20.0),)
    app.button(key="filter0_away").click()
    checked(app.run())
    assert spec(app).filters == ()


def test_the_preview_of_bins_counts_the_records_that_a_filter_keeps(monkeypatch):
    counted = []
    monkeypatch.setattr(preprocessing, "still", lambda *_, table, **_more: counted.append(table()))
    app = open_page(x="age", bins="age:width:4", only='["race", "Black"]')
    app.multiselect(key="filter0").set_value(["Black", "Other"])
    checked(app.run())
    totals = [int(table["records"].sum()) for table in counted]
    assert (totals[0], totals[-1]) == (3_124, 3_395)


def test_a_link_brings_filters_each_of_which_can_be_taken_away():
    app = open_page(only=['["sex", "Male", "Neither"]', '["age", [null, 30]]', '["nope", "x"]'])
    assert "has no column 'nope'" in errors(app)[0]
    app.button(key="filter2_away").click()
    checked(app.run())
    assert app.multiselect(key="filter0").value == ["Male", "Neither"]
    assert app.number_input(key="filter1_low").value is None
    assert app.number_input(key="filter1_high").value == 30.0
    assert "sex" in errors(app)[0]  # only one secret is left
    app.button(key="filter0_away").click()
    checked(app.run())
    assert not app.error
    assert app.number_input(key="filter0_high").value == 30.0
    assert spec(app).filters == (Filter("age", high=30.0),)


def test_a_link_with_a_filter_that_is_none_says_so():
    app = open_page(only='["age", [9, 3]]')
    assert "The range of 'age' to keep must not be empty" in app.warning[0].value.replace("\\", "")
    assert not spec(app).filters
    assert "only" not in app.query_params


def test_merged_symbols_are_named_and_taken_apart():
    merges = ['[["occupation"], "Sales", "Tech-support"]', '[["race"], "Black", "Other"]']
    app = open_page(merge=merges)
    text = [item.value.replace("\\", "") for item in app.markdown]
    assert "occupation: Sales, Tech-support are one symbol." in text
    assert not [item for item in text if "race" in item and "one symbol" in item]  # neither S nor X
    assert "symbols of X merged" in " ".join(item.value for item in app.caption)
    app.button(key="merge0_apart").click().run()
    assert not app.exception
    assert app.session_state["_data"].merges == (Merge(("race",), ("Black", "Other")),)
    assert app.query_params["merge"] == merges[1]


def test_symbols_left_out_are_named_and_taken_back():
    gone = ['[["occupation"], "Sales", "Tech-support"]', '[["sex", "race"], "Male · Black"]']
    app = open_page(without=gone)
    text = [item.value.replace("\\", "") for item in app.markdown]
    assert "occupation: Sales and Tech-support are left out." in text
    assert not [item for item in text if "race" in item and "left out" in item]  # neither S nor X
    caption = " ".join(item.value for item in app.caption).replace("\\", "")
    assert "'Sales' and 'Tech-support' of X left out" in caption
    app.button(key="left_out0_back").click().run()
    assert not app.exception
    assert app.session_state["_data"].left_out == (LeftOut(("sex", "race"), ("Male · Black",)),)
    assert app.query_params["without"] == gone[1]
