"""The address bar: when what it says counts, and how it is written.

A run carries the address that the browser had when it asked for it. Where several runs follow one
another quickly, that may be one which the server has written over since, and a page's first run
may be interrupted before the session knows its question. So the session keeps which addresses the
browser may still be at, and a page counts as opened until it has been answered for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

Query = dict[str, list[str]]
"""Values by key: a key may stand more than once in an address."""

MOST_LATE = 50
"""Addresses written over that are kept: more runs than that are never on their way."""

_WRITTEN = "_address_written"
_LATE = "_address_late"
_PAGE = "_address_page"
_VISIT = "_address_visit"
_ENDED = "_address_ended"


_HISTORY = st.components.v2.component(
    "liftscope_history",
    js=(Path(__file__).parent / "history.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def watch_history() -> None:
    """Have the browser keep one entry of its history for each slider that is moved in a row.

    It also asks for the page when a lost connection is there again, by its address if the server
    does not know the page.
    """
    _HISTORY(key="history", on_back_change=_ignore)


def _ignore() -> None:
    """Do nothing: that the page runs is all that is wanted."""


def arrive() -> None:
    """Take note of the address that a run came with; call it first on every page."""
    sent = _sent()
    if sent == st.session_state.get(_WRITTEN) or _went_through_history():
        st.session_state[_LATE] = []  # the browser has read all that was written
        st.session_state[_WRITTEN] = sent


def read(keys: Sequence[str]) -> Query:
    """Return those of the address's values that have one of the keys.

    An address that the server has written over since does not count: what was written does. Back
    and forward lead to such addresses too, and count; the browser says when it is that.

    Parameters
    ----------
    keys : sequence of str
        The keys that are the caller's.
    """
    return {key: values for key, values in _now().items() if key in keys}


def whole() -> Query:
    """Return all that the address says."""
    return _now()


def write(keys: Sequence[str], wanted: Mapping[str, Sequence[str]]) -> None:
    """Replace the values of some keys; the others stay as they are.

    Parameters
    ----------
    keys : sequence of str
        The keys that are the caller's.
    wanted : mapping of str to sequence of str
        Their values; a key that is not there is left out.

    Notes
    -----
    Where a slider is moved and, before the browser has the answer, moved back, the address that the
    run came with is the right one, but the browser is told another meanwhile: it is told again.
    """
    sent = _sent()
    others = {key: values for key, values in _now().items() if key not in keys}
    after = others | {key: list(values) for key, values in wanted.items()}
    if after == sent and st.session_state.get(_WRITTEN, sent) == sent:
        if _went_through_history():
            # what a run before wrote may have reached the browser only now, in this one's place
            st.query_params.from_dict(sent)
        return
    late: list[Query] = st.session_state.setdefault(_LATE, [])
    late.append(sent)
    del late[:-MOST_LATE]
    st.session_state[_WRITTEN] = after
    st.query_params.from_dict(after)


def page() -> str:
    """Return the name of the page that is open; "" before the first one is."""
    return str(st.session_state.get(_PAGE, ""))


def opens(page: str) -> bool:
    """Say whether a page is being opened: another one was the last that was `opened`.

    Parameters
    ----------
    page : str
        The page's name.
    """
    return bool(st.session_state.get(_PAGE) != page)


def opened(page: str) -> None:
    """Take note that a page is open; call it when the session holds the page's question.

    Parameters
    ----------
    page : str
        The page's name.
    """
    if opens(page):
        st.session_state[_VISIT] = visit() + 1
        st.session_state[_PAGE] = page


def ended() -> None:
    """Take note that the open page's script has run to its end; app.py calls it."""
    st.session_state[_ENDED] = page()


def is_new(page: str) -> bool:
    """Say whether a page has yet to run to its end since it was opened: it may lack widgets.

    Parameters
    ----------
    page : str
        The page's name.
    """
    return bool(st.session_state.get(_ENDED) != page)


def visit() -> int:
    """Return how many times a page has been opened in the session."""
    return int(st.session_state.get(_VISIT, 0))


def _sent() -> Query:
    return {key: st.query_params.get_all(key) for key in st.query_params}


def _now() -> Query:
    sent = _sent()
    if sent in st.session_state.get(_LATE, ()) and not _went_through_history():
        written: Query = st.session_state[_WRITTEN]
        return written
    return sent


def _went_through_history() -> bool:
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation
