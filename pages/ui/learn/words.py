"""The glossary as a page: every symbol, acronym and term, with a search."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.ui.parts import tables
from pages.ui.style import glossary
from pages.ui.work import context

COLUMNS = ["term", "what it means", "source"]
"""Of the table."""


def show() -> None:
    """Show the glossary, or what of it has the words that are looked for."""
    asked = st.text_input(
        "Look for", key="learn_look", placeholder="lift, ε, robust …", max_chars=80, width=360
    )
    found = sought(asked or "")
    if found.empty:
        st.info("No entry has these words.", icon=":material/search_off:")
        return
    with context.about({"data": "glossary"}):
        tables.read(found, "learn_glossary")


def sought(asked: str) -> pd.DataFrame:
    """Return the entries that have every word of a text, in the glossary's order.

    Examples
    --------
    >>> sought("local information asymmetric")["term"].tolist()
    ['ALIP']
    """
    wanted = asked.casefold().split()
    rows = [
        {
            "term": one.title.replace("\\", ""),
            "what it means": one.meaning.replace("`", ""),
            "source": one.source,
        }
        for one in glossary.terms().values()
    ]
    kept = [
        row for row in rows if all(word in " ".join(row.values()).casefold() for word in wanted)
    ]
    return pd.DataFrame(kept, columns=COLUMNS)
