import datetime as dt
import decimal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import stats

from core.data import Binning, Filter
from core.data.tables import FileTable
from core.errors import InvalidInputError
from core.records.applying import apply, preview
from core.records.draws import Keyed, Seeded
from tests.core.records.makers import (
    answer_on,
    identity,
    keeping,
    opened,
    people,
    released,
    with_kernel,
    write,
)

KINDS = ("records.csv", "records.parquet")


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("target", ["out.csv", "out.tsv", "out.parquet"])
def test_the_identity_releases_x_and_hides_s_and_keeps_the_rest(name, target, tmp_path):
    columns = people(500)
    result, table = answer_on(write(columns, tmp_path / name), mechanism="identity")
    applied, answer = released(result, table, tmp_path / target)
    assert list(answer) == ["id", "town", "age", "note"]
    assert answer["town"] == columns["town"]
    assert answer["id"] == columns["id"]
    assert answer["note"] == columns["note"]
    assert [float(age) for age in answer["age"]] == columns["age"]
    assert (applied.records, applied.released, applied.filtered) == (500, 500, 0)


@pytest.mark.parametrize("name", KINDS)
def test_released_counts_are_those_of_the_kernel(name, tmp_path):
    columns = people(40_000)
    result, table = answer_on(write(columns, tmp_path / name), mechanism="optimal")
    applied, answer = released(result, table, tmp_path / "out.parquet")
    kernel, labels = result.mechanism.kernel, result.mechanism.y_labels
    x = np.array([result.joint.x_labels.index(town) for town in columns["town"]])
    y = np.array([labels.index(item) for item in answer["town"]])
    assert (applied.outputs == np.bincount(y, minlength=len(labels))).all()
    pairs = np.zeros_like(kernel)
    np.add.at(pairs, (x, y), 1)
    assert (pairs[kernel == 0] == 0).all()
    for row, counts in zip(kernel, pairs, strict=True):
        seen = row > 0
        if seen.sum() > 1:
            assert stats.chisquare(counts[seen], counts.sum() * row[seen]).pvalue > 1e-3


def test_a_deterministic_kernel_is_applied_exactly(tmp_path):
    columns = people(3_000)
    result, table = answer_on(write(columns, tmp_path / "a.parquet"), mechanism="watchdog")
    kernel = np.zeros((result.joint.n_x, 3))
    kernel[np.arange(result.joint.n_x), np.arange(result.joint.n_x) % 3] = 1
    made = with_kernel(result, kernel)
    _, answer = released(made, table, tmp_path / "out.csv")
    place = {town: i for i, town in enumerate(result.joint.x_labels)}
    expected = [made.mechanism.y_labels[place[town] % 3] for town in columns["town"]]
    assert answer["town"] == expected


def test_a_mechanism_that_reads_s_takes_the_row_of_the_pair(tmp_path):
    columns = people(2_000)
    result, table = answer_on(write(columns, tmp_path / "a.csv"))
    n_s, n_x = result.joint.p.shape
    made = with_kernel(result, np.eye(n_s * n_x))
    _, answer = released(made, table, tmp_path / "out.parquet")
    rows = [
        result.joint.s_labels.index(sex) * n_x + result.joint.x_labels.index(town)
        for sex, town in zip(columns["sex"], columns["town"], strict=True)
    ]
    assert answer["town"] == [f"y{row + 1}" for row in rows]


def test_conditional_reporting_draws_by_s_and_x(tmp_path):
    columns = people(30_000)
    path = write(columns, tmp_path / "a.parquet")
    result, table = answer_on(path, mechanism="conditional_reporting")
    _, answer = released(result, table, tmp_path / "out.parquet")
    kernel, labels = result.mechanism.kernel, result.mechanism.y_labels
    pairs = np.zeros_like(kernel)
    for sex, town, output in zip(columns["sex"], columns["town"], answer["town"], strict=True):
        row = result.joint.s_labels.index(sex) * result.joint.n_x
        pairs[row + result.joint.x_labels.index(town), labels.index(output)] += 1
    assert (pairs[kernel == 0] == 0).all()
    expected = pairs.sum(axis=1, keepdims=True) * kernel
    seen = expected > 0
    statistic = ((pairs - expected)[seen] ** 2 / expected[seen]).sum()
    freedom = seen.sum() - (expected.sum(axis=1) > 0).sum()
    assert stats.chi2.sf(statistic, freedom) > 1e-3


