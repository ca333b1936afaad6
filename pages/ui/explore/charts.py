"""Explore's charts of one answer: frontier, lifts, mechanism, confusability graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from weakref import ref

import numpy as np

from core.data.spec import DataSpec
from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.notions.average import MEASURES
from core.release.confusability import ConfusabilityGraph
from core.release.histogram import no_limits
from core.scenario import PURPOSES, Result, Scenario, spans
from core.studies.frontier import Frontier
from core.studies.funnel import envelope, is_funnel, measure, most_between, taken
from core.studies.known import OPTIMUM
from core.studies.matching import has_budget
from core.validation import FloatArray
from core.wording import number_of
from pages.ui import figures
from pages.ui.chart import Drawing, MadeOf, part
from pages.ui.explore import frontier_lines
from pages.ui.explore.frontier_lines import Lines, Place
from pages.ui.parts.tables import COLUMNS, ROWS
from pages.ui.style.units import budget, in_unit, level
from pages.ui.work import derived
from pages.ui.work.sweeps import falling

OPEN = "Shaded area above a line: neither reached nor proven impossible."
"""What the band between what is kept and what is proven means."""

BETWEEN = (
    "Points between two points of the line are also reachable: choose one of their mechanisms at "
    "random and report which."
)
"""Why the line is concave, where it is."""

MIXTURE = (
    "Dotted, above the line: a mixture of the mechanisms at two points. The search was too short "
    "to find as good a mechanism in between."
)
"""What is said where a line lies below a mixture of its mechanisms."""


NO_EPS = "No line: this notion has no budget ε to vary."
"""What the chart says where nothing can be swept."""


NAMES = ("X itself", "the release")
"""The names of before and after."""

ROLES = ("before", "after")
"""Their keys."""

LIFTS = "Lift: how far beliefs shift"
"""The title of the histogram."""

MECHANISM = "Mechanism P(y | x)"
"""The title of the matrix."""

CONFUSABILITY = "Confusability graph"
"""The title of the graphs."""

ALONG = (
    "Share of X's information kept at each ε. The circle marks the current setting; click any "
    "point to jump there."
)
"""How to read the frontier."""

FUNNEL = (
    "Share kept versus information revealed about S on average. Line: the best found. Points: "
    "optima under LIP and LDP. The circle marks the current setting; click any point to jump "
    "there."
)
"""How to read that of an average budget."""

BESIDE = "All mechanisms also satisfy the additional notions."
"""What is said of them where more is promised."""

READ_LIFTS = (
    "Share of records by log-lift. The bars on each side of 0 add up to 100%. Shaded: allowed by "
    "the notion."
)
"""How to read the histogram."""

READ_MECHANISM = "Probability of each output y (column) given each input x (row)."
"""How to read the matrix."""

PAIRS = "One row for each pair of secret and input."
"""What is added where a mechanism reads S."""

READ_CONFUSABILITY = (
    "A line joins two releases that share a possible secret. A hollow node rules out a secret."
)
"""How to read the graphs."""


def frontier(result: Result, lines: Lines, unit: str, *, by_promise: bool, faded: bool) -> bytes:
    """Draw utility along ε, with the current point."""
    scenario = result.scenario
    along = _along(result, unit)
    limit = _limit(result, unit)
    curves = _lines(result, lines, unit, by_promise=by_promise)
    key = (scenario.notion, scenario.mechanism)
    here = ring(result, unit)
    empty = _nothing(scenario, lines)

    def draw() -> figures.Figure:
        return figures.frontier(
            curves,
            eps=here and here[0],
            nmi=result.mechanism.kept,
            kept=figures.Kept(
                *PURPOSES[scenario.purpose].axis, in_nats=result.mechanism.purpose.unit == "nats"
            ),
            unit=unit,
            limit=limit,
            budget=along,
            current=next((line.place for line in curves if line.key == key), -1),
            dense=True,
            **({"empty": empty} if empty else {}),
        )

    shown = tuple((ref(place.line), place.number, place.faded) for place in lines.places)
    question = (*key, scenario.purpose, by_promise, unit, here, result.mechanism.kept, limit, empty)
    return part(
        draw,
        made_of=None if is_funnel(scenario) else MadeOf(scenario.data, (shown, question)),
        key="frontier",
        title="Cost of privacy",
        alt=_spoken(result, unit),
        pickable=True,
        faded=faded,
    )


def _lines(result: Result, lines: Lines, unit: str, *, by_promise: bool) -> list[figures.Line]:
    scenario = result.scenario
    return [
        _line(
            place,
            unit,
            scenario.purpose,
            by_promise=by_promise,
            in_nats=spans.in_nats(scenario.notion),
            funnel=result if is_funnel(scenario) else None,
        )
        for place in lines.places
    ]


def read_frontier(result: Result, unit: str) -> str:
    """Say how the frontier of an answer is read."""
    scenario = result.scenario
    lines = frontier_lines.find(scenario)
    curves = _lines(result, lines, unit, by_promise=frontier_lines.by_promise(scenario))
    general = FUNNEL if is_funnel(scenario) else ALONG
    return " ".join([general, *[BESIDE] * bool(scenario.also), *_read(result, lines, curves)])


def read_mechanism(scenario: Scenario) -> str:
    """Say how the matrix of a question's mechanism is read."""
    reads_secret = mechanisms.entry(scenario.mechanism).reads_secret
    return f"{READ_MECHANISM} {PAIRS}" if reads_secret else READ_MECHANISM


