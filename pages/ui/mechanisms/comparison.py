"""All mechanisms at the level of LIP that the one on screen achieves, in one table."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd
import streamlit as st

from core.jobs.work import compare_all
from core.limits import ROUNDING
from core.scenario import PURPOSES, Result, Scenario
from core.studies.comparison import SECONDS, Compared
from core.wording import listed
from pages.ui.parts import tables
from pages.ui.style import glossary
from pages.ui.style.units import in_unit, level
from pages.ui.work import derived, progress
from pages.ui.work.long_answer import LongAnswer

LIMIT = 120.0
"""Seconds that all of them may take at first."""

NAME, NOTE = 150, 420
"""Pixels of the table's columns of names and notes."""


def show(result: Result, unit: str) -> None:
    """Show the table under its heading; it is worked out when it is asked for."""
    st.header("All mechanisms at the same level", anchor=False)
    reached = result.after.achieved["lip"]
    at = reached if math.isfinite(reached) else result.scenario.eps
    why = (
        "the level that the mechanism above achieves"
        if math.isfinite(reached)
        else "as much as the budget last asked for, since the mechanism above has no finite level"
    )
    st.markdown(
        f"Each one is allowed **{level(at, unit)} {unit} of LIP**, {why}. Click a column to sort. "
        "Those without a budget are shown as they are."
        + (
            " The robust ones are allowed as much RLDP, which implies it."
            if result.scenario.data.secret_released
            else ""
        )
    )
    _other_purpose(result.scenario)
    wanted = st.toggle(
        "Compare them",
        key="compare_all",
        persist_state="session",
        help=f"Works them out in the background; takes {LIMIT:.0f} seconds at most.",
    )
    rows = _rows(result.scenario, at) if wanted else None
    if rows is None:
        return
    table = _table(rows, at, unit, several=len(result.counted.attributes) > 1)
    tables.sheet(
        table,
        "comparison",
        most=640,
        wrapped={"mechanism": NAME, "note": NOTE},
        most_lines=2,
        column_config={
            # it stays in sight where the others do not fit on a narrow screen
            "mechanism": st.column_config.TextColumn("mechanism", width=NAME, pinned=True),
            "note": st.column_config.TextColumn("note", width=NOTE),
            "needs S": st.column_config.CheckboxColumn(
                "needs S", help="Whether it must read the secret when it releases."
            ),
            f"at most, {unit}": st.column_config.NumberColumn(
                help=f"{glossary.meaning('bound')} Those that read S too have one of their own. "
                "Blank for those that have no budget: no bound on them is proven."
            ),
            f"I(S;Y), {unit}": st.column_config.NumberColumn(
                help=glossary.meaning("secret_information")
            ),
            "within": st.column_config.CheckboxColumn(
                "within", help="Whether it stays within the level of LIP."
            ),
            "kept of X": st.column_config.ProgressColumn(
                "kept of X", format="percent", min_value=0.0, max_value=1.0
            ),
        },
    )


def _other_purpose(scenario: Scenario) -> None:
    """Say that the table counts I(X;Y) where something else is to survive."""
    if scenario.purpose != "information":
        st.caption(
            "The table counts information about all of X; the figures above count "
            f"{PURPOSES[scenario.purpose]}."
        )


def _rows(scenario: Scenario, at: float) -> tuple[Compared, ...] | None:
    """Return the rows; None while they are being worked out, or where the work ended."""
    question = repr(replace(scenario, mechanism="identity", notion="lip", eps=1.0))
    work = LongAnswer(
        scenario.data,
        ("compared", question, f"{at:.9g}"),
        compare_all,
        lambda: (scenario, derived.counted(scenario.data), at, SECONDS * work.longer),
        LIMIT,
        is_final=lambda rows: not any(row.cut for row in rows),
    )
    return progress.awaited(
        work,
        work.ask,
        "Running every mechanism",
        seconds=LIMIT,
        key="compared",
        left_open=lambda rows: (
            f"The search was cut off after {SECONDS * work.longer:g} s each for "
            f"{listed([row.title for row in rows if row.cut])}: more time may find better ones."
        ),
    )


def _table(rows: tuple[Compared, ...], at: float, unit: str, *, several: bool) -> pd.DataFrame:
    """Return the table; with the level against side channels where X has several columns."""

    def shown(values: list[float]) -> list[float]:
        return [round(in_unit(value, unit), 4) for value in values]

    table = pd.DataFrame(
        {
            "mechanism": [row.title for row in rows],
            "kept of X": [row.nmi for row in rows],
            "within": [row.lip <= at + ROUNDING for row in rows],
            "needs S": [row.reads_secret for row in rows],
            f"I(X;Y), {unit}": shown([row.utility for row in rows]),
            f"at most, {unit}": shown([row.upper_bound for row in rows]),
            f"LIP, {unit}": shown([row.lip for row in rows]),
            f"LDP, {unit}": shown([row.ldp for row in rows]),
            f"I(S;Y), {unit}": shown([row.leak for row in rows]),
            "outputs": [row.outputs for row in rows],
            "seconds": [round(row.seconds, 2) for row in rows],
            "note": [row.note for row in rows],
        }
    )
    if several:
        known = shown([row.side_channel for row in rows])
        table.insert(8, f"with side channels, {unit}", known)
    if any(not math.isnan(row.robust) for row in rows):  # S is released too
        worst = shown([row.robust for row in rows])
        table.insert(8, f"RLDP, {unit}", worst)
    return table.sort_values(["within", "kept of X"], ascending=False, kind="stable")
