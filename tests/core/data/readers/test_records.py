"""No record of a text file is lost: as many are counted as Python's csv module finds."""

import csv
import io
import tempfile
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from core.data import Binning, DataSpec, ReadOptions, count, describe
from core.data.readers.encoding import to_utf8
from core.data.readers.records import write_records
from core.data.readers.text import find_layout
from core.errors import InvalidInputError, ReadingError
from core.limits import MAX_LEVELS

FIELDS = st.text(st.sampled_from('ab1 ,;"\n\r\té€\u2028\x85#-'), max_size=5)
NAMES = st.lists(FIELDS.map(lambda text: f"n{text}".strip()), min_size=2, max_size=4, unique=True)


EXACT = ReadOptions(delimiter=",", header=(1,), skip_end=0, quote='"', escape="doubled")
"""Leaves nothing to be found."""


def _written(field, always):
    """Write a field as RFC 4180 wants it."""
    quoted = always or any(mark in field for mark in '",\n\r')
    return '"' + field.replace('"', '""') + '"' if quoted else field


@settings(deadline=None)
@given(
    names=NAMES,
    body=st.data(),
    ends=st.sampled_from(["\n", "\r\n", "\r"]),
    every=st.booleans(),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]),
    blank=st.booleans(),
    options=st.sampled_from([EXACT, ReadOptions(delimiter=","), ReadOptions()]),
)
def test_every_record_is_counted(names, body, ends, every, encoding, blank, options):
    rows = body.draw(
        st.lists(
            st.lists(FIELDS, min_size=len(names), max_size=len(names)).map(
                lambda row: ["x" + row[0], *row[1:]]
            ),
            min_size=1,
            max_size=6,
        )
    )
    lines = []
    for row in [names, *rows]:
        lines.append(",".join(_written(field, every) for field in row))
        lines += [""] * blank
    content = ends.join(lines) + ends
    with io.StringIO(content, newline="") as file:
        result = [row for row in csv.reader(file) if row][1:]
    assert result == rows
    with tempfile.TemporaryDirectory() as folder:
        path, target = Path(folder, "data.csv"), Path(folder, "data.parquet")
        path.write_bytes(content.encode(encoding))
        utf8, _ = to_utf8(path, "data.csv", Path(folder, "data.txt"), path.read_bytes())
        try:
            layout = find_layout(utf8, "data.csv", options)
            write_records(utf8, "data.csv", layout, target)
            assert parquet.read_metadata(target).num_rows == len(rows)
        except ReadingError:
            assert options != EXACT  # a question
            return
        kept = parquet.read_table(target).to_pydict().values()
    assert layout.columns.names == tuple(names)
    assert [list(row) for row in zip(*kept, strict=True)] == rows


def test_a_line_break_in_the_header_costs_no_record(sources):
    key = sources.add_bytes(b'"a\nb",c\n1,p\n2,q\n3,p\n4,q\n', "data.csv")
    joint = count(DataSpec(key, ("a\nb",), ("c",)), sources).joint
    assert (joint.n, joint.s_labels) == (4, ("1", "2", "3", "4"))


def test_mixed_line_ends_and_blank_lines(sources):
    key = sources.add_bytes(b'a,b\r\n\n1,"x\ny"\n2,y\r  \n3,z\r\n4,w', "data.csv")
    assert sources.uploads[key].rows == 4


