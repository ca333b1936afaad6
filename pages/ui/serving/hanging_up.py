"""A terminal that is closed stops a server as SIGTERM does, so that its files are removed."""

from __future__ import annotations

import signal
import threading


def stop_when_hung_up() -> None:
    """Have SIGHUP end this process as SIGTERM does, unless it is ignored, as `nohup` has it."""
    hung_up = getattr(signal, "SIGHUP", None)  # Windows has none
    if hung_up is None or threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(hung_up) is signal.SIG_DFL:
        signal.signal(hung_up, lambda *_: signal.raise_signal(signal.SIGTERM))
