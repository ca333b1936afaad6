"""End a worker when the process that started it is gone.

A server that is killed cannot end its workers, and a worker does not read its input, which would
then be closed, while it computes.
"""

from __future__ import annotations

import os
import threading
import time

INTERVAL = 0.5
"""Seconds between two checks of the parent."""


def end_with_parent(parent: int) -> None:
    """Watch the parent in a thread, and end this process silently when the parent is gone.

    Parameters
    ----------
    parent : int
        Its process id, as the parent passed it: it may be gone before this process starts.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(INTERVAL)
        os._exit(0)

    if os.getppid() != parent:
        os._exit(0)
    threading.Thread(target=watch, daemon=True, name="liftscope-lifeline").start()
