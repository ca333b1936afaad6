"""The lines of Explore's frontier: what is compared, which lines are there, and the work on others.

Each line appears as soon as it is there. Until then the one of the last settings stays, faded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pandas as pd
import streamlit as st

from core.errors import CoreError, SolverError
from core.jobs import Job
from core.mechanisms import catalogue as mechanisms
from core.mechanisms import fit
from core.notions import catalogue as notions
from core.scenario import Scenario
from core.studies.frontier import Frontier
from core.studies.funnel import is_funnel, measure, reached
from core.studies.known import OPTIMUM
from core.validation import FloatArray
from pages.ui.chart import picked
from pages.ui.frame import controls, pickers, state
from pages.ui.style.labels import markdown
from pages.ui.style.units import in_unit
from pages.ui.work import answers, derived, long_answer, progress
from pages.ui.work.store import known_for

COMPARED = (
    *("optimal", "subset_random_response", "subset_merging", "watchdog"),
    *("polyopt", "independent_reporting", "secret_rr", "non_robust"),
)
"""The mechanisms that the frontier shows beside the current one, where they work."""

UNDER = ("lip", "ldp")
"""The promises whose optima are shown under a funnel."""

MOST_LINES = 5
"""Lines that the frontier compares: more can no longer be told apart."""

_LAST = "_frontier_last"


@dataclass(frozen=True, eq=False)
class Place:
    """A line's place in the chart, which it keeps as others come.

    Attributes
    ----------
    number : int
        Of its colour, dash and symbol.
    line : Frontier
        The line.
    faded : bool
        Whether it is for the last settings, while that for the present ones is worked out.
    told : ndarray or None
        Beside a funnel, what the answers to another promise take of its budget, shape (k,).
    """

    number: int
    line: Frontier
    faded: bool = False
    told: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Lines:
    """What there is of a comparison.

    Attributes
    ----------
    places : tuple of Place
        The lines that are there.
    asked : tuple of Scenario
        All that are compared; their ε plays no part.
    waiting : tuple of Scenario
        Those that are being worked out, or worked out better.
    problems : dict
        What is missing, by its place among those asked, and why.
    """

    places: tuple[Place, ...] = ()
    asked: tuple[Scenario, ...] = ()
    waiting: tuple[Scenario, ...] = ()
    problems: dict[int, CoreError] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Work:
    """What is at work on a comparison, as in `Lines`."""

    asked: tuple[Scenario, ...]
    waiting: tuple[Scenario, ...]
    problems: dict[int, CoreError]


def begin(scenario: Scenario) -> Work:
    """Begin the work on the lines that are missing, and take what has come of it.

    Before an answer is looked for: it may not be below a line that stands beside it.
    """
    asked = compared(scenario)
    long_answer.await_only("frontiers", [answers.sweep_work(one) for one in asked])
    waiting, problems = [], {}
    for number, one in enumerate(asked):
        try:
            if answers.sweeping(one) is not None:
                waiting.append(one)
        except CoreError as error:
            problems[number] = error
    return Work(asked, tuple(waiting), problems)


def find(scenario: Scenario, work: Work | None = None) -> Lines:
    """Return the lines to show for a scenario, and what is at work on the others."""
    work = work or begin(scenario)
    last: dict[tuple[str, ...], Frontier] = st.session_state.get(_LAST, {})
    shown: dict[tuple[str, ...], Frontier] = {}
    places = []
    for number, one in enumerate(work.asked):
        key = (repr(one.data), one.notion, one.mechanism)
        line = _line(one)
        if line is not None:
            places.append(Place(number, line, told=_told(scenario, one, line)))
            shown[key] = line
        elif key in last and one in work.waiting:
            told = _told(scenario, one, last[key])
            places.append(Place(number, last[key], faded=True, told=told))
            shown[key] = last[key]
    st.session_state[_LAST] = shown
    return Lines(tuple(places), work.asked, work.waiting, work.problems)


def _told(scenario: Scenario, one: Scenario, line: Frontier) -> FloatArray | None:
    """Return what another promise's answers take of a funnel's budget; None for its own lines."""
    if not is_funnel(scenario) or one.notion == scenario.notion:
        return None
    joint = derived.counted(scenario.data).joint
    return reached(known_for(one.data), one, line.eps, measure(scenario, joint), joint)


def _line(one: Scenario) -> Frontier | None:
    try:
        return answers.frontier(one)
    except CoreError:
        return None  # the work on it failed, which is told, or its data has an error, told above


def compared(scenario: Scenario) -> tuple[Scenario, ...]:
    """Return the frontiers to compare: mechanisms under one notion, or notions for one."""
    if is_funnel(scenario):
        return _beside_funnel(scenario)
    if "eps" not in notions.entry(scenario.notion).parameters:
        return ()
    others = [promise.notion for promise in scenario.also]
    if controls.by_promise() and mechanisms.entry(scenario.mechanism).uses_notion:
        asked = [
            replace(scenario, notion=entry.key)
            for entry in notions.ENTRIES
            if _works(scenario.mechanism, [entry.key, *others])
        ]
    else:
        asked = [
            replace(scenario, mechanism=key)
            for key in COMPARED + (scenario.mechanism,) * (scenario.mechanism not in COMPARED)
            if mechanisms.entry(key).uses_notion and _works(key, [scenario.notion, *others])
        ]
    asked.sort(key=lambda one: one != scenario)  # the current one first, the rest as they come
    return tuple(asked[:MOST_LINES])


def _beside_funnel(scenario: Scenario) -> tuple[Scenario, ...]:
    """Return the funnel, and what lies under it: the optima of single outputs' promises."""
    optimum = replace(scenario, mechanism=OPTIMUM)
    if fit.obstacle(mechanisms.entry(OPTIMUM), pickers.asked_kinds(scenario)):
        return ()
    return (optimum, *(replace(optimum, notion=key, also=()) for key in UNDER))


