"""Databases on the Data page: chosen, listed, counted elsewhere, cancelled, and gone."""

import duckdb
import pytest

from core.data import DataSpec
from core.data.databases.tables import DATABASES
from core.errors import InvalidInputError
from core.jobs import State, carry_out
from tests.pages.data_page import checked, errors, metrics, open_page, spec


@pytest.fixture
def source(tmp_path, monkeypatch):
    path = tmp_path / "census.db"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT if(range % 2 = 0, 'f', 'm') AS sex, "
            "'job' || (range % 3) AS job, range % 50 AS age, range AS id FROM range(1200)"
        )
        connection.execute("CREATE TABLE nobody AS SELECT * FROM people WHERE false")
        connection.execute("CREATE VIEW broken AS SELECT sex::INTEGER AS sex, job FROM people")
    monkeypatch.setenv(DATABASES, f"duckdb://{path}")
    return f"duckdb://{path}#people"


def shown(app):
    return {button.key for button in app.button}


def finish(app, pool):
    """Have what is under way done, as its process would."""
    job, call, arguments = pool.open[0]
    try:
        job.succeed(carry_out(call, arguments, job.note))
    except InvalidInputError as error:
        job.fail(error)
    return checked(app.run())


def chosen(app, pool, source, columns):
    """Choose a table and columns."""
    address = source.partition("#")[0]
    app.selectbox(key="db_address").set_value(address)
    checked(app.run())
    finish(app, pool)
    app.selectbox(key=f"db_table {address}").set_value(source)
    checked(app.run())
    finish(app, pool)
    app.multiselect(key=f"db_columns {source}").set_value(columns)
    return checked(app.run())


def test_without_a_data_base_there_is_no_tab(monkeypatch):
    monkeypatch.delenv(DATABASES, raising=False)
    app = open_page()
    assert "Database" not in [tab.label for tab in app.tabs]


def test_a_file_of_secrets_that_cannot_be_read_is_told(tmp_path, monkeypatch):
    path = tmp_path / "secrets.toml"
    path.write_text("[")
    monkeypatch.setenv("LIFTSCOPE_SECRETS", str(path))
    app = open_page()
    assert ["cannot be read" in text for text in errors(app)] == [True]
    assert metrics(app)["Records n"] == "32,561"


def test_a_table_is_listed_chosen_and_counted(source, sweeps):
    app = open_page()
    assert not sweeps.taken  # nothing is asked before someone chooses
    chosen(app, sweeps, source, ["sex", "job", "age"])
    assert spec(app) == DataSpec()
    app.button(key="db_count").click()
    checked(app.run())
    assert "db_count_cancel" in shown(app)
    assert app.button(key="db_count").disabled
    assert metrics(app)["Records n"] == "32,561"  # the page goes on
    finish(app, sweeps)
    assert not app.error
    assert spec(app).source == source
    assert metrics(app)["Records n"] == "1,200"
    assert app.multiselect(key="data_released").options == ["sex", "job", "age"]
    app.multiselect(key="data_secret").set_value(["sex"])
    app.multiselect(key="data_released").set_value(["job"])
    checked(app.run())
    assert metrics(app) == {
        "Records n": "1,200",
        "Levels of S": "2",
        "Levels of X": "3",
        "Zero cells": "0",
        "Cells": "6",
    }
    app.multiselect(key="data_released").set_value(["age"])
    checked(app.run())
    assert metrics(app)["Levels of X"] == "50"  # of the same counts
    assert not sweeps.open


def test_cancel_ends_the_count_and_it_can_begin_again(source, sweeps):
    app = open_page()
    chosen(app, sweeps, source, ["sex", "job"])
    app.button(key="db_count").click()
    checked(app.run())
    [(job, _, _)] = sweeps.open
    app.button(key="db_count_cancel").click()
    checked(app.run())
    assert job.state == State.CANCELLED
    assert "db_count_cancel" not in shown(app)
    assert not app.error
    app.button(key="db_count").click()
    checked(app.run())
    finish(app, sweeps)
    assert metrics(app)["Records n"] == "1,200"


