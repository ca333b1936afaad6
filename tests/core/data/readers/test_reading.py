"""Every file that cannot be used gets one sentence, and the session stays as it was."""

import bz2
import gc
import io
import zipfile

import numpy as np
import pandas as pd
import pytest

from core.data import DataSpec, ReadOptions, Sources, count, describe
from core.data.options import READABLE
from core.data.readers import sheets
from core.data.readers.dialect import DELIMITERS
from core.errors import InvalidInputError

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "data.csv is empty."),
        (b"\n\r\n  \n", "data.csv is empty: it has nothing but blank lines."),
        (b"sex,job\n", "data.csv has column names but no records."),
        (b"sex,job", "data.csv has column names but no records."),
        (
            PNG,
            f"data.csv is a picture; {READABLE}.",
        ),
        (
            bytes(range(256)) * 9,
            f"data.csv is a binary file, not text; {READABLE}.",
        ),
        (
            b"%PDF-1.7",
            f"data.csv is a PDF document; {READABLE}.",
        ),
        (b"PAR1nothing", "data.csv is a damaged Parquet file."),
        (b"PK\x03\x04nothing", "data.csv is a damaged Excel file."),
        (
            b"sex job age\nf a 1\nm b 2\n",
            "data.csv has a single column when separated by commas; it seems to be separated by "
            "spaces: choose that.",
        ),
        (
            b"a" * 200_000 + b",b\n1,2\n",
            "data.csv has a value of more than 131,072 characters in the first row: a quote may be "
            "unclosed.",
        ),
        (b"sex,job\nf,a\nm,b,c\n", "data.csv has 3 fields in line 3, but its header has 2."),
        (b"sex,job\nf,a\nm\n", "data.csv has 1 field in line 3, but its header has 2."),
        (b'sex,job\nf,"a\nm,b\n', "data.csv has an unclosed quote in line 2."),
        (
            "sex,job\nü,é\nf,".encode() + b"\xe9\n",
            "data.csv is not UTF-8 text: it has the byte 0xE9 in line 3, near position 16; choose "
            "its encoding, or save it as UTF-8.",
        ),
        (
            b"sex,job\nf,\x81\n",
            "data.csv is not text in UTF-8 or Windows-1252: it has the byte 0x81 in line 2, near "
            "position 10; choose its encoding, or save it as UTF-8.",
        ),
        (
            b"sex,job\nf,\xe9\x01\n",
            f"data.csv is a binary file, not text; {READABLE}.",
        ),
    ],
)
def test_a_bad_file_gets_one_sentence_and_changes_nothing(sources, content, sentence):
    sources.add_bytes(b"sex,job\nf,a\nm,b\n", "good.csv")
    before = dict(sources.uploads), set(sources._folder.iterdir())
    with pytest.raises(InvalidInputError) as caught:
        sources.add_bytes(content, "data.csv")
    assert str(caught.value) == sentence
    assert (dict(sources.uploads), set(sources._folder.iterdir())) == before


def test_an_upload_over_the_limit_is_refused(sources):
    with pytest.raises(InvalidInputError) as caught:
        sources.add_bytes(bytes(300 << 20), "huge.csv")
    assert str(caught.value) == "huge.csv has 300 MB; at most 200 are allowed."
    assert not sources.uploads


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_the_delimiter_is_found_out(sources, delimiter):
    lines = ['sex_job_"a, b; c|d\te"', "f_a_1", 'm_"x_y"_2']
    key = sources.add_bytes("\n".join(lines).replace("_", delimiter).encode(), "data.csv")
    table = sources.uploads[key].table
    assert DELIMITERS[delimiter] in sources.uploads[key].kind
    assert len(table.columns) == 3
    assert sources.uploads[key].rows == 2


def test_the_delimiter_is_found_at_the_start_of_a_long_file(sources):
    key = sources.add_bytes(b"sex;job\n" + b"f;a,b\nm;c,d\n" * 100_000, "long.csv")
    assert sources.uploads[key].table.columns == ("sex", "job")
    assert sources.uploads[key].rows == 200_000


