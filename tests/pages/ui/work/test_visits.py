"""Uploads of visits that have ended go, without waiting for another visitor."""

import gc
import itertools

import pytest

from core.data import DataSpec, Sources, count
from core.errors import InvalidInputError
from pages.ui.work import visits
from pages.ui.work.visits import ABSENCE, Pages, Visit

PLAIN = b"s,x\na,b\nc,d\n"


@pytest.fixture
def watch(monkeypatch):
    """The watch over pages as on a server, without its thread."""
    made = Pages()
    made._watched = True
    monkeypatch.setattr(visits.runtime, "exists", lambda: True)
    return made


def files(sources):
    return list(sources._folder.rglob("*"))


def test_uploads_go_when_their_page_has_been_closed_for_a_while(watch):
    sources = Sources()
    visit = Visit(page="page", sources=sources)
    source = sources.add_bytes(PLAIN, "a.csv")
    sources.stage(PLAIN, "b.xlsx")
    matrix = sources.add_matrix("1 2\n2 1")
    watch.note(visit)
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
    visit = Visit(page="page", sources=sources)
    sources.add_bytes(PLAIN, "a.csv")
    watch.note(visit)
    for now, active in ((0.0, False), (30.0, True), (60.0, False), (60.0 + ABSENCE - 1, False)):
        watch.look(lambda _, active=active: active, now)
    assert files(sources)
    watch.look(lambda _: False, 60.0 + ABSENCE)
    assert files(sources) == []


def test_what_a_reload_has_taken_over_stays_as_long_as_its_page(watch):
    lender, borrower = Sources(), Sources()
    held = [Visit(page="page", sources=lender), Visit(page="reloaded", sources=borrower)]
    source = lender.add_bytes(PLAIN, "a.csv")
    borrower.borrow(lender, source)
    for visit in held:
        watch.note(visit)
    for now in (0.0, ABSENCE, 3 * ABSENCE):
        watch.look(lambda page: page == "reloaded", now)
    assert count(DataSpec(source, ("s",), ("x",)), borrower).report.n_used == 2
    watch.look(lambda _: False, 200.0)
    watch.look(lambda _: False, 200.0 + ABSENCE - 1)
    assert files(lender)
    watch.look(lambda _: False, 200.0 + ABSENCE)
    assert files(lender) == files(borrower) == []


def test_after_several_reloads_uploads_stay_no_longer_than_after_one(watch):
    held = [Visit(page=f"reload {number}", sources=Sources()) for number in range(4)]
    source = held[0].sources.add_bytes(PLAIN, "a.csv")
    watch.note(held[0])
    for number, (lender, borrower) in enumerate(itertools.pairwise(held), 1):
        borrower.sources.borrow(lender.sources, source)
        watch.note(borrower)
        watch.look(lambda page, now=number: page == f"reload {now}", float(number))
    watch.look(lambda _: False, 10.0)
    watch.look(lambda _: False, 9.0 + ABSENCE)
    assert files(held[0].sources)
    watch.look(lambda _: False, 10.0 + ABSENCE)
    assert not any(files(item.sources) for item in held)


def test_a_visit_that_streamlit_has_forgotten_is_watched_no_more(watch):
    visit = Visit(page="page", sources=Sources())
    folder = visit.sources._folder
    watch.note(visit)
    del visit
    gc.collect()
    assert not folder.exists()
    watch.look(lambda _: False, 0.0)
    watch.look(lambda _: False, ABSENCE)
    assert not watch._noted


def test_without_a_server_nothing_is_watched(monkeypatch):
    watch = Pages()
    monkeypatch.setattr(visits.runtime, "exists", lambda: False)
    watch.note(Visit(page="page"))
    assert not watch._noted


def test_what_was_found_on_data_that_has_changed_is_forgotten():
    own, ended = Visit(name="one"), [(DataSpec("matrix:a"), "answer"), (DataSpec(), "answer")]
    for question in ended:
        own.searches[question].done = True
    own.store.put("a", 1)
    known = own.known
    own.forget_answers()
    assert own.store.find("a") is None
    assert own.known is not known
    assert [own.searches[question].done for question in ended] == [False, True]
