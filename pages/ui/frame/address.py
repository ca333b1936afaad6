"""The address bar: when what it says counts, how it is written, and which part is a page's.

A run carries the address that the browser had when it asked, which the server may have written over
since, and a page's first run may be interrupted. So the session keeps which addresses the browser
may still be at, and a page counts as opened until it has been answered for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.scenario.data_url import cut
from pages.ui.serving import programs
from pages.ui.style.labels import markdown

Query = dict[str, list[str]]
"""Values by key: a key may occur more than once in an address."""

MOST_LATE = 50
"""Addresses written over that are kept: more runs than that are never on their way."""

_WRITTEN = "_address_written"
_LATE = "_address_late"
_PAGE = "_address_page"
_OPENINGS = "_address_openings"
_ENDED = "_address_ended"


_HISTORY = programs.component("liftscope_history", Path(__file__).with_name("history.js"))


def watch_history() -> None:
    """Make the browser keep one history entry for a series of moves of the same slider."""
    _HISTORY(key="history", on_back_change=_ignore)


def _ignore() -> None:
    """Do nothing: that the page runs is all that is wanted."""


def arrive() -> None:
    """Record the address of this run; call it first on every page."""
    sent = _sent()
    if sent == st.session_state.get(_WRITTEN) or _went_through_history():
        st.session_state[_LATE] = []  # the browser has read all that was written
        st.session_state[_WRITTEN] = sent


def read(keys: Sequence[str]) -> Query:
    """Return those of the address's values that have one of the keys.

    An address that was written over since does not count, unless back or forward led there.
    """
    return {key: values for key, values in whole().items() if key in keys}


def write(keys: Sequence[str], wanted: Mapping[str, Sequence[str]]) -> None:
    """Replace the values of some keys; the others stay as they are.

    If a slider is moved and at once moved back, the browser gets its own address again.
    """
    sent = _sent()
    others = {key: values for key, values in whole().items() if key not in keys}
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
    """Return whether a page is being opened: another one was the last that was `opened`."""
    return bool(st.session_state.get(_PAGE) != page)


def opened(page: str) -> None:
    """Record that a page is open; call it once the session holds the page's question."""
    if opens(page):
        st.session_state[_OPENINGS] = _openings() + 1
        st.session_state[_PAGE] = page


def ended() -> None:
    """Record that the open page's script has run to its end; app.py calls it."""
    st.session_state[_ENDED] = page()


def is_new(page: str) -> bool:
    """Return whether a page has yet to run to its end since it was opened: it may lack widgets."""
    return bool(st.session_state.get(_ENDED) != page)


def _openings() -> int:
    """Return how many times a page has been opened in the session."""
    return int(st.session_state.get(_OPENINGS, 0))


def _sent() -> Query:
    return {key: st.query_params.get_all(key) for key in st.query_params}


def whole() -> Query:
    """Return all that the address says."""
    sent = _sent()
    if sent in st.session_state.get(_LATE, ()) and not _went_through_history():
        written: Query = st.session_state[_WRITTEN]
        return written
    return sent


def _went_through_history() -> bool:
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


PARTS = {
    "compare": "reading",
    "confusability": "problem view step",
    "frontiers": "on law across up bars apart promise by set steps draws first from to size",
    "learn": "topic ill hit alarm truth budget both share clue order people values chance merged "
    "variant",
    "mechanisms": "about known output step all",
    "papers": "show run world drawn excluded large parity promised records secrets share1 shared "
    "told_a told_b unlike within",
    "project": "col file",
    "projector": "projector",
    "release": "original stay randomize each file draw unknown id",
}
"""The URL's keys of each page's own part: a page knows those of others, which may be in its URL."""

PAGES_KEYS = frozenset(" ".join(PARTS.values()).split())

LONGEST_NUMBER = 9
"""Most digits of a whole number in a link: no slider goes further, and `int` refuses thousands."""


def whole_number(text: str, low: int = 0, high: int = 10**LONGEST_NUMBER) -> int | None:
    """Read a whole number from low to high; None where a link's text is none."""
    number = int(text) if text.isdecimal() and len(text) <= LONGEST_NUMBER else -1
    return number if low <= number <= high else None


