"""What a process must have in common with another one, and Dask's workers, which compute chunks."""

from __future__ import annotations

import contextlib
import os
import platform
import queue
import re
import secrets
import socket
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from core.clock import Deadline
from core.errors import InvalidInputError, SolverError
from core.records.certificate import code_hash
from core.sweep.points import Chunk, compute
from core.sweep.running import AHEAD, PATIENCE, Outcome, Workers
from core.validation import shown
from core.wording import number_of

PACKAGES = ("numpy", "scipy", "highspy", "pycddlib-standalone", "pycddlib", "networkx")
"""Packages whose versions decide about the last digits of results."""


def identity() -> dict[str, str]:
    """Return the hash of this code and the versions that it computes with, by name."""
    return {
        "liftscope": code_hash(),
        "python": ".".join(platform.python_version_tuple()[:2]),
        **{name: _version(name) for name in PACKAGES},
    }


def difference(theirs: Mapping[str, str], ours: Mapping[str, str]) -> str:
    """Return how another process differs, as the end of a sentence; "" where it does not."""
    for name, own in ours.items():
        other = theirs.get(name, "")
        if other == own:
            continue
        if name == "liftscope":
            return f"another version of liftscope (code {other[:8] or 'unknown'}, not {own[:8]})"
        return f"{name} {other or 'missing'} instead of {own or 'none'}"
    return ""


@cache  # to look it up takes half a millisecond, and each chunk needs it
def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


VARIABLE = "LIFTSCOPE_SCHEDULER"
"""Environment variable that holds a scheduler's address."""

ANSWER = 5.0
"""Seconds in which a scheduler must answer, and in which it must have a worker."""

LOOK = 1.0
"""Seconds between two looks at how many workers there are."""

ADDRESS = re.compile(r"(?P<kind>tcp|tls|ws|wss)://(?P<host>[^\s/]+):(?P<port>[0-9]{1,5})")
"""Addresses of schedulers."""


class OtherVersionError(InvalidInputError):
    """A worker would not compute the same bits as this process."""


class ClusterLostError(SolverError):
    """The scheduler is gone: what has been computed is written, and the sweep can be resumed."""


def address_of(option: str | None) -> str | None:
    """Return the scheduler's address: an option, else the environment's; None where neither is."""
    return option or os.environ.get(VARIABLE) or None


class ClusterWorkers(Workers):
    """The workers of a Dask cluster; use it in a `with` block."""

    def __init__(self, address: str) -> None:
        self._own = identity()
        self._run = secrets.token_hex(4)
        self._ended: queue.SimpleQueue[tuple[Chunk, Any]] = queue.SimpleQueue()
        self._futures: dict[int, Any] = {}
        self._next_look = Deadline.after(LOOK)
        self._client = connected(address)
        self.address = address
        try:
            check(self._client, self._own)
            self._threads = self._count()
        except BaseException:
            self._client.close(timeout=ANSWER)
            raise

    def __enter__(self) -> ClusterWorkers:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError, TimeoutError):  # the scheduler may be gone
            self._client.close(timeout=ANSWER)

    @property
    def room(self) -> int:
        """Most chunks that may be handed out at one time."""
        return AHEAD * max(1, self._threads)

    def submit(self, chunk: Chunk) -> None:
        key = f"liftscope-{self._run}-{chunk.number}"
        future = self._client.submit(computed, chunk, self._own, key=key, pure=False)
        self._futures[chunk.number] = future
        future.add_done_callback(lambda done: self._ended.put((chunk, done)))

    def finished(self) -> list[Outcome]:
        if self._client.status not in ("running", "connecting"):
            raise ClusterLostError(f"The scheduler at {self.address} is gone.")
        if self._next_look.over:
            self._next_look = Deadline.after(LOOK)
            self._threads = self._count()
        ended = []
        with contextlib.suppress(queue.Empty):
            ended.append(self._ended.get(timeout=PATIENCE))
            while True:
                ended.append(self._ended.get_nowait())
        return [(chunk, self._outcome(chunk, future)) for chunk, future in ended]

    def cancel(self) -> None:
        with contextlib.suppress(OSError, TimeoutError, RuntimeError):  # the scheduler may be gone
            self._client.cancel(list(self._futures.values()), force=True)
        self._futures.clear()

    def _outcome(self, chunk: Chunk, future: Any) -> object:
        """Return what became of a chunk, and forget its future, so the cluster does too."""
        from distributed import CancelledError, KilledWorker

        self._futures.pop(chunk.number, None)
        try:
            return future.result()
        except KilledWorker as error:
            tries = error.allowed_failures + 1
            return SolverError(
                f"{number_of(tries, 'worker')} died while computing the same points."
            )
        except (CancelledError, OSError) as error:
            raise ClusterLostError(f"The scheduler at {self.address} is gone.") from error
        except ImportError as error:
            raise OtherVersionError(
                f"A worker of {self.address} has no liftscope of this version: {error}."
            ) from error

    def _count(self) -> int:
        """Return how many chunks the workers can compute at one time."""
        try:
            return sum(self._client.nthreads().values())
        except (OSError, TimeoutError) as error:
            raise ClusterLostError(f"The scheduler at {self.address} is gone.") from error


