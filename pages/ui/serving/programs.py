"""Programs in the browser: each is loaded once from its own address, not sent with each chart.

The component's script only imports it; the address has its hash, so that browsers keep it.
"""

from __future__ import annotations

import hashlib
import importlib

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FOLDER = "program"
"""Where programs are, relative to the pages."""

PUBLISHERS = ("pages.ui.chart.component", "pages.ui.work.progress")
"""The modules that publish programs."""

_published: dict[str, bytes] = {}


def keep(content: bytes) -> str:
    """Make a script available to browsers for good; return its address, relative to the pages."""
    name = f"{hashlib.sha256(content).hexdigest()[:16]}.js"
    _published[name] = content
    return f"{FOLDER}/{name}"


def publish(source: str, part: str = "default") -> str:
    """Make a module of JavaScript available to browsers; return the script that imports a part."""
    return (
        f'const address = new URL("{keep(source.encode())}", document.baseURI);\n'
        f"const {{ {part}: program }} = await import(address.href);\n"
        "export default program;"
    )


async def send(request: Request) -> Response:
    """Answer a request for a program; 404 where there is none."""
    name = request.path_params["name"]
    if name not in _published:  # the page may be from another server, and none was opened here
        for module in PUBLISHERS:
            importlib.import_module(module)
    content = _published.get(name)
    if content is None:
        return Response(status_code=404)
    # a browser keeps a program for a year
    headers = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(content, media_type="text/javascript", headers=headers)


ROUTE = Route(f"/{FOLDER}/{{name}}", send, methods=["GET"])
"""Where browsers load programs from."""
