"""Databases that are not there, refuse, or hold something else: one sentence each."""

import json
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from core.data import Binning, DataSpec, Sources, column_levels, count, describe, preview
from core.data.databases import connecting, reference, tables
from core.data.readers.marks import with_marks
from core.errors import InvalidInputError
from core.scenario import Scenario

ROOT = Path(__file__).parents[4]
SPEC = DataSpec(secret=("sex",), released=("job",))
GONE = "went away during the query: its database must stay reachable until the answer arrives."
NOBODY = "could not be reached: a server must be listening at its host and port."


def refused(source, spec=SPEC):
    with pytest.raises(InvalidInputError) as caught:
        count(replace(spec, source=source))
    return str(caught.value)


def test_an_address_where_nobody_listens():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        text = refused(f"postgres://127.0.0.1:{port}/census#people")
    assert text == f"postgres://127.0.0.1:{port}/census {NOBODY}"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("postgres://ann:pw@db/census#people", "must not contain a user's name or password"),
        ("postgres://db/census?password=pw#people", "must not contain a user's name or password"),
        ("postgres://db/census", "is written postgres://ADDRESS#TABLE"),
        ("postgres://db/census#public.", "names no table after its #"),
        ("postgres://db:12x/census#people", "port of a database must be 0 to 65535, got '12x'"),
        ("duckdb:///no/such/file.db#people", "no DuckDB file '/no/such/file.db'"),
        ("nosuchengine://db#people", "nosuchengine://db could not be opened ("),
        ("x" * 30 + "://" + "a" * 2_000 + "#t", "is written"),
    ],
)
def test_a_reference_that_cannot_be_used(source, message):
    reported = refused(source)
    assert message in reported
    assert "pw" not in reported.replace("password", "")
    assert len(reported) < 400


def test_what_a_data_base_does_not_have(duckdb_address, postgres_address):
    for address in (duckdb_address, postgres_address):
        text = refused(f"{address}#persons")
        assert text.startswith(f"persons in {address} does not exist or is hidden from this user: ")
        assert "'people'" in text.partition("its tables are")[2]
        text = refused(f"{address}#people", replace(SPEC, released=("salary",)))
        assert "has no column 'salary', only 'sex', 'job', 'pay'" in text
    assert refused(f"{duckdb_address}#nobody") == (
        f"nobody in {duckdb_address} has no records: it must have one or more."
    )


def test_a_view_that_errors(postgres_address):
    text = refused(f"{postgres_address}#broken")
    assert text == (
        f"broken in {postgres_address} failed there (DivisionByZero): it must give all its records "
        "without an error."
    )


def test_a_file_that_is_no_data_base(tmp_path):
    path = tmp_path / "no.db"
    path.write_bytes(b"sex,job\nf,cook\n")
    assert refused(f"duckdb://{path}#people").startswith(f"duckdb://{path} could not be opened (")


def test_a_password_is_asked_for_and_taken_from_the_environment_or_the_file(
    postgres, postgres_address, tmp_path, monkeypatch
):
    with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
        connection.execute("CREATE ROLE reader LOGIN PASSWORD 'right'")
        connection.execute("GRANT SELECT ON people TO reader")
    rules = postgres.pgdata / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text(f"local all reader scram-sha-256\n{before}")
    monkeypatch.setenv("PGUSER", "reader")
    source = f"{postgres_address}#people"
    try:
        with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
            connection.execute("SELECT pg_reload_conf()")
        monkeypatch.setenv("PGPASSWORD", "wrong")
        text = refused(source)
        assert text == (
            f"{postgres_address} refused the user or password: PGUSER and PGPASSWORD, or its table "
            "in the file that LIFTSCOPE_SECRETS names, must hold ones that it accepts."
        )
        monkeypatch.setenv("PGPASSWORD", "right")
        assert count(replace(SPEC, source=source)).report.n_used == 9
        monkeypatch.delenv("PGPASSWORD")
        monkeypatch.delenv("PGUSER")
        secrets = tmp_path / "secrets.toml"
        secrets.write_text(f'["{postgres_address}"]\nuser = "reader"\npassword = "right"\n')
        monkeypatch.setenv("LIFTSCOPE_SECRETS", str(secrets))
        assert count(replace(SPEC, source=source)).report.n_used == 9
        secrets.write_text("[not toml")
        assert "LIFTSCOPE_SECRETS names cannot be read" in refused(source)
        assert "right" not in refused(source)
    finally:
        rules.write_text(before)
        with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
            connection.execute("SELECT pg_reload_conf()")


