"""A card: a chart with its title, what it means, the table behind it and its formulas."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import CoreError
from pages.ui.parts import tables
from pages.ui.style import glossary
from pages.ui.style.labels import markdown


def card(
    *,
    key: str,
    title: str,
    subtitle: str,
    table: Callable[[], pd.DataFrame],
    formulas: tuple[str, ...] = (),
    beside: Callable[[], object] | None = None,
) -> DeltaGenerator:
    """Show a card without its chart, and return the place for the chart.

    The symbols and acronyms in title and subtitle are explained beside the title.

    The card stays as it is while sliders move; only what is put in that place runs again.

    Parameters
    ----------
    key : str
        Of the chart; the card's other elements derive theirs from it.
    title, subtitle : str
        What the chart shows, and how to read it, in Markdown: labels from data must be escaped.
    table : callable
        Makes the table behind the chart; called when it is opened.
    formulas : tuple of str
        Markdown paragraphs with LaTeX, shown on request.
    beside : callable, optional
        Shows more controls in the card's first row.
    """
    with st.container(border=True, height="stretch", key=f"card_{key}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{title}**", help=glossary.told(title, subtitle))
            if formulas:
                _formulas(key, formulas)
            _table(key, table)
            if beside is not None:
                beside()
        if subtitle:
            st.caption(subtitle)
        return st.container(key=f"slot_{key}")


def _formulas(key: str, formulas: tuple[str, ...]) -> None:
    with st.popover("formulas", type="tertiary", key=f"{key}_formulas"):
        for paragraph in formulas:
            st.markdown(paragraph)


def _table(key: str, table: Callable[[], pd.DataFrame]) -> None:
    with st.popover("table", type="tertiary", key=f"{key}_table", on_change="rerun") as opened:
        if not opened.open:
            return
        try:
            frame = table()
        except CoreError as error:
            st.caption(markdown(str(error)))
        else:
            tables.sheet(frame, key, most=360)
