"""Formulas as MathML: every formula of the catalogues, and what each construct becomes."""

import re
from xml.etree import ElementTree

import pytest

from core.measures import catalogue as measures
from core.mechanisms import catalogue as mechanisms
from core.nonstochastic import catalogue as ranges
from core.notions import catalogue as notions
from pages.ui.report.document import mathml

FORMULAS = [
    item.formula
    for item in (
        *notions.ALL,
        *mechanisms.CATALOGUE.values(),
        *measures.ENTRIES,
        *ranges.CATALOGUE,
    )
]


def test_every_formula_of_the_catalogues_is_well_formed_and_loses_no_letter(subtests):
    for formula in FORMULAS:
        with subtests.test(formula=formula):
            loses_no_letter(formula)


def loses_no_letter(formula):
    made = mathml(formula)
    root = ElementTree.fromstring(made)
    text = "".join(root.itertext()).replace("\N{NO-BREAK SPACE}", " ")
    assert "\\" not in text
    plain = re.sub(r"\\(text|mathrm)\{([^}]*)\}", r"\2", formula)
    plain = re.sub(r"\\(begin|end)\{cases\}|\\[A-Za-z]+|\\.", "", plain)
    for letter in "PXYSIsxy0123456789":
        assert text.count(letter) >= plain.count(letter)
    assert text.count("≤") == len(re.findall(r"\\le(?![a-z])", formula))


def test_what_each_construct_becomes():
    assert "<mfrac><mn>1</mn><mn>2</mn></mfrac>" in mathml(r"\frac12")
    assert "<munder><mo>∑</mo><mi>s</mi></munder>" in mathml(r"\sum_s")
    assert "<msubsup>" in mathml("I^S_a")
    assert '<mover accent="true"><mi>P</mi><mo>^</mo></mover>' in mathml(r"\hat P")
    assert mathml(r"\begin{cases} 1 & a \\ 2 & b \end{cases}").count("<mtr>") == 2
    assert "<mtext>for&#160;all</mtext>" in mathml(r"\text{for all}")
    assert mathml("a < b").count("&lt;") == 1
    assert '<mo stretchy="false">(</mo><mi>y</mi><mo stretchy="false">)</mo>' in mathml("P(y)")
    assert "<mo>(</mo>" in mathml(r"\Bigl(")


@pytest.mark.parametrize("formula", [r"\sqrt{2}", "{a", r"\frac{1}", r"\mathrm x"])
def test_what_is_not_known_is_an_error(formula):
    with pytest.raises(ValueError, match="The formula"):
        mathml(formula)
