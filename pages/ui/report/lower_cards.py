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
from core.release.sentences import for_whom, promise_text
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
from core.wording import fixed, listed, number_of
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
    "chi2_upper": "χ²-privacy: εᵤ",
    "l1_upper": "ℓ1-privacy: εᵤ",
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
"""The note shown if some level is not proven to be the least."""


def diagram(
    result: Result, implied: Mapping[str, Implication], own: Mapping[str, float], unit: str
) -> figures.Figure:
    """Return the diagram of what an answer's notion implies, next to the release's own levels."""
    scenario = result.scenario
    name = notions.build(scenario.notion, result.joint, scenario.numbers).short_name()
    if scenario.also:
        name += " +"
    return figures.implications(name, [_box(key, implied, own, unit) for key in SINGLE])


def implied_table(result: Result, implied: Mapping[str, Implication], unit: str) -> str:
    """Return the content of the diagram as text, for those who do not see it."""
    title = notions.entry(result.scenario.notion).title
    return (
        f"{title} implies LIP {bounded('lip', implied, unit)}, "
        f"LDP {bounded('ldp', implied, unit)}, "
        f"I(S;Y) of at most {bounded('mutual_information', implied, unit)} {unit} here."
    )


def sentence(implied: Mapping[str, Implication], unit: str) -> str:
    """Return what a notion implies for I(S;Y) and for guesses of S, in a sentence."""
    most = level(implied["mutual_information"].level, unit, 4)
    sure = 100 * implied["guess"].level
    return (
        f"With any mechanism that satisfies this notion, I(S;Y) ≤ {most} {unit}; the best guess of "
        f"S is right with probability at most {sure:.1f}% after any output, and "
        f"{100 * implied['guessing'].level:.1f}% on average."
    )


def bounded(key: str, implied: Mapping[str, Implication], unit: str) -> str:
    """Return a level that is implied as text, with ≤ where a lower one may be."""
    implication = implied[key]
    return ("≤ " if is_open(implication) else "") + written(key, implication.level, unit)


def written(key: str, value: float, unit: str) -> str:
    """Return a level as text, in the unit shown where it has one."""
    return fixed(value, 3) if key in PLAIN else level(value, unit)


def _box(
    key: str, implied: Mapping[str, Implication], own: Mapping[str, float], unit: str
) -> figures.Level:
    title, average = SINGLE[key]
    follows = None
    if average is not None:
        here = written(average, own[average], unit)
        follows = (AVERAGE[average], bounded(average, implied, unit), here)
    return figures.Level(title, bounded(key, implied, unit), written(key, own[key], unit), follows)


NEXT_TITLE = "Next steps"
"""The card's title."""


def of_line(result: Result, line: Frontier | None, unit: str) -> Iterator[str]:
    """Yield which budget keeps 90%, and what the last half nat adds, in the unit shown."""
    if line is None or not spans.in_nats(result.scenario.notion):
        return
    symbol = "M" if notions.entry(result.scenario.notion).kind.on_average else "ε"
    point = least_budget(line, 0.9)
    if point is not None:
        least = (
            f"{symbol} = {budget(point.eps, unit)} is enough for 90%: it keeps {share(point.kept)}"
        )
        if not math.isnan(point.too_small):
            least += f"; {symbol} = {budget(point.too_small, unit)} is proven too small"
        yield f"{least}."
    else:
        yield f"No {symbol} on the line is known to keep 90%."
    step = last_step(line, result.scenario.eps)
    if step is not None:
        gained = f"{100 * step.gained:.1f}"
        yield (
            f"From {symbol} = {budget(step.low, unit)} to {budget(step.high, unit)} the mechanism "
            + (
                f"keeps {gained} percentage points more."
                if float(gained)
                else "keeps less than 0.1 percentage points more."
            )
        )


def costliest(result: Result) -> tuple[int, float] | None:
    """Return the symbol that adds most to the loss about X, and its share; None if it is small."""
    mechanism = result.mechanism
    if len(mechanism.kernel) != result.joint.n_x or result.scenario.purpose != "information":
        return None
    lost = lost_by_symbol(result.joint, mechanism.kernel)
    # nats below which the costs of symbols are not reported
    if lost.sum() < 1e-4:
        return None
    worst = int(lost.argmax())
    return worst, float(lost[worst] / lost.sum())


def of_symbol(result: Result, worst: int, part: float) -> str:
    """Return a sentence on the symbol that costs most, from what `costliest` returns."""
    name = plain_short(result.joint.x_labels[worst])
    return f"“{name}” costs most: {share(part)} of the lost information."


def of_records(joint: Joint, realised: Mapping[str, Realised], unit: str) -> str:
    """Return what the release's levels may be at the truth, of which the records are a sample."""
    return (
        f"{joint.n:,} records do not determine the truth. With probability 95%, this release's "
        f"levels at the truth, in {unit}, are: LIP {_range(realised['lip'], unit)}; ALIP, εₗ "
        f"{_range(realised['min_lift'], unit)} and εᵤ {_range(realised['pml'], unit)}; LDP "
        f"{level(realised['ldp'].at_estimate, unit)} at the estimate, at most "
        f"{level(realised['ldp'].most, unit)}. A certificate bounds PML, which is εᵤ, more "
        "coarsely: over a slightly larger set of distributions."
    )


