"""Workbooks of OpenDocument and of old Excel are read as new ones are."""

import struct

import pytest
from pyarrow import parquet

from core.data import ReadOptions, Sources
from core.data.readers import opendocument
from core.data.workbooks import Sheets
from core.errors import InvalidInputError
from tests.core.data.readers.books import LOCKED, cell, compound, ods, record, row, xls

PEOPLE = [["sex", "job", "pay"], ["F", "nurse", 1.5], ["M", "clerk", 2], ["M", "nurse", 3]]


def read(content, name="b.xls", **options):
    """Return the upload, its columns as lists, and what was repaired."""
    sources = Sources()
    upload = sources.uploads[sources.add_bytes(content, name, ReadOptions(**options))]
    values = parquet.read_table(upload.table.paths[0]).to_pydict().values()
    columns = dict(zip(upload.table.columns, values, strict=True))
    return upload, columns, [item.sentence for item in upload.repairs]


def refused(content, name):
    """Return the sentence with which a file is refused, once nothing is left of it."""
    sources = Sources()
    with pytest.raises(InvalidInputError) as caught:
        sources.add_bytes(content, name)
    assert list(sources._folder.iterdir()) == []
    return str(caught.value)


TABLE = {"sex": ["F", "M", "M"], "job": ["nurse", "clerk", "nurse"], "pay": [1.5, 2.0, 3.0]}


def test_old_excel_is_read_as_it_was_written():
    upload, columns, text = read(xls({"data": (PEOPLE, False)}))
    assert (upload.kind, upload.rows, text) == ("Excel", 3, [])
    assert columns == TABLE


def test_sheets_of_old_excel_are_offered_those_that_are_seen_first():
    hidden = [["code", "meaning"], ["1", "x"]]
    book = xls({"codes": (hidden, True), "plot": (None, False), "people": (PEOPLE, False)})
    upload, columns, _ = read(book)
    assert upload.sheets == Sheets("people", ("codes",))
    assert list(columns) == PEOPLE[0]
    assert list(read(book, sheet="codes")[1]) == hidden[0]
    with pytest.raises(InvalidInputError, match="has no sheet 'plot' with cells: it has people"):
        read(book, sheet="plot")


def test_merged_cells_of_old_excel_are_filled_and_said():
    rows = [["ward", "sex"], ["North", "F"], [None, "M"], ["South", "M"]]
    _, columns, text = read(xls({"data": (rows, False)}, merged=[(1, 2, 0, 0)]))
    assert columns["ward"] == ["North", "North", "South"]
    assert text == ["1 empty cell inside merged cells: filled with their value."]


def test_formats_of_old_excel_keep_zeros():
    rows = [["sex", "zip", "pay"], ["F", 2134, 1.5], ["M", 10001, 2], ["M", -3, 12]]
    form = struct.pack("<HHB", 164, 5, 0) + b"00000"
    styles = record(0xE0, bytes(20)) + record(0xE0, struct.pack("<HH", 0, 164) + bytes(16))
    extra = record(0x41E, form) + styles
    book = xls({"about": ([["a"], ["b"]], True), "data": (rows, False)}, extra=extra, style=1)
    assert read(book)[1] == {
        "sex": ["F", "M", "M"],
        "zip": ["02134", "10001", "-3"],
        "pay": ["1.5", "00002", "00012"],
    }
    plain = xls({"data": (rows, False)}, extra=extra, style=0)
    assert read(plain)[1]["zip"] == [2134.0, 10001.0, -3.0]


@pytest.mark.parametrize(
    ("form", "number", "text"),
    [
        (b"yyyy-mm-dd", 45322, "2024-01-31"),
        (b"yyyy-mm-dd h:mm", 45322.5, "2024-01-31 12:00:00"),
        (b"h:mm", 0.5, "12:00:00"),
        (b"[h]:mm", 1.5, "1 day, 12:00:00"),
        (b"[Red][h]:mm", 1.5, "1 day, 12:00:00"),
        (b"[$-409]d-mmm-yy", 45322, "2024-01-31"),
        (b"[Blue]yyyy-mm-dd h:mm", 45322.5, "2024-01-31 12:00:00"),
        (b"[$-F400]h:mm:ss AM/PM", 0.5, "12:00:00"),
    ],
)
def test_dates_and_times_of_old_excel_are_as_shown(form, number, text):
    named = record(0x41E, struct.pack("<HHB", 164, len(form), 0) + form)
    style = record(0xE0, bytes(20)) + record(0xE0, struct.pack("<HH", 0, 164) + bytes(16))
    rows = [["sex", "at"], ["F", number], ["M", number]]
    book = xls({"data": (rows, False)}, extra=named + style, style=1)
    assert read(book)[1] == {"sex": ["F", "M"], "at": [text, text]}


