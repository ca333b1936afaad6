"""The server's own part: its headers, what it keeps closed, and what it leaves behind."""

import asyncio
import signal
import subprocess
import sys

import pytest
from streamlit import net_util
from streamlit.testing.v1 import AppTest

import app as application
from core.data import Sources, folders
from pages.ui.frame import server
from pages.ui.work import store
from tests.pages.waiting import PATIENCE


async def plain(scope, _receive, send):
    started = {"type": "http.response.start", "status": 200}
    await send(started | {"headers": [(b"content-type", b"text/plain"), (b"X-Frame-Options", b"")]})
    await send({"type": "http.response.body", "body": scope["path"].encode()})


def answered(path, kind="http", **headers):
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "websocket.connect"}

    named = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": kind, "path": path, "headers": named}
    asyncio.run(server.Guard(plain)(scope, receive, send))
    return sent


@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/data", "/_stcore/metrics2"])
def test_every_answer_has_each_header_once_and_keeps_its_own(path):
    start, body = answered(path)
    names = [name.decode().lower() for name, _ in start["headers"]]
    assert sorted(names) == sorted([*server.HEADERS, "content-type"])
    assert dict(start["headers"])[b"x-frame-options"] == b"DENY"
    assert "frame-ancestors 'none'" in server.HEADERS["content-security-policy"]
    assert (start["status"], body["body"]) == (200, path.encode())


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/metrics/", "/a/_stcore/metrics"])
def test_how_many_visitors_there_are_is_told_to_none(path):
    start, body = answered(path)
    assert (start["status"], body["body"]) == (404, b"")
    assert len(start["headers"]) == len(server.HEADERS)


@pytest.mark.parametrize(
    ("path", "kind", "leads"),
    [
        ("/a/b", server.HTML, b"../b"),
        ("/a/b/compare/", server.HTML, b"../../../compare"),
        ("//evil.example/x:y", server.HTML, b"../../x%3Ay"),
        ("/compare", server.HTML, b""),
        ("/", server.HTML, b""),
        ("/media/found.csv", b"text/csv", b""),
        ("/media/report.html", server.HTML, b""),
    ],
)
def test_an_address_of_several_parts_leads_to_that_of_its_last_one(path, kind, leads, monkeypatch):
    async def page(_scope, _receive, send):
        about = [(b"content-type", kind), (b"content-length", b"4")]
        await send({"type": "http.response.start", "status": 200, "headers": about})
        await send({"type": "http.response.body", "body": b"page"})

    monkeypatch.setitem(globals(), "plain", page)
    start, body = answered(path)
    assert dict(start["headers"]).get(b"location", b"") == leads
    assert (start["status"], body["body"]) == ((307, b"") if leads else (200, b"page"))
    assert dict(start["headers"])[b"content-length"] == str(len(body["body"])).encode()


def test_below_a_path_of_the_owners_an_address_has_one_part(monkeypatch):
    monkeypatch.setattr(server.config, "get_option", {"server.baseUrlPath": "/tools/"}.get)
    assert server.of_one_part("/tools/compare") == server.of_one_part("/tools/") == ""
    assert server.of_one_part("/tools/a/b", "x=1") == "../b?x=1"


def test_a_websocket_passes_as_it_is():
    assert len(answered("/_stcore/stream", "websocket")[0]["headers"]) == 2


@pytest.mark.parametrize(
    ("origin", "host", "refused"),
    [
        ("http://127.0.0.1:8501", "127.0.0.1:8501", False),
        ("https://liftscope.example.org", "liftscope.example.org", False),
        ("https://liftscope.example.org:8443", "liftscope.example.org", False),
        ("http://[::1]:8501", "[::1]:8501", False),
        ("http://evil.example", "127.0.0.1:8501", True),
        ("http://localhost:3000", "127.0.0.1:8501", True),
        ("http://127.0.0.1.evil.example", "127.0.0.1:8501", True),
        ("http://127.0.0.1@evil.example", "127.0.0.1:8501", True),
        ("http://[evil", "127.0.0.1:8501", True),
        ("null", "127.0.0.1:8501", True),
        ("http://evil.example", "", True),
        ("http://evil.example:8501", "evil.example:8501", True),
        ("http://127.0.0.1.evil.example", "127.0.0.1.evil.example", True),
        ("http://127.0.0.1:8501, http://evil.example", "127.0.0.1:8501", True),
        ("//127.0.0.1:8501", "127.0.0.1:8501", True),
        ("http://localhost:8501", "localhost:8501", False),
        ("http://laptop:8501", "laptop:8501", False),
        ("http://laptop.local:8501", "laptop.local:8501", False),
        ("http://192.168.1.5:8501", "192.168.1.5:8501", False),
    ],
)
def test_a_websocket_is_for_pages_of_this_host_and_nobody_on_the_internet_is_asked(
    monkeypatch, origin, host, refused
):
    request = []
    monkeypatch.setattr(net_util, "get_external_ip", lambda: request.append(1))
    sent = answered("/_stcore/stream", "websocket", origin=origin, host=host)
    assert (sent[0]["type"] == "websocket.close") == refused
    assert request == []


