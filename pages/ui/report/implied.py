"""What a promise implies, as Explore's card and the report show it: a diagram and a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from core.notions import catalogue as notions
from core.release.reach import Implication
from core.scenario import Result
from core.studies.consequences import is_open
from pages.ui import figures
from pages.ui.style.units import level

TITLE = "What this promise implies"
"""The card's title."""

SINGLE = {
    "lip": ("LIP", None),
    "ldp": ("LDP", None),
    "pml": ("PML", "maximal_leakage"),
    "min_lift": ("min-lift", None),
    "chi2_upper": ("χ² up", "chi2_divergence"),
    "l1_upper": ("ℓ1 up", "total_variation"),
    "kl": ("KL", "mutual_information"),
    "guess": ("guess S", "guessing"),
}
"""Level of one output → what the diagram calls it, and the average that follows from it."""

AVERAGE = {
    "maximal_leakage": "max. leak",
    "chi2_divergence": "mean χ²",
    "total_variation": "T(S;Y)",
    "mutual_information": "I(S;Y)",
    "guessing": "mean guess",
}
"""Average → what the diagram calls it."""

NAMES = {
    "lip": "LIP: ε",
    "ldp": "LDP: ε",
    "pml": "PML: ε, max-lift",
    "min_lift": "min-lift: −log Ψ",
    "chi2_upper": "χ²-privacy: ε_u",
    "l1_upper": "ℓ1-privacy: ε_u",
    "kl": "KL of one output",
    "guess": "surest guess of S",
    "maximal_leakage": "maximal leakage",
    "chi2_divergence": "χ² on average",
    "total_variation": "total variation",
    "mutual_information": "I(S;Y)",
    "guessing": "guess on average",
}
"""Level or average → its short name in the table: a phone shows numbers beside it."""

PLAIN = ("guess", "guessing", "total_variation", "chi2_divergence")
"""Levels and averages that have no unit."""

OPEN = "≤: the search ended early. This level is guaranteed; a lower one may be too."
"""What is said where some level is not proven to be the least."""


def diagram(
    result: Result, found: Mapping[str, Implication], own: Mapping[str, float], unit: str
) -> figures.Figure:
    """Return the diagram of what an answer's promise implies, beside the release's own levels.

    Parameters
    ----------
    result : Result
        The answer.
    found : mapping
        What its promise implies.
    own : mapping
        What the release reaches.
    unit : str
        "nats" or "bits".
    """
    scenario = result.scenario
    name = notions.build(scenario.notion, result.joint, scenario.numbers).short_name()
    if scenario.also:
        name += " +"
    return figures.implications(name, [_box(key, found, own, unit) for key in SINGLE])


def described(result: Result, found: Mapping[str, Implication], unit: str) -> str:
    """Return what the diagram shows, for those who do not see it."""
    title = notions.entry(result.scenario.notion).title
    return (
        f"{title} implies LIP {said('lip', found, unit)}, LDP {said('ldp', found, unit)}, "
        f"I(S;Y) of at most {said('mutual_information', found, unit)} {unit} here."
    )


def sentence(found: Mapping[str, Implication], unit: str) -> str:
    """Return what a promise implies for I(S;Y) and for guesses of S, in a sentence."""
    most = level(found["mutual_information"].level, unit, 4)
    sure = 100 * found["guess"].level
    return (
        f"Under every mechanism that keeps it, I(S;Y) ≤ {most} {unit}; the best guess of S is "
        f"right with probability at most {sure:.1f} % after any output, and "
        f"{100 * found['guessing'].level:.1f} % on average."
    )


def said(key: str, found: Mapping[str, Implication], unit: str) -> str:
    """Return a level that is implied as text, with ≤ where a lower one may be."""
    one = found[key]
    return ("≤ " if is_open(one) else "") + written(key, one.level, unit)


def written(key: str, value: float, unit: str) -> str:
    """Return a level as text, in the unit shown where it has one."""
    return f"{value:.3f}" if key in PLAIN else level(value, unit)


def _box(
    key: str, found: Mapping[str, Implication], own: Mapping[str, float], unit: str
) -> figures.Level:
    title, average = SINGLE[key]
    follows = None
    if average is not None:
        here = written(average, own[average], unit)
        follows = (AVERAGE[average], said(average, found, unit), here)
    return figures.Level(title, said(key, found, unit), written(key, own[key], unit), follows)
