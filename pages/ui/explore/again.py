"""Released again: the level of several draws for one record, and a second release beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb
from typing import Any

import pandas as pd
import streamlit as st

from core.jobs import Job
from core.mechanisms import Mechanism
from core.mechanisms.result import CUT
from core.notions import catalogue as notions
from core.release.repeats import Redrawn, redrawn
from core.release.second_release import obstacle, second_release
from core.scenario import DOMAINS, Result, Scenario
from core.scenario.context import file_part
from pages.ui.chart import MadeOf, chart
from pages.ui.frame import state
from pages.ui.parts import exports
from pages.ui.parts.cards import card
from pages.ui.report.lower_cards import (
    REPEATS_TITLE,
    advice,
    bars,
    repeats_table,
    requested_notion,
    second_sentence,
)
from pages.ui.style.labels import markdown
from pages.ui.work import answers, context, derived, long_answer, progress
from pages.ui.work.long_answer import LongAnswer

FORMULA = (
    "**Repeated releases**. Anyone who sees several independent draws for one record multiplies "
    "their likelihoods. The draws are independent given X, but not given S, so the level of k "
    "draws may exceed k times that of one.\n\n$$ r(x) \\propto P(x) \\prod_{i=1}^{k} P(y_i \\mid "
    "x), \\quad \\varepsilon_k = \\max_{y_1, \\dots, y_k} \\mathrm{level}(r) $$\n\n:gray[all "
    "products of outputs for k ≤ 3, where there are at most 2,000,000]"
)
"""The card's formula."""


@dataclass(frozen=True, eq=False)
class Again:
    """What the card shows; `redrawn` is None until it is ready, `second` "" if not asked for."""

    redrawn: tuple[Redrawn, ...] | None
    second: str


def live_place() -> st.delta_generator.DeltaGenerator:
    """Show the card, and return the place in it for what is live."""
    return card(
        key="again",
        title=REPEATS_TITLE,
        subtitle="Levels that several independent draws for the same record reach: LIP and LDP, "
        "and the chosen notion if its level is in nats.",
        table=table,
        formulas=(FORMULA,),
    )


def show(result: Result, unit: str, *, faded: bool = False) -> Again:
    """Show the levels of one to three draws, the advice, and the second release; return them."""
    work = _work(result)
    levels = progress.awaited(
        work, lambda: _levels(result, work), "Computing repeated draws", key="again"
    )
    if levels is not None:
        promise = requested_notion(result.scenario, derived.promise(result.scenario))
        chart(
            lambda: bars(levels, unit, promise),
            made_of=MadeOf(result.scenario.data, (levels, unit, promise)),
            key="again",
            title=REPEATS_TITLE,
            alt=repeats_table(levels, unit, promise),
            faded=faded,
        )
        st.markdown(f":small[{markdown(advice(levels, unit, promise))}]")
    return Again(levels, "" if faded else _second(result, unit))


def table() -> pd.DataFrame:
    """Return the levels in full; no rows while they are being worked out."""
    result = answers.evaluate(state.scenario())
    levels = _levels(result, _work(result))
    if isinstance(levels, Job):
        return pd.DataFrame({"draws": []})
    return pd.DataFrame(
        {
            "draws": [row.k for row in levels],
            "lip_nats": [row.lip.level for row in levels],
            "lip_at_most_nats": [row.lip.at_most for row in levels],
            "ldp_nats": [row.ldp.level for row in levels],
            "ldp_at_most_nats": [row.ldp.at_most for row in levels],
            "notion": [str(derived.promise(result.scenario))] * len(levels),
            "notion_level": [row.promise.level for row in levels],
            "notion_level_at_most": [row.promise.at_most for row in levels],
            "notion_level_unit": [derived.promise(result.scenario).level_unit] * len(levels),
            "within_the_budget": [row.kept for row in levels],
            "exact": [row.lip.exact and row.ldp.exact and row.promise.exact for row in levels],
        }
    )


