"""Phrases that docs/voice.md replaces stay out of the interface, the messages and the documents."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

GONE = (
    r"\bin print\b",
    r"\bbeside print\b",
    r"\b[Pp]rint (?:says|has|needs|names|is wrong)\b",
    r"\bprint's\b",
    "could not be told",
    "which are told of",
    "there is nothing to be known",
    "stood empty",
    "First glance",
    "better answer is being worked out",
    "What looks alike",
    "How far beliefs move",
    "Records with a value that was not counted",
    "not as it should be",
    "is ringed where",
    "Bring all columns to",
    "what X says",
    r"of what \w+ says",
)
"""What is no longer said, as regular expressions."""


@cache
def texts() -> dict[str, str]:
    """Return what people read, by path: code with its strings, and documents."""
    places = [*(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    places += [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    return {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for path in places
        if path.name != "voice.md"
    }


@pytest.mark.parametrize("phrase", GONE)
def test_a_phrase_that_is_gone_stays_gone(phrase):
    pattern = re.compile(phrase)
    assert [path for path, text in texts().items() if pattern.search(text)] == []


def test_every_phrase_of_the_voice_is_looked_for():
    table = (ROOT / "docs" / "voice.md").read_text(encoding="utf-8").partition("## Instead of")[2]
    left = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(left) >= 10
    missed = [one for one in left if not any(re.search(phrase, one) for phrase in GONE)]
    assert missed == []
