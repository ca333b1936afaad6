"""How work under way is shown: its progress, how long it may take, and Cancel."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from core.errors import CoreError, SolverError
from core.jobs import Job, State
from pages.ui.serving import offers, programs
from pages.ui.style.labels import markdown
from pages.ui.work import long_answer, visits
from pages.ui.work.long_answer import LongAnswer

T = TypeVar("T")


Look = Callable[[], tuple[float, str] | None]
"""How far work is, from 0 to 1 and in words; None: a run of the page would show more by now.

Browsers look by the clock, in whatever thread: it asks no session.
"""

_COMPONENT = st.components.v2.component(
    "liftscope_work",
    js=programs.publish((Path(__file__).parent / "watch.js").read_text(encoding="utf-8")),
    isolate_styles=False,
)

_LOOKS = "_looks"


@dataclass(eq=False)
class _Shown:
    """The last look at the work that a place of the page shows, and the address to look at."""

    look: Look
    address: str = ""

    def answer(self, _: Mapping[str, str]) -> bytes:
        """Answer a browser: nothing where the page is to run again."""
        state = self.look()
        if state is None:
            self.look = lambda: None  # what it was about may be large
            return b""
        return json.dumps({"share": state[0], "text": state[1]}).encode()


def every() -> float:
    """Return the seconds from one look at work under way to the next: longer for many sessions."""
    # the looks of all visits, a second: a class must not keep the server from work
    return max(0.5, visits.PAGES.n_at_work / 25.0)


def watched(look: Look, *, key: str, on_cancel: Callable[[], None] | None = None) -> None:
    """Show how far work is, with Cancel beside it, until a look finds None.

    Then the part of the page that called this runs again, and the whole page if that is so at once.
    """
    state = look()
    if state is None:
        st.rerun()
    shown: dict[str, _Shown] = st.session_state.setdefault(_LOOKS, {})
    watch = shown.setdefault(key, _Shown(look))
    watch.look = look
    if not offers.is_open(watch.address):
        watch.address = offers.offer(watch.answer)
    share, text = state
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{key}_row"):
        _COMPONENT(
            data={"address": watch.address, "every": every(), "share": share, "text": text},
            key=f"{key}_watch",
            on_over_change=_nothing,
        )
        if on_cancel is not None:
            st.button(
                "Cancel",
                icon=":material/close:",
                key=key,
                on_click=on_cancel,
                width="content",
            )


def _nothing() -> None:
    """Do nothing: that work is over is seen by the run that follows."""


def follow(
    job: Job[Any],
    what: str,
    *,
    limit: float,
    key: str,
    on_cancel: Callable[[], None] | None = None,
    news: Callable[[], bool] | None = None,
) -> None:
    """Show a job's progress until it ends or there are `news`, which asks no session."""

    def look() -> tuple[float, str] | None:
        if job.finished or (news is not None and news()):
            return None
        share, text = progress_of(job, what, limit)
        problem = long_answer.problem()
        return share, f"{text}. {problem}" if problem else text

    watched(look, key=key, on_cancel=on_cancel or job.cancel)


def awaited(
    work: LongAnswer[T],
    find: Callable[[], T | Job[T]],
    what: str,
    *,
    key: str,
    left_open: Callable[[T], str] = lambda _: "",
) -> T | None:
    """Show the progress, error or open end of a card's work; return its last answer, if any."""
    try:
        answer = find()
    except CoreError as error:
        with note(str(error), f"{key}_ended"):
            if isinstance(error, long_answer.StoppedError | SolverError):
                work.again(f"{key}_again")
        return work.last()
    if isinstance(answer, Job):
        follow(answer, what, limit=work.limit, key=f"{key}_cancel", on_cancel=work.stop)
        return work.last()
    if not work.is_final(answer):
        with note(left_open(answer), f"{key}_cut"):
            if work.may_search_on:
                more = f"Searches again for up to {work.next_limit:g} s."
                work.prolong(f"{key}_on", more)
    return answer


@contextmanager
def note(message: str, key: str) -> Iterator[None]:
    """Say in small type how work stands, with the buttons that the block shows beside it."""
    with st.container(horizontal=True, vertical_alignment="center", key=key):
        st.caption(markdown(message))
        yield


def again(message: str, key: str, on_click: Callable[[], None]) -> None:
    """Show what is missing, and offer to start the work again."""
    with note(message, f"{key}_row"):
        st.button("Start again", icon=":material/replay:", key=key, on_click=on_click)


def search_on(message: str, key: str, on_click: Callable[[], None]) -> None:
    """Show what was cut short, and offer to continue the search."""
    with note(message, f"{key}_row"):
        st.button("Continue", icon=":material/manage_search:", key=key, on_click=on_click)


def progress_of(job: Job[Any], what: str, limit: float) -> tuple[float, str]:
    """Return a job's progress from 0 to 1, of parts or else of its time, and in words."""
    if job.state == State.WAITING:
        before = long_answer.ahead(job)
        behind = f", {before} before it" if before else ""
        return 0.0, f"{what}: waiting for its turn{behind}"
    if isinstance(job.progress, tuple):
        done, total = job.progress
        text = f"{what}: {job.seconds:.0f} s so far"
        if done:
            text += f", about {job.seconds * (total - done) / done:.0f} s to go"
        return done / total, f"{text} ({done} of {total})" if total > 1 else text
    seconds = job.seconds_of_work
    if seconds == 0:
        return 0.0, f"{what}: starting"
    return min(1.0, seconds / limit), f"{what}: {of_limit(seconds, limit)}"


def of_limit(seconds: float, limit: float) -> str:
    """Say how much of its time some work has used: of the processor's, which may take longer."""
    if seconds > limit:
        return f"{seconds:.0f} s so far, {limit:g} s of processor time planned"
    return f"{seconds:.0f} s of at most {limit:g} s"
