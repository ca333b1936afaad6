"""Match: bring all columns to the same ε, level, utility or leakage by another ε."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeGuard

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
from pages.ui.work import derived, long_answer, progress
from pages.ui.work.long_answer import LongAnswer

PLACE = "match"
"""Name of the part of the page that waits for matches."""

LIMIT = study.SECONDS + 60.0
"""Seconds after which a search is given up, if it has not ended itself before."""

FIGURES = {
    "eps": "ε",
    "ldp": "LDP level",
    "kept": "share kept",
    "leak": "I(S;Y)",
}
"""What a match makes the same, in a word or two."""

_ASKED, _TOLD = "_match", "_match_told"


@dataclass
class Asked:
    """A match under way: what was asked, and what was found, by column."""

    target: str
    value: float
    like: str
    project: Project
    found: dict[int, Match | CoreError] = field(default_factory=dict)


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
        "same as column",
        range(len(names)),
        format_func=lambda place: names[place],
        key="match_like",
    )
    try:
        value = study.figure(columns.result_of(like), target)
    except CoreError as error:
        st.caption(markdown(str(error)))
        return
    st.caption(f"{markdown(names[like])} now has {FIGURES[target]} {_written(target, value)}.")
    st.button(
        "Match",
        key="match_start",
        type="primary",
        on_click=start,
        args=(target, value, names[like]),
    )


def start(target: str, value: float, like: str) -> None:
    """Begin to solve for every other column's ε."""
    asked = st.session_state[_ASKED] = Asked(target, value, like, query.project())
    for _, scenario in _open(asked):
        _work(asked, scenario).resume()  # it may have failed the last time


def settle() -> Asked | None:
    """Take what a match has found so far; return it while it is under way."""
    asked: Asked | None = st.session_state.get(_ASKED)
    if asked is None:
        return None
    if asked.project != query.project():
        _end()  # the columns have changed since
        return None
    long_answer.await_only(PLACE, [_work(asked, scenario) for _, scenario in _open(asked)])
    _take(asked)
    if _open(asked):
        return asked
    _apply(asked)
    return None


def follow(asked: Asked) -> None:
    """Show how far a match is, until a column's ε is there."""
    before = len(_open(asked))
    jobs, open_ = _take(asked), _open(asked)
    there = f"{len(asked.project) - len(open_)} of {len(asked.project)} done"
    names = ", ".join(asked.project.names[place] for place, _ in open_)
    target = f"{FIGURES[asked.target]} {_written(asked.target, asked.value)}"

    def look() -> tuple[float, str] | None:
        if len(open_) < before or any(job.finished for job in jobs):
            return None
        seconds = max((job.seconds for job in jobs), default=0.0)
        said = f"Matching {names} to {target}: {seconds:.0f} s of at most {study.SECONDS:g} s"
        return min(1.0, seconds / study.SECONDS), f"{said}; {there}"

    progress.watched(look, key="match_cancel", on_cancel=_end)


def told() -> None:
    """Show the outcome of the last match, while the columns are as it left them."""
    project, asked = st.session_state.get(_TOLD, (None, None))
    if project is None or asked is None or project != query.project():
        return
    said = sentences(asked, controls.unit())
    st.info("\n\n".join(map(markdown, said)), icon=":material/balance:")
    cut = [(place, found) for place, found in sorted(asked.found.items()) if _is_cut(found)]
    if not cut:
        return
    with st.container(horizontal=True):
        for place, found in cut:
            at = level(found.eps, controls.unit(), 4)
            st.button(
                f"{markdown(project.names[place])}: use ε = {at}",
                key=f"match_use_{place}",
                on_click=_use,
                args=(place, found.eps),
            )
        st.button(
            "Continue",
            key="match_on",
            icon=":material/manage_search:",
            on_click=start,
            args=(asked.target, asked.value, asked.like),
        )


def _is_cut(found: Match | CoreError) -> TypeGuard[Match]:
    """Return whether a match ended before it was found, near what was asked."""
    return isinstance(found, Match) and found.status == CUT


def _use(place: int, eps: float) -> None:
    """Give a column the ε nearest to what was asked, though it was not reached."""
    project = query.project()
    pins.change(project.asking(place, replace(project.scenarios[place], eps=eps)))


