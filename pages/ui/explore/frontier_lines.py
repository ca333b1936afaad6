"""The lines of Explore's frontier: each comes when ready; until then the last one stays, faded."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from core.errors import CoreError, SolverError
from core.mechanisms import catalogue as mechanisms
from core.mechanisms import fit
from core.notions import catalogue as notions
from core.scenario import Scenario, spans
from core.studies.frontier import Frontier
from core.studies.funnel import is_funnel, lend, measure, reached
from core.studies.known import OPTIMUM
from core.validation import FloatArray
from pages.ui.chart import BOARD, picked
from pages.ui.frame import controls, pickers, state
from pages.ui.style.labels import markdown
from pages.ui.style.units import in_unit
from pages.ui.work import answers, derived, long_answer, progress
from pages.ui.work.long_answer import LongAnswer
from pages.ui.work.sweeps import each, follow, left_open
from pages.ui.work.visits import known_for

COMPARED = (
    *("optimal", "subset_random_response", "subset_merging", "watchdog"),
    *("polyopt", "independent_reporting", "secret_rr", "non_robust"),
)
"""The mechanisms that the frontier shows beside the current one, where they work."""

UNDER = ("lip", "ldp")
"""The promises whose optima are shown under a funnel."""


_LAST = "_frontier_last"


@dataclass(frozen=True, eq=False)
class Place:
    """A line and its place, from 0, in the chart, which sets color, dash and symbol.

    `faded`: it is for the last settings, or a first estimate. `revealed`: next to a funnel, what
    the answers of another promise reveal about S in the funnel's measure, shape (k,).
    """

    number: int
    line: Frontier
    faded: bool = False
    revealed: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Lines:
    """The lines of a comparison, and the work on them; the ε of the questions is not used.

    `waiting`: being worked out or improved. `problems`: place in `scenarios` → why that line is
    missing. `cut`: left without some answers or proofs by a time limit or a failure.
    """

    places: tuple[Place, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    waiting: tuple[Scenario, ...] = ()
    problems: dict[int, CoreError] = field(default_factory=dict)
    cut: tuple[Scenario, ...] = ()


class UtilityColumns(NamedTuple):
    """How a purpose's utility is written: the table's columns, and the factor to their unit."""

    value: str
    bound: str
    factor: float


def utility(purpose: str, unit: str) -> UtilityColumns:
    """Return how the utility of a purpose is written."""
    if purpose == "guess":
        return UtilityColumns("right_guess", "right_guess_at_most", 1.0)
    if purpose == "distortion":
        return UtilityColumns("expected_error", "expected_error_at_least", -1.0)
    return UtilityColumns(f"utility_{unit}", f"bound_{unit}", in_unit(1.0, unit))


def begin(scenario: Scenario) -> Lines:
    """Begin the missing lines and take the ready ones, before an answer, which none may exceed."""
    scenarios = compared(scenario)
    long_answer.await_only("frontiers", [answers.sweep_work(other) for other in scenarios])
    waiting, problems = [], {}
    for number, other in enumerate(scenarios):
        try:
            if answers.sweeping(other) is not None:
                waiting.append(other)
        except CoreError as error:
            problems[number] = error
    if is_funnel(scenario):
        ready = [
            (other, line) for other in scenarios if other not in waiting and (line := _line(other))
        ]
        lend(known_for(scenario.data), ready, derived.counted(scenario.data).joint)
    return Lines((), scenarios, tuple(waiting), problems)


def find(scenario: Scenario, work: Lines | None = None) -> Lines:
    """Return the lines to show for a scenario, and the work on the others."""
    work = work or begin(scenario)
    last: dict[tuple[str, ...], Frontier] = st.session_state.get(_LAST, {})
    shown: dict[tuple[str, ...], Frontier] = {}
    places, cut = [], []
    for number, other in enumerate(work.scenarios):
        key = (repr(other.data), other.notion, other.mechanism)
        line = _line(other)
        if line is not None:
            revealed = _revealed(scenario, other, line)
            places.append(Place(number, line, answers.is_glimpse(other), revealed))
            shown[key] = line
            if other not in work.waiting and left_open(line).any() and answers.may_sweep_on(other):
                cut.append(other)
        elif key in last and other in work.waiting:
            level = _revealed(scenario, other, last[key])
            places.append(Place(number, last[key], faded=True, revealed=level))
            shown[key] = last[key]
        elif key in last:  # it failed: once it is started again, the old line is there meanwhile
            shown[key] = last[key]
    st.session_state[_LAST] = shown
    return replace(work, places=tuple(places), cut=tuple(cut))


def _revealed(scenario: Scenario, other: Scenario, line: Frontier) -> FloatArray | None:
    """Return what another promise's answers reveal, in a funnel's measure; None for its line."""
    if not is_funnel(scenario) or other.notion == scenario.notion:
        return None
    joint = derived.counted(scenario.data).joint
    return reached(known_for(other.data), other, line.eps, measure(scenario, joint), joint)


def _line(scenario: Scenario) -> Frontier | None:
    try:
        return answers.frontier(scenario)
    except CoreError:
        return None  # `Lines.problems` has the reason, or the page shows the data's error


def compared(scenario: Scenario) -> tuple[Scenario, ...]:
    """Return the frontiers to compare: mechanisms under one notion, or notions of one mechanism."""
    if is_funnel(scenario):
        return _beside_funnel(scenario)
    if "eps" not in notions.entry(scenario.notion).parameters:
        return ()
    if controls.by_promise() and mechanisms.entry(scenario.mechanism).uses_notion:
        scenarios = [
            replace(scenario, notion=entry.key)
            for entry in notions.ENTRIES
            if _works(replace(scenario, notion=entry.key))
        ]
    else:
        scenarios = [
            replace(scenario, mechanism=key)
            for key in COMPARED + (scenario.mechanism,) * (scenario.mechanism not in COMPARED)
            if mechanisms.entry(key).uses_notion and _works(replace(scenario, mechanism=key))
        ]
    scenarios.sort(key=lambda other: other != scenario)  # the current one first, others in order
    # more lines than this could not be distinguished
    return tuple(scenarios[:5])


def _beside_funnel(scenario: Scenario) -> tuple[Scenario, ...]:
    """Return the funnel, and optima that lie below it as they keep the further promises too."""
    optimum = replace(scenario, mechanism=OPTIMUM)
    if fit.obstacle(mechanisms.entry(OPTIMUM), scenario.kinds):
        return ()
    return (optimum, *(replace(optimum, notion=key) for key in UNDER))


def by_promise(scenario: Scenario) -> bool:
    """Say whether the lines differ in their promises, not in their mechanisms."""
    return controls.by_promise() or is_funnel(scenario)


def _works(scenario: Scenario) -> bool:
    return not pickers.obstacle(scenario.mechanism, scenario)


def pick() -> None:
    """Move the controls to the point that was clicked in the chart."""
    point = picked(BOARD)
    if point is None:
        return
    notion, mechanism = point["key"]
    for place in find(state.scenario()).places:
        if (place.line.notion, place.line.mechanism) == (notion, mechanism):
            st.session_state["eps"] = float(place.line.eps[int(point["at"])])
            st.session_state["notion"], st.session_state["mech"] = notion, mechanism


def title(scenario: Scenario, *, by_promise: bool) -> str:
    """Return a line's name: its promise or its mechanism."""
    if by_promise:
        return notions.entry(scenario.notion).title
    return mechanisms.entry(scenario.mechanism).title


