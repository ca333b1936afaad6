"""Advice below the charts: read off what is computed already; the rest is worked out aside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from core.jobs.work import find_realised
from core.scenario import Result
from core.scenario.url import to_query
from core.studies.advice import Realised
from core.studies.consequences import is_sampled
from core.studies.frontier import Frontier
from pages.ui.explore import what_if
from pages.ui.explore.frontier_lines import Lines
from pages.ui.report.next_steps import TITLE, costliest, of_line, of_records, of_symbol
from pages.ui.style.labels import markdown
from pages.ui.work import long_answer, progress
from pages.ui.work.long_answer import LongAnswer

SAMPLE = "few records"
"""Name of the part of the page that waits for what the levels may be at the truth."""

AT_ONCE = 500
"""Entries of a kernel times secrets up to which that takes less than .1 s, and is done in place."""

LIMIT = 60.0
"""Seconds that it may take."""


@dataclass(frozen=True, eq=False)
class Advice:
    """What is worked out for the advice.

    Attributes
    ----------
    realised : mapping or None
        What the release's levels may be at the truth; None where not asked, or not ready.
    what_if : tuple of str
        What would be kept with a symbol less, where that is asked for and ready.
    """

    realised: Mapping[str, Realised] | None = None
    what_if: tuple[str, ...] = ()


def show(result: Result, lines: Lines, unit: str) -> Advice:
    """Show what is advised, a line each; return what was worked out for it."""
    worst = costliest(result)
    said = list(of_line(result, _own(result, lines), unit))
    if worst is not None:
        said.append(of_symbol(result, *worst))
    sampled = is_sampled(result)
    long_answer.await_only(SAMPLE, [_sampled(result)] if sampled else [])
    if not said and not sampled:
        what_if.end()
        return Advice()
    with st.container(key="advice", border=True):
        st.markdown(f"**{TITLE}**")
        if said:
            st.markdown("\n".join(f"- :small[{markdown(line)}]" for line in said))
        found = _of_records(result, unit) if sampled else None
        told = what_if.show(result, None if worst is None else worst[0], unit)
    return Advice(found, told)


def _own(result: Result, lines: Lines) -> Frontier | None:
    """Return the ready line of the question on screen; None where it has none."""
    asked = result.scenario
    for place in lines.places:
        line = place.line
        if not place.faded and (line.notion, line.mechanism) == (asked.notion, asked.mechanism):
            return line
    return None


def _sampled(result: Result) -> LongAnswer[dict[str, Realised]]:
    """Return the work on the levels that a release may have at the truth."""
    return LongAnswer(
        result.scenario.data,
        ("realised", result.content_id),
        find_realised,
        lambda: (result.joint, result.mechanism.kernel),
        LIMIT,
    )


def _of_records(result: Result, unit: str) -> Mapping[str, Realised] | None:
    """Say what the release's levels may be at the truth, or how far the work is; return them."""
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
        return None
    query = urlencode(to_query(result.scenario), doseq=True)
    told = of_records(joint, found, unit)
    st.markdown(f"- :small[{markdown(told)} [Robust](robust?{query})]")
    return found
