"""Cells of text files that no spreadsheet takes for formulas."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.texts import NUMBER
from core.validation import BoolArray

SIGNS = "=+\\-@＝＋－＠﹦﹢﹣﹫"
"""What a formula begins with, full-width and small forms included: spreadsheets read both."""

BLANK = (
    r'[\s"\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f'
    r"\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""What spreadsheets or people skip before it: blanks, controls, what is not seen, and quotes."""

_FORMULA = re.compile(
    rf"(?:^|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]){BLANK}*(?=[{SIGNS}])"
    rf"|[;\t]{BLANK}*(?=[{SIGNS}])(?!{NUMBER}(?:[;\t\r\n]|$))"
)
"""Where a formula can begin: a text, or any of its lines, which some programs take for a cell; and
what stands behind a semicolon or a tab, which begin a cell in some countries and programs."""

_NUMBER = re.compile(NUMBER)

_FIRST = np.zeros(256, dtype=bool)
_FIRST[[ord(character) for character in ' "=+-@']] = True
"""First bytes of printable ASCII texts that may be formulas."""


def safe_cell(value: object) -> object:
    r"""Return a cell that no spreadsheet takes for a formula; numbers stay numbers."""
    return safe_text(value) if isinstance(value, str) else value


def safe_text(value: str) -> str:
    """Return a text as `safe_cell` does."""
    if _NUMBER.fullmatch(value):
        return value
    safe = _FORMULA.sub(r"\g<0>'", value)
    return f"'{safe}" if safe.startswith(("\t", "\r", "\n")) else safe


def safe_batch(batch: Any) -> Any:
    """Return an Arrow batch whose names and texts are safe; what is no text stays as it is."""
    columns = [_safe_column(column) for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, [safe_text(name) for name in batch.schema.names])


_TEXTS = (
    *(pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view),
    *(pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view),
    pa.types.is_fixed_size_binary,
)
"""What is written as a text: bytes too."""


def _safe_column(column: Any) -> Any:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not any(is_of(kind) for is_of in _TEXTS):
        return column
    texts = column.cast(pa.string())
    suspects = np.flatnonzero(_may_be_formula(texts))
    if not len(suspects):
        return texts
    places = pa.array(suspects)
    found = pc.dictionary_encode(texts.take(places))
    safe = pa.array(
        [None if one is None else safe_text(one) for one in found.dictionary.to_pylist()]
    )
    mask = np.zeros(len(texts), dtype=bool)
    mask[suspects] = True
    return pc.replace_with_mask(texts, pa.array(mask), safe.cast(pa.string()).take(found.indices))


def _may_be_formula(texts: Any) -> BoolArray:
    """Return which texts of an Arrow array of strings may be formulas, quickly, and some others."""
    _, ends, content = texts.buffers()
    if content is None:
        return np.zeros(len(texts), dtype=bool)
    offsets = np.frombuffer(ends, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(content, np.uint8)[: offsets[-1]]
    own = data[offsets[0] :]
    if not own.size:
        return np.zeros(len(texts), dtype=bool)
    if own.min() >= 0x20 and own.max() < 0x7F and not (own == ord(";")).any():  # one line, one cell
        filled = offsets[1:] > offsets[:-1]
        result: BoolArray = filled & _FIRST[data[np.minimum(offsets[:-1], data.size - 1)]]
        return result
    signs = pc.fill_null(pc.match_substring_regex(texts, f"[{SIGNS}\t\r\n]"), False)
    found: BoolArray = signs.to_numpy(zero_copy_only=False)
    return found