def show_work(lines: Lines) -> None:
    """Show below the chart the progress of the work, its Cancel, and why lines are missing."""
    if lines.waiting:
        _follow(lines)
    if lines.problems:
        _list_missing(lines)
    _list_gaps(lines)


def _follow(lines: Lines) -> None:
    """Show the progress of the lines until one more is ready."""
    scenarios, apart = lines.scenarios, by_promise(lines.scenarios[0])
    names = ", ".join(title(scenario, by_promise=apart) for scenario in lines.waiting)
    there = len(scenarios) - len(lines.waiting) - len(lines.problems)
    follow(lines.waiting, names, there, len(scenarios), "frontier_cancel")


def _list_missing(lines: Lines) -> None:
    apart = by_promise(state.scenario())
    reasons = "; ".join(
        f"{title(lines.scenarios[number], by_promise=apart)}: {error}"
        for number, error in lines.problems.items()
    )
    missing = [
        lines.scenarios[number]
        for number, error in lines.problems.items()
        if isinstance(error, SolverError | long_answer.StoppedError)
    ]
    if missing:
        resume = partial(each, missing, LongAnswer.resume)
        progress.again(f"Missing: {reasons}", "frontier_again", resume)
    else:
        st.caption(f"Missing: {markdown(reasons)}")


