"""Programs in the browser: each is loaded once from its own address, not sent with each chart.

The component's script only imports it; the address has its hash, so that browsers keep it.
"""

from __future__ import annotations

import hashlib
import importlib
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from streamlit.components.v2.types import ComponentRenderer

from pages.ui.command import application

FOLDER = "program"
"""Where programs are, relative to the pages."""

PUBLISHERS = ("pages.ui.chart.component", "pages.ui.work.progress")
"""The modules that publish programs."""

TYPES = {"js": "text/javascript", "css": "text/css", "woff2": "font/woff2"}
"""What is kept, by the end of its address."""

_published: dict[str, bytes] = {}
_first: list[str] = []


def keep(content: bytes, kind: str = "js", *, first: bool = False) -> str:
    """Make a file available to browsers for good; return its address, relative to the pages.

    A module that is `first` is loaded by a page at once, before a component asks for it.
    """
    name = f"{hashlib.sha256(content).hexdigest()[:16]}.{kind}"
    _published[name] = content
    address = f"{FOLDER}/{name}"
    if first and address not in _first:
        _first.append(address)
    return address


def firsts() -> list[str]:
    """Return the addresses of the modules that a page loads at once."""
    _complete()
    return list(_first)


def _complete() -> None:
    """Have every module publish its programs: a server may send a page before it made one."""
    for module in PUBLISHERS:
        importlib.import_module(module)


PLOTLY_FILE = application().parent / "static" / "plotly.min.js"
"""What draws charts, offline: plotly.js-cartesian-dist-min of the version that Python's Plotly has.
Python's own program draws maps and solids too, and takes a slow line three times as long."""

PLOTLY = keep(PLOTLY_FILE.read_bytes())
"""Its address."""


def publish(source: str, part: str = "default") -> str:
    """Make a module of JavaScript available to browsers; return the script that imports a part."""
    return (
        f'const address = new URL("{keep(source.encode())}", document.baseURI);\n'
        f"const {{ {part}: program }} = await import(address.href);\n"
        "export default program;"
    )


def component(name: str, script: Path, html: str | None = None) -> ComponentRenderer:
    """Return a component made of a script, and of the style sheet beside it, if there is one."""
    sheet = script.with_suffix(".css")
    return st.components.v2.component(
        name,
        html=html,
        js=script.read_text(encoding="utf-8"),
        css=sheet.read_text(encoding="utf-8") if sheet.exists() else None,
        isolate_styles=False,
    )


async def send(request: Request) -> Response:
    """Answer a request for a program; 404 where there is none."""
    name = request.path_params["name"]
    if name not in _published:  # the page may be from another server, and none was opened here
        _complete()
    content = _published.get(name)
    if content is None:
        return Response(status_code=404)
    # a browser keeps a program for a year
    headers = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(content, media_type=TYPES[name.rpartition(".")[2]], headers=headers)


ROUTE = Route(f"/{FOLDER}/{{name}}", send, methods=["GET"])
"""Where browsers load programs from."""
