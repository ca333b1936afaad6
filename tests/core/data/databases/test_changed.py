"""PostgreSQL that changes, refuses or goes away between a question and its answer."""

import json
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from core.data import Binning, DataSpec, Filter, count
from core.data.databases import tables
from core.data.databases.tables import columns_of, tables_of
from core.errors import InvalidInputError
from core.jobs import Pool, State
from core.jobs.work import count_table
from core.scenario import Scenario
from tests.core.data.databases.embedded import package

ROOT = Path(__file__).parents[4]
PATIENCE = 600.0
SPEC = DataSpec(secret=("sex",), released=("job",))
GONE = "went away during the query: its database must stay reachable until the answer arrives."


@pytest.fixture
def administrator(postgres):
    """Return a connection that may change everything."""
    with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
        yield connection


@pytest.fixture
def copy(administrator):
    """Make a table that a test may change; return a function that does."""
    administrator.execute("CREATE TABLE copied AS SELECT sex, job, kids FROM people")
    yield administrator.execute
    administrator.execute("DROP TABLE IF EXISTS copied CASCADE")


@pytest.fixture
def opened(postgres_address, monkeypatch):
    monkeypatch.setenv(tables.DATABASES, postgres_address)
    return postgres_address


def refused(source, spec=SPEC):
    with pytest.raises(InvalidInputError) as caught:
        count(replace(spec, source=source))
    return str(caught.value)


