"""What the catalogue knows of a notion, and how the numbers of a question make one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.joint import Joint
from core.notions.base import Notion
from core.notions.numbers import Numbers
from core.notions.rldp import RLDP
from core.notions.robust_markov import RobustLDP, RobustPML

FAMILIES: Mapping[str, str] = {
    "lift": "bounds on the lift",
    "ratio": "on likelihood ratios (LDP)",
    "guess": "on guesses of the secret",
    "distance": "on distances between beliefs",
    "average": "on averages: privacy funnel",
    "exceptions": "with exceptions of probability δ",
    "side_channels": "against side channels",
    "robust": "several distributions: robust",
}
"""How notions are grouped, by key, in the order in which to show them."""


@dataclass(frozen=True)
class NotionEntry:
    """One notion of the catalogue.

    Attributes
    ----------
    key, title : str
        What code and what readers call it.
    family : str
        Key of `FAMILIES`.
    meaning : str
        What it promises, in one sentence.
    formula : str
        The same in LaTeX, for every output y.
    source : str
        Paper and place.
    parameters : tuple of str
        Which of the numbers have an effect, by name as in `Numbers`.
    kind : type
        Class of the notion.
    make : callable
        Takes the joint and the numbers; returns the notion.
    code : callable
        Takes the numbers; returns the notion as a call, with the joint as `joint`.
    level_title : str
        What its level is called; its title where empty, which is that of a budget.
    in_nats : bool
        Whether its level is information; else it is a plain number.
    sides : tuple of str
        Keys of the notions whose levels are its own, one for each side, where it has no one level.
    column_title : str
        What it is called above a column; its title where empty.
    always_told : bool
        Whether its level is told of every release, whatever was promised: it is one of the levels
        in `Leakage.achieved`.
    """

    key: str
    title: str
    family: str
    meaning: str
    formula: str
    source: str
    parameters: tuple[str, ...]
    kind: type[Notion]
    make: Callable[[Joint, Numbers], Notion]
    code: Callable[[Numbers], str]
    level_title: str = ""
    in_nats: bool = True
    sides: tuple[str, ...] = ()
    column_title: str = ""
    always_told: bool = False


def of_numbers(
    key: str,
    title: str,
    family: str,
    meaning: str,
    formula: str,
    source: str,
    parameters: tuple[str, ...],
    kind: type[Notion],
    make: Callable[[Numbers], Notion],
    *,
    level_title: str = "",
    in_nats: bool = True,
    sides: tuple[str, ...] = (),
    always_told: bool = False,
) -> NotionEntry:
    """Return the entry of a notion that is the same for every joint."""
    return NotionEntry(
        key=key,
        title=title,
        family=family,
        meaning=meaning,
        formula=formula,
        source=source,
        parameters=parameters,
        kind=kind,
        make=lambda _joint, numbers: make(numbers),
        code=lambda numbers: repr(make(numbers)),
        level_title=level_title,
        in_nats=in_nats,
        sides=sides,
        always_told=always_told,
    )


def robust(
    key: str,
    title: str,
    meaning: str,
    formula: str,
    source: str,
    kind: type[RLDP] | type[RobustLDP] | type[RobustPML],
    level_title: str,
    column_title: str = "",
) -> NotionEntry:
    """Return the entry of a notion that is about a confidence set around the joint."""

    def code(numbers: Numbers) -> str:
        asked = f"n={numbers.n!r}, beta={numbers.beta!r}, alpha={numbers.alpha!r}"
        return f"{kind.__name__}.of_joint(joint, eps={numbers.eps!r}, {asked})"

    def make(joint: Joint, numbers: Numbers) -> Notion:
        return kind.of_joint(joint, numbers.eps, numbers.n, numbers.beta, numbers.alpha)

    parameters = ("eps", "alpha", "beta", "n")
    return NotionEntry(
        key=key,
        title=title,
        family="robust",
        meaning=meaning,
        formula=formula,
        source=source,
        parameters=parameters,
        kind=kind,
        make=make,
        code=code,
        level_title=level_title,
        column_title=column_title,
    )