def variant(change: Variant) -> str:
    if change.how == MERGED:
        return (
            f"Merged with “{plain_short(change.partner)}”, the closest in what it implies about S"
        )
    return "Without its records"


def of_variant(change: Variant, result: Result, unit: str) -> str:
    kept = share(result.mechanism.kept)
    return f"{variant(change)}: {kept} would be kept, {figures_of(result, unit)}."


def figures_of(result: Result, unit: str) -> str:
    """Return what an answer keeps, and its level of LDP."""
    mechanism, after = result.mechanism, result.after
    return (
        f"I(X;Y) = {level(mechanism.information, unit)} {unit}, at LDP level "
        f"{level(after.achieved['ldp'], unit)} {unit}"
    )


def _range(realised: Realised, unit: str) -> str:
    return (
        f"{level(realised.at_estimate, unit)} at the estimate, {level(realised.least, unit)} to "
        f"{level(realised.most, unit)}"
    )


REPEATS_TITLE = "Repeated releases"
"""The card's title."""


@dataclass(frozen=True)
class Requested:
    """The privacy notion in question; `unit` is `Notion.level_unit`; an average has more digits."""

    title: str
    unit: str
    on_average: bool = False

    def reached(self, value: float, unit: str) -> str:
        """Return a level as text, with its unit."""
        if not isfinite(value):
            if self.unit == OF_BUDGETS:
                return "unbounded"
            return f"∞ {unit}" if self.unit == "nats" else "∞"
        if self.unit == "nats":
            return f"{level(value, unit, 4 if self.on_average else 3)} {unit}"
        if self.unit == OF_BUDGETS:
            return f"{100 * value:.1f}% {self.unit}"
        return fixed(value, 4)


def requested_notion(scenario: Scenario, notion: Notion) -> Requested:
    """Return the privacy notion of a scenario, and how its level is written."""
    entries = [notions.entry(key) for key in (scenario.notion, *(p.notion for p in scenario.also))]
    title = " and ".join(entry.level_title or entry.title for entry in entries)
    if known := scenario.data.known:
        title += f" given {listed(known)}"
    on_average = len(entries) == 1 and entries[0].kind.on_average
    return Requested(title, notion.level_unit, on_average)


def lines(draws: tuple[Redrawn, ...], promise: Requested) -> Mapping[str, tuple[float, ...]]:
    """Return the levels that can be drawn, in nats, by name: the notion's among them, if any."""
    drawn = {
        "LIP": tuple(draw.lip.level for draw in draws),
        "LDP": tuple(draw.ldp.level for draw in draws),
    }
    if promise.unit == "nats" and promise.title not in drawn:
        drawn = {promise.title: tuple(draw.promise.level for draw in draws)} | drawn
    return drawn


def bars(draws: tuple[Redrawn, ...], unit: str, promise: Requested) -> figures.Figure:
    """Return the chart of the levels after several draws: of the notion, of LIP and of LDP."""
    return figures.repeats(
        [draw.k for draw in draws],
        {
            name: np.array([in_unit(value, unit) for value in values])
            for name, values in lines(draws, promise).items()
        },
        unit,
    )


def repeats_table(draws: tuple[Redrawn, ...], unit: str, promise: Requested) -> str:
    """Return the content of the chart as text, for those who do not see it."""
    drawn = lines(draws, promise)
    return "; ".join(
        f"{draw.k} draws: "
        + ", ".join(f"{name} {level(values[at], unit)} {unit}" for name, values in drawn.items())
        for at, draw in enumerate(draws)
    )


def advice(draws: tuple[Redrawn, ...], unit: str, promise: Requested) -> str:
    """Return whether several draws satisfy the notion, and what to do if they may not."""
    first, last = draws[0], draws[-1]
    broken = next((draw for draw in draws if not draw.kept), None)
    if broken is not None and broken.k == 1:
        text = "One draw exceeds the budget: its level of "
        text += f"{promise.title} is {promise.reached(first.promise.level, unit)}."
    elif broken is not None:
        text = (
            f"{'Two' if broken.k == 2 else 'Three'} draws "
            f"{'' if broken.promise.exact else 'may '}exceed the budget: "
            f"{'' if promise.on_average else 'the level of '}{promise.title} is "
            f"{promise.reached(broken.promise.level, unit)}; with one draw it is "
            f"{promise.reached(first.promise.level, unit)}. "
            "Draw once for each record and store the answer."
        )
    elif last.promise.at_most - first.promise.level <= 1e-9:
        text = f"Further draws do not raise the level of {promise.title}."
    else:
        text = (
            f"Two and three draws are within the budget: the level of {promise.title} is at most "
            f"{promise.reached(last.promise.at_most, unit)}."
        )
    exact = all(draw.lip.exact and draw.promise.exact for draw in draws)
    return f"{text} {'These levels are exact.' if exact else _bound(last, unit, promise)}"


