"""Files that were released: on disk until their page is closed, and downloaded from there.

A download button of Streamlit holds its file in memory for as long as the page is open. So a
released file, which may be large, is sent from the disk, under an address that cannot be guessed.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
import weakref
from pathlib import Path

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
    """Answer a request for a released file.

    Raises
    ------
    HTTPException
        404 where there is no such file, or no longer.
    """
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