def by_promise(scenario: Scenario) -> bool:
    """Say whether the lines are told apart by their promises, not by their mechanisms."""
    return controls.by_promise() or is_funnel(scenario)


def _works(mechanism: str, asked: Sequence[str]) -> bool:
    kinds = [notions.entry(key).kind for key in asked]
    return not fit.obstacle(mechanisms.entry(mechanism), kinds)


def pick() -> None:
    """Move the controls to the point that was clicked in the chart."""
    found = picked("frontier")
    if found is None:
        return
    notion, mechanism = found["key"]
    for place in find(state.scenario()).places:
        if (place.line.notion, place.line.mechanism) == (notion, mechanism):
            st.session_state["eps"] = float(place.line.eps[int(found["at"])])
            st.session_state["notion"], st.session_state["mech"] = notion, mechanism


def title(one: Scenario, *, by_promise: bool) -> str:
    """Return what a line is called: what tells it from the others."""
    if by_promise:
        return notions.entry(one.notion).title
    return mechanisms.entry(one.mechanism).title


def show_work(lines: Lines) -> None:
    """Show below the chart how far the work is, its Cancel, and what is missing and why."""
    with st.container(key="frontier_state"):
        if lines.waiting:
            st.fragment(_watch, run_every=1.0)(lines.asked, len(lines.waiting))
        if lines.problems:
            _tell(lines)


def _watch(asked: Sequence[Scenario], before: int) -> None:
    """Show the whole board anew as soon as a line is there."""
    waiting = [(one, job) for one in asked if (job := _job(one)) is not None]
    if len(waiting) != before:
        st.rerun()
    names = ", ".join(title(one, by_promise=by_promise(asked[0])) for one, _ in waiting)
    there = len(asked) - len(waiting)
    seconds = max(job.seconds for _, job in waiting)
    progress.row(
        there / len(asked),
        f"{there} of {len(asked)} lines are there. Working on {names}: {seconds:.0f} s",
        key="frontier_cancel",
        on_cancel=_stop,
        args=([one for one, _ in waiting],),
    )


def _job(one: Scenario) -> Job[Frontier] | None:
    try:
        return answers.sweeping(one)
    except CoreError:
        return None


def _stop(waiting: Sequence[Scenario]) -> None:
    for one in waiting:
        answers.sweep_work(one).stop()


def _resume(missing: Sequence[Scenario]) -> None:
    for one in missing:
        answers.sweep_work(one).resume()


def _tell(lines: Lines) -> None:
    apart = by_promise(state.scenario())
    said = "; ".join(
        f"{title(lines.asked[number], by_promise=apart)}: {error}"
        for number, error in lines.problems.items()
    )
    missing = [
        lines.asked[number]
        for number, error in lines.problems.items()
        if isinstance(error, SolverError | long_answer.StoppedError)
    ]
    with st.container(horizontal=True, vertical_alignment="center", key="frontier_problems"):
        st.caption(f"Missing: {markdown(said)}")
        if missing:
            st.button(
                "Start again",
                icon=":material/replay:",
                key="frontier_again",
                on_click=_resume,
                args=(missing,),
            )


def table() -> pd.DataFrame:
    """Return the lines that are there as a table; each column names its unit."""
    lines, unit = find(state.scenario()), controls.unit()
    funnel = any(place.told is not None for place in lines.places)
    return pd.DataFrame(
        {
            "promise": notions.entry(place.line.notion).title,
            "mechanism": mechanisms.entry(place.line.mechanism).title,
            f"eps_{unit}": in_unit(float(eps), unit),
            "nmi": float(nmi),
            f"utility_{unit}": in_unit(float(utility), unit),
            f"bound_{unit}": in_unit(float(bound), unit),
        }
        | ({"told_of_S": float(told)} if funnel else {})
        for place in lines.places
        if not place.faded
        for eps, nmi, utility, bound, told in zip(
            place.line.eps,
            place.line.nmi,
            place.line.utility,
            place.line.upper_bound,
            place.line.eps if place.told is None else place.told,
            strict=True,
        )
    )
