"""What tests of pages share: a dashboard that nobody has asked anything yet."""

import pytest

from core.studies.known import Known
from pages.ui.explore import charts
from pages.ui.work import long_answer, store
from tests.pages.pools import HeldPool, HeldWorkers


@pytest.fixture
def afresh(monkeypatch):
    """Ask as if nobody had asked before."""
    _forget(monkeypatch)


def _forget(monkeypatch):
    monkeypatch.setattr(store, "SHARED", store.Store(200))
    monkeypatch.setattr(store, "KNOWN", Known())
    monkeypatch.setattr(long_answer, "_under_way", {})


@pytest.fixture
def held(monkeypatch):
    """Ask as if nobody had asked before, of workers whose work a test may hold."""
    _forget(monkeypatch)
    workers = HeldWorkers(long_answer.WORKERS)
    monkeypatch.setattr(long_answer, "WORKERS", workers)
    return workers


@pytest.fixture
def solves(held):
    """Hold the work that a page waits for, answers above all, until the test has it done."""
    held.urgent = HeldPool()
    return held.urgent


@pytest.fixture
def sweeps(held):
    """Hold the work on parts of pages, frontiers above all, until the test has it done."""
    held.general = HeldPool()
    return held.general


@pytest.fixture
def drawn(monkeypatch):
    """Keep the figures of Explore as they were drawn last, by the chart's key."""
    figures = {}

    def keep(figure, *, key, faded=False, **_more):
        figures[key] = (figure, faded)

    monkeypatch.setattr(charts, "chart", keep)
    return figures
