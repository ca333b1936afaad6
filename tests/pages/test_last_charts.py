"""Mechanisms and Lift after an error: the last charts stay, faded and named as old."""

import pytest

from tests.pages import sent
from tests.pages.picking import pick
from tests.pages.test_solving import SMALL, opened, page_text


@pytest.mark.usefixtures("sweeps", "solves")
@pytest.mark.parametrize(
    ("page", "kept"),
    [
        ("pages/mechanisms.py", {"kernel", "posteriors", "beliefs"}),
        ("pages/lift.py", {"loglift", "symbols"}),
    ],
)
def test_an_error_keeps_the_last_charts_faded_and_offers_what_has_an_answer(page, kept):
    app = opened(page, **SMALL)
    assert not app.exception
    before = sent.charts(app)
    assert before
    assert not any(message["faded"] for message in before.values())
    pick(app, "mech", "polyopt")
    assert not app.exception
    assert app.error
    assert "The charts show the last answer" in page_text(app)
    assert "0.5-LIP" in page_text(app)
    drawn = sent.charts(app)
    assert set(drawn) == kept
    for key, message in drawn.items():
        assert message["faded"], key
        assert message["data"] == before[key]["data"], key
        assert message["serial"] != before[key]["serial"], key
    {button.label: button for button in app.button}["Watchdog"].click().run()
    assert not app.error
    drawn = sent.charts(app)
    assert drawn
    assert not any(message["faded"] for message in drawn.values())


@pytest.mark.usefixtures("sweeps", "solves")
@pytest.mark.parametrize("page", ["pages/mechanisms.py", "pages/lift.py"])
def test_a_session_that_begins_with_an_error_has_no_last_charts(page):
    app = opened(page, **SMALL | {"notion": "l1"})
    assert not app.exception
    assert app.error
    assert "last answer" not in page_text(app)
    assert not sent.charts(app)
