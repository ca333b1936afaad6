"""What sessions hold, by browser.

A reload starts a new session, while the server holds the old one for a while: the new one finds
there what belongs to the same browser. Browsers are told apart by Streamlit's cookie against
forged requests, a secret that the server gave the browser, the same for all of its pages.
"""

from __future__ import annotations

import threading
import weakref
from typing import Generic, TypeVar

import streamlit as st

T = TypeVar("T")

COOKIE = "_streamlit_xsrf"
"""The name of that cookie."""

PROTOCOLS = "Sec-WebSocket-Protocol"
"""The header in which a page that connects again names its last session, in the third place."""


class OfBrowsers(Generic[T]):
    """What sessions hold, found again by other sessions of the same browser; safe for threads.

    It is held weakly: what no session holds any more is gone.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[str, weakref.WeakSet[T]] = {}

    def note(self, held: T) -> None:
        """Note what the running session holds; nothing where there is no browser."""
        browser = current()
        if not browser:
            return
        with self._lock:
            for key in [key for key, those in self._held.items() if not those]:
                del self._held[key]
            self._held.setdefault(browser, weakref.WeakSet()).add(held)

    def others(self, own: T | None) -> list[T]:
        """Return what sessions of the running session's browser hold, but not `own`."""
        browser = current()
        if not browser:
            return []
        with self._lock:
            return [held for held in self._held.get(browser, ()) if held is not own]


def had_session() -> bool:
    """Say whether the page of the running session had another one before, of this server or not.

    A page that is opened or reloaded had none. One that comes back to a session which the server
    still holds goes on with that.
    """
    named = st.context.headers.get(PROTOCOLS, "")
    parts = named.split(",") if isinstance(named, str) else []  # a test harness gives no text
    return len(parts) > 2 and bool(parts[2].strip())


def current() -> str:
    """Return the secret in this browser's cookie; "" where there is no browser.

    Each load of a page writes the cookie with another mask: version, mask, secret and time, joined
    by bars.
    """
    cookie = st.context.cookies.get(COOKIE, "")
    return unmasked(cookie) if isinstance(cookie, str) else ""  # a test harness gives no text


def unmasked(cookie: str) -> str:
    """Return the secret in a cookie against forged requests; "" where it holds none.

    Examples
    --------
    >>> unmasked("2|0000ffff|12345678|1700000000"), unmasked("2|ffffffff|edcb5678|1800000000")
    ('1234a987', '1234a987')
    >>> unmasked("secret")
    ''
    """
    parts = cookie.strip('"').split("|")
    try:
        mask, secret = bytes.fromhex(parts[1]), bytes.fromhex(parts[2])
    except (IndexError, ValueError):
        return ""
    if not mask:
        return ""
    return bytes(byte ^ mask[place % len(mask)] for place, byte in enumerate(secret)).hex()
