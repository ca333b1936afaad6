"""Files that crashed a page, filled a disk or were read wrongly; the next one is added here."""

import io
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
from openpyxl.chart import BarChart
from pyarrow import parquet

from tests.core.data.readers.books import cell, ods, row

MANY = 200_000
"""Records behind the first megabyte that is looked at."""


def workbook(part="", change=bytes):
    """Return a workbook, with one of its parts changed."""
    plain, changed = io.BytesIO(), io.BytesIO()
    pd.DataFrame({"s": list("xyxy"), "x": [1, 2, 3, 4]}).to_excel(plain, index=False)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content) if part and part in name else content)
    return changed.getvalue()


def chart():
    """Return a workbook whose one sheet is a chart."""
    book, packed = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    book.create_chartsheet("Plot").add_chart(BarChart())
    book.save(packed)
    return packed.getvalue()


def columns(**named):
    """Return a Parquet file with these columns."""
    written = io.BytesIO()
    parquet.write_table(pa.table(named), written)
    return written.getvalue()


def same(times, records, width=2):
    """Return a small Parquet file of many records that are all the same."""
    column = pa.array(["a"] * records).dictionary_encode()
    block = pa.table({f"c{i}": column for i in range(width)})
    written = io.BytesIO()
    with parquet.ParquetWriter(written, block.schema) as writer:
        for _ in range(times):
            writer.write_table(block)
    return written.getvalue()


def flipped(content, place):
    """Return a file with the bits of one byte turned over."""
    changed = bytearray(content)
    changed[place] ^= 0xFF
    return bytes(changed)


SPREADSHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def sheet(*rows, before=""):
    """Return a workbook whose rows are a number and its cells, by column."""
    written = "".join(
        f'<row r="{number}">'
        + "".join(
            f'<c r="{column}{number}" t="inlineStr"><is><t>{text}</t></is></c>'
            for column, text in cells.items()
        )
        + "</row>"
        for number, cells in rows
    )
    body = f"{before}<worksheet {SPREADSHEET}><sheetData>{written}</sheetData></worksheet>"
    return workbook("sheet1", lambda _: body.encode())


def repeated(length, rows):
    """Return a workbook that keeps one long text, and shows it in many rows."""
    texts = f"<sst {SPREADSHEET}><si><t>s</t></si><si><t>{'q' * length}</t></si></sst>"
    cells = "".join(
        f'<row r="{row}"><c r="A{row}" t="s"><v>{min(row - 1, 1)}</v></c></row>'
        for row in range(1, rows + 1)
    )
    body = f"<worksheet {SPREADSHEET}><sheetData>{cells}</sheetData></worksheet>"
    plain, changed = io.BytesIO(workbook("sheet1", lambda _: body.encode())), io.BytesIO()
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in set(old.namelist()) - {"xl/sharedStrings.xml"}:
            new.writestr(name, old.read(name))
        new.writestr("xl/sharedStrings.xml", texts)
    return changed.getvalue()


def many_parts(number):
    """Return a workbook with so many parts more, all empty."""
    packed = io.BytesIO(workbook())
    with zipfile.ZipFile(packed, "a") as book:
        for i in range(number):
            book.writestr(f"x{i}", b"")
    return packed.getvalue()


TABLE = ((1, {"A": "s", "B": "x"}), (2, {"A": "a", "B": "b"}))
LAUGHS = "".join(f'<!ENTITY l{i + 1} "{10 * f"&l{i};"}">' for i in range(15))

NUMBERS = columns(s=list(range(1000)), x=["a", "b"] * 500)
LINES = b"a,b\nc,d\n" * MANY
COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)

