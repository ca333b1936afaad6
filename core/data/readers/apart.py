"""Call a function in a process of its own: a reader written in C may end it on a damaged file."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

resource: ModuleType | None
try:
    import resource
except ImportError:  # pragma: no cover - Windows has none
    resource = None

IN_PLACE = False
"""Whether functions are called in this process, as tests do that wait for no other one."""

_ROOT = Path(__file__).parents[3]


MOST_BYTES = 4_000_000_000
"""Bytes of memory that the other process may take, where the system can bound them."""


class DiedError(Exception):
    """The process ended without an answer."""


def apart(call: Callable[..., Any], answer: Path, *arguments: Any) -> Any:
    """Return what a function returns, or raise what it raises.

    It ends with this process. `answer` is a new file; whoever calls removes it.
    """
    if IN_PLACE:
        return call(*arguments)
    with subprocess.Popen(
        [sys.executable, "-m", "core.data.readers.apart", str(answer)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(_ROOT), "OPENBLAS_NUM_THREADS": "1"},
    ) as process:
        assert process.stdin is not None
        try:
            process.stdin.write(pickle.dumps((call, arguments)))
            process.stdin.flush()
            process.wait()
        except BrokenPipeError:
            pass  # it is gone already
        finally:
            process.kill()
    if not answer.exists():
        raise DiedError
    found = pickle.loads(answer.read_bytes())
    if isinstance(found, Exception):
        raise found
    return found


def _main(answer: Path) -> None:
    """Make the call that stands in standard input, and end as soon as that ends."""
    if resource is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = MOST_BYTES if hard == resource.RLIM_INFINITY else min(MOST_BYTES, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    call, arguments = pickle.load(sys.stdin.buffer)

    def watch() -> None:
        sys.stdin.buffer.read()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    found: Any
    try:
        found = call(*arguments)
    except MemoryError:
        os._exit(1)
    except Exception as error:  # the caller raises it again
        found = error
    whole = answer.with_suffix(".whole")
    whole.write_bytes(pickle.dumps(found))
    whole.replace(answer)
    os._exit(0)


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
