"""Scripts and styles that never change are sent compressed, and compressed once.

Streamlit sends its own as they are, which is what a newcomer on a slow line waits for.
"""

from __future__ import annotations

import posixpath

import anyio.to_thread
import pyarrow as pa
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.ui.serving import programs

FOLDERS = ("/static/js/", "/static/css/", f"/{programs.FOLDER}/")
"""Where they are: their names change with their content."""

KINDS = ("text/javascript", "application/javascript", "text/css")
"""What is kept: Streamlit answers addresses that nothing has by its page, and there is no end of
those."""

CODINGS = {"br": pa.Codec("brotli", compression_level=9), "gzip": pa.Codec("gzip")}
"""By the name that HTTP has for them, the best first; browsers take "br" on secure lines alone."""


class Compressed:
    """Sends the scripts and styles of `FOLDERS` compressed; an ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._kept: dict[tuple[str, str], tuple[bytes, dict[str, str]]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        coding = _coding(scope)
        if coding is None:
            await self._app(scope, receive, send)
            return
        key = (scope["path"], coding)
        if key not in self._kept:
            plain = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
            status, headers, content = await _answer(
                self._app, {**scope, "headers": plain}, receive
            )
            if status != 200 or not headers.get("content-type", "").startswith(KINDS):
                await Response(content, status, headers)(scope, receive, send)
                return
            small = await anyio.to_thread.run_sync(
                lambda: CODINGS[coding].compress(content, asbytes=True)
            )
            keep = {
                name: value
                for name, value in headers.items()
                if name in ("content-type", "cache-control", "last-modified", "etag")
            }
            self._kept[key] = small, keep | {"content-encoding": coding, "vary": "accept-encoding"}
        await Response(self._kept[key][0], headers=self._kept[key][1])(scope, receive, send)


def _coding(scope: Scope) -> str | None:
    """Return how an answer may be compressed; None where it is sent as the app sends it."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return None
    headers = Headers(scope=scope)
    path = scope["path"]
    if "range" in headers or not any(folder in path for folder in FOLDERS):
        return None
    if posixpath.normpath(path) != path:  # one file would be kept under many names
        return None
    accepted = {
        part.split(";")[0].strip() for part in headers.get("accept-encoding", "").split(",")
    }
    return next((coding for coding in CODINGS if coding in accepted), None)


async def _answer(
    app: ASGIApp, scope: Scope, receive: Receive
) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and content of an app's answer."""
    messages: list[Message] = []

    async def send(message: Message) -> None:
        messages.append(message)

    await app(scope, receive, send)
    headers = Headers(raw=messages[0]["headers"])
    content = b"".join(message.get("body", b"") for message in messages[1:])
    return messages[0]["status"], dict(headers), content
