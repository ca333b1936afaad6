"""The lower cards of Explore, also in a report: what is implied, several draws, what to do next."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from core.joint import Joint
from core.mechanisms import Mechanism
from core.notions import Notion
from core.notions import catalogue as notions
from core.notions.base import OF_BUDGETS
from core.release.reach import Implication
from core.release.repeats import Redrawn
from core.release.sentences import promise_text
from core.scenario import Result, Scenario, spans
from core.studies.advice import (
    Consequences,
    Realised,
    is_open,
    last_step,
    least_budget,
    lost_by_symbol,
)
from core.studies.frontier import Frontier
from core.studies.what_if import MERGED, Variant
from core.wording import fixed, number_of
from pages.ui import figures
from pages.ui.report.document import Document
from pages.ui.style.labels import plain_short
from pages.ui.style.units import budget, in_unit, level, share

IMPLIED_TITLE = "What this notion implies"
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
    "guess": "best guess of S",
    "maximal_leakage": "maximal leakage",
    "chi2_divergence": "χ² on average",
    "total_variation": "total variation",
    "mutual_information": "I(S;Y)",
    "guessing": "guess on average",
}
"""Level or average → its short name in the table: a phone shows numbers beside it."""

PLAIN = ("guess", "guessing", "total_variation", "chi2_divergence")
"""Levels and averages that have no unit."""

OPEN = "≤: the search stopped early. This level is guaranteed; a lower one may hold too."
"""What is said where some level is not proven to be the least."""


def diagram(
    result: Result, found: Mapping[str, Implication], own: Mapping[str, float], unit: str
) -> figures.Figure:
    """Return the diagram of what an answer's promise implies, beside the release's own levels."""
    scenario = result.scenario
    name = notions.build(scenario.notion, result.joint, scenario.numbers).short_name()
    if scenario.also:
        name += " +"
    return figures.implications(name, [_box(key, found, own, unit) for key in SINGLE])


def implied_table(result: Result, found: Mapping[str, Implication], unit: str) -> str:
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
        f"Under every mechanism that satisfies it, I(S;Y) ≤ {most} {unit}; the best guess of S is "
        f"right with probability at most {sure:.1f}% after any output, and "
        f"{100 * found['guessing'].level:.1f}% on average."
    )


def said(key: str, found: Mapping[str, Implication], unit: str) -> str:
    """Return a level that is implied as text, with ≤ where a lower one may be."""
    one = found[key]
    return ("≤ " if is_open(one) else "") + written(key, one.level, unit)


def written(key: str, value: float, unit: str) -> str:
    """Return a level as text, in the unit shown where it has one."""
    return fixed(value, 3) if key in PLAIN else level(value, unit)


def _box(
    key: str, found: Mapping[str, Implication], own: Mapping[str, float], unit: str
) -> figures.Level:
    title, average = SINGLE[key]
    follows = None
    if average is not None:
        here = written(average, own[average], unit)
        follows = (AVERAGE[average], said(average, found, unit), here)
    return figures.Level(title, said(key, found, unit), written(key, own[key], unit), follows)


NEXT_TITLE = "Next steps"
"""The card's title."""


def of_line(result: Result, line: Frontier | None, unit: str) -> Iterator[str]:
    """Say which budget keeps nine tenths, and what the last half nat adds; in the unit shown."""
    if line is None or not spans.in_nats(result.scenario.notion):
        return
    symbol = "M" if notions.entry(result.scenario.notion).kind.on_average else "ε"
    found = least_budget(line, 0.9)
    if found is not None:
        least = (
            f"{symbol} = {budget(found.eps, unit)} is enough for 90%: it keeps {share(found.kept)}"
        )
        if not math.isnan(found.too_small):
            least += f"; {symbol} = {budget(found.too_small, unit)} is proven too small"
        yield f"{least}."
    else:
        yield f"No {symbol} on the line is known to keep 90%."
    step = last_step(line, result.scenario.eps)
    if step is not None:
        gained = f"{100 * step.gained:.1f}"
        yield (
            f"From {symbol} = {budget(step.low, unit)} to {budget(step.high, unit)} the mechanism "
            + (
                f"keeps {gained} points more."
                if float(gained)
                else "keeps less than 0.1 points more."
            )
        )


def costliest(result: Result) -> tuple[int, float] | None:
    """Return the symbol that adds most to what is lost of X, and its share; None if little."""
    made = result.mechanism
    if len(made.kernel) != result.joint.n_x or result.scenario.purpose != "information":
        return None
    lost = lost_by_symbol(result.joint, made.kernel)
    # nats below which nothing is said of what a symbol costs
    if lost.sum() < 1e-4:
        return None
    worst = int(lost.argmax())
    return worst, float(lost[worst] / lost.sum())


def of_symbol(result: Result, worst: int, part: float) -> str:
    """Say which symbol costs most, by what `costliest` returns."""
    name = plain_short(result.joint.x_labels[worst])
    return f"“{name}” costs most: {share(part)} of the information lost."


