"""Files that were released: on disk until their session ends, and downloaded from there.

A download button of Streamlit holds its file in memory for as long as the page is open. So a
released file, which may be large, is sent from the disk, under an address that cannot be guessed.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
import weakref
from pathlib import Path

import streamlit as st
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route

from core.data import folders
from pages.ui.work.closed_pages import ClosedPages

ABSENCE = 40.0
"""Seconds after which the files of a session go whose page is closed."""

INTERVAL = 5.0
"""Seconds between two looks at which pages are closed."""

_offered: dict[str, Path] = {}


class ReleasedFiles:
    """The released file of one session, in its own folder, which is deleted with it."""

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


def _clear(held: weakref.ref[ReleasedFiles]) -> None:
    own = held()
    if own is not None:
        own.clear()


CLOSED: ClosedPages[weakref.ref[ReleasedFiles]] = ClosedPages(
    _clear, absence=ABSENCE, interval=INTERVAL
)
"""Watches over the released files of all sessions of this server."""


def files() -> ReleasedFiles:
    """Return this session's files."""
    found: ReleasedFiles | None = st.session_state.get("_released_files")
    if found is None:
        found = st.session_state["_released_files"] = ReleasedFiles()
    CLOSED.note(weakref.ref(found))
    return found


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
