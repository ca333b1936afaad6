"""Each section of a paper that is cited is one that the paper has."""

import re
from pathlib import Path

import pytest

from core.papers.results import PAPERS, printed
from core.papers.running import shipped

ROOT = Path(__file__).parents[3]

SECTIONS = {
    "Lift": "I I-A II II-A II-B III III-A III-A1 III-A2 III-A3 IV IV-A IV-B V V-A V-B VI VI-A VI-B "
    "VII",
    "ALIP": "I II II-A II-B II-C III III-A III-B IV",
    "RLDP": "1 2 2.1 2.2 2.3 2.4 3 4 4.1 4.2 4.3 5 6 7 8 8.1 8.2 8.3 8.4 8.5 9",
    "Funnel": "I I-A I-B II III IV V VI VI-A VI-B VII VII-A VII-B VII-C VII-D VII-E VIII",
    "NonStoch": "I II III III-A III-B III-C IV V V-A V-A1 V-B V-B1 V-B2 V-C VI VI-A VI-B VII "
    "VII-A VII-B VIII",
}
"""The sections of each paper, as its text numbers them."""

KEYS = dict(zip(("lift", "alip", "rldp", "funnel", "nonstochastic"), SECTIONS, strict=True))
"""The papers' names by the keys under which their experiments are kept."""

CITED = re.compile(r"\[(Lift|ALIP|RLDP|Funnel|NonStoch)\]([^\[\]|]{0,90})")
"""A paper, and what follows of it up to the next."""

SECTION = re.compile(r"§\s?([IVX]+(?:-[A-E]\d?)?|\d(?:\.\d)?)")


def missing(paper, text):
    """Return the sections that a text cites and the paper has not."""
    return [item for item in SECTION.findall(text) if item not in SECTIONS[paper].split()]


def files():
    """Return the sources and documents in which papers are cited."""
    result = [*ROOT.glob("docs/*.md"), ROOT / "README.md"]
    return [*result, *ROOT.glob("core/**/*.py"), *ROOT.glob("pages/**/*.py")]


def test_sources_and_documents_cite_sections_that_the_papers_have():
    wrong = [
        (str(path.relative_to(ROOT)), paper, item)
        for path in files()
        for paper, text in CITED.findall(path.read_text(encoding="utf-8"))
        for item in missing(paper, text)
    ]
    assert wrong == []


@pytest.mark.parametrize("key", PAPERS)
def test_printed_values_and_verdicts_are_in_sections_that_the_paper_has(key):
    places = [item.place for item in printed(key).values()]
    for item in shipped().experiments:
        if item.paper == key:
            places += [text.place for text in (*item.verdicts, *item.marks)]
    assert [place for place in places if missing(KEYS[key], place)] == []


def test_the_errata_of_each_paper_cite_its_sections():
    text = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    own = dict(re.findall(r"^## \[(\w+)\]\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    assert set(own) == set(SECTIONS)
    for paper, message in own.items():
        assert missing(paper, message) == [], paper
    assert missing("ALIP", "§IV-B, Figure 3(a)") == ["IV-B"]  # the test sees one that is not there
