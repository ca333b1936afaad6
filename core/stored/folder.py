"""A folder of answers that several processes of one owner share, bounded in bytes.

An answer is a file, written beside its place and then moved there: a reader sees all of it or
nothing, without a lock that a killed process could keep. Whatever is wrong with the folder costs
the sharing alone: nothing here raises once it is open.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import time
from pathlib import Path

from core import validation
from core.errors import InvalidInputError
from core.validation import shown

VARIABLE = "LIFTSCOPE_STORE"
"""Environment variable that names the folder that servers share."""

MOST_BYTES = 1_000_000_000
"""Bytes of the answers in a folder, where nothing else is said."""

LARGEST = 8
"""An answer may take this part of a folder: one eighth."""

LEFT = 600.0
"""Seconds after which a file that is still being written was left by a process that ended."""

_REGULAR = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags with which no link is followed and no pipe waited for, where the system has them."""

_NAME = re.compile(r"[0-9a-f]{64}")
_PART = re.compile(r"part-[0-9a-f]{16}")


class Folder:
    """Answers as files, by their key; those that were not read for longest go first.

    Parameters
    ----------
    path : Path
        The folder, made where there is none; readable by its owner alone.
    most_bytes : int
        Bytes of all answers.

    Raises
    ------
    InvalidInputError
        If it is no folder, cannot be made or looked at, belongs to somebody else, or others may
        write to it: they could put answers there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folder = Folder(Path(place), most_bytes=100)
    ...     folder.put("0" * 64, b"answer"), folder.find("0" * 64), folder.find("1" * 64)
    (True, b'answer', None)
    """

    def __init__(self, path: Path, most_bytes: int = MOST_BYTES) -> None:
        self.path = path
        self.most_bytes = validation.whole(most_bytes, "most_bytes", low=LARGEST)
        where = shown(str(path))
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = path.stat()
        except OSError as error:
            why = error.strerror or str(error)
            raise InvalidInputError(
                f"The folder of answers {where} cannot be used: {why}."
            ) from error
        if os.name == "posix":
            if found.st_uid != os.geteuid():
                raise InvalidInputError(f"The folder of answers {where} belongs to somebody else.")
            if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                raise InvalidInputError(
                    f"Others may write to the folder of answers {where}: chmod 700."
                )

    def find(self, key: str) -> bytes | None:
        """Return the bytes under a key; None where there are none, or they cannot be read.

        Parameters
        ----------
        key : str
            A SHA-256 in hexadecimal digits.
        """
        try:
            # a pipe would be waited for, and a link to a device has no end
            descriptor = os.open(self._place(key), os.O_RDONLY | _REGULAR)
            with open(descriptor, "rb") as file:
                told = os.fstat(descriptor)
                if not stat.S_ISREG(told.st_mode) or told.st_size > self.most_bytes // LARGEST:
                    return None
                content = file.read(told.st_size)
        except OSError:
            return None
        with contextlib.suppress(OSError):  # a folder that may only be read
            os.utime(self._place(key))
        return content

    def put(self, key: str, content: bytes) -> bool:
        """Keep bytes under a key; return whether they were kept.

        They are not where they are too large, the disk is full or the folder may not be written.
        """
        if len(content) > self.most_bytes // LARGEST:
            return False
        part = self.path / f"part-{secrets.token_hex(8)}"
        try:
            self._make_room(len(content))
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "wb") as file:
                file.write(content)
            part.replace(self._place(key))
        except OSError:
            with contextlib.suppress(OSError):
                part.unlink()
            return False
        return True

    def drop(self, key: str) -> None:
        """Remove what is under a key, which was of no use."""
        with contextlib.suppress(OSError):
            self._place(key).unlink()

    @property
    def n_bytes(self) -> int:
        """Bytes of the answers in it, and of those that are being written."""
        return sum(size for _, size, _ in self._files())

    def _place(self, key: str) -> Path:
        if not _NAME.fullmatch(key):
            raise InvalidInputError(f"A key is a SHA-256, got {shown(key)}.")
        return self.path / key

    def _files(self) -> list[tuple[float, int, Path]]:
        """Return when each file was last used, its bytes and its path."""
        found = []
        for entry in os.scandir(self.path):
            if _NAME.fullmatch(entry.name) or _PART.fullmatch(entry.name):
                with contextlib.suppress(OSError):  # another process has just removed it
                    told = entry.stat(follow_symlinks=False)
                    found.append((told.st_mtime, told.st_size, self.path / entry.name))
        return found

    def _make_room(self, n_bytes: int) -> None:
        """Remove what was not used for longest, until so many bytes more have room."""
        files = sorted(self._files())
        total = sum(size for _, size, _ in files) + n_bytes
        left = time.time() - LEFT
        for used, size, path in files:
            is_part = _PART.fullmatch(path.name) is not None
            if (is_part and used < left) or (not is_part and total > self.most_bytes):
                with contextlib.suppress(FileNotFoundError):
                    path.unlink()
                total -= size