def test_a_data_base_that_goes_away_in_mid_count(postgres, postgres_address, monkeypatch):
    answered = tables.answered

    def end_first(backend, query):
        with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND datname = 'postgres'"
            )
        return answered(backend, query)

    monkeypatch.setattr(tables, "answered", end_first)
    text = refused(f"{postgres_address}#people")
    assert text == f"people in {postgres_address} {GONE}"


def test_names_with_signs_of_their_own_are_percent_encoded(duckdb_address):
    source = f"{duckdb_address}#sc%2Eh'e.t%2E%231%25"
    assert count(replace(SPEC, source=source)).report.n_used == 9


def test_an_address_of_ipv6_has_its_port_behind_the_bracket():
    with socket.socket(socket.AF_INET6) as taken:
        taken.bind(("::1", 0))
        port = taken.getsockname()[1]
        text = refused(f"postgres://[::1]:{port}/census#people")
    assert text == f"postgres://[::1]:{port}/census {NOBODY}"


def test_no_other_engine_makes_a_file_that_is_not_there(tmp_path):
    text = refused(f"sqlite://{tmp_path}/new.db#people")
    assert text.startswith("There is no file or folder '/")
    assert not list(tmp_path.iterdir())


def test_nothing_can_be_written(postgres_address, duckdb_address):
    for address in (postgres_address, duckdb_address):
        table = reference.parse(f"{address}#people")
        with (
            pytest.raises(InvalidInputError, match=r"opened for reading only\.$"),
            connecting.connected(table) as backend,
        ):
            backend.raw_sql("DELETE FROM people")
    assert count(replace(SPEC, source=f"{postgres_address}#people")).report.n_used == 9


def test_too_many_combinations_are_not_fetched(duckdb_address, monkeypatch):
    monkeypatch.setattr(tables, "MOST_ROWS", 3)
    assert "'sex', 'job' in people" in refused(f"{duckdb_address}#people")
    assert "more than 3 combinations" in refused(f"{duckdb_address}#people")


def test_only_those_who_choose_the_source_themselves_may_name_a_data_base(duckdb_address):
    with pytest.raises(InvalidInputError, match="databases are not open here"):
        count(replace(SPEC, source=f"{duckdb_address}#people"), Sources())


def test_each_set_of_columns_is_counted_once(duckdb_address, monkeypatch):
    sources = Sources(databases=True)
    spec = replace(SPEC, source=f"{duckdb_address}#people")
    first = count(spec, sources)
    monkeypatch.setattr(tables, "answered", None)  # any query would fail
    assert count(spec, sources).joint.x_labels == first.joint.x_labels
    assert count(replace(spec, missing="drop"), sources).report.dropped_missing == 4


def test_views_schemas_and_the_marks_of_missing_numbers(duckdb_address, postgres_address):
    for source in (f"{duckdb_address}#cooks", f"{postgres_address}#other.cooks"):
        counted = count(replace(SPEC, source=source, released=("age",)))
        assert counted.report.n_used == 4
        assert [marks.sentence() for marks in counted.report.marks] == [
            "'NA' in 'age' is taken for a missing value: 1 record."
        ]


def test_a_table_of_counts_is_described_by_its_records(duckdb_address, tmp_path, monkeypatch):
    path = tmp_path / "counts.parquet"
    counts = tables.fetch(reference.parse(f"{duckdb_address}#people"), ["sex", "age"], path)
    table = with_marks(counts)
    sources = Sources()
    monkeypatch.setattr(sources, "open", lambda *_: table)
    described = describe("counts", sources)
    assert described.rows == 9
    assert [column.missing for column in described.columns] == [2, 3]
    assert column_levels("counts", "sex", sources).counts == (4, 3, 2)
    cut = preview("counts", Binning("age", "edges", edges=(0.0, 40.0)), sources=sources)
    assert cut.shown() == (("[0, 40]", 4), ("> 40", 2))
    assert cut.missing == 3


def test_the_command_line_answers_about_a_data_base(duckdb_address, tmp_path):
    scenario = tmp_path / "scenario.json"
    request = Scenario(data=replace(SPEC, source=f"{duckdb_address}#people"))
    scenario.write_text(request.to_json())
    done = subprocess.run(
        [sys.executable, "-m", "core", "evaluate", str(scenario)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["n"] == 9