@pytest.mark.parametrize(
    ("form", "number"),
    [(b"yyyy-mm-dd", 2_958_466), (b"yyyy-mm-dd", 1e10), (b"yyyy-mm-dd", -1e6), (b"[h]:mm", 1e12)],
)
def test_numbers_of_old_excel_that_are_no_dates_stay_numbers(form, number):
    named = record(0x41E, struct.pack("<HHB", 164, len(form), 0) + form)
    style = record(0xE0, bytes(20)) + record(0xE0, struct.pack("<HH", 0, 164) + bytes(16))
    rows = [["sex", "at"], ["F", number], ["M", number]]
    book = xls({"data": (rows, False)}, extra=named + style, style=1)
    assert read(book)[1] == {"sex": ["F", "M"], "at": [number, number]}


NO_WORKBOOK = (
    "b.xls is not a workbook, or is damaged: open it in a spreadsheet and save it as .xlsx."
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (xls({"plot": (None, False)}), "b.xls has no sheet with cells."),
        (xls({"empty": ([], False)}), "b.xls is empty: its first sheet has no cells."),
        (
            xls({"data": (PEOPLE, False)}, extra=LOCKED),
            "b.xls is an encrypted workbook: save it without a password first.",
        ),
        (compound(b"a letter", "WordDocument"), NO_WORKBOOK),
        (xls({"data": (PEOPLE, False)})[:1_100], NO_WORKBOOK),
        (xls({"data": (PEOPLE, False)}, style=9), NO_WORKBOOK),
    ],
    ids=["chart", "empty", "password", "letter", "cut", "style"],
)
def test_old_excel_that_is_no_table_is_refused_in_one_sentence(content, message):
    assert refused(content, "b.xls") == message


def test_text_that_is_called_xls_is_read_as_text_and_said():
    upload, columns, text = read(b"sex\tpay\nF\t1\nM\t2\n")
    assert upload.kind == "CSV, separated by tabs"
    assert columns["sex"] == ["F", "M"]
    assert text == ["Its name ends in .xls, but it is text: read as text."]


def people():
    return "".join(row(*cells) for cells in PEOPLE)


def test_opendocument_has_the_same_table():
    upload, columns, text = read(ods({"data": people()}), "b.ods")
    assert (upload.kind, upload.rows, text) == ("OpenDocument", 3, [])
    assert columns == TABLE


def test_sheets_of_opendocument_are_offered_those_that_are_seen_first():
    book = ods({"codes": row("code", "meaning") + row("1", "x"), "people": people()}, ["codes"])
    upload, columns, _ = read(book, "b.ods")
    assert upload.sheets == Sheets("people", ("codes",))
    assert list(columns) == PEOPLE[0]
    assert read(book, "b.ods", sheet="codes")[1] == {"code": ["1"], "meaning": ["x"]}


def test_cells_of_opendocument_are_as_shown_and_repeated():
    book = ods(
        {
            "data": row("zip", "sex", "n", "seen", "day")
            + row(
                cell(2134, "02134"),
                cell("F", number_columns_repeated=1),
                cell(None, formula="of:=1+1"),
                '<table:table-cell office:value-type="boolean" office:boolean-value="true"/>',
                '<table:table-cell office:value-type="date" office:date-value="2024-01-31"/>',
            )
            + row(
                cell(90210),
                '<table:table-cell office:value-type="string"><office:annotation><text:p>a note'
                "</text:p></office:annotation><text:p>M<text:s/>or F</text:p></table:table-cell>",
                cell(2.5, "2,50"),
                '<table:table-cell office:value-type="string" calcext:value-type="error"/>',
                '<table:table-cell office:value-type="time" office:time-value="PT08H30M00S"/>',
                number_rows_repeated=2,
            )
            + row(cell(None, number_columns_repeated=16_384), number_rows_repeated=1_048_000)
        }
    )
    _, columns, text = read(book, "b.ods")
    assert columns == {
        "zip": ["02134", "90210", "90210"],
        "sex": ["F", "M or F", "M or F"],
        "n": [None, 2.5, 2.5],
        "seen": ["True", None, None],
        "day": ["2024-01-31", "08:30:00", "08:30:00"],
    }
    assert text == ["1 formula has no stored result: open the file in a spreadsheet and save it."]


