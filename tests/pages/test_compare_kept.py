"""Compare: files dropped on its page, what is pinned beside its first columns, steps taken over."""

import gc

import pytest
import streamlit as st

from core.scenario import Project, Scenario
from core.scenario.presets import standard
from pages.ui.compare import drop
from pages.ui.work import visits
from tests.pages.comparing import QUICK, SMALL, kept, opened, pinned, share


@pytest.fixture(autouse=True)
def _no_sweeps(sweeps):
    """Hold the work on frontiers."""
    return sweeps


@pytest.fixture
def dropping(monkeypatch):
    """Stand for the page's script, which the test harness does not run, with a button."""
    monkeypatch.setattr(
        drop, "area", lambda on_drop: st.button("drop", key="drop_now", on_click=on_drop)
    )

    def let(sent):
        monkeypatch.setattr(drop, "_sent", lambda: sent)
        app = opened(project=QUICK)
        return app.button(key="drop_now").click().run()

    return let


OTHER = Project((QUICK.scenarios[2],), ("from another machine",), ("noted",))


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_dropped_project_takes_the_columns_place_and_undo_brings_them_back(dropping, mark):
    app = dropping({"name": "p.json", "size": 500, "text": mark + OTHER.to_json()})
    assert not app.exception
    assert pinned(app) == OTHER
    assert kept(app) == [share(OTHER.scenarios[0])]
    assert "Opened p.json." in app.toast[0].value.replace("\\", "")
    app.button(key="undo").click().run()
    assert pinned(app) == QUICK


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ({"name": "p.json", "size": 15, "text": '{"columns": []}'}, "p.json: A project must have"),
        ({"name": "p.json", "size": 1, "text": "{"}, "p.json: "),
        ({"name": "p.json", "size": 0, "text": ""}, "p.json: "),
        ({"name": "cat.png", "size": 9, "text": None}, "cat.png is not UTF-8 text"),
        ({"name": "big.json", "size": 10**9, "text": ""}, "big.json is too large"),
    ],
)
def test_a_dropped_file_that_is_no_project_changes_nothing_and_says_why(dropping, sent, problem):
    app = dropping(sent)
    assert not app.exception
    assert pinned(app) == QUICK
    assert problem in app.toast[0].value.replace("\\", "")


@pytest.mark.parametrize("sent", [None, "text", {"name": 3, "size": 1}, {"name": "a", "size": "b"}])
def test_what_is_no_file_is_passed_over(dropping, sent):
    app = dropping(sent)
    assert not app.exception
    assert pinned(app) == QUICK
    assert not app.toast


@pytest.fixture
def browser(monkeypatch):
    """Return a way to say which browser the next run belongs to, and the pages that are open."""
    monkeypatch.setattr(visits, "_visits", {})
    now = {"browser": "", "open": set(), "page": ""}
    monkeypatch.setattr(visits, "current", lambda: now["browser"])
    monkeypatch.setattr(visits, "_page", lambda: now["page"])
    monkeypatch.setattr(visits, "is_open", lambda page: page in now["open"])
    return now


def moved(app, eps):
    return app.slider(key="col0_eps_nats").set_value(eps).run()


def reopened(browser, app, page):
    """Return the page that a reload starts: a new session at the same address."""
    browser["page"] = page
    project = pinned(app)
    return opened(project=project)


def test_undo_and_redo_survive_a_reload(browser):
    browser.update(browser="mine", page="first")
    first = opened(project=QUICK)
    for eps in (0.5, 2.0, 3.0):
        moved(first, eps)
    first.button(key="undo").click().run()
    again = reopened(browser, first, "second")
    assert [item.eps for item in pinned(again).scenarios] == [2.0, 1.0, 1.0]
    again.button(key="redo").click().run()
    assert pinned(again).scenarios[0].eps == 3.0
    assert again.button(key="redo").disabled
    for eps in (2.0, 0.5, 1.0):
        again.button(key="undo").click().run()
        assert pinned(again).scenarios[0].eps == eps
    assert pinned(again) == QUICK
    assert again.button(key="undo").disabled
    first.run()  # its own steps are as they were
    assert not first.button(key="redo").disabled


def test_another_browser_and_another_question_have_no_steps_of_this_page(browser):
    browser.update(browser="mine", page="first")
    first = moved(opened(project=QUICK), 2.0)
    browser["browser"] = "another"
    assert reopened(browser, first, "second").button(key="undo").disabled
    browser["browser"] = ""
    assert reopened(browser, first, "third").button(key="undo").disabled
    browser["browser"] = "mine"
    assert opened(project=OTHER).button(key="undo").disabled
    assert opened().button(key="undo").disabled


def test_of_two_pages_at_the_same_place_the_closed_one_was_reloaded(browser):
    browser.update(browser="mine", page="first", open={"first", "second"})
    first = moved(moved(opened(project=QUICK), 3.0), 2.0)
    browser["page"] = "second"
    second = moved(opened(project=QUICK), 2.0)
    browser["page"] = "first"
    first.run()  # the last that was used
    browser["open"] = {"first"}
    again = reopened(browser, second, "third")
    again.button(key="undo").click().run()
    assert pinned(again) == QUICK
    browser["open"] = {"second"}
    other = reopened(browser, first, "fourth")
    other.button(key="undo").click().run()
    assert pinned(other).scenarios[0].eps == 3.0


def test_columns_that_were_all_reset_come_back_after_a_reload_but_not_on_another_page(browser):
    browser.update(browser="mine", page="first", open={"first"})
    first = opened(project=QUICK)
    first.session_state["project"] = True
    first.run()
    first.button(key="start_over").click().run()
    assert pinned(first) is None
    browser["page"] = "second"
    assert opened().button(key="undo").disabled  # the first page is still open
    browser["open"] = {"second"}
    browser["page"] = "third"
    again = opened()
    again.button(key="undo").click().run()
    assert pinned(again) == QUICK


def test_steps_end_with_the_last_session_that_holds_them(browser):
    browser.update(browser="mine", page="first")
    first = moved(opened(project=QUICK), 2.0)
    project = pinned(first)
    del first
    gc.collect()
    assert opened(project=project).button(key="undo").disabled
    assert len(visits._visits["mine"]) <= 1


def test_a_question_pinned_on_the_untouched_page_stands_beside_its_columns():
    request = Scenario(data=SMALL, mechanism="watchdog")
    app = opened(scenario=request)
    before = standard(request)
    app.button(key="pin").click().run()
    assert not app.exception
    assert pinned(app).scenarios == (*before.scenarios, request)
    assert len(kept(app)) == 4
    app = opened(scenario=before.scenarios[1])
    app.button(key="pin").click().run()
    assert pinned(app) is None
    assert f"is already a column: {before.names[1]}." in app.toast[0].value.replace("\\", "")
    assert len(kept(app)) == 3
