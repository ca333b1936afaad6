"""Coarser levels on the Data page: a slider, steps, a table of parents, rare levels by column."""

import pandas as pd
import pytest

from core.data import DataSpec, Hierarchy, RareLevels
from tests.pages.data_page import checked, errors, metrics, open_page, spec

pytestmark = pytest.mark.usefixtures("no_lines")

ROWS = [("f", "90210", 31), ("m", "90211", 35), ("f", "10115", 52), ("m", "10999", 58)] * 25
ROWS += [("f", "80331", 44), ("m", "8033", 46), ("f", "", 31)]


@pytest.fixture
def people():
    app = open_page()
    frame = pd.DataFrame(ROWS, columns=["sex", "zip", "age"])
    app.file_uploader(key="own_file").upload("people.csv", frame.to_csv(index=False).encode())
    checked(app.run())
    app.multiselect(key="data_secret").set_value(["sex"])
    app.multiselect(key="data_released").set_value(["zip"])
    checked(app.run())
    app.session_state["_data"] = DataSpec(spec(app).source, ("sex",), ("zip",))
    return checked(app.run())


def sheet(app):
    """Return the table of the levels."""
    [result] = [item.value for item in app.dataframe if "H(X), bits" in item.value]
    return result


def add(app, column):
    app.selectbox(key="hierarchy_add").set_value(column)
    return checked(app.run())


def test_a_slider_walks_the_levels_of_first_characters_or_intervals(people):
    app = people
    assert metrics(app)["Levels of X"] == "7"
    add(app, "zip")
    hierarchy = spec(app).hierarchies[0]
    assert hierarchy.kind == "interval"  # zips are numbers too
    app.segmented_control(key="hierarchy0_kind").set_value("prefix")
    checked(app.run())
    assert not app.error
    assert metrics(app)["Levels of X"] == "5"
    assert spec(app).hierarchies[0].kind == "prefix"
    app.file_uploader(key="hierarchy0_table").upload(
        "zips.csv",
        b"90210,902,9\n90211,902,9\n10115,101,1\n10999,109,1\n80331,803,8\n8033,803,8\n",
    )
    checked(app.run())
    assert spec(app).hierarchies[0].kind == "table"
    assert not app.error
    assert metrics(app)["Levels of X"] == "5"  # three and the missing one
    assert list(sheet(app)["levels of X"]) == [7, 5, 4]
    information = list(sheet(app)["H(X), bits"])
    assert information == sorted(information, reverse=True)
    app.slider(key="hierarchy0_level").set_value(2)
    checked(app.run())
    assert spec(app).hierarchies[0].level == 2
    assert metrics(app)["Levels of X"] == "4"
    assert [item for item in sheet(app)["level"] if "◂" in item] == ["2 ◂"]
    app.slider(key="hierarchy0_level").set_value(0)
    checked(app.run())
    assert metrics(app)["Levels of X"] == "7"
    app.button(key="hierarchy0_away").click()
    checked(app.run())
    assert spec(app).hierarchies == ()


def test_steps_are_typed_and_what_is_none_changes_nothing():
    app = open_page(level='["occupation", "prefix", 1, [3, 2, 1]]')
    before = metrics(app)["Levels of X"]
    assert spec(app).hierarchies == (Hierarchy("occupation", "prefix", 1, steps=(3, 2, 1)),)
    app.text_input(key="hierarchy0_steps").set_value("2, 3")
    checked(app.run())
    assert "whole, decreasing and at least 1, got 2, 3" in errors(app)[0]
    assert metrics(app)["Levels of X"] == before
    app.text_input(key="hierarchy0_steps").set_value("three")
    checked(app.run())
    assert "must be numbers separated by commas, got 'three'" in errors(app)[0]
    app.text_input(key="hierarchy0_steps").set_value("1")
    checked(app.run())
    assert not app.error
    assert app.slider(key="hierarchy0_level").max == 1
    assert app.query_params["level"] == '["occupation", "prefix", 1, [1]]'
    assert list(sheet(app)["levels of X"]) == [15, 11]


