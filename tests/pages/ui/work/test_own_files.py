"""Uploads of sessions that have ended go, without waiting for another visitor."""

import gc

import pytest

from core.data import DataSpec, Sources, count
from core.errors import InvalidInputError
from pages.ui.work import own_files
from pages.ui.work.own_files import ABSENCE, Watch

PLAIN = b"s,x\na,b\nc,d\n"


class Context:
    session_id = "page"


@pytest.fixture
def watch(monkeypatch):
    """Watch as on a server, without the thread that looks."""
    made = Watch()
    made._watched = True
    monkeypatch.setattr(own_files, "get_script_run_ctx", Context)
    monkeypatch.setattr(own_files.runtime, "exists", lambda: True)
    return made


def files(sources):
    return list(sources._folder.rglob("*"))


def test_uploads_go_when_their_page_has_been_closed_for_a_while(watch):
    sources = Sources()
    source = sources.add_bytes(PLAIN, "a.csv")
    sources.stage(PLAIN, "b.xlsx")
    matrix = sources.add_matrix("1 2\n2 1")
    watch.note(sources)
    watch.look(lambda _: False, 0.0)
    watch.look(lambda _: False, ABSENCE - 1)
    assert files(sources)
    watch.look(lambda _: False, ABSENCE)
    assert files(sources) == []
    with pytest.raises(InvalidInputError, match="upload it again"):
        count(DataSpec(source), sources)
    assert matrix in sources.matrices
    assert sources.add_bytes(PLAIN, "a.csv") == source  # the page has come back
    assert files(sources)


def test_a_page_that_comes_back_in_time_keeps_them(watch):
    sources = Sources()
    sources.add_bytes(PLAIN, "a.csv")
    watch.note(sources)
    for now, active in ((0.0, False), (30.0, True), (60.0, False), (60.0 + ABSENCE - 1, False)):
        watch.look(lambda _, active=active: active, now)
    assert files(sources)
    watch.look(lambda _: False, 60.0 + ABSENCE)
    assert files(sources) == []


def test_what_a_reload_has_taken_over_stays_as_long_as_its_page(watch, monkeypatch):
    lender, borrower = Sources(), Sources()
    source = lender.add_bytes(PLAIN, "a.csv")
    watch.note(lender)
    borrower.borrow(lender, source)
    monkeypatch.setattr(Context, "session_id", "reloaded")
    watch.note(borrower)
    for now in (0.0, ABSENCE, 3 * ABSENCE):
        watch.look(lambda page: page == "reloaded", now)
    assert count(DataSpec(source, ("s",), ("x",)), borrower).report.n_used == 2
    for now in (200.0, 200.0 + ABSENCE, 200.0 + ABSENCE + 1, 200.0 + 2 * ABSENCE + 1):
        watch.look(lambda _: False, now)
    assert files(lender) == files(borrower) == []


def test_a_session_that_streamlit_has_forgotten_is_watched_no_more(watch):
    sources = Sources()
    folder = sources._folder
    watch.note(sources)
    del sources
    gc.collect()
    assert not folder.exists()
    watch.look(lambda _: True, 0.0)
    assert watch._sources == {}


def test_without_a_server_nothing_is_watched(monkeypatch):
    watch = Watch()
    monkeypatch.setattr(own_files.runtime, "exists", lambda: False)
    watch.note(Sources())
    assert watch._sources == {}
