"""A folder of answers: bounded, and silent whatever is wrong with it."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import InvalidInputError
from core.stored import LARGEST, Folder

KEYS = [f"{number:064x}" for number in range(12)]
ROOT = Path(__file__).parents[3]


def test_what_was_not_read_for_longest_goes_first(tmp_path):
    folder = Folder(tmp_path / "new", most_bytes=80)
    for age, key in enumerate(KEYS[:8]):
        assert folder.put(key, bytes(10))
        os.utime(folder.path / key, (1000 + age, 1000 + age))
    assert folder.n_bytes == 80
    assert folder.find(KEYS[0]) == bytes(10)  # read just now
    assert folder.put(KEYS[8], b"x")
    kept = {key for key in KEYS if folder.find(key) is not None}
    assert kept == {KEYS[0], *KEYS[2:9]}
    assert folder.n_bytes == 71


def test_the_bytes_never_exceed_the_bound(tmp_path):
    folder = Folder(tmp_path, most_bytes=100)
    assert not folder.put(KEYS[0], bytes(100 // LARGEST + 1))
    for key in KEYS:
        assert folder.put(key, bytes(12))
        assert folder.n_bytes <= 100
    assert sum(folder.find(key) is not None for key in KEYS) == 8


def test_an_answer_that_was_being_written_by_a_process_that_ended_is_removed(tmp_path):
    folder = Folder(tmp_path, most_bytes=1000)
    old, new, other = (
        tmp_path / f"part-{'0' * 16}",
        tmp_path / f"part-{'1' * 16}",
        tmp_path / "note",
    )
    for path in (old, new, other):
        path.write_bytes(b"12345")
    os.utime(old, (1000, 1000))
    os.utime(other, (1000, 1000))
    assert folder.put(KEYS[0], b"1")
    assert (old.exists(), new.exists(), other.exists()) == (False, True, True)
    assert folder.n_bytes == 6


def test_what_may_not_be_used_is_a_sentence(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(InvalidInputError, match=r"file' cannot be used: File exists\."):
        Folder(file)
    with pytest.raises(InvalidInputError, match=r"below' cannot be used: Not a directory\."):
        Folder(file / "below")
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    with pytest.raises(InvalidInputError, match=r"Others may write to .*open': chmod 700\."):
        Folder(open_to_all)
    with pytest.raises(InvalidInputError, match="most_bytes"):
        Folder(tmp_path, most_bytes=1)


def test_a_folder_of_somebody_else_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(InvalidInputError, match="belongs to somebody else"):
        Folder(tmp_path)


def test_a_key_is_no_path(tmp_path):
    with pytest.raises(InvalidInputError, match="A key is a SHA-256"):
        Folder(tmp_path).find("../file")


def test_a_file_larger_than_any_answer_is_not_read(tmp_path):
    folder = Folder(tmp_path, most_bytes=80)
    (tmp_path / KEYS[0]).write_bytes(bytes(11))
    assert folder.find(KEYS[0]) is None


@pytest.mark.skipif(os.name != "posix", reason="has no pipes and links of files")
def test_neither_is_what_is_no_file(tmp_path):
    folder = Folder(tmp_path)
    whole = tmp_path / "whole"
    whole.write_bytes(b"answer")
    for place, made in {
        "0" * 64: lambda path: path.symlink_to(whole),
        "1" * 64: lambda path: path.symlink_to("/dev/zero"),
        "2" * 64: os.mkfifo,
        "3" * 64: Path.mkdir,
    }.items():
        made(tmp_path / place)
        assert folder.find(place) is None
        assert folder.put(place, b"ours") == (place != "3" * 64)
        assert folder.find(place) == (None if place == "3" * 64 else b"ours")
    assert whole.read_bytes() == b"answer"


def test_a_folder_that_is_removed_meanwhile_keeps_nothing(tmp_path):
    folder = Folder(tmp_path / "gone")
    folder.path.rmdir()
    assert not folder.put(KEYS[0], b"1")
    assert folder.find(KEYS[0]) is None
    folder.drop(KEYS[0])


def test_a_folder_that_may_only_be_read_is_read(tmp_path, monkeypatch):
    folder = Folder(tmp_path)
    assert folder.put(KEYS[0], b"1")

    def refused(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    for name in ("utime", "unlink", "rename"):
        monkeypatch.setattr(os, name, refused)
    opened = os.open
    monkeypatch.setattr(
        os,
        "open",
        lambda path, flags, *more: (refused if flags & os.O_WRONLY else opened)(path, flags, *more),
    )
    assert folder.find(KEYS[0]) == b"1"
    assert not folder.put(KEYS[1], b"1")


FULL = """
import resource, signal, sys
from pathlib import Path
from core.stored import Folder

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
folder = Folder(Path(sys.argv[1]))
print(folder.put("0" * 64, bytes(900)), folder.put("1" * 64, bytes(2000)))
print([len(path.name) for path in folder.path.iterdir()])
"""


def test_a_disk_that_is_full_in_mid_answer_keeps_nothing_of_it(tmp_path):
    reported = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert reported == ["True False", "[64]"]


WRITES = """
import sys
from pathlib import Path
from core.stored import Folder

folder = Folder(Path(sys.argv[1]), most_bytes=100_000)
for number in range(300):
    key = f"{number % 20:064x}"
    folder.put(key, key.encode() * 100)
    found = folder.find(key)
    assert found in (None, key.encode() * 100), "half an answer"
"""


def test_two_processes_that_write_the_same_see_whole_answers(tmp_path):
    both = [
        subprocess.Popen(
            [sys.executable, "-c", WRITES, str(tmp_path)],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        for _ in range(2)
    ]
    assert [item.wait() for item in both] == [0, 0]
    folder = Folder(tmp_path, most_bytes=100_000)
    assert folder.n_bytes <= 100_000 + 100_000 // LARGEST
