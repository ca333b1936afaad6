"""Jobs on the workers of a Dask cluster: the same call in a process of its own there.

A thread of Dask cannot be ended, so its worker starts a process, and ends it when the job is
cancelled, its time is over or the requesting server is gone.
"""

from __future__ import annotations

import contextlib
import itertools
import pickle
import secrets
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from core.clock import Deadline
from core.errors import CoreError, SolverError
from core.jobs import Job, Pool
from core.jobs.work import PURE
from core.sweep.cluster import OtherVersionError, address_of, check, connected, identity, require
from core.wording import number_of

LOOK = 0.2
"""Seconds between two looks at a job, on either side."""

NOBODY = 10.0
"""Seconds between two looks at whether the cluster still has workers."""

RETRY = 30.0
"""Seconds after which a cluster that was of no use is tried again."""

HERE = "This server's cluster is not available, so the server computes this itself."
"""What a page shows; the server's owner reads the reason on standard error."""

AT_WORK = ("executing", "long-running")
"""States of a task that Dask has not taken back."""


class RemoteJobs:
    """Runs jobs on a cluster; safe for threads; `problem` says why the last use failed, or ""."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.problem = ""
        self._own: Mapping[str, str] = {}
        self._client: Any = None
        self._retry: Deadline | None = None
        self._numbers = itertools.count()
        self._topic = f"liftscope-{secrets.token_hex(8)}"
        self._jobs: dict[str, Job[Any]] = {}
        self._lock = threading.Lock()

    @classmethod
    def named(cls) -> RemoteJobs | None:
        """Return the cluster that the environment names; None where it names none."""
        address = address_of(None)
        return None if address is None else cls(address)

    def takes(self, function: Callable[..., Any]) -> bool:
        """Say whether a function may run on another machine: it reads no files of this one."""
        return function in PURE

    def run(self, job: Job[Any], content: bytes) -> bool:
        """Run a job, and return whether it has ended; it has not where the cluster is of no use."""
        client = self._connected()
        if client is None:
            return False
        ended = threading.Event()
        if not job.start(ended.set):
            return True
        key = f"{self._topic}-{next(self._numbers)}"
        self._jobs[key] = job
        try:
            return self._followed(client, job, key, content, ended)
        finally:
            del self._jobs[key]

    def close(self) -> None:
        """End the connection; the cluster then ends this server's work."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(OSError, TimeoutError):
                client.close(timeout=LOOK)

    def _followed(
        self, client: Any, job: Job[Any], key: str, content: bytes, ended: threading.Event
    ) -> bool:
        from distributed import CancelledError, KilledWorker

        try:
            future = client.submit(
                worked, content, key, self._topic, job.time_limit, self._own, key=key, pure=False
            )
            future.add_done_callback(lambda _: ended.set())
            while not ended.wait(NOBODY):  # a task waits for workers for ever
                if not client.scheduler_info(n_workers=-1)["workers"]:
                    raise TimeoutError("no worker is left")
            if job.finished:  # cancelled
                with contextlib.suppress(OSError, TimeoutError, RuntimeError):
                    client.cancel([future], force=True)
                return True
            kind, answer = future.result()
        except KilledWorker as error:
            tries = error.allowed_failures + 1
            job.fail(
                SolverError(f"{number_of(tries, 'worker')} of the cluster died while computing it.")
            )
            return True
        except (CancelledError, OSError, TimeoutError, RuntimeError, ImportError) as error:
            self._give_up(client, f"The cluster of {self.address} is gone: {error}.")
            return False
        except OtherVersionError as error:
            self._give_up(client, str(error))
            return False
        (job.succeed if kind == "done" else job.fail)(pickle.loads(answer))
        return True

    def _connected(self) -> Any:
        """Return the client, connected again after a while; None where that does not work."""
        with self._lock:
            if self._client is not None or (self._retry is not None and not self._retry.over):
                return self._client
            client = None
            try:
                client = connected(self.address)
                self._own = identity()
                check(client, self._own)
                client.subscribe_topic(self._topic, self._note)
            except (CoreError, OSError, TimeoutError) as error:
                self._refuse(str(error))
                if client is not None:
                    client.close(timeout=LOOK)
                return None
            self.problem, self._retry, self._client = "", None, client
            return client

    def _note(self, event: tuple[Any, Any]) -> None:
        key, content = event[1]
        job = self._jobs.get(key)
        if job is not None:
            job.note(pickle.loads(content))

    def _give_up(self, client: Any, why: str) -> None:
        """Use a client no more, and try to connect again after a while."""
        with self._lock:
            if self._client is not client:
                return
            self._client = None
            self._refuse(why)
        threading.Thread(target=_close, args=(client,), daemon=True).start()

    def _refuse(self, why: str) -> None:
        self.problem, self._retry = HERE, Deadline.after(RETRY)
        print(f"Solving on this server alone. {why}", file=sys.stderr, flush=True)


def worked(content: bytes, key: str, topic: str, limit: float, own: Mapping[str, str]) -> Any:
    """Run a call in a process beside the worker of Dask that this runs on."""
    from distributed import get_worker

    worker = get_worker()
    require(worker.address, identity(), own)
    function, arguments = pickle.loads(content)
    job = _pool(worker.state.nthreads).submit(function, *arguments, time_limit=limit)
    reported = None
    while not job.wait(LOOK):
        task = worker.state.tasks.get(key)
        if task is None or task.state not in AT_WORK:  # taken back, or its server is gone
            job.cancel()
        elif job.progress != reported:
            reported = job.progress
            worker.log_event(topic, (key, pickle.dumps(reported)))
    try:
        return "done", pickle.dumps(job.result())  # Dask would make its arrays read-only
    except Exception as error:
        return "failed", pickle.dumps(error)


_pools: dict[int, Pool] = {}
_pools_lock = threading.Lock()


def _pool(threads: int) -> Pool:
    """Return the processes beside a worker of Dask."""
    with _pools_lock:
        return _pools.setdefault(threads, Pool(max(1, threads)))


def _close(client: Any) -> None:
    with contextlib.suppress(OSError, TimeoutError, RuntimeError):
        client.close(timeout=LOOK)
