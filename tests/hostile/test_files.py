"""Files that someone made to break the reader, or that broke on their way."""

import errno
from pathlib import Path

import pytest
from pyarrow import parquet

from core.data import DataSpec, Sources, count
from core.data.readers import reading
from core.errors import InvalidInputError
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
    content, said = REFUSED[name]
    with pytest.raises(InvalidInputError) as caught:
        sources.add_bytes(content, name)
    sentence = str(caught.value)
    assert said in sentence
    assert len(sentence) <= QUOTED
    assert str(tmp_path) not in sentence
    assert list(tmp_path.iterdir()) == []
    assert not sources.uploads


@pytest.mark.parametrize("name", READ)
def test_a_file_is_read_as_it_is_meant(sources, name):
    content, secret, released, records = READ[name]
    source = sources.add_bytes(content, name)
    first, second = sources.uploads[source].table.columns
    counted = count(DataSpec(source, (first,), (second,)), sources)
    assert (counted.joint.s_labels, counted.joint.x_labels) == (secret, released)
    assert counted.report.n_used == records


def test_a_damaged_line_is_named_by_its_place_in_the_whole_file(sources):
    with pytest.raises(InvalidInputError, match="has 3 fields in line 4, its header has 2"):
        sources.add_bytes(b"sep=;\ns;x\na;b\na;b;c\n", "sep.csv")


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
        with pytest.raises(InvalidInputError, match="no room left on the disk"):
            sources.add_bytes(content, "a.data")
    assert list(tmp_path.iterdir()) == []
    assert sources.add_bytes(content, "a.data") in sources.uploads


@pytest.mark.parametrize("content", [PLAIN, workbook()], ids=["csv", "excel"])
def test_neither_does_half_of_its_records(sources, tmp_path, monkeypatch, content):
    monkeypatch.setattr(parquet.ParquetWriter, "write_batch", full)
    monkeypatch.setattr(reading.parquet, "write_table", full)
    with pytest.raises(InvalidInputError, match="no room left on the disk"):
        sources.add_bytes(content, "a.data")
    assert list(tmp_path.iterdir()) == []


def test_another_error_of_the_system_stays_what_it_is(sources, tmp_path, monkeypatch):
    def broken(*_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(Path, "write_bytes", broken)
    with pytest.raises(OSError, match="Input/output"):
        sources.add_bytes(PLAIN, "a.csv")
    assert list(tmp_path.iterdir()) == []
