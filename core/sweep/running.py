"""Run a sweep: hand its chunks to workers, keep what they return, and do so in the background."""

from __future__ import annotations

import hashlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.clock import Deadline, Stopwatch, slowness
from core.data import Counted, Sources, count
from core.data.spec import DataSpec
from core.errors import CoreError, SolverError
from core.jobs import Job, Pool
from core.mechanisms.result import CUT
from core.sweep.definition import Sweep
from core.sweep.points import Chunk, batchable, chunks, compute
from core.sweep.results import Gathered
from core.wording import number_of

AHEAD = 4
"""Chunks that wait for each worker, so that none has to wait for its next one."""

PATIENCE = 0.05
"""Seconds between two looks at the work of other processes."""


Outcome = tuple[Chunk, object]
"""A chunk with its Arrow table, or with the error in its place."""


class Workers(ABC):
    """What computes chunks."""

    @property
    @abstractmethod
    def room(self) -> int:
        """Most chunks that may be handed out at one time."""

    @abstractmethod
    def submit(self, chunk: Chunk) -> None:
        """Hand out a chunk."""

    @abstractmethod
    def finished(self) -> list[Outcome]:
        """Wait a moment, and return the chunks that have ended since."""

    @abstractmethod
    def cancel(self) -> None:
        """Take back all chunks that have not ended."""


class PoolWorkers(Workers):
    """Worker processes of this machine, those of a pool; owners of chunks take turns."""

    def __init__(self, pool: Pool, owner: str = "") -> None:
        self._pool, self._owner = pool, owner
        self._jobs: list[tuple[Chunk, Job[object]]] = []

    @property
    def room(self) -> int:
        """Most chunks that may be handed out at one time."""
        return AHEAD * self._pool.size

    def submit(self, chunk: Chunk) -> None:
        """Hand out a chunk."""
        limit = 600.0 + 10 * chunk.seconds
        job = self._pool.submit(compute, chunk, time_limit=limit, owner=self._owner)
        self._jobs.append((chunk, job))

    def finished(self) -> list[Outcome]:
        """Wait a moment, and return the chunks that have ended since."""
        if self._jobs:
            self._jobs[0][1].wait(PATIENCE)
        ended: list[tuple[Chunk, Job[object]]] = []
        waiting: list[tuple[Chunk, Job[object]]] = []
        for entry in self._jobs:  # each is looked at once: it may end at any moment
            (ended if entry[1].finished else waiting).append(entry)
        self._jobs = waiting
        return [(chunk, _outcome(job)) for chunk, job in ended]

    def cancel(self) -> None:
        """Take back all chunks that have not ended."""
        for _, job in self._jobs:
            job.cancel()
        self._jobs.clear()


@dataclass(frozen=True)
class Ended:
    """How a run ended: `done` points in all, `lost` ones without an answer, and why the first was.

    Earlier runs' points are done too. A point is lost where its worker died.
    """

    done: int
    lost: int = 0
    reason: str = ""


