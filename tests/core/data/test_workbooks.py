"""Workbooks are looked through before they are read, and honest ones are read."""

import io
import zipfile

import openpyxl
import openpyxl.chart
import pytest

from core.data.readers.reading import read_bytes
from core.data.workbooks import Sheets, extent
from core.errors import InvalidInputError


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


def sheets(*far, order=None):
    """Return a workbook of a small sheet and of empty ones with a cell far out."""
    book = openpyxl.Workbook()
    for row in (["s", "x"], ["a", "b"], ["c", "d"]):
        book.active.append(row)
    for name in far:
        book.create_sheet(name).cell(1_048_576, 16_384, "z")
    if order is not None:
        book._sheets = [book._sheets[place] for place in order]
    packed = io.BytesIO()
    book.save(packed)
    return packed.getvalue()


def test_a_cell_far_out_counts_in_the_sheet_that_is_read_alone(tmp_path):
    content = sheets("far", "farther")
    assert extent(content).cells == extent(content).characters == 6
    assert extent(content).longest == 1
    assert read_bytes(content, "book.xlsx", tmp_path).rows == 2
    turned = sheets("far", order=(1, 0))  # sheet1.xml is the second one now
    assert extent(turned).cells == 1_048_576 * 16_384
    with pytest.raises(InvalidInputError, match="spans 17,179,869,184 cells"):
        read_bytes(turned, "book.xlsx", tmp_path)


def test_the_sheets_that_are_not_read_are_known_in_their_order(tmp_path):
    book = openpyxl.Workbook()
    for name in ("Mar", "Jan", "Feb"):
        book.create_sheet(name)
        for row in (["s", name], ["a", "b"]):
            book[name].append(row)
    plot = book.create_chartsheet("Plot")
    plot.add_chart(openpyxl.chart.BarChart())
    book._sheets = [plot, *(book[name] for name in ("Jan", "Feb", "Mar"))]
    packed = io.BytesIO()
    book.save(packed)
    upload = read_bytes(packed.getvalue(), "book.xlsx", tmp_path)
    assert upload.table.columns == ("s", "Jan")
    assert upload.sheets == Sheets("Jan", ("Feb", "Mar"))
    assert read_bytes(b"s,x\na,b\n", "book.csv", tmp_path).sheets is None


def test_many_sheets_and_long_names_make_a_short_sentence(tmp_path):
    assert read_bytes(sheets(), "book.xlsx", tmp_path).sheets.sentence() == ""
    content = sheets(*"ABCDEFG")
    assert read_bytes(content, "book.xlsx", tmp_path).sheets.sentence() == (
        "Sheet “Sheet” is read; “A”, “B”, “C”, “D”, “E” and 2 more are not: choose another sheet."
    )
    long = changed(content, "xl/workbook.xml", b'name="A"', b'name="' + b"A" * 5_000 + b'"')
    text = read_bytes(long, "book.xlsx", tmp_path).sheets.sentence()
    assert text.count("A") == 79  # and the sign that it is cut
    item = Sheets("Jan", ("a\n\u202eb",)).sentence()
    assert item == "Sheet “Jan” is read; “a  b” is not: choose another sheet."


def changed(content, part, old, new):
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as given, zipfile.ZipFile(packed, "w") as made:
        for name in given.namelist():
            text = given.read(name)
            if name == part:
                assert old in text
                text = text.replace(old, new)
            made.writestr(name, text)
    return packed.getvalue()


def test_where_the_first_sheet_cannot_be_told_every_part_counts():
    content = sheets("far")
    for part, old, new in (
        ("xl/workbook.xml", b"<sheets>", b"<sheets"),
        ("xl/_rels/workbook.xml.rels", b"<Relationships", b"<Relations"),
        ("[Content_Types].xml", b"spreadsheetml.sheet.main+xml", b"other+xml"),
    ):
        assert extent(changed(content, part, old, new)).cells == 1_048_576 * 16_384


def test_a_relation_that_leads_elsewhere_is_followed():
    content = sheets("far")
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        relations = packed.read("xl/_rels/workbook.xml.rels")
    swapped = relations.replace(b"sheet1.xml", b"sheet9.xml").replace(b"sheet2.xml", b"sheet1.xml")
    swapped = swapped.replace(b"sheet9.xml", b"sheet2.xml")
    turned = changed(content, "xl/_rels/workbook.xml.rels", relations, swapped)
    assert extent(turned).cells == 1_048_576 * 16_384


@pytest.mark.parametrize("row", ["3000000", "3e6", "3_000_000", "+3000000"])
def test_a_row_counts_however_its_number_is_written(row):
    content = changed(sheets(), "xl/worksheets/sheet1.xml", b'r="3"', f'r="{row}"'.encode())
    assert extent(content).cells == 2 * 3_000_000


@pytest.mark.parametrize("place", ["1", "+1", "1e0", "-1"])
def test_a_shared_text_counts_however_its_place_is_written(place):
    content = sheets()
    cell = b'<c r="A9" t="s"><v>' + place.encode() + b"</v></c></row></sheetData>"
    content = changed(content, "xl/worksheets/sheet1.xml", b"</row></sheetData>", cell)
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as given, zipfile.ZipFile(packed, "w") as made:
        for name in given.namelist():
            if name != "xl/sharedStrings.xml":
                made.writestr(name, given.read(name))
        made.writestr("xl/sharedStrings.xml", f"<sst><si>a</si><si>{'b' * 5_000}</si></sst>")
        made.writestr("xl/decoy.xml", "<a><si/><si/><si/></a>")
    assert extent(packed.getvalue()).characters >= 5_000
