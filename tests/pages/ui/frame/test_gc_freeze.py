"""Garbage is collected by a thread, not at every move of a slider."""

import contextlib
import gc
import tomllib
import weakref
from pathlib import Path
from types import SimpleNamespace

from pages.ui.frame import gc_freeze

ROOT = Path(__file__).parents[4]


def test_streamlit_collects_nothing_after_a_move():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["runner"]["postScriptGC"] is False


def test_the_thread_collects_where_something_was_made(monkeypatch):
    counts = iter([(3, 0, 0), (3, 2, 0), (3, 0, 1)])
    collected, waited = [], []

    class StopError(Exception):
        pass

    def sleep(seconds):
        waited.append(seconds)
        if len(waited) > 3:
            raise StopError

    monkeypatch.setattr(gc_freeze, "time", SimpleNamespace(sleep=sleep))
    monkeypatch.setattr(gc_freeze.gc, "get_count", lambda: next(counts))
    monkeypatch.setattr(gc_freeze.gc, "collect", lambda: collected.append(len(waited)))
    with contextlib.suppress(StopError):
        gc_freeze._collect()
    assert collected == [2, 3]
    assert waited == [gc_freeze.INTERVAL] * 4


class Circle:
    """What a session leaves behind: an object that only a collection can free."""

    def __init__(self):
        self.own = self


def test_what_was_open_at_the_first_page_is_freed_after_it_has_ended(monkeypatch):
    session = Circle()
    gone = weakref.ref(session)
    gc.freeze()
    try:
        del session
        gc.collect()
        assert gone() is not None

        class StopError(Exception):
            pass

        waits = iter(range(gc_freeze.THAW))

        def sleep(_):
            if next(waits, None) is None:
                raise StopError

        monkeypatch.setattr(gc_freeze, "time", SimpleNamespace(sleep=sleep))
        monkeypatch.setattr(gc_freeze.gc, "get_count", lambda: (3, 1, 0))
        with contextlib.suppress(StopError):
            gc_freeze._collect()
        assert gone() is None
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