def run(
    sweep: Sweep,
    results: Gathered,
    workers: Workers,
    *,
    counted: dict[DataSpec, Counted] | None = None,
    progress: Callable[[int], None] = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Ended:
    """Compute the points of a sweep that are not done yet, and write them as they come.

    Where nothing is lost and the run is not stopped, the results are finished.

    Parameters
    ----------
    sweep : Sweep
        The sweep.
    results : Gathered
        Where its points are kept: in memory, or in a file (`Results`).
    workers : Workers
        What computes them.
    counted : dict, optional
        The data, as `counted_data` returns it.
    progress : callable
        Is called with the number of points done, each time that it has changed.
    stopped : callable
        Says whether to end now; what has been computed is then written.

    Raises
    ------
    InvalidInputError
        If the data cannot be counted, or the results cannot be written.
    """
    waiting = _undone(sweep, results, counted)
    lost, reason, out = 0, "", 0
    more = True
    try:
        while not stopped():
            while more and out < workers.room:
                chunk = next(waiting, None)
                if chunk is None:
                    more = False
                else:
                    workers.submit(chunk)
                    out += 1
            if not out:
                break
            for chunk, outcome in workers.finished():
                out -= 1
                if isinstance(outcome, Exception):
                    lost += len(chunk.points)
                    reason = reason or str(outcome)
                else:
                    results.add(outcome)
                    progress(results.count)
    finally:
        workers.cancel()
        results.flush()
    if results.count == sweep.size:
        results.finish()
    return Ended(results.count, lost, reason)


def counted_data(sweep: Sweep, sources: Sources | None = None) -> dict[DataSpec, Counted]:
    """Return the counted data of a sweep's questions by its spec; nothing where it has draws."""
    if sweep.draws is not None:
        return {}
    specs = dict.fromkeys(question.data for question in sweep.questions)
    return {spec: count(spec, sources) for spec in specs}


def counts_hash(counted: Mapping[DataSpec, Counted]) -> str:
    """Return a hash of what data was counted to; "" where there is none.

    Answers depend on nothing else: a file's other columns, and its own hash, have no part in it.

    Parameters
    ----------
    counted : mapping
        As `counted_data` returns it.

    Examples
    --------
    >>> counts_hash({}), len(counts_hash({DataSpec(): count(DataSpec())}))
    ('', 64)
    """
    if not counted:
        return ""
    hashes = sorted(_counts_hash(spec.undisclosed(), data) for spec, data in counted.items())
    return hashlib.sha256(b"".join(hashes)).hexdigest()


def _counts_hash(spec: DataSpec, data: Counted) -> bytes:
    digest = hashlib.sha256()
    names = [data.joint.s_labels, data.joint.x_labels, data.joint.p.shape, data.joint.n]
    digest.update(repr((spec, names)).encode())
    digest.update(np.ascontiguousarray(data.joint.p).tobytes())
    if data.x_values is not None:
        digest.update(np.ascontiguousarray(data.x_values).tobytes())
    if (known := data.joint.known) is not None:
        for part in (known.s, known.x, known.k, known.weight):
            digest.update(np.ascontiguousarray(part).tobytes())
    if data.task is not None:
        digest.update(repr(data.task.labels).encode())
        digest.update(np.ascontiguousarray(data.task.p_t_given_x).tobytes())
    return digest.digest()


def _undone(
    sweep: Sweep, results: Gathered, counted: dict[DataSpec, Counted] | None
) -> Iterator[Chunk]:
    """Yield the chunks with a point that is not done; none where the results are complete."""
    if results.complete:
        return
    known = counted_data(sweep) if counted is None else counted
    for chunk in chunks(sweep, known):
        if not results.done[chunk.points].all():
            yield chunk


def _outcome(job: Job[object]) -> object:
    """Return a job's answer, or the error that its process died of."""
    try:
        return job.result()
    except SolverError as error:
        return error


def begin(
    gathered: Gathered,
    workers: Callable[[], AbstractContextManager[Workers]],
    counted: dict[DataSpec, Counted],
    *,
    time_limit: float,
) -> Job[Any]:
    """Begin or go on with a sweep in a thread; the job's `progress` is `gathered`."""
    gathered.earlier = gathered.count
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
                job.fail(SolverError(f"The sweep stopped after {time_limit:g} s."))
        except CoreError as error:
            job.fail(error)
        except Exception as error:  # else the job would never end
            job.fail(SolverError(f"The sweep could not be computed: {error}."))

    threading.Thread(target=work, daemon=True, name="liftscope-sweep").start()
    return job


SECONDS = 3.0
"""Seconds after which no further point is measured."""


@dataclass(frozen=True)
class Estimate:
    """Seconds of one worker for a whole sweep, and the number of points measured to find out.

    They are those that pass, on a machine as busy as it was.
    """

    seconds: float
    measured: int


def estimate(
    sweep: Sweep,
    counted: Mapping[DataSpec, Counted],
    *,
    report: Callable[[Any], None],
) -> Estimate:
    """Return how long a sweep may take, from the middle budget of each kind of question.

    A kind is a promise, a mechanism and a data set. A search that `SECONDS` cuts off counts with
    its own limit, and kinds for which no time was left as the mean of the others.
    """
    deadline = Deadline.after(SECONDS)
    kinds: dict[tuple[Any, ...], list[int]] = {}
    for number, question in enumerate(sweep.questions):
        kinds.setdefault((question.notion, question.mechanism, question.data), []).append(number)
    times: list[tuple[int, float]] = []
    measured = 0
    for done, numbers in enumerate(kinds.values()):
        report((done, len(kinds)))
        if times and deadline.over:
            break
        seconds, points = _measured(sweep, numbers, counted, max(deadline.left, 0.05))
        times.append((len(numbers), seconds))
        measured += points
    known = sum(count for count, _ in times)
    total = sum(count * seconds for count, seconds in times)
    seconds = total / known * len(sweep.questions) * sweep.n_draws
    return Estimate(slowness() * seconds, measured)


def _measured(
    sweep: Sweep, numbers: list[int], counted: Mapping[DataSpec, Counted], left: float
) -> tuple[float, int]:
    """Return the seconds of a point of a kind of question, and how many were computed."""
    questions = [sweep.questions[number] for number in numbers]
    at_once = sweep.draws is not None and batchable(questions[0], sweep.measures)
    if not at_once:
        questions = [questions[len(questions) // 2]]
    limited = tuple(
        replace(question, time_limit=min(question.time_limit, left)) for question in questions
    )
    draws: tuple[tuple[int, DataSpec], ...] = ()
    if sweep.draws is not None:
        most = min(32 if at_once else 1, sweep.n_draws)
        draws = tuple((number, sweep.draws.spec(number)) for number in range(most))
    clock = Stopwatch()
    table = compute(Chunk.of(sweep, limited, draws, counted, at_once), report=lambda _: None)
    seconds = clock.seconds / table.num_rows
    if CUT in table["status"].to_pylist():  # its measures take as long after the whole limit
        seconds += questions[0].time_limit - limited[0].time_limit
    return seconds, int(table.num_rows)
