"""Sweeps on a real cluster of Dask: a scheduler and its workers, each a process on loopback."""

import shutil
import signal
import socket
import subprocess
import sys
import threading

import pytest

from core.__main__ import main
from core.errors import InvalidInputError, SolverError
from core.sweep import Results, run
from core.sweep import cluster as module
from core.sweep.cluster import ClusterWorkers, OtherVersionError
from core.sweep.points import chunks
from tests.core.sweep.clusters import PATIENCE, ROOT, end, scheduler, until, workers
from tests.core.sweep.makers import LARGE, SWEEP, Here, bits, die


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cluster")


@pytest.fixture(scope="module")
def address(folder):
    with scheduler(folder) as (result, _), workers(folder, result):
        yield result


def local(sweep, out):
    with Results(sweep, out) as results:
        run(sweep, results, Here())
    return bits(out)


@pytest.fixture(scope="module")
def small(folder):
    return local(SWEEP, folder / "small.parquet")


@pytest.fixture(scope="module")
def large(folder):
    return local(LARGE, folder / "large.parquet")


def test_a_cluster_gives_the_same_bits(address, small, tmp_path):
    out = tmp_path / "out.parquet"
    reported = []
    with Results(SWEEP, out) as results, ClusterWorkers(address) as cluster:
        assert cluster.room == 8
        ended = run(SWEEP, results, cluster, progress=reported.append)
    assert (ended.done, ended.lost) == (48, 0)
    assert reported[-1] == 48
    assert bits(out) == small


def test_a_killed_worker_costs_nothing_but_its_points_time(small, tmp_path):
    out = tmp_path / "out.parquet"
    killed = []
    with scheduler(tmp_path) as (result, _), workers(tmp_path, result) as both:

        def kill_one(done):
            if not killed:
                killed.append(done)
                end(both[0])

        with Results(SWEEP, out) as results, ClusterWorkers(result) as cluster:
            assert run(SWEEP, results, cluster, progress=kill_one).done == 48
    assert killed[0] < 48
    assert bits(out) == small


DYING = """
import os, signal, sys
from core.__main__ import main
from core.sweep import Results

flush = Results.flush

def dying(self):
    flush(self)
    if self._written:
        os.kill(os.getpid(), signal.SIGKILL)

Results.flush = dying
main(sys.argv[1:])
"""
"""A client that is killed as soon as it has written points, however busy the machine is."""


def test_a_killed_client_is_gone_on_with(address, large, tmp_path, capsys):
    request, out = tmp_path / "sweep.json", tmp_path / "out.parquet"
    request.write_text(LARGE.to_json(), encoding="utf-8")
    line = ["sweep", str(request), "--out", str(out), "--scheduler", address]
    with (tmp_path / "client.log").open("w") as log:
        client = subprocess.Popen(
            [sys.executable, "-c", DYING, *line], cwd=ROOT, stdout=log, stderr=log
        )
    parts = out.with_name("out.parquet.parts")
    assert client.wait(PATIENCE) == -signal.SIGKILL
    with Results(LARGE, out, resume=True) as results:
        assert 0 < results.count < LARGE.size
    assert main(line) == 2
    assert "continue with --resume" in capsys.readouterr().err
    assert main([*line, "--resume"]) == 0
    assert not parts.exists()
    assert bits(out) == large


def test_workers_of_another_version_are_refused(tmp_path):
    other = tmp_path / "other"
    shutil.copytree(
        ROOT / "core", other / "core", ignore=shutil.ignore_patterns("__pycache__", "*.parquet")
    )
    with (other / "core" / "limits.py").open("a") as file:
        file.write("\n# changed\n")
    none = tmp_path / "none"
    none.mkdir()
    with scheduler(tmp_path) as (result, _):
        with workers(tmp_path, result, 1, other):
            with pytest.raises(OtherVersionError) as reported:
                ClusterWorkers(result)
            assert "has another version of liftscope (code " in str(reported.value)
            assert "install the same everywhere" in str(reported.value)
        with workers(tmp_path, result, 1, none), pytest.raises(OtherVersionError) as reported:
            ClusterWorkers(result)
        assert "No module named 'core'" in str(reported.value)
        assert "\n" not in str(reported.value)


