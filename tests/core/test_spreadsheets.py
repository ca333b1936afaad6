"""Texts that no spreadsheet takes for formulas: arrays against single cells."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.spreadsheets import safe_batch, safe_cell

TEXTS = st.text(st.sampled_from("=+-@＝﹦ \t\r\n;\x85\u2028\u200b'\"a1.e\x7fé"), max_size=6)

UNSEEN = [
    *map(chr, range(0x21)),
    *map(chr, range(0x7F, 0xA1)),
    *"\xad\u034f\u061c\u115f\u180e\u200b\u202e\u2060\u2066\u2069\u3000\u3164\ufe0f\ufeff\uffa0\ufffb\U000e0020",
    '"',
    '\ufeff "',
]
"""What a formula may hide behind."""


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())], ids=str
)
@given(st.lists(st.none() | TEXTS, max_size=8))
def test_an_array_is_as_safe_as_its_cells(kind, values):
    batch = pa.record_batch({"@x": pa.array(values, pa.string()).cast(kind)})
    result = safe_batch(batch)
    assert result.schema.names == ["'@x"]
    assert result[0].to_pylist() == [safe_cell(value) for value in values]
    part = safe_batch(batch.slice(1, 3))
    assert part[0].to_pylist() == [safe_cell(value) for value in values[1:4]]


@pytest.mark.parametrize("sign", "=+-@＝＋－＠﹦﹢﹣﹫")
def test_no_sign_of_a_formula_stands_behind_what_is_not_seen_or_begins_a_cell(sign):
    for unseen in ["", *UNSEEN]:
        for before in ("", "a\r", "a\n", "a\t", "a;", '";'):
            assert f"'{sign}1+1" in safe_cell(f"{before}{unseen}{sign}1+1")


@pytest.mark.parametrize("text", ["-1", "-0.5", "+.5", "-1e-9", "1;-2", "a;-2\t+3", "a -1", "a=1"])
def test_numbers_and_what_begins_no_cell_stay(text):
    assert safe_cell(text) == text


@given(st.lists(st.text(st.characters(min_codepoint=32, max_codepoint=126)), max_size=8))
def test_printable_ascii_is_as_safe(values):
    result = safe_batch(pa.record_batch({"x": pa.array(values, pa.string())}))
    assert result[0].to_pylist() == [safe_cell(value) for value in values]


def test_bytes_are_written_as_a_text_and_as_safe():
    result = safe_batch(pa.record_batch({"b": pa.array([b"=1", b"a", None])}))
    assert result[0].to_pylist() == ["'=1", "a", None]


def test_what_is_no_text_stays():
    batch = pa.record_batch({"n": pa.array([-1.5, None]), "l": pa.array([[1], []])})
    assert safe_batch(batch).equals(batch)
    assert safe_batch(batch.slice(0, 0)).num_rows == 0
    assert np.array_equal(safe_batch(pa.record_batch({"x": pa.nulls(3)}))[0].is_null(), [True] * 3)
