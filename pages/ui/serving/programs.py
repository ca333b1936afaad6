"""The charts' program in the browser: loaded once from its own address, not sent with each chart.

Streamlit sends a component's script and style with every element; for charts that was more than
what they show. So the component's script is a line that imports the program. The address has a hash
of the program in it, and browsers keep what they loaded.
"""

from __future__ import annotations

import hashlib
import importlib

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

YEAR = 31_536_000
"""Seconds for which a browser keeps a program."""

FOLDER = "program"
"""Where programs are, relative to the pages."""

_published: dict[str, bytes] = {}


def publish(source: str) -> str:
    """Make a module of JavaScript available to browsers, and return the script that imports it.

    Parameters
    ----------
    source : str
        A module with a default export.

    Examples
    --------
    >>> print(publish("export default function () {}"))
    const address = new URL("program/f404f7ff29ba5d1a.js", document.baseURI);
    const { default: program } = await import(address.href);
    export default program;
    """
    content = source.encode()
    name = f"{hashlib.sha256(content).hexdigest()[:16]}.js"
    _published[name] = content
    return (
        f'const address = new URL("{FOLDER}/{name}", document.baseURI);\n'
        "const { default: program } = await import(address.href);\n"
        "export default program;"
    )


async def send(request: Request) -> Response:
    """Answer a request for a program; 404 where there is none."""
    name = request.path_params["name"]
    if name not in _published:  # the page may be from another server, and none was opened here
        importlib.import_module("pages.ui.chart.component")
    content = _published.get(name)
    if content is None:
        return Response(status_code=404)
    keep = {"cache-control": f"public, max-age={YEAR}, immutable"}
    return Response(content, media_type="text/javascript", headers=keep)


ROUTE = Route(f"/{FOLDER}/{{name}}", send, methods=["GET"])
"""Where browsers load programs from."""
