"""Explore's charts of one answer: frontier, lifts, mechanism, confusability graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from weakref import ref

import numpy as np
import streamlit as st

from core.data.spec import DataSpec
from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.notions.average import TITLES
from core.release.confusability import ConfusabilityGraph
from core.release.histogram import no_limits
from core.scenario import Result, Scenario, spans
from core.studies.frontier import Frontier
from core.studies.funnel import envelope, is_funnel, measure, most_between, taken
from core.studies.known import OPTIMUM
from core.validation import FloatArray
from core.wording import listed, number_of
from pages.ui import figures
from pages.ui.chart import MadeOf, chart
from pages.ui.explore import frontier_lines
from pages.ui.explore.frontier_lines import Lines, Place
from pages.ui.parts.tables import COLUMNS, ROWS
from pages.ui.style.labels import markdown
from pages.ui.style.units import budget, in_unit, level
from pages.ui.work import derived

OPEN = "Pale area above a line: not reached, and not proven impossible."
"""What the band between what is kept and what is proven means."""

BETWEEN = (
    "Points between two points of the line can be reached too: by choosing one of their mechanisms "
    "at random and saying which."
)
"""Why the line is concave, where it is."""

MIXTURE = (
    "Dotted, above the line: what a mixture of the mechanisms at two points keeps. The search for "
    "the points between was too short to find as much."
)
"""What is said where a line lies below a mixture of its mechanisms."""


NO_EPS = "No line: this promise has no budget ε to vary."
"""What the chart says where nothing can be swept."""


NAMES = ("X itself", "the release")
"""The names of before and after."""


KEPT = {
    "information": figures.OF_X,
    "task": figures.Kept("kept of T, of what X tells of it", "what X tells of T", "I(T;Y)"),
    "guess": figures.Kept(
        "kept of what X adds to a right guess", "what X adds", "right guess", in_nats=False
    ),
    "distortion": figures.Kept(
        "kept of what X takes off the error", "what X takes off", "expected error", in_nats=False
    ),
}
"""What the frontier's vertical axis counts, by purpose."""


def frontier(result: Result, lines: Lines, unit: str, *, by_promise: bool, faded: bool) -> None:
    """Show utility along ε, with the current point."""
    scenario, made = result.scenario, result.mechanism
    along = _along(result, unit)
    limit = _limit(result, unit)
    drawn = [
        _line(
            place,
            unit,
            scenario.purpose,
            by_promise=by_promise,
            in_nats=spans.in_nats(scenario.notion),
            funnel=result if along is not None else None,
        )
        for place in lines.places
    ]
    key = (scenario.notion, scenario.mechanism)
    here = min(_size(scenario, unit), limit)
    said = _nothing(scenario, lines)

    def draw() -> figures.Figure:
        return figures.frontier(
            drawn,
            eps=here,
            nmi=made.kept,
            kept=KEPT[scenario.purpose],
            unit=unit,
            limit=limit,
            budget=along,
            current=next((line.place for line in drawn if line.key == key), -1),
            **({"empty": said} if said else {}),
        )

    shown = tuple((ref(place.line), place.number, place.faded) for place in lines.places)
    asked = (*key, scenario.purpose, by_promise, unit, here, limit, made.kept, said)
    chart(
        draw,
        made_of=None if is_funnel(scenario) else MadeOf(scenario.data, (shown, asked)),
        key="frontier",
        title="Cost of privacy",
        alt=_spoken(result, unit),
        on_pick=frontier_lines.pick,
        faded=faded,
    )
    if said := " ".join(_read(result, lines, drawn)):
        st.caption(markdown(said))


def _read(result: Result, lines: Lines, drawn: Sequence[figures.Line]) -> Iterator[str]:
    """Say how the chart is read, where there is something to say."""
    if is_funnel(result.scenario) and any(place.told is None for place in lines.places):
        if any(figures.is_below_mixture(line) for line in drawn):
            yield MIXTURE
        elif measure(result.scenario, result.joint).is_sum:
            yield BETWEEN
    if any(figures.is_open(line) for line in drawn):
        yield OPEN
    if said := falling({place.number: place.line for place in lines.places if not place.faded}):
        yield said


def _nothing(scenario: Scenario, lines: Lines) -> str:
    """Say why no line is there; "" where the mechanism has no budget, which the figure says."""
    if not lines.asked:
        return "" if "eps" in notions.entry(scenario.notion).parameters else NO_EPS
    return "The lines are being worked out." if lines.waiting else "No line could be worked out."


def _size(scenario: Scenario, unit: str) -> float:
    """Return ε, in the unit shown where the promise's budget is in nats."""
    return in_unit(scenario.eps, unit) if spans.in_nats(scenario.notion) else scenario.eps


def _limit(result: Result, unit: str) -> float:
    """Return the end of the horizontal axis."""
    scenario = result.scenario
    most = spans.span(scenario.notion, "eps", result.joint, scenario.numbers).high
    return in_unit(most, unit) if spans.in_nats(scenario.notion) else most


def _along(result: Result, unit: str) -> figures.Budget | None:
    """Return the budget on the horizontal axis of a funnel; None for every other promise."""
    if not is_funnel(result.scenario):
        return None
    told = TITLES[measure(result.scenario, result.joint).measure]
    return figures.Budget(
        "M", f"told of S on average, {told}", unit if spans.in_nats(result.scenario.notion) else ""
    )


