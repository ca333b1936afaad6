"""The server's headers and closed paths, its start and stop, and what it says that it lacks."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import os
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterable, MutableMapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote, urlsplit

import streamlit as st
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config
from streamlit.runtime.pages_manager import PagesManager

from core.data import folders
from core.data.readers.reading import NO_ROOM
from core.errors import CoreError
from core.validation import shown
from pages.ui.serving import patches, sharing
from pages.ui.style.labels import markdown
from pages.ui.work import ahead, store
from pages.ui.work.glances import GLANCER
from pages.ui.work.long_answer import WORKERS

LINGER = 0.3
"""Seconds until a server that is to stop ends, even if a visit's script still runs."""

HEADERS = {
    "content-security-policy": "; ".join(
        (
            "default-src 'self'",
            # Streamlit hands components their scripts as blobs and in the page itself
            "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self' blob: data:",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    ),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
}
"""Headers of every response: nothing is loaded from elsewhere, no other site shows a page in a
frame, and the address, which holds the question, is sent to no other site."""

CLOSED = ("/_stcore/metrics",)
"""Paths that get 404: there Streamlit shows anyone the number of sessions and their memory."""

FILES = "media/"
"""Where Streamlit has the files to be saved, reports in HTML among them."""

HTML = b"text/html; charset=utf-8"
"""The type of Streamlit's own page."""

UNKNOWN = (
    "A page at {} may not connect, because anyone can point a name at this server. If it is "
    "yours, serve it over TLS or start with --browser.serverAddress and the name."
)
"""The owner's message, logged once, about a page that was refused for its name."""


def is_foreign(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a request comes from a page of another host that Streamlit does not allow.

    A proxy may drop the port, so ports are not compared. Whoever owns a name can lead it here
    later, so an unknown name counts over TLS alone, for which he would need our certificate.
    """
    named = {name.lower(): value.decode("latin-1") for name, value in headers}
    origin = named.get(b"origin")
    if origin is None:  # no browser
        return False
    allowed = config.get_option("server.corsAllowedOrigins")
    if origin in allowed or not config.get_option("server.enableCORS"):
        return False
    try:
        own = urlsplit(f"//{named.get(b'host', '')}").hostname
        page = urlsplit(origin)
        if own is None or page.hostname != own or f"{page.scheme}://{page.netloc}" != origin:
            return True
    except ValueError:  # an address that is none
        return True
    return page.scheme != "https" and not is_own_name(own)


def is_own_name(host: str) -> bool:
    """Return whether a host's name leads nowhere but here or to a machine of the same network."""
    with contextlib.suppress(ValueError):
        ipaddress.ip_address(host)
        return True
    if "." not in host or host.endswith((".local", ".localhost")):
        return True
    return host in (socket.gethostname().lower(), config.get_option("browser.serverAddress"))


def of_one_part(path: str, query: str = "") -> str:
    """Return the address of one part, relative to a path of several; "" where it has one.

    >>> of_one_part("/a/b", "eps=1"), of_one_part("/compare/"), of_one_part("/compare")
    ('../b?eps=1', '../compare', '')
    """
    base = config.get_option("server.baseUrlPath").strip("/")
    rest = path.removeprefix(f"/{base}" if base else "").removeprefix("/")
    if "/" not in rest or rest.startswith(FILES):
        return ""
    last = next((part for part in reversed(rest.split("/")) if part), "")
    return "../" * rest.count("/") + quote(last, safe="") + (f"?{query}" if query else "")


class Guard:
    """Sets the headers, and closes the paths of `CLOSED` and websockets to other sites' pages.

    Streamlit refuses these too, but blocks meanwhile: it asks the internet for its own address.
    An address of several parts leads to that of its last one, which says whether there is such a
    page: Streamlit answers all with its own page, which is blank where it finds no scripts.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._announced = False

    def _say(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Log once, for the owner, that a page requested by this name may not connect."""
        named = {name.lower(): value.decode("latin-1") for name, value in headers}
        host = named.get(b"host", "")
        if not self._announced and host and named.get(b"origin") == f"http://{host}":
            self._announced = True
            print(UNKNOWN.format(shown(host)), file=sys.stderr, flush=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "websocket" and is_foreign(scope["headers"]):
            self._say(scope["headers"])
            await receive()  # the wish to connect
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        leads = of_one_part(scope["path"], scope.get("query_string", b"").decode("latin-1"))
        is_page = False

        async def guarded(message: MutableMapping[str, Any]) -> None:
            nonlocal is_page
            if message["type"] == "http.response.start":
                own = {name.encode(): value.encode() for name, value in HEADERS.items()}
                others = [pair for pair in message.get("headers", []) if pair[0].lower() not in own]
                is_page = any(pair == (b"content-type", HTML) for pair in others)
                if leads and is_page:
                    message["status"] = 307
                    others = [(b"location", leads.encode()), (b"content-length", b"0")]
                message["headers"] = [*others, *own.items()]
            elif leads and is_page:
                message["body"] = b""
            await send(message)

        if scope["path"].rstrip("/").endswith(CLOSED):
            await guarded({"type": "http.response.start", "status": 404, "headers": []})
            await guarded({"type": "http.response.body", "body": b""})
            return
        await self._app(scope, receive, guarded)


def report_error(error: BaseException) -> bool:
    """Return a sentence on what ended a script, memory or disk; drop large answers."""
    sentence = lacking(error)
    if _is_of_memory(error):
        store.SHARED.shed()
    if sentence:
        st.error(markdown(sentence), icon=":material/error:")
    return bool(sentence)


def lacking(error: BaseException) -> str:
    """Return the sentence for an error that is no mistake of the program; "" for others."""
    if isinstance(error, CoreError):
        return str(error)
    if _is_of_memory(error):
        return store.NO_MEMORY
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return "The server's disk is full."
    return ""


def _is_of_memory(error: BaseException) -> bool:
    """Return whether an error is a lack of memory, which a mapped file reports like a full disk."""
    ended = isinstance(error, OSError) and error.errno == errno.ENOMEM
    return ended or isinstance(error, MemoryError)


@asynccontextmanager
async def life(_: object) -> AsyncIterator[None]:
    """Remove the files that killed servers left; when this one stops, its workers and files."""
    patches.stop_when_hung_up()
    folders.remove_left()
    patches.keep()
    # each visit runs app.py: Streamlit would take a folder `pages` for all there is, once
    PagesManager.uses_pages_directory = False
    ahead.serve()
    GLANCER.serve()
    sharing.SHARED.folder()
    if sharing.SHARED.problem:
        print(sharing.SHARED.problem, file=sys.stderr, flush=True)
    yield
    WORKERS.kill()
    GLANCER.kill()
    folders.remove_own()
    threading.Thread(target=_end, daemon=True, name="liftscope-end").start()


def _end() -> None:
    """End the process after `LINGER` seconds: no one sees what a script computes after that."""
    time.sleep(LINGER)
    folders.remove_own()
    os._exit(0)
