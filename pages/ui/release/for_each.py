"""A mechanism for each value of what others know, released: the search, and what is kept."""

from __future__ import annotations

import streamlit as st

from core.data.tables import FileTable
from core.errors import CoreError
from core.jobs.work import find_release_for_each
from core.mechanisms.optima.for_each import for_groups
from core.records.design import Plan
from core.records.for_each import ResultForEach, check_file
from core.records.several import check_plan
from core.scenario import Result
from core.wording import number_of, percent
from pages.ui.frame import page_frame
from pages.ui.release import results
from pages.ui.release.in_turn import COUNTING
from pages.ui.style.labels import markdown
from pages.ui.work import long_answer, progress
from pages.ui.work.long_answer import LongAnswer

PLACE = "release for each"


def give_up() -> None:
    """Stop a search that is not on screen any more."""
    long_answer.await_only(PLACE, ())


def work(result: Result, table: FileTable, least: int, seconds: float) -> LongAnswer[ResultForEach]:
    """Return the work of making a mechanism for each known value, in so many seconds."""
    search = LongAnswer(
        result.scenario.data,
        ("release for each", result.scenario.to_json(), f"{least}", *results.name_of(table)),
        find_release_for_each,
        lambda: (result, table, least, search.longer),
        seconds,
        patience=COUNTING,
        is_final=lambda made: made.each.proven,
    )
    return search


def show(result: Result, plan: Plan, table: FileTable) -> ResultForEach | None:
    """Show the search; return the answer with its mechanisms, None where there is none (yet)."""
    known_counts = result.joint.known
    if not plan.for_each or known_counts is None:
        give_up()
        return None
    known = result.counted.report.known
    with st.container(border=True, key="card_for_each"):
        st.markdown(f"**A separate mechanism for each {markdown(known)}**")
        try:
            check_plan(plan, same=True)
            check_file(result.scenario, table)
            number = len(for_groups(known_counts, plan.for_each))
        except CoreError as error:
            give_up()
            st.error(markdown(str(error)), icon=":material/error:")
            return None
        seconds = number * result.scenario.time_limit
        search = work(result, table, plan.for_each, seconds)
        long_answer.await_only(PLACE, [search])
        made = progress.awaited(
            search,
            search.ask,
            number_of(number, "search"),
            key="release_for_each",
            left_open=lambda _: "Not proven: some searches ended early.",
        )
        if made is not None:
            st.markdown(markdown(sentence(made)))
    return made


def sentence(made: ResultForEach) -> str:
    """Say what the mechanisms keep of X together, and what Y can reveal beside."""
    known = made.counted.report.known
    return (
        f"{number_of(len(made.values), 'mechanism')}, chosen by {known}, together keep "
        f"{percent(made.mechanism.kept)} of the information in X (I(X;Y|K)). Y may reveal {known} "
        "to readers who do not know it."
    )


def reported(made: ResultForEach) -> str:
    """Say what is released, for a report of one mechanism for all values."""
    return (
        f"This report describes one mechanism for all values. The release differs: {sentence(made)}"
    )


def headline(result: Result, made: ResultForEach | None, *, wanted: bool) -> None:
    """Show what the mechanisms promise, if they are wanted, else what the one for all does."""
    if not wanted:
        page_frame.headline(result)
    elif made is not None:
        page_frame.headline(made)
    else:
        text = (
            "Nothing is promised yet: the mechanisms for each "
            f"{result.counted.report.known} have not been made."
        )
        with st.container(key="finding"):
            st.markdown(markdown(text))