def test_bins_rare_levels_and_missing_values_are_treated_as_counted(tmp_path):
    columns = people(4_000)
    columns["age"][::7] = [None] * len(columns["age"][::7])
    columns["town"][:3] = ["only once", "also once", None]
    spec = {
        "released": ("age", "town"),
        "binnings": (Binning("age", "quantile", 3),),
        "rare_below": 200,
    }
    for name in KINDS:
        result, table = answer_on(write(columns, tmp_path / name), **spec)
        _, answer = released(identity(result), table, tmp_path / "out.parquet")
        y = np.array([int(item[1:]) - 1 for item in answer["age and town"]])
        counts = np.bincount(y, minlength=result.joint.n_x)
        assert (counts == np.rint(result.joint.p_x * 4_000)).all()
        rare = next(i for i, item in enumerate(result.joint.x_labels) if item.startswith("(rare"))
        assert (y[:3] == rare).all()
        assert list(answer) == ["id", "age and town", "note"]


TYPED = {
    "whole": pa.array([3, -1, None, 3, 7, 0] * 50, pa.int16()),
    "real": pa.array([0.1, float("nan"), -0.0, 0.0, 1e300, None] * 50),
    "truth": pa.array([True, False, None, True, True, False] * 50),
    "day": pa.array([dt.date(2020, 1, i + 1) for i in range(6)] * 50),
    "moment": pa.array([dt.datetime(2020, 1, 1, i) for i in range(6)] * 50, pa.timestamp("ns")),
    "zoned": pa.array(
        [dt.datetime(2020, 1, 1, i) for i in range(6)] * 50, pa.timestamp("us", tz="UTC")
    ),
    "exact": pa.array([decimal.Decimal(f"{i}.50") for i in range(6)] * 50),
    "coded": pa.array(["b", None, "a", " b", "c", ""] * 50).dictionary_encode(),
    "large": pa.array(["b", None, "a", " b", "c", ""] * 50, pa.large_string()),
    "marked": pa.array(["1", "NA", "2", "-", "3.5", ""] * 50),
}


@pytest.mark.parametrize("column", TYPED)
def test_every_type_is_treated_as_the_count_does(column, tmp_path):
    secret = pa.array(["f", "f", "m", "m", "f", "m"] * 50)
    path = tmp_path / "typed.parquet"
    parquet.write_table(pa.table({"s": secret, column: TYPED[column]}), path)
    result, table = answer_on(path, ("s",), (column,))
    applied, _ = released(identity(result), table, tmp_path / "out.csv")
    assert (applied.outputs == np.rint(result.joint.p_x * 300)).all()
    assert (applied.cells == np.rint(result.joint.p * 300)).all()


