"""The frontiers of all columns: worked out in the background, each shown as soon as it is ready."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from core.errors import CoreError
from core.jobs import Job
from core.scenario import Scenario
from core.studies.frontier import Frontier
from core.studies.matching import has_budget
from pages.ui import figures
from pages.ui.compare.columns import Answered
from pages.ui.style.labels import markdown
from pages.ui.work import answers, long_answer, progress

PLACE = "column frontiers"
"""Name of the part of the page that waits for frontiers."""


@dataclass(frozen=True, eq=False)
class ColumnLine:
    """A column's frontier, or why there is none.

    Attributes
    ----------
    column : Answered
        The column.
    line : Frontier or None
        What it keeps at each ε; None where it has no ε, or the line is not ready.
    working : bool
        Whether the line is being worked out.
    error : CoreError or None
        Why it cannot be.
    """

    column: Answered
    line: Frontier | None = None
    working: bool = False
    error: CoreError | None = None


def begin(asked: Sequence[Scenario]) -> None:
    """Begin the work on the lines that are missing.

    Call it before answers are looked for: no answer may be below its own line.
    """
    swept = [_swept(one) for one in asked if has_budget(one)]
    long_answer.await_only(PLACE, [answers.sweep_work(one) for one in swept])
    for one in swept:
        _job(one)


def find(found: Sequence[Answered]) -> list[ColumnLine]:
    """Return every column's line, or why there is none."""
    return [_find(column) for column in found]


def _find(column: Answered) -> ColumnLine:
    if not has_budget(column.scenario):
        return ColumnLine(column)
    asked = _swept(column.scenario)
    try:
        job = answers.sweeping(asked)
        line = answers.frontier(asked)
    except CoreError as error:
        return ColumnLine(column, error=error)
    return ColumnLine(column, line, working=job is not None)


def _swept(scenario: Scenario) -> Scenario:
    """Return the question with ε = 1: columns that differ only in ε share a line."""
    return replace(scenario, eps=1.0)


def show_work(lines: Sequence[ColumnLine]) -> None:
    """Show the progress of the lines, Cancel, and why lines are missing."""
    waiting = [one for one in lines if one.working]
    missing = [one for one in lines if one.error is not None and one.column.error is None]
    with st.container(key="column_frontier_state"):
        if waiting:
            ready = sum(one.line is not None and not one.working for one in lines)
            st.fragment(_watch, run_every=2 * progress.every())(
                waiting, ready, ready + len(waiting) + len(missing)
            )
        if missing:
            told = "; ".join(f"{one.column.name}: {one.error}" for one in missing)
            progress.again(f"Missing: {told}", "column_lines_again", _resume, (missing,))
        if cut := [one for one in lines if _is_cut(one)]:
            told = "; ".join(f"{one.column.name} {_left_open(one)}" for one in cut)
            progress.search_on(f"Not proven: {told}.", "column_lines_on", _search_on, (cut,))


def _is_cut(one: ColumnLine) -> bool:
    """Say whether time left a line without some proof or answer, and it may be searched on."""
    line = one.line
    if line is None or one.working or (line.most_nmi - line.nmi <= figures.BAND).all():
        return False
    return answers.may_sweep_on(_swept(one.column.scenario))


def _left_open(one: ColumnLine) -> str:
    """Return at how many of its budgets a line has no proof, or no answer."""
    if one.line is None:
        return ""
    proven = one.line.most_nmi - one.line.nmi <= figures.BAND
    return f"at {int((~proven).sum())} of {len(proven)} budgets"


def _watch(waiting: Sequence[ColumnLine], ready: int, every: int) -> None:
    """Run the page again as soon as a line is ready; show the progress until then."""
    open_ = [(one, job) for one in waiting if (job := _job(_swept(one.column.scenario)))]
    if len(open_) != len(waiting):
        st.rerun()
    names = ", ".join(one.column.name for one, _ in open_)
    seconds = max(job.seconds for _, job in open_)
    progress.row(
        ready / every,
        f"{ready} of {every} lines are ready. Working on {markdown(names)}: {seconds:.0f} s",
        key="column_lines_cancel",
        on_cancel=_stop,
        args=(waiting,),
    )


def _job(asked: Scenario) -> Job[Frontier] | None:
    try:
        return answers.sweeping(asked)
    except CoreError:
        return None


def _stop(waiting: Sequence[ColumnLine]) -> None:
    for one in waiting:
        answers.sweep_work(_swept(one.column.scenario)).stop()


def _resume(missing: Sequence[ColumnLine]) -> None:
    for one in missing:
        answers.sweep_work(_swept(one.column.scenario)).resume()


def _search_on(cut: Sequence[ColumnLine]) -> None:
    for one in cut:
        answers.sweep_on(_swept(one.column.scenario))