def test_two_columns_have_sliders_of_their_own_and_numbers_have_intervals():
    app = open_page(x=["age", "workclass"], missing="drop")
    add(app, "age")
    add(app, "workclass")
    ages, kinds = spec(app).hierarchies
    assert (ages.kind, ages.steps) == ("interval", (5.0, 10.0, 20.0))
    assert (kinds.kind, kinds.steps) == ("prefix", (3.0, 2.0, 1.0))
    app.slider(key="hierarchy1_level").set_value(3)
    app.slider(key="hierarchy0_level").set_value(3)
    checked(app.run())
    assert [item.level for item in spec(app).hierarchies] == [3, 3]
    first = metrics(app)["Levels of X"]
    app.slider(key="hierarchy0_level").set_value(2)
    checked(app.run())
    assert [item.level for item in spec(app).hierarchies] == [2, 3]
    assert int(metrics(app)["Levels of X"]) > int(first)


def test_bins_take_the_place_of_a_hierarchy():
    app = open_page(x="age", level='["age", "interval", 1, [5, 10]]')
    assert "age" not in app.selectbox(key="hierarchy_add").options
    app.segmented_control(key="bins0_kind").set_value("width")
    checked(app.run())
    assert not app.error
    assert spec(app).hierarchies == ()
    assert metrics(app)["Levels of X"] == "8"


def test_a_bad_link_says_so_and_opens_the_plain_question():
    app = open_page(level='["occupation", "prefix", 7, [3]]', rare_of='["occupation", -1]')
    text = " ".join(warning.value.replace("\\", "") for warning in app.warning)
    assert "has the levels 0 to 1, got 7" in text
    assert "records below which levels of 'occupation' are rare" in text
    assert metrics(app)["Levels of X"] == "15"
    assert "level" not in app.query_params


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (b"a,b\na,c\n", "gives 'a' two parents"),
        (b"a\n", "row 1 has 1 entries"),
        (b"", "cannot be read as a table of parents"),
        (b"\xff\xfe\x00", "cannot be read as a table of parents"),
        (b"a,b\nc,d,e\n", "cannot be read as a table of parents"),
    ],
)
def test_a_table_that_is_none_changes_nothing(table, message):
    app = open_page(level='["occupation", "prefix", 1, [3, 2, 1]]')
    before = spec(app)
    app.file_uploader(key="hierarchy0_table").upload("parents.csv", table)
    checked(app.run())
    assert message in errors(app)[0]
    assert spec(app) == before


def test_a_table_that_lacks_a_value_is_told_with_ways_out():
    app = open_page(level='["occupation", "table", 1, [["Sales", "trade"]]]')
    assert "The hierarchy of 'occupation' has no row for '?' and for 13 more" in errors(app)[0]
    buttons = {
        button.label: button for button in app.button if (button.key or "").startswith("way")
    }
    buttons["Use occupation without its hierarchy"].click()
    checked(app.run())
    assert not app.error
    assert metrics(app)["Levels of X"] == "15"


def test_rare_levels_of_one_of_several_columns():
    app = open_page(x=["workclass", "race"])
    before = int(metrics(app)["Levels of X"])
    assert [item.label for item in app.number_input if item.key.startswith("rare_of")] == [
        "Group levels of workclass with fewer records than",
        "Group levels of race with fewer records than",
    ]
    app.number_input(key="rare_of1").set_value(2_000)
    checked(app.run())
    assert spec(app).rare_levels == (RareLevels("race", 2_000),)
    assert int(metrics(app)["Levels of X"]) < before
    assert app.query_params["rare_of"] == '["race", 2000]'
    text = " ".join(caption.value for caption in app.caption).replace("\\", "")
    assert "3 rare levels of 'race' with 1,621 records (5.0%) were grouped into one" in text
    app.number_input(key="rare_of1").set_value(0)
    checked(app.run())
    assert spec(app).rare_levels == ()
    assert int(metrics(app)["Levels of X"]) == before