def test_a_list_is_cancelled_and_asked_for_again(source, sweeps):
    app = open_page()
    app.selectbox(key="db_address").set_value(source.partition("#")[0])
    checked(app.run())
    app.button(key="db_tables_cancel").click()
    checked(app.run())
    assert not sweeps.open
    app.button(key="db_tables_again").click()
    checked(app.run())
    finish(app, sweeps)
    assert len(app.selectbox(key=f"db_table {source.partition('#')[0]}").options) == 3


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("nobody", "has no records: it must have one or more."),
        (
            "broken",
            "failed there (ConversionException): it must give all its records without an error.",
        ),
    ],
)
def test_a_table_that_cannot_be_counted_gives_one_sentence(table, message, source, sweeps):
    app = open_page()
    chosen(app, sweeps, source.replace("people", table), ["sex", "job"])
    app.button(key="db_count").click()
    checked(app.run())
    finish(app, sweeps)
    assert [item.endswith(message) for item in errors(app)] == [True]
    assert metrics(app)["Records n"] == "32,561"
    assert spec(app) == DataSpec()


def test_a_data_base_that_goes_away_gives_one_sentence(source, sweeps):
    app = open_page()
    chosen(app, sweeps, source, ["sex", "job"])
    app.button(key="db_count").click()
    checked(app.run())
    gone = "people went away during the query."
    sweeps.fail(InvalidInputError(gone))
    checked(app.run())
    assert errors(app) == [gone]
    assert metrics(app)["Records n"] == "32,561"
    app.button(key="db_count").click()
    checked(app.run())
    assert not app.error
    finish(app, sweeps)
    assert spec(app).source == source


def test_an_address_where_nobody_listens_gives_one_sentence(monkeypatch, sweeps):
    monkeypatch.setenv(DATABASES, "duckdb:///no/such/file.db")
    app = open_page()
    app.selectbox(key="db_address").set_value("duckdb:///no/such/file.db")
    checked(app.run())
    finish(app, sweeps)
    assert errors(app) == ["There is no DuckDB file '/no/such/file.db'."]
    app.button(key="db_tables_again").click()
    checked(app.run())
    assert len(sweeps.open) == 1


def test_a_link_counts_nothing_until_someone_asks(source, sweeps):
    app = open_page(data=source, s="sex", x="age", bins="age:width:5")
    assert not sweeps.taken
    assert [item.partition(" is not")[0].partition(" in ")[0] for item in errors(app)] == ["people"]
    app.button(key="db_question").click()
    checked(app.run())
    finish(app, sweeps)
    assert not app.error
    assert metrics(app)["Records n"] == "1,200"
    assert metrics(app)["Levels of X"] == "5"  # the link's own question
    assert spec(app).binnings[0].count == 5
    assert app.query_params["data"] == source
    assert "db_question" not in shown(app)


def test_a_column_that_changed_its_type_since_gives_one_sentence(source, sweeps):
    app = open_page(data=source, s="sex", x="job", bins="job:width:5")
    app.button(key="db_question").click()
    checked(app.run())
    finish(app, sweeps)
    [text] = errors(app)
    assert "Column 'job' holds 1,200 values that are not numbers, such as 'job0'" in text
    assert "Use job without bins" in [button.label for button in app.button]


def test_what_is_counted_anew_replaces_what_was_derived(source, sweeps):
    app = open_page(data=source, s="sex", x="job")
    app.button(key="db_question").click()
    checked(app.run())
    finish(app, sweeps)
    assert metrics(app)["Records n"] == "1,200"
    with duckdb.connect(source.partition("#")[0].removeprefix("duckdb://")) as connection:
        connection.execute("DELETE FROM people WHERE id >= 600")
    chosen(app, sweeps, source, ["sex", "job"])
    assert metrics(app)["Records n"] == "1,200"  # until it is counted again
    app.button(key="db_count").click()
    checked(app.run())
    finish(app, sweeps)
    assert metrics(app)["Records n"] == "600"


def test_a_link_to_what_the_owner_did_not_open_is_refused(source, sweeps):
    app = open_page(data=source.replace("census", "other"), s="sex", x="job")
    assert "databases are not open here" in errors(app)[0]
    assert "db_question" not in shown(app)
    assert not sweeps.taken
