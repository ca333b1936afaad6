"""The Release page for a table of a database: the figures of its counts, and the command."""

import shlex

import duckdb
import pytest

from core.__main__ import main
from core.data import DataSpec
from core.data.databases.tables import DATABASES
from core.jobs.work import count_table
from core.scenario import Scenario
from pages.ui.release import board
from pages.ui.work import long_answer
from tests.pages.test_release import checked, opened, page_text


@pytest.fixture
def source(tmp_path, monkeypatch):
    path = tmp_path / "census.db"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT if(range % 2 = 0, 'f', 'm') AS sex, "
            "'job' || (range % 3) AS job, range % 5 AS town, if(range % 2 = 0, 'F', 'M') AS twin "
            "FROM range(1200)"
        )
    monkeypatch.setenv(DATABASES, f"duckdb://{path}")
    monkeypatch.setattr(long_answer.LongAnswer, "ask", long_answer.LongAnswer.here)
    return f"duckdb://{path}#people"


def counted(app, source, names, path):
    """Have the table counted in this session, as on the Data page."""
    app.session_state["_visit"].sources.add_counts(source, count_table(source, names, path))
    return checked(app.run())


def test_figures_are_those_of_the_counts_and_the_command_releases_a_file(
    source, tmp_path, monkeypatch
):
    app = opened(data=source, s="sex", x="job")
    assert "not yet counted" in page_text(app)
    app = counted(app, source, ["sex", "job", "town", "twin"], tmp_path / "counts.parquet")
    assert not app.error
    assert {"release_keep: town", "release_keep: twin"} <= {item.key for item in app.toggle}
    assert page_text(app).count("determines sex") == 1
    assert board.STAYS in page_text(app)
    assert "release_make" not in {item.key for item in app.button}
    checked(app.toggle(key="release_keep: town").set_value(True).run())
    assert any("for these records" in item.value for item in app.success)
    (command,) = [code.value for code in app.code if "core release" in code.value]
    monkeypatch.chdir(tmp_path)
    with duckdb.connect(source.partition("#")[0].removeprefix("duckdb://")) as connection:
        connection.execute("COPY people TO 'records.parquet'")
    question = Scenario(data=DataSpec(source, ("sex",), ("job",)), mechanism="watchdog")
    (tmp_path / "scenario.json").write_text(question.to_json(), encoding="utf-8")
    assert main(shlex.split(command.replace("\\\n", " "))[3:]) == 0
    assert (tmp_path / "released.csv").read_text().splitlines()[0] == '"job","town"'


def test_counts_that_are_made_anew_have_figures_of_their_own(source, tmp_path):
    app = opened(data=source, s="sex", x="job")
    app = counted(app, source, ["sex", "job", "town"], tmp_path / "counts.parquet")
    assert "determines sex" not in page_text(app)
    with duckdb.connect(source.partition("#")[0].removeprefix("duckdb://")) as connection:
        connection.execute("UPDATE people SET town = if(sex = 'f', 0, 1)")
    app = counted(app, source, ["sex", "job", "town"], tmp_path / "again.parquet")
    assert "determines sex" in page_text(app)
