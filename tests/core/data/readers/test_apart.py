"""A reader written in C may end its process on a damaged file: this one goes on."""

import pytest

from core.data import Sources
from core.data.readers import apart
from core.errors import InvalidInputError
from tests.core.data.readers.test_labelled import CUT, broken_labels, read, spss


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch):
    monkeypatch.setattr(apart, "IN_PLACE", False)


def test_a_file_is_read_in_a_process_of_its_own(tmp_path):
    upload, columns, said = read(spss(tmp_path))
    assert (upload.kind, columns["sex"][:2], len(said)) == ("SPSS", ["man", "woman"], 2)
    with pytest.raises(InvalidInputError, match="is a damaged SPSS file"):
        read(spss(tmp_path)[:-20])


def test_a_file_that_ends_the_reader_is_refused_and_leaves_nothing(tmp_path):
    sources = Sources()
    with pytest.raises(InvalidInputError) as caught:
        sources.add_bytes(broken_labels(spss(tmp_path)), "x.sav")
    assert str(caught.value) == f"x.sav {CUT.format('SPSS')}"
    assert list(sources._folder.iterdir()) == []
