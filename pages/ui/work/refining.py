"""The work on a better answer than the one on screen: its progress, Cancel, and a longer search."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import streamlit as st

from core.errors import CoreError
from core.mechanisms import Mechanism
from core.scenario import Scenario
from pages.ui.work import answers, progress
from pages.ui.work.long_answer import LongAnswer, StoppedError

GLANCE = "Quick estimate. Improving…"
"""The note on an answer while a better one is being computed."""

PROVISIONAL = (
    "Provisional: this was made while the answer was still improving. It shows the best result so "
    "far."
)
"""The first line of a report, and of an export, on a first glance."""

FIRST = "Computing a first answer…"
"""The note shown once a page has waited for one for half a second."""

GAP = "Its gap shows how much better another answer could be."
"""The note on an answer that is not proven."""

STAYS = f"This is the quick estimate. {GAP}"
"""The note on a quick estimate where no better answer comes."""

KEPT = f"The last answer remains. {GAP}"
"""The note shown if a longer search for a better answer was cancelled."""

CUT = "The search stopped at its time limit of {:g} s."
"""The note on an answer whose search may go on."""

MINUTE = 60.0
"""Seconds that one click gives a search: as long as a class waits, and as a link may ask for."""


def waiting(*scenarios: Scenario) -> AbstractContextManager[None]:
    """Show on a page without an answer that quick estimates are under way, if any are missing."""
    if all(answers.is_taken(scenario) for scenario in scenarios):
        return nullcontext()
    return st.spinner(FIRST)


def follow(scenario: Scenario, shown: Mechanism | None = None) -> None:
    """Show the work on a better answer until it ends; one beyond `shown` runs the page again."""
    work = answers.answer_work(scenario)
    try:
        job = answers.refining(scenario)
    except StoppedError:
        _ended("Canceled.", work, KEPT if work.is_prolonged else STAYS)
        return
    except CoreError as error:
        if answers.has_glance(scenario):  # else the page itself says why there is none
            _ended(str(error), work)
        return
    if job is not None:
        progress.follow(
            job,
            "Improving the answer",
            limit=work.limit,
            key="cancel_refining",
            on_cancel=work.stop,
            news=answers.news(scenario, shown),
        )
    elif shown is not None and answers.is_cut(scenario, shown):
        _offer(work)


def _offer(work: LongAnswer[Any]) -> None:
    """Show the button that prolongs a search that its time limit cut off."""
    with progress.note(f"{CUT.format(work.limit)} {GAP}", "search_was_cut"):
        give_minute(work, "search_minute")
        more = f"Continues for up to {work.next_limit:g} s. The answer never gets worse."
        work.prolong("search_on", more)


def give_minute(work: LongAnswer[Any], key: str) -> None:
    """Show the button that lets a search that was cut off go on for 60 s, if it had less."""
    if work.limit < MINUTE:
        st.button(
            f"Search {MINUTE:g} s more",
            icon=":material/timer:",
            key=key,
            on_click=work.search_on,
            args=(MINUTE,),
            help=f"The search continues from this answer for up to {MINUTE:g} s. The answer never "
            "gets worse, and Cancel keeps this one.",
        )


def _ended(why: str, work: LongAnswer[Any], stays: str = STAYS) -> None:
    with progress.note(f"{why} {stays}", "refining_ended"):
        work.again("refine_again")
