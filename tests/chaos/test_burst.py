"""A hundred pages are opened at once and closed again: none waits for all, and nothing stays.

The server collects garbage oftener here than at work: else the test would take minutes more.
"""

import asyncio
import os
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from benchmarks.load import processor
from tests.browser.served import ROOT, served
from tests.chaos.test_chaos import QUICK, SLOW, server_of, wait_until, workers
from tests.visitor import EXCEPTION, visiting

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="finds processes through /proc, which Linux has"
)

PAGES = 100

OWN = 40
"""Further pages, which ask about a colleague's upload: each has a folder for one."""

HANDSHAKE = 10.0
"""Seconds that a newcomer may wait for a connection while the others' scripts run."""

STOPPED = 40.0
"""Seconds within which work ends once all tabs are closed: a page may come back before."""

FORGOTTEN = 121.0
"""Seconds after which Streamlit forgets a closed page, as soon as another one comes."""

OFTENER = """
from pages.ui.frame import gc_freeze

gc_freeze.INTERVAL, gc_freeze.THAW = 1.0, 2
"""
"""The end of the app's script in this test."""


@pytest.fixture
def script(tmp_path):
    """Return the app's script with the settings of this test, in a folder like the app's."""
    for name in ("pages", "core", "docs", "static", ".streamlit"):
        (tmp_path / name).symlink_to(ROOT / name)
    made = tmp_path / "app.py"
    made.write_text((ROOT / "app.py").read_text(encoding="utf-8") + OFTENER, encoding="utf-8")
    return made


def folders(server):
    """Return the folders for uploads that a server has."""
    return list(Path(tempfile.gettempdir()).glob(f"liftscope-{server}-*"))


async def opened(address, stack, query):
    """Open a page that stays open."""
    visitor = await stack.enter_async_context(visiting(address))
    await visitor.load(query)
    assert not visitor.says(EXCEPTION), visitor.texts


async def burst(address, server):
    """Open all pages at once, newcomers meanwhile, and close them; return what newcomers waited."""
    waited = []
    async with AsyncExitStack() as stack:
        own = [f"data=upload:{number:064x}&s=sex&x=job" for number in range(OWN)]
        await asyncio.gather(*(opened(address, stack, link) for link in own))
        assert len(folders(server)) >= OWN
        links = [f"{SLOW}&eps={0.5 + 0.01 * number:.2f}" for number in range(PAGES)]
        loading = [asyncio.create_task(opened(address, stack, link)) for link in links]
        for _ in range(6):
            await asyncio.sleep(2.0)
            began = time.monotonic()
            async with visiting(address):
                waited.append(time.monotonic() - began)
        await wait_until(lambda: workers(server), "no worker began")
        for item in loading:  # as tabs are closed, whether they have an answer or not
            item.cancel()
        ended = await asyncio.gather(*loading, return_exceptions=True)
        assert not [item for item in ended if isinstance(item, AssertionError)]
    return waited


def used(server):
    """Return the processor time that the workers of a server have used, by worker."""
    result = {}
    for item in workers(server):
        try:
            result[item] = processor(item)
        except FileNotFoundError:
            continue
    return result


async def at_rest(server):
    """Return the seconds until no worker has worked for three seconds."""
    began = time.monotonic()
    while time.monotonic() - began < 4 * STOPPED:
        before = used(server)
        await asyncio.sleep(3.0)
        after = used(server)
        if all(after[item] - before.get(item, 0.0) < 0.3 for item in after):
            return time.monotonic() - began - 3.0
    return float("inf")


async def later(address, server):
    """Visit the server again, move a slider now and then, and wait until the folders have gone."""
    async with visiting(address) as visitor, visiting(address) as other:
        await visitor.load(QUICK)
        await other.socket.close()  # with whose session Streamlit forgets those before
        for turn in range(60):
            await visitor.move("eps", 0.5 + 0.05 * (turn % 20))
            if len(folders(server)) < 5:
                return
            await asyncio.sleep(1.0)


def test_a_hundred_pages_at_once_keep_no_newcomer_waiting_and_leave_nothing(script):
    with served(script, script.parent) as address:
        server = server_of(os.getpid())
        waited = asyncio.run(burst(address, server))
        closed = time.monotonic()
        assert max(waited) < HANDSHAKE, waited
        stopped = asyncio.run(at_rest(server))
        assert stopped < STOPPED, stopped
        time.sleep(max(0.0, closed + FORGOTTEN - time.monotonic()))
        asyncio.run(later(address, server))
        assert len(folders(server)) < 5
