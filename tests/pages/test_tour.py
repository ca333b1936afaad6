"""The tour's steps, and when it is offered."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from pages.ui.explore import tour
from tests.pages.waiting import PATIENCE

ROOT = Path(__file__).parents[2]


def test_the_tour_has_six_steps_and_its_button_begins_it_anew():
    assert len(tour.STEPS) == 6
    assert len({step.about for step in tour.STEPS}) == 6
    app = AppTest.from_file(ROOT / "pages/explore.py", default_timeout=PATIENCE)
    app.query_params["mech"] = "watchdog"
    app.run()
    assert not app.exception
    assert "_tour_run" not in app.session_state
    for times in (1, 2):
        app.button(key="tour_begin").click().run()
        assert app.session_state["_tour_run"] == times


def test_it_is_an_offer_on_the_bare_page_too(monkeypatch):
    runs = []
    monkeypatch.setattr(tour, "_COMPONENT", lambda data, **_more: runs.append(data["run"]))
    app = AppTest.from_file(ROOT / "pages/explore.py", default_timeout=PATIENCE).run()
    app.button(key="tour_begin").click().run()
    assert runs == [0, 1]


def test_what_is_in_the_sidebar_is_said_where_the_sidebar_is_folded():
    message = [(step.folded or step.text).lower() for step in tour.STEPS]
    for text in (message[0], message[1], message[5]):
        assert "sidebar" in text
    for step in tour.STEPS:
        assert "below it" not in (step.folded or step.text).lower()
