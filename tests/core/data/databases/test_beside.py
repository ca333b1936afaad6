"""What columns beside Y give away: of a table in PostgreSQL and in Spark, as of the same file."""

import json
import math
import random
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import psycopg
import pyarrow as pa
import pytest
from pyarrow import parquet

from core.__main__ import main
from core.data import DataSpec, Filter, Sources
from core.data.databases import tables
from core.data.options import ReadOptions
from core.errors import InvalidInputError
from core.records.other_columns import given_away_there
from core.scenario import Scenario, evaluate

KINDS = {
    "sex": (pa.string(), "text"),
    "job": (pa.string(), "text"),
    "note": (pa.string(), "text"),
    "kids": (pa.int32(), "integer"),
    "pay": (pa.float64(), "double precision"),
    "share": (pa.float32(), "real"),
    "price": (pa.decimal128(10, 2), "numeric(10, 2)"),
    "member": (pa.bool_(), "boolean"),
    "since": (pa.date32(), "date"),
    "seen": (pa.timestamp("us"), "timestamp"),
    "zip": (pa.string(), "text"),
    "times": (pa.int64(), "bigint"),
    "worth": (pa.float64(), "double precision"),
}
"""The columns, with their types in Arrow and in PostgreSQL."""

GROUPS = [(name,) for name in list(KINDS)[2:11]] + [("note", "kids", "pay", "since", "zip")]
"""Columns beside Y: each by itself, and some together."""

FEW = [("pay",), ("kids", "since", "zip")]

NOTES = {"f": ("a", " a", "A", "", None, "厨师", "=1", "'=1", "NA"), "m": ("a", "a ", None)}
"""Texts that are told apart: some are those of one sex alone."""


def drawn(size):
    """Draw records, with missing values, blanks, NaN and both zeros."""
    rng = random.Random(39)
    for _ in range(size):
        sex = rng.choice("fm")
        yield (
            sex,
            rng.choice(("cook", "nurse", "clerk", None, "")),
            rng.choice(NOTES[sex]),
            rng.choice((0, 1, 2, None)),
            rng.choice((0.0, -0.0, math.nan, None, 1.5, 0.1, 1e300)),
            rng.choice((0.0, -0.0, 0.1, None)),
            rng.choice((Decimal("1.50"), Decimal("0.00"), Decimal("-3.25"), None)),
            rng.choice((True, False, None)),
            rng.choice((date(2020, 1, 1), date(1999, 12, 31), None)),
            rng.choice((None, *(datetime(2026, 3, 1, 12, 0, 0, tick) for tick in range(3)))),
            f"{rng.randrange(1000):05}",
            rng.choice((0, 1, 2, 3)),
            rng.choice((0.0, 0.1, 1.0, 2.25)),
        )


ROWS = list(drawn(2000))


@pytest.fixture(scope="module")
def persons(tmp_path_factory):
    """Return the records as a Parquet file."""
    path = tmp_path_factory.mktemp("beside") / "persons.parquet"
    types = [kind for kind, _ in KINDS.values()]
    columns = [
        pa.array(column, kind) for column, kind in zip(zip(*ROWS, strict=True), types, strict=True)
    ]
    parquet.write_table(pa.table(columns, names=list(KINDS)), path)
    return path


@pytest.fixture(scope="module")
def in_postgres(postgres, postgres_address):
    """Return the source of the records in PostgreSQL."""
    with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
        columns = ", ".join(f"{name} {kind}" for name, (_, kind) in KINDS.items())
        connection.execute(f"CREATE TABLE persons ({columns})")
        with connection.cursor() as cursor, cursor.copy("COPY persons FROM STDIN") as copy:
            for row in ROWS:
                copy.write_row(row)
    return f"{postgres_address}#persons"


def in_spark(path):
    return f"spark://local[2]/#{str(path).replace('.', '%2E')}"


def of_file(path):
    """Return sources with a file, and its own."""
    sources = Sources()
    return sources, sources.add_file(path)


def figures(sources, source, groups=GROUPS, **options):
    """Return the answer to a question about a source, and what groups of columns give away."""
    data = DataSpec(source, ("sex",), ("job",), **options)
    result = evaluate(Scenario(data=data, mechanism="watchdog"), sources)
    return result, given_away_there(result, sources, groups)