def _work(result: Result) -> LongAnswer[tuple[Redrawn, ...]]:
    """Return the work; its key is the answer and the promise, never the question."""
    scenario = result.scenario
    return LongAnswer(
        scenario.data,
        ("redrawn", result.content_id, derived.promise_key(scenario)),
        redrawn,
        lambda: (result.joint, result.mechanism.kernel, derived.promise(scenario)),
    )


def _levels(
    result: Result, work: LongAnswer[tuple[Redrawn, ...]]
) -> tuple[Redrawn, ...] | Job[tuple[Redrawn, ...]]:
    """Return the levels, at once where that is quick, or the job at work on them."""
    products = comb(result.mechanism.n_y + 2, 3)
    simple = all(part.of_joint_sy for part in derived.promise(result.scenario).parts)
    # products of three outputs, times secrets, up to which the levels are worked out in place
    if simple and products * max(result.joint.n_s, 2) <= 20_000:
        long_answer.await_only("again", ())
        return work.here()
    long_answer.await_only("again", (work,))
    return work.ask()


def _second(result: Result, unit: str) -> str:
    """Show the design of a second release given the first, where it is asked for; return it."""
    reason = _no_second(result)
    if reason:
        st.caption(markdown(reason))
        return reason
    with st.container(horizontal=True, vertical_alignment="bottom", key="second_row"):
        times = _multiple() if "eps" in notions.entry(result.scenario.notion).parameters else 1.0
        wanted = st.toggle(
            "Design a second release",
            key="second_wanted",
            persist_state="session",
            help="The mechanism that keeps most of X while both releases together stay within the "
            "budget.",
        )
    if not wanted:
        long_answer.await_only("second", ())
        return ""
    both = replace(result.scenario, eps=min(times * result.scenario.eps, DOMAINS["eps"].high))
    work = _second_work(result, both)
    long_answer.await_only("second", (work,))
    second = progress.awaited(
        work,
        work.ask,
        "Designing the second release",
        key="second",
        left_open=lambda _: f"The search stopped at its time limit of {work.limit:g} s.",
    )
    if second is None:
        return ""
    sentence = second_sentence(second, derived.promise(both), unit)
    st.markdown(f":small[{markdown(sentence)}]")
    exports.button(
        "Second release (CSV)",
        f"second-release-{file_part(context.of(both))}.csv",
        "text/csv",
        lambda: exports.csv_bytes(exports.kernel_table(second, second.x_labels)),
        "second_csv",
    )
    return sentence


def _multiple() -> float:
    """Show the switch of the budget of both releases; return it as a multiple of the first's."""
    chosen = st.segmented_control(
        "Total budget ε of both releases",
        # the ε of both releases together that can be asked for, as multiples of the first one's
        (1.0, 1.5, 2.0, 3.0),
        format_func=lambda multiple: f"×{multiple:g}",
        key="second_times",
        default=2.0,
        required=True,
        persist_state="session",
        help="As a multiple of this release's ε. Both releases together stay within it.",
    )
    return float(chosen or 2.0)


def _no_second(result: Result) -> str:
    """Say why no second release can be designed; "" where one can."""
    if len(result.mechanism.kernel) != result.joint.n_x:
        return "A second release needs a first one that reads X alone; this one also reads S."
    if result.mechanism.notion is None:
        return (
            "This mechanism has no privacy notion, so there is nothing for a second release to "
            "satisfy."
        )
    return obstacle(result.joint, derived.promise(result.scenario))


def _second_work(result: Result, both: Scenario) -> LongAnswer[Mechanism]:
    def arguments() -> tuple[Any, ...]:
        return result.joint, derived.promise(both), result.mechanism.kernel, work.limit

    work = LongAnswer(
        result.scenario.data,
        ("second", result.content_id, derived.promise_key(both), repr(both.time_limit)),
        second_release,
        arguments,
        both.time_limit,
        patience=120.0,
        urgent=True,
        is_final=lambda made: made.status != CUT,
    )
    return work
