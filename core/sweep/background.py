"""A sweep in the background: one job whose chunks other processes compute."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from core.clock import Deadline
from core.data import Counted
from core.data.spec import DataSpec
from core.errors import CoreError, SolverError
from core.jobs import Job
from core.sweep.gathered import Gathered
from core.sweep.running import Workers, run
from core.wording import number_of


def begin(
    gathered: Gathered,
    workers: Callable[[], AbstractContextManager[Workers]],
    counted: dict[DataSpec, Counted],
    *,
    time_limit: float,
) -> Job[Any]:
    """Begin, or go on with, a sweep in a thread; return its job, whose answer is the table.

    The job's `progress` is `gathered`, which has all points so far; it has them too where the job
    is cancelled or fails.

    Parameters
    ----------
    gathered : Gathered
        Where its points are kept; those that are there are not computed again.
    workers : callable
        Returns who computes them, entered and left in the thread.
    counted : dict
        The data, as `counted_data` returns it.
    time_limit : float
        Seconds after which it is ended.
    """
    gathered.found = gathered.count
    job: Job[Any] = Job(time_limit)
    stop = threading.Event()
    job.start(stop.set)
    job.note(gathered)

    def work() -> None:
        deadline = Deadline.after(time_limit)
        try:
            with workers() as who:
                ended = run(
                    gathered.sweep,
                    gathered,
                    who,
                    counted=counted,
                    stopped=lambda: stop.is_set() or deadline.over,
                )
            if ended.done == gathered.sweep.size:
                job.succeed(gathered.table())
            elif ended.lost:
                lost = number_of(ended.lost, "point")
                job.fail(SolverError(f"{lost} could not be computed: {ended.reason}"))
            else:
                job.fail(SolverError(f"The sweep was ended after {time_limit:g} s."))
        except CoreError as error:
            job.fail(error)
        except Exception as error:  # else the job would never end
            job.fail(SolverError(f"The sweep could not be computed: {error}."))

    threading.Thread(target=work, daemon=True, name="liftscope-sweep").start()
    return job
