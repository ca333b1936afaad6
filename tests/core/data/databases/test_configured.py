"""Databases that the owner of a server opened to pages: their tables, columns, and a Cancel."""

import time
from contextlib import closing, suppress
from pathlib import Path

import duckdb
import psycopg
import pytest

from core.data import DataSpec, Filter, Sources, count
from core.data.databases import tables
from core.data.databases.tables import columns_of, is_open, source_of, tables_of
from core.errors import InvalidInputError
from core.jobs import Pool, State
from core.jobs.work import count_table

PATIENCE = 600.0
SPEC = DataSpec(secret=("sex",), released=("job",))


@pytest.fixture
def opened(duckdb_address, postgres_address, monkeypatch):
    monkeypatch.setenv(tables.DATABASES, f"{duckdb_address} {postgres_address}")
    return duckdb_address, postgres_address


def test_the_owner_names_them_in_the_environment_or_the_file_of_secrets(tmp_path, monkeypatch):
    assert tables.configured() == ()
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(
        'pages = true\n["postgres://a/b"]\nuser = "x"\npages = true\n["postgres://c/d"]\n'
        'password = "y"\n["duckdb:///e.db"]\npages = "yes"\n'
    )
    monkeypatch.setenv("LIFTSCOPE_SECRETS", str(secrets))
    monkeypatch.setenv(tables.DATABASES, "  duckdb:///f.db#people\n postgres://a/b ")
    assert tables.configured() == ("duckdb:///f.db#people", "postgres://a/b")
    for source, text in {
        "postgres://a/b#any.table": True,
        "duckdb:///f.db#people": True,
        "duckdb:///f.db#others": False,
        "postgres://c/d#people": False,  # its password is known, and the owner did not open it
        "duckdb:///e.db#people": False,
        "postgres://a/bc#people": False,
    }.items():
        assert is_open(source) is text, source
    secrets.write_text("[")
    with pytest.raises(InvalidInputError, match="cannot be read"):
        is_open("postgres://a/b#people")


def test_tables_and_views_are_listed_and_no_catalogue_of_the_engine(opened):
    assert [item.partition("#")[2] for item in tables_of(opened[0])] == [
        "cooks",
        "nobody",
        "people",
        "sc%2Eh%27e.t%2E%231%25",
    ]
    result = [item.partition("#")[2] for item in tables_of(opened[1])]
    assert {"broken", "people", "other.cooks", "kept", "other.k%2Eept"} <= set(result)
    assert not any(item.startswith(("pg_", "information_schema")) for item in result)
    for source in (*tables_of(opened[0]), f"{opened[1]}#other.cooks"):
        assert [item.name for item in columns_of(source)][:3] == ["sex", "job", "pay"]
    assert columns_of(f"{opened[0]}#people")[2].kind == "float64"


def test_names_survive_their_reference(opened, tmp_path):
    source = source_of(opened[0], "sc.h'e", "t.#1%")
    assert source in tables_of(opened[0])
    path = tmp_path / "counts.parquet"
    assert count_table(source, ["sex"], path).columns == ("sex",)


@pytest.mark.parametrize("table", ["pg_catalog.pg_authid", "pg_authid", "nosuch", "public.people"])
def test_a_table_that_is_not_listed_is_not_counted(table, opened, tmp_path):
    path = tmp_path / "counts.parquet"
    with pytest.raises(InvalidInputError, match="not among the tables open here"):
        count_table(f"{opened[1]}#{table}", ["sex"], path)
    with pytest.raises(InvalidInputError, match="not among the tables open here"):
        columns_of(f"{opened[1]}#{table}")
    assert not path.exists()


def test_what_the_owner_did_not_open_is_not_asked(opened, monkeypatch, tmp_path):
    monkeypatch.setenv(tables.DATABASES, f"{opened[0]}#cooks")
    monkeypatch.setattr(tables, "connected", None)  # connecting would fail
    assert tables_of(f"{opened[0]}#cooks") == (f"{opened[0]}#cooks",)
    for request in (
        lambda: tables_of(opened[1]),
        lambda: tables_of(opened[0]),
        lambda: count_table(f"{opened[0]}#people", ["sex"], tmp_path / "c"),
        lambda: columns_of("spark://local/#/any%2Eparquet"),
    ):
        with pytest.raises(InvalidInputError, match="not a database that this server's owner"):
            request()