def _list_gaps(lines: Lines) -> None:
    """Say at which budgets lines have no answer, and offer to search on."""
    apart = by_promise(state.scenario())
    gaps = [
        f"{title(lines.scenarios[place.number], by_promise=apart)}: {gap}"
        for place in lines.places
        if not place.faded
        and (gap := _open(place.line, lines.scenarios[place.number] in lines.cut))
    ]
    if not gaps:
        return
    if lines.cut:
        search_on = partial(each, lines.cut, LongAnswer.search_on)
        progress.search_on(" ".join(gaps), "frontier_search_on", search_on)
    else:
        st.caption(markdown(" ".join(gaps)))


def _open(line: Frontier, cut: bool) -> str:
    """Say how many budgets of a line have no answer and why, or no proof where time was short."""
    every, missing = len(line.eps), int(np.isnan(line.utility).sum())
    if missing:
        reason = next(reason for reason in line.reasons if reason)
        return f"no answer at {missing} of {every} budgets. {reason}"
    unproven = int(left_open(line).sum())
    return f"not proven at {unproven} of {every} budgets." if cut and unproven else ""


def table() -> pd.DataFrame:
    """Return the lines that are ready as a table; each column names its unit."""
    scenario, unit = state.scenario(), controls.unit()
    places = [place for place in find(scenario).places if not place.faded]
    funnel = any(place.revealed is not None for place in places)
    written = utility(scenario.purpose, unit)
    plain = any(not spans.in_nats(place.line.notion) for place in places)

    def budget(notion: str, eps: float) -> dict[str, object]:
        """Return a budget with its unit: beside it where not all lines have the same."""
        shown = in_unit(eps, unit) if spans.in_nats(notion) else eps
        if not plain:
            return {f"eps_{unit}": shown}
        return {"eps": shown, "unit_of_eps": unit if spans.in_nats(notion) else ""}

    def revealed_column(level: float) -> dict[str, object]:
        if not funnel:
            return {}
        if spans.in_nats(scenario.notion):
            return {f"level_of_S_{unit}": in_unit(level, unit)}
        return {"level_of_S": level}

    return pd.DataFrame(
        {
            "notion": notions.entry(place.line.notion).title,
            "mechanism": mechanisms.entry(place.line.mechanism).title,
            **budget(place.line.notion, float(eps)),
            "nmi" if scenario.purpose == "information" else "kept": float(nmi),
            written.value: float(value) * written.factor,
            written.bound: float(bound) * written.factor,
            **revealed_column(float(revealed)),
        }
        for place in places
        for eps, nmi, value, bound, revealed in zip(
            place.line.eps,
            place.line.nmi,
            place.line.utility,
            place.line.upper_bound,
            place.line.eps if place.revealed is None else place.revealed,
            strict=True,
        )
    )
