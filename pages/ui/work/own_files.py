"""Uploads go with the session that brought them, soon after its last page was closed.

Streamlit keeps a session for two minutes, in case its page comes back, and forgets those that did
not when the next visitor comes: on a quiet server, that is never.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.data import Sources

ABSENCE = 40.0
"""Seconds after which the uploads of a session go whose page is closed."""

INTERVAL = 5.0
"""Seconds between two looks at which pages are closed."""


class Watch:
    """Which sessions have uploads, and since when their pages have been closed."""

    def __init__(self) -> None:
        self._sources: dict[str, weakref.ref[Sources]] = {}
        self._absent: dict[str, float] = {}
        self._watched = False
        self._lock = threading.Lock()

    def note(self, sources: Sources) -> None:
        """Watch over the session that runs now, which has these uploads."""
        context = get_script_run_ctx()
        if context is None or not runtime.exists():
            return  # without a server there are no pages that could be closed
        with self._lock:
            self._sources[context.session_id] = weakref.ref(sources)
            if not self._watched:
                self._watched = True
                threading.Thread(target=self._watch, daemon=True, name="liftscope-files").start()

    def _watch(self) -> None:
        while True:
            time.sleep(INTERVAL)
            try:
                server = runtime.get_instance()
            except RuntimeError:  # the server has stopped
                with self._lock:
                    self._watched = False
                return
            self.look(server.is_active_session, time.monotonic())

    def look(self, is_active: Callable[[str], bool], now: float) -> None:
        """Remove the uploads of sessions whose page has been closed for a while.

        A page that comes back later says that its file is not there, and asks for it again.
        """
        with self._lock:
            known = list(self._sources.items())
        for page, held in known:
            sources = held()
            if sources is not None and (is_active(page) or sources.lends):
                self._absent.pop(page, None)
            elif sources is None or now - self._absent.setdefault(page, now) >= ABSENCE:
                with self._lock:
                    self._sources.pop(page, None)
                    self._absent.pop(page, None)
                if sources is not None:
                    sources.clear()


WATCH = Watch()
"""Watches over all sessions of this server."""
