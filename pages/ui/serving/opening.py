"""What Streamlit's own page tells a browser to load at once: a newcomer waits on a slow line.

Streamlit's page names its first scripts alone. The widgets' scripts are fetched as widgets appear,
each with others that it needs: seconds of waiting for answers, while the line is idle before.
"""

from __future__ import annotations

import functools
import gzip
import re
from pathlib import Path

import streamlit as st
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.ui.command import application
from pages.ui.serving import programs

STATIC = Path(st.__file__).parent / "static" / "static"
"""Streamlit's scripts and styles."""

ICONS = programs.keep((application().parent / "static" / "icons.woff2").read_bytes(), "woff2")
"""The icons that are used (static/icons.txt), 20 kB of Streamlit's 375."""

WIDGETS = (
    "Html",
    "BidiComponent",
    "Button",
    "ButtonGroup",
    "Selectbox",
    "Multiselect",
    "Checkbox",
    "PageLink",
    "Slider",
    "NumberInput",
    "DownloadButton",
)
"""The widgets of a first page, by the names of their scripts."""

ROOT = re.compile(rb'<script type="module" crossorigin src="\./static/js/(index\.[\w-]+\.js)">')
"""What is in Streamlit's page, and in no other."""

TYPE = (b"content-type", b"text/html; charset=utf-8")


def scripts(root: str) -> list[str]:
    """Return the names of the scripts of `WIDGETS`, with those they need, named by the first one.

    Empty where Streamlit's scripts are written in another way: the page loads them later then.
    """
    written = (STATIC / "js" / root).read_text(encoding="utf-8")
    result = re.search(r"m\.f=\[(.*?)\]", written)
    every = re.findall(r'"([^"]+)"', result[1]) if result else []
    needed: dict[str, None] = {}
    for widget in WIDGETS:
        part = re.search(
            rf"import\(`\./{widget}\.[\w-]+\.js`\),__vite__mapDeps\(\[([\d,]+)\]", written
        )
        places = [int(place) for place in part[1].split(",")] if part else []
        needed |= dict.fromkeys(every[place] for place in places if place < len(every))
    return [name.removeprefix("./") for name in needed if name.endswith(".js")]


def _styles(file: Path) -> str:
    """Keep styles of Streamlit's with our font of icons for its own; return their address."""
    written = file.read_text(encoding="utf-8")
    own = re.sub(r"\.\./media/MaterialSymbols-Rounded\.[\w-]+\.woff2", Path(ICONS).name, written)
    return programs.keep(own.replace("../media/", "../static/media/").encode(), "css")


STYLES = {f"static/css/{file.name}": _styles(file) for file in STATIC.glob("css/index.*.css")}
"""The address of Streamlit's styles → that of ours, kept before a page asks: it may be another
server's."""


def hinted(page: bytes) -> bytes:
    """Return Streamlit's page with what it is to load besides; another page as it is."""
    root = ROOT.search(page)
    return page if root is None else _hinted(page, root[1].decode())


@functools.lru_cache(maxsize=1)
def _hinted(page: bytes, root: str) -> bytes:
    more = [name for name in scripts(root) if name.encode() not in page]
    lines = [
        f'<link rel="modulepreload" crossorigin fetchpriority="low" href="./{address}">'
        for address in [*(f"static/js/{name}" for name in more), *programs.firsts()]
    ]
    for own, ours in STYLES.items():
        page = page.replace(own.encode(), ours.encode())
    return page.replace(b"</head>", "\n".join(lines).encode() + b"\n</head>", 1)


class Opening:
    """Sends Streamlit's page `hinted`; an ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        if "text/html" not in headers.get("accept", ""):  # only a page that is opened asks for it
            await self._app(scope, receive, send)
            return
        packed = "gzip" in headers.get("accept-encoding", "")
        plain = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
        start: Message | None = None
        body = b""

        async def sent(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                if message["status"] != 200 or TYPE not in message["headers"]:
                    await send(message)
                else:
                    start = message
                return
            if start is None:
                await send(message)
                return
            body += message.get("body", b"")
            if message.get("more_body", False):
                return
            whole = gzip.compress(hinted(body)) if packed else hinted(body)
            # a browser that asked whether it is the same would be told of Streamlit's page alone
            dropped = (b"content-length", b"etag", b"last-modified", b"vary")
            kept = [pair for pair in start["headers"] if pair[0].lower() not in dropped]
            kept += [(b"content-length", str(len(whole)).encode()), (b"vary", b"accept-encoding")]
            kept += [(b"content-encoding", b"gzip")] * packed
            await send({**start, "headers": kept})
            await send({**message, "body": whole})

        await self._app({**scope, "headers": plain}, receive, sent)
