"""A cell of millions of characters is refused before it is unpacked, however small its file."""

import decimal
import re
import struct
import zipfile
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from openpyxl import Workbook
from pyarrow import parquet

from core.data import Sources, tables
from core.data.readers import opendocument, reading
from core.errors import InvalidInputError
from core.limits import MAX_CELL, MAX_COLUMNS
from tests.core.data.readers.books import cell, ods, row, xls
from tests.core.data.readers.test_labelled import sas

LONG = 3_000_000
MESSAGE = f"has a cell of {LONG:,} characters; at most 131,072 are allowed"


@pytest.mark.parametrize("column", ["a", "a.b", "née"])
@pytest.mark.parametrize(
    "packed",
    [
        lambda texts: pa.array(texts),
        lambda texts: pa.array(texts, pa.large_string()),
        lambda texts: pa.array([text.encode() for text in texts]),
        lambda texts: pa.array(texts).dictionary_encode(),
    ],
)
@pytest.mark.parametrize("coded", [True, False])
def test_of_parquet(column, packed, coded, tmp_path):
    path = tmp_path / "a.parquet"
    texts = ["x", "y" * LONG, "z"] * 30 if coded else ["x", "y" * LONG, "z"]
    table = pa.table({"n": list(range(len(texts))), column: packed(texts)})
    parquet.write_table(table, path, compression="zstd", use_dictionary=coded, row_group_size=60)
    assert path.stat().st_size < 200_000
    with pytest.raises(InvalidInputError, match=MESSAGE):
        Sources().add_file(path)


@pytest.mark.parametrize(
    "packed",
    [
        lambda texts: pa.array(texts, pa.string_view()),
        lambda texts: pa.array([text.encode().ljust(LONG) for text in texts], pa.binary(LONG)),
        lambda texts: pa.ListArray.from_arrays([0, 1, len(texts)], pa.array(texts)),
        lambda texts: pa.array([{"in": text} for text in texts]),
        lambda texts: pa.array([[("key", text)] for text in texts], pa.map_("str", "str")),
        lambda texts: pa.array([[{"in": text}] for text in texts]),
        lambda texts: pa.array([[text, None] for text in texts], pa.list_(pa.string(), 2)),
    ],
    ids=["view", "fixed", "list", "structure", "map", "list of structures", "fixed list"],
)
@pytest.mark.parametrize("coded", [True, False])
def test_of_parquet_within_cells(packed, coded, tmp_path):
    table = pa.table({"a": packed(["x", "y" * LONG])})
    parquet.write_table(table, tmp_path / "a.parquet", compression="zstd", use_dictionary=coded)
    with pytest.raises(InvalidInputError, match=MESSAGE):
        Sources().add_file(tmp_path / "a.parquet")


ITEMS = f"has a cell of {LONG:,} items; at most 131,072 are allowed"


def lists(values, rows=1):
    """Return lists: one of all values, and others of one item each."""
    ends = [0, len(values), *range(len(values) + 1, len(values) + rows)]
    more = pa.array(values[:1].to_pylist() * (rows - 1), values.type)
    return pa.ListArray.from_arrays(ends, pa.concat_arrays([values, more]))


@pytest.mark.parametrize("rows", [1, 1_000])
@pytest.mark.parametrize(
    "values",
    [
        pa.array(np.zeros(LONG, np.int8)),
        pa.array(np.arange(LONG) % 9 / 7),
        pa.array(np.zeros(LONG, bool)),
        pa.StructArray.from_arrays([pa.array(np.zeros(LONG, np.int16))], ["in"]),
    ],
    ids=["whole", "fractions", "booleans", "structures"],
)
def test_of_many_items_of_parquet(values, rows, tmp_path):
    table = pa.table({"n": list(range(rows)), "a": lists(values, rows)})
    parquet.write_table(table, tmp_path / "a.parquet", compression="zstd")
    with pytest.raises(InvalidInputError, match=ITEMS):
        Sources().add_file(tmp_path / "a.parquet")


def test_of_many_items_of_parquet_in_lists_of_lists(tmp_path):
    table = pa.table({"a": lists(lists(pa.array(np.zeros(LONG, np.int8)), 1_000))})
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(InvalidInputError, match=r"has a cell of 3,000,\d\d\d items"):
        Sources().add_file(tmp_path / "a.parquet")


