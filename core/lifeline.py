"""Processes that end with the one that started them, whatever ends that."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time


def end_with_parent(parent: int) -> None:
    """End this process silently when its parent is gone."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(0)

    if sys.platform == "linux":
        # PR_SET_PDEATHSIG; a thread that starts a process ends after it
        ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(0)
    threading.Thread(target=watch, daemon=True, name="liftscope-lifeline").start()
