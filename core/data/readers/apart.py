"""Call a function in a process of its own: a reader written in C may crash on a damaged file.

It has limits of time and memory. The pool of `core.jobs`, whose workers read files, is a layer
above.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from core.errors import InvalidInputError
from core.lifeline import end_with_parent

resource: ModuleType | None
try:
    import resource
except ImportError:  # pragma: no cover - Windows has none
    resource = None

IN_PLACE = False
"""Whether functions are called in this process, as in tests that start no other."""

SECONDS = 600.0
"""How long the other process may take: a million records of SPSS with four columns take 4."""

MOST_BYTES = 4_000_000_000
"""Bytes of memory that it may take, where the system can bound them."""

_NO_MEMORY = 3
"""Its exit status where it would take more."""

_ROOT = Path(__file__).parents[3]


def apart(call: Callable[..., Any], name: str, died: Exception, *arguments: Any) -> Any:
    """Return what a function returns, or raise what it raises; `died` where its process ends.

    `name`: of the file that it reads, for sentences. The process ends with this one.
    """
    if IN_PLACE:
        return call(*arguments)
    try:
        ended = subprocess.run(
            [sys.executable, "-m", __name__, str(os.getpid()), str(MOST_BYTES)],
            input=pickle.dumps((call, arguments)),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": str(_ROOT), "OPENBLAS_NUM_THREADS": "1"},
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise InvalidInputError(
            f"{name} takes more than {SECONDS / 60:.3g} minutes to read: save it as CSV."
        ) from error
    if ended.returncode == _NO_MEMORY:
        raise InvalidInputError(
            f"{name} takes more than {MOST_BYTES / 1e9:.3g} GB of memory to read: save it as CSV."
        )
    if ended.returncode:
        raise died
    answer = pickle.loads(ended.stdout)
    if isinstance(answer, Exception):
        raise answer
    return answer


def _main(parent: int, most: int) -> None:
    """Make the call that standard input describes, and write its outcome."""
    end_with_parent(parent)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    if resource is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        own = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (own, hard))
    answer: Any
    try:
        call, arguments = pickle.load(sys.stdin.buffer)
        try:
            answer = call(*arguments)
        except MemoryError:
            raise
        except Exception as error:  # the caller raises it again
            answer = error
        answers.write(pickle.dumps(answer))
        answers.flush()
    except MemoryError:
        os._exit(_NO_MEMORY)
    os._exit(0)


if __name__ == "__main__":
    _main(*map(int, sys.argv[1:]))