def test_a_delimiter_that_was_asked_for_must_be_there(sources):
    with pytest.raises(InvalidInputError) as caught:
        sources.add_bytes(b"sex;job\nf;a\n", "data.csv", ReadOptions(delimiter=","))
    assert str(caught.value) == (
        "data.csv has a single column when separated by commas; it seems to be separated by "
        "semicolons: choose that."
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_encodings_and_line_ends(sources, encoding, newline):
    text = newline.join(["", "sé,job", "f,ä", 'm,"two', 'lines"', ""])
    key = sources.add_bytes(text.encode(encoding), "data.csv")
    assert sources.uploads[key].table.columns == ("sé", "job")
    joint = count(DataSpec(key, ("sé",), ("job",)), sources).joint
    assert joint.x_labels == (f"two{newline}lines".replace("\r\n", "\r\n"), "ä")


def test_columns_that_differ_in_case_only_are_two(sources, add):
    frame = pd.DataFrame({"Sex": list("fm"), "sex": list("ab"), "x": list("pq")})
    for kind in ("csv", "parquet"):
        joint = count(DataSpec(add(frame, kind), ("sex",), ("Sex",)), sources).joint
        assert (joint.s_labels, joint.x_labels) == (("a", "b"), ("f", "m"))


def _workbook(frame):
    packed = io.BytesIO()
    frame.to_excel(packed, index=False)
    return packed.getvalue()


def test_excel_is_read_by_its_content(sources):
    frame = pd.DataFrame(
        {"sex": ["f", "m", None], "age": [31, 40, 9], "mixed": [1, "x", 2.5], "blank": [None] * 3}
    )
    key = sources.add_bytes(_workbook(frame), "data.csv")
    assert sources.uploads[key].kind == "Excel"
    info = {column.name: column for column in describe(key, sources).columns}
    assert (info["age"].numeric, info["age"].low, info["age"].high) == (True, 9, 40)
    assert (info["mixed"].numeric, info["sex"].missing, info["blank"].missing) == (False, 1, 3)
    joint = count(DataSpec(key, ("sex",), ("age",)), sources).joint
    assert joint.x_labels == ("9", "31", "40")


def written(frame, kind):
    """Return a table with its row numbers before it, as pandas writes them."""
    if kind == "CSV":
        return frame.to_csv().encode()
    file = io.BytesIO()
    frame.to_excel(file)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["CSV", "Excel"])
@pytest.mark.parametrize(("other", "named"), [("job", "column 1"), ("column 1", "column 1 (2)")])
def test_a_first_column_without_a_name_gets_one(sources, kind, other, named):
    frame = pd.DataFrame({"sex": ["f", "m", "f"], other: ["a", "b", "c"]})
    key = sources.add_bytes(written(frame, kind), "frame")
    upload = sources.uploads[key]
    assert upload.table.columns == (named, "sex", other)
    assert upload.kind.startswith(kind)
    assert [item.sentence for item in upload.repairs] == [f"Column 1 has no name: called {named}."]
    assert upload.rows == 3
    joint = count(DataSpec(key, (named,), ("sex",)), sources).joint
    np.testing.assert_allclose(joint.p * 3, [[1, 0], [0, 1], [1, 0]])


def test_a_workbook_with_damaged_parts_is_refused_in_one_sentence(sources):
    workbook = io.BytesIO()
    pd.DataFrame({"sex": list("fm"), "job": list("ab")}).to_excel(workbook, index=False)
    whole = workbook.getvalue()
    refused = 0
    with zipfile.ZipFile(workbook) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    for damaged in parts:
        for content in (parts[damaged][:-9], b"<a/>", b""):
            rewritten = io.BytesIO()
            with zipfile.ZipFile(rewritten, "w") as packed:
                for name, part in parts.items():
                    packed.writestr(name, content if name == damaged else part)
            refused += _refused(sources, rewritten.getvalue())
    for place in range(4, len(whole), 41):
        refused += _refused(sources, whole[:place] + b"\xa5" + whole[place + 1 :])
    assert refused > 20


def _refused(sources, content):
    """Return whether a damaged workbook is refused; one that is read has its two records."""
    try:
        key = sources.add_bytes(content, "data.xlsx")
    except InvalidInputError as error:
        return str(error).startswith("data.xlsx ")
    assert sources.uploads[key].rows <= 2
    return False


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b'{"a": 1,\n"b": 2}\n', "a JSON document"),
        (b'[{"a": 1, "b": 2}]', "a JSON document"),
        (b"<!DOCTYPE html>\n<table>a,b</table>", "a web page"),
        (b'<?xml version="1.0"?>\n<a,b>\n1,2', "an XML document"),
        (bz2.compress(b"a,b\n1,2\n"), "compressed: unpack it first"),
    ],
)
def test_files_that_are_no_tables_are_named(sources, content, what):
    with pytest.raises(InvalidInputError) as caught:
        sources.add_bytes(content, "data.csv")
    assert str(caught.value) == f"data.csv is {what}; {READABLE}."


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_may_hold_any_character_of_text(sources, encoding):
    text = "s,x\nf,\u200bzero width\nm,\ufeffno break\nm,中\x85\n"
    key = sources.add_bytes(text.encode(encoding), "data.csv")
    assert sources.uploads[key].rows == 3


