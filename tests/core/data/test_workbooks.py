"""Workbooks are looked through before they are read, and honest ones are read."""

import io
import zipfile

import openpyxl
import pytest

from core.data.readers.reading import read_bytes


@pytest.mark.parametrize("encoding", ["Shift_JIS", "GB2312", "x-none", "utf-16"])
def test_a_part_in_an_encoding_that_is_not_read_hides_no_records(tmp_path, encoding):
    book = openpyxl.Workbook()
    for row in (["s", "x"], ["a", "b"], ["c", "d"], ["a", "d"]):
        book.active.append(row)
    packed = io.BytesIO()
    book.save(packed)
    with zipfile.ZipFile(packed, "a") as parts:
        parts.writestr(
            "customXml/item1.xml", f'<?xml version="1.0" encoding="{encoding}"?><a>b</a>'
        )
    assert read_bytes(packed.getvalue(), "book.xlsx", tmp_path).rows == 3
