"""A mechanism for each value of what others know, beside the one for all: Mechanisms, Compare."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.errors import CoreError
from core.jobs.work import find_for_each
from core.mechanisms import ForEach
from core.mechanisms.optima.for_each import for_groups
from core.scenario import Result
from core.wording import number_of
from pages.ui.parts import tables
from pages.ui.style.labels import markdown
from pages.ui.style.units import level, share
from pages.ui.work import derived, progress
from pages.ui.work.long_answer import LongAnswer
from pages.ui.work.refining import MINUTE

LEAST = "each_least"
"""Key of the number of records from which a value has a mechanism of its own."""

KEPT = ("X kept by its own mechanism", "X kept by the shared mechanism")
"""Names of the table's columns of shares."""

PERCENT = st.column_config.NumberColumn(format="percent")

RARE = 100
"""That number, until another is chosen."""


def show(result: Result, unit: str, key: str = "", *, brief: bool = False) -> None:
    """Show the switch, and with it what each value's own mechanism keeps; `brief`: in a line."""
    table, known = result.joint.known, result.counted.report.known
    if table is None or result.mechanism.notion is None:
        return
    least = int(st.session_state.get(LEAST, RARE))
    try:
        searches, refused = number_of(len(for_groups(table, least)), "search"), ""
    except CoreError as error:
        searches, refused = "", str(error)
    on = st.toggle(
        f"A separate mechanism for each {markdown(known)}",
        key=f"for_each{key}",
        persist_state="session",
        help=f"Others know {markdown(known)}, so Y may depend on it too. "
        + (refused or f"{searches}, at most {MINUTE:g} s together."),
    )
    if not on:
        return
    if not brief:
        st.number_input(
            "Values with fewer records share one mechanism",
            *(1, result.joint.n or 1, min(RARE, result.joint.n or 1)),
            key=LEAST,
            persist_state="session",
        )
    if refused:
        st.caption(markdown(refused))
        return
    each = _searched(result, least, searches, key)
    if each is not None:
        st.markdown(markdown(sentence(each, result, unit)))
        if not brief:
            tables.sheet(
                _table(each, result), "for_each", column_config=dict.fromkeys(KEPT, PERCENT)
            )


def _searched(result: Result, least: int, what: str, key: str) -> ForEach | None:
    scenario = result.scenario
    work = LongAnswer(
        scenario.data,
        ("for each", derived.promise_key(scenario), f"{least}"),
        find_for_each,
        lambda: (scenario, derived.counted(scenario.data), least, work.limit),
        seconds=MINUTE,
        patience=MINUTE,
        is_final=lambda each: each.proven,
    )
    return progress.awaited(
        work,
        work.ask,
        what,
        key=f"for_each_work{key}",
        left_open=lambda each: f"Not proven: {_open(each)}.",
    )


def _open(each: ForEach) -> str:
    """Return how many searches ended without a proof."""
    left = sum(mechanism.status != "optimal" for mechanism in each.mechanisms)
    return f"{left} of {number_of(len(each.mechanisms), 'search')} ended early"


def sentence(each: ForEach, result: Result, unit: str) -> str:
    """Return what the mechanisms keep of X for someone who knows K, beside the one for all."""
    known, most = result.counted.report.known, float(each.share @ each.most)
    item = float(each.share @ each.of_one(result.mechanism.kernel))
    if most == 0:
        return f"{known} determines X: there is nothing left to keep."
    proof = ", proven" if each.proven else f", at most {level(each.upper_bound, unit)}"
    return (
        f"For someone who knows {known}, separate mechanisms keep {share(each.information / most)} "
        f"of the information in X (I(X;Y|K) {level(each.information, unit)} {unit}{proof}); the "
        f"shared one keeps {share(item / most)}."
    )


def _table(each: ForEach, result: Result) -> pd.DataFrame:
    """Return a row for each mechanism, the values with most records first."""
    names, item = result.counted.report.known_values, each.of_one(result.mechanism.kernel)
    records = each.share * (result.joint.n or 1)
    rows = []
    for at, (mechanism, values) in enumerate(zip(each.mechanisms, each.groups, strict=True)):
        most = each.most[at]
        alone = len(values) == 1
        rows.append(
            {
                result.counted.report.known: names[values[0]]
                if alone
                else f"{number_of(len(values), 'rare value')} together",
                "records": round(float(records[at])),
                KEPT[0]: mechanism.utility / most if most else None,
                KEPT[1]: item[at] / most if most else None,
                "outputs": mechanism.n_y,
                "proven": mechanism.status == "optimal",
            }
        )
    return pd.DataFrame(rows)
