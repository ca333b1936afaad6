"""The worker process: it reads calls from standard input and writes what they return.

cdd holds the interpreter lock, so only the end of a process cancels a solve. `core.jobs.pool`
starts it as `python -m core.jobs.worker NICENESS PARENT [STEP]`. Each call runs on a clock of its
own: `core.clock.ProcessorTime`, or with STEP `Ticking`. It ends with the process that started it.
"""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import sys
from typing import Any, BinaryIO

from core import clock
from core.errors import NoMemoryError
from core.jobs.job import carry_out
from core.lifeline import end_with_parent

WARM = ("core.scenario",)
"""Imported before the first call arrives, so that the call does not wait for it."""


def main(niceness: int, parent: int, step: float | None = None) -> None:
    """Serve calls until the input ends or the parent is gone."""
    end_with_parent(parent)
    calls = sys.stdin.buffer
    # What a library prints must not mix with the answers: standard output becomes standard error.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    if hasattr(os, "nice"):
        os.nice(niceness)
    for name in WARM:
        importlib.import_module(name)
    while True:
        try:
            function, arguments = pickle.load(calls)
        except EOFError:
            return
        counts = clock.ProcessorTime() if step is None else clock.Ticking(step)
        with clock.using(counts):
            _serve(function, arguments, answers)


def _serve(function: Any, arguments: tuple[Any, ...], answers: BinaryIO) -> None:
    """Run one call and send its progress, and its answer or error."""

    def report(progress: Any) -> None:
        _send(answers, ("progress", progress))

    try:
        answer = ("done", carry_out(function, arguments, report))
    except MemoryError:
        answer = ("failed", NoMemoryError("The work needs more memory than is available."))
    except Exception as error:  # the caller raises it again
        answer = ("failed", error)
    try:
        _send(answers, answer)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        _send(answers, ("failed", RuntimeError(f"{answer[1]!r} cannot be sent: {error}")))


def _send(answers: BinaryIO, message: tuple[str, Any]) -> None:
    content = pickle.dumps(message)
    try:
        answers.write(content)
        answers.flush()
    except BrokenPipeError:  # the parent is gone
        os._exit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent too, which decides
    main(int(sys.argv[1]), int(sys.argv[2]), *map(float, sys.argv[3:]))
