"""A cell of millions of characters is refused before it is unpacked, however small its file."""

import re
import zipfile

import pyarrow as pa
import pytest
from openpyxl import Workbook
from pyarrow import parquet

from core.data import Sources
from core.errors import InvalidInputError
from core.limits import MAX_CELL

LONG = 3_000_000
SAID = f"has a cell of {LONG:,} characters, at most 131,072 are allowed: leave that column out."


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
    with pytest.raises(InvalidInputError, match=SAID):
        Sources().add_file(path)


def test_as_many_characters_in_many_cells_are_read(tmp_path):
    texts = [f"{i:09}" for i in range(100_000)] + ["x" * MAX_CELL]
    parquet.write_table(pa.table({"a": texts, "b": texts}), tmp_path / "a.parquet")
    sources = Sources()
    upload = sources.uploads[sources.add_file(tmp_path / "a.parquet")]
    assert upload.rows == 100_001


@pytest.mark.parametrize("shared", [True, False])
def test_of_a_workbook(shared, tmp_path):
    book = Workbook()
    for row in (["a", "b"], ["MARK", 1], ["y", 2]):
        book.active.append(row)
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
                content, found = before.subn(cell.encode(), content)
                assert found == 1
            made.writestr(member, content)
    with pytest.raises(InvalidInputError, match=SAID):
        Sources().add_file(tmp_path / "a.xlsx")


def test_of_text(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\nx," + "y" * LONG + "\n")
    with pytest.raises(InvalidInputError, match=SAID):
        Sources().add_file(tmp_path / "a.csv")
