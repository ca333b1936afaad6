"""Fixtures of the tests of pages: a server without answers, and work that a test holds."""

import pytest

from core.studies.known import Known
from pages.ui.chart import component
from pages.ui.explore import charts
from pages.ui.work import long_answer, store, under_way
from tests.pages.pools import HeldPool, HeldWorkers


@pytest.fixture
def afresh(monkeypatch):
    """Clear what sessions share, as on a server that has just started."""
    _forget(monkeypatch)


def _forget(monkeypatch):
    monkeypatch.setattr(store, "SHARED", store.Store(200))
    monkeypatch.setattr(store, "KNOWN", Known())
    monkeypatch.setattr(under_way, "WORK", {})


@pytest.fixture
def held(monkeypatch):
    """Clear what sessions share, and return workers whose work a test may hold."""
    _forget(monkeypatch)
    workers = HeldWorkers(long_answer.WORKERS)
    monkeypatch.setattr(long_answer, "WORKERS", workers)
    return workers


@pytest.fixture
def no_lines(request, monkeypatch):
    """Hold frontiers and other long work: a worker that works when a test ends is killed."""
    if "held" in request.fixturenames:  # the test holds what it is about
        return
    workers = HeldWorkers(long_answer.WORKERS)
    workers.general = HeldPool()
    monkeypatch.setattr(long_answer, "WORKERS", workers)
    monkeypatch.setattr(under_way, "WORK", {})


@pytest.fixture
def solves(held):
    """Hold urgent work, such as answers, until the test has it done."""
    held.urgent = HeldPool()
    return held.urgent


@pytest.fixture
def sweeps(held):
    """Hold all other work, such as frontiers, until the test has it done."""
    held.general = HeldPool()
    return held.general


@pytest.fixture
def drawn(monkeypatch):
    """Return the figures that Explore drew last, with whether they were faded, by chart key."""
    figures = {}

    def keep(figure, *, key, faded=False, **_more):
        figures[key] = (figure() if callable(figure) else figure, faded)
        return b"{}"

    for module in (charts, component):
        monkeypatch.setattr(module, "part", keep)
    return figures
