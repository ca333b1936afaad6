"""Long lists page by page: a chart shows no more rows than can be read."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.validation import FloatArray, IntArray

ROWS = 60
"""Rows that a chart shows at once: more have no room for their names."""

COLUMNS = 80
"""Columns that a matrix shows: more would be too thin to see."""


def page(weight: FloatArray, things: str, key: str) -> IntArray:
    """Return the indices of the rows to show; of a long list, show the picker of the page.

    The largest weights come first; a list that fits on one page keeps its order.

    Parameters
    ----------
    weight : ndarray
        By which rows are ordered, shape (n,).
    things : str
        What the rows are, in the plural, and what comes first.
    key : str
        Of the picker.
    """
    count = len(weight)
    if count <= ROWS:
        return np.arange(count)
    starts = list(range(0, count, ROWS))
    wanted = st.session_state.get(key)
    if wanted is not None and wanted not in starts:
        st.session_state[key] = starts[-1]
    start = st.select_slider(
        f"{count:,} {things}",
        starts,
        format_func=lambda first: f"{first + 1:,} to {min(first + ROWS, count):,}",
        key=key,
        persist_state="session",
    )
    order: IntArray = np.argsort(-weight, kind="stable")
    return order[int(start) : int(start) + ROWS]
