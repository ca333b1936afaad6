"""What conftest.py leaves to `make check` is there: no line names a test that has moved."""

import re
from pathlib import Path

import pytest

from conftest import SERVICES, SLOW

ROOT = SLOW.parents[1]
LINES = SLOW.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("lines", [SERVICES, LINES], ids=["services", "slow"])
def test_every_line_names_something(lines):
    assert len(set(lines)) == len(lines)
    for line in lines:
        path, _, case = line.partition("::")
        assert (ROOT / path).exists(), line
        name = case.split("[")[0].split(".")[-1]  # a doctest has the names of its module, too
        if name and name != Path(path).stem:
            text = (ROOT / path).read_text(encoding="utf-8")
            assert re.search(rf"(def|class) {name}\b", text), line


def test_lines_are_in_order():
    assert sorted(LINES) == LINES