def command(source, tmp_path, spec=SPEC):
    """Return the sentence on standard error for a scenario that the command line refuses.

    A busy machine has it also say how long it has worked.
    """
    scenario = tmp_path / "scenario.json"
    scenario.write_text(Scenario(data=replace(spec, source=source)).to_json())
    done = subprocess.run(
        [sys.executable, "-m", "core", "evaluate", str(scenario)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    return re.sub(r"^Answering: [\d,]+ s\n", "", done.stderr, flags=re.MULTILINE)


def test_a_column_that_changed_its_type_since(copy, postgres_address, tmp_path):
    spec = DataSpec(
        f"{postgres_address}#copied",
        ("sex",),
        ("kids",),
        binnings=(Binning("kids", "width", 2),),
        filters=(Filter("kids", low=0),),
    )
    assert count(spec).report.n_used == 8
    copy("ALTER TABLE copied ALTER kids TYPE text USING 'k' || kids")
    text = "holds 8 values that are not numbers, such as 'k0': bins need numbers"
    reported = command(spec.source, tmp_path, replace(spec, filters=()))
    assert f"Column 'kids' {text}" in reported
    assert reported.count("\n") == 1
    copy("ALTER TABLE copied ALTER kids TYPE date USING date '2020-01-01'")
    assert "holds date, and bins need numbers" in refused(spec.source, replace(spec, filters=()))
    assert "'kids' holds no numbers, so no range" in refused(spec.source, spec)
    copy("ALTER TABLE copied DROP kids")
    assert refused(spec.source, spec) == (
        f"copied in {postgres_address} has no column 'kids', only 'sex', 'job'."
    )


def test_a_table_that_is_dropped_between_its_list_and_its_count(copy, opened, tmp_path):
    source = f"{opened}#copied"
    path = tmp_path / "counts.parquet"
    assert source in tables_of(opened)
    assert [item.name for item in columns_of(source)] == ["sex", "job", "kids"]
    copy("DROP TABLE copied")
    with pytest.raises(InvalidInputError) as caught:
        count_table(source, ["sex", "job"], path)
    text = str(caught.value)
    assert text.startswith(f"copied in {opened} is not among the tables open here: its ")
    assert "'people'" in text
    assert not path.exists()
    assert command(source, tmp_path).startswith(
        f"copied in {opened} does not exist or is hidden from this user: its tables are "
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("DROP TABLE copied", "does not exist or is hidden from this user."),
        (
            "ALTER TABLE copied DROP job",
            "no longer has the columns that it had a moment ago: try again.",
        ),
    ],
)
def test_a_table_that_changes_between_its_columns_and_its_count(
    change, message, copy, postgres_address, monkeypatch
):
    answered = tables.answered

    def late(backend, query):
        copy(change)
        return answered(backend, query)

    monkeypatch.setattr(tables, "answered", late)
    assert refused(f"{postgres_address}#copied") == f"copied in {postgres_address} {message}"


def test_a_view_that_writes_is_refused(copy, administrator, postgres_address):
    copy(
        "CREATE FUNCTION written() RETURNS text LANGUAGE plpgsql AS "
        "$$ BEGIN INSERT INTO copied VALUES ('x', 'y', 0); RETURN 'x'; END $$"
    )
    copy("CREATE VIEW writes AS SELECT written() AS sex, job FROM copied")
    assert refused(f"{postgres_address}#writes") == (
        f"writes in {postgres_address} tried to write, which is refused: databases are opened for "
        "reading only."
    )
    assert administrator.execute("SELECT count(*) FROM copied").fetchone() == (9,)
    copy("DROP FUNCTION written() CASCADE")


def test_what_a_user_may_not_read_and_what_is_not_filled(administrator, opened, monkeypatch):
    assert refused(f"{opened}#unfilled") == (
        f"unfilled in {opened} cannot be read yet: a materialized view must have been refreshed "
        "once."
    )
    administrator.execute("CREATE ROLE guest LOGIN")
    administrator.execute("GRANT SELECT ON kept TO guest")
    monkeypatch.setenv("PGUSER", "guest")
    assert refused(f"{opened}#people") == (
        f"people in {opened} does not allow this user to read it: grant the right to read there."
    )
    assert tables_of(opened) == (f"{opened}#kept",)
    assert count(replace(SPEC, source=f"{opened}#kept")).report.n_used == 9
    monkeypatch.setenv("PGUSER", "nobody")
    assert refused(f"{opened}#kept").startswith(f"{opened} refused the user or password: ")


def test_a_data_base_of_no_such_name_and_one_with_a_time_limit(
    administrator, postgres_address, monkeypatch
):
    other = postgres_address.replace("/postgres", "/census")
    assert other != postgres_address
    assert refused(f"{other}#people") == (
        f"{other} could not be opened: its server has no database of this name, or hides it "
        "from this user."
    )
    administrator.execute("CREATE VIEW sleeps AS SELECT sex, pg_sleep(60)::text AS job FROM people")
    monkeypatch.setenv("PGUSER", "hasty")
    administrator.execute("CREATE ROLE hasty SUPERUSER LOGIN")
    administrator.execute("ALTER ROLE hasty SET statement_timeout = 100")
    assert refused(f"{postgres_address}#sleeps") == (
        f"sleeps in {postgres_address} was stopped by its database: the answer took longer than is "
        "allowed there."
    )
    administrator.execute("DROP VIEW sleeps")


@contextmanager
def asking_for_a_password(postgres, role):
    """Have the server ask a new role for its password, "right-secret"."""
    rules = postgres.pgdata / "pg_hba.conf"
    before = rules.read_text()
    with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'right-secret'")
        rules.write_text(f"local all {role} scram-sha-256\n{before}")
        connection.execute("SELECT pg_reload_conf()")
        try:
            yield
        finally:
            rules.write_text(before)
            connection.execute("SELECT pg_reload_conf()")


def test_a_wrong_password_is_nowhere_to_be_read(postgres, opened, tmp_path, monkeypatch, caplog):
    caplog.set_level(0)
    source = f"{opened}#people"
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(f'["{opened}"]\nuser = "clerk"\npassword = "wrong-secret"\n')
    monkeypatch.setenv("LIFTSCOPE_SECRETS", str(secrets))
    monkeypatch.delenv("PGUSER")
    with asking_for_a_password(postgres, "clerk"):
        with pytest.raises(InvalidInputError) as caught:
            count_table(source, ["sex", "job"], tmp_path / "c")
        reported = command(source, tmp_path)
        with Pool(1) as pool:
            job = pool.submit(tables_of, opened, time_limit=PATIENCE)
            with pytest.raises(InvalidInputError) as elsewhere:
                job.result(PATIENCE)
    whole = "".join(traceback.format_exception(caught.value))
    assert "refused the user or password" in whole
    assert str(elsewhere.value) == str(caught.value)
    assert reported == f"{caught.value}\n"
    message = (
        whole,
        reported,
        caplog.text,
        repr(vars(caught.value)),
        repr(pickle.dumps(caught.value)),
    )
    assert not [item for item in message if "wrong-secret" in item]
    exported = Scenario(data=replace(SPEC, source=source)).to_json()
    assert 'secret": ["sex' in json.dumps(json.loads(exported))  # the column, and no password
    assert "clerk" not in exported
    secrets.write_text(f'"{opened}" = "right-secret"\n')
    assert refused(source) == (
        f"The entry {opened} of the file of secrets that LIFTSCOPE_SECRETS names must be a table "
        "with user and password."
    )


def until(there):
    deadline = time.monotonic() + PATIENCE
    while not there():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_killed_worker_ends_its_query_and_the_count_begins_anew(administrator, opened, tmp_path):
    administrator.execute(
        "CREATE VIEW slow AS SELECT pg_sleep(86400)::text AS sex, job FROM people"
    )

    def asleep():
        request = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
        return {row[0] for row in administrator.execute(request).fetchall()}

    with Pool(1) as pool:
        job = pool.submit(
            count_table, f"{opened}#slow", ["sex", "job"], tmp_path / "c", time_limit=PATIENCE
        )
        until(asleep)
        first = asleep()
        for worker in list(pool._processes):
            worker.kill()
        until(lambda: asleep() - first)  # another worker has taken it over
        until(lambda: not first & asleep())
        assert job.state == State.RUNNING
        job.cancel()
        until(lambda: not asleep())
    administrator.execute("DROP VIEW slow")


def test_a_server_that_is_stopped_in_mid_count(tmp_path, monkeypatch, postgres):  # noqa: ARG001
    with tempfile.TemporaryDirectory(prefix="liftscope-pg-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        server = package().get_server(folder / "data", cleanup_mode="delete")
        try:
            with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                connection.execute(
                    "CREATE VIEW slow AS SELECT pg_sleep(86400)::text AS sex, 1 AS job"
                )
            address = f"postgres://{str(server.pgdata).replace('/', '%2F')}/postgres"
            monkeypatch.setenv(tables.DATABASES, address)
            with Pool(1) as pool:
                job = pool.submit(
                    count_table,
                    f"{address}#slow",
                    ["sex", "job"],
                    tmp_path / "c",
                    time_limit=PATIENCE,
                )
                with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                    request = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
                    until(lambda: connection.execute(request).fetchone()[0])
                os.kill(server.get_pid(), signal.SIGQUIT)  # "immediate shutdown"
                with pytest.raises(InvalidInputError) as caught:
                    job.result(PATIENCE)
                assert str(caught.value) == f"slow in {address} {GONE}"
                again = pool.submit(tables_of, address, time_limit=PATIENCE)
                with pytest.raises(InvalidInputError, match="could not be reached"):
                    again.result(PATIENCE)
        finally:
            server.cleanup()
