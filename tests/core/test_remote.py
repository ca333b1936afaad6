"""Jobs on a real cluster of Dask: a scheduler and two workers, each a process on loopback."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.memory import command, descendants
from core import clock
from core import remote as jobs
from core.data import DataSpec, count
from core.errors import InvalidInputError, SolverError
from core.jobs import Pool
from core.jobs.job import BEGUN
from core.jobs.work import read_shared
from core.remote import HERE, RemoteJobs
from core.scenario import Scenario, answer
from core.stored import to_bytes
from core.sweep.cluster import VARIABLE
from tests.browser.served import ROOT, served
from tests.core.sweep.clusters import end, scheduler, until, workers
from tests.visitor import EXCEPTION, visiting

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="finds processes through /proc, which Linux has"
)

NOBODY = "tcp://127.0.0.1:9"
"""Where no scheduler listens."""

DATA = DataSpec(secret=("education",), released=("native-country",))

QUICK = Scenario(DATA, mechanism="subset_merging")

SOLVED = Scenario(
    DataSpec(secret=("education",), released=("occupation",)), eps=0.7, time_limit=600.0
)

ENDLESS = replace(QUICK, mechanism="optimal", eps=0.3, gap=1e-9, time_limit=600.0)
"""A search that takes longer than a test."""


@pytest.fixture(autouse=True)
def measuring(monkeypatch):
    """Let time be measured, as it is on the cluster's machines, and no try come by the clock."""
    monkeypatch.setattr(jobs, "RETRY", 1e9)
    with clock.using(time.monotonic):
        yield


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    with scheduler(folder) as (address, _), workers(folder, address) as both:
        yield address, both


@pytest.fixture
def remote(cluster):
    result = Counted(cluster[0])
    yield result
    result.close()


class Counted(RemoteJobs):
    """Counts the jobs that the cluster has ended."""

    ran = 0

    def run(self, job, content):
        ended = super().run(job, content)
        self.ran += ended
        return ended


def solvers(processes):
    """Return the processes beside the cluster's workers, of which some may rest."""
    below = [item for process in processes for item in descendants(process.pid)]
    return [item for item in below if "core.jobs.worker" in command_of(item)]


def solving(processes):
    """Return those that use the processor."""
    before = {item: ticks(item) for item in solvers(processes)}
    time.sleep(0.3)
    return [item for item, used in before.items() if ticks(item) > used]


def solver(processes):
    """Wait until one process alone is at work, as one that has just been started is too."""
    return until(lambda: len(result := solving(processes)) == 1 and result)


def ticks(process):
    """Return how much of the processor a process has used; 0 where it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0
    return int(fields[11]) + int(fields[12])


def command_of(process):
    try:
        return command(process)
    except FileNotFoundError:
        return ""


def submitted(pool, scenario, limit=600.0):
    return pool.submit(answer, scenario, count(scenario.data), time_limit=limit)


def bits(result):
    return to_bytes(replace(result, seconds=0.0))


def test_the_same_bits_come_from_the_cluster(remote):
    with Pool(1, elsewhere=remote) as there, Pool(1) as here:
        for scenario in (QUICK, SOLVED):
            outcome = bits(submitted(there, scenario).result())
            same = outcome == bits(submitted(here, scenario).result())
            assert same  # pytest would compare all bytes to say how they differ
        wrong = replace(QUICK, mechanism="polyopt")
        with pytest.raises(InvalidInputError, match="PolyOpt does not work"):
            submitted(there, wrong).result()
    assert remote.ran == 3
    assert remote.problem == ""
    assert not remote.takes(read_shared)


def test_a_job_is_followed_cancelled_and_limited(remote, cluster):
    with Pool(2, elsewhere=remote) as pool:
        job = submitted(pool, ENDLESS)
        until(lambda: job.progress == BEGUN)
        at_work = solver(cluster[1])
        job.cancel()
        until(lambda: not set(at_work) & set(solvers(cluster[1])))
        with pytest.raises(SolverError, match="was canceled"):
            job.result()
        with pytest.raises(SolverError, match="stopped after 1 s, its time limit"):
            submitted(pool, ENDLESS, limit=1.0).result()
    assert remote.problem == ""


CLIENT = """
import sys, time
from core.jobs import Pool
from core.jobs.job import BEGUN
from core.remote import RemoteJobs
from tests.core.test_remote import ENDLESS, submitted