@pytest.mark.parametrize("size", [MAX_CELL, MAX_CELL + 1])
@pytest.mark.parametrize("packed", [lambda item: item, pa.Array.dictionary_encode])
def test_as_many_short_texts_as_a_cell_may_have_characters(size, packed, tmp_path):
    texts = packed(pa.array(["x", ""] * (size // 2) + ["x"] * (size % 2)))
    parquet.write_table(pa.table({"n": [1, 2], "a": lists(texts, 2)}), tmp_path / "a.parquet")
    sources = Sources()
    if size == MAX_CELL:
        assert sources.uploads[sources.add_file(tmp_path / "a.parquet")].rows == 2
    else:
        with pytest.raises(InvalidInputError, match=f"has a cell of {size:,} characters"):
            sources.add_file(tmp_path / "a.parquet")


def test_of_items_that_together_have_too_many_characters(tmp_path):
    texts = pa.array(["y" * 30_000] * 100).dictionary_encode()
    parquet.write_table(pa.table({"a": lists(texts, 2)}), tmp_path / "a.parquet")
    with pytest.raises(InvalidInputError, match=MESSAGE):
        Sources().add_file(tmp_path / "a.parquet")


def test_a_list_of_parquet_that_would_take_more_than_memory_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAX_UNPACKED_MB", 20)
    values = lists(pa.array(np.zeros(LONG, np.int8)), 1_000)
    parquet.write_table(pa.table({"a": values}), tmp_path / "a.parquet")
    with pytest.raises(InvalidInputError, match=r"unpacks to 23 MB of 'a\.list\.element'"):
        Sources().add_file(tmp_path / "a.parquet")


def test_many_short_lists_of_parquet_are_read(tmp_path):
    values = pa.FixedSizeListArray.from_arrays(pa.array(np.arange(400_000) % 7), 4)
    others = pa.array([[1, 2], None, []] * 33_334, pa.list_(pa.int8()))[:100_000]
    parquet.write_table(pa.table({"a": values, "b": others}), tmp_path / "a.parquet")
    sources = Sources()
    assert sources.uploads[sources.add_file(tmp_path / "a.parquet")].rows == 100_000


def test_beside_a_nested_column_of_parquet(tmp_path):
    table = pa.table({"nested": [{"p": 1, "q": 2}] * 2, "a": ["x", "y" * LONG]})
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(InvalidInputError, match=MESSAGE):
        Sources().add_file(tmp_path / "a.parquet")


KINDS = {
    "decimal": pa.array(
        [decimal.Decimal(i) / 100 for i in range(1_000)] * 40, pa.decimal128(38, 2)
    ),
    "half": pa.array(np.arange(100_000) % 2_000, pa.float16()),
    "list": pa.array([[f"{i:099}"] for i in range(2_000)]),
    "map": pa.array([[("key", f"{i:099}")] for i in range(2_000)], pa.map_("str", "str")),
    "view": pa.array([f"{i:099}" for i in range(2_000)], pa.string_view()),
    "uuid": pa.ExtensionArray.from_storage(
        pa.uuid(), pa.array([f"{i:016}".encode() for i in range(20_000)], pa.binary(16))
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("coded", [True, False])
def test_a_column_of_parquet_larger_than_a_cell_may_be_is_read(kind, coded, tmp_path):
    values = KINDS[kind]
    table = pa.table({"n": list(range(len(values))), "a": values})
    parquet.write_table(table, tmp_path / "a.parquet", use_dictionary=coded)
    sources = Sources()
    assert sources.uploads[sources.add_file(tmp_path / "a.parquet")].rows == len(values)


def test_as_many_characters_in_many_cells_are_read(tmp_path):
    texts = [f"{i:09}" for i in range(100_000)] + ["x" * MAX_CELL]
    parquet.write_table(pa.table({"a": texts, "b": texts}), tmp_path / "a.parquet")
    sources = Sources()
    upload = sources.uploads[sources.add_file(tmp_path / "a.parquet")]
    assert upload.rows == 100_001


@pytest.mark.parametrize("shared", [True, False])
def test_of_a_workbook(shared, tmp_path):
    book = Workbook()
    for cells in (["a", "b"], ["MARK", 1], ["y", 2]):
        book.active.append(cells)
    book.save(tmp_path / "small.xlsx")
    with (
        zipfile.ZipFile(tmp_path / "small.xlsx") as small,
        zipfile.ZipFile(tmp_path / "a.xlsx", "w", zipfile.ZIP_DEFLATED) as made,
    ):
        for member in small.infolist():
            content = small.read(member)
            if shared:
                content = content.replace(b"MARK", b"y" * LONG)
            elif member.filename == "xl/worksheets/sheet1.xml":
                cell = f'<c r="A2" t="inlineStr"><is><t>{"y" * LONG}</t></is></c>'
                before = re.compile(rb'<c r="A2".*?</c>')
                content, result = before.subn(cell.encode(), content)
                assert result == 1
            made.writestr(member, content)
    with pytest.raises(InvalidInputError, match=MESSAGE):
        Sources().add_file(tmp_path / "a.xlsx")


def test_of_opendocument():
    long = "y" * (LONG // 2)
    many = f"<table:table-cell><text:p>{long}</text:p><text:p>{long}</text:p></table:table-cell>"
    for content in (cell("y" * LONG), many):
        book = ods({"data": row("a", "b") + row(content, 1)})
        with pytest.raises(InvalidInputError, match=MESSAGE):
            Sources().add_bytes(book, "a.ods")


@pytest.mark.parametrize("size", [MAX_COLUMNS + 1, MAX_CELL])
def test_a_cell_of_opendocument_may_have_as_many_characters_as_any_other(size):
    book = ods({"data": row("a", "b") + row("y" * size, 1)})
    sources = Sources()
    assert sources.uploads[sources.add_bytes(book, "a.ods")].rows == 1


def test_no_more_of_a_long_text_of_opendocument_is_held_than_a_cell_may_have():
    cells = opendocument._Cells("a.ods", "data")
    for tag, own in (("table:table", {"table:name": "data"}), ("table:table-row", {})):
        cells.start(tag, own)
    cells.start("table:table-cell", {})
    cells.start("text:p", {})
    for _ in range(100):
        cells.say("y" * 65_536)
    assert sum(map(len, cells._text)) <= MAX_CELL
    with pytest.raises(InvalidInputError, match=r"has a cell of 6,553,600 characters"):
        cells.end("text:p") or cells.end("table:table-cell")


def test_old_excel_has_no_longer_texts_than_a_cell_may_have():
    """The length of a text has 16 bits there."""
    book = xls({"data": ([["a", "b"], ["y" * 8_000, 1.0], ["z", 2.0]], False)})
    sources = Sources()
    assert sources.uploads[sources.add_bytes(book, "a.xls")].rows == 2
    assert MAX_CELL >= 2**16 - 1
    with pytest.raises(struct.error):
        xls({"data": ([["a", "b"], ["y" * 2**16, 1.0]], False)})


def test_of_a_web_page_that_is_called_a_workbook():
    page = f"<html><table><tr><td>a<td>b<tr><td>{'y' * LONG}<td>1</table></html>"
    with pytest.raises(InvalidInputError, match=MESSAGE):
        Sources().add_bytes(page.encode(), "a.xls")


def test_of_stata(tmp_path):
    frame = pd.DataFrame({"a": ["x", "y" * LONG], "b": [1, 2]})
    frame.to_stata(tmp_path / "a.dta", version=117, convert_strl=["a"], write_index=False)
    with pytest.raises(InvalidInputError, match=MESSAGE):
        Sources().add_file(tmp_path / "a.dta")


WRITERS = {
    "sav": (pyreadstat.write_sav, 32_767),
    "por": (pyreadstat.write_por, 255),
    "xpt": (partial(pyreadstat.write_xport, file_format_version=8), 32_767),
}
"""How files of SPSS and SAS are written, and the most bytes of their texts."""


@pytest.mark.parametrize("kind", WRITERS)
def test_of_spss_and_sas(kind, tmp_path, monkeypatch):
    """A text of theirs fits; what one becomes is looked at as in any other file."""
    write, most = WRITERS[kind]
    path = tmp_path / f"a.{kind}"
    write(pd.DataFrame({"A": ["x", "y" * most], "B": [1.0, 2.0]}), path)
    sources = Sources()
    assert sources.uploads[sources.add_file(path)].rows == 2
    monkeypatch.setattr(tables, "MAX_CELL", most - 1)
    monkeypatch.setattr(reading, "MAX_CELL", most - 1)
    with pytest.raises(InvalidInputError, match=rf"a cell of {most:,} characters; at most"):
        Sources().add_file(path)


def test_of_sas_itself(monkeypatch):
    """No library writes such files: the longest text of a small one is "female"."""
    for module in (tables, reading):
        monkeypatch.setattr(module, "MAX_CELL", 5)
    with pytest.raises(InvalidInputError, match="a cell of 6 characters; at most 5"):
        Sources().add_bytes(sas(), "a.sas7bdat")


@pytest.mark.parametrize(
    "text", ["y" * LONG, f"a b\n0.5 {'9' * LONG}", f"x,y\n{'y' * LONG},0.1,0.4\nz,0.2,0.3"]
)
def test_of_a_pasted_matrix(text):
    message = MESSAGE.replace("leave that column out.", "").replace(": ", ".").strip()
    with pytest.raises(InvalidInputError, match=message):
        Sources().add_matrix(text)


def test_of_text(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\nx," + "y" * LONG + "\n")
    with pytest.raises(InvalidInputError, match=MESSAGE):
        Sources().add_file(tmp_path / "a.csv")