def computed(chunk: Chunk, own: Mapping[str, str]) -> Any:
    """Return the points of a chunk, on a worker that computes the same bits as the client."""
    from distributed import get_worker

    require(get_worker().address, identity(), own)
    return compute(chunk, report=lambda _: None)


def check(client: Any, own: Mapping[str, str]) -> None:
    """Raise unless every worker would compute the same bits."""
    identities = client.run(identity, on_error="return")
    for worker, theirs in identities.items():
        if not isinstance(theirs, Mapping):
            raise OtherVersionError(
                f"The worker {worker} has no liftscope of this version: {theirs}."
            )
        require(worker, theirs, own)


def require(worker: str, theirs: Mapping[str, str], own: Mapping[str, str]) -> None:
    """Raise unless a worker's `identity` is one's own."""
    reason = difference(theirs, own)
    if reason:
        raise OtherVersionError(
            f"The worker {worker} has {reason}: install the same everywhere, so that results agree."
        )


def _knock(address: str) -> None:
    """Raise OSError unless a scheduler greets at a tcp address: Dask would wait long for one."""
    parts = ADDRESS.fullmatch(address)
    if parts is None or parts["kind"] != "tcp":
        return
    host = parts["host"].strip("[]")
    with socket.create_connection((host, int(parts["port"])), timeout=ANSWER) as line:
        first = line.recv(8, socket.MSG_WAITALL)
    if len(first) < 8 or int.from_bytes(first, "little") > (1 << 20):
        raise ConnectionError("It is not a Dask scheduler.")


def connected(address: str) -> Any:
    """Return a client of the scheduler at an address, which has a worker."""
    try:
        from distributed import Client
    except ImportError as error:
        raise InvalidInputError(
            "A scheduler needs Dask, which is not installed: pip install 'liftscope[cluster]'."
        ) from error
    if not ADDRESS.fullmatch(address):
        raise InvalidInputError(
            f"A scheduler's address is written tcp://HOST:PORT, got {shown(address)}."
        )
    try:
        _knock(address)
        client = Client(address, timeout=ANSWER, set_as_default=False)
    except (OSError, OverflowError, ValueError) as error:
        raise InvalidInputError(
            f"No scheduler answers at {address}: start one there, or leave the address out."
        ) from error
    try:
        client.wait_for_workers(1, timeout=ANSWER)
    except TimeoutError as error:
        client.close(timeout=ANSWER)
        raise InvalidInputError(
            f"The scheduler at {address} has no worker: start one, or leave the address out."
        ) from error
    return client
