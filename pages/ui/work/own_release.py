"""A visit's release: its seed or key, and its file, sent from disk by an unguessable address."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route

from core.data import folders

_offered: dict[str, Path] = {}


class ReleasedFiles:
    """The released file of one page, in its own folder, which is deleted with it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=folders.prefix()))
        weakref.finalize(self, _remove, self.folder)

    def target(self, name: str) -> Path:
        """Return where a file is to be written, after removing those before it."""
        self.clear()
        part = self.folder / secrets.token_urlsafe(32)
        part.mkdir(parents=True)
        return part / name

    def offer(self, path: Path) -> str:
        """Return the address, relative to the pages, from which a written file is downloaded."""
        _offered[path.parent.name] = path
        return f"released/{path.parent.name}/{path.name}"

    def clear(self) -> None:
        """Remove all files; their addresses are of no use any more."""
        _withdraw(self.folder)
        for part in self.folder.glob("*"):
            shutil.rmtree(part, ignore_errors=True)


def _withdraw(folder: Path) -> None:
    for token in [token for token, path in _offered.items() if folder in path.parents]:
        _offered.pop(token, None)


def _remove(folder: Path) -> None:
    _withdraw(folder)
    shutil.rmtree(folder, ignore_errors=True)


def send(request: Request) -> FileResponse:
    """Answer a request for a released file."""
    path = _offered.get(request.path_params["token"])
    if path is None or path.name != request.path_params["name"] or not path.is_file():
        raise HTTPException(404)
    return FileResponse(
        path,
        filename=path.name,
        media_type="application/octet-stream",
        headers={"cache-control": "no-store"},
    )


ROUTE = Route("/released/{token}/{name}", send, methods=["GET"])
"""Where released files are downloaded from."""


@dataclass(eq=False)
class OwnRelease:
    """What one page releases.

    `secrets`: texts of the seed and of the key, by name: known to this visit alone. `requested`:
    name of the release not made yet. `target`: a release's name and file. `lost`: commitment of a
    release whose file is gone, "" for none. `turn`: grows with each use, over all visits.
    """

    files: ReleasedFiles = field(default_factory=ReleasedFiles)
    secrets: dict[str, str] = field(default_factory=dict)
    requested: tuple[str, ...] | None = None
    target: tuple[tuple[str, ...], Path] | None = None
    made: Any = None
    lost: str = ""
    turn: int = 0

    def clear(self) -> None:
        """Remove the file and forget the secrets; what the file was drawn by stays known."""
        self.files.clear()
        self.secrets.clear()
        self.requested = self.target = None
        self.lose()

    def lose(self) -> None:
        """Note that the file of the release that was made is gone."""
        if self.made is not None:
            self.lost = self.made.commitment
        self.made = None
