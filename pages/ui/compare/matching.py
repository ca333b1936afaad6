"""Match: bring all columns to the same ε, level, utility or leakage by another ε."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeGuard

import numpy as np
import streamlit as st

from core.errors import CoreError
from core.jobs import Job
from core.scenario import Project, Scenario
from core.studies import matching as study
from core.studies.matching import (
    BEYOND,
    CUT,
    EPS,
    FIXED,
    JUMPS,
    KEPT,
    REACHED,
    TARGETS,
    Match,
    match,
)
from core.wording import listed
from pages.ui.compare import columns, query
from pages.ui.frame import controls, pins
from pages.ui.style import glossary
from pages.ui.style.labels import markdown
from pages.ui.style.units import level, share
from pages.ui.work import answers, derived, long_answer, progress
from pages.ui.work.long_answer import LongAnswer

PLACE = "match"
"""Name of the part of the page that waits for matches."""

MENU = "match"
"""Key of the menu that starts one."""

FIGURES = {
    "eps": "ε",
    "ldp": "LDP level",
    "kept": "share kept",
    "leak": "I(S;Y)",
}
"""What a match makes equal, in a word or two."""

_REQUEST, _OUTCOME = "_match", "_match_outcome"


@dataclass
class Matching:
    """A match under way: the value to match, and the outcome for each column so far."""

    target: str
    value: float
    like: str
    project: Project
    outcomes: dict[int, Match | CoreError] = field(default_factory=dict)


def controls_of_match() -> None:
    """Show the pickers of what to match and of the column to match, and the button."""
    names = [name for _, name, _ in query.shown()]
    target = st.selectbox(
        "Match all columns to",
        list(TARGETS),
        format_func=lambda key: TARGETS[key],
        key="match_target",
        help=f"{glossary.meaning('match')} Notions and mechanisms stay the same.",
    )
    like = st.selectbox(
        "Reference column",
        range(len(names)),
        format_func=lambda place: names[place],
        key="match_like",
    )
    try:
        value = study.figure(columns.result_of(like), target)
    except CoreError as error:
        st.caption(markdown(str(error)))
        return
    st.caption(f"{markdown(names[like])}: {FIGURES[target]} = {_written(target, value)}.")
    st.button(
        "Match",
        key="match_start",
        type="primary",
        on_click=start,
        args=(target, value, names[like]),
    )


def start(target: str, value: float, like: str) -> None:
    """Begin to solve for every other column's ε, and close the menu: it covers the progress."""
    st.session_state[MENU] = False
    request = st.session_state[_REQUEST] = Matching(target, value, like, query.project())
    for place, scenario in _open(request):
        if target == EPS and study.has_budget(scenario):  # there is nothing to search
            request.outcomes[place] = match(scenario, derived.counted(scenario.data), EPS, value)
        else:
            _work(request, scenario).resume()  # it may have failed the last time


def settle() -> Matching | None:
    """Record what a match has found so far; return it while it is under way."""
    request: Matching | None = st.session_state.get(_REQUEST)
    if request is None:
        return None
    if request.project != query.project():
        _end()  # the columns have changed since
        return None
    long_answer.await_only(PLACE, [_work(request, scenario) for _, scenario in _open(request)])
    _take(request)
    if _open(request):
        return request
    _apply(request)
    return None


def follow(request: Matching) -> None:
    """Show how far a match is, until a column's ε is there."""
    before = len(_open(request))
    jobs, open_ = _take(request), _open(request)
    there = f"{len(request.project) - len(open_)} of {len(request.project)} done"
    names = ", ".join(request.project.names[place] for place, _ in open_)
    target = f"{FIGURES[request.target]} {_written(request.target, request.value)}"

    def look() -> tuple[float, str] | None:
        if len(open_) < before or any(job.finished for job in jobs):
            return None
        seconds = max((job.seconds for job in jobs), default=0.0)
        text = f"Matching {names} to {target}: {progress.of_limit(seconds, study.SECONDS)}"
        return min(1.0, seconds / study.SECONDS), f"{text}; {there}"

    progress.watched(look, key="match_cancel", on_cancel=_end)


def show_outcome() -> None:
    """Show the outcome of the last match, while the columns are as it left them."""
    project, request = st.session_state.get(_OUTCOME, (None, None))
    if project is None or request is None or project != query.project():
        return
    lines = sentences(request, controls.unit())
    st.info("\n\n".join(map(markdown, lines)), icon=":material/balance:")
    cut = [
        (place, outcome) for place, outcome in sorted(request.outcomes.items()) if _is_cut(outcome)
    ]
    if not cut:
        return
    with st.container(horizontal=True):
        for place, outcome in cut:
            at = level(outcome.eps, controls.unit(), 4)
            st.button(
                f"{markdown(project.names[place])}: use ε = {at}",
                key=f"match_use_{place}",
                on_click=_use,
                args=(place, outcome.eps),
            )
        st.button(
            "Continue",
            key="match_on",
            icon=":material/manage_search:",
            on_click=start,
            args=(request.target, request.value, request.like),
        )


