"""Match: bring all columns to the same ε, level, utility or leakage by another ε."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import streamlit as st

from core.errors import CoreError
from core.jobs import Job
from core.jobs.work import find_match
from core.scenario import Project, Scenario
from core.studies import matching as study
from core.studies.matching import BEYOND, CUT, EPS, FIXED, JUMPS, KEPT, REACHED, TARGETS, Match
from pages.ui.compare import columns, query
from pages.ui.frame import controls, pins
from pages.ui.style import glossary
from pages.ui.style.labels import markdown
from pages.ui.style.units import level, share
from pages.ui.work import derived, long_answer, progress
from pages.ui.work.long_answer import LongAnswer

PLACE = "match"
"""What the part of the page is called that waits for matches."""

LIMIT = study.SECONDS + 60.0
"""Seconds after which a search is given up; it ends itself before."""

FIGURES = {
    "eps": "ε",
    "ldp": "LDP level",
    "kept": "share kept",
    "leak": "I(S;Y)",
}
"""What is made the same, in a word or two."""

_ASKED, _TOLD = "_match", "_match_told"


@dataclass
class Asked:
    """A match under way: what was asked, and what has come of it by column."""

    target: str
    value: float
    like: str
    project: Project
    found: dict[int, Match | CoreError] = field(default_factory=dict)


def controls_of_match() -> None:
    """Show what to bring to the same value, and like which column."""
    names = [name for _, name, _ in query.shown()]
    target = st.selectbox(
        "Bring all columns to",
        list(TARGETS),
        format_func=lambda key: TARGETS[key],
        key="match_target",
        help=f"{glossary.meaning('match')} Promises and mechanisms stay.",
    )
    like = st.selectbox(
        "like the column",
        range(len(names)),
        format_func=lambda place: names[place],
        key="match_like",
    )
    try:
        value = study.figure(columns.result_of(like), target)
    except CoreError as error:
        st.caption(markdown(str(error)))
        return
    st.caption(f"{markdown(names[like])} has {_written(target, value)} of it now.")
    st.button(
        "Match",
        key="match_start",
        type="primary",
        on_click=start,
        args=(target, value, names[like]),
    )


def start(target: str, value: float, like: str) -> None:
    """Begin to solve for every other column's ε."""
    st.session_state[_ASKED] = Asked(target, value, like, query.project())


def settle() -> Asked | None:
    """Take what has come of a match; return it while some of it is being worked out.

    When all is there, the columns ask with the ε that were found.
    """
    asked: Asked | None = st.session_state.get(_ASKED)
    if asked is None:
        return None
    if asked.project != query.project():
        _end()  # the columns ask something else by now
        return None
    todo = _open(asked)
    long_answer.await_only(PLACE, [_work(asked, scenario) for _, scenario in todo])
    for place, scenario in todo:
        try:
            found = _work(asked, scenario).ask()
        except CoreError as error:
            asked.found[place] = error
            continue
        if not isinstance(found, Job):
            asked.found[place] = found
    if _open(asked):
        return asked
    _apply(asked)
    return None


def follow(asked: Asked) -> None:
    """Show how far a match is, until it ends."""
    st.fragment(_watch, run_every=0.5)(asked, len(_open(asked)))


def told() -> None:
    """Show what came of the last match, while the columns are those that it left."""
    project, sentences = st.session_state.get(_TOLD, (None, ()))
    if project is None or project != query.project():
        return
    st.info("\n\n".join(map(markdown, sentences)), icon=":material/balance:")


def _watch(asked: Asked, before: int) -> None:
    open_ = _open(asked)
    jobs = [_job(asked, scenario) for _, scenario in open_]
    under_way = [job for job in jobs if job is not None and not job.finished]
    if len(under_way) < before:
        st.rerun()
    every = len(asked.project)
    names = ", ".join(asked.project.names[place] for place, _ in open_)
    seconds = max((job.seconds for job in under_way), default=0.0)
    progress.row(
        min(1.0, seconds / study.SECONDS),
        f"Matching {markdown(names)} to {FIGURES[asked.target]} "
        f"{_written(asked.target, asked.value)}: {seconds:.0f} s of at most "
        f"{study.SECONDS:g} s; {every - len(under_way)} of {every} are there",
        key="match_cancel",
        on_cancel=_end,
    )


def _job(asked: Asked, scenario: Scenario) -> Job[Match] | None:
    try:
        found = _work(asked, scenario).ask()
    except CoreError:
        return None
    return found if isinstance(found, Job) else None


def _open(asked: Asked) -> list[tuple[int, Scenario]]:
    """Return the columns that are still to be solved for."""
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
        find_match,
        lambda: (scenario, derived.counted(scenario.data), asked.target, asked.value),
        LIMIT,
        urgent=True,
        keep=False,
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
    st.session_state[_TOLD] = (query.project(), sentences(asked, controls.unit()))


def sentences(asked: Asked, unit: str) -> Sequence[str]:
    """Return what came of a match: a sentence or two for each column."""
    goal = f"{FIGURES[asked.target]} {_written(asked.target, asked.value, unit)}"
    said = [f"All columns beside {asked.like}, with {goal}:"]
    for place, found in sorted(asked.found.items()):
        name = asked.project.names[place]
        if isinstance(found, CoreError):
            said.append(f"{name}: {found}")
        else:
            said.append(f"{name}: {told_of(found, asked.target, unit)}")
    return said


def told_of(found: Match, target: str, unit: str) -> str:
    """Return what came of matching one column."""
    reached = _written(target, found.value, unit)
    low, high = _written(target, found.low, unit), _written(target, found.high, unit)
    at = level(found.eps, unit, 4)
    if found.status == FIXED:
        return f"it has no ε to solve for, and stays at {reached}."
    if found.status == BEYOND:
        text = f"out of reach. At the ε that were looked at it has {low} to {high}; ε stays."
    elif found.status == JUMPS:
        text = f"it jumps past that at ε = {at}; below, it has {reached}, and is left there."
    elif found.status == CUT:
        text = f"time ended the search at {reached}, ε = {at}; ε stays."
    else:
        text = f"reached at ε = {at}{'' if target == EPS else f', with {reached}'}."
    if not found.monotone:
        text += " It does not rise steadily with ε: another ε may reach it too."
    return text


def _written(target: str, value: float, unit: str | None = None) -> str:
    if target == KEPT:
        return share(value)
    unit = unit or controls.unit()
    return f"{level(value, unit, 4)} {unit}"
