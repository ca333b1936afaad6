"""Advice below the charts: read off what is computed already, never searched for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from urllib.parse import urlencode

import streamlit as st

from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.scenario import Result, spans
from core.scenario.url import to_query
from core.studies.advice import last_step, least_budget, lost_by_symbol, promise_worth
from core.studies.frontier import Frontier
from pages.ui.explore.frontier_lines import Lines
from pages.ui.style.labels import markdown, plain_short
from pages.ui.style.units import budget, level, share
from pages.ui.work import derived

WANTED = 0.9
"""The share of which is told which ε keeps it."""

FEW = 10_000
"""Records below which is told what a promise at the estimate is worth at the truth."""

MOST_CELLS = 2_500
"""Entries of a kernel up to which that takes less than .1 s."""

LOST = 1e-4
"""Nats below which nothing is said of what a symbol costs."""


def show(result: Result, lines: Lines, unit: str) -> None:
    """Show what is advised, a line each."""
    said = [*_of_line(result, lines, unit), *_of_symbols(result), *_of_records(result, unit)]
    if said:
        with st.container(key="advice", border=True):
            st.markdown("**What to do next**")
            st.markdown("\n".join(f"- :small[{line}]" for line in said))


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


def _of_symbols(result: Result) -> Iterator[str]:
    """Say which symbol adds most to what is lost of X."""
    made = result.mechanism
    if len(made.kernel) != result.joint.n_x or result.scenario.purpose != "information":
        return
    lost = lost_by_symbol(result.joint, made.kernel)
    if lost.sum() < LOST:
        return
    worst = int(lost.argmax())
    name = plain_short(result.joint.x_labels[worst])
    yield markdown(f"“{name}” costs most: {share(lost[worst] / lost.sum())} of what is lost of X.")


def _of_records(result: Result, unit: str) -> Iterator[str]:
    """Say what the level of LDP may be at the truth, where the records are few."""
    scenario, joint, kernel = result.scenario, result.joint, result.mechanism.kernel
    reads = mechanisms.entry(scenario.mechanism).reads_secret
    robust = notions.entry(scenario.notion).kind.of_estimate
    if joint.n is None or joint.n >= FEW or reads or robust or scenario.data.secret_released:
        return
    if kernel.shape[0] != joint.n_x or joint.n_s * kernel.size > MOST_CELLS:
        return
    now, most = derived.kept(
        scenario.data,
        ("promise worth", result.content_id),
        lambda: promise_worth(joint, kernel),
    )
    query = urlencode(to_query(scenario), doseq=True)
    yield (
        markdown(
            f"{joint.n:,} records leave open what the truth is: the release's level of LDP is "
            f"{level(now, unit)} at the estimate and, with probability 95 %, at most "
            f"{level(most, unit)} {unit}."
        )
        + f" [Robust](robust?{query})"
    )