pool = Pool(1, elsewhere=RemoteJobs(sys.argv[1]))
job = submitted(pool, ENDLESS)
while job.progress != BEGUN:
    time.sleep(0.05)
print(BEGUN, flush=True)
time.sleep(9999)
"""


def test_what_a_killed_server_has_asked_for_ends(cluster):
    address, both = cluster
    server = subprocess.Popen(
        [sys.executable, "-c", CLIENT, address],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout.readline() == f"{BEGUN}\n"
    at_work = solver(both)
    server.send_signal(signal.SIGKILL)
    server.wait()
    server.stdout.close()
    until(lambda: not set(at_work) & set(solvers(both)))


def test_a_scheduler_that_is_not_there_costs_a_sentence(capfd):
    remote = RemoteJobs(NOBODY)
    with Pool(1, elsewhere=remote) as pool:
        assert submitted(pool, QUICK).result().mechanism.n_y >= 1
        submitted(pool, QUICK).result()  # it is not tried again at once
    assert remote.problem == HERE
    assert NOBODY not in HERE
    words = capfd.readouterr().err
    assert words.count("Solving on this server alone.") == 1
    assert f"No scheduler answers at {NOBODY}" in words


def test_a_cluster_that_has_no_workers_left_costs_a_sentence(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(jobs, "NOBODY", 0.1)
    with scheduler(tmp_path) as (address, _), workers(tmp_path, address) as both:
        remote = Counted(address)
        with Pool(1, elsewhere=remote) as pool:
            job = submitted(pool, ENDLESS)
            while not solving(both):
                time.sleep(0.05)
            for process in both:
                end(process)
            while not remote.problem:
                time.sleep(0.05)
            job.cancel()
            assert submitted(pool, QUICK).result().mechanism.n_y >= 1
    assert (remote.ran, remote.problem) == (0, HERE)
    assert "no worker is left" in capfd.readouterr().err


def test_workers_of_another_version_are_refused(remote, monkeypatch, capfd):
    own = jobs.identity()
    monkeypatch.setattr(jobs, "identity", lambda: own | {"numpy": "0.1"})
    with Pool(1, elsewhere=remote) as pool:
        assert submitted(pool, QUICK).result().mechanism.n_y >= 1
    assert (remote.ran, remote.problem) == (0, HERE)
    assert "instead of 0.1" in capfd.readouterr().err


def test_one_that_comes_later_is_refused_too(remote, capfd):
    with Pool(1, elsewhere=remote) as pool:
        submitted(pool, QUICK).result()
        remote._own = remote._own | {"numpy": "0.1"}
        assert submitted(pool, QUICK).result().mechanism.n_y >= 1
    assert (remote.ran, remote.problem) == (1, HERE)
    assert "instead of 0.1" in capfd.readouterr().err


def test_the_environment_names_the_cluster(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert RemoteJobs.named() is None
    monkeypatch.setenv(VARIABLE, NOBODY)
    assert RemoteJobs.named().address == NOBODY


async def page_goes_on(address, process, both):
    """Kill the scheduler while the cluster solves for a page; the server then solves itself."""
    async with visiting(address) as visitor:
        await visitor.load("s=education&x=native-country&eps=0.3&limit=60")
        while not solving(both):
            await asyncio.sleep(0.05)
        assert not visitor.says(HERE[:30])
        end(process)
        while not visitor.says(HERE[:30]):
            await asyncio.sleep(0.05)
        assert visitor.says("survives")
        assert not visitor.says(EXCEPTION), visitor.texts


def test_a_page_is_answered_by_the_cluster_and_goes_on_without(tmp_path, monkeypatch):
    with scheduler(tmp_path) as (address, process), workers(tmp_path, address) as both:
        monkeypatch.setenv(VARIABLE, address)
        with served() as page:
            asyncio.run(page_goes_on(page, process, both))
