"""Uploads of sessions that have ended go, without waiting for another visitor."""

import gc
import itertools
import weakref

import pytest

from core.data import DataSpec, Sources, count
from core.errors import InvalidInputError
from pages.ui.work import closed_pages, own_data
from pages.ui.work.own_data import ABSENCE

PLAIN = b"s,x\na,b\nc,d\n"


class Context:
    session_id = "page"


@pytest.fixture
def watch(monkeypatch):
    """The watch over uploads as on a server, without its thread."""
    made = own_data.watch()
    made._watched = True
    monkeypatch.setattr(closed_pages, "get_script_run_ctx", Context)
    monkeypatch.setattr(closed_pages.runtime, "exists", lambda: True)
    return made


def files(sources):
    return list(sources._folder.rglob("*"))


def test_uploads_go_when_their_page_has_been_closed_for_a_while(watch):
    sources = Sources()
    source = sources.add_bytes(PLAIN, "a.csv")
    sources.stage(PLAIN, "b.xlsx")
    matrix = sources.add_matrix("1 2\n2 1")
    watch.note(weakref.ref(sources))
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
    watch.note(weakref.ref(sources))
    for now, active in ((0.0, False), (30.0, True), (60.0, False), (60.0 + ABSENCE - 1, False)):
        watch.look(lambda _, active=active: active, now)
    assert files(sources)
    watch.look(lambda _: False, 60.0 + ABSENCE)
    assert files(sources) == []


def test_what_a_reload_has_taken_over_stays_as_long_as_its_page(watch, monkeypatch):
    lender, borrower = Sources(), Sources()
    source = lender.add_bytes(PLAIN, "a.csv")
    watch.note(weakref.ref(lender))
    borrower.borrow(lender, source)
    monkeypatch.setattr(Context, "session_id", "reloaded")
    watch.note(weakref.ref(borrower))
    for now in (0.0, ABSENCE, 3 * ABSENCE):
        watch.look(lambda page: page == "reloaded", now)
    assert count(DataSpec(source, ("s",), ("x",)), borrower).report.n_used == 2
    watch.look(lambda _: False, 200.0)
    watch.look(lambda _: False, 200.0 + ABSENCE - 1)
    assert files(lender)
    watch.look(lambda _: False, 200.0 + ABSENCE)
    assert files(lender) == files(borrower) == []


def test_after_several_reloads_uploads_stay_no_longer_than_after_one(watch, monkeypatch):
    sessions = [Sources() for _ in range(4)]
    source = sessions[0].add_bytes(PLAIN, "a.csv")
    watch.note(weakref.ref(sessions[0]))
    for number, (lender, borrower) in enumerate(itertools.pairwise(sessions), 1):
        borrower.borrow(lender, source)
        monkeypatch.setattr(Context, "session_id", f"reload {number}")
        watch.note(weakref.ref(borrower))
        watch.look(lambda page, now=number: page == f"reload {now}", float(number))
    watch.look(lambda _: False, 10.0)
    watch.look(lambda _: False, 9.0 + ABSENCE)
    assert files(sessions[0])
    watch.look(lambda _: False, 10.0 + ABSENCE)
    assert not any(files(one) for one in sessions)


def test_a_session_that_streamlit_has_forgotten_is_watched_no_more(watch):
    sources = Sources()
    folder = sources._folder
    watch.note(weakref.ref(sources))
    del sources
    gc.collect()
    assert not folder.exists()
    watch.look(lambda _: False, 0.0)
    watch.look(lambda _: False, ABSENCE)
    assert len(watch) == 0


def test_without_a_server_nothing_is_watched(monkeypatch):
    watch = own_data.watch()
    monkeypatch.setattr(closed_pages.runtime, "exists", lambda: False)
    watch.note(weakref.ref(Sources()))
    assert len(watch) == 0
