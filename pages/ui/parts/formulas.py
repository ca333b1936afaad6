"""Formulas and their sources, from the catalogues, as Markdown."""

from __future__ import annotations

from core.catalogued import Catalogued
from core.measures import catalogue as measures
from core.mechanisms import catalogue as mechanisms
from core.nonstochastic import catalogue as ranges
from core.notions import catalogue as notions
from pages.ui.style import glossary
from pages.ui.style.labels import markdown


def measure(key: str) -> str:
    return paragraph(measures.entry(key))


def notion(key: str) -> str:
    return paragraph(notions.entry(key))


def mechanism(key: str) -> str:
    return paragraph(mechanisms.entry(key))


def of_ranges(key: str, kind: str = ranges.MEASURE) -> str:
    """Return what a measure or algorithm without probabilities is, its formula and its source."""
    return paragraph(ranges.entry(key, kind))


def paragraph(entry: Catalogued) -> str:
    """Return what an entry of a catalogue is, its formula and its source."""
    source = f":gray[{markdown(entry.source)}]"
    return f"**{entry.title}**. {entry.meaning}\n\n$$ {entry.formula} $$\n\n{source}"


RANGE = (
    "**Confusability graph**. Two releases are joined if they share a possible secret: someone "
    "who knows the secret cannot tell for certain which was released.\n\n$$ y \\sim y' \\iff "
    "\\exists s: P(s,y) > 0 \\text{ and } P(s,y') > 0 $$\n\nThe graph's parts (connected "
    "components) are the groups of secrets that a release distinguishes for certain: maximin "
    "information $I_* = \\log(\\text{parts})$.\n\n:gray[\\[NonStoch\\] §IV, Lemma 2]"
)
"""The confusability graph in words."""

FRONTIER = (
    f"**Utility**. {glossary.meaning('nmi')}\n\n"
    r"$$ \mathrm{NMI} = \frac{I(X;Y)}{H(X)}, \quad I(X;Y) = \sum_{x,y} P(x,y) \log "
    r"\frac{P(x,y)}{P(x)P(y)} $$"
    "\n\n:gray[\\[Lift\\] §II]"
)
"""The frontier's utility in words."""

POSTERIOR = (
    "**Posterior**. The belief after seeing the output y, by Bayes' rule. The mechanism's rows "
    "are $P(y \\mid x)$; its posteriors average to the prior.\n\n$$ P(s \\mid y) = "
    "\\frac{\\sum_x P(s,x) P(y \\mid x)}{P(y)}, \\quad P(x \\mid y) = "
    "\\frac{P(x) P(y \\mid x)}{P(y)} $$\n\n:gray[\\[Lift\\] §II]"
)
"""Posteriors in words."""


def risk(key: str) -> str:
    """Return how Algorithm 1 ranks sets of symbols under a notion."""
    return (
        "**Risk of a set**. How far the set, released as one output, shifts beliefs. Sets grow "
        "by the symbol that leaves the least risk, until the notion holds.\n\n$$ "
        f"{notions.entry(key).kind.risk} $$\n\n:gray[\\[Lift\\] Algorithm 1, corrected]"
    )
