"""Work in other processes: awaited as long as a busy machine may need, or kept waiting."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from streamlit.testing.v1 import AppTest

from core.jobs import Job, Pool, State
from tests.core.jobs import calls

PATIENCE = 1200.0
"""Seconds after which a test gives up: it hangs, for no machine is as busy as that."""


def finished(app: AppTest, there: Callable[[], object]) -> None:
    """Run a page again and again until what is awaited is there."""
    deadline = time.monotonic() + PATIENCE
    while not there() and time.monotonic() < deadline:
        time.sleep(0.1)
        app.run()
        assert not app.exception
    assert there()


@contextmanager
def busy(pool: Pool) -> Iterator[None]:
    """Keep all workers of a pool at something else: what is asked of it waits in line.

    They are waited for: one that still ends other work would take what is asked first.
    """
    others: list[Job[float]] = [
        pool.submit(calls.sleep, PATIENCE, time_limit=PATIENCE, urgent=True)
        for _ in range(pool.size)
    ]
    try:
        while any(other.state == State.WAITING for other in others):
            time.sleep(0.01)
        yield
    finally:
        for other in others:
            other.cancel()
