"""Two servers behind nginx: a browser stays with one; if that is lost, the other goes on."""

import asyncio
import contextlib
import http.client
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import pages.ui.serving.__main__ as serving
from benchmarks.memory import command, descendants
from core.errors import InvalidInputError, SolverError
from core.limits import MAX_UPLOAD_MB
from pages.ui.serving import running
from pages.ui.serving.running import COOKIE
from tests.browser.served import ROOT
from tests.visitor import EXCEPTION, LostError, visiting

PATIENCE = 300.0
"""Seconds after which a server counts as hanging."""

try:
    running.nginx()
except InvalidInputError:
    MISSING = True
else:
    MISSING = False

needs_nginx = pytest.mark.skipif(MISSING, reason="nginx is not installed: .ci/nginx installs it")


def until(holds, what):
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.1)


def got(port, cookie="", path="/_stcore/health", **headers):
    """Return the status and the proxy's cookie of an answer."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        line.putrequest("PUT" if headers else "GET", path)
        if cookie:
            line.putheader("Cookie", cookie)
        for name, value in headers.items():
            line.putheader(name.replace("_", "-"), value)
        line.endheaders()
        answer = line.getresponse()
        cookies = answer.headers.get_all("Set-Cookie") or []
        return answer.status, [item for item in cookies if item.startswith(COOKIE)]
    finally:
        line.close()


async def loses_one(replicas, address):
    first, second = (f"{COOKIE}=replica{number}" for number in (1, 2))
    async with visiting(address, first) as lost, visiting(address, second) as stays:
        await lost.load("mech=watchdog&eps=0.5")
        assert not lost.says("was lost")
        await stays.load("mech=watchdog&eps=0.5")
        await lost.move("eps", 0.75)
        replicas.replicas[0].process.kill()
        replicas.replicas[0].process.wait()
        with pytest.raises(LostError):
            await lost.move("eps", 1.25)
        await stays.move("eps", 2.0)
        assert stays.query_value("eps") == "2"
        async with visiting(address, first, "a-session") as again:  # the other server takes it
            await again.load(lost.query)
            assert again.says("The connection to the server was lost")
            assert again.query_value("eps") == lost.query_value("eps") == "0.75"
            assert again.says("survives")
            await again.move("eps", 1.5)
            assert again.query_value("eps") == "1.5"
            assert not again.says(EXCEPTION)
        await stays.move("eps", 2.5)
        assert stays.says("survives")


@needs_nginx
def test_a_server_that_is_lost_takes_nothing_but_its_sessions():
    (port,) = running.free_ports(1)
    with running.Replicas(2, port) as replicas:
        until(lambda: all(item.answers() for item in replicas.replicas), "no server began")
        until(lambda: replicas.replicas[0].look(), "the first server did not answer")
        status, cookies = got(port)
        assert status == 200
        assert cookies[0].split(";")[0] in {f"{COOKIE}=replica1", f"{COOKIE}=replica2"}
        assert got(port, f"{COOKIE}=replica2") == (200, [])
        assert len(got(port, f"{COOKIE}=elsewhere")[1]) == 1
        large = str((MAX_UPLOAD_MB + 1) * 1024 * 1024)
        assert got(port, path="/_stcore/upload_file/a/b", Content_Length=large)[0] == 413
        asyncio.run(loses_one(replicas, f"http://127.0.0.1:{port}"))
        ended, reported = threading.Event(), []

        def record(words):
            reported.append(words)
            ended.set()

        replicas.watch(ended, record)
        assert reported == ["Server 1 stopped or did not answer; another replaces it."]
        until(lambda: replicas.replicas[0].look(), "no other server took its place")
        assert [item.starts for item in replicas.replicas] == [2, 1]
        replicas.proxy.kill()
        replicas.proxy.wait()
        with pytest.raises(SolverError, match="nginx has ended"):
            replicas.watch(threading.Event(), reported.append)
    assert all(item.process.poll() is not None for item in replicas.replicas)


def begin(**environment):
    """Start a process that keeps one server, and wait until that is up."""
    (port,) = running.free_ports(1)
    code = (
        "import runpy, signal; signal.signal(signal.SIGHUP, signal.SIG_DFL); "
        "runpy.run_module('pages.ui.serving', run_name='__main__')"
    )  # tests may run under nohup, which their processes would inherit
    begun_by = subprocess.Popen(
        [sys.executable, "-c", code, "--replicas", "1", "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
    )
    assert begun_by.stdout.readline().startswith("1 servers at http://127.0.0.1:")
    return begun_by


@needs_nginx
@pytest.mark.skipif(sys.platform != "linux", reason="Linux ends processes with their parent")
def test_no_process_outlives_the_one_that_started_them():
    begun_by = begin()
    masters = []

    def has_master():  # a moment after it begins it calls itself that
        for item in descendants(begun_by.pid):
            with contextlib.suppress(FileNotFoundError):  # it has ended meanwhile
                masters.extend([item] if command(item).startswith("nginx: master") else [])
        return bool(masters)

    until(has_master, "no master of nginx")
    begun = descendants(begun_by.pid)
    assert len(begun) >= 2
    os.kill(masters[0], signal.SIGKILL)  # its worker is told nothing, and has another parent now
    begun_by.kill()
    begun_by.wait()
    begun_by.stdout.close()
    until(lambda: not any(Path(f"/proc/{item}").exists() for item in begun), "an orphan")


@needs_nginx
@pytest.mark.skipif(sys.platform != "linux", reason="finds processes through /proc")
def test_a_closed_terminal_ends_all_and_leaves_no_folder(tmp_path):
    begun_by = begin(TMPDIR=str(tmp_path))
    begun = descendants(begun_by.pid)
    assert begun
    assert list(tmp_path.iterdir())
    begun_by.send_signal(signal.SIGHUP)
    assert begun_by.wait() == 0
    begun_by.stdout.close()
    until(lambda: not any(Path(f"/proc/{item}").exists() for item in begun), "an orphan")
    assert not list(tmp_path.iterdir())


GUARDED = """
import subprocess, sys, time
from pages.ui.serving.running import guard

