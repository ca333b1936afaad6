"""Deadlines, and the clock they are read from; tests put one in its place that counts readings.

A search that ends by its limit gives another answer on a busy machine. With `Ticking` it ends
after the same steps everywhere: programs that measure time themselves then have no limit of
their own, and worker processes count as the process does that started them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

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


@dataclass(frozen=True, order=True)
class Deadline:
    """A time until which something may go on.

    Attributes
    ----------
    at : float
        The time, as `now` tells it; ∞, where not given, is never reached.

    Examples
    --------
    >>> with using(Ticking(0.5)):
    ...     deadline = Deadline.after(4.0)  # at 4.5: each reading takes half a second
    ...     deadline.left, deadline.part(0.5).at, deadline.over
    (3.5, 3.0, False)
    """

    at: float = math.inf

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """Return the deadline so many seconds from now."""
        return cls(now() + seconds)

    @property
    def left(self) -> float:
        """Seconds until then; 0 once it is over."""
        return max(self.at - now(), 0.0)

    @property
    def over(self) -> bool:
        """Whether the time has come."""
        return now() >= self.at

    def part(self, share: float) -> Deadline:
        """Return the time at which a part of what is left is over, 0 < share ≤ 1."""
        start = now()
        return Deadline(start + share * (self.at - start))

    def earlier(self, seconds: float) -> Deadline:
        """Return the deadline so many seconds before this one."""
        return Deadline(self.at - seconds)


NEVER = Deadline()
"""The deadline of what may take as long as it takes."""


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
