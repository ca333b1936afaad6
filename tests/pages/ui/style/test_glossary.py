"""The glossary is one table for readers and tooltips."""

from pathlib import Path

from pages.ui.style import glossary

TEXT = (Path(__file__).parents[4] / "docs" / "glossary.md").read_text(encoding="utf-8")


def test_every_row_of_the_document_is_an_entry():
    rows = [line for line in TEXT.splitlines() if line.startswith("| ")]
    assert len(glossary.terms()) == len(rows) - 2  # less the two heads
    assert all(term.title and term.meaning.endswith(".") for term in glossary.terms().values())


def test_a_bar_in_a_cell_is_part_of_the_text():
    assert "P(y | x)" in glossary.meaning("mechanism")


def test_cells_are_what_stands_in_the_table():
    term = glossary.terms()["nmi"]
    assert (term.title, term.source) == ("NMI", "[Lift] §II")
    assert term.meaning == "The share of what X says that the release keeps: I(X;Y)/H(X)."
    assert glossary.terms()["gap"].source == ""