group = subprocess.Popen(["/bin/sh", "-c", "sleep 9999 & sleep 9999"], start_new_session=True)
keeper = guard(group)
print(group.pid, keeper.pid, flush=True)
time.sleep(9999)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="finds processes through /proc")
def test_a_group_of_processes_ends_with_a_killed_one_that_guards_it():
    started = subprocess.Popen(
        [sys.executable, "-c", GUARDED],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    group, keeper = map(int, started.stdout.readline().split())
    until(lambda: len(descendants(group)) == 2, "no two sleep")
    left = [group, keeper, *descendants(group)]
    started.kill()
    started.wait()
    started.stdout.close()
    until(lambda: not any(Path(f"/proc/{item}").exists() for item in left), "an orphan")


def test_what_cannot_be_started_is_a_sentence(capsys, monkeypatch):
    monkeypatch.setattr(serving, "ending", threading.Event)  # no signal of the test's own process
    monkeypatch.setattr(serving, "stop_when_hung_up", lambda: None)
    assert serving.main(["--replicas", "0"]) == 2
    assert "replicas" in capsys.readouterr().err
    monkeypatch.setattr(running.shutil, "which", lambda *_, **__: None)
    assert serving.main(["--replicas", "2"]) == 2
    assert "need nginx, which is not installed" in capsys.readouterr().err


def test_a_server_that_hangs_is_replaced_and_one_that_begins_is_waited_for(monkeypatch):
    begun = []

    class Process:
        def __init__(self):
            self.killed = False
            begun.append(self)

        def poll(self):
            return None

        def kill(self):
            self.killed = True

        def wait(self):
            return 0

    monkeypatch.setattr(running.Replica, "_start", start(Process))
    replica = running.Replica(1)
    monkeypatch.setattr(replica, "answers", lambda: False)
    for _ in range(10):
        assert not replica.look()
    assert replica.starts == 1  # it has not answered yet: it may still begin
    monkeypatch.setattr(replica, "answers", lambda: True)
    assert replica.look()
    monkeypatch.setattr(replica, "answers", lambda: False)
    for _ in range(running.MISSES):
        assert not replica.look()
    assert replica.starts == 2
    assert [item.killed for item in begun] == [True, False]
    for _ in range(int(running.BEGINNING / running.LOOK) + 1):
        replica.look()
    assert replica.starts == 3


def start(kind):
    """Return a start that begins a process of a kind, and counts as the real one does."""

    def began(replica):
        replica.starts += 1
        replica._misses, replica._answered, replica._waited = 0, False, 0.0
        return kind()

    return began