@dataclass(frozen=True)
class Value:
    """A value of a page: its key in the URL, and that of the session which holds it.

    `read` returns None of a text that is none of its values; `why` and `instead` tell the reader.
    Without `held` it is taken once, by what shows it.
    """

    key: str
    default: Any = None
    read: Callable[[str], Any] = str
    held: str = ""
    why: str = "is not known"
    instead: str | None = None
    write: Callable[[Any], str] = str
    many: bool = False


def one_of(known: Collection[str], otherwise: str | None = None) -> Callable[[str], str | None]:
    """Return what reads one of some texts, and another text as `otherwise`."""
    return lambda text: text if text in known else otherwise


def warn(*sentences: str, place: DeltaGenerator | None = None) -> None:
    """Show what was wrong in an address, all of it in one box."""
    if sentences:
        text = "  \n".join(map(markdown, sentences))
        (place or st).warning(text, icon=":material/link_off:")


class PageQuery:
    """What a page writes to the URL and reads from it."""

    def __init__(self, page: str, *values: Value) -> None:
        self._keys = tuple(PARTS[page].split())
        self._values = {setting.key: setting for setting in values}
        self._page = page
        self._seen = f"_{page}_seen"
        self._opening = f"_{page}_opening"
        self._notices = f"_{page}_notices"

    def restore(self, **usual: Any) -> Query | None:
        """Set the session to what the URL says, with notices; `usual` are its defaults."""
        query = self.read()
        if query is not None:
            for key, setting in self._values.items():
                texts, default = query.get(key, []), usual.get(key, setting.default)
                st.session_state[self._held(setting)] = self._taken(setting, texts, default)
        return query

    def _taken(self, setting: Value, texts: Sequence[str], default: Any) -> Any:
        values = []
        for text in texts if setting.many else texts[-1:]:
            value = setting.read(text)
            if value is None:
                instead = setting.instead
                if instead is None:
                    instead = f"{setting.key}={setting.write(default)} is used"
                self.refuse(setting.key, text, setting.why, instead)
            elif value not in values:
                values.append(value)
        return (values if setting.many else values[0]) if values else default

    def _held(self, setting: Value) -> str:
        return setting.held or f"_{self._page}_wanted_{setting.key}"

    def now(self, key: str) -> Any:
        """Return a value on screen."""
        setting = self._values[key]
        return st.session_state.get(setting.held, setting.default)

    def set(self, key: str, value: Any) -> None:
        """Change a value."""
        st.session_state[self._held(self._values[key])] = value

    def take(self, key: str) -> Any:
        """Return what the URL asks for later, once; None where nothing, or it was taken."""
        return st.session_state.pop(self._held(self._values[key]), None)

    def wanted(self) -> dict[str, list[str]]:
        """Return the URL's part for the values on screen; defaults are left out."""
        texts = {}
        for key, setting in self._values.items():
            if (
                setting.held
                and (now := st.session_state.get(setting.held, setting.default)) != setting.default
            ):
                texts[key] = [setting.write(value) for value in (now if setting.many else [now])]
        return texts

    def read(self) -> Query | None:
        """Return what the URL asks for and the session does not know yet, after `state.restore`."""
        query = read(self._keys)
        known = self._seen in st.session_state
        opened = st.session_state.get(self._opening) != _openings()
        st.session_state[self._opening] = _openings()
        if known and (query == st.session_state[self._seen] or (opened and not query)):
            return None
        st.session_state[self._seen] = query
        st.session_state[self._notices] = ()
        return query

    def refuse(self, key: str, text: str, why: str, instead: str) -> None:
        """Tell what the link has that is not used, and what is."""
        ending = f"; {instead}." if instead else "."
        self.tell(f"The link has {key}={cut(text)}, which {why}{ending}")

    def tell(self, sentence: str) -> None:
        """Keep what was wrong in the URL, until the next one is read."""
        st.session_state[self._notices] = (*self.notices(), sentence)

    def notices(self) -> tuple[str, ...]:
        """Return what was wrong in the URL."""
        return tuple(st.session_state.get(self._notices, ()))

    def publish(self, wanted: Mapping[str, Sequence[str]]) -> None:
        """Write the page's question to the URL; what is the default is left out by the caller."""
        query = {key: list(values) for key, values in wanted.items() if values}
        st.session_state[self._seen] = query
        write(self._keys, query)
