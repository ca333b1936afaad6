"""A card: a chart with its title, what it means, the table behind it and its formulas."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from pages.ui import exports
from pages.ui.chart import chart
from pages.ui.figures import Figure


def card(
    figure: Figure,
    *,
    key: str,
    title: str,
    subtitle: str,
    alt: str,
    table: Callable[[], pd.DataFrame],
    formulas: tuple[str, ...] = (),
    on_pick: Callable[[], None] | None = None,
    beside: Callable[[], None] | None = None,
) -> None:
    """Show a chart in a frame.

    Parameters
    ----------
    figure : dict
        The chart.
    key : str
        Of the chart; the card's other elements derive theirs from it.
    title, subtitle : str
        What is seen, and how to read it: Markdown of our own, no labels from data.
    alt : str
        What the chart shows, in words.
    table : callable
        Makes the table behind the chart; called when it is opened.
    formulas : tuple of str
        Markdown paragraphs with LaTeX, shown on request.
    on_pick : callable, optional
        Called when a point is clicked.
    beside : callable, optional
        Shows more controls in the card's first row.
    """
    with st.container(border=True, key=f"card_{key}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{title}**")
            if formulas:
                _formulas(key, formulas)
            _table(key, table)
            if beside is not None:
                beside()
        st.caption(subtitle)
        chart(figure, key=key, title=title, alt=alt, on_pick=on_pick)


def _formulas(key: str, formulas: tuple[str, ...]) -> None:
    with st.popover(
        "formulas", type="tertiary", key=f"{key}_formulas", on_change="rerun"
    ) as opened:
        if opened.open:
            for paragraph in formulas:
                st.markdown(paragraph)


def _table(key: str, table: Callable[[], pd.DataFrame]) -> None:
    with st.popover("table", type="tertiary", key=f"{key}_table", on_change="rerun") as opened:
        if opened.open:
            frame = table()
            st.dataframe(frame, hide_index=True, height=min(360, 38 + 35 * len(frame)))
            exports.button(
                "CSV",
                f"liftscope-{key}.csv",
                "text/csv",
                lambda: exports.csv_bytes(frame),
                f"{key}_csv",
            )
