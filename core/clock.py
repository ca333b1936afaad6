"""The clock that every time limit is read from; tests put one in its place that counts readings.

A search that ends by its limit gives another answer on a busy machine. With `Ticking` it ends
after the same steps everywhere: programs that measure time themselves then have no limit of
their own, and worker processes count as the process does that started them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_read: Callable[[], float] = time.monotonic


def now() -> float:
    """Return the time in seconds, from a start of its own; it never goes back."""
    return _read()


def elsewhere(seconds: float) -> float:
    """Return how many seconds a program that measures time itself may take.

    Parameters
    ----------
    seconds : float
        What is left on this clock. If it counts readings, a program that runs beyond it is given
        no limit: ∞, but 0 where nothing is left.

    Examples
    --------
    >>> with using(Ticking(0.5)):
    ...     elsewhere(2.0), elsewhere(-1.0)
    (inf, 0.0)
    """
    if seconds <= 0:
        return 0.0
    return seconds if step() is None else math.inf


def step() -> float | None:
    """Return how many seconds a reading takes; None on a clock that measures time."""
    return _read.step if isinstance(_read, Ticking) else None


@contextmanager
def using(read: Callable[[], float]) -> Iterator[None]:
    """Let `now` read another clock, in every thread of this process, while the block runs.

    Parameters
    ----------
    read : callable
        Returns seconds that never go back.

    Examples
    --------
    >>> with using(Ticking(0.5)):
    ...     now(), now()
    (0.5, 1.0)
    """
    global _read
    before, _read = _read, read
    try:
        yield
    finally:
        _read = before


class Ticking:
    """A clock on which every reading takes the same time, however long it really took.

    Parameters
    ----------
    step : float
        Seconds that pass with each reading; a power of 2 adds up without rounding.
    """

    def __init__(self, step: float) -> None:
        self.step, self._time = step, 0.0

    def __call__(self) -> float:
        """Return the time after one more step."""
        self._time += self.step
        return self._time
