"""What to do next on Explore: advice, and what merging or leaving out a symbol would keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import streamlit as st

from core.data import Counted
from core.errors import CoreError
from core.jobs import Job
from core.mechanisms.result import CUT
from core.scenario import Result, Scenario, answer
from core.scenario.url import to_query
from core.studies.advice import Realised, is_sampled, realised_levels
from core.studies.frontier import Frontier
from core.studies.what_if import Variant, variants
from pages.ui.explore.frontier_lines import Lines
from pages.ui.frame import state
from pages.ui.report.lower_cards import (
    NEXT_TITLE,
    costliest,
    figures_of,
    of_line,
    of_records,
    of_symbol,
    of_variant,
    variant,
)
from pages.ui.style.labels import markdown, plain_short, spoken
from pages.ui.style.units import share
from pages.ui.work import answers, derived, long_answer, progress, visits
from pages.ui.work.long_answer import LongAnswer
from pages.ui.work.visits import known_for

PART = "what if"
"""Name of the part of the page that waits for these answers."""

SWITCH = "what_if"
"""Key of the switch that asks for them."""


def end() -> None:
    """Wait for nothing."""
    long_answer.await_only(PART, ())


def show_what_if(result: Result, worst: int | None, unit: str) -> tuple[str, ...]:
    """Show the switch and, where it is on, what would be kept with a symbol less; return that."""
    data = result.scenario.data
    if worst is None or result.joint.n_x < 3 or data.secret_released or data.known:
        end()
        return ()
    name = plain_short(result.joint.x_labels[worst])
    wanted = st.toggle(
        f"What if “{spoken(name)}” were merged or left out?",
        key=SWITCH,
        help="Asks the same question without this symbol. The share kept refers to the smaller X, "
        "so compare the nats too.",
    )
    if not wanted:
        end()
        return ()
    cases = _variants(result, worst)
    long_answer.await_only(PART, [_work(case) for case in cases])
    now = f"Now {share(result.mechanism.kept)} of X is kept, {figures_of(result, unit)}."
    st.markdown(f":small[{markdown(now)}]")
    rows = [_row(case, f"what_if_{number}", unit) for number, case in enumerate(cases)]
    return tuple(row for row in rows if row)


def _variants(result: Result, worst: int) -> Sequence[Variant]:
    """Return the questions with a symbol less, made once for each symbol."""
    key = ("what if", repr(result.scenario), worst)
    return derived.kept(
        result.scenario.data, key, lambda: variants(result.scenario, result.counted, worst)
    )


def _work(case: Variant) -> LongAnswer[Result]:
    """Return the work that answers a question with a symbol less."""

    def given() -> tuple[Scenario, Counted]:
        return replace(case.scenario, time_limit=work.limit), case.counted()

    work = LongAnswer(
        case.scenario.data,
        ("what if", repr(case.scenario)),
        answer,
        given,
        case.scenario.time_limit,
        patience=answers.PATIENCE,
        longest=answers.LONGEST,
        is_final=lambda result: result.mechanism.status != CUT,
    )
    return work


def _row(case: Variant, key: str, unit: str) -> str:
    """Show what would be kept, and the button that opens the question; or how far the work is."""
    work = _work(case)
    result = progress.awaited(
        work,
        lambda: _answer(case, work),
        variant(case),
        key=key,
        left_open=lambda _: "Not proven: another mechanism may keep more.",
    )
    if result is None:
        return ""
    sentence = of_variant(case, result, unit)
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_row"):
        st.markdown(f":small[{markdown(sentence)}]", width="stretch")
        if st.button(
            "Open",
            key=f"{key}_open",
            icon=":material/open_in_full:",
            help="Open this question on Explore.",
        ):
            _open(case)
    return sentence


def _answer(case: Variant, work: LongAnswer[Result]) -> Result | Job[Result]:
    """Return the answer, or the job at work on it; a page that opens the question has it too."""
    result = work.ask()
    if not isinstance(result, Job):
        known_for(case.scenario.data).add(case.scenario, result.joint, result.mechanism)
    return result


def _open(case: Variant) -> None:
    """Put a question on screen; its matrix becomes this session's."""
    try:
        if case.is_matrix:
            visits.sources().add_matrix(case.matrix)
        state.set_data(case.scenario.data)
    except CoreError as error:
        st.toast(markdown(str(error)), icon=":material/error:")
        return
    st.rerun()


SAMPLE = "few records"
"""Name of the part of the page that waits for what the levels may be at the truth."""

IN_PLACE = 500
"""Entries of a kernel times secrets up to which that takes less than .1 s, and is done in place."""


@dataclass(frozen=True, eq=False)
class Advice:
    """The release's levels at the truth, and what a symbol less keeps; None: not asked or ready."""

    realised: Mapping[str, Realised] | None = None
    what_if: tuple[str, ...] = ()


def show(result: Result, lines: Lines, unit: str) -> Advice:
    """Show what is advised, a line each; return what was worked out for it."""
    worst = costliest(result)
    sentences = list(of_line(result, _own(result, lines), unit))
    if worst is not None:
        sentences.append(of_symbol(result, *worst))
    sampled = is_sampled(result)
    long_answer.await_only(SAMPLE, [_sampled(result)] if sampled else [])
    if not sentences and not sampled:
        end()
        return Advice()
    with st.container(key="advice", border=True):
        st.markdown(f"**{NEXT_TITLE}**")
        if sentences:
            st.markdown("\n".join(f"- :small[{markdown(line)}]" for line in sentences))
        realised = _of_records(result, unit) if sampled else None
        what_if = show_what_if(result, None if worst is None else worst[0], unit)
    return Advice(realised, what_if)


def _own(result: Result, lines: Lines) -> Frontier | None:
    """Return the ready line of the question on screen; None where it has none."""
    scenario = result.scenario
    for place in lines.places:
        line = place.line
        if not place.faded and (line.notion, line.mechanism) == (
            scenario.notion,
            scenario.mechanism,
        ):
            return line
    return None


def _sampled(result: Result) -> LongAnswer[dict[str, Realised]]:
    """Return the work on the levels that a release may have at the truth."""
    return LongAnswer(
        result.scenario.data,
        ("realised", result.content_id),
        realised_levels,
        lambda: (result.joint, result.mechanism.kernel),
    )


def _of_records(result: Result, unit: str) -> Mapping[str, Realised] | None:
    """Say what the release's levels may be at the truth, or how far the work is; return them."""
    joint, work = result.joint, _sampled(result)
    quick = joint.n_s * result.mechanism.kernel.size <= IN_PLACE
    levels = progress.awaited(
        work,
        work.here if quick else work.ask,
        "Computing the levels at the truth",
        key="realised",
    )
    if levels is None:
        return None
    query = urlencode(to_query(result.scenario), doseq=True)
    sentence = of_records(joint, levels, unit)
    st.markdown(f"- :small[{markdown(sentence)} [Robust](robust?{query})]")
    return levels
