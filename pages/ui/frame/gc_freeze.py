"""Keep the garbage collector from scanning what lives as long as the process, at every move."""

from __future__ import annotations

import atexit
import gc
import threading
import time

from streamlit import runtime

INTERVAL = 10.0
"""Seconds from one collection of all garbage to the next."""

_once = threading.Lock()


def settle() -> None:
    """Exempt everything that lives now, once in a process; call it when a first page is shown.

    Streamlit would collect all garbage after every run of a script, sliders included, and hold up
    the server while it does: `.streamlit/config.toml` tells it not to. Sessions leave circles of
    objects behind, so a thread collects every `INTERVAL` seconds while there is work.
    """
    if _once.acquire(blocking=False):
        gc.collect()
        gc.freeze()
        atexit.register(gc.unfreeze)  # else libraries report what is exempt as leaked
        if runtime.exists():  # a page that a test runs alone has no server
            threading.Thread(target=_collect, daemon=True, name="liftscope-garbage").start()


def _collect() -> None:
    while True:
        time.sleep(INTERVAL)
        if any(gc.get_count()[1:]):  # else hardly anything was made since the last time
            gc.collect()
