"""The server's own part: its headers, what it keeps closed, and what it leaves behind."""

import asyncio
import subprocess
import sys

import pytest

from core.data import Sources, folders
from pages.ui.frame import server


async def plain(scope, _receive, send):
    started = {"type": "http.response.start", "status": 200}
    await send(started | {"headers": [(b"content-type", b"text/plain"), (b"X-Frame-Options", b"")]})
    await send({"type": "http.response.body", "body": scope["path"].encode()})


def answered(path, kind="http"):
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(server.Guard(plain)({"type": kind, "path": path}, None, send))
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


def test_a_websocket_passes_as_it_is():
    assert len(answered("/_stcore/stream", "websocket")[0]["headers"]) == 2


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
