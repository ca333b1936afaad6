"""Processes are killed and memory ends in mid-work: what one session loses no other one notices.

A cluster's scheduler is killed in `tests/core/sweep/test_cluster.py`, a database's connection in
`tests/core/data/databases/test_trouble.py`, and disks are full in `tests/hostile/test_files.py`,
`tests/core/records/test_refusals.py` and `tests/core/command/test_bad_input.py`.
"""

import asyncio
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.memory import command, descendants
from tests.browser.served import ROOT, served
from tests.visitor import EXCEPTION, LostError, visiting

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="finds processes through /proc, which Linux has"
)

SLOW = "s=education&x=native-country&limit=60"
"""A question whose answer another process works out, for longer than the test takes."""

QUICK = "mech=watchdog"
"""A question that is answered at once."""

PATIENCE = 300.0
"""Seconds after which a server counts as hanging."""


def server_of(process):
    # the first: a worker that is just being started still has the name of its parent
    return next(item for item in descendants(process) if "streamlit" in command(item))


def workers(server):
    result = []
    for item in descendants(server):
        try:
            if "core.jobs.worker" in command(item):
                result.append(item)
        except FileNotFoundError:
            continue
    return result


async def wait_until(holds, what):
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, what
        await asyncio.sleep(0.05)


def require_answer(visitor, eps):
    """Say that a page has an answer to the question that was asked, and no exception."""
    assert float(visitor.query_value("eps") or 1) == eps
    assert visitor.says("survives"), visitor.texts
    assert not visitor.says(EXCEPTION), visitor.texts


async def through_kills(address, server):
    """Kill workers in mid-work, then bound the memory of the next ones, beside a quick session."""
    async with visiting(address) as slow, visiting(address) as quick:
        await quick.load(QUICK)
        await slow.load(SLOW)
        await wait_until(lambda: workers(server), "no worker began")
        for turn, harm in enumerate((kill, starve)):
            await wait_until(lambda: workers(server), "no worker came back")
            for worker in workers(server):
                harm(worker)
            eps = 0.5 + 0.25 * turn
            await quick.move("eps", eps)
            require_answer(quick, eps)
            await slow.move("eps", eps + 1)
            require_answer(slow, eps + 1)
        return slow.query


def kill(process):
    os.kill(process, signal.SIGKILL)


def starve(process):
    """Let a process have no more memory than it has."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[0])
        most = pages * os.sysconf("SC_PAGE_SIZE")
        resource.prlimit(process, resource.RLIMIT_AS, (most, most))
    except ProcessLookupError:
        pass


async def go_on(address, query):
    """Open the address that a lost page stood at."""
    async with visiting(address) as visitor:
        await visitor.load(query)
        require_answer(visitor, 1.75)
        return visitor.query


async def lose(address, server, query):
    """Kill a server while a session's question is being worked out; return its workers."""
    async with visiting(address) as visitor:
        await visitor.load(query)
        await wait_until(lambda: workers(server), "no worker began")
        left = workers(server)
        os.kill(server, signal.SIGKILL)
        with pytest.raises(LostError):
            await visitor.move("eps", 2.5)
        return left


def test_killed_workers_and_a_killed_server_cost_their_session_alone():
    with served() as address:
        server = server_of(os.getpid())
        query = asyncio.run(through_kills(address, server))
        assert "eps=1.75" in query
        left = asyncio.run(lose(address, server, query))
    asyncio.run(
        wait_until(lambda: not any(Path(f"/proc/{item}").exists() for item in left), "an orphan")
    )
    with served() as address:
        again = asyncio.run(go_on(address, query))
    assert again == query


HUNGRY = """
import resource
import numpy as np
from pathlib import Path
from core.errors import NoMemoryError
from pages.ui.work.store import SHARED

used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 200_000_000, resource.RLIM_INFINITY))
SHARED.put("large", np.zeros(100_000))
try:
    SHARED.get("too much", lambda: np.ones(100_000_000))
except NoMemoryError as error:
    print(error)
print(SHARED.get("little", lambda: float(np.ones(1_000).sum())), SHARED.find("large"))
"""


def test_memory_that_ends_for_one_answer_is_a_sentence_and_the_next_one_is_made():
    reported = subprocess.run(
        [sys.executable, "-c", HUNGRY],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    ).stdout.splitlines()
    assert reported[0].startswith("Not enough memory for this question")
    assert reported[1] == "1000.0 None"