def test_a_worker_of_another_version_that_comes_later_is_refused(address, tmp_path):
    with Results(SWEEP, tmp_path / "out") as results, ClusterWorkers(address) as cluster:
        cluster._own = cluster._own | {"numpy": "0.1"}
        with pytest.raises(OtherVersionError, match=r"has numpy .* instead of 0\.1"):
            run(SWEEP, results, cluster)


def test_points_that_kill_their_workers_are_lost(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "computed", die)
    first, *_ = chunks(SWEEP)
    with (
        scheduler(tmp_path, failures=0) as (result, _),
        workers(tmp_path, result, 1),
        ClusterWorkers(result) as cluster,
    ):
        cluster.submit(first)
        ((chunk, outcome),) = until(cluster.finished)
    assert chunk is first
    assert isinstance(outcome, SolverError)
    assert str(outcome) == "1 worker died while computing the same points."


def test_a_scheduler_that_goes_away_leaves_what_has_been_computed(tmp_path, capsys, monkeypatch):
    request, out = tmp_path / "sweep.json", tmp_path / "out.parquet"
    request.write_text(LARGE.to_json(), encoding="utf-8")
    flush = Results.flush
    with scheduler(tmp_path) as (result, process), workers(tmp_path, result, 1):

        def flushed(results):
            flush(results)
            if results.count and process.poll() is None:
                end(process)

        monkeypatch.setattr(Results, "flush", flushed)
        assert main(["sweep", str(request), "--out", str(out), "--scheduler", result]) == 3
    reported = capsys.readouterr().err
    assert "is gone" in reported
    assert "the same command with --resume continues" in reported
    with Results(LARGE, out, resume=True) as results:
        assert 0 < results.count < LARGE.size


def test_a_scheduler_without_workers_is_told(folder, monkeypatch):
    monkeypatch.setattr(module, "ANSWER", 1.0)
    with (
        scheduler(folder) as (result, _),
        pytest.raises(InvalidInputError, match="has no worker: start one"),
    ):
        ClusterWorkers(result)


def test_an_address_where_nobody_listens_is_one_sentence(tmp_path, capsys, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as line:
        port = line.getsockname()[1]
    request = tmp_path / "sweep.json"
    request.write_text(SWEEP.to_json(), encoding="utf-8")
    monkeypatch.setenv(module.VARIABLE, f"tcp://127.0.0.1:{port}")
    assert main(["sweep", str(request), "--out", str(tmp_path / "out.parquet")]) == 2
    reported = capsys.readouterr().err.splitlines()
    assert reported[-1] == (
        f"No scheduler answers at tcp://127.0.0.1:{port}: start one there, or leave the address "
        "out."
    )
    assert len(reported) == 2
    assert list(tmp_path.iterdir()) == [request]


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"hi", b""])
def test_another_server_is_no_scheduler(greeting):
    with socket.create_server(("127.0.0.1", 0)) as line:

        def greet():
            caller, _ = line.accept()
            caller.sendall(greeting)
            caller.close()

        server = threading.Thread(target=greet)
        server.start()
        with pytest.raises(InvalidInputError, match="No scheduler answers"):
            ClusterWorkers(f"tcp://127.0.0.1:{line.getsockname()[1]}")
        server.join()


@pytest.mark.parametrize("address", ["nonsense", "http://a:1", "tcp://", "tcp://a", "tcp://a:b"])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(InvalidInputError, match="is written tcp://HOST:PORT"):
        ClusterWorkers(address)


def test_a_port_that_cannot_be_is_refused():
    with pytest.raises(InvalidInputError, match="No scheduler answers"):
        ClusterWorkers("tcp://127.0.0.1:99999")


def test_without_dask_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InvalidInputError, match=r"pip install 'liftscope\[cluster\]'"):
        ClusterWorkers("tcp://127.0.0.1:8786")
