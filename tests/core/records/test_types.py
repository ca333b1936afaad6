"""A column of each Arrow type is released and verified, or refused before anything is written."""

import decimal
import json
import re

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.data import Filter
from core.errors import InvalidInputError
from core.joint import MISSING
from core.records.verifying import failed, verify
from core.spreadsheets import safe_text
from tests.core.records.makers import SEED, answer_on, read
from tests.core.records.test_verifying import certified

COUNT = 16

SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""How many of each unit a second has."""

AT = 1_600_000_000_123_456_789
"""A time, in nanoseconds."""


def decimals(kind):
    return pa.array([decimal.Decimal(item) for item in ("1.10", "-2", "0")] + [None], kind)


def times(unit, zone=None):
    return pa.array([0, AT * SECOND[unit] // 10**9, None, 5], pa.timestamp(unit, zone))


def extension(kind, storage):
    return pa.ExtensionArray.from_storage(kind, storage)


BYTES = [b"", b"=1", None, b" 1.0"]

RELEASED = {
    "bool": pa.array([True, False, None, True]),
    **{
        str(kind): pa.array([1, 2, None, 100], kind)
        for sign in ("", "u")
        for kind in map(pa.type_for_alias, (f"{sign}int{bits}" for bits in (8, 16, 32, 64)))
    },
    "int64, large": pa.array([2**63 - 1, 2**53 + 1, None, -(2**63)]),
    "float16": pa.array([0.1, 65504.0, None, 6e-8], pa.float16()),
    "float32": pa.array([0.1, 1e20, float("nan"), -0.0], pa.float32()),
    "float64": pa.array([0.1, 1e16, float("-inf"), 1e-7]),
    "decimal32": decimals(pa.decimal32(5, 2)),
    "decimal64": decimals(pa.decimal64(12, 2)),
    "decimal128": decimals(pa.decimal128(20, 8)),
    "decimal256": decimals(pa.decimal256(38, 2)),
    "decimal128, below 1": pa.array([decimal.Decimal(item) for item in ("-0.1", "0.5")] * 2),
    "date32": pa.array([0, 1, None, -719_162], pa.date32()),
    "date64": pa.array([0, 86_400_000, None, -86_400_000], pa.date64()),
    "time32": pa.array([0, 1_500, None, 86_399_999], pa.time32("ms")),
    "time64 us": pa.array([0, 1_500_000, None, 86_399_999_999], pa.time64("us")),
    "time64 ns": pa.array([0, 1_500_000_000, None, 86_399_999_999_990], pa.time64("ns")),
    **{f"timestamp {unit}": times(unit) for unit in SECOND},
    **{f"timestamp {unit}, zone": times(unit, "Europe/Berlin") for unit in SECOND},
    **{
        f"duration {unit}": pa.array([0, 1, None, -259_200 * ticks], pa.duration(unit))
        for unit, ticks in SECOND.items()
    },
    "string": pa.array(["a", " b", None, ""]),
    "large_string": pa.array(["a", "1.0", None, "=1"], pa.large_string()),
    "string_view": pa.array(["a", " b", None, ""], pa.string_view()),
    "binary": pa.array(BYTES),
    "large_binary": pa.array(BYTES, pa.large_binary()),
    "binary_view": pa.array(BYTES, pa.binary_view()),
    "fixed_size_binary": pa.array([b"ab", b"\x00\x01", None, b"=1"], pa.binary(2)),
    "dictionary of texts": pa.array(["a", "b", None, "a"]).dictionary_encode(),
    "dictionary of bytes": pa.array(BYTES).dictionary_encode(),
    "dictionary of numbers": pa.array([1, 2, None, 1]).dictionary_encode(),
}
"""Columns that can be X and can be kept."""

EACH = "S, X, ids and filters need a text, a number, a time or a truth value in each cell."

KEPT = {
    "list": (pa.array([[1, 2], [], None, [None]]), EACH),
    "large_list": (pa.array([[1, 2], [], None, [3]], pa.large_list(pa.int64())), EACH),
    "fixed_size_list": (
        pa.array([[1.0, 2.0], [0.1, 4.0], None, [5, 6]], pa.list_(pa.float16(), 2)),
        EACH,
    ),
    "struct": (pa.array([{"a": 1}, {"a": 2}, None, {"a": None}]), EACH),
    "map": (pa.array([[("k", 1)], [], None, [("k", 2)]], pa.map_(pa.string(), pa.int64())), EACH),
    "tensor": (
        extension(
            pa.fixed_shape_tensor(pa.int32(), [2]),
            pa.array([[1, 2], [3, 4], None, [5, 6]], pa.list_(pa.int32(), 2)),
        ),
        EACH,
    ),
    "uuid": (
        extension(pa.uuid(), pa.array([bytes([i]) * 16 for i in range(4)], pa.binary(16))),
        EACH,
    ),
    "json": (extension(pa.json_(), pa.array(['{"a": 1}', "1.0", None, "2"])), EACH),
    "bool8": (extension(pa.bool8(), pa.array([1, 0, None, 2], pa.int8())), EACH),
    "decimal256": (
        decimals(pa.decimal256(50, 2)),
        "has numbers of 50 digits; S, X, ids and filters may have at most 38.",
    ),
}
"""Columns that can be kept and cannot be X, and why."""

YEARS = "has a time outside the years 1 to 9999, which cannot be released."

REFUSED = {
    "null": (pa.nulls(4), "is empty: all its 16 values are missing."),
    "date32": (pa.array([0, 1, None, -719_163], pa.date32()), YEARS),
    "date64": (pa.array([0, 1, None, 86_400_000 * 3_000_000], pa.date64()), YEARS),
    "timestamp": (pa.array([0, 1, None, -(10**17)], pa.timestamp("us", "UTC")), YEARS),
}
"""Columns that cannot be X, and why."""


def original(tmp_path, values):
    """Write a file whose columns `it` and `also` have these values."""
    own = values.type
    storage = values.storage if isinstance(values, pa.ExtensionArray) else values
    column = pa.concat_arrays([storage] * (COUNT // 4))
    if isinstance(own, pa.BaseExtensionType):
        column = pa.ExtensionArray.from_storage(own, column)
    table = pa.table(
        {
            "sex": ["fm"[i // 4 % 2] for i in range(COUNT)],
            "job": [("clerk", "nurse", "cook")[i % 3] for i in range(COUNT)],
            "it": column,
            "also": column,
        }
    )
    path = tmp_path / "people.parquet"
    parquet.write_table(table, path)
    return path


def check(tmp_path, path, released, target):
    """Release a file, and verify the release byte by byte, with the original and without it."""
    result, _ = answer_on(path, released=released)
    body, written = certified(tmp_path, result, path, target=target)
    text = json.dumps(body)
    answer = {item.name: item for item in verify(text, written, path, str(SEED))}
    assert failed(list(answer.values())) == []
    assert "byte by byte, the file that its records" in answer["nothing else"].sentence
    assert failed(verify(text, written)) == []


def refused(tmp_path, path, why, target="out.parquet"):
    with pytest.raises(InvalidInputError, match=rf"^[^\n]*{re.escape(why)}[^\n]*$"):
        check(tmp_path, path, ("it",), target)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("name", RELEASED)
def test_a_column_is_released_as_x_and_beside_it(name, kind, tmp_path):
    check(tmp_path, original(tmp_path, RELEASED[name]), ("it",), f"out.{kind}")


@pytest.mark.parametrize("name", KEPT)
def test_a_column_that_no_count_reads_is_kept_but_is_not_x(name, tmp_path):
    values, why = KEPT[name]
    path = original(tmp_path, values)
    refused(tmp_path, path, why)
    check(tmp_path, path, ("job",), "out.parquet")


@pytest.mark.parametrize("name", REFUSED)
def test_a_column_that_nothing_can_be_released_of_is_refused(name, tmp_path):
    values, why = REFUSED[name]
    refused(tmp_path, original(tmp_path, values), why)


@pytest.mark.parametrize("secret", ["list", "json"])
def test_s_and_filters_of_several_values_in_a_cell_are_refused(secret, tmp_path):
    path = original(tmp_path, KEPT[secret][0])
    for question in ({"secret": ("it",)}, {"filters": (Filter("it", levels=(MISSING,)),)}):
        result, _ = answer_on(path, released=("job",), **question)
        with pytest.raises(InvalidInputError, match=re.escape(EACH)):
            certified(tmp_path, result, path)
    assert list(tmp_path.iterdir()) == [path]


def test_bytes_that_are_no_text_are_not_written_as_one(tmp_path):
    path = original(tmp_path, pa.array([b"\xff", b"a", None, b"b"]))
    refused(tmp_path, path, "Parquet holds every type", "out.csv")
    check(tmp_path, path, ("it",), "out.parquet")


@pytest.mark.parametrize("values", [["=1", "+a"], ["@a", "a\n=1"]])
def test_bytes_that_are_a_formula_are_written_as_a_text(values, tmp_path):
    path = original(tmp_path, pa.array([item.encode() for item in values * 2]))
    check(tmp_path, path, ("it",), "out.csv")
    cells = set(read(tmp_path / "out.csv")["also"])
    assert cells == {safe_text(item) for item in values}
    assert not cells & set(values)
