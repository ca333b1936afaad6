"""Tests and doctests run on a clock that counts readings: none depends on how busy a machine is.

Nor on chance: properties are tried on the same cases each time. New ones are `make fuzz`'s.
"""

import functools
import gc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from streamlit.components.v2 import manifest_scanner

from core import clock
from core.data.readers import apart
from core.jobs import Job, Pool
from core.mechanisms.optima.remembered import MEMORY
from pages.ui.work import under_way

STEP = 2.0**-8
"""Seconds that each reading takes: the coarser, the fewer candidates fit into a time limit."""

SERVICES = (
    "tests/chaos",
    "tests/core/command/test_bad_input.py",
    "tests/core/command/test_long_work.py",
    "tests/core/data/databases",
    "tests/core/data/readers/test_apart.py",
    "tests/core/jobs/test_lifeline.py",
    "tests/core/jobs/test_pool.py",
    "tests/core/papers/test_resumed.py",
    "tests/core/sweep/test_cluster.py",
    "tests/core/sweep/test_running.py",
    "tests/core/test_remote.py",
    "tests/pages/test_databases.py",
    "tests/pages/test_frontier_cluster.py",
    "tests/pages/test_move_sent.py",
    "tests/pages/test_release_of_database.py",
    "tests/pages/ui/frame/test_server.py",
    "tests/pages/ui/serving",
    "tests/pages/ui/work/test_glances.py",
    "tests/test_notebooks.py",
    "tests/test_packaging.py",
    "tests/test_setup.py",
)
"""What starts a server, a data base, a cluster or processes, for `make check-services`."""

SLOW = Path(__file__).parent / "tests/slow.txt"
"""Tests, cases or folders over two seconds, one in a line, for `make check-slow`."""

manifest_scanner.scan_component_manifests = functools.cache(
    manifest_scanner.scan_component_manifests
)
"""Streamlit looks through all installed packages for each AppTest: two thirds of a page's test."""

settings.register_profile(
    "any machine",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("any machine")


TRACED = 5
"""Cases of one test that are traced: a tracer takes a third of the time. Experiments all are."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make test` leaves out, and what is not traced: properties and further cases."""
    root = Path(__file__).parent
    slow = set(SLOW.read_text(encoding="utf-8").splitlines())
    cases: Counter[str] = Counter()
    for item in items:
        place = item.path.relative_to(root)
        test = item.nodeid.split("[")[0]
        cases[test] += place.name != "test_experiments.py"
        is_property = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        if is_property or cases[test] > TRACED:
            item.add_marker(pytest.mark.no_cover)
        if any(place.is_relative_to(path) for path in SERVICES):
            item.add_marker(pytest.mark.services)
        folders = {path.as_posix() for path in place.parents}
        if slow & {place.as_posix(), test, item.nodeid, *folders}:
            item.add_marker(pytest.mark.slow)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List what had to be tried again: each is a bug to be mended."""
    flaky = sorted({report.nodeid for report in terminalreporter.getreports("rerun")})
    if flaky:
        terminalreporter.section("flaky")
        for case in flaky:
            terminalreporter.write_line(case)


@pytest.fixture(scope="session", autouse=True)
def counting() -> Iterator[None]:
    """Let what tests share be made on such a clock."""
    with clock.using(clock.Ticking(STEP)):
        yield


@pytest.fixture(autouse=True)
def counting_anew(counting: None) -> Iterator[None]:  # noqa: ARG001 — the order of the two
    """Let each test begin at 0, so that it sees the same whatever ran before it."""
    with clock.using(clock.Ticking(STEP)):
        yield


@pytest.fixture(autouse=True)
def nothing_left_at_work(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Cancel what a test leaves at work, in whatever folder: the next one would wait behind it."""
    begun: list[Job[Any]] = []
    submit = Pool.submit

    def keep(pool: Pool, *call: Any, **how: Any) -> Job[Any]:
        begun.append(submit(pool, *call, **how))
        return begun[-1]

    monkeypatch.setattr(Pool, "submit", keep)
    yield
    for work in list(under_way.WORK.values()):  # sweeps, which would go on with others
        work.job.cancel()
    for job in begun:
        job.cancel()


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    """Forget robust answers: each test finds its own, whatever ran before it."""
    MEMORY.clear()


@pytest.fixture(autouse=True)
def in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files be read in the test's own process, but where a test waits for another one."""
    monkeypatch.setattr(apart, "IN_PLACE", True)


def pytest_collection_finish() -> None:
    """Keep what is there for good out of the collector's way: it walks through it at each turn.

    And have NumPy warn again: dit, with which some tests compare, silences it for good.
    """
    np.seterr(divide="warn", over="warn", invalid="warn")
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Give it back: libraries report as leaked what is still frozen when the process ends."""
    gc.unfreeze()
