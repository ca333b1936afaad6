"""A table of ten thousand columns is refused in one sentence, whatever kind of file it is in."""

import io

import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from core.data import Sources, workbooks
from core.errors import InvalidInputError
from tests.core.data.readers.books import cell, ods, row

WIDE = 10_000
NAMES = [f"c{i}" for i in range(WIDE)]


def content(kind):
    """Return a file of a kind with two records."""
    frame = pd.DataFrame([range(WIDE)] * 2, columns=NAMES)
    if kind == "csv":
        return frame.to_csv(index=False).encode()
    packed = io.BytesIO()
    if kind == "parquet":
        table = pa.table({name: [1] for name in NAMES})
        parquet.write_table(table, packed, write_statistics=False, use_dictionary=False)
    elif kind == "xlsx":
        book = openpyxl.Workbook(write_only=True)
        sheet = book.create_sheet("a")
        for line in (NAMES, range(WIDE)):
            sheet.append(list(line))
        book.save(packed)
    else:
        return ods({"a": row(*map(cell, NAMES)) + row(*[cell(1)] * WIDE)})
    return packed.getvalue()


@pytest.mark.parametrize("kind", ["csv", "parquet", "xlsx", "ods"])
def test_ten_thousand_columns_are_refused_in_one_sentence(kind):
    sources = Sources()
    with pytest.raises(InvalidInputError) as caught:
        sources.add_bytes(content(kind), f"wide.{kind}")
    assert str(caught.value) == f"wide.{kind} has 10,000 columns; at most 2,000 are allowed."
    assert list(sources._folder.iterdir()) == []


def test_a_sheet_with_too_many_columns_is_refused_before_its_cells_are_read(monkeypatch):
    book = openpyxl.Workbook()
    for line in range(2):
        book.active.append([line] * 2_001)
    packed = io.BytesIO()
    book.save(packed)
    monkeypatch.setattr(openpyxl, "load_workbook", None)
    with pytest.raises(InvalidInputError, match="has 2,001 columns; at most 2,000 are allowed"):
        Sources().add_bytes(packed.getvalue(), "wide.xlsx")
    assert workbooks.extent(packed.getvalue()).columns == 2_001
