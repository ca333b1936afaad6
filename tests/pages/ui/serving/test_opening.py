"""What Streamlit's page tells a browser to load at once."""

import asyncio
import gzip
import re

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from docs import icons
from pages.ui.serving import opening, programs
from pages.ui.serving.opening import Opening
from tests.pages.ui.serving.test_compressed import load

PAGE = opening.STATIC.parent / "index.html"
HTML = "text/html,*/*;q=0.8"
REPORT = b"<html><head></head>a report</html>"


def app():
    routes = [
        Route("/", lambda _: Response(PAGE.read_bytes(), 200, {"etag": "1"}, "text/html")),
        Route("/report", lambda _: Response(REPORT, media_type="text/html")),
        Route("/script", lambda _: Response(PAGE.read_bytes(), media_type="text/javascript")),
        Route("/gone", lambda _: Response(PAGE.read_bytes(), 404, media_type="text/html")),
    ]
    return Opening(Starlette(routes=routes))


async def in_parts(_scope, _receive, send):
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"etag", b"1")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for line in PAGE.read_bytes().splitlines(keepends=True):
        await send({"type": "http.response.body", "body": line, "more_body": True})
    await send({"type": "http.response.body"})


@pytest.mark.parametrize("sender", [app(), Opening(in_parts)])
def test_streamlits_page_names_what_the_widgets_of_a_first_page_need(sender):
    status, headers, body = load(sender, "/", accept=HTML)
    assert status == 200
    assert int(headers["content-length"]) == len(body)
    assert not {"etag", "last-modified"} & set(headers)
    named = re.findall(r'<link rel="modulepreload" crossorigin.* href="\./(.*?)">', body.decode())
    assert len(set(named)) == len(named)
    for address in named:
        if address.startswith(f"{programs.FOLDER}/"):
            assert sent(address).status_code == 200
        else:
            assert (opening.STATIC.parent / address).is_file(), address
    for widget in opening.WIDGETS:
        assert any(address.startswith(f"static/js/{widget}.") for address in named), widget
    assert set(programs.firsts()) <= set(named)
    assert (
        sum((opening.STATIC.parent / item).stat().st_size for item in named if "static/" in item)
        < 5e6
    )


def sent(address):
    name = address.removeprefix(f"{programs.FOLDER}/")
    return asyncio.run(programs.send(Request({"type": "http", "path_params": {"name": name}})))


def test_its_styles_are_streamlits_with_another_font_of_icons():
    (address,) = re.findall(
        r'<link rel="stylesheet".*? href="\./(.*?)">', load(app(), "/", accept=HTML)[2].decode()
    )
    answer = sent(address)
    assert answer.headers["content-type"].startswith("text/css")
    fonts = re.findall(r"url\(([\w./-]+)\)", answer.body.decode())
    (icon_font,) = [item for item in fonts if not item.startswith("../static/media/")]
    kept = sent(f"{programs.FOLDER}/{icon_font}")
    assert kept.body == (icons.ROOT / "static" / "icons.woff2").read_bytes()
    assert kept.headers["content-type"] == "font/woff2"
    for item in fonts:
        if item != icon_font:
            assert (opening.STATIC / item.removeprefix("../static/")).is_file(), item


@pytest.mark.parametrize("path", ["/script", "/gone"])
def test_what_is_no_page_is_sent_as_it_is(path):
    assert load(app(), path, accept=HTML)[2] == PAGE.read_bytes()


def test_the_page_is_compressed_as_the_browser_reads_it():
    plain = load(app(), "/", accept=HTML)[2]
    _, headers, body = load(app(), "/", accept=HTML, accept_encoding="gzip, br")
    assert headers["content-encoding"] == "gzip"
    assert int(headers["content-length"]) == len(body)
    assert gzip.decompress(body) == plain


def test_another_page_is_sent_as_it_is():
    assert load(app(), "/report", accept=HTML)[2] == REPORT