def test_an_empty_sheet_and_other_zip_files_are_named(sources, monkeypatch):
    with pytest.raises(InvalidInputError, match=r"a\.xlsx is empty: its first sheet has no cells"):
        sources.add_bytes(_workbook(pd.DataFrame()), "a.xlsx")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("a.csv", "sex,job")
    with pytest.raises(InvalidInputError, match=r"a\.xlsx is a zip file; CSV"):
        sources.add_bytes(packed.getvalue(), "a.xlsx")
    monkeypatch.setattr(sheets, "MAX_UNPACKED_MB", 0)
    with pytest.raises(InvalidInputError, match=r"unpacks to \d+ MB; at most 0 MB are allowed"):
        sources.add_bytes(_workbook(pd.DataFrame({"a": [1], "b": [2]})), "a.xlsx")


def test_too_many_columns_are_refused(sources):
    names = ",".join(f"c{i}" for i in range(2_001))
    with pytest.raises(InvalidInputError, match="has 2,001 columns; at most 2,000 are allowed"):
        sources.add_bytes(f"{names}\n{names}\n".encode(), "wide.csv")


def test_a_file_of_this_machine_is_read_where_it_stands(sources, tmp_path):
    path = tmp_path / "it's a [file]*.csv"
    path.write_text("sex,job\nf,a\nm,b\n")
    key = sources.add_file(path)
    assert sources.uploads[key].rows == 2
    assert path.read_text() == "sex,job\nf,a\nm,b\n"
    frame = tmp_path / "it's a [file]*.parquet"
    pd.DataFrame({"sex": ["f", "m"], "job": ["a", "b"]}).to_parquet(frame)
    assert sources.uploads[sources.add_file(frame)].table.paths == (frame,)
    assert count(DataSpec(key, ("sex",), ("job",)), sources).joint.n == 2
    with pytest.raises(InvalidInputError, match=r"There is no file 'gone\.csv'"):
        sources.add_file(tmp_path / "gone.csv")


def test_uploads_belong_to_one_session_and_go_with_it(sources):
    key = sources.add_bytes(b"sex,job\nf,a\nm,b\n", "data.csv")
    with pytest.raises(InvalidInputError, match="is not in this session: upload it again"):
        count(DataSpec(key, ("sex",), ("job",)), Sources())
    other = Sources()
    other.add_bytes(b"sex,job\nf,a\nm,b\n", "data.csv")
    folder = other._folder
    assert folder.is_dir()
    assert folder != sources._folder
    del other
    gc.collect()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("matrix:abc", "The pasted matrix abc… is not in this session: paste it again."),
        (
            "ftp:abc",
            "A data source is adult, adult_all, heart_hungarian, heart_cleveland, german_credit, "
            "or starts with upload:, matrix:, random: or example:, got 'ftp:abc'.",
        ),
    ],
)
def test_a_source_that_is_not_there_is_named(source, sentence):
    with pytest.raises(InvalidInputError) as caught:
        count(DataSpec(source))
    assert str(caught.value) == sentence


def test_describe_finds_numbers_in_text_and_says_nothing_of_joints(sources):
    text = b"a,b,c\n1,x,2020-01-01\n ?,2,\nNA,3,2020-01-02\n-2.5e1,4,x\n"
    columns = describe(sources.add_bytes(text, "data.csv"), sources).columns
    assert [column.numeric for column in columns] == [True, False, False]
    assert (columns[0].low, columns[0].high) == (-25, 1)
    assert [column.missing for column in columns] == [2, 0, 1]
    assert [column.levels for column in columns] == [2, 4, 3]
    assert describe("random:uniform:2x2:0") is None


def test_describe_copes_with_every_parquet_type(add, sources):
    frame = pd.DataFrame(
        {
            "date": pd.to_datetime(["2020-01-01", None]),
            "list": [[1, 2], None],
            "bool": [True, False],
            "nothing": [None, None],
            "nan": [1.5, np.nan],
        }
    )
    key = add(frame)
    result = {column.name: column for column in describe(key, sources).columns}
    assert [column.name for column in result.values() if column.numeric] == ["bool", "nan"]
    assert {name: column.missing for name, column in result.items()} == {
        "date": 1,
        "list": 1,
        "bool": 0,
        "nothing": 2,
        "nan": 1,
    }
    joint = count(DataSpec(key, ("bool",), ("list",)), sources).joint
    assert joint.x_labels == ("[1, 2]", "(missing)")
