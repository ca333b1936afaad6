"""The clock that every time limit is read from; tests put one in its place that counts readings.

A search that ends by its limit gives another answer on a busy machine. With `Ticking` it ends
after the same steps everywhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_read: Callable[[], float] = time.monotonic


def now() -> float:
    """Return the time in seconds, from a start of its own; it never goes back."""
    return _read()


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
        Seconds that pass with each reading.
    """

    def __init__(self, step: float) -> None:
        self._step, self._time = step, 0.0

    def __call__(self) -> float:
        """Return the time after one more step."""
        self._time += self._step
        return self._time
