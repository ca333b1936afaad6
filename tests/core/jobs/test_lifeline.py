"""Workers end with their server, whatever ends it, and say nothing."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.errors import SolverError
from core.jobs import Pool
from tests.core.jobs import calls

ROOT = Path(__file__).parents[3]

PATIENCE = 120.0
"""Seconds after which a process counts as hanging."""

BEGIN = "from core.jobs import worker; worker.main(0, int(sys.argv[2])); sys.exit(3)"
"""A worker that says so if it does not end at once."""

SERVER = """
import sys, time
from core.jobs import Pool
from tests.core.jobs import calls

pool = Pool(1)
job = pool.submit(getattr(calls, sys.argv[1]), time_limit=600)
while not isinstance(job.progress, int):
    time.sleep(0.01)
print(job.progress, flush=True)
time.sleep(600)
"""


def alive(process: int) -> bool:
    """Say whether a process runs; one that ended and is not waited for yet does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes through /proc")
@pytest.mark.parametrize("call", ["spin", "sleep_on", "hold_the_lock"])
def test_no_worker_outlives_a_server_that_is_killed(call):
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, call],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    at_work = int(server.stdout.readline())
    assert alive(at_work)
    server.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE
    while alive(at_work) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(at_work)
    assert server.communicate()[1] == ""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes through /proc")
def test_a_worker_whose_server_was_gone_before_it_began_ends_at_once():
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    worker = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv = ['', '0', '{gone.pid}']; {BEGIN}"],
        timeout=PATIENCE,
        cwd=ROOT,
        check=False,
    )
    assert worker.returncode == 0


def test_a_pool_that_is_killed_ends_its_workers_and_begins_no_other():
    pool = Pool(1)
    job = pool.submit(calls.sleep, 6000, time_limit=6000)
    while job.progress is None:
        time.sleep(0.01)
    waiting = pool.submit(calls.double, 21, time_limit=6000)
    (process,) = pool._processes
    pool.kill()
    for ended in (job, waiting):
        with pytest.raises(SolverError):
            ended.result(PATIENCE)
    process.wait(PATIENCE)
    pool.close()
    assert all(item.poll() is not None for item in pool._processes)