def _is_cut(outcome: Match | CoreError) -> TypeGuard[Match]:
    """Return whether the search for a match stopped early, close to its target."""
    return isinstance(outcome, Match) and outcome.status == CUT


def _use(place: int, eps: float) -> None:
    """Give a column the ε closest to the target, which was not reached."""
    project = query.project()
    pins.change(project.asking(place, replace(project.scenarios[place], eps=eps)))


def _take(request: Matching) -> list[Job[Match]]:
    """Record new outcomes, and return the jobs that are still at work.

    A match is given out once: unless it is written down, the next one to ask begins it again.
    """
    outcomes: dict[tuple[str, ...], Match | CoreError | Job[Match]] = {}
    for place, scenario in _open(request):
        work = _work(request, scenario)
        if work.name not in outcomes:
            try:
                outcomes[work.name] = work.ask()
            except CoreError as error:
                outcomes[work.name] = error
        outcome = outcomes[work.name]
        if not isinstance(outcome, Job):
            request.outcomes[place] = outcome
    return [outcome for outcome in outcomes.values() if isinstance(outcome, Job)]


def _open(request: Matching) -> list[tuple[int, Scenario]]:
    """Return the columns whose ε is not known yet."""
    return [
        (place, scenario)
        for place, (scenario, name, _) in enumerate(request.project.columns())
        if place not in request.outcomes and name != request.like
    ][: pins.SHOWN]


def _work(request: Matching, scenario: Scenario) -> LongAnswer[Match]:
    question = repr(replace(scenario, eps=1.0))
    return LongAnswer(
        scenario.data,
        ("match", request.target, f"{request.value!r}", question),
        match,
        partial(_arguments, request, scenario),
        study.SECONDS,
        patience=long_answer.LIMIT,
        urgent=True,
        keep=False,
        is_final=lambda outcome: outcome.status != CUT,
    )


def _arguments(request: Matching, scenario: Scenario) -> tuple[Any, ...]:
    """Return what the search for a match takes: its question, and the line that is drawn."""
    known: dict[float, float] = {}
    line = answers.frontier(scenario) if request.target == KEPT else None
    if line is not None:
        there = np.isfinite(line.nmi)
        known = dict(zip(line.eps[there].tolist(), line.nmi[there].tolist(), strict=True))
    return scenario, derived.counted(scenario.data), request.target, request.value, known


def _end() -> None:
    long_answer.await_only(PLACE, ())
    st.session_state.pop(_REQUEST, None)


def _apply(request: Matching) -> None:
    project = request.project
    for place, outcome in request.outcomes.items():
        if isinstance(outcome, Match) and outcome.status in (REACHED, JUMPS):
            scenario = replace(project.scenarios[place], eps=outcome.eps)
            project = project.asking(place, scenario)
    if project != request.project:
        pins.change(project)
    _end()
    st.session_state[_OUTCOME] = (query.project(), request)


def sentences(request: Matching, unit: str) -> Sequence[str]:
    """Return the outcome of a match: a sentence or two for each column."""
    goal = f"{FIGURES[request.target]} {_written(request.target, request.value, unit)}"
    done = [place for place, outcome in request.outcomes.items() if _is_reached(outcome)]
    left = [request.project.names[place] for place in sorted(request.outcomes) if place not in done]
    if not left:
        lines = [f"All columns matched to {request.like}, {goal}:"]
    elif done:
        names = [request.project.names[place] for place in sorted(done)]
        lines = [
            f"Matched to {request.like}, {goal}: {listed(names)}. Not matched: {listed(left)}."
        ]
    else:
        lines = [f"Not matched to {request.like}, {goal}: {listed(left)}."]
    for place, outcome in sorted(request.outcomes.items()):
        name = request.project.names[place]
        if isinstance(outcome, CoreError):
            lines.append(f"{name}: {outcome}")
        else:
            lines.append(f"{name}: {outcome_text(outcome, request.target, unit)}")
    return lines


def _is_reached(outcome: Match | CoreError) -> bool:
    return isinstance(outcome, Match) and outcome.status == REACHED


def outcome_text(outcome: Match, target: str, unit: str) -> str:
    """Return the outcome for one column."""
    reached = _written(target, outcome.value, unit)
    low, high = _written(target, outcome.low, unit), _written(target, outcome.high, unit)
    at = level(outcome.eps, unit, 4)
    if outcome.status == FIXED:
        return f"it has no ε to change and stays at {reached}."
    if outcome.status == BEYOND:
        text = f"not reached: the ε tried gave {low} to {high}. ε stays unchanged."
    elif outcome.status == JUMPS:
        text = (
            f"not reached: the value jumps past it at ε = {at}. ε stays just below, at {reached}."
        )
    elif outcome.status == CUT:
        text = f"not reached: the search stopped at {reached}, ε = {at}. ε stays unchanged."
    else:
        text = f"reached at ε = {at}{'' if target == EPS else f', with {reached}'}."
    if not outcome.monotone:
        text += " The value is not monotone in ε: another ε may reach it too."
    return text


def _written(target: str, value: float, unit: str | None = None) -> str:
    if target == KEPT:
        return share(value)
    unit = unit or controls.unit()
    return f"{level(value, unit, 4)} {unit}"
