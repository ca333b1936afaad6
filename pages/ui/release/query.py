"""The Release page's own question beside the scenario, in the URL; never a seed or a key."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.records.plan import COLUMNS, LEAVE_OUT, REFUSE
from core.scenario.data_url import cut
from pages.ui.frame.page_query import PageQuery

SEED, KEY = "seed", "key"
"""Sources of the random numbers."""

CSV, PARQUET = "csv", "parquet"
"""Kinds of files that are written."""

CHOICES = {
    "original": tuple(COLUMNS),
    "file": (CSV, PARQUET),
    "draw": (SEED, KEY),
}
"""The URL's key → what it may be; the first is the default."""

URL = PageQuery("release", (*CHOICES, "unknown", "id"))
"""The page's keys in the URL."""

_WANTED = "_release_wanted"


def widget(key: str) -> str:
    """Return the key of the widget that holds a choice."""
    return f"release_{key}"


def restore() -> None:
    """Bring the session to what the URL says; unknown values fall back with a notice."""
    query = URL.read()
    if query is None:
        return
    for key, known in CHOICES.items():
        value = query.get(key, [known[0]])[-1]
        if value not in known:
            URL.tell(f"The link has {key}={cut(value)}, which is not known; {known[0]} is used.")
            value = known[0]
        st.session_state[widget(key)] = value
    st.session_state[_WANTED] = {key: query.get(key, [None])[-1] for key in ("unknown", "id")}


def choice(key: str) -> str:
    """Return a choice on screen."""
    return str(st.session_state[widget(key)])


def settle(key: str, known: Sequence[str], default: str | None) -> None:
    """Give the widget of a choice that depends on the data a value that it may have.

    Parameters
    ----------
    key : str
        "unknown" or "id".
    known : sequence of str
        What it may be.
    default : str or None
        What it is where neither the URL nor the session says.
    """
    wanted = st.session_state.get(_WANTED, {}).pop(key, None)
    if wanted is not None and wanted not in known:
        URL.tell(
            f"The link has {key}={cut(wanted)}, which is not known here; "
            f"{default if default is not None else 'nothing'} is used."
        )
        wanted = default
    now = wanted if wanted is not None else st.session_state.get(widget(key), default)
    st.session_state[widget(key)] = now if now in known else default


def publish() -> None:
    """Write the page's choices to the URL; what is the default is left out."""
    wanted = {key: [choice(key)] for key, known in CHOICES.items() if choice(key) != known[0]}
    if (unknown := st.session_state.get(widget("unknown"), REFUSE)) != REFUSE:
        wanted["unknown"] = [unknown]
    if choice("draw") == KEY and (column := st.session_state.get(widget("id"))) is not None:
        wanted["id"] = [column]
    URL.publish(wanted)


TREATMENTS = {REFUSE: "refuse the release, and say which", LEAVE_OUT: "leave those records out"}
"""What is done about unknown values, beside taking them for a symbol of X."""
