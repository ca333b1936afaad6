"""Advice below the charts: read off what is computed already; the rest is worked out aside."""

from __future__ import annotations

import math
from collections.abc import Iterator
from urllib.parse import urlencode

import streamlit as st

from core.jobs.work import find_realised
from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.scenario import Result, spans
from core.scenario.url import to_query
from core.studies.advice import Realised, last_step, least_budget, lost_by_symbol
from core.studies.frontier import Frontier
from pages.ui.explore import what_if
from pages.ui.explore.frontier_lines import Lines
from pages.ui.style.labels import markdown, plain_short
from pages.ui.style.units import budget, level, share
from pages.ui.work import long_answer, progress
from pages.ui.work.long_answer import LongAnswer

SAMPLE = "few records"
"""Name of the part of the page that waits for what the levels may be at the truth."""

WANTED = 0.9
"""The share of which is told which ε keeps it."""

FEW = 10_000
"""Records below which is told what a promise at the estimate is worth at the truth."""

AT_ONCE = 500
"""Entries of a kernel times secrets up to which that takes less than .1 s, and is done in place."""

MOST_CELLS = 40_000
"""The same up to which it is told at all."""

LIMIT = 60.0
"""Seconds that it may take."""

LOST = 1e-4
"""Nats below which nothing is said of what a symbol costs."""


def show(result: Result, lines: Lines, unit: str) -> None:
    """Show what is advised, a line each."""
    worst = _costliest(result)
    said = list(_of_line(result, lines, unit))
    if worst is not None:
        said.append(_of_symbol(result, *worst))
    sampled = _is_sampled(result)
    long_answer.await_only(SAMPLE, [_sampled(result)] if sampled else [])
    if not said and not sampled:
        what_if.end()
        return
    with st.container(key="advice", border=True):
        st.markdown("**What to do next**")
        if said:
            st.markdown("\n".join(f"- :small[{line}]" for line in said))
        if sampled:
            _of_records(result, unit)
        what_if.show(result, None if worst is None else worst[0], unit)


def _of_line(result: Result, lines: Lines, unit: str) -> Iterator[str]:
    """Say which ε keeps `WANTED`, and what the last half nat adds; in the unit shown."""
    line = _own(result, lines)
    if line is None or not spans.in_nats(result.scenario.notion):
        return
    symbol = "M" if notions.entry(result.scenario.notion).kind.on_average else "ε"
    found = least_budget(line, WANTED)
    if found is not None:
        least = (
            f"For 90 %, {symbol} = {budget(found.eps, unit)} is enough: it keeps "
            f"{share(found.kept)}"
        )
        if not math.isnan(found.too_small):
            least += f"; {symbol} = {budget(found.too_small, unit)} is proven too small"
        yield markdown(f"{least}.")
    else:
        yield f"No {symbol} of the line is known to keep 90 %."
    step = last_step(line, result.scenario.eps)
    if step is not None:
        yield markdown(
            f"From {symbol} = {budget(step.low, unit)} to {budget(step.high, unit)} the mechanism "
            f"keeps {100 * step.gained:.1f} points more."
        )


def _own(result: Result, lines: Lines) -> Frontier | None:
    """Return the ready line of the question on screen; None where it has none."""
    asked = result.scenario
    for place in lines.places:
        line = place.line
        if not place.faded and (line.notion, line.mechanism) == (asked.notion, asked.mechanism):
            return line
    return None


def _costliest(result: Result) -> tuple[int, float] | None:
    """Return the symbol that adds most to what is lost of X, and its share; None where little is.

    Also None where the mechanism reads S too, or something else than X is to be kept.
    """
    made = result.mechanism
    if len(made.kernel) != result.joint.n_x or result.scenario.purpose != "information":
        return None
    lost = lost_by_symbol(result.joint, made.kernel)
    if lost.sum() < LOST:
        return None
    worst = int(lost.argmax())
    return worst, float(lost[worst] / lost.sum())


def _of_symbol(result: Result, worst: int, part: float) -> str:
    name = plain_short(result.joint.x_labels[worst])
    return markdown(f"“{name}” costs most: {share(part)} of what is lost of X.")


def _is_sampled(result: Result) -> bool:
    """Say whether the records are so few that it is told what the release's levels may be."""
    scenario, joint, kernel = result.scenario, result.joint, result.mechanism.kernel
    reads = mechanisms.entry(scenario.mechanism).reads_secret
    robust = notions.entry(scenario.notion).kind.of_estimate
    if joint.n is None or joint.n >= FEW or reads or robust or scenario.data.secret_released:
        return False
    return kernel.shape[0] == joint.n_x and joint.n_s * kernel.size <= MOST_CELLS


def _sampled(result: Result) -> LongAnswer[dict[str, Realised]]:
    """Return the work on the levels that a release may have at the truth."""
    return LongAnswer(
        result.scenario.data,
        ("realised", result.content_id),
        find_realised,
        lambda: (result.joint, result.mechanism.kernel),
        LIMIT,
    )


def _of_records(result: Result, unit: str) -> None:
    """Say what the release's levels may be at the truth, or how far the work on it is."""
    joint, work = result.joint, _sampled(result)
    quick = joint.n_s * result.mechanism.kernel.size <= AT_ONCE
    found = progress.awaited(
        work,
        work.here if quick else work.ask,
        "Working out what the promise is worth at the truth",
        seconds=LIMIT,
        key="realised",
    )
    if found is None:
        return
    query = urlencode(to_query(result.scenario), doseq=True)
    told = (
        f"{joint.n:,} records leave open what the truth is. With probability 95 %, this release's "
        f"levels there are, in {unit}: LIP {_range(found['lip'], unit)}; ALIP, "
        f"ε_l {_range(found['min_lift'], unit)} and ε_u {_range(found['pml'], unit)}; "
        f"LDP {level(found['ldp'].at_estimate, unit)} at the estimate, at most "
        f"{level(found['ldp'].most, unit)}."
    )
    st.markdown(f"- :small[{markdown(told)} [Robust](robust?{query})]")


def _range(found: Realised, unit: str) -> str:
    return (
        f"{level(found.at_estimate, unit)} at the estimate, {level(found.least, unit)} to "
        f"{level(found.most, unit)}"
    )
