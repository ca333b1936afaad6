"""A worker ends with the process that started it, whatever ends that one.

A server that is killed cannot end its workers, and a worker at work does not read the pipe whose
end would tell it.
"""

from __future__ import annotations

import os
import threading
import time

INTERVAL = 0.5
"""Seconds between two looks at whether the parent is there."""


def end_with_parent(parent: int) -> None:
    """Let this process end at once, and without a word, when its parent is gone.

    Solvers' long calls release the interpreter's lock, so the look is due in time.

    Parameters
    ----------
    parent : int
        Who started it, as that one says itself: it may be gone before this process has begun.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(INTERVAL)
        os._exit(0)

    if os.getppid() != parent:
        os._exit(0)
    threading.Thread(target=watch, daemon=True, name="liftscope-lifeline").start()
