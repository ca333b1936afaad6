"""The process that does the work: reads calls from its standard input, writes what they return.

A process of its own, because cdd holds the interpreter lock and a solve can only be cancelled
by ending it. Started by `core.jobs.pool` as `python -m core.jobs.worker`, never imported by it.
With a further number, each call is made on a clock whose every reading takes so many seconds.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import sys
from typing import Any, BinaryIO

from core import clock
from core.errors import NoMemoryError
from core.jobs.lifeline import end_with_parent

WARM = ("core.scenario",)
"""Imported before the first call arrives, so that it does not pay for it."""


def main(niceness: int, parent: int, step: float | None = None) -> None:
    """Serve calls until the input ends, or until whoever started this process is gone.

    Parameters
    ----------
    niceness : int
        How far to yield to other processes.
    parent : int
        The process that started it.
    step : float, optional
        Seconds that each reading of the clock takes, where it is to count them.
    """
    end_with_parent(parent)
    calls = sys.stdin.buffer
    # What a library prints must not get between the answers, so they keep the pipe to themselves.
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
        counting = contextlib.nullcontext() if step is None else clock.using(clock.Ticking(step))
        with counting:
            _serve(function, arguments, answers)


def _serve(function: Any, arguments: tuple[Any, ...], answers: BinaryIO) -> None:
    """Run one call and send its progress and its answer or error."""

    def report(progress: Any) -> None:
        _send(answers, ("progress", progress))

    try:
        answer = ("done", function(*arguments, report=report))
    except MemoryError:
        answer = ("failed", NoMemoryError("The work needs more memory than there is."))
    except Exception as error:  # whatever it is, the caller raises it again
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
    except BrokenPipeError:  # nobody is left who could be told
        os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *map(float, sys.argv[3:]))
