"""Symbols and terms, as docs/glossary.md explains them: what the interface says on hover."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from pages.ui.command import application
from pages.ui.style.labels import markdown

ROW = re.compile(r"^\| (\w+) \| (.+?) \| (.+?) \| (.*?) ?\|$")
"""A row of the tables: key, term, meaning, source; a bar within a cell is escaped."""

ALSO = {"Λ(y)": "Λ", "Ψ(y)": "Ψ", "Γ(y)": "Γ", "l(s, y)": "l"}
"""A symbol → how it is written without its argument."""

UNITS = ("nats", "bits")
"""Words that are explained like symbols."""


@dataclass(frozen=True)
class Term:
    """One entry of the glossary; `source` is paper and place, empty where it is our own."""

    key: str
    title: str
    meaning: str
    source: str


@cache
def terms() -> dict[str, Term]:
    """Return the whole glossary by key, in its own order."""
    text = (application().parent / "docs" / "glossary.md").read_text(encoding="utf-8")
    by_key: dict[str, Term] = {}
    for line in text.splitlines():
        row = ROW.match(line.replace(r"\|", "\N{DIVIDES}"))
        if row is None or row[1] == "key":
            continue
        cells = [(cell or "").replace("\N{DIVIDES}", "|") for cell in row.groups()]
        if cells[0] in by_key:
            raise ValueError(f"The glossary explains {cells[0]!r} twice.")
        by_key[cells[0]] = Term(*cells)
    return by_key


def meaning(key: str) -> str:
    """Return what a symbol or term means, for a tooltip."""
    return terms()[key].meaning


@cache
def signs() -> dict[str, Term]:
    """Return the symbols, acronyms and units by how they are written; the first meaning of each."""
    by_sign: dict[str, Term] = {}
    for term in terms().values():
        sign = term.title.replace("\\", "")
        if term.key in UNITS or _is_sign(sign):
            by_sign.setdefault(sign, term)
            by_sign.setdefault(ALSO.get(sign, sign), term)
    return by_sign


def _is_sign(title: str) -> bool:
    """Return whether a title is a symbol or an acronym, which has no word of lower-case letters."""
    return not re.search(r"[a-z]{4}|^[a-z]{3}$", title)


@cache
def _pattern() -> re.Pattern[str]:
    longest = sorted(signs(), key=len, reverse=True)
    # a hat, a star or an index makes another symbol of a letter
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?![\w*\u0302])")


def terms_in(texts: Iterable[str]) -> list[Term]:
    once: dict[str, Term] = {}
    for text in texts:
        plain = text.replace("\\", "").replace("**", "")
        for match in _pattern().finditer(plain):
            term = signs()[match[0]]
            once.setdefault(term.key, term)
    return list(once.values())


def explanation(*texts: str) -> str | None:
    meanings = [f"**{markdown(term.title)}**: {markdown(term.meaning)}" for term in terms_in(texts)]
    return "\n\n".join(meanings) or None


def explained(label: str, key: str) -> str:
    """Return what a figure is, by its key, and what the signs in its label are, as Markdown."""
    (_, own), *more = listed(label, key)
    meanings = [f"**{markdown(title)}**: {markdown(meaning)}" for title, meaning in more]
    return "\n\n".join([own, *meanings])


def listed(label: str, key: str) -> list[tuple[str, str]]:
    """Return what `explained` says, as pairs of a term and its meaning."""
    own = terms()[key]
    more = [term for term in terms_in([label]) if term is not own]
    return [(label, own.meaning), *((term.title, term.meaning) for term in more)]
