"""Workbooks as people keep them: hidden and further sheets, merged cells, formulas, formats."""

import io
import re
import zipfile

import pytest
from openpyxl import Workbook
from pyarrow import parquet

from core.data import ReadOptions, Sources
from core.errors import InvalidInputError, ReadingError


def saved(book):
    packed = io.BytesIO()
    book.save(packed)
    return packed.getvalue()


def read(content, **options):
    """Return the names, the rows, and the sentences on what was repaired."""
    sources = Sources()
    upload = sources.uploads[sources.add_bytes(content, "b.xlsx", ReadOptions(**options))]
    table = parquet.read_table(upload.table.paths[0]).to_pydict().values()
    rows = [list(row) for row in zip(*table, strict=True)]
    return list(upload.table.columns), rows, [item.sentence for item in upload.repairs]


def filled(*rows):
    book = Workbook()
    for row in rows:
        book.active.append(row)
    return book


PEOPLE = (["sex", "job"], ["F", "nurse"], ["M", "clerk"])


def test_a_hidden_first_sheet_is_not_the_one_that_is_read():
    book = filled(["code", "meaning"], ["1", "x"])
    book.active.sheet_state = "hidden"
    other = book.create_sheet("data")
    for row in PEOPLE:
        other.append(row)
    content = saved(book)
    assert read(content)[:2] == (["sex", "job"], [["F", "nurse"], ["M", "clerk"]])
    assert read(content, sheet="Sheet")[0] == ["code", "meaning"]
    with pytest.raises(InvalidInputError, match="has no sheet 'none' with cells: it has data and"):
        read(content, sheet="none")


def test_titles_notes_and_totals_of_a_sheet_are_left_out_and_said():
    content = saved(
        filled(
            ["Staff, by ward"],
            [],
            ["ward", "sex", "staff"],
            ["A", "F", 3],
            ["B", "M", 4],
            ["A", "M", 2],
            ["Total", None, 9],
            ["Source: the office"],
        )
    )
    columns, rows, text = read(content)
    assert (columns, len(rows), rows[0]) == (["ward", "sex", "staff"], 3, ["A", "F", 3.0])
    assert text == [
        "1 line above the names was left out.",
        "Line 7 is the total and 1 line below the table is no record: left out.",
    ]


def test_a_column_of_zeros_without_a_name_is_kept_and_one_of_blanks_is_not():
    people = (["F", "nurse", 31, 0, " "], ["M", "clerk", 42, 0, None], ["F", "cook", 25, 0, " "])
    content = saved(filled(["sex", "job", "age", None, None], *people))
    columns, rows, text = read(content)
    assert (columns, rows[0]) == (["sex", "job", "age", "column 4"], ["F", "nurse", 31.0, 0.0])
    assert text == [
        "Column 5 has no name and no value: left out.",
        "Column 4 has no name: called column 4.",
    ]
    assert read(content, kept=("empty",))[0][3:] == ["column 4", "column 5"]


def test_merged_cells_are_filled_and_said_or_kept():
    book = filled(["ward", "sex"], ["North", "F"], [None, "M"], [None, "F"], ["South", "M"])
    book.active.merge_cells("A2:A4")
    _columns, rows, text = read(saved(book))
    assert [row[0] for row in rows] == ["North", "North", "North", "South"]
    assert text == ["2 empty cells inside merged cells: filled with their value."]
    assert read(saved(book), kept=("merged",))[1][1][0] is None


def test_formulas_without_results_and_formats_that_pad_are_said_and_shown():
    book = filled(["zip", "sex", "n"], [2134, "F", "=1+1"], [90210, "M", "=2+2"])
    for cell in ("A2", "A3"):
        book.active[cell].number_format = "00000"
    _columns, rows, text = read(saved(book))
    assert [row[0] for row in rows] == ["02134", "90210"]
    assert text == ["2 formulas have no stored result: open the file in a spreadsheet and save it."]


def test_another_table_below_is_asked_about():
    rows = (["ward", "sex", "n"], ["A", "F", 3], ["B", "M", 4], ["A", "M", 2], [])
    content = saved(filled(*rows, ["ward", "beds", "floor"], ["A", 7, 1]))
    with pytest.raises(ReadingError, match="line 6 may begin another table") as caught:
        read(content)
    first, every = (dict(item.options) for item in caught.value.choices)
    assert len(read(content, **first)[1]) == 3
    assert len(read(content, **every)[1]) == 5


LONG_MESSAGE = (
    "have more than 15 digits. Spreadsheets keep only 15, so the last ones may already be lost. "
    "Store such ids as text."
)


def with_digits(content, **numbers):
    """Return a workbook with other numbers in some cells, all digits kept."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as book, zipfile.ZipFile(packed, "w") as made:
        for member in book.infolist():
            text = book.read(member).decode()
            if member.filename == "xl/worksheets/sheet1.xml":
                for place, number in numbers.items():
                    before = rf'(<c r="{place}"[^>]*><v>)[^<]*'
                    text, result = re.subn(before, rf"\g<1>{number}", text)
                    assert result == 1
            made.writestr(member, text)
    return packed.getvalue()


@pytest.mark.parametrize("large", [2**53 + 1, -(2**63) - 1, 10**40 + 1])
def test_a_number_keeps_all_digits_that_the_workbook_has(large):
    book = saved(filled(["id", "n"], [1, 1], [3, 2], [2, 3]))
    columns, rows, text = read(with_digits(book, A2=large, A4=large + 2))
    assert columns == ["id", "n"]
    assert rows == [[str(large), 1.0], ["3", 2.0], [str(large + 2), 3.0]]
    assert text == [f"2 numbers {LONG_MESSAGE}"]


def test_numbers_that_doubles_hold_stay_numbers_and_long_ones_are_said():
    assert read(saved(filled(["id", "n"], [2**53, 1], [10**15 - 1, 2])))[1:] == (
        [[2.0**53, 1.0], [1e15 - 1, 2.0]],
        ["1 number has" + LONG_MESSAGE.removeprefix("have")],
    )
    assert read(saved(filled(["id", "n"], [10**15 - 1, 1], [0.1234567890123456789, 2])))[2] == []
