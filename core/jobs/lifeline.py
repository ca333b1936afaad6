"""End a worker when the process that started it is gone.

A server that is killed cannot end its workers, and a worker does not read its input, which would
then be closed, while it computes. Linux ends it at once; elsewhere a thread looks, which has to
wait for the interpreter's lock while C code holds it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time

INTERVAL = 0.5
"""Seconds between two checks of the parent."""

PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux's prctl: which signal a process gets when the thread that started it
ends. A pool's thread ends after its worker."""


def end_with_parent(parent: int) -> None:
    """End this process silently when its parent is gone.

    Parameters
    ----------
    parent : int
        Its process id, as the parent passed it: it may be gone before this process starts.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(INTERVAL)
        os._exit(0)

    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, int(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(0)
    threading.Thread(target=watch, daemon=True, name="liftscope-lifeline").start()
