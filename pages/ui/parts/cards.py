"""Cards: a figure with title, formulas and its data as a table; live, or still."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import CoreError
from pages.ui.chart import chart
from pages.ui.figures import Figure
from pages.ui.parts import tables
from pages.ui.style import glossary
from pages.ui.style.labels import markdown


def still(
    figure: Figure,
    *,
    key: str,
    title: str,
    subtitle: str,
    alt: str,
    table: Callable[[], pd.DataFrame],
    faded: bool = False,
) -> None:
    """Show a figure in a card; the parameters are those of `card` and `chart`."""
    with card(key=key, title=title, subtitle=subtitle, table=table):
        chart(figure, key=key, title=title, alt=alt, faded=faded)


def card(
    *,
    key: str,
    title: str,
    subtitle: str,
    table: Callable[[], pd.DataFrame],
    formulas: tuple[str, ...] = (),
    beside: Callable[[], object] | None = None,
) -> DeltaGenerator:
    """Show a card without its chart, and return the place for that, which alone runs again."""
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
