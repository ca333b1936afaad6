"""What tests of pages share: a dashboard that nobody has asked anything yet."""

import pytest

from core.known import Known
from pages.ui import answers, background, board_charts, store
from tests.pages.pools import HeldPool


@pytest.fixture
def afresh(monkeypatch):
    """Ask as if nobody had asked before."""
    _forget(monkeypatch)


def _forget(monkeypatch):
    monkeypatch.setattr(store, "SHARED", store.Store(200))
    monkeypatch.setattr(store, "KNOWN", Known())
    monkeypatch.setattr(background, "_under_way", {})


@pytest.fixture
def solves(monkeypatch):
    """Hold the work on answers until the test has it done, as if nobody had asked before."""
    _forget(monkeypatch)
    pool = HeldPool()
    monkeypatch.setattr(answers, "SOLVES", pool)
    return pool


@pytest.fixture
def sweeps(monkeypatch):
    """Hold the work on frontiers until the test has it done, as if nobody had asked before."""
    _forget(monkeypatch)
    pool = HeldPool()
    monkeypatch.setattr(answers, "SWEEPS", pool)
    return pool


@pytest.fixture
def drawn(monkeypatch):
    """Keep the figures of Explore as they were drawn last, by the chart's key."""
    figures = {}

    def keep(figure, *, key, faded=False, **_more):
        figures[key] = (figure, faded)

    monkeypatch.setattr(board_charts, "chart", keep)
    return figures
