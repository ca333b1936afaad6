"""Files in a folder of the server that its owner opened to pages: named there, never by a link."""

from __future__ import annotations

import os
from pathlib import Path

from core.errors import InvalidInputError
from core.validation import shown

FOLDER = "LIFTSCOPE_FOLDER"
"""The environment's variable that names the folder."""

KINDS = (".parquet", ".pq", ".csv", ".tsv", ".txt", ".tab", ".dat", ".xlsx")
"""Ends of the names of files that are listed."""

MOST_FILES = 2_000
"""Most files that are listed."""


def shared_files() -> tuple[str, ...]:
    """Return the files of the owner's folder and of those in it, by their paths from there.

    Links that lead out of the folder are left out, and so is what begins with a dot.

    Raises
    ------
    InvalidInputError
        If the variable names no folder.

    Examples
    --------
    >>> shared_files()  # where the owner opened none
    ()
    """
    root = _root()
    if root is None:
        return ()
    found: list[str] = []
    for folder, inner, names in os.walk(root):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            if name.startswith(".") or path.suffix.lower() not in KINDS:
                continue
            if path.is_file() and path.resolve().is_relative_to(root):
                found.append(path.relative_to(root).as_posix())
        if len(found) >= MOST_FILES:
            break
    return tuple(found[:MOST_FILES])


def shared_file(name: str) -> Path:
    """Return the path of one of the `shared_files`.

    Raises
    ------
    InvalidInputError
        If it is none of them.
    """
    root = _root()
    if root is None or name not in shared_files():
        raise InvalidInputError(
            f"{shown(name)} is no file in the folder that this server's owner has opened."
        )
    return root / name


def _root() -> Path | None:
    named = os.environ.get(FOLDER)
    if not named:
        return None
    root = Path(named).resolve()
    if not root.is_dir():
        raise InvalidInputError(f"{FOLDER} names no folder of this server.")
    return root
