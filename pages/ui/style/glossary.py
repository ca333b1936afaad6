"""Symbols and terms, as docs/glossary.md explains them: what the interface says on hover."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from pages.ui.command import application

ROW = re.compile(r"^\| (\w+) \| (.+?) \| (.+?) \| (.*?) ?\|$")
"""A row of the tables: key, term, meaning, source; a bar within a cell is escaped."""


@dataclass(frozen=True)
class Term:
    """One entry of the glossary.

    Attributes
    ----------
    key, title : str
        How code asks for it, and what readers see.
    meaning : str
        What it is, in a sentence or two.
    source : str
        Paper and place; empty where it is our own.
    """

    key: str
    title: str
    meaning: str
    source: str


@cache
def terms() -> dict[str, Term]:
    """Return the whole glossary by key, in its own order.

    Raises
    ------
    ValueError
        If two entries have the same key.
    """
    text = (application().parent / "docs" / "glossary.md").read_text(encoding="utf-8")
    found: dict[str, Term] = {}
    for line in text.splitlines():
        row = ROW.match(line.replace(r"\|", "\N{DIVIDES}"))
        if row is None or row[1] == "key":
            continue
        cells = [(cell or "").replace("\N{DIVIDES}", "|") for cell in row.groups()]
        if cells[0] in found:
            raise ValueError(f"The glossary explains {cells[0]!r} twice.")
        found[cells[0]] = Term(*cells)
    return found


def meaning(key: str) -> str:
    """Return what a symbol or term means, for a tooltip.

    Raises
    ------
    KeyError
        If the glossary does not have it.
    """
    return terms()[key].meaning
