"""Files that someone made to break the reader, or that broke on their way."""

import errno
from pathlib import Path

import pytest
from pyarrow import parquet

from core.data import ColumnOptions, DataSpec, Hierarchy, ReadOptions, Sources, count
from core.data.hierarchies import read_rows
from core.data.readers import reading
from core.errors import InvalidInputError
from core.scenario.purpose import read_losses
from tests.hostile.files import NUMBERS, READ, REFUSED, workbook
from tests.hostile.links import QUOTED

PLAIN = b"s,x\na,b\nc,d\n"


@pytest.fixture
def sources(tmp_path):
    made = Sources()
    made._folder = tmp_path
    return made


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_is_refused_in_one_short_sentence_and_leaves_nothing(sources, tmp_path, name):
    made, text = REFUSED[name]
    content = made() if callable(made) else made
    with pytest.raises(InvalidInputError) as caught:
        sources.add_bytes(content, name)
    sentence = str(caught.value)
    assert text in sentence
    assert len(sentence) <= QUOTED
    assert str(tmp_path) not in sentence
    assert list(tmp_path.iterdir()) == []
    assert not sources.uploads


@pytest.mark.parametrize("cell", ["many", "-1", "", "1.5"])
@pytest.mark.parametrize("way", ["weight", "cells"])
def test_a_count_that_is_none_is_refused_in_one_sentence_and_leaves_nothing(
    sources, tmp_path, cell, way
):
    source = sources.add_bytes(f"s,x,n\na,b,3\na,d,{cell}\nc,d,2\n".encode(), "t.csv")
    before = set(tmp_path.rglob("*"))
    read = ReadOptions(**{way: "n" if way == "weight" else ("n",)}, above=("s",))
    if (way, cell) == ("cells", ""):
        assert sources.records(source, read).rows == 5
        return
    with pytest.raises(
        InvalidInputError, match=r"record 2.* has .*: use a whole number of at least"
    ):
        sources.records(source, read)
    assert set(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", READ)
def test_a_file_is_read_as_it_is_meant(sources, name):
    content, secret, released, records = READ[name]
    source = sources.add_bytes(content, name)
    first, second = sources.uploads[source].table.columns
    counted = count(DataSpec(source, (first,), (second,)), sources)
    assert (counted.joint.s_labels, counted.joint.x_labels) == (secret, released)
    assert counted.report.n_used == records


def test_a_damaged_line_is_named_by_its_place_in_the_whole_file(sources):
    with pytest.raises(InvalidInputError, match="has 3 fields in line 4, but its header has 2"):
        sources.add_bytes(b"sep=;\ns;x\na;b\na;b;c\n", "sep.csv")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a,b\nq,2\nw,x\n".encode("utf-16-le"), r"record 2 \(line 3\) has"),
        ("sep=;\na;b\nq;2\nw;x\n".encode("utf-16-be"), r"record 2 \(line 4\) has"),
        (b"a,b\n" + b"y" * 120_000 + b",1\nq,x\n", "record 2"),
    ],
    ids=["little", "big", "long"],
)
def test_a_value_of_another_type_is_told_with_its_line_where_that_can_be_found(
    sources, text, place
):
    source = sources.add_bytes(text, "a.csv")
    read = ReadOptions(columns=(ColumnOptions("b", "number"),))
    with pytest.raises(InvalidInputError, match=place):
        count(DataSpec(source, ("a",), ("b",), read=read), sources)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"," * 6_000_000, "a table of parents may have at most 5.0 MB"),
        (b"a" + b"," * 200_000 + b"\n", "entries"),
        (b"x" * 200_000 + b",a\n", "cannot be read as a table of parents"),
        (b'a,"b\n', "cannot be read as a table of parents"),
        (b"a,b\n" * 20_000, "1 to 10,000 rows"),
    ],
    ids=["large", "wide", "long", "open", "many"],
)
def test_a_table_of_parents_is_refused_in_one_short_sentence(content, message):
    with pytest.raises(InvalidInputError, match=message) as caught:
        Hierarchy("job", "table", 1, rows=read_rows(content, "n" * 5_000))
    assert len(str(caught.value)) <= QUOTED


@pytest.mark.parametrize("text", ["x" * 200_000 + ",1\n1,0", '0,1\n"' + "1" * 200_000])
def test_so_is_a_loss_table(text):
    with pytest.raises(InvalidInputError, match="cannot be read as CSV"):
        read_losses(text)


def test_a_loss_table_may_have_any_line_ends():
    assert read_losses("0,1\r2,0") == read_losses("0,1\r\n2,0\n") == ((0, 1), (2, 0))


def full(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


def half(path, content):
    with path.open("wb") as file:
        file.write(content[: len(content) // 2])
    full()


@pytest.mark.parametrize("content", [PLAIN, NUMBERS, workbook()], ids=["csv", "parquet", "excel"])
def test_a_disk_that_is_full_is_told_and_no_half_of_a_file_stays(
    sources, tmp_path, monkeypatch, content
):
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", half)
        with pytest.raises(InvalidInputError, match="the disk is full"):
            sources.add_bytes(content, "a.data")
    assert list(tmp_path.iterdir()) == []
    assert sources.add_bytes(content, "a.data") in sources.uploads


@pytest.mark.parametrize("content", [PLAIN, workbook()], ids=["csv", "excel"])
def test_neither_does_half_of_its_records(sources, tmp_path, monkeypatch, content):
    monkeypatch.setattr(parquet.ParquetWriter, "write_batch", full)
    monkeypatch.setattr(reading.parquet, "write_table", full)
    with pytest.raises(InvalidInputError, match="the disk is full"):
        sources.add_bytes(content, "a.data")
    assert list(tmp_path.iterdir()) == []


def test_another_error_of_the_system_stays_what_it_is(sources, tmp_path, monkeypatch):
    def broken(*_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(Path, "write_bytes", broken)
    with pytest.raises(OSError, match="Input/output"):
        sources.add_bytes(PLAIN, "a.csv")
    assert list(tmp_path.iterdir()) == []