def of_records(joint: Joint, found: Mapping[str, Realised], unit: str) -> str:
    """Say what the release's levels may be at the truth that the records are a sample of."""
    return (
        f"{joint.n:,} records do not determine the truth. With probability 95%, this release's "
        f"levels at the truth, in {unit}, are: LIP {_range(found['lip'], unit)}; ALIP, ε_l "
        f"{_range(found['min_lift'], unit)} and ε_u {_range(found['pml'], unit)}; LDP "
        f"{level(found['ldp'].at_estimate, unit)} at the estimate, at most "
        f"{level(found['ldp'].most, unit)}. A certificate bounds PML, which is ε_u, more coarsely: "
        "over a slightly larger set of distributions."
    )


def variant(one: Variant) -> str:
    if one.how == MERGED:
        return f"Merged with “{plain_short(one.partner)}”, the closest in what it implies about S"
    return "Without its records"


def of_variant(one: Variant, found: Result, unit: str) -> str:
    kept = share(found.mechanism.kept)
    return f"{variant(one)}: {kept} would be kept, {figures_of(found, unit)}."


def figures_of(found: Result, unit: str) -> str:
    """Return what an answer keeps, and its level of LDP."""
    made, after = found.mechanism, found.after
    return (
        f"I(X;Y) = {level(made.information, unit)} {unit}, at LDP level "
        f"{level(after.achieved['ldp'], unit)} {unit}"
    )


def _range(found: Realised, unit: str) -> str:
    return (
        f"{level(found.at_estimate, unit)} at the estimate, {level(found.least, unit)} to "
        f"{level(found.most, unit)}"
    )


REPEATS_TITLE = "Repeated releases"
"""The card's title."""


@dataclass(frozen=True)
class Asked:
    """The promise that was asked; `unit` is `Notion.level_unit`; an average has more digits."""

    title: str
    unit: str
    on_average: bool = False

    def reached(self, value: float, unit: str) -> str:
        """Return a level as text, with its unit."""
        if not isfinite(value):
            infinite = "an infinite multiple" if self.unit == OF_BUDGETS else "∞"
            return f"{infinite} {unit if self.unit == 'nats' else self.unit}".rstrip()
        if self.unit == "nats":
            return f"{level(value, unit, 4 if self.on_average else 3)} {unit}"
        if self.unit == OF_BUDGETS:
            return f"{100 * value:.1f}% {self.unit}"
        return fixed(value, 4)


def draws_asked(scenario: Scenario, notion: Notion) -> Asked:
    """Return the promise of a scenario, and how its level is told."""
    entries = [notions.entry(key) for key in (scenario.notion, *(p.notion for p in scenario.also))]
    title = " and ".join(one.level_title or one.title for one in entries)
    on_average = len(entries) == 1 and entries[0].kind.on_average
    return Asked(title, notion.level_unit, on_average)


def lines(found: tuple[Redrawn, ...], asked: Asked) -> Mapping[str, tuple[float, ...]]:
    """Return the levels that can be drawn, in nats, by name: the promise's among them, if any."""
    told = {
        "LIP": tuple(one.lip.level for one in found),
        "LDP": tuple(one.ldp.level for one in found),
    }
    if asked.unit == "nats" and asked.title not in told:
        told = {asked.title: tuple(one.asked.level for one in found)} | told
    return told


def bars(found: tuple[Redrawn, ...], unit: str, asked: Asked) -> figures.Figure:
    """Return the chart of the levels after several draws: the promise's, of LIP and of LDP."""
    return figures.repeats(
        [one.k for one in found],
        {
            name: np.array([in_unit(one, unit) for one in values])
            for name, values in lines(found, asked).items()
        },
        unit,
    )


def repeats_table(found: tuple[Redrawn, ...], unit: str, asked: Asked) -> str:
    """Return what the chart shows, for those who do not see it."""
    told = lines(found, asked)
    return "; ".join(
        f"{one.k} draws: "
        + ", ".join(f"{name} {level(values[at], unit)} {unit}" for name, values in told.items())
        for at, one in enumerate(found)
    )


def advice(found: tuple[Redrawn, ...], unit: str, asked: Asked) -> str:
    """Return whether several draws keep the promise, and what to do where they may not."""
    first, last = found[0], found[-1]
    broken = next((one for one in found if not one.kept), None)
    if broken is not None and broken.k == 1:
        said = "One draw exceeds the budget: its level of "
        said += f"{asked.title} is {asked.reached(first.asked.level, unit)}."
    elif broken is not None:
        said = (
            f"{'Two' if broken.k == 2 else 'Three'} draws "
            f"{'' if broken.asked.exact else 'may '}exceed the budget: "
            f"{'' if asked.on_average else 'the level of '}{asked.title} is "
            f"{asked.reached(broken.asked.level, unit)}, and "
            f"{asked.reached(first.asked.level, unit)} for one draw. "
            "Draw once for each record and store the answer."
        )
    elif last.asked.at_most - first.asked.level <= 1e-9:
        said = f"Further draws do not raise the level of {asked.title}."
    else:
        said = (
            f"Two and three draws are within the budget: the level of {asked.title} is at most "
            f"{asked.reached(last.asked.at_most, unit)}."
        )
    exact = all(one.lip.exact and one.asked.exact for one in found)
    return f"{said} {'Exact.' if exact else _bound(last, unit, asked)}"