def _spoken(result: Result, unit: str) -> str:
    """Return the frontier's text for those who do not see it."""
    scenario, kept = result.scenario, f"{result.mechanism.kept:.0%} is kept"
    if is_funnel(scenario):
        return (
            "Privacy funnel: what is kept against what is told of S on average; now M is "
            f"{_size(scenario, unit):.3g}, {kept}."
        )
    if "eps" not in notions.entry(scenario.notion).parameters:
        return f"{NO_EPS} Now {kept}."
    return f"What is kept at each ε; now ε is {budget(scenario.eps, unit)}, {kept}."


def falling(lines: dict[int, Frontier]) -> str:
    """Say which mechanisms' lines fall as ε grows, and why; "" where none does."""
    names = dict.fromkeys(
        mechanisms.entry(line.mechanism).title
        for line in lines.values()
        if not mechanisms.entry(line.mechanism).monotone
        # least drop of what is kept, as a share, for which a line is said to fall
        and bool((np.diff(line.nmi[np.isfinite(line.nmi)]) < -1e-6).any())
    )
    if not names:
        return ""
    return (
        f"{listed(list(names))} can keep less under a larger ε: the choices made with a larger "
        "budget are different, not always better."
    )


def _line(
    place: Place, unit: str, purpose: str, *, by_promise: bool, in_nats: bool, funnel: Result | None
) -> figures.Line:
    line, scale = place.line, in_unit(1.0, unit)
    x = line.eps if place.told is None else place.told
    of_x = scale if in_nats else 1.0
    return figures.Line(
        place=place.number,
        key=(line.notion, line.mechanism),
        title=notions.entry(line.notion).title
        if by_promise
        else mechanisms.entry(line.mechanism).title,
        eps=x * of_x,
        nmi=line.nmi,
        utility=line.utility * frontier_lines.utility(purpose, unit).factor,
        most=line.most_nmi if line.mechanism == OPTIMUM and place.told is None else None,
        faded=place.faded,
        points=place.told is not None,
        between=_between(line, of_x, funnel) if funnel and place.told is None else None,
        mixture=_mixture(line, funnel) if funnel and place.told is None else None,
    )


def _mixture(line: Frontier, result: Result) -> FloatArray:
    """Return what mixtures of the mechanisms at a funnel's points keep, as a share."""
    told = measure(result.scenario, result.joint)
    return envelope(taken(told, line.eps, result.joint), line.nmi)


def _between(line: Frontier, scale: float, result: Result) -> tuple[FloatArray, FloatArray]:
    """Return budgets along a funnel and what is proven to be the most there, as a share."""
    told, joint = measure(result.scenario, result.joint), result.joint
    # steps from one budget of a funnel to the next at which is shown what is proven
    places = np.linspace(0, len(line.eps) - 1, 4 * (len(line.eps) - 1) + 1)
    at = np.interp(places, np.arange(len(line.eps)), line.eps)
    along = taken(told, line.eps, joint), taken(told, at, joint)
    most = most_between(along[0], line.nmi, line.most_nmi, along[1])
    return at * scale, np.minimum(most, 1.0)


def lifts(result: Result, unit: str, *, faded: bool = False) -> None:
    """Show the histograms of log-lift before and after."""
    allowed, why = derived.budgets(result.scenario), no_limits(result.mechanism.notion)
    chart(
        lambda: figures.lift_histogram(
            *derived.lift_histograms(result), allowed, NAMES, unit, unshaded=why
        ),
        made_of=MadeOf(
            result.scenario.data, (ref(result.before), ref(result.after), allowed, unit, why)
        ),
        key="lifts",
        title="How far beliefs move",
        alt="Histograms of log-lift before and after; the release has level "
        f"{level(result.after.achieved['lip'], unit)} {unit} of LIP.",
        faded=faded,
    )


def mechanism(result: Result, *, faded: bool = False) -> None:
    """Show the matrix P(y | x)."""
    made, rows = result.mechanism, derived.inputs(result)
    chart(
        lambda: _matrix(result, rows),
        made_of=MadeOf(result.scenario.data, (ref(result.after), rows, made.y_labels)),
        key="mechanism",
        title="The mechanism",
        alt=f"{made.name}: {number_of(len(rows), 'input')}, {number_of(made.n_y, 'output')}.",
        faded=faded,
    )


def _matrix(result: Result, rows: Sequence[str]) -> figures.Figure:
    """Draw the most likely rows and columns of the matrix."""
    made = result.mechanism
    p_x = result.joint.p.ravel() if len(rows) > result.joint.n_x else result.joint.p_x
    return figures.likeliest_matrix(
        made.kernel, p_x, rows, made.y_labels, inputs=ROWS, outputs=COLUMNS
    )


def confusability(
    graph: ConfusabilityGraph, when: int, data: DataSpec, *, faded: bool = False
) -> None:
    """Show one confusability graph of some data: of X itself (0) or of the release (1)."""
    name = NAMES[when]
    role = ("before", "after")[when]
    chart(
        lambda: figures.confusability(graph, name, role),
        made_of=MadeOf(data, (ref(graph), role)),
        key=f"confusability_{role}",
        title=f"What looks alike: {name}",
        alt=f"Confusability graph of {name}: "
        f"{number_of(len(graph.names), 'symbol')}, {number_of(graph.components, 'part')}.",
        faded=faded,
    )
