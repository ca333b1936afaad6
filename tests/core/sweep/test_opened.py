"""Results files that somebody brings: taken whole or in part, refused where anything is off."""

import io
import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from core.errors import InvalidInputError
from core.scenario import Scenario
from core.sweep import Draws, Gathered, Results, Sweep, results, run
from core.sweep.results import CODE, COUNTS, KEY, UNFINISHED, opened
from tests.core.sweep.makers import Here

SWEEP = Sweep(Scenario(notion="lip", mechanism="grr"), (("eps", (0.5, 1.0)),), draws=Draws(3, 2, 4))


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    out = tmp_path_factory.mktemp("opened") / "results.parquet"
    with Results(SWEEP, out, counts="c0") as results:
        run(SWEEP, results, Here())
    return out.read_bytes()


def changed(content, change=lambda table: table, *, written=None, **metadata):
    table = parquet.read_table(io.BytesIO(content))
    text = dict(table.schema.metadata)
    table = change(table).replace_schema_metadata(text)
    for key, value in metadata.items():
        name = {"key": KEY, "code": CODE, "unfinished": UNFINISHED}[key]
        text.pop(name, None)
        if value is not None:
            text[name] = value
    buffer = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata(text), buffer, **(written or {}))
    return buffer.getvalue()


def with_column(name, values):
    def change(table):
        place = table.column_names.index(name)
        return table.set_column(place, name, pa.array(values, table[name].type))

    return change


def test_a_finished_file_is_taken_as_it_is(content):
    result = opened(content, "r.parquet")
    assert result.counts == "c0"
    assert result.sweep == SWEEP
    assert result.complete
    written = parquet.read_table(io.BytesIO(content))
    assert result.table().equals(written)
    assert len(result.origin) == 64
    other = opened(changed(content, with_column("seconds", [1.0] * 6)), "r.parquet")
    assert other.origin != result.origin


def test_points_without_an_answer_are_taken(content):
    reasons = with_column("reason", ["none"] + [""] * 5)
    missing = with_column("kept", [np.nan] + [0.5] * 5)
    result = opened(changed(content, lambda table: reasons(missing(table))), "r.parquet")
    assert result.complete
    assert np.isnan(result.table()["kept"][0].as_py())


def test_an_unfinished_file_is_gone_on_with_and_ends_as_if_it_had_not_stopped(content):
    def half(table):
        return table.take([4, 0, 2])  # in any order

    unfinished = changed(content, half, key=None, unfinished=SWEEP.to_json().encode())
    with pytest.raises(InvalidInputError, match="damaged"):
        opened(unfinished, "r.parquet")  # the points are not in their order
    unfinished = changed(
        content, lambda table: table.take([0, 2, 4]), key=None, unfinished=SWEEP.to_json().encode()
    )
    result = opened(unfinished, "r.parquet")
    assert np.flatnonzero(result.done).tolist() == [0, 2, 4]
    who = Here()
    run(SWEEP, result, who)
    assert sorted(who.computed) == [1, 3, 5]  # a chunk a point
    written = parquet.read_table(io.BytesIO(content)).drop_columns("seconds")
    assert result.table().drop_columns("seconds").equals(written)


@pytest.mark.parametrize(
    "make",
    [
        lambda _: b"",
        lambda _: b"s,x\n1,2\n",
        lambda content: content[:-9],
        lambda content: changed(content, key=None),
    ],
)
def test_what_is_no_results_file_is_refused(content, make):
    with pytest.raises(
        InvalidInputError, match=r"^'r\.parquet' is not a results file of a sweep\.$"
    ):
        opened(make(content), "r.parquet")


def test_another_version_and_too_many_points_are_refused(content):
    reported = "'r.parquet' was made by another version of liftscope: compute the sweep again."
    for code in (b"0" * 64, b"\xff", None):
        with pytest.raises(InvalidInputError, match=reported):
            opened(changed(content, code=code), "r.parquet")
    reported = "of a sweep of 6 points, and at most 5 are opened here"
    with pytest.raises(InvalidInputError, match=reported):
        opened(content, "r.parquet", 5)


