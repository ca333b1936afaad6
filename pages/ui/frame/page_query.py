"""A page's own part of the URL, beside the scenario: what its switches are set to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.ui.frame import address

Values = Mapping[str, Sequence[str]]
"""Values by key: a key may stand more than once in a URL."""

PAGES_KEYS = frozenset(
    [
        "about",
        "across",
        "alarm",
        "all",
        "apart",
        "bars",
        "both",
        "budget",
        "by",
        "chance",
        "clue",
        "col",
        "draw",
        "draws",
        "drawn",
        "excluded",
        "file",
        "first",
        "from",
        "hit",
        "id",
        "ill",
        "known",
        "large",
        "law",
        "merged",
        "on",
        "order",
        "original",
        "output",
        "parity",
        "people",
        "problem",
        "projector",
        "promise",
        "promised",
        "reading",
        "records",
        "run",
        "secrets",
        "set",
        "share",
        "share1",
        "shared",
        "show",
        "size",
        "step",
        "steps",
        "to",
        "told_a",
        "told_b",
        "topic",
        "truth",
        "unknown",
        "unlike",
        "up",
        "variant",
        "view",
        "within",
        "world",
    ]
)
"""The URL's keys of all pages' own parts: a page knows those of others, which may be in its URL."""

LONGEST_NUMBER = 9
"""Most digits of a whole number in a link: no slider goes further, and `int` refuses thousands."""


def whole(text: str) -> bool:
    """Say whether a link's text is a whole number that `int` reads.

    Examples
    --------
    >>> whole("12"), whole("-1"), whole("9" * 5_000)
    (True, False, False)
    """
    return text.isdecimal() and len(text) <= LONGEST_NUMBER


class PageQuery:
    """What a page writes to the URL and reads from it.

    Parameters
    ----------
    page : str
        The page's name, under which the session keeps what it has seen.
    keys : sequence of str
        The URL's keys that are the page's own.
    """

    def __init__(self, page: str, keys: Sequence[str]) -> None:
        self._keys = tuple(keys)
        self._seen = f"_{page}_seen"
        self._visit = f"_{page}_visit"
        self._notices = f"_{page}_notices"

    def read(self) -> dict[str, list[str]] | None:
        """Return what the URL asks for, where the session does not know it yet; else None.

        Call it after `state.restore`. A page that is opened again without a question of its own
        in the URL shows what it showed before.
        """
        query = address.read(self._keys)
        known = self._seen in st.session_state
        opened = st.session_state.get(self._visit) != address.visit()
        st.session_state[self._visit] = address.visit()
        if known and (query == st.session_state[self._seen] or (opened and not query)):
            return None
        st.session_state[self._seen] = query
        st.session_state[self._notices] = ()
        return query

    def tell(self, sentence: str) -> None:
        """Keep what was wrong in the URL, until the next one is read."""
        st.session_state[self._notices] = (*self.notices(), sentence)

    def notices(self) -> tuple[str, ...]:
        """Return what was wrong in the URL."""
        return tuple(st.session_state.get(self._notices, ()))

    def publish(self, wanted: Values) -> None:
        """Write the page's question to the URL; what is the default is left out by the caller."""
        found = {key: list(values) for key, values in wanted.items() if values}
        st.session_state[self._seen] = found
        address.write(self._keys, found)