def _bound(last: Redrawn, unit: str, promise: Requested) -> str:
    """Return that not all products were examined, and what is proven all the same."""
    most = (
        f"no number of draws exceeds {promise.reached(last.promise.at_most, unit)} of "
        f"{promise.title} (proven)"
        if isfinite(last.promise.at_most)
        else f"no finite bound on {promise.title} is proven"
    )
    return f"Not all combinations of outputs were examined, so levels may be higher; {most}."


def second_sentence(mechanism: Mechanism, both: Notion, unit: str) -> str:
    """Return what a second release keeps, and whether more is possible."""
    promise = promise_text(both, unit)
    proven = mechanism.gap <= 1e-5
    # share of X below which a second release counts as keeping nothing
    if mechanism.nmi < 1e-9 and proven:
        return f"Nothing more can be released: the first release used all of {promise}."
    text = (
        f"A second release keeps {share(mechanism.nmi)} of X; both together stay within {promise}."
    )
    if proven:
        return f"{text} Proven: no other keeps more."
    return f"{text} No other keeps more than {budget(mechanism.upper_bound, unit)} of I(X;Y₂)."


NOT_READY = "Not available: this was unfinished or had failed when the report was made."
"""Stands in place of what was not on the screen yet."""


@dataclass(frozen=True, eq=False)
class OnScreen:
    """What the cards show besides the answer and its lines; `second`: "" where not requested."""

    consequences: Consequences
    second: str = ""
    what_if: Sequence[str] = ()


def add(
    page: Document, result: Result, lines: Sequence[Frontier], shown: OnScreen, unit: str
) -> None:
    """Add the three cards to a report."""
    consequences = shown.consequences
    page.heading(IMPLIED_TITLE)
    if isinstance(consequences.implied, str):
        page.text(consequences.implied)
    else:
        _implied(page, result, consequences.implied, consequences.own, unit)
    page.heading(REPEATS_TITLE)
    if isinstance(consequences.redrawn, str):
        page.text(consequences.redrawn)
    else:
        _repeated(page, result, consequences.redrawn, unit)
    if shown.second:
        page.text(shown.second)
    _next(page, result, lines, shown, unit)


def _implied(
    page: Document,
    result: Result,
    implied: Mapping[str, Implication],
    own: Mapping[str, float],
    unit: str,
) -> None:
    page.chart(
        diagram(result, implied, own, unit),
        "On arrows: the largest level that a mechanism under the notion can have on this data; in "
        "boxes: the level of this release",
        implied_table(result, implied, unit),
    )
    page.text(sentence(implied, unit))
    if any(map(is_open, implied.values())):
        page.text(OPEN, "source")
    page.table(
        ("Level or average", "implied", "this release", ""),
        [
            (
                name,
                bounded(key, implied, unit),
                written(key, own[key], unit),
                "" if key in PLAIN else unit,
            )
            for key, name in NAMES.items()
        ],
    )


def _repeated(page: Document, result: Result, draws: tuple[Redrawn, ...], unit: str) -> None:
    promise = requested_notion(result.scenario, result.scenario.build_notion(result.joint))
    page.chart(
        bars(draws, unit, promise),
        "The level after several independent draws for the same record",
        repeats_table(draws, unit, promise),
    )
    page.text(advice(draws, unit, promise))
    page.table(
        ("Draws", f"LIP, {unit}", "at most", f"LDP, {unit}", "at most", "notion holds"),
        [
            (
                number_of(draw.k, "draw"),
                level(draw.lip.level, unit, 4),
                level(draw.lip.at_most, unit, 4),
                level(draw.ldp.level, unit, 4),
                level(draw.ldp.at_most, unit, 4),
                "yes" if draw.kept else "no" if draw.promise.exact else "not proven",
            )
            for draw in draws
        ],
        f"LIP and LDP{whose}" if (whose := for_whom(result.scenario)) else "",
    )


def _next(
    page: Document, result: Result, lines: Sequence[Frontier], shown: OnScreen, unit: str
) -> None:
    scenario, worst, realised = result.scenario, costliest(result), shown.consequences.realised
    key = scenario.notion, scenario.mechanism
    own = next((line for line in lines if (line.notion, line.mechanism) == key), None)
    sentences = list(of_line(result, own, unit))
    if worst is not None:
        sentences.append(of_symbol(result, *worst))
    if isinstance(realised, str):
        sentences.append(f"The levels at the truth: {realised}")
    elif realised is not None:
        sentences.append(of_records(result.joint, realised, unit))
    sentences += shown.what_if
    if sentences:
        page.heading(NEXT_TITLE)
    for sentence in sentences:
        page.text(sentence)