def test_merged_cells_of_opendocument_are_filled_and_said():
    gap = "<table:covered-table-cell/>"
    book = ods(
        {
            "data": row("ward", "sex")
            + row(cell("North", number_rows_spanned=3), "F")
            + row(gap, "M")
            + row(gap, "F")
            + row("South", "M")
        }
    )
    _, columns, text = read(book, "b.ods")
    assert columns["ward"] == ["North", "North", "North", "South"]
    assert text == ["2 empty cells inside merged cells: filled with their value."]
    assert read(book, "b.ods", kept=("merged",))[1]["ward"][1] is None


HUGE = row(cell("x", number_columns_repeated=16_384), number_rows_repeated=1_048_576)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (ods({"a": HUGE}), "b.ods spans 17,179,869,184 cells; at most 20,000,000 are"),
        (
            ods({"a": row("s", "x") + row(cell("y" * 10_000, number_columns_repeated=200_000))}),
            "b.ods has 1,907 MB of text in its cells; at most 1,000 MB are allowed.",
        ),
        (ods({"a": row("s", "y" * 140_000)}), "b.ods has a cell of 140,000 characters; at most"),
        (ods({"plot": "<table:shapes><draw:frame/></table:shapes>"}), "first sheet has no cells."),
        (ods({}), "b.ods has no sheet with cells."),
        (
            ods({"a": people()}, manifest="<a><manifest:encryption-data/></a>"),
            "b.ods is an encrypted workbook: save it without a password first.",
        ),
        (ods({"a": "<table:table-row>"}), "b.ods is a damaged OpenDocument file."),
        (ods({"a": people()})[:-40], "b.ods is a damaged OpenDocument file."),
        (
            ods({"a": row(*[f"v{i}" for i in range(2_001)]) + row(*range(2_001))}),
            "b.ods has 2,001 columns; at most 2,000 are allowed.",
        ),
    ],
    ids=["bomb", "texts", "long", "chart", "none", "password", "xml", "cut", "wide"],
)
def test_opendocument_that_is_no_table_is_refused_in_one_sentence(content, message):
    assert message in refused(content, "b.ods")


def test_an_opendocument_file_that_unpacks_to_gigabytes_is_refused(monkeypatch):
    monkeypatch.setattr("core.data.readers.sheets.MAX_UNPACKED_MB", 1)
    content = ods({"a": people() + " " * 2_000_000})
    assert len(content) < 10_000
    assert refused(content, "b.ods") == "b.ods unpacks to 2 MB; at most 1 MB are allowed."
    assert opendocument.is_opendocument(["content.xml"]) is False


PAGE = """<html><head><meta charset="windows-1252"><style>td {color: red}</style></head>
<body><table><tr><td>Print</td></tr></table><table border=1>
<tr><th>ward<th>sex<th>päy</tr><tr><td rowspan=2>North<td>F</td><td>1</td></tr>
<tr><td>M &amp;<br>F<td>2</td></tr><tr><td>South</td><td colspan=2>M</td></tr></table></body>"""


def test_a_web_page_that_is_called_xls_is_read_and_said():
    upload, columns, text = read(PAGE.encode("windows-1252"))
    assert upload.kind == "web page"
    assert upload.sheets == Sheets("table 2", ("table 1",))
    assert columns == {
        "ward": ["North", "North", "South"],
        "sex": ["F", "M & F", "M"],
        "päy": ["1", "2", "M"],
    }
    assert text == [
        "It has a workbook's name, but is a web page: its table is read.",
        "2 empty cells inside merged cells: filled with their value.",
    ]
    text = "b.xls is a web page without a table: use the data file itself."
    assert refused(b"<!DOCTYPE html><p>Please log in", "b.xls") == text
    assert "b.csv is a web page; CSV, TSV" in refused(b"<html><p>Please log in", "b.csv")


def test_a_web_page_that_stands_for_many_cells_is_refused(monkeypatch):
    monkeypatch.setattr("core.data.workbooks.MAX_WORKBOOK_CELLS", 100)
    wide = b"<table>" + b"<tr><td colspan=60>a" * 2
    assert "spans 120 cells; at most 100" in refused(wide, "b.xls")


def test_a_number_of_opendocument_keeps_all_of_its_digits():
    book = ods({"data": row("id", "n") + row(2**53 + 1, 1) + row(2**53 + 3, 2)})
    _, columns, text = read(book, "b.ods")
    assert columns == {"id": [str(2**53 + 1), str(2**53 + 3)], "n": [1.0, 2.0]}
    (reported,) = text
    assert reported.startswith("2 numbers have more than 15 digits. Spreadsheets keep only 15,")
