"""The glossary is one table for readers and tooltips."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.frame.controls import SLIDERS
from pages.ui.style import glossary
from tests.pages.sent import key_figures

ROOT = Path(__file__).parents[4]
TEXT = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")


def test_every_row_of_the_document_is_an_entry():
    rows = [line for line in TEXT.splitlines() if line.startswith("| ")]
    assert len(glossary.terms()) == len(rows) - 3  # less the three heads
    assert all(term.title and term.meaning.endswith(".") for term in glossary.terms().values())


def test_a_bar_in_a_cell_is_part_of_the_text():
    assert "P(y | x)" in glossary.meaning("mechanism")


def test_cells_are_what_stands_in_the_table():
    term = glossary.terms()["nmi"]
    assert (term.title, term.source) == ("NMI", "[Lift] §III-A3")
    assert term.meaning == "The share of X's information that the release keeps: I(X;Y)/H(X)."
    assert glossary.terms()["gap"].source == ""


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("alpha", "at 1 the mean is always 1"),
        ("k_anonymity", "It counts secrets, not records."),
        ("k", "values of the secret"),
        ("confusability", "that share a possible secret"),
        ("eps", "under LDP, the largest ratio of its probabilities under two secrets"),
        ("delta", "The total probability of outputs"),
    ],
)
def test_a_term_means_what_the_code_computes(key, message):
    assert message in glossary.meaning(key)


def test_every_slider_and_figure_is_explained_by_the_glossary():
    assert set(SLIDERS) <= set(glossary.terms())
    page = AppTest.from_file(ROOT / "pages/explore.py", default_timeout=600).run()
    explained = [item.help for item in key_figures(page)]
    assert len(explained) >= 6
    meanings = {term.meaning for term in glossary.terms().values()}
    assert {text.split("\n")[0] for text in explained} <= meanings
    helps = {slider.key: slider.help for slider in page.slider}
    assert helps["eps"] == glossary.meaning("eps")