def _read(result: Result, lines: Lines, drawn: Sequence[figures.Line]) -> Iterator[str]:
    """Say how the chart is read, where there is something to say."""
    if is_funnel(result.scenario) and any(place.revealed is None for place in lines.places):
        if any(figures.is_below_mixture(line) for line in drawn):
            yield MIXTURE
        elif measure(result.scenario, result.joint).is_sum:
            yield BETWEEN
    if any(figures.is_open(line) for line in drawn):
        yield OPEN
    if sentence := falling([place.line for place in lines.places if not place.faded]):
        yield sentence


def _nothing(scenario: Scenario, lines: Lines) -> str:
    """Say why no line is there; "" where the mechanism has no budget, which the figure says."""
    if not lines.scenarios:
        return "" if "eps" in notions.entry(scenario.notion).parameters else NO_EPS
    return "Computing the lines…" if lines.waiting else "No line could be computed."


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
    title = MEASURES[measure(result.scenario, result.joint).measure].title
    return figures.Budget(
        "M",
        f"revealed about S on average, {title}",
        unit if spans.in_nats(result.scenario.notion) else "",
    )


def _spoken(result: Result, unit: str) -> str:
    """Return the frontier's text for those who do not see it."""
    scenario, kept = result.scenario, f"{result.mechanism.kept:.0%} is kept"
    if is_funnel(scenario):
        return (
            "Privacy funnel: share kept versus information revealed about S on average; now M is "
            f"{_size(scenario, unit):.3g}, {kept}."
        )
    if "eps" not in notions.entry(scenario.notion).parameters:
        return f"{NO_EPS} Now {kept}."
    if not has_budget(scenario):
        return f"Share kept at each ε; {kept} now, at any ε."
    return f"Share kept at each ε; now ε is {budget(scenario.eps, unit)}, {kept}."


def _line(
    place: Place, unit: str, purpose: str, *, by_promise: bool, in_nats: bool, funnel: Result | None
) -> figures.Line:
    line, scale = place.line, in_unit(1.0, unit)
    x = line.eps if place.revealed is None else place.revealed
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
        most=line.most_nmi if line.mechanism == OPTIMUM and place.revealed is None else None,
        faded=place.faded,
        points=place.revealed is not None,
        between=_between(line, of_x, funnel) if funnel and place.revealed is None else None,
        mixture=_mixture(line, funnel) if funnel and place.revealed is None else None,
    )


