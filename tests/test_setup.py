"""The set-up says in one sentence what a machine lacks."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def bare(tmp_path):
    """Return a folder of commands that has a shell and uname, but neither Python nor compiler."""
    for name in ("sh", "uname"):
        (tmp_path / name).symlink_to(shutil.which(name))
    return tmp_path


def run(script: str, path: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [shutil.which("sh"), str(ROOT / ".ci" / script)],
        env={"PATH": str(path), **more},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_python_one_sentence_says_so(bare):
    answer = run("python", bare)
    assert answer.returncode == 1
    assert answer.stdout == ""
    assert answer.stderr.startswith("liftscope: Python 3.11 or newer is missing")
    assert answer.stderr.count("\n") == 1


def test_an_old_python_is_no_python(bare):
    old = bare / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    assert "Python 3.11 or newer is missing" in run("python", bare).stderr


def test_without_a_compiler_one_sentence_says_so(bare):
    answer = run("python", bare, PYTHON=sys.executable)
    assert answer.returncode == 1
    assert answer.stderr.startswith("liftscope: A C compiler is missing")
    assert answer.stderr.count("\n") == 1


def test_with_both_the_python_is_printed():
    answer = run("python", Path(os.environ["PATH"]), PYTHON=sys.executable)
    assert (answer.returncode, answer.stdout.strip()) == (0, sys.executable)


def test_requirements_are_pinned_exactly():
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    pins = [line.split("#")[0].split(";")[0].strip() for line in lines]
    assert all("==" in pin for pin in pins if pin)
