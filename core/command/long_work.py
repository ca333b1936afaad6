"""Long work on the command line: what it is at, and a first Ctrl-C that ends it with an answer."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from core import clock
from core.errors import InvalidInputError, unwritten
from core.wording import printable

UNFINISHED = 3
"""The exit status of work that ended unfinished and can be done again."""

FIRST = 2.0
"""Seconds after which work that is not done is reported; later reports come ever less often."""


class Interrupted:
    """Whether the user has asked for work to end."""

    def __init__(self) -> None:
        self.asked = False

    def status(self, otherwise: int = 0) -> int:
        """Return the exit status: `UNFINISHED` if work was cut short."""
        return UNFINISHED if self.asked else otherwise


@contextmanager
def finishing(what: str) -> Iterator[Interrupted]:
    """Let a first interrupt end all searches with the best that they have; a second one stops.

    Every deadline is over once the user has interrupted. Work without one goes on.

    Parameters
    ----------
    what : str
        The work, for the report, such as "Answering".

    Examples
    --------
    >>> with finishing("Counting") as interrupted:
    ...     interrupted.status()
    0
    """
    state = Interrupted()
    if threading.current_thread() is not threading.main_thread():
        yield state  # only the main thread hears of signals
        return
    with clock.ending() as end, reporting(what):

        def finish(_number: int, _frame: FrameType | None) -> None:
            state.asked = True
            end()
            signal.signal(signal.SIGINT, stop)
            say(f"{what} ends with what there is; Ctrl-C again stops it without an answer.")

        before = signal.signal(signal.SIGINT, finish)
        stop = before if callable(before) else signal.default_int_handler
        try:
            yield state
        finally:
            signal.signal(signal.SIGINT, before)


@contextmanager
def reporting(what: str, first: float = FIRST) -> Iterator[None]:
    """Say on standard error what is being worked on, where it takes longer than `first` seconds.

    Reports come after twice the time each, so that a long job does not fill the screen. On a clock
    that counts its readings no time passes, so nothing is said.
    """
    if clock.step() is not None:
        yield
        return
    done = threading.Event()

    def report() -> None:
        wait, passed = first, 0.0
        while not done.wait(wait):
            passed += wait
            say(f"{what}: {passed:,.0f} s")
            wait = passed

    reporter = threading.Thread(target=report, daemon=True)
    reporter.start()
    try:
        yield
    finally:
        done.set()
        reporter.join()


def put(text: str) -> None:
    """Write an answer on standard output.

    Raises
    ------
    InvalidInputError
        If it cannot be written, as on a full disk; a reader who has gone is a BrokenPipeError.
    """
    try:
        print(printable(text), flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InvalidInputError(unwritten(error)) from error


def say(text: str) -> None:
    """Write a line on standard error."""
    print(printable(text), file=sys.stderr, flush=True)
