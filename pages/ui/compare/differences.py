"""The table of differences: every figure of all columns, the largest difference first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from core.notions.numbers import Numbers
from core.studies.side_by_side import NATS, Column, Difference, differences
from pages.ui.parts import tables
from pages.ui.style.units import in_unit

FIGURE = 132
"""Pixels of the column of names: beside it a phone has room for two columns of numbers."""

NUMBERS = 84
"""Pixels of a column of numbers."""

RESERVED = ("figure", "difference")
"""Headings of the table: a column of the page with such a name has “(column)” added to it."""


def show(told: Sequence[Column], numbers: Numbers, unit: str) -> None:
    """Show the table.

    Parameters
    ----------
    told : sequence of Column
        The columns.
    numbers : Numbers
        The numbers at which their levels were computed.
    unit : str
        "nats" or "bits".
    """
    rows = differences(told, numbers)
    if not rows:
        st.caption("No column has an answer yet.")
        return

    def scaled(row: Difference, value: float) -> float:
        return round(in_unit(value, unit) if row.unit == NATS else value, 6)

    names = [
        f"{column.name} (column)" if column.name in RESERVED else column.name for column in told
    ]
    frame = pd.DataFrame(
        {
            "figure": [_named(row, unit) for row in rows],
            "difference": [scaled(row, row.spread) for row in rows],
        }
        | {
            name: np.array([scaled(row, row.values[place]) for row in rows])
            for place, name in enumerate(names)
        }
    )
    tables.sheet(
        frame,
        "differences",
        most=640,
        wrapped={"figure": FIGURE},
        column_config={
            "figure": st.column_config.TextColumn("figure", width=FIGURE, pinned=True),
            "difference": st.column_config.NumberColumn(
                "difference",
                width=NUMBERS,
                help="The largest minus the smallest. Rows are in order of this difference "
                "divided by the largest.",
            ),
            **{name: st.column_config.NumberColumn(name, width=NUMBERS) for name in names},
        },
    )


def _named(row: Difference, unit: str) -> str:
    """Return what a figure is called, with its unit where it has one."""
    written = unit if row.unit == NATS else row.unit
    return f"{row.title}, {written}" if written else row.title