def _take(asked: Asked) -> list[Job[Match]]:
    """Take what has been found since, and return the jobs that are still at work.

    A match is given out once: unless it is written down, the next one to ask begins it again.
    """
    found: dict[tuple[str, ...], Match | CoreError | Job[Match]] = {}
    for place, scenario in _open(asked):
        work = _work(asked, scenario)
        if work.name not in found:
            try:
                found[work.name] = work.ask()
            except CoreError as error:
                found[work.name] = error
        one = found[work.name]
        if not isinstance(one, Job):
            asked.found[place] = one
    return [one for one in found.values() if isinstance(one, Job)]


def _open(asked: Asked) -> list[tuple[int, Scenario]]:
    """Return the columns whose ε is still to be found."""
    return [
        (place, scenario)
        for place, (scenario, name, _) in enumerate(asked.project.columns())
        if place not in asked.found and name != asked.like
    ][: pins.SHOWN]


def _work(asked: Asked, scenario: Scenario) -> LongAnswer[Match]:
    question = repr(replace(scenario, eps=1.0))
    return LongAnswer(
        scenario.data,
        ("match", asked.target, f"{asked.value!r}", question),
        match,
        lambda: (scenario, derived.counted(scenario.data), asked.target, asked.value),
        LIMIT,
        urgent=True,
        keep=False,
        is_final=lambda found: found.status != CUT,
    )


def _end() -> None:
    long_answer.await_only(PLACE, ())
    st.session_state.pop(_ASKED, None)


def _apply(asked: Asked) -> None:
    project = asked.project
    for place, found in asked.found.items():
        if isinstance(found, Match) and found.status in (REACHED, JUMPS):
            scenario = replace(project.scenarios[place], eps=found.eps)
            project = project.asking(place, scenario)
    if project != asked.project:
        pins.change(project)
    _end()
    st.session_state[_TOLD] = (query.project(), asked)


def sentences(asked: Asked, unit: str) -> Sequence[str]:
    """Return the outcome of a match: a sentence or two for each column."""
    goal = f"{FIGURES[asked.target]} {_written(asked.target, asked.value, unit)}"
    done = [place for place, one in asked.found.items() if _is_reached(one)]
    left = [asked.project.names[place] for place in sorted(asked.found) if place not in done]
    if not left:
        said = [f"All columns matched to {asked.like}, {goal}:"]
    elif done:
        names = [asked.project.names[place] for place in sorted(done)]
        said = [f"Matched to {asked.like}, {goal}: {listed(names)}. Not matched: {listed(left)}."]
    else:
        said = [f"Not matched to {asked.like}, {goal}: {listed(left)}."]
    for place, found in sorted(asked.found.items()):
        name = asked.project.names[place]
        if isinstance(found, CoreError):
            said.append(f"{name}: {found}")
        else:
            said.append(f"{name}: {told_of(found, asked.target, unit)}")
    return said


def _is_reached(found: Match | CoreError) -> bool:
    return isinstance(found, Match) and found.status == REACHED


def told_of(found: Match, target: str, unit: str) -> str:
    """Return the outcome for one column."""
    reached = _written(target, found.value, unit)
    low, high = _written(target, found.low, unit), _written(target, found.high, unit)
    at = level(found.eps, unit, 4)
    if found.status == FIXED:
        return f"it has no ε to change and stays at {reached}."
    if found.status == BEYOND:
        text = f"not reached: the ε tried gave {low} to {high}. ε stays unchanged."
    elif found.status == JUMPS:
        text = (
            f"not reached: the value jumps past it at ε = {at}. ε stays just below, at {reached}."
        )
    elif found.status == CUT:
        text = f"not reached: the search stopped at {reached}, ε = {at}. ε stays unchanged."
    else:
        text = f"reached at ε = {at}{'' if target == EPS else f', with {reached}'}."
    if not found.monotone:
        text += " The value is not monotone in ε: another ε may reach it too."
    return text


def _written(target: str, value: float, unit: str | None = None) -> str:
    if target == KEPT:
        return share(value)
    unit = unit or controls.unit()
    return f"{level(value, unit, 4)} {unit}"
