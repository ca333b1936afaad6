"""Temporary folders for uploads and DuckDB, named after the process that made them.

A process that is killed removes nothing; a later one finds its folders by the process id in their
names, and removes them.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

_OURS = re.compile(r"liftscope-([0-9]{1,10})-.*")
"""The name of a folder, with the id of the process that made it."""


def prefix(process: int | None = None) -> str:
    """Return the prefix of the names of a process's folders, by default of this process."""
    return f"liftscope-{os.getpid() if process is None else process}-"


def remove_own() -> None:
    """Remove every folder of this process, which is about to end."""
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix()}*"):
        shutil.rmtree(folder, ignore_errors=True)


def remove_left() -> int:
    """Remove the folders of processes that have ended, and return their number."""
    removed = 0
    for folder in Path(tempfile.gettempdir()).glob("liftscope-*"):
        owner = _OURS.fullmatch(folder.name)
        if owner is not None and not _lives(int(owner[1])):
            shutil.rmtree(folder, ignore_errors=True)
            removed += 1
    return removed


def _lives(process: int) -> bool:
    """Say whether a process is running, of this user or another."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