@pytest.mark.parametrize(
    ("change", "metadata"),
    [
        (lambda table: table.slice(0, 5), {}),  # it says that it is finished
        (lambda table: pa.concat_tables([table, table.slice(0, 1)]), {}),
        (lambda table: table.drop_columns("kept"), {}),
        (lambda table: table.append_column("more", pa.array([0.0] * 6)), {}),
        (with_column("eps", [2.0] * 6), {}),  # that is not what was asked
        (with_column("source", ["adult"] * 6), {}),
        (with_column("point", [0, 1, 2, 3, 4, 6]), {}),
        (with_column("point", [0, 1, 2, 3, 4, 4]), {}),
        (with_column("point", [-1, 1, 2, 3, 4, 5]), {}),
        (with_column("point", [0, 1, 2, 3, 4, None]), {}),
        (with_column("kept", [0.5] * 5 + [None]), {}),
        (lambda table: table, {"key": b"{"}),
        (lambda table: table, {"key": b"\xff"}),
        (lambda table: table, {"key": json.dumps({"version": 9}).encode()}),
        (lambda table: table, {"key": b'{"vary": {"eps": [1, 2, 3, 4, 5, 6]}}'}),
    ],
)
def test_a_file_that_was_changed_is_refused(content, change, metadata):
    with pytest.raises(
        InvalidInputError, match=r"'r\.parquet' is damaged: it is not a results file"
    ):
        opened(changed(content, change, **metadata), "r.parquet")


def test_bytes_that_were_damaged_are_refused_or_read_as_they_were(content):
    plain = parquet.read_table(io.BytesIO(content))
    random = np.random.default_rng(0)
    refused = 0
    for place in random.integers(4, len(content) - 8, 60).tolist():
        bent = bytearray(content)
        bent[place] ^= 0x55
        try:
            result = opened(bytes(bent), "r.parquet").table()
        except InvalidInputError:
            refused += 1
            continue
        columns = ["point", "question", "draw", "source", "notion", "mechanism", "eps"]
        assert result.select(columns).equals(plain.select(columns))
    assert refused


def test_a_table_of_one_sweep_is_none_of_another(content):
    table = parquet.read_table(io.BytesIO(content))
    assert Gathered.of(SWEEP, table).count == 6
    other = Sweep(SWEEP.scenario, SWEEP.vary, draws=Draws(3, 2, 4, seed=1))
    assert Gathered.of(other, table) is None
    assert COUNTS in table.schema.metadata


def test_a_file_with_other_columns_is_refused_before_they_are_unpacked(content, monkeypatch):
    large = changed(content, lambda table: table.append_column("more", pa.array(["a"] * 6)))

    def unpacked(*_, **__):
        raise MemoryError

    monkeypatch.setattr(parquet.ParquetFile, "read", unpacked)
    with pytest.raises(InvalidInputError, match="is damaged"):
        opened(large, "r.parquet")


def test_a_text_that_is_repeated_in_every_point_is_refused_before_it_is_written_out(content):
    text = "x" * 50_000_000
    large = changed(content, with_column("reason", [text] * 6))
    assert len(large) < 5_000_000
    reported = r"'r\.parquet' unpacks to 300 MB; at most 200 MB are allowed\."
    with pytest.raises(InvalidInputError, match=reported):
        opened(large, "r.parquet")


def test_a_file_is_not_unpacked_that_says_it_is_large(content, monkeypatch):
    large = changed(content, with_column("reason", ["x" * 2_000_000] * 6))

    def unpacked(*_, **__):
        raise MemoryError

    monkeypatch.setattr(results, "MOST_BYTES", 1_000_000)
    monkeypatch.setattr(parquet.ParquetFile, "read", unpacked)
    with pytest.raises(InvalidInputError, match=r"unpacks to 2 MB; at most 1 MB are allowed\."):
        opened(large, "r.parquet")


@pytest.mark.parametrize(
    "written",
    [
        {"compression": "zstd"},
        {"use_dictionary": False, "column_encoding": {"reason": "DELTA_BYTE_ARRAY"}},
    ],
)
def test_neither_is_one_in_which_a_few_bytes_may_stand_for_gigabytes(content, monkeypatch, written):
    small = changed(content, written=written)

    def unpacked(*_, **__):
        raise MemoryError

    monkeypatch.setattr(parquet.ParquetFile, "read", unpacked)
    with pytest.raises(InvalidInputError, match="is damaged"):
        opened(small, "r.parquet")
