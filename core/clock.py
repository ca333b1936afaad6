"""Deadlines, and the clock they are read from; tests replace it by one that counts readings.

A search that its time limit ends gives another answer on a busy machine. With `Ticking` it ends
after the same steps everywhere: solvers that measure time themselves then get no limit, and
worker processes use the same clock as the process that started them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

_read: Callable[[], float] = time.monotonic

LEAP = 1e9
"""Seconds between two readings of a clock that was ended: more than any time limit."""


class Watch:
    """Tells whether time cut something short while a block ran, as of `watching`.

    Attributes
    ----------
    cut : bool
        Whether it did. Set it to False where that does not matter, as after a proof: the watch of
        the block around is then not told.
    """

    def __init__(self) -> None:
        self.cut = False


_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watching() -> Iterator[Watch]:
    """Yield a watch that tells whether time cut something short while the block runs.

    Every deadline that is found to be over tells it, also one for a part of the time: so no search
    has to remember to say that it was cut short, and none can forget it. At its end a watch tells
    the one of the block around it.

    Examples
    --------
    >>> with using(Ticking(0.5)), watching() as whole:
    ...     with watching() as first:
    ...         over = Deadline.after(9.0).over
    ...     with watching() as second:
    ...         over = Deadline.after(0.5).over
    >>> first.cut, second.cut, whole.cut
    (False, True, True)
    """
    watch = Watch()
    token = _watch.set(watch)
    try:
        yield watch
    finally:
        _watch.reset(token)
        if watch.cut:
            tell_cut()


def tell_cut() -> None:
    """Tell the watch that time cut something short: where no deadline is asked if it is over.

    Examples
    --------
    >>> with watching() as watch:
    ...     tell_cut()
    >>> watch.cut
    True
    """
    watch = _watch.get()
    if watch is not None:
        watch.cut = True


def now() -> float:
    """Return the time in seconds since an arbitrary start; it never goes back."""
    return _read()


def elsewhere(seconds: float) -> float:
    """Return how many seconds a solver that measures time itself may take.

    Parameters
    ----------
    seconds : float
        What is left on this clock: returned as it is where the clock measures time. Where it
        counts readings, the solver gets no limit, ∞, or 0 if nothing is left.

    Examples
    --------
    >>> with using(Ticking(0.5)):
    ...     elsewhere(2.0), elsewhere(-1.0)
    (inf, 0.0)
    """
    if seconds <= 0:
        tell_cut()
        return 0.0
    return seconds if step() is None else math.inf


def step() -> float | None:
    """Return how many seconds a reading takes; None on a clock that measures time.

    Examples
    --------
    >>> with using(Ticking(0.5)):
    ...     step()
    0.5
    """
    return _read.step if isinstance(_read, Ticking | _Ending) else None


@dataclass(frozen=True, order=True)
class Deadline:
    """The time at which a computation must end.

    Attributes
    ----------
    at : float
        The time in seconds, on the clock of `now`; ∞, the default, is never reached.

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
        """Return the deadline that many seconds from now."""
        return cls(now() + seconds)

    @property
    def left(self) -> float:
        """Seconds until the deadline; 0 once it has passed."""
        seconds = self.at - now()
        if seconds > 0:
            return seconds
        tell_cut()
        return 0.0

    @property
    def over(self) -> bool:
        """Whether the deadline has passed."""
        passed = now() >= self.at
        if passed:
            tell_cut()
        return passed

    def part(self, share: float) -> Deadline:
        """Return the deadline at which a share of what is left is used up, 0 < share ≤ 1."""
        start = now()
        return Deadline(start + share * (self.at - start))

    def earlier(self, seconds: float) -> Deadline:
        """Return the deadline that many seconds before this one."""
        return Deadline(self.at - seconds)


NEVER = Deadline()
"""No deadline: it is never reached."""


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


@contextmanager
def ending() -> Iterator[Callable[[], None]]:
    """Yield a function after whose call every deadline is over, those that are still to come too.

    Searches then end with the best that they have. A deadline that is never reached stays so.

    Examples
    --------
    >>> with ending() as end:
    ...     before = Deadline.after(60)
    ...     end()
    ...     before.over, Deadline.after(60).over, NEVER.over
    (True, True, False)
    """
    read = _Ending(_read, step())
    with using(read):
        yield read.end


class _Ending:
    """Another clock until it is ended; then each reading is `LEAP` seconds after the last."""

    def __init__(self, read: Callable[[], float], step: float | None) -> None:
        self.step, self._under, self._leaps, self._ended = step, read, 0, False

    def __call__(self) -> float:
        self._leaps += self._ended
        return self._under() + LEAP * self._leaps

    def end(self) -> None:
        self._ended = True


class Stopwatch:
    """Tells how many seconds something has taken; what it tells decides about no answer.

    Examples
    --------
    >>> with using(Ticking(0.5)):
    ...     taken = Stopwatch()
    ...     taken.seconds
    0.5
    """

    def __init__(self) -> None:
        self._begun = now()

    @property
    def seconds(self) -> float:
        """Seconds since it was made."""
        return now() - self._begun


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
