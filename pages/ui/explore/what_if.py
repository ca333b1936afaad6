"""Below the advice: what would be kept if the costliest symbol were merged, or left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.data import Counted
from core.errors import CoreError
from core.jobs import Job
from core.jobs.work import find_answer
from core.scenario import Result, Scenario
from core.studies.known import UNPROVEN
from core.studies.what_if import Variant, variants
from pages.ui.frame import state
from pages.ui.report.next_steps import figures_of, of_variant, variant
from pages.ui.style.labels import markdown, plain_short, spoken
from pages.ui.style.units import share
from pages.ui.work import answers, derived, long_answer, progress
from pages.ui.work.long_answer import LongAnswer
from pages.ui.work.store import known_for

PART = "what if"
"""Name of the part of the page that waits for these answers."""

SWITCH = "what_if"
"""Key of the switch that asks for them."""


def end() -> None:
    """Wait for nothing."""
    long_answer.await_only(PART, ())


def show(result: Result, worst: int | None, unit: str) -> tuple[str, ...]:
    """Show the switch and, where it is on, what would be kept with a symbol less; return that.

    Parameters
    ----------
    result : Result
        The answer on screen.
    worst : int or None
        The symbol that costs most; None where none does.
    unit : str
        "nats" or "bits".
    """
    if worst is None or result.joint.n_x < 3 or result.scenario.data.secret_released:
        end()
        return ()
    name = plain_short(result.joint.x_labels[worst])
    asked = st.toggle(
        f"What if “{spoken(name)}” were merged or left out?",
        key=SWITCH,
        help="Asks the same of the data with one symbol of X less. What is kept is a share of what "
        "X is then, so compare the nats too.",
    )
    if not asked:
        end()
        return ()
    found = _variants(result, worst)
    long_answer.await_only(PART, [_work(one) for one in found])
    now = f"Now: {share(result.mechanism.kept)} of X is kept, {figures_of(result, unit)}."
    st.markdown(f":small[{markdown(now)}]")
    rows = [_row(one, f"what_if_{number}", unit) for number, one in enumerate(found)]
    return tuple(one for one in rows if one)


def _variants(result: Result, worst: int) -> Sequence[Variant]:
    """Return the questions with a symbol less, made once for each symbol."""
    key = ("what if", repr(result.scenario), worst)
    return derived.kept(
        result.scenario.data, key, lambda: variants(result.scenario, result.counted, worst)
    )


def _work(one: Variant) -> LongAnswer[Result]:
    """Return the work that answers a question with a symbol less."""

    def given() -> tuple[Scenario, Counted]:
        seconds = min(one.scenario.time_limit * work.longer, answers.LONGEST)
        return replace(one.scenario, time_limit=seconds), one.counted()

    work = LongAnswer(
        one.scenario.data,
        ("what if", repr(one.scenario)),
        find_answer,
        given,
        one.scenario.time_limit + answers.PATIENCE,
        is_final=lambda found: found.mechanism.status != UNPROVEN,
    )
    return work


def _row(one: Variant, key: str, unit: str) -> str:
    """Show what would be kept, and the button that opens the question; or how far the work is.

    Returns
    -------
    told : str
        What would be kept; "" while it is being worked out.
    """
    work = _work(one)
    result = progress.awaited(
        work,
        lambda: _found(one, work),
        variant(one),
        seconds=one.scenario.time_limit,
        key=key,
        left_open=lambda _: "Not proven: more may be kept.",
    )
    if result is None:
        return ""
    told = of_variant(one, result, unit)
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_row"):
        st.markdown(f":small[{markdown(told)}]", width="stretch")
        if st.button(
            "Open", key=f"{key}_open", icon=":material/open_in_full:", help="Asks this on Explore."
        ):
            _open(one)
    return told


def _found(one: Variant, work: LongAnswer[Result]) -> Result | Job[Result]:
    """Return the answer, or the job at work on it; a page that opens the question has it too."""
    found = work.ask()
    if not isinstance(found, Job):
        known_for(one.scenario.data).add(one.scenario, found.joint, found.mechanism)
    return found


def _open(one: Variant) -> None:
    """Put a question on screen; its matrix becomes this session's."""
    try:
        if one.is_matrix:
            derived.sources().add_matrix(one.matrix)
        state.set_data(one.scenario.data)
    except CoreError as error:
        st.toast(markdown(str(error)), icon=":material/error:")
        return
    st.rerun()
