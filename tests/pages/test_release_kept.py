"""A reload of the Release page keeps its seed or key, and its file while the server has it."""

import weakref

import pytest

from pages.ui.release import results
from pages.ui.work import long_answer, visits
from tests.pages.test_release import (
    KEY,
    checked,
    link,
    made,
    opened,
    page_text,
    response_of,
    written,
)
from tests.pages.waiting import finished


@pytest.fixture
def browser(monkeypatch):
    """Return which browser the next session belongs to; the pages before are closed."""
    monkeypatch.setattr(visits, "_visits", {})
    monkeypatch.setattr(visits, "is_open", lambda _: False)
    now = {"is": "mine"}
    monkeypatch.setattr(visits, "current", lambda: now["is"])
    return now


def test_a_reload_has_the_same_seed_and_the_file(browser):
    app = made(opened(seed=None))
    seed, address = app.text_input(key="release_seed").value, link(app)
    again = opened(seed=None)
    assert again.text_input(key="release_seed").value == seed
    assert link(again) == address
    assert response_of(address).path == written(again).path
    browser["is"] = "another"
    other = opened(seed=None)
    assert other.text_input(key="release_seed").value != seed
    assert written(other) is None
    assert "is gone" not in page_text(other)


def test_a_reload_has_the_key_and_the_keyed_file(browser):
    app = opened(seed=None, draw="key", id="age")
    app.text_input(key="release_key").set_value(KEY).run()
    again = opened(seed=None, draw="key", id="age")
    assert again.text_input(key="release_key").value == KEY
    assert KEY not in repr(again.query_params)
    assert again.button(key="release_make")
    assert browser["is"] == "mine"


def test_another_question_tells_of_the_file_and_leads_back_to_it(browser):
    app = made(opened(seed=None))
    address, eps = link(app), app.session_state["eps"]
    assert "previous file" not in page_text(app)
    app.slider(key="eps").set_value(eps + 0.5).run()
    assert app.button(key="release_make")
    assert "answers another question" in page_text(app)
    app.button(key="release_back").click().run()
    assert app.session_state["eps"] == eps
    assert link(app) == address
    assert response_of(address).path == written(app).path
    app.text_input(key="release_seed").set_value("1234").run()
    assert "belongs to other choices" in page_text(app)
    assert "release_back" not in [item.key for item in app.button]
    assert browser["is"] == "mine"


def test_back_to_a_question_restores_what_is_kept_and_randomized(browser, monkeypatch):
    monkeypatch.setattr(long_answer.LongAnswer, "ask", long_answer.LongAnswer.here)
    app = opened(seed=None, mech="optimal", randomize="exang", stay="fbs")
    app.checkbox(key="release_agreed").set_value(True).run()
    app = made(app)
    address, before = link(app), dict(app.query_params)
    app.button(key="release_leave_out: exang").click().run()
    assert "answers another question" in page_text(app)
    app.toggle(key="release_keep: fbs").set_value(False).run()
    app.button(key="release_back").click().run()
    checked(app)
    assert dict(app.query_params) == before
    assert link(app) == address
    assert browser["is"] == "mine"


def test_a_page_that_is_open_keeps_its_release_to_itself(browser, monkeypatch):
    app = made(opened(seed=None))
    monkeypatch.setattr(visits, "is_open", lambda _: True)
    other = opened(seed=None)
    seeds = {item.text_input(key="release_seed").value for item in (app, other)}
    assert len(seeds) == 2
    assert written(other) is None
    assert response_of(link(app)).path == written(app).path
    assert browser["is"] == "mine"


def test_of_several_closed_pages_the_last_one_used_is_taken_over(browser, monkeypatch):
    monkeypatch.setattr(visits, "is_open", lambda _: True)
    first, second = made(opened(seed=None)), made(opened(seed=None))
    checked(first.run())
    monkeypatch.setattr(visits, "is_open", lambda _: False)
    assert link(opened(seed=None)) == link(first)
    assert link(first) != link(second)
    assert browser["is"] == "mine"


def test_what_was_taken_over_is_not_the_first_pages_any_more(browser):
    app = made(opened(seed=None))
    again = opened(seed=None)
    checked(app.run())
    assert app.session_state["_visit"].release is not again.session_state["_visit"].release
    assert app.button(key="release_make")
    assert response_of(link(again)).path == written(again).path
    assert browser["is"] == "mine"


def test_a_release_is_forgotten_when_its_page_has_been_closed_for_a_while(browser):
    app = made(opened(seed=None))
    seed, path = app.text_input(key="release_seed").value, written(app).path
    reloaded, watch = opened(seed=None), visits.Pages()
    for page, item in (("a", app), ("reloaded", reloaded)):
        own = item.session_state["_visit"]
        watch._noted[page] = own.name, weakref.ref(own)
    for now in (0.0, visits.ABSENCE, 3 * visits.ABSENCE):
        watch.look(lambda page: page == "reloaded", now)
    assert path.exists()
    for now in (200.0, 200.0 + visits.ABSENCE):
        watch.look(lambda _: False, now)
    assert not path.exists()
    assert own.release.secrets == {}
    again = opened(seed=None)
    assert again.text_input(key="release_seed").value != seed
    assert "is gone" in page_text(again)
    assert "Enter the seed or key that drew it" in page_text(again)
    assert browser["is"] == "mine"


def test_work_goes_on_after_a_reload_and_writes_where_it_did(browser, monkeypatch, sweeps):
    app = opened(seed=None)  # other columns are counted in place
    monkeypatch.setattr(results, "QUICK", 0)
    made(app)
    target = app.session_state["_visit"].release.target[1]
    again = opened(seed=None)
    assert again.button(key="release_cancel")
    assert again.session_state["_visit"].release.target[1] == target
    sweeps.finish()
    finished(again, lambda: written(again) is not None)
    assert written(again).path == target
    assert target.exists()
    assert browser["is"] == "mine"
