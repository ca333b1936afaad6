"""The same question to DuckDB, PostgreSQL and Spark, against the same records read from a file."""

from dataclasses import replace

import numpy as np
import pytest

from core.data import Binning, DataSpec, Filter, Sources, count
from core.data.hierarchies import Hierarchy, RareLevels
from core.data.options import ColumnOptions, ReadOptions

SERVICE = (("0", "none"), ("1", "few"), ("2", "few"), ("3", "many"))


def part_of(column, part):
    return ReadOptions(columns=(ColumnOptions(column, "date", part=part),))


QUESTIONS = {
    "text": DataSpec(secret=("sex",), released=("job",)),
    "missing left out": DataSpec(secret=("sex",), released=("job",), missing="drop"),
    "numbers": DataSpec(secret=("sex",), released=("pay",)),
    "text of numbers in bins": DataSpec(
        secret=("job",), released=("age",), binnings=(Binning("age", "width", 3),)
    ),
    "quantiles": DataSpec(
        secret=("sex",), released=("kids",), binnings=(Binning("kids", "quantile", 2),)
    ),
    "decimals": DataSpec(secret=("member",), released=("price",)),
    "days": DataSpec(secret=("sex",), released=("since",), task=("kids",)),
    "times": DataSpec(secret=("sex",), released=("seen",)),
    "several columns": DataSpec(secret=("sex", "member"), released=("job", "since")),
    "rare": DataSpec(secret=("member",), released=("job",), rare_below=2),
    "filters": DataSpec(
        secret=("sex",),
        released=("job",),
        filters=(Filter("member", ("true",)), Filter("kids", low=0)),
    ),
    "prefixes": DataSpec(
        secret=("sex",),
        released=("job",),
        hierarchies=(Hierarchy("job", "prefix", 2, steps=(3, 1)),),
    ),
    "a table of parents": DataSpec(
        secret=("sex",),
        released=("kids",),
        hierarchies=(Hierarchy("kids", "table", 1, rows=SERVICE),),
    ),
    "intervals of decimals": DataSpec(
        secret=("sex",),
        released=("price",),
        hierarchies=(Hierarchy("price", "interval", 1, steps=(0.5, 1.5), start=0.25),),
    ),
    "intervals of floats": DataSpec(
        secret=("sex",),
        released=("pay",),
        filters=(Filter("pay", high=10.0),),
        hierarchies=(Hierarchy("pay", "interval", 1, steps=(0.1,)),),
    ),
    "decimals in bins": DataSpec(
        secret=("sex",), released=("price",), binnings=(Binning("price", "width", 3),)
    ),
    "rare levels of columns": DataSpec(
        secret=("sex",),
        released=("job", "since"),
        rare_levels=(RareLevels("job", 2), RareLevels("since", 3)),
    ),
    "quarters": DataSpec(secret=("sex",), released=("since",), read=part_of("since", "quarter")),
    "weekdays": DataSpec(secret=("sex",), released=("since",), read=part_of("since", "weekday")),
    "days of times": DataSpec(
        secret=("sex",), released=("job", "seen"), read=part_of("seen", "month")
    ),
    "marks": DataSpec(
        secret=("sex",), released=("age",), read=ReadOptions(missing=("NA", "42", "cook"))
    ),
    "marks of one column": DataSpec(
        secret=("kids",),
        released=("job",),
        read=ReadOptions(columns=(ColumnOptions("job", missing=("cook", "Köchin")),)),
    ),
    "numbers that are text": DataSpec(
        secret=("sex",),
        released=("kids",),
        read=ReadOptions(columns=(ColumnOptions("kids", "text"),)),
    ),
}


@pytest.fixture(scope="module")
def expected(rows_file):
    """Return the counts of the records in a file, which no database touches."""
    sources = Sources()
    source = sources.add_file(rows_file)
    return {name: count(replace(spec, source=source), sources) for name, spec in QUESTIONS.items()}


def same(result, expected):
    assert result.joint.s_labels == expected.joint.s_labels
    assert result.joint.x_labels == expected.joint.x_labels
    np.testing.assert_array_equal(result.joint.p, expected.joint.p)
    left_out = {"title": "", "secret": "", "released": ""}
    assert replace(result.report, **left_out) == replace(expected.report, **left_out)
    if expected.task is not None:
        assert result.task.labels == expected.task.labels
        np.testing.assert_array_equal(result.task.p_t_given_x, expected.task.p_t_given_x)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_duckdb_file_gives_the_counts_of_the_records(name, expected, duckdb_address):
    same(count(replace(QUESTIONS[name], source=f"{duckdb_address}#people")), expected[name])


@pytest.mark.parametrize("name", QUESTIONS)
def test_postgresql_gives_the_counts_of_the_records(name, expected, postgres_address):
    same(count(replace(QUESTIONS[name], source=f"{postgres_address}#people")), expected[name])


def test_spark_gives_the_counts_of_the_records(expected, rows_file):
    source = f"spark://local[2]/#{str(rows_file).replace('.', '%2E')}"
    for name, spec in QUESTIONS.items():
        same(count(replace(spec, source=source)), expected[name])