def test_one_table_that_the_owner_named_is_counted(opened, monkeypatch, tmp_path):
    monkeypatch.setenv(tables.DATABASES, f"{opened[0]}#cooks")
    result = count_table(f"{opened[0]}#cooks", ["sex", "age"], tmp_path / "c.parquet")
    assert [marks.column for marks in result.marks] == ["age"]


def test_a_data_base_without_tables_says_so(tmp_path, monkeypatch):
    path = tmp_path / "empty.db"
    duckdb.connect(str(path)).close()
    monkeypatch.setenv(tables.DATABASES, f"duckdb://{path}")
    with pytest.raises(InvalidInputError, match="has no table that its user may see"):
        tables_of(f"duckdb://{path}")


def test_counts_of_a_session_answer_every_question_about_their_columns(opened):
    sources = Sources()
    source = f"{opened[0]}#people"
    spec = DataSpec(source, ("sex",), ("job",), filters=(Filter("kids", low=0),))
    with pytest.raises(InvalidInputError, match="not yet counted by 'sex' and 'job' and 'kids'"):
        count(spec, sources)
    with pytest.raises(InvalidInputError, match="not yet counted in this session"):
        sources.open(source)
    kept = count_table(source, ["sex", "job", "kids"], sources.counts_file())
    sources.add_counts(source, kept)
    assert sources.counted_sources == (source,)
    assert sources.open(source).columns == ("sex", "job", "kids")
    direct = count(spec)
    here = count(spec, sources)
    assert here.joint.x_labels == direct.joint.x_labels
    assert (here.joint.p == direct.joint.p).all()
    assert here.report.n_used == 8
    later = Sources()
    assert later.borrow_counts(sources, source)
    assert not later.borrow_counts(sources, f"{source}2")
    sources.clear()
    with pytest.raises(InvalidInputError, match="not yet counted"):
        count(spec, sources)


def _until(there):
    deadline = time.monotonic() + PATIENCE
    while not there():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_cancel_ends_the_query_in_postgresql(opened, postgres, tmp_path):
    with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
        connection.execute(
            "CREATE VIEW slow AS SELECT sex, job, pg_sleep(86400)::text AS age FROM people"
        )

        def asleep():
            request = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
            return connection.execute(request).fetchone()[0]

        with Pool(1) as pool:
            source, columns = f"{opened[1]}#slow", ["sex", "age"]
            job = pool.submit(
                count_table, source, columns, tmp_path / "c.parquet", time_limit=PATIENCE
            )
            _until(asleep)
            assert not job.finished
            job.cancel()
            assert job.state == State.CANCELLED
            _until(lambda: not asleep())
            again = pool.submit(tables_of, opened[1], time_limit=PATIENCE)
            assert f"{opened[1]}#slow" in again.result(PATIENCE)
        connection.execute("DROP VIEW slow")


def test_cancel_ends_the_query_in_duckdb(tmp_path, monkeypatch):
    path = tmp_path / "slow.db"
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute(
            "CREATE VIEW slow AS SELECT (a.range * b.range) % 7 AS sex "
            "FROM range(1000000000) a, range(1000000000) b"
        )
    monkeypatch.setenv(tables.DATABASES, f"duckdb://{path}")
    with Pool(1) as pool:
        arguments = f"duckdb://{path}#slow", ["sex"], tmp_path / "c.parquet"
        job = pool.submit(count_table, *arguments, time_limit=PATIENCE)
        _until(lambda: _readers(path))
        [engine] = _readers(path)
        job.cancel()
        _until(lambda: not _readers(path))
        _until(lambda: not Path(f"/proc/{engine}").exists())  # it has ended, query and all


def _readers(path):
    """Return the processes that have a file open."""
    result = set()
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):
            if link.readlink() == path:
                result.add(link.parts[2])
    return result
