"""A reader written in C may end its process on a damaged file: this one goes on."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.data import Sources
from core.data.readers import apart
from core.errors import InvalidInputError
from tests.core.data.readers.test_labelled import CUT, broken_labels, read, spss
from tests.core.jobs.test_lifeline import PATIENCE, alive

WAITING = """
import threading, time
from pathlib import Path
from core.data.readers import apart

threading.Thread(target=apart.apart, args=(time.sleep, "x.sav", ValueError(), 600)).start()
found = ""
while not found:
    time.sleep(0.01)
    found = "".join(one.read_text() for one in Path("/proc/self/task").glob("*/children"))
time.sleep(0.5)
print(found.strip(), flush=True)
"""


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch):
    monkeypatch.setattr(apart, "IN_PLACE", False)


def test_a_file_is_read_in_a_process_of_its_own(tmp_path):
    upload, columns, text = read(spss(tmp_path))
    assert (upload.kind, columns["sex"][:2], len(text)) == ("SPSS", ["man", "woman"], 2)
    with pytest.raises(InvalidInputError, match="is a damaged or incomplete SPSS file"):
        read(spss(tmp_path)[:-20])


def test_a_file_that_ends_the_reader_is_refused_and_leaves_nothing(tmp_path):
    sources = Sources()
    with pytest.raises(InvalidInputError) as caught:
        sources.add_bytes(broken_labels(spss(tmp_path)), "x.sav")
    assert str(caught.value) == f"x.sav {CUT.format('SPSS')}"
    assert list(sources._folder.iterdir()) == []


def test_a_file_that_takes_too_long_is_refused_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(apart, "SECONDS", 0.001)
    sources = Sources()
    with pytest.raises(InvalidInputError, match=r"^x\.sav takes more than .* minutes to read: "):
        sources.add_bytes(spss(tmp_path), "x.sav")
    assert list(sources._folder.iterdir()) == []


def test_a_file_that_takes_too_much_memory_is_refused(monkeypatch):
    monkeypatch.setattr(apart, "MOST_BYTES", 400_000_000)
    died = InvalidInputError("It died.")
    text = r"^x\.sav takes more than 0\.4 GB of memory to read: save it as CSV\.$"
    with pytest.raises(InvalidInputError, match=text):
        apart.apart(bytes, "x.sav", died, 1_000_000_000)
    assert apart.apart(bytes, "x.sav", died, 3) == b"\0\0\0"


def test_what_a_library_writes_on_standard_output_is_no_answer():
    assert apart.apart(print, "x.sav", InvalidInputError("It died."), "a library's remark") is None


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes through /proc")
def test_the_process_ends_with_the_one_that_waits_for_it():
    server = subprocess.Popen([sys.executable, "-c", WAITING], stdout=subprocess.PIPE, text=True)
    sleeper = int(server.stdout.readline())
    assert alive(sleeper)
    server.kill()
    server.communicate()
    deadline = time.monotonic() + PATIENCE
    while alive(sleeper) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(sleeper)
