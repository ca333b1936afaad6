"""Cards: a figure with title, formulas and its data as a table; live, or still."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import CoreError
from pages.ui.chart import chart, saving
from pages.ui.figures import Figure
from pages.ui.parts import tables
from pages.ui.style import glossary
from pages.ui.style.labels import markdown


@dataclass(frozen=True, eq=False)
class Still:
    """A figure that was shown in a card, with its title, its description and its table."""

    figure: Figure
    title: str
    alt: str
    table: Callable[[], pd.DataFrame]


def still(
    figure: Figure,
    *,
    key: str,
    title: str,
    subtitle: str,
    alt: str,
    table: Callable[[], pd.DataFrame],
    faded: bool = False,
) -> Still:
    """Show a figure in a card, and return it; the parameters are those of `card` and `chart`."""
    with card(key=key, title=title, subtitle=subtitle, table=table):
        chart(figure, key=key, title=title, alt=alt, faded=faded)
    return Still(figure, title, alt, table)


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
            st.markdown(f"**{title}**", help=glossary.explanation(title, subtitle))
            with st.container(horizontal=True, gap="small", width="content"):  # wraps as one
                if formulas:
                    _formulas(key, formulas)
                _table(key, table)
            if beside is not None:
                beside()
        if subtitle:
            st.caption(subtitle)
        return st.container(key=f"slot_{key}")


def tile(
    *,
    key: str,
    title: str,
    reads: Callable[[], str],
    table: Callable[[], pd.DataFrame],
    formulas: tuple[str, ...],
    charts: Mapping[str, str],
    beside: Callable[[], object] | None = None,
) -> DeltaGenerator:
    """Show a card of a board without its chart, and return the place for that.

    One menu holds the rest, made when it opens: what `reads` says, formulas, the table, and the
    files of `charts`, key → title.
    """
    with st.container(key=f"card_{key}"):
        with st.container(
            horizontal=True, vertical_alignment="center", gap="small", key=f"head_{key}"
        ):
            st.markdown(f"**{title}**", help=glossary.explanation(title), width="stretch")
            if beside is not None:
                beside()
            st.fragment(_more)(key, title, reads, table, formulas, charts)
        return st.container(key=f"slot_{key}")


def _more(
    key: str,
    title: str,
    reads: Callable[[], str],
    table: Callable[[], pd.DataFrame],
    formulas: tuple[str, ...],
    charts: Mapping[str, str],
) -> None:
    """Show the menu of a card of a board."""
    with st.popover(
        f"More on: {title}",
        icon=":material/more_horiz:",
        type="tertiary",
        key=f"{key}_more",
        on_change="rerun",
    ) as opened:
        if not opened.open:
            return
        st.markdown(f":small[{markdown(reads())}]")
        in_table, in_formulas, files = st.tabs(["Table", "Formulas", "Save"])
        with in_table:
            _sheet(key, table)
        with in_formulas:
            for paragraph in formulas:
                st.markdown(paragraph)
        with files:
            saving(key, charts)


def _formulas(key: str, formulas: tuple[str, ...]) -> None:
    with st.popover("formulas", type="tertiary", key=f"{key}_formulas"):
        for paragraph in formulas:
            st.markdown(paragraph)


def _table(key: str, table: Callable[[], pd.DataFrame]) -> None:
    with st.popover("table", type="tertiary", key=f"{key}_table", on_change="rerun") as opened:
        if not opened.open:
            return
        _sheet(key, table)


def _sheet(key: str, table: Callable[[], pd.DataFrame]) -> None:
    """Show a card's table, or why there is none."""
    try:
        frame = table()
    except CoreError as error:
        st.caption(markdown(str(error)))
    else:
        tables.sheet(frame, key, most=360)
