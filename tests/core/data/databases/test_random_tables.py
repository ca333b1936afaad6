"""Random tables and treatments: every engine gives the counts that are made by hand."""

import random
from contextlib import closing
from dataclasses import replace

import duckdb
import numpy as np
import psycopg
import pyarrow as pa
import pytest
from pyarrow import parquet

from core.data import Sources, count
from core.errors import CoreError
from tests.core.data.databases import by_hand

TYPES = {
    "text": pa.string(),
    "integer": pa.int32(),
    "numeric(10, 2)": pa.decimal128(10, 2),
    "double precision": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
}
COLUMNS = ", ".join(f"{name} {kind}" for name, kind in by_hand.KINDS.items())
QUESTIONS = 8


def write(rows, path):
    """Write a table as Parquet."""
    columns = zip(*rows, strict=True)
    arrays = [
        pa.array(values, TYPES[kind])
        for values, kind in zip(columns, by_hand.KINDS.values(), strict=True)
    ]
    parquet.write_table(pa.table(arrays, names=list(by_hand.KINDS)), path)
    return path


def answer(source, spec, sources=None):
    """Return a count, or the sentence that refuses it, without the name of the source."""
    try:
        return count(replace(spec, source=source), sources)
    except CoreError as error:
        return str(error)


def cells(result):
    """Return the number of records of each pair of names that has some."""
    n = result.joint.p * result.report.n_used
    np.testing.assert_allclose(n, np.rint(n), rtol=0, atol=1e-6)
    return {
        (s, x): round(n[i, j])
        for i, s in enumerate(result.joint.s_labels)
        for j, x in enumerate(result.joint.x_labels)
        if n[i, j] > 0.5
    }


def check(rows, specs, engines, path):
    """Compare engines with a file and with counts by hand; return how many were counted."""
    sources = Sources()
    own = sources.add_file(path)
    answered = 0
    for spec in specs:
        result = answer(own, spec, sources)
        for engine in engines:
            there = answer(engine, spec)
            if isinstance(result, str):
                assert isinstance(there, str), (spec, engine, result)
                continue
            assert not isinstance(there, str), (spec, engine, there)
            assert there.joint.s_labels == result.joint.s_labels, (spec, engine)
            assert there.joint.x_labels == result.joint.x_labels, (spec, engine)
            np.testing.assert_array_equal(there.joint.p, result.joint.p)
            assert there.report.missing == result.report.missing
            assert there.report.bins == result.report.bins
        if not isinstance(result, str):
            bins = {cut.column: cut.labels for cut in result.report.bins}
            assert cells(result) == dict(by_hand.counted(rows, spec, bins)), spec
            answered += 1
    return answered


@pytest.fixture
def tables(postgres, tmp_path, postgres_address):
    """Return a function that puts a table in a file, DuckDB and PostgreSQL."""

    def put(rows):
        path = write(rows, tmp_path / "random.parquet")
        base = tmp_path / "random.db"
        with closing(duckdb.connect(str(base))) as connection:
            connection.execute(
                "CREATE OR REPLACE TABLE random AS SELECT * FROM read_parquet(?)", [str(path)]
            )
        with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
            connection.execute("DROP TABLE IF EXISTS random")
            connection.execute(f"CREATE TABLE random ({COLUMNS})")
            with connection.cursor() as cursor:
                marks = ", ".join(["%s"] * len(by_hand.KINDS))
                cursor.executemany(f"INSERT INTO random VALUES ({marks})", rows)
        return path, [f"duckdb://{base}#random", f"{postgres_address}#random"]

    return put


@pytest.mark.parametrize("seed", range(2))
def test_engines_count_random_tables_as_by_hand(seed, tables):
    drawn = random.Random(seed)
    rows = by_hand.table(drawn)
    specs = [by_hand.question(drawn) for _ in range(QUESTIONS)]
    path, engines = tables(rows)
    assert check(rows, specs, engines, path) >= QUESTIONS // 2


def test_spark_counts_a_random_table_as_by_hand(tmp_path):
    drawn = random.Random("spark")
    rows = by_hand.table(drawn)
    specs = [by_hand.question(drawn) for _ in range(QUESTIONS)]
    path = write(rows, tmp_path / "random.parquet")
    source = f"spark://local[2]/#{str(path).replace('.', '%2E')}"
    assert check(rows, specs, [source], path) >= QUESTIONS // 2
