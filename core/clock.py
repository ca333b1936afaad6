"""Deadlines, and the clock they are read from, which tests replace by one that counts readings.

With `Ticking` a search ends after the same steps on every machine: solvers that measure time
themselves then get no limit, and worker processes use the clock of the process that started them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from core.errors import TimeLimitError

_read: Callable[[], float] = time.monotonic


class Watch:
    """Tells whether time cut something short in a block; `cut` is set to False where it is none."""

    def __init__(self) -> None:
        self.cut = False


_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watching() -> Iterator[Watch]:
    """Yield a watch that every deadline found over tells, and that tells the one around it."""
    watch = Watch()
    token = _watch.set(watch)
    try:
        yield watch
    finally:
        _watch.reset(token)
        if watch.cut:
            tell_cut()


def tell_cut() -> None:
    """Report to the watch that time cut a step short, where no deadline was checked."""
    watch = _watch.get()
    if watch is not None:
        watch.cut = True


def now() -> float:
    """Return the time in seconds since an arbitrary start; it never goes back."""
    return _read()


def elsewhere(seconds: float) -> float:
    """Return how many seconds a solver that measures time itself may take.

    Solvers measure it as `time.monotonic` does. The processor's seconds are never more than those
    that pass, so where time is left on its clock once a solver ends, it may go on. On a clock that
    counts readings there is no limit: the deadline is read again once a solver ends.
    """
    if seconds <= 0:
        tell_cut()
        return 0.0
    under = _read.under if isinstance(_read, _Ending) else _read
    passes = under in (time.monotonic, time.process_time) or isinstance(under, ProcessorTime)
    return seconds if passes else math.inf


def slowness() -> float:
    """Return how many seconds have passed for each that the clock has counted."""
    under = _read.under if isinstance(_read, _Ending) else _read
    return under.slowness if isinstance(under, ProcessorTime) else 1.0


def step() -> float | None:
    """Return how many seconds a reading takes; None on a clock that measures time."""
    return _read.step if isinstance(_read, Ticking | _Ending) else None


@dataclass(frozen=True, order=True)
class Deadline:
    """The time `at`, in seconds on the clock of `now`, at which a computation must end; or ∞."""

    at: float = math.inf

    @classmethod
    def after(cls, seconds: float) -> Deadline:
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
        passed = now() >= self.at
        if passed:
            tell_cut()
        return passed

    def part(self, share: float) -> Deadline:
        """Return the deadline at which a share of what is left is used up, 0 < share ≤ 1."""
        start = now()
        return Deadline(start + share * (self.at - start))

    def earlier(self, seconds: float) -> Deadline:
        return Deadline(self.at - seconds)


NEVER = Deadline()
"""No deadline: it is never reached."""


@contextmanager
def using(read: Callable[[], float]) -> Iterator[None]:
    """Let `now` read another clock, in every thread of this process, while the block runs."""
    global _read
    before, _read = _read, read
    try:
        yield
    finally:
        _read = before


@contextmanager
def ending() -> Iterator[Callable[[], None]]:
    """Yield a function after whose call every deadline is over, except those at ∞."""
    read = _Ending(_read, step())
    with using(read):
        yield read.end


class _Ending:
    """Another clock until it is ended; then each reading is later than any time limit."""

    def __init__(self, read: Callable[[], float], step: float | None) -> None:
        self.step, self.under, self._leaps, self._ended = step, read, 0, False

    def __call__(self) -> float:
        self._leaps += self._ended
        return self.under() + 1e9 * self._leaps

    def end(self) -> None:
        self._ended = True


class Stopwatch:
    """Tells how many seconds something has taken; what it tells decides about no answer."""

    def __init__(self) -> None:
        self._begun = now()

    @property
    def seconds(self) -> float:
        return now() - self._begun


class Pace:
    """Knows how long the last of some similar steps took, which cannot be cut short."""

    def __init__(self) -> None:
        self._seconds = 0.0

    @contextmanager
    def step(self, deadline: Deadline) -> Iterator[None]:
        """Time the step in the block; `TimeLimitError` in its place where it would end late."""
        if deadline.left < self._seconds:
            tell_cut()
            raise TimeLimitError("A step would end after the time limit.")
        begun = now()
        yield
        self._seconds = now() - begun


class ProcessorTime:
    """A clock that goes slower while other programs keep this process from working.

    It counts the seconds of the processor, at most those that pass, and at least a quarter of them:
    a search for 5 s on a busy machine then works for as long, and ends within 20 s.
    """

    SLOWEST = 4
    """Seconds that pass while it counts one, at most."""

    def __init__(self) -> None:
        self._begun, self._worked = time.monotonic(), time.process_time()

    def __call__(self) -> float:
        passed = time.monotonic() - self._begun
        return max(passed / self.SLOWEST, min(passed, time.process_time() - self._worked))

    @property
    def slowness(self) -> float:
        """Seconds that have passed for each that it has counted: 2 if others work as much."""
        counted, passed = self(), time.monotonic() - self._begun
        return min(max(passed / counted, 1.0), self.SLOWEST) if counted > 0 else 1.0


class Ticking:
    """A clock on which every reading takes the same time, however long it really took."""

    def __init__(self, step: float) -> None:
        self.step, self._time = step, 0.0

    def __call__(self) -> float:
        self._time += self.step
        return self._time
