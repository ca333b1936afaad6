"""What a session offers its own browser besides its page, at an address that no one can guess."""

from __future__ import annotations

import gzip
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FOLDER = "frames"
"""Where offers are, relative to the pages."""

MOST = 2_000
"""Most offers that are kept; the oldest goes first."""

Answer = Callable[[Mapping[str, str]], bytes]
"""From a query to JSON, or to b"" where there is nothing to say; a `ValueError`: it is no query."""

_offered: OrderedDict[str, Answer] = OrderedDict()


def offer(answer: Answer) -> str:
    """Return the address, relative to the pages, at which questions are answered."""
    token = secrets.token_urlsafe(24)
    _offered[token] = answer
    while len(_offered) > MOST:
        _offered.popitem(last=False)
    return f"{FOLDER}/{token}"


def is_open(address: str) -> bool:
    return address.rpartition("/")[2] in _offered


def withdraw(address: str) -> None:
    _offered.pop(address.rpartition("/")[2], None)


def send(request: Request) -> Response:
    """Answer a question; no cache keeps what is sent. An offer that is over has no content.

    A page may ask for it before it knows of the next one, which is no error for a browser to log.
    """
    headers = {"cache-control": "no-store"}
    answer = _offered.get(request.path_params["token"])
    if answer is None:
        return Response(status_code=204, headers=headers)
    try:
        content = answer(request.query_params)
    except ValueError:
        return Response(status_code=400, headers=headers)
    if not content:
        return Response(status_code=204, headers=headers)
    return Response(
        packed(content),
        media_type="application/json",
        headers=headers | {"content-encoding": "gzip"},
    )


def packed(content: bytes) -> bytes:
    """Return content as it is sent."""
    return gzip.compress(content, compresslevel=6, mtime=0)


ROUTE = Route(f"/{FOLDER}/{{token}}", send, methods=["GET"])
"""Where browsers ask."""
