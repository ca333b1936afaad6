"""Released again: the level of several draws for one record, and a second release beside it."""

from __future__ import annotations

from dataclasses import replace
from math import comb, isfinite
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.jobs import Job
from core.jobs.work import find_redrawn, find_second
from core.mechanisms import Mechanism
from core.notions import catalogue as notions
from core.notions.entry import NotionEntry
from core.release.own_levels import Redrawn
from core.release.second_release import obstacle
from core.release.sentences import promise_text
from core.scenario import DOMAINS, Result, Scenario
from core.scenario.context import file_part
from core.studies.known import UNPROVEN
from pages.ui import figures
from pages.ui.chart import chart
from pages.ui.frame import state
from pages.ui.parts import exports
from pages.ui.parts.cards import card
from pages.ui.style.labels import markdown
from pages.ui.style.units import budget, in_unit, level, share
from pages.ui.work import answers, context, derived, long_answer, progress
from pages.ui.work.long_answer import LongAnswer

LIMIT = 60.0
"""Seconds that the levels of three draws may take."""

PATIENCE = 120.0
"""Seconds beyond its time limit after which the design of a second release is given up."""

QUICK_PRODUCTS = 20_000
"""Products of three outputs, times secrets, up to which the levels are worked out in place."""

TIMES = (1.0, 1.5, 2.0, 3.0)
"""The ε of both releases together that can be asked for, as multiples of the first one's."""

NOTHING = 1e-9
"""Share of X below which a second release is said to keep nothing."""

FORMULA = (
    "**Released again**. Whoever sees several independent draws for one record multiplies their "
    "likelihoods. Given X the draws are independent, given S they are not: the level of k draws "
    "may exceed k times that of one.\n\n"
    r"$$ r(x) \propto P(x) \prod_{i=1}^{k} P(y_i \mid x), \quad "
    r"\varepsilon_k = \max_{y_1, \dots, y_k} \mathrm{level}(r) $$"
    "\n\n:gray[all products of outputs for k ≤ 3, where there are at most 2,000,000]"
)
"""The card's formula."""


def frame() -> st.delta_generator.DeltaGenerator:
    """Show the card's frame, and return the place for what is live."""
    return card(
        key="again",
        title="Released again",
        subtitle="The level after several independent draws for the same record.",
        table=table,
        formulas=(FORMULA,),
    )


def show(result: Result, unit: str, *, faded: bool = False) -> None:
    """Show the levels of one to three draws, the advice, and the second release."""
    work = _work(result)
    found = progress.awaited(
        work, lambda: _found(result, work), "Drawing again", seconds=LIMIT, key="again"
    )
    if found is not None:
        _levels(result, found, unit, faded=faded)
    if not faded:
        _second(result, unit)


def _levels(result: Result, found: tuple[Redrawn, ...], unit: str, *, faded: bool) -> None:
    """Show the levels of one to three draws, and the advice."""
    chart(
        figures.repeats(
            [one.k for one in found],
            np.array([in_unit(one.lip.level, unit) for one in found]),
            np.array([in_unit(one.ldp.level, unit) for one in found]),
            unit,
        ),
        key="again",
        title="Released again",
        alt="; ".join(f"{one.k} draws: LIP {level(one.lip.level, unit)} {unit}" for one in found),
        faded=faded,
    )
    promised = notions.entry(result.scenario.notion)
    told = promised if promised.kind.on_average and not result.scenario.also else None
    st.markdown(markdown(advice(found, unit, told)))


def advice(found: tuple[Redrawn, ...], unit: str, told: NotionEntry | None = None) -> str:
    """Return whether several draws keep the promise, and what to do where they may not.

    Parameters
    ----------
    found : tuple of Redrawn
        What they reach.
    unit : str
        "nats" or "bits".
    told : NotionEntry, optional
        The promise, where it is a budget on an average: its level is told instead of LIP's.
    """
    first, last = found[0], found[-1]
    broken = next((one for one in found if not one.kept), None)
    if broken is not None and broken.k == 1:
        said = f"One draw breaks the promise: its level of LIP is {level(first.lip.level, unit)}"
        said += f" {unit}."
    elif broken is not None:
        said = (
            f"After {'two' if broken.k == 2 else 'three'} draws the promise "
            f"{'is broken' if broken.asked.exact else 'may be broken'}: "
            f"{_reached(broken, first, unit, told)}. "
            "Draw once for each record and store the answer."
        )
    elif last.lip.at_most - first.lip.level <= 1e-9:
        said = "Drawing again does not raise the level of LIP."
    else:
        said = "Two and three draws still keep the promise."
    exact = all(one.lip.exact and one.asked.exact for one in found)
    return f"{said} {'Exact.' if exact else _bound(last, unit)}"


def table() -> pd.DataFrame:
    """Return the levels in full; no rows while they are being worked out."""
    result = answers.evaluate(state.scenario())
    found = _found(result, _work(result))
    if isinstance(found, Job):
        return pd.DataFrame({"draws": []})
    return pd.DataFrame(
        {
            "draws": [one.k for one in found],
            "lip_nats": [one.lip.level for one in found],
            "lip_at_most_nats": [one.lip.at_most for one in found],
            "ldp_nats": [one.ldp.level for one in found],
            "ldp_at_most_nats": [one.ldp.at_most for one in found],
            "promise_kept": [one.kept for one in found],
            "exact": [one.lip.exact and one.ldp.exact and one.asked.exact for one in found],
        }
    )


