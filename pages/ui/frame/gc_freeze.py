"""Keep the garbage collector from scanning what lives as long as the process, at every move."""

from __future__ import annotations

import atexit
import gc
import threading
import time

from streamlit import runtime

INTERVAL = 10.0
"""Seconds from one collection of all garbage to the next."""

THAW = 30
"""Collections after which what was exempt is looked at again: five minutes at work."""

_once = threading.Lock()


def settle() -> None:
    """Exempt all that lives now, once in a process; call it when a first page is shown.

    Streamlit would collect all garbage after every run; `.streamlit/config.toml` disables this. A
    thread does so every `INTERVAL` seconds while there is work, and at times thaws everything.
    """
    if _once.acquire(blocking=False):
        gc.collect()
        gc.freeze()
        atexit.register(gc.unfreeze)  # else libraries report what is exempt as leaked
        if runtime.exists():  # a page that a test runs alone has no server
            threading.Thread(target=_collect, daemon=True, name="liftscope-garbage").start()


def _collect() -> None:
    """Collect while there is work; now and then sessions that were exempt and have ended too."""
    done = 0
    while True:
        time.sleep(INTERVAL)
        if not any(gc.get_count()[1:]):  # hardly anything was made since the last time
            continue
        done += 1
        if done % THAW == 0:
            gc.unfreeze()
        gc.collect()
        if done % THAW == 0:
            gc.freeze()