REFUSED = {
    "cut.xlsx": (workbook()[:2000], "is a damaged Excel file"),
    "sheet.xlsx": (workbook("sheet1", lambda part: part[:200]), "is a damaged Excel file"),
    "no-xml.xlsx": (workbook("sheet1", lambda _: b"\xff\xfe"), "is a damaged Excel file"),
    "book.xlsx": (workbook("workbook.xml", lambda part: part[:99]), "is a damaged Excel file"),
    "deflate.xlsx": (flipped(workbook(), 2400), "is a damaged Excel file"),
    "start.xlsx": (workbook()[:4], "is a damaged Excel file"),
    "locked.xlsx": (COMPOUND + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
    "far.xlsx": (sheet(*TABLE, (1_048_576, {"XFD": "z"})), "spans 17,179,869,184 cells"),
    "farther.xlsx": (sheet(*TABLE, (10**12, {"A": "z"})), "spans 2,000,000,000,000 cells"),
    "wide.xlsx": (sheet(*TABLE, *((i, {"XFD": "z"}) for i in range(3, 2_000))), "cells; at most"),
    "repeated.xlsx": (repeated(131_000, 16_000), "MB of text in its cells; at most 1,000"),
    "cell.xlsx": (repeated(2_000_000, 1), "has a cell of 2,000,000 characters; at most 131,072"),
    "laughs.xlsx": (
        sheet(*TABLE, (3, {"A": "&l15;"}), before=f'<!DOCTYPE l [<!ENTITY l0 "ha">{LAUGHS}]>'),
        "has a cell of 2,",
    ),
    "chart.xlsx": (chart(), "has no sheet with cells"),
    "parts.xlsx": (many_parts(10_000), "is a zip file of 10,0"),
    "old.xls": (COMPOUND, "is not a workbook, or is damaged"),
    "bomb.ods": (
        ods({"a": row(cell("x", number_columns_repeated=16_384), number_rows_repeated=1_048_576)}),
        "spans 17,179,869,184 cells",
    ),
    "end.csv": ("s,x\na,b\na,é".encode()[:-1], "ends inside a character"),
    "latin.csv": (b"s,x\na,\xff\x9d\n", "is not text in UTF-8 or Windows-1252"),
    "mixed.csv": ("s,x\né,b\na,".encode() + b"\xff\n", "is not UTF-8 text"),
    "control.csv": (b"s,x\na,\xff\x02\n", "is a binary file"),
    "nul.csv": (b"s,x\n" + LINES + b"a\x00,b\n", "has a NUL character"),
    "nul16.csv": (f"s,x\n{LINES.decode()}a\x00,b\n".encode("utf-16"), "has a NUL character"),
    "quote.csv": (b's,x\n"a,b\n' + LINES, "a quote may be unclosed"),
    "none.parquet": (columns(), "has no columns"),
    "many.parquet": (lambda: same(101, 1_000_000), "has 101,000,000 records; at most 100,000,000"),
    "wide.parquet": (
        lambda: same(13, 1_000_000, 20),
        "has 260,000,000 cells in 20 columns; at most 250,",
    ),
    "empty.parquet": (columns(s=pa.array([], "i8"), x=pa.array([], "i8")), "but no records"),
    "cut.parquet": (NUMBERS[:-200], "is a damaged Parquet file"),
    "foot.parquet": (flipped(NUMBERS, -60), "is a damaged Parquet file"),
    "names.csv": (b"x" * 90_000 + b"\n", "has column names but no records"),
    "blank.csv": (b"\n\n\n", "is empty"),
    "quotes.csv": (b'""\n""\n', "has nothing but blank lines"),
    "quoted-breaks.csv": (b'"\n"\n"\n"\n', "has nothing but blank lines"),
    "long-line.csv": (b"x" * 10_000_000 + b",b\n1,2\n", "has a first line of more than 1,048,576"),
    "wide.csv": (b",".join(b"c%d" % i for i in range(10_000)) + b"\n1,2\n", "has 10,000 columns"),
    "cut.sav": (b"$FL2@(#) SPSS DATA FILE" + bytes(300), "is a damaged or incomplete SPSS file"),
    "long-header.csv": (b"#c\n" + b"x" * 200_000 + b",b\n1,2\n", "in the first row"),
    "names.parquet": (
        columns(ssss=["a", "b"], x=["c", "d"]).replace(b"ssss", b"\xff\xfe\xfd\xed"),
        "is a damaged Parquet file",
    ),
    "n" * 5_000 + ".csv": (b"a\n", "n.csv has column names but no records"),
    "a\nb\u202e\x00.csv": (b"a\n", "a b  .csv has column names but no records"),
    "only-sep.csv": (b"sep=;\n", "is empty"),
}
"""A name, what is in it or what makes it, and what its sentence says."""

READ = {
    "long-comment.csv": (b"#" + b"c" * 200_000 + b",d\na,b\n1,2\n3,4\n", ("1", "3"), ("2", "4"), 2),
    "mixed.csv": (b"s,x\ra,b\nc,d\r\na,d", ("a", "c"), ("b", "d"), 3),
    "mixed-quotes.csv": (b's,x\r\n"a\n",b\nc,"d\r"\ra,d\r\n', ("a", "c"), ("b", "d"), 3),
    "sep.csv": (b"sep=;\ns;x\na;b\nc;d\n", ("a", "c"), ("b", "d"), 2),
    "sep-quoted.csv": (b'"sep=,"\r\ns,x\r\na,b\r\nc,d\r\n', ("a", "c"), ("b", "d"), 2),
    "sep-tab.csv": (b"\xef\xbb\xbfSEP=\t\r\ns\tx\r\na\tb,\r\nc\td\r\n", ("a", "c"), ("b,", "d"), 2),
    "sep-rare.csv": (b"sep=^\n# made by a program\n\ns^x\na^b\nc^d\n", ("a", "c"), ("b", "d"), 2),
    "latin.csv": ("s,x\né,b\n€,d\n".encode("cp1252"), ("é", "€"), ("b", "d"), 2),
    "sep-utf16.csv": ("sep=;\ns;x\na;b\nc;d\n".encode("utf-16"), ("a", "c"), ("b", "d"), 2),
    "zeros.parquet": (columns(s=[-0.0, 0.0, 1.0], x=list("aba")), ("0", "1"), ("a", "b"), 3),
    "zeros32.parquet": (
        columns(s=pa.array([-0.0, 0.0, 1.0], pa.float32()), x=list("aba")),
        ("0", "1"),
        ("a", "b"),
        3,
    ),
    "zeros16.parquet": (
        columns(s=pa.array(np.array([-0.0, 0.0, 1.0], np.float16)), x=list("aba")),
        ("0", "1"),
        ("a", "b"),
        3,
    ),
    "zeros-coded.parquet": (
        columns(s=pa.array([-0.0, 0.0, 1.0]).dictionary_encode(), x=list("aba")),
        ("0", "1"),
        ("a", "b"),
        3,
    ),
    "digits.xlsx": (
        workbook("sheet1", lambda part: part.replace(b"<v>4</v>", b"<v>" + b"9" * 400 + b"</v>")),
        ("x", "y"),
        ("1", "2", "3", "9" * 400),
        4,
    ),
    "odd-names.csv": (b'"=1+1","@x"\na,b\nc,d\n', ("a", "c"), ("b", "d"), 2),
}
"""A name, what is in it, the levels of S and X and the records that it has."""
