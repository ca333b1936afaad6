"""Scripts that never change are compressed once, and sent as the browser can read them."""

import asyncio
import gzip

import pyarrow as pa
import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from pages.ui.serving.compressed import Compressed

SCRIPT = b"export default function () { return 0; }\n" * 200
PAGE = b"<html>" * 200
UNDO = {
    "br": lambda body: pa.Codec("brotli").decompress(body, len(SCRIPT), asbytes=True),
    "gzip": gzip.decompress,
}


class Counting:
    """An app with one script, which counts how often it was asked."""

    def __init__(self):
        self.requests = 0
        self.routes = Starlette(
            routes=[
                Route("/static/js/{name}", self.script),
                Route("/base/static/js/{name}", self.script),
                Route("/static/./js/../js/{name}", self.script),
                Route("/media/{name}", self.script),
                Route("/{anything}/static/js/a.js", self.page),
            ]
        )

    async def script(self, request):
        self.requests += 1
        if request.path_params["name"] != "a.js":
            return Response(b"no such script", status_code=404)
        headers = {"cache-control": "public, immutable", "etag": '"1"'}
        return Response(SCRIPT, media_type="text/javascript", headers=headers)

    async def page(self, request):
        del request
        self.requests += 1
        return Response(PAGE, media_type="text/html")

    async def __call__(self, scope, receive, send):
        await self.routes(scope, receive, send)


def load(app, path, **headers):
    """Return the status, the headers and the body of an answer."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "root_path": "",
        "query_string": b"",
        "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()],
    }
    asyncio.run(app(scope, receive, send))
    result = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], result, b"".join(item.get("body", b"") for item in sent[1:])


@pytest.mark.parametrize("path", ["/static/js/a.js", "/base/static/js/a.js"])
@pytest.mark.parametrize(
    ("accepted", "coding"), [("gzip, deflate", "gzip"), ("gzip;q=1.0, br, zstd", "br")]
)
def test_a_script_is_compressed_once_as_the_browser_reads_it(path, accepted, coding):
    inner = Counting()
    app = Compressed(inner)
    for _ in range(3):
        status, headers, body = load(app, path, accept_encoding=accepted)
        assert status == 200
        assert headers["content-encoding"] == coding
        assert headers["content-length"] == str(len(body))
        assert headers["cache-control"] == "public, immutable"
        assert headers["vary"] == "accept-encoding"
        assert headers["content-type"].startswith("text/javascript")
        assert len(body) < len(SCRIPT) / 20
        assert UNDO[coding](body) == SCRIPT
    assert inner.requests == 1


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/static/js/a.js", {}),
        ("/static/js/a.js", {"accept_encoding": "identity"}),
        ("/static/js/a.js", {"accept_encoding": "gzip", "range": "bytes=0-9"}),
        ("/media/a.js", {"accept_encoding": "gzip, br"}),
        ("/static/./js/../js/a.js", {"accept_encoding": "gzip, br"}),
    ],
)
def test_what_cannot_be_compressed_or_may_change_is_sent_as_it_is(path, headers):
    status, result, body = load(Compressed(Counting()), path, **headers)
    assert (status, body) == (200, SCRIPT)
    assert "content-encoding" not in result


def test_what_is_missing_is_asked_for_again():
    inner = Counting()
    app = Compressed(inner)
    for _ in range(2):
        status, headers, body = load(app, "/static/js/b.js", accept_encoding="br")
        assert (status, body) == (404, b"no such script")
        assert "content-encoding" not in headers
    assert inner.requests == 2


def test_a_page_at_an_address_that_nothing_has_is_not_kept():
    """Else a visitor could fill the memory with it, under one address after the other."""
    inner = Counting()
    app = Compressed(inner)
    for place in range(3):
        status, headers, body = load(app, f"/{place}/static/js/a.js", accept_encoding="br")
        assert (status, body) == (200, PAGE)
        assert "content-encoding" not in headers
    assert inner.requests == 3
    assert not app._kept