def same(answer, expected):
    """Compare answers, and figures whose sums are taken in another order of k."""
    (result, levels), (of_records, as_counted) = answer, expected
    np.testing.assert_array_equal(result.joint.p, of_records.joint.p)
    assert result.joint.n == of_records.joint.n
    for own, known in zip(levels, as_counted, strict=True):
        for part in ("known", "added", "file"):
            assert getattr(own, part) == pytest.approx(getattr(known, part), rel=1e-12, abs=1e-12)
        assert own.determined == pytest.approx(known.determined, rel=1e-12)
        assert (own.unique, own.records) == (known.unique, known.records)


QUESTIONS = {
    "all": {},
    "missing left out": {"missing": "drop"},
    "filters": {"filters": (Filter("kids", low=1), Filter("member", ("true",)))},
    "weights": {"read": ReadOptions(weight="times")},
    "sampling weights": {"read": ReadOptions(sampling="worth")},
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_postgresql_counts_what_the_file_has(name, persons, in_postgres):
    options = QUESTIONS[name]
    groups = GROUPS if name == "all" else FEW
    expected = figures(*of_file(persons), groups, **options)
    assert min(level.records for level in expected[1]) > 100
    same(figures(Sources(databases=True), in_postgres, groups, **options), expected)


def test_spark_counts_what_the_file_has(persons):
    sources = Sources(databases=True)
    for name, groups in (("all", GROUPS), ("sampling weights", FEW)):
        options = QUESTIONS[name]
        expected = figures(*of_file(persons), groups, **options)
        same(figures(sources, in_spark(persons), groups, **options), expected)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Return a Parquet file of a column with 100,000 levels, two records each."""
    path = tmp_path_factory.mktemp("many") / "many.parquet"
    rng = np.random.default_rng(39)
    parcel = np.repeat(np.arange(100_000), 2)
    sex, job = rng.integers(0, 2, parcel.size), rng.integers(0, 3, parcel.size)
    columns = {
        "sex": pa.array(["f", "m"]).take(pa.array(sex)),
        "job": pa.array(["cook", "nurse", "clerk"]).take(pa.array(job)),
        "parcel": pa.array(parcel.astype(str)),
    }
    parquet.write_table(pa.table(columns), path)
    return path


def test_a_column_of_a_hundred_thousand_levels(many, postgres, postgres_address, monkeypatch):
    rows = parquet.read_table(many)
    with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
        connection.execute("CREATE TABLE many (sex text, job text, parcel text)")
        with connection.cursor() as cursor, cursor.copy("COPY many FROM STDIN") as copy:
            for row in zip(*(column.to_pylist() for column in rows.columns), strict=True):
                copy.write_row(row)
    parcels = [("parcel",)]
    expected = figures(*of_file(many), parcels)
    assert expected[1][0].records == 200_000
    for source in (f"{postgres_address}#many", in_spark(many)):
        same(figures(Sources(databases=True), source, parcels), expected)
    monkeypatch.setattr(tables, "MOST_ROWS", 100_000)
    with pytest.raises(InvalidInputError) as caught:
        figures(Sources(databases=True), f"{postgres_address}#many", parcels)
    assert str(caught.value).startswith("'sex', 'job', 'parcel' in many in postgres://")
    assert "have more than 100,000 combinations of values" in str(caught.value)


def test_the_command_reports_the_columns_of_a_table(persons, in_postgres, tmp_path, capsys):
    path = tmp_path / "scenario.json"
    printed = []
    for source in (str(persons), in_postgres):
        data = {"source": source, "secret": ["sex"], "released": ["job"]}
        path.write_text(json.dumps({"data": data, "mechanism": "watchdog"}))
        assert main(["evaluate", str(path), "--keep", "note", "pay"]) == 0
        printed.append(json.loads(capsys.readouterr().out)["beside"])
    file, table = printed
    assert list(table["each"]) == ["note", "pay"]
    for part in ("known", "added", "file"):
        for name, level in file["together"][part].items():
            assert float(table["together"][part][name]) == pytest.approx(float(level), rel=1e-12)
    assert table["holds"] is file["holds"] is False


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (ReadOptions(weight="kids"), "'kids' counts the records that a row stands for, but it has"),
        (ReadOptions(weight="note"), "'note' counts the records that a row stands for, but it has"),
        (ReadOptions(sampling="pay"), "'pay' holds sampling weights, but it has"),
        (ReadOptions(person="zip"), "'zip' cannot identify the person of a record"),
    ],
)
def test_weights_that_are_missing_or_no_numbers(read, message, in_postgres):
    with pytest.raises(InvalidInputError, match=message):
        figures(Sources(databases=True), in_postgres, read=read)
