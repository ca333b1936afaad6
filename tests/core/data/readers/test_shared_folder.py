"""Files of a folder that the server's owner opened."""

import os

import pytest

from core.data.readers.sources import FOLDER, shared_file, shared_files
from core.errors import InvalidInputError


@pytest.fixture
def folder(tmp_path, monkeypatch):
    root = tmp_path / "open"
    (root / "more" / ".hidden").mkdir(parents=True)
    for name in (
        "b.csv",
        "a.parquet",
        "notes.md",
        ".secret.csv",
        "more/c d.TSV",
        "more/.hidden/x.csv",
    ):
        (root / name).write_text("sex,job\nf,a\nm,b\n")
    (tmp_path / "outside.csv").write_text("sex,job\nf,a\n")
    (root / "out.csv").symlink_to(tmp_path / "outside.csv")
    (root / "in.csv").symlink_to(root / "b.csv")
    os.mkfifo(root / "pipe.csv")
    monkeypatch.setenv(FOLDER, str(root))
    return root


def test_only_files_of_the_folder_are_listed(folder):
    assert shared_files() == ("a.parquet", "b.csv", "in.csv", "more/c d.TSV")
    assert shared_file("more/c d.TSV") == folder / "more" / "c d.TSV"


@pytest.mark.parametrize(
    "name",
    ["../outside.csv", "out.csv", ".secret.csv", "/etc/passwd", "pipe.csv", "", "nosuch.csv"],
)
def test_no_other_file_is_opened(name, folder):
    assert folder.is_dir()
    with pytest.raises(
        InvalidInputError, match="not a file in the folder that this server's owner"
    ):
        shared_file(name)


def test_without_a_folder_there_are_no_files_and_a_wrong_one_is_told(monkeypatch, tmp_path):
    monkeypatch.delenv(FOLDER, raising=False)
    assert shared_files() == ()
    monkeypatch.setenv(FOLDER, str(tmp_path / "nosuch"))
    with pytest.raises(InvalidInputError, match="LIFTSCOPE_FOLDER is not a folder"):
        shared_files()