def _mixture(line: Frontier, result: Result) -> FloatArray:
    """Return what mixtures of the mechanisms at a funnel's points keep, as a share."""
    by = measure(result.scenario, result.joint)
    return envelope(taken(by, line.eps, result.joint), line.nmi)


def _between(line: Frontier, scale: float, result: Result) -> tuple[FloatArray, FloatArray]:
    """Return budgets along a funnel and what is proven to be the most there, as a share."""
    by, joint = measure(result.scenario, result.joint), result.joint
    # steps from one budget of a funnel to the next at which is shown what is proven
    places = np.linspace(0, len(line.eps) - 1, 4 * (len(line.eps) - 1) + 1)
    at = np.interp(places, np.arange(len(line.eps)), line.eps)
    along = taken(by, line.eps, joint), taken(by, at, joint)
    most = most_between(along[0], line.nmi, line.most_nmi, along[1])
    return at * scale, np.minimum(most, 1.0)


def lifts(result: Result, unit: str) -> Drawing:
    """Draw the histograms of log-lift before and after."""
    allowed, why = derived.budgets(result.scenario), no_limits(result.mechanism.notion)
    return Drawing(
        lambda: figures.lift_histogram(
            *derived.lift_histograms(result), allowed, NAMES, unit, unshaded=why, dense=True
        ),
        made_of=MadeOf(
            result.scenario.data, (ref(result.before), ref(result.after), allowed, unit, why)
        ),
        key="lifts",
        title=LIFTS,
        alt="Histograms of log-lift before and after; the release has LIP level "
        f"{level(result.after.achieved['lip'], unit)} {unit}.",
    )


def mechanism(result: Result) -> Drawing:
    """Draw the matrix P(y | x)."""
    made, rows = result.mechanism, derived.inputs(result)
    return Drawing(
        lambda: _matrix(result, rows),
        made_of=MadeOf(result.scenario.data, (ref(result.after), rows, made.y_labels)),
        key="mechanism",
        title=MECHANISM,
        alt=f"{made.name}: {number_of(len(rows), 'input')}, {number_of(made.n_y, 'output')}.",
    )


def _matrix(result: Result, rows: Sequence[str]) -> figures.Figure:
    """Draw the most likely rows and columns of the matrix."""
    made = result.mechanism
    p_x = result.joint.p.ravel() if len(rows) > result.joint.n_x else result.joint.p_x
    return figures.likeliest_matrix(
        made.kernel, p_x, rows, made.y_labels, inputs=ROWS, outputs=COLUMNS, dense=True
    )


def confusability(graph: ConfusabilityGraph, when: int, data: DataSpec) -> Drawing:
    """Draw one confusability graph of some data: of X itself (0) or of the release (1)."""
    name, role = NAMES[when], ROLES[when]
    return Drawing(
        lambda: figures.confusability(graph, name, role, dense=True),
        made_of=MadeOf(data, (ref(graph), role)),
        key=f"confusability_{role}",
        title=f"{CONFUSABILITY}: {name}",
        alt=f"Confusability graph of {name}: "
        f"{number_of(len(graph.names), 'symbol')}, {number_of(graph.components, 'part')}.",
    )


def at_place(result: Result, unit: str) -> list[Drawing]:
    """Return the charts that differ from place to place of a slider, but for the frontier."""
    data = result.scenario.data
    after = confusability(derived.confusability_after(result), 1, data)
    return [lifts(result, unit), mechanism(result), after]


def ring(result: Result, unit: str) -> tuple[float, float] | None:
    """Return where the frontier's circle is: the budget and what is kept; None without a budget."""
    if not has_budget(result.scenario):
        return None
    return min(_size(result.scenario, unit), _limit(result, unit)), result.mechanism.kept