def test_lists_are_no_symbols_of_a_release(tmp_path):
    """As `verify` could not count them again."""
    path = tmp_path / "listed.parquet"
    lists = pa.array([[1], [1, 2], None, [], [1], [3]] * 50)
    parquet.write_table(pa.table({"s": ["f", "f", "m", "m", "f", "m"] * 50, "x": lists}), path)
    result, table = answer_on(path, ("s",), ("x",))
    with pytest.raises(InvalidInputError, match="Column 'x' has the type list"):
        released(identity(result), table, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_numbers_that_came_as_text_are_cut_into_the_same_bins(tmp_path):
    columns = people(1_000)
    columns["age"][5] = "NA"
    spec = {"released": ("age",), "binnings": (Binning("age", "width", 4),)}
    result, table = answer_on(write(columns, tmp_path / "a.csv"), **spec)
    applied, _ = released(identity(result), table, tmp_path / "out.csv")
    assert (applied.outputs == np.rint(result.joint.p_x * 1_000)).all()


def test_records_outside_the_filters_are_left_out(tmp_path):
    columns = people(1_000)
    chosen = (Filter("age", low=30), Filter("note", ("n0", "n1")))
    result, table = answer_on(write(columns, tmp_path / "a.csv"), filters=chosen)
    applied, answer = released(result, table, tmp_path / "out.csv")
    passing = [
        i for i in range(1_000) if columns["age"][i] >= 30 and columns["note"][i] in ("n0", "n1")
    ]
    assert answer["id"] == [columns["id"][i] for i in passing]
    assert applied.filtered == 1_000 - len(passing)


def test_s_released_too_is_a_pair(tmp_path):
    columns = people(1_000)
    path = write(columns, tmp_path / "a.parquet")
    result, table = answer_on(path, secret_released=True, mechanism="identity")
    _, answer = released(result, table, tmp_path / "out.csv")
    pairs = zip(columns["sex"], columns["town"], strict=True)
    assert answer["town"] == [f"{sex} · {town}" for sex, town in pairs]


@pytest.mark.parametrize("columns", ["replaced", "dropped", "kept"])
def test_what_becomes_of_the_columns(columns, tmp_path):
    data = people(50)
    result, table = answer_on(write(data, tmp_path / "a.csv"), released=("note", "town"))
    plan = keeping(Seeded(1), columns)
    applied, answer = released(result, table, tmp_path / "out.csv", plan)
    assert (
        list(answer)
        == {
            "replaced": ["id", "age", "note and town"],
            "dropped": ["note and town"],
            "kept": [*data, "released note and town"],
        }[columns]
    )
    assert applied.written == tuple(answer)
    assert applied.column == {"kept": "released note and town"}.get(columns, "note and town")


def test_names_of_columns_that_are_taken_are_numbered(tmp_path):
    data = people(60) | {"note and town": ["z"] * 60}
    result, table = answer_on(write(data, tmp_path / "a.csv"), released=("note", "town"))
    applied, answer = released(result, table, tmp_path / "out.csv")
    assert applied.column == "note and town (2)"
    assert answer["note and town"] == ["z"] * 60


def test_the_same_seed_gives_the_same_file_whatever_the_batch(tmp_path):
    result, table = answer_on(write(people(3_000), tmp_path / "a.parquet"), mechanism="optimal")
    files = []
    for i, size in enumerate((1, 7, 1_000, 10_000)[1:]):
        _, answer = released(result, table, tmp_path / f"{i}.csv", batch=size)
        files.append(answer)
    assert files[0] == files[1] == files[2]
    _, other = released(result, table, tmp_path / "other.csv", keeping(Seeded(12)))
    assert other["town"] != files[0]["town"]


def test_a_keyed_draw_answers_a_record_the_same_way_in_every_release(tmp_path):
    columns = people(2_000)
    result, table = answer_on(write(columns, tmp_path / "a.csv"), mechanism="optimal")
    plan = keeping(Keyed(b"s" * 32, "id"))
    _, first = released(result, table, tmp_path / "first.csv", plan)
    order = np.random.default_rng(0).permutation(2_000)[:700]
    part = {name: [values[i] for i in order] for name, values in columns.items()}
    later = opened(write(part, tmp_path / "later.parquet"))
    _, second = released(result, later, tmp_path / "second.csv", plan)
    by_id = dict(zip(first["id"], first["town"], strict=True))
    assert [by_id[item] for item in second["id"]] == second["town"]
    _, third = released(result, later, tmp_path / "third.csv", keeping(Keyed(b"t" * 32, "id")))
    assert third["town"] != second["town"]
    assert b"ssssssss" not in (tmp_path / "first.csv").read_bytes()


def test_ids_are_the_same_whatever_type_they_have(tmp_path):
    columns = people(300) | {"id": list(range(300))}
    outputs = []
    for name in KINDS:
        result, table = answer_on(write(columns, tmp_path / name), mechanism="optimal")
        plan = keeping(Keyed(b"s" * 32, "id"))
        outputs.append(released(result, table, tmp_path / "out.csv", plan)[1]["town"])
    assert outputs[0] == outputs[1]


def test_progress_counts_the_records(tmp_path):
    result, table = answer_on(write(people(100), tmp_path / "a.csv"))
    reported = []
    apply(result, table, tmp_path / "o.csv", keeping(Seeded(1)), progress=reported.append, batch=30)
    assert reported == [60, 90, 100]


def test_the_preview_is_the_start_of_the_release(tmp_path):
    columns = people(200)
    result, table = answer_on(write(columns, tmp_path / "a.csv"), mechanism="optimal")
    plan = keeping(Seeded(4))
    before, after = preview(result, table, plan)
    _, answer = released(result, table, tmp_path / "o.csv", plan)
    assert before.column("town").to_pylist() == columns["town"][:50]
    assert after.column("town").to_pylist() == answer["town"][:50]


def test_a_file_without_records_has_no_preview(tmp_path):
    columns = people(20)
    result, _ = answer_on(write(columns, tmp_path / "a.csv"), mechanism="optimal")
    empty = tmp_path / "b.parquet"
    parquet.write_table(pa.table({name: pa.array([], pa.string()) for name in columns}), empty)
    table = FileTable("b.parquet", (empty,), tuple(columns))
    with pytest.raises(InvalidInputError, match="The file has no records to release"):
        preview(result, table, keeping(Seeded(4)))
    with pytest.raises(InvalidInputError, match="The file has no records to release"):
        released(result, table, tmp_path / "o.csv", keeping(Seeded(4)))