def test_a_name_that_leads_here_counts_where_the_owner_gives_it_and_is_told_once(
    monkeypatch, capsys
):
    headers = [(b"host", b"lab.example.org"), (b"origin", b"http://lab.example.org")]
    assert server.is_foreign(headers)
    guard = server.Guard(None)
    guard._say(headers)
    guard._say(headers)
    assert capsys.readouterr().err == server.UNKNOWN.format("'lab.example.org'") + "\n"
    options = {
        "server.corsAllowedOrigins": [],
        "server.enableCORS": True,
        "browser.serverAddress": "lab.example.org",
    }
    monkeypatch.setattr(server.config, "get_option", options.__getitem__)
    assert not server.is_foreign(headers)


def test_other_pages_that_the_owner_allows_may_connect(monkeypatch):
    options = {"server.corsAllowedOrigins": ["https://b.example"], "server.enableCORS": True}
    monkeypatch.setattr(server.config, "get_option", options.__getitem__)
    for origin, refused in (("https://b.example", False), ("https://c.example", True)):
        sent = answered("/_stcore/stream", "websocket", origin=origin, host="a.example")
        assert (sent[0]["type"] == "websocket.close") == refused


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def ended():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_server_removes_what_dead_ones_left_and_at_its_end_its_own(temporary, monkeypatch):
    killed: list[bool] = []
    monkeypatch.setattr(server.WORKERS, "kill", lambda: killed.append(True))
    monkeypatch.setattr(server, "_end", lambda: None)
    others = ["liftscope-1-session", "liftscope-other", "another", f"liftscope-{10**9}0-a-b"]
    left = [f"{folders.prefix(ended())}{kind}" for kind in ("session", "spill-x")]
    for name in [*others, *left]:
        (temporary / name).mkdir()
        (temporary / name / "records.parquet").write_bytes(b"")
    own = Sources()
    own.add_bytes(b"s,x\na,b\nc,d\n", "a.csv")

    async def live():
        async with server.life(None):
            names = {path.name for path in temporary.iterdir()}
            assert names == {*others, own._folder.name}
            assert killed == []

    asyncio.run(live())
    assert {path.name for path in temporary.iterdir()} == set(others)
    assert killed == [True]


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows has no SIGHUP")
@pytest.mark.parametrize("ignored", [False, True])
def test_a_closed_terminal_stops_a_server_as_sigterm_does_but_for_nohup(
    temporary, monkeypatch, ignored
):
    assert temporary.is_dir()
    monkeypatch.setattr(server.WORKERS, "kill", lambda: None)
    monkeypatch.setattr(server, "_end", lambda: None)
    reported = []
    before = signal.getsignal(signal.SIGHUP), signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)
    signal.signal(signal.SIGTERM, lambda number, _: reported.append(number))

    async def live():
        async with server.life(None):
            if ignored:
                assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            else:
                assert callable(signal.getsignal(signal.SIGHUP))
                signal.raise_signal(signal.SIGHUP)

    try:
        asyncio.run(live())
    finally:
        signal.signal(signal.SIGHUP, before[0])
        signal.signal(signal.SIGTERM, before[1])
    assert reported == ([] if ignored else [signal.SIGTERM])


HUNGRY = """
import errno
import streamlit as st
from pages.ui.frame import server

@st.fragment
def part():
    try:
        raise {error}
    except Exception as error:
        if not server.report_error(error):
            raise

part()
st.write("the rest")
"""


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("MemoryError()", "Not enough memory"),
        ("OSError(errno.ENOMEM, 'Cannot allocate memory')", "Not enough memory"),
        ("OSError(errno.ENOSPC, 'No space left on device', '/srv/a')", "The server's disk is full"),
        ("ValueError('a secret')", ""),
    ],
)
def test_what_the_server_lacks_is_a_sentence_and_what_it_kept_is_given_up(
    monkeypatch, error, message
):
    monkeypatch.setattr(store, "SHARED", store.Store(10))
    store.SHARED.put("large", b"a" * (store.SMALL + 1))
    app = AppTest.from_string(HUNGRY.format(error=error), default_timeout=PATIENCE).run()
    assert [item.value[: len(message)] for item in app.error] == [message] * bool(message)
    assert not any("/srv" in item.value for item in app.error)
    assert bool(app.exception) == (not message)
    assert (store.SHARED.find("large") is None) == ("memory" in message)


def test_the_server_asks_for_that_sentence():
    assert application.app._on_script_error is server.report_error