def test_comments_before_the_header_are_left_out_and_said(sources):
    key = sources.add_bytes(b"# it's \"mine\n#\na,b\n1,x\n#2,y\n", "data.csv")
    upload = sources.uploads[key]
    assert (upload.table.columns, upload.rows) == (("a", "b"), 2)
    assert upload.kind == "CSV, separated by commas, after 2 lines of comment"
    assert sources.uploads[sources.add_bytes(b"#id,b\n1,x\n#2,y\n", "c.csv")].rows == 2
    with pytest.raises(InvalidInputError, match="'# a, b': remove its #, or the line"):
        sources.add_bytes(b"# a, b\nid,c\n1,x\n", "data.csv")


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("a,b\n1,x\n2,y".encode("utf-16")[:-1], "UTF-16"),
        ("a,b\n1,x\n2,y".encode("utf-16-be")[:-1], "UTF-16"),
        ("a,b\n1,x\n2,😀".encode("utf-16")[:-2], "UTF-16"),
        ("a,b\n1,x\n2,é".encode()[:-1], "UTF-8"),
    ],
)
def test_a_file_cut_within_a_character_is_refused(sources, content, shown):
    with pytest.raises(InvalidInputError) as caught:
        sources.add_bytes(content, "data.csv")
    assert str(caught.value) == (
        f"data.csv ends inside a character: it is cut off, or is not {shown} text."
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'a,b\n"x"y,1\n', "data.csv has text after a closing quote in line 2"),
        (b'a,b\n1,"x\ny"\n2\n', "data.csv has 1 field in line 4, but its header has 2."),
        ("a,b\n1,\x00\n".encode("utf-16"), "data.csv has a NUL character"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(sources, content, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        sources.add_bytes(content, "data.csv")


@pytest.mark.parametrize("mark", ["NA", "n/a", "null", "-", ".", "?"])
def test_marks_in_a_column_of_numbers_are_missing_and_said(sources, mark):
    key = sources.add_bytes(f"a,b\n1,{mark}\n2,y\n{mark},y\n4,z\n".encode(), "data.csv")
    number, word = describe(key, sources).columns
    assert (number.numeric, number.missing, number.levels) == (True, 1, 3)
    assert (word.numeric, word.missing, word.levels) == (False, 0, 3)
    counted = count(DataSpec(key, ("a",), ("b",)), sources)
    assert counted.joint.s_labels == ("1", "2", "4", "(missing)")
    assert counted.report.sentences() == (
        f"{mark!r} in 'a' is taken for a missing value: 1 record.",
        f"{mark!r} in 'b' is taken for a level: 1 record.",
        "'a' is missing in 1 record, which counts as a level.",
    )
    cut = DataSpec(key, ("a",), ("b",), binnings=(Binning("a", "width", 2),), missing="drop")
    assert count(cut, sources).joint.n == 3


def test_a_wide_table_is_described(sources):
    names = ",".join(f"c{i}" for i in range(300))
    row = ",".join("12"[i % 2] for i in range(300))
    key = sources.add_bytes(f"{names}\n{row}\n{row[::-1]}\n".encode(), "wide.csv")
    info = describe(key, sources)
    assert {(item.levels, item.exact, item.numeric) for item in info.columns} == {(2, True, True)}
    assert len(info.columns) == 300


def test_levels_are_never_more_than_the_records(sources, monkeypatch):
    many = 2 * MAX_LEVELS + 1_000
    key = sources.add_bytes(b"a,b\n" + b"".join(b"%d,x\n" % i for i in range(many)), "ids.csv")
    assert [(item.levels, item.exact) for item in describe(key, sources).columns] == [
        (many, True),
        (1, True),
    ]
    monkeypatch.setattr(import_module("core.data.readers.describe"), "EXACT", 0)
    result = describe(key, sources).columns[0]
    assert not result.exact
    assert 0.8 * many <= result.levels <= many


def test_grouping_x_leaves_s_alone(sources):
    body = "".join(f"{'ab'[i > 1]},{'pq'[i > 2]}\n" for i in range(9))
    key = sources.add_bytes(f"s,x\n{body}".encode(), "data.csv")
    released = count(DataSpec(key, ("s",), ("x",), rare_below=5), sources).joint
    assert (released.s_labels, released.x_labels) == (("a", "b"), ("q", "(rare: 1 level)"))
    secret = count(DataSpec(key, ("s",), ("x",), rare_below_s=5), sources).joint
    assert (secret.s_labels, secret.x_labels) == (("b", "(rare: 1 level)"), ("p", "q"))


def test_zero_has_one_sign(add, sources):
    key = add(pd.DataFrame({"a": [0.0, -0.0, 1.0], "b": list("xyx")}))
    assert count(DataSpec(key, ("b",), ("a",)), sources).joint.x_labels == ("0", "1")


@pytest.mark.parametrize("size", range(20, 45))
def test_records_and_formulas_are_found_wherever_a_block_ends(size, monkeypatch, tmp_path):
    monkeypatch.setattr("core.data.readers.records._COUNTED", size)
    lines = ['"zip","sex"', '"1","F"', '"=""02134""","M"', "", '"a\r\nb","F"', '"2","M"']
    path = tmp_path / "people.csv"
    path.write_text("\r\n".join(lines), newline="")
    layout = find_layout(path, "people.csv", ReadOptions())
    target = tmp_path / "people.parquet"
    repairs = write_records(path, "people.csv", layout, target)
    assert parquet.read_table(target).column(0).to_pylist() == ["1", "02134", "a\r\nb", "2"]
    assert [repair.sentence for repair in repairs] == [
        '1 value such as ="02134" is a formula for a text: read as 02134.'
    ]
