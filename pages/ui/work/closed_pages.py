"""A watch over sessions whose page was closed, to clear what they hold.

Streamlit keeps a session for two minutes in case its page comes back, and drops those that did not
only when the next visitor comes, which on a quiet server may be never.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

T = TypeVar("T")


def _never(_: object) -> bool:
    """Say of anything that it is not in use."""
    return False


class ClosedPages(Generic[T]):
    """Watches over what sessions hold, and clears it some time after their page was closed.

    Parameters
    ----------
    clear : callable
        Called with what a session held whose page has been closed for long enough.
    absence : float
        Seconds after which a closed page is taken not to come back.
    interval : float
        Seconds between two looks at which pages are closed.
    in_use : callable, optional
        Says whether another page still uses what a session holds: then it stays, and its page
        counts as closed from when none does.
    is_lent : callable, optional
        Says whether another page that is watched holds it too: then it stays until that one's is
        cleared, and goes at once.
    """

    def __init__(
        self,
        clear: Callable[[T], None],
        *,
        absence: float,
        interval: float,
        in_use: Callable[[T], bool] = _never,
        is_lent: Callable[[T], bool] = _never,
    ) -> None:
        self.absence = absence
        self._clear, self._interval, self._in_use = clear, interval, in_use
        self._is_lent = is_lent
        self._held: dict[str, T] = {}
        self._closed: dict[str, float] = {}
        self._watched = False
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return the number of pages watched."""
        return len(self._held)

    def note(self, held: T) -> None:
        """Watch the page of the running session, which holds this."""
        context = get_script_run_ctx()
        if context is None or not runtime.exists():
            return  # without a server there are no pages that could be closed
        with self._lock:
            self._held[context.session_id] = held
            if not self._watched:
                self._watched = True
                threading.Thread(target=self._watch, daemon=True, name="liftscope-pages").start()

    def _watch(self) -> None:
        while True:
            time.sleep(self._interval)
            try:
                server = runtime.get_instance()
            except RuntimeError:  # the server has stopped
                with self._lock:
                    self._watched = False
                return
            self.look(server.is_active_session, time.monotonic())

    def look(self, is_active: Callable[[str], bool], now: float) -> None:
        """Clear what is held for pages that have been closed for long enough.

        The newest page is looked at first, so that what it was lent goes together with it.

        Parameters
        ----------
        is_active : callable
            Says of a page's connection whether it is open.
        now : float
            The time in seconds, of any clock.
        """
        with self._lock:
            known = list(self._held.items())
        for page, held in reversed(known):
            if is_active(page) or self._in_use(held):
                self._closed.pop(page, None)
                continue
            closed_for = now - self._closed.setdefault(page, now)
            if closed_for >= self.absence and not self._is_lent(held):
                with self._lock:
                    self._held.pop(page, None)
                    self._closed.pop(page, None)
                self._clear(held)
