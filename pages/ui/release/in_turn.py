"""Columns that are randomized separately: the search for their mechanisms, and their shares."""

from __future__ import annotations

import streamlit as st

from core.data.counts.cells import JOINED
from core.data.tables import FileTable
from core.errors import CoreError
from core.records.design import Plan
from core.records.several import SEARCHES, Several, check_plan, check_several, designed_for
from core.release.file_words import together_sentence
from core.release.sentences import caution_of, promise_text
from core.scenario import Result
from core.wording import listed, percent
from pages.ui.frame import controls as frame_controls
from pages.ui.frame import page_frame
from pages.ui.release import results
from pages.ui.style.labels import markdown
from pages.ui.work import long_answer, progress
from pages.ui.work.long_answer import LongAnswer

COUNTING = 300.0
"""Seconds that counting all combinations of the columns may take, beside the search."""

PLACE = "columns in turn"

UNFINISHED = "Not finished: other shares of ε may keep more."
"""What is said of an answer that a longer search may improve."""


def give_up() -> None:
    """Stop a search that is not on screen any more."""
    long_answer.await_only(PLACE, ())


def longest(result: Result, names: tuple[str, ...]) -> float:
    """Return the seconds that a search may take: orders and shares, then each mechanism."""
    return (SEARCHES + 1 + len(names)) * result.scenario.time_limit


def work(result: Result, table: FileTable, names: tuple[str, ...]) -> LongAnswer[Several]:
    """Return the work of making mechanisms for X and further columns."""
    search = LongAnswer(
        result.scenario.data,
        ("several", result.scenario.to_json(), repr(names), *results.name_of(table)),
        designed_for,
        lambda: (result, table, names, search.longer),
        longest(result, names),
        patience=COUNTING,
        is_final=lambda several: several.finished,
    )
    return search


def show(result: Result, plan: Plan, table: FileTable) -> Several | None:
    """Show each column's share of ε; return the mechanisms, None where there are none (yet)."""
    names = plan.randomize
    if not names:
        give_up()
        return None
    titles = [JOINED.join(result.scenario.data.released), *names]
    with st.container(border=True, key="card_in_turn"):
        st.markdown(
            f"**How {markdown(listed(titles))} share ε**",
            help="Each column's mechanism is made in turn, given the outputs before it. A search "
            "chooses the order and the shares of ε.",
        )
        try:
            check_plan(plan, same=True)
            check_several(result.scenario, table, names)
        except CoreError as error:
            give_up()
            st.error(markdown(str(error)), icon=":material/error:")
            return None
        search = work(result, table, names)
        long_answer.await_only(PLACE, [search])
        several = progress.awaited(
            search,
            search.ask,
            "Dividing ε",
            key="in_turn",
            left_open=lambda _: UNFINISHED,
        )
        if several is not None:
            _shares(several)
    return several


def _shares(several: Several) -> None:
    """Show the share of each column, and what it keeps, in the order of release."""
    st.markdown(markdown_list(shares(several)))
    if not several.holds:
        st.error(
            "These mechanisms do not satisfy the privacy notion together, so nothing is promised.",
            icon=":material/gpp_bad:",
        )
    elif several.in_turn.together is None:
        st.caption(
            "The outputs have too many combinations to count: the levels are the sums of the "
            "columns' levels, and the exact ones may be smaller."
        )


def markdown_list(lines: list[str]) -> str:
    """Return lines as a list in Markdown."""
    return "\n".join(f"- {markdown(line)}" for line in lines)


def shares(several: Several) -> list[str]:
    """Return the share of ε of each column and what it keeps, in the order of release."""
    return [
        f"{JOINED.join(own.scenario.data.released)}: "
        f"{promise_text(own.scenario.build_notion(own.joint), frame_controls.unit())}, keeps "
        f"{percent(own.mechanism.kept)} of its information"
        for own in several.results
    ]


def shared(several: Several) -> str:
    """Return the shares as one sentence, for a report of one of the columns."""
    return (
        "This report describes the mechanism of one of these columns. In the order of release: "
        f"{'; '.join(shares(several))}."
    )


def sentence(several: Several) -> str:
    """Say what all randomized columns promise together."""
    data, whole = several.whole.data, several.whole
    titles = [JOINED.join(own.scenario.data.released) for own in several.results]
    if not several.holds:
        return f"Nothing is promised about {listed(titles)} together."
    promise = promise_text(whole.build_notion(several.results[0].joint), frame_controls.unit())
    return together_sentence(titles, JOINED.join(data.secret), promise, several.levels, data.known)


def headline(result: Result, names: list[str], several: Several | None) -> None:
    """Show what all randomized columns promise together, in place of what X alone would."""
    if not names:
        page_frame.headline(result)
        return
    cautions: list[str] = []
    if several is None:
        titles = [JOINED.join(result.scenario.data.released), *names]
        first = (
            f"Nothing is promised yet: {listed(titles)} are each randomized separately, and "
            "their mechanisms have not been made."
        )
    else:
        first = sentence(several)
        cautions = [text for text in map(caution_of, several.results) if text]
    small = [f":small[{markdown(text)}]" for text in cautions]
    with st.container(key="finding"):
        st.markdown("\n\n".join([markdown(first), *small]))
