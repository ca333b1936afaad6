"""An answer that is still being worked out: how long it has taken, how long it may, and Cancel."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.errors import CoreError
from core.mechanisms import Mechanism
from core.scenario import Scenario
from pages.ui.style.labels import markdown
from pages.ui.work import answers, long_answer, progress

GLANCE = "First glance; a better answer is being worked out."
"""What is said of an answer that is not the last."""

STAYS = "This is the first glance, and its gap is what is left open."
"""The same where no other one comes."""

CUT = "The search was cut off at its time limit of {:g} s."
"""What is said of an answer whose search may go on."""


def follow(scenario: Scenario, shown: Mechanism | None = None) -> None:
    """Show the work on a better answer than the one on screen, until it ends; call it in a page.

    Where a better one than the one shown becomes known meanwhile, the page shows it.
    """
    work = answers.answer_work(scenario)
    try:
        job = answers.refining(scenario)
    except long_answer.StoppedError:
        _ended("Cancelled.", work)
        return
    except CoreError as error:
        if answers.has_glance(scenario):  # else the page itself says why there is none
            _ended(markdown(str(error)), work)
        return
    if job is not None:
        progress.follow(
            job,
            "Looking for better",
            limit=answers.search_limit(scenario),
            key="cancel_refining",
            on_cancel=work.stop,
            news=None if shown is None else lambda: answers.is_better(scenario, shown),
        )
    elif shown is not None and answers.is_cut(scenario, shown):
        _offer(scenario)


def glance(scenario: Scenario) -> str:
    """Return the words that mark an answer as a first glance; none where it is not."""
    return GLANCE if answers.is_refining(scenario) else ""


def _offer(scenario: Scenario) -> None:
    """Show the button that has a search go on where its time limit cut it off."""
    had = answers.search_limit(scenario)
    with st.container(horizontal=True, vertical_alignment="center", key="search_was_cut"):
        st.caption(f"{CUT.format(had)} Its gap is what is left open.")
        st.button(
            "Search on",
            icon=":material/manage_search:",
            key="search_on",
            on_click=answers.search_on,
            args=(scenario,),
            help=f"Goes on for up to {min(long_answer.LONGER * had, answers.LONGEST):g} s; what "
            "comes of it is never worse than this answer.",
        )


def _ended(why: str, work: long_answer.LongAnswer[Any]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="refining_ended"):
        st.caption(f"{why} {STAYS}")
        work.again("refine_again")
