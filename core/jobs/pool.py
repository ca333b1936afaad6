"""A pool of worker processes that run jobs, fairly between their owners."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from core import clock, validation
from core.errors import NoMemoryError, SolverError, TimeLimitError
from core.jobs.job import Call, Job, JobQueue, State

ROOT = Path(__file__).parents[2]
"""The folder that holds `core`, for the workers' import path."""

ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
"""The solvers' matrices are small: on a busy machine a second thread only slows them down."""


class Elsewhere(Protocol):
    """Other machines that run jobs."""

    problem: str
    """A sentence where they were of no use the last time; "" elsewhere."""

    def takes(self, function: Callable[..., Any]) -> bool:
        """Say whether a function may run there."""

    def run(self, job: Job[Any], content: bytes) -> bool:
        """Run a job from its pickled call, and return whether it has ended."""


class Pool:
    """At most `size` jobs at once, each in its own process; `core.jobs.job` says which is next."""

    def __init__(
        self,
        size: int,
        reserved: int = 0,
        rest: float = 60.0,  # a worker holds half as much memory as the server, and starts in 2 s
        elsewhere: Elsewhere | None = None,
        niceness: int = 12,  # a slider must not wait for another session's solve
    ) -> None:
        self.size = validation.whole(size, "size", low=1)
        reserved = validation.whole(reserved, "reserved", low=0, high=size - 1)
        self.rest = validation.number(rest, "rest", low=0.0)
        self.elsewhere = elsewhere
        self.niceness = validation.whole(niceness, "niceness", low=0, high=19)
        self._queue = JobQueue(general=size - reserved, reserved=reserved)
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._closing = False
        self._ended = False
        self._processes: weakref.WeakSet[subprocess.Popen[bytes]] = weakref.WeakSet()

    def submit(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        time_limit: float,
        owner: str = "",
        urgent: bool = False,
    ) -> Job[Any]:
        """Return the job of `carry_out(function, arguments)` in a worker."""
        job: Job[Any] = Job(validation.number(time_limit, "time_limit", low=0.0, open_low=True))
        anywhere = self.elsewhere is not None and self.elsewhere.takes(function)
        call = Call(job, pickle.dumps((function, arguments)), owner, urgent, anywhere)
        reserved = self._queue.put(call)
        if reserved is not None:
            thread = threading.Thread(
                target=self._serve, args=(reserved,), daemon=True, name="liftscope-worker"
            )
            with self._lock:
                try:
                    thread.start()
                except RuntimeError:  # no memory is left for a thread
                    self._queue.miss(reserved)
                    job.fail(NoMemoryError("Not enough memory to start the work."))
                    return job
                self._threads = [other for other in self._threads if other.is_alive()] + [thread]
        return job

    def ahead(self, job: Job[Any]) -> int:
        return self._queue.ahead(job)

    @property
    def workers(self) -> int:
        return self._queue.workers

    def close(self) -> None:
        """Wait for the jobs in the queue, and end the workers."""
        self._closing = True
        with self._lock:
            threads, self._threads = self._threads, []
        self._queue.close()
        for thread in threads:
            thread.join()
        self._queue.reopen()
        self._closing = False

    def kill(self) -> None:
        """End the workers now; running and later jobs fail. For the end of the server."""
        self._ended = True
        for process in list(self._processes):
            process.kill()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve(self, reserved: bool) -> None:
        """Keep one worker process and send it one job after another, until it is to end."""
        niceness = 8 if reserved else self.niceness
        process: subprocess.Popen[bytes] | None = None
        while (call := self._queue.take(reserved=reserved, rest=self.rest)) is not None:
            for last in (False, True):  # where a worker dies, its job itself may be the cause
                process, ended = self._attempt(process, niceness, call, last=last)
                if ended:
                    break
            self._queue.done(call)
        _end(process)

    def _attempt(
        self, process: subprocess.Popen[bytes] | None, niceness: int, call: Call, *, last: bool
    ) -> tuple[subprocess.Popen[bytes] | None, bool]:
        """Run a job, on a new worker if the last died; return it and whether the job has ended."""
        job = call.job
        if self._ended:
            job.fail(SolverError("The server is about to stop."))
            return process, True
        try:
            remote = self.elsewhere if call.anywhere else None
            if remote is not None and remote.run(job, call.content):
                return process, True
            if process is None or process.poll() is not None:  # it may have died while idle
                _end(process)
                process = self._new(niceness)
            if not job.start(process.kill):
                return process, True
            again = _run(process, job, call.content, last=last)
        except Exception as error:  # else this thread would end, and no job behind be taken
            job.fail(SolverError(f"The work could not be done in a worker: {error}."))
            again = False
        if not again and process is not None:
            process.kill()
            _end(process)
            process = None
            # the next one starts while nobody waits for it, if it can: else the next job says why
            if not (self._closing or self._ended):
                with contextlib.suppress(OSError):
                    process = self._new(niceness)
        return process, job.finished

    def _new(self, niceness: int) -> subprocess.Popen[bytes]:
        """Start a worker, and list it for `kill`."""
        process = _start(niceness)
        self._processes.add(process)
        if self._ended:  # `kill` was called in between
            process.kill()
        return process


def _start(niceness: int) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | ONE_THREAD
    step = clock.step()
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "core.jobs.worker", str(niceness), str(os.getpid())),
            *([] if step is None else [repr(step)]),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    )


def _end(process: subprocess.Popen[bytes] | None) -> None:
    """Close the pipes of a worker, which ends it, and wait for it."""
    if process is not None:
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(BrokenPipeError):  # a killed worker reads no more
                if pipe is not None:
                    pipe.close()
        process.wait()


def _run(process: subprocess.Popen[bytes], job: Job[Any], call: bytes, *, last: bool) -> bool:
    """Send a job to its worker and follow it; return whether the worker may take another.

    It may not after a cancellation or a time limit: the signal that ends the process may arrive
    late and would end the next job. A job whose worker died has not ended, unless `last`.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    overdue = threading.Event()

    def expire() -> None:
        overdue.set()
        process.kill()

    # at most what a thread can wait, which is years
    limit = min(clock.elsewhere(job.time_limit), threading.TIMEOUT_MAX)
    timer = threading.Timer(limit, expire)
    timer.start()
    try:
        process.stdin.write(call)
        process.stdin.flush()
        while True:
            kind, value = pickle.load(process.stdout)
            if kind == "progress":
                job.note(value)
                continue
            if kind == "done":
                job.succeed(value)
            else:
                job.fail(value)
            break
    except (EOFError, BrokenPipeError, pickle.UnpicklingError):
        process.wait()
        if overdue.is_set():
            ended = f"The work was stopped after {job.time_limit:g} s, its time limit"
            job.fail(TimeLimitError(f"{ended}: try again, or with fewer records or levels."))
        elif last:
            died = f"The worker process died (exit status {process.returncode})."
            job.fail(SolverError(died))
    finally:
        timer.cancel()
    return job.state != State.CANCELLED and not overdue.is_set() and process.poll() is None
