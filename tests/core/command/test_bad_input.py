"""What is wrong with what a command is given: one sentence, status 2 and nothing written."""

import io
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.__main__ import main
from tests.core.records.makers import SEED, people, write

ROOT = Path(__file__).parents[3]
SCENARIO = {"data": {"secret": ["sex"], "released": ["town"]}, "mechanism": "watchdog"}
SMALL_DISK = "large.csv could not be stored: the disk is full."
FULL = 100_000
"""Bytes that a file may have on a disk that is nearly full."""


def on_a_full_disk(folder, line):
    """Run a command as a process that may write little, with all its files below the folder."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (FULL, FULL))

    return subprocess.run(
        [sys.executable, "-m", "core", *line.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "scratch")},
        preexec_fn=limit,
        check=False,
    )


def command(folder, line):
    """Run a command in this process, with all its files below the folder."""
    out, errors = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(errors):
        patch.chdir(folder)
        patch.setattr(tempfile, "tempdir", str(folder / "scratch"))
        try:
            code = main(line.split())
        except SystemExit as ended:  # the parser's
            code = ended.code
    return SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=errors.getvalue())


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a folder with a release, its certificate, and inputs that are wrong."""
    tmp_path = tmp_path_factory.mktemp("made")
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scenario.json").write_text(json.dumps(SCENARIO), encoding="utf-8")
    write(people(300), tmp_path / "people.csv")
    line = f"release scenario.json people.csv released.csv --seed {SEED} --certificate c.json"
    assert command(tmp_path, line).returncode == 0
    other = {"data": {"secret": ["sex"], "released": ["job"]}, "mechanism": "watchdog"}
    (tmp_path / "other.json").write_text(json.dumps(other), encoding="utf-8")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "header.csv").write_text("sex,town\n")
    write(people(9_000), tmp_path / "large.parquet")
    return tmp_path


@pytest.fixture
def folder(made, tmp_path):
    """Return a copy of that folder."""
    return shutil.copytree(made, tmp_path / "copy")


def without_progress(message):
    """Return the lines beside those that a busy machine says of its progress."""
    return [item for item in message.splitlines() if not re.fullmatch(r"\w+: [\d,]+ s", item)]


def refused(done, sentence):
    assert sentence in done.stderr
    lines = without_progress(done.stderr)
    assert len(lines) == 1 or all(item.startswith("  --read ") for item in lines[1:])
    assert done.returncode == 2
    assert done.stdout == ""


WRONG = {
    "other columns": ("release other.json people.csv o.csv --seed 1", "no column 'job'"),
    "no folder": ("release scenario.json people.csv no/o.csv --seed 1", "cannot be written"),
    "no number": ("release scenario.json people.csv o.csv --seed one", "got 'one'"),
    "an empty file": ("release scenario.json empty.csv o.csv --seed 1", "empty.csv is empty"),
    "no records": ("release scenario.json header.csv o.csv --seed 1", "but no records"),
    "no such scenario": ("evaluate none.json", "'none.json' cannot be read"),
    "no such data": ("evaluate scenario.json --data none.csv", "There is no file 'none.csv'"),
    "no such project": ("compare none.json", "'none.json' cannot be read"),
    "no folder of a report": ("report scenario.json no/r.html", "cannot be written"),
    "no certificate": ("verify scenario.json released.csv", "not a release certificate"),
}


@pytest.mark.parametrize("what", WRONG)
def test_it_is_one_sentence_and_nothing_is_written(what, folder):
    before = contents(folder)
    line, sentence = WRONG[what]
    refused(command(folder, line), sentence)
    assert contents(folder) == before


def test_a_full_disk_leaves_what_was_there(folder):
    before = contents(folder)
    line = "release scenario.json large.parquet released.csv --seed 1 --certificate c.json"
    refused(on_a_full_disk(folder, line), "'released.csv' cannot be written: ")
    assert contents(folder) == before
    line = "report scenario.json r.html --data people.csv --lines none"
    refused(on_a_full_disk(folder, line), "'r.html' cannot be written: ")
    assert contents(folder) == before
    write(people(25_000), folder / "large.csv")  # its Parquet copy does not fit either
    before = contents(folder)
    line = "release scenario.json large.csv released.csv --seed 1"
    refused(on_a_full_disk(folder, line), SMALL_DISK)
    assert contents(folder) == before


def test_a_file_that_changed_since_its_certificate_fails_the_check(folder):
    line = f"verify c.json released.csv people.csv --seed {SEED}"
    assert command(folder, line).returncode == 0
    write(people(300, seed=1), folder / "people.csv")
    done = command(folder, line)
    assert done.returncode == 2
    assert "FAILS        original file: people.csv is not the original that" in done.stdout
    assert "original file" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_kernel_for_another_alphabet_fails_the_check(folder):
    body = json.loads((folder / "c.json").read_text(encoding="utf-8"))
    body["mechanism"]["kernel"].pop()
    (folder / "c.json").write_text(json.dumps(body), encoding="utf-8")
    done = command(folder, "verify c.json released.csv people.csv")
    assert done.returncode == 2
    assert "FAILS        kernel: The kernel has " in done.stdout


@pytest.mark.parametrize(
    "line", ["evaluate scenario.json --data people.csv", "verify c.json released.csv"]
)
def test_output_that_cannot_be_written_is_told(line, folder):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "core", *line.split()],
            cwd=folder,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            check=False,
        )
    expected = "Standard output cannot be written: no space left on device."
    assert without_progress(done.stderr) == [expected]
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("evaluate scenario.json --data p\udcff.csv", "'p\\xff.csv'"),
        ("release scenario.json p\udcff.csv o.csv --seed 5", "'p\\xff.csv'"),
        ("release scenario.json people.csv o\udcff.csv --seed 5", "'o\\xff.csv'"),
        ("sweep sweep.json --out x\udcff.parquet", "'x\\xff.parquet'"),
        ("sweep sweep.json --out x.parquet --summary x\udcff.json", "'x\\xff.json'"),
        ("evaluate scenario.json --data in\udcff.csv", "'in\\xff.csv'"),
        ("evaluate in\udcff.json", "'in\\xff.json'"),
    ],
)
def test_a_name_that_is_no_text_is_refused_and_shown_as_its_bytes(line, name, folder):
    request = {"random": {"draws": 2, "n_s": 2, "n_x": 3}, "vary": {"mechanism": ["watchdog"]}}
    (folder / "sweep.json").write_text(json.dumps(request), encoding="utf-8")
    shutil.copy(folder / "people.csv", folder / "p\udcff.csv")
    before = contents(folder)
    done = command(folder, line)
    refused(done, name)
    assert "udcff" not in done.stderr
    assert contents(folder) == before