def _reached(now: Redrawn, first: Redrawn, unit: str, told: NotionEntry | None) -> str:
    """Return what draws reach, and what the first one does."""
    if told is None:
        return (
            f"the level of LIP is {level(now.lip.level, unit)} {unit}, "
            f"of one draw {level(first.lip.level, unit)}"
        )
    if not told.in_nats:
        return f"{told.level_title} is {now.asked.level:.4f}, of one draw {first.asked.level:.4f}"
    return (
        f"{told.level_title} is {level(now.asked.level, unit, 4)} {unit}, "
        f"of one draw {level(first.asked.level, unit, 4)}"
    )


def _bound(last: Redrawn, unit: str) -> str:
    """Say that not all products were examined, and what is proven all the same."""
    most = (
        f"no number of draws exceeds {level(last.lip.at_most, unit)} {unit}, which is proven"
        if isfinite(last.lip.at_most)
        else "no finite bound is proven"
    )
    return f"Not all combinations of outputs were examined, so levels may be higher; {most}."


def _work(result: Result) -> LongAnswer[tuple[Redrawn, ...]]:
    """Return the work; its key is the answer and the promise, never the question."""
    scenario = result.scenario
    return LongAnswer(
        scenario.data,
        ("redrawn", result.content_id, derived.promise_key(scenario)),
        find_redrawn,
        lambda: (result.joint, result.mechanism.kernel, derived.promise(scenario)),
        LIMIT,
    )


def _found(
    result: Result, work: LongAnswer[tuple[Redrawn, ...]]
) -> tuple[Redrawn, ...] | Job[tuple[Redrawn, ...]]:
    """Return the levels, at once where that is quick, or the job at work on them."""
    products = comb(result.mechanism.n_y + 2, 3)
    simple = all(part.of_joint_sy for part in derived.promise(result.scenario).parts)
    if simple and products * max(result.joint.n_s, 2) <= QUICK_PRODUCTS:
        long_answer.await_only("again", ())
        return work.here()
    long_answer.await_only("again", (work,))
    return work.ask()


def _second(result: Result, unit: str) -> None:
    """Show the design of a second release given the first, where it is asked for."""
    reason = _no_second(result)
    if reason:
        st.caption(markdown(reason))
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="second_row"):
        times = _multiple() if "eps" in notions.entry(result.scenario.notion).parameters else 1.0
        wanted = st.toggle(
            "Design a second release",
            key="second_wanted",
            persist_state="session",
            help="The mechanism that keeps most of X while both releases together, whatever they "
            "say, keep the promise.",
        )
    if not wanted:
        long_answer.await_only("second", ())
        return
    both = replace(result.scenario, eps=min(times * result.scenario.eps, DOMAINS["eps"].high))
    work = _second_work(result, both)
    long_answer.await_only("second", (work,))
    made = progress.awaited(
        work,
        work.ask,
        "Designing the second release",
        seconds=both.time_limit,
        key="second",
        left_open=lambda _: (
            f"The search was cut off at its time limit of {both.time_limit * work.longer:g} s."
        ),
    )
    if made is None:
        return
    st.markdown(markdown(second_sentence(made, both, unit)))
    exports.button(
        "Second release (CSV)",
        f"second-release-{file_part(context.of(both))}.csv",
        "text/csv",
        lambda: exports.csv_bytes(exports.kernel_table(made, made.x_labels)),
        "second_csv",
    )


def _multiple() -> float:
    """Show the switch of the budget of both releases; return it as a multiple of the first's."""
    chosen = st.segmented_control(
        "Budget ε of both together",
        TIMES,
        format_func=lambda one: f"×{one:g}",
        key="second_times",
        default=2.0,
        required=True,
        persist_state="session",
        help="As a multiple of this release's ε. Both releases together keep the promise with it.",
    )
    return float(chosen or 2.0)


def second_sentence(found: Mechanism, both: Scenario, unit: str) -> str:
    """Return what a second release keeps, and whether more is possible."""
    asked = promise_text(derived.promise(both), unit)
    proven = found.gap <= 1e-5
    if found.nmi < NOTHING and proven:
        return f"Nothing more can be released: the first release used all of {asked}."
    kept = f"A second release keeps {share(found.nmi)} of X; both together keep {asked}."
    if proven:
        return f"{kept} No other keeps more: proven."
    return f"{kept} No other keeps more than {budget(found.upper_bound, unit)} of I(X;Y₂)."


def _no_second(result: Result) -> str:
    """Say why no second release can be designed; "" where one can."""
    if len(result.mechanism.kernel) != result.joint.n_x:
        return "A second release can be designed only where the first reads X alone; this reads S."
    if result.mechanism.notion is None:
        return "This mechanism promises nothing, so a second release has no promise to keep."
    return obstacle(result.joint, derived.promise(result.scenario))


def _second_work(result: Result, both: Scenario) -> LongAnswer[Mechanism]:
    def arguments() -> tuple[Any, ...]:
        seconds = both.time_limit * work.longer
        return result.joint, derived.promise(both), result.mechanism.kernel, seconds

    work = LongAnswer(
        result.scenario.data,
        ("second", result.content_id, derived.promise_key(both), repr(both.time_limit)),
        find_second,
        arguments,
        both.time_limit + PATIENCE,
        urgent=True,
        is_final=lambda made: made.status != UNPROVEN,
    )
    return work