def _bound(last: Redrawn, unit: str, asked: Asked) -> str:
    """Say that not all products were examined, and what is proven all the same."""
    most = (
        f"no number of draws exceeds {asked.reached(last.asked.at_most, unit)} of {asked.title} "
        "(proven)"
        if isfinite(last.asked.at_most)
        else f"no finite bound on {asked.title} is proven"
    )
    return f"Not all combinations of outputs were examined, so levels may be higher; {most}."


def second_sentence(found: Mechanism, both: Notion, unit: str) -> str:
    """Return what a second release keeps, and whether more is possible."""
    asked = promise_text(both, unit)
    proven = found.gap <= 1e-5
    # share of X below which a second release is said to keep nothing
    if found.nmi < 1e-9 and proven:
        return f"Nothing more can be released: the first release used all of {asked}."
    kept = f"A second release keeps {share(found.nmi)} of X; both together stay within {asked}."
    if proven:
        return f"{kept} Proven: no other keeps more."
    return f"{kept} No other keeps more than {budget(found.upper_bound, unit)} of I(X;Y₂)."


NOT_READY = "Not available: this was unfinished or had failed when the report was made."
"""Stands in place of what was not on the screen yet."""


@dataclass(frozen=True, eq=False)
class OnScreen:
    """What the cards show beside the answer and its lines; `second`: "" where not asked for."""

    told: Consequences
    second: str = ""
    what_if: Sequence[str] = ()


def add(
    page: Document, result: Result, lines: Sequence[Frontier], shown: OnScreen, unit: str
) -> None:
    """Add the three cards to a report."""
    told = shown.told
    page.heading(IMPLIED_TITLE)
    if isinstance(told.implied, str):
        page.text(told.implied)
    else:
        _implied(page, result, told.implied, told.own, unit)
    page.heading(REPEATS_TITLE)
    if isinstance(told.redrawn, str):
        page.text(told.redrawn)
    else:
        _repeated(page, result, told.redrawn, unit)
    if shown.second:
        page.text(shown.second)
    _next(page, result, lines, shown, unit)


def _implied(
    page: Document,
    result: Result,
    found: Mapping[str, Implication],
    own: Mapping[str, float],
    unit: str,
) -> None:
    page.chart(
        diagram(result, found, own, unit),
        "On arrows: the largest level that a mechanism under the notion can have on this data; in "
        "boxes: the level of this release",
        implied_table(result, found, unit),
    )
    page.text(sentence(found, unit))
    if any(map(is_open, found.values())):
        page.text(OPEN, "source")
    page.table(
        ("Level or average", "implied", "this release", ""),
        [
            (
                name,
                said(key, found, unit),
                written(key, own[key], unit),
                "" if key in PLAIN else unit,
            )
            for key, name in NAMES.items()
        ],
    )


def _repeated(page: Document, result: Result, found: tuple[Redrawn, ...], unit: str) -> None:
    asked = draws_asked(result.scenario, result.scenario.build_notion(result.joint))
    page.chart(
        bars(found, unit, asked),
        "The level after several independent draws for the same record",
        repeats_table(found, unit, asked),
    )
    page.text(advice(found, unit, asked))
    page.table(
        ("Draws", f"LIP, {unit}", "at most", f"LDP, {unit}", "at most", "notion holds"),
        [
            (
                number_of(one.k, "draw"),
                level(one.lip.level, unit, 4),
                level(one.lip.at_most, unit, 4),
                level(one.ldp.level, unit, 4),
                level(one.ldp.at_most, unit, 4),
                "yes" if one.kept else "no" if one.asked.exact else "not proven",
            )
            for one in found
        ],
    )


def _next(
    page: Document, result: Result, lines: Sequence[Frontier], shown: OnScreen, unit: str
) -> None:
    asked, worst, found = result.scenario, costliest(result), shown.told.realised
    key = asked.notion, asked.mechanism
    own = next((line for line in lines if (line.notion, line.mechanism) == key), None)
    said = list(of_line(result, own, unit))
    if worst is not None:
        said.append(of_symbol(result, *worst))
    if isinstance(found, str):
        said.append(f"The levels at the truth: {found}")
    elif found is not None:
        said.append(of_records(result.joint, found, unit))
    said += shown.what_if
    if said:
        page.heading(NEXT_TITLE)
    for sentence in said:
        page.text(sentence)
