"""What takes longer than a glance: an answer at once, a better one later, and Cancel."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.jobs import State
from core.scenario import Scenario, evaluate
from pages.ui import run
from tests.pages.waiting import PATIENCE, busy

ROOT = Path(__file__).parents[2]
HARD = {"data": "random:uniform:15x200:0", "eps": "0.5", "limit": "600"}


def opened(page="pages/explore.py", **query):
    app = AppTest.from_file(ROOT / page, default_timeout=PATIENCE)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def refining(app):
    return app.session_state["_refining"][1]


def captions(app):
    return [caption.value for caption in app.caption]


@pytest.mark.parametrize("page", ["pages/explore.py", "pages/mechanisms.py"])
def test_a_hard_question_is_answered_at_once_and_worked_on_until_it_is_cancelled(page):
    with busy(run.SOLVES):
        app = opened(page, **HARD)
        assert not app.exception
        job = refining(app)
        assert not job.finished
        shown = {metric.label: metric for metric in app.metric}
        assert shown["Gap, nats"].delta == "time limit"
        assert float(shown["Gap, nats"].value) > 0
        app.button(key="cancel_refining").click().run()
    assert job.state == State.CANCELLED
    assert any(text.startswith("Cancelled: this is the answer") for text in captions(app))
    assert [metric.value for metric in app.metric] == [one.value for one in shown.values()]


def test_another_question_ends_the_work_on_the_last():
    with busy(run.SOLVES):
        app = opened(**HARD)
        job = refining(app)
        app.slider(key="eps").set_value(0.25).run()
        assert job.state == State.CANCELLED
        assert refining(app) is not job
        refining(app).cancel()


def test_what_has_no_first_answer_is_told_and_shown_when_it_is_there():
    with busy(run.SOLVES):
        app = opened(mech="oue")
        assert not app.exception
        assert not app.metric
    refining(app).result(PATIENCE)
    app.run()
    result = evaluate(Scenario(mechanism="oue"))
    assert {metric.label: metric.value for metric in app.metric}["NMI"] == (
        f"{100 * result.mechanism.nmi:.1f} %"
    )


def test_a_quick_question_starts_no_work_elsewhere():
    app = opened()
    assert "_refining" not in app.session_state
