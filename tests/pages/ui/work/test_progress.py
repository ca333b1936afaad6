import json
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from core.jobs import State
from core.jobs.job import Job
from pages.ui.serving import offers
from pages.ui.work import progress
from pages.ui.work.progress import progress_of
from tests.pages.sent import working


def job(*, state=State.RUNNING, progress=None, seconds=0.0):
    made = Job(10.0)
    made.state, made.progress = state, progress
    if seconds:
        made._started_at = made._working_at = 100.0
        made._ended_at = 100.0 + seconds
    return made


@pytest.mark.parametrize(
    ("work", "done", "text"),
    [
        (job(state=State.WAITING), 0.0, "Merging: waiting for its turn"),
        (job(), 0.0, "Merging: starting"),
        (job(progress="merging", seconds=3), 0.3, "Merging: 3 s of at most 10 s"),
        (
            job(progress="merging", seconds=30),
            1.0,
            "Merging: 30 s so far, 10 s of processor time planned",
        ),
        (
            job(progress=(1, 4), seconds=2),
            0.25,
            "Merging: 2 s so far, about 6 s to go (1 of 4)",
        ),
        (job(progress=(0, 4), seconds=2), 0.0, "Merging: 2 s so far (0 of 4)"),
        (job(progress=(0, 1), seconds=2), 0.0, "Merging: 2 s so far"),
    ],
)
def test_progress_is_judged_by_parts_or_by_time(work, done, text):
    assert progress_of(work, "Merging", 10.0) == (pytest.approx(done), text)


@pytest.mark.parametrize(("sessions", "seconds"), [(0, 0.5), (12, 0.5), (50, 2.0), (100, 4.0)])
def test_many_sessions_look_less_often(sessions, seconds, monkeypatch):
    monkeypatch.setattr(progress.visits, "PAGES", SimpleNamespace(n_at_work=sessions))
    assert progress.every() == seconds


def page():
    import streamlit as st

    from pages.ui.work import progress

    job, cancelled = st.session_state.job, st.session_state.cancelled

    @st.fragment
    def part():
        if job.finished:
            st.write("over")
        else:
            progress.follow(
                job, "Merging", limit=10.0, key="cancel", on_cancel=lambda: cancelled.append(True)
            )

    part()


@pytest.fixture
def app():
    app = AppTest.from_function(page, default_timeout=60.0)
    app.session_state["job"] = job(progress="merging", seconds=3)
    app.session_state["cancelled"] = []
    return app.run()


def look(app):
    """Return what the server answers to the look of a browser."""
    shown = json.loads(app.get("bidi_component")[0].proto.json)
    answer = offers._offered[shown["address"].rpartition("/")[2]]
    return answer({})


def test_work_is_shown_and_asked_for_at_one_address_until_it_is_over(app):
    assert working(app) == ["Merging: 3 s of at most 10 s"]
    assert json.loads(look(app)) == {"share": 0.3, "text": "Merging: 3 s of at most 10 s"}
    address = json.loads(app.get("bidi_component")[0].proto.json)["address"]
    app.run()
    assert json.loads(app.get("bidi_component")[0].proto.json)["address"] == address
    app.session_state["job"].succeed(1)
    assert look(app) == b""
    app.run()
    assert not working(app)
    assert app.markdown[0].value == "over"


def test_work_is_cancelled_beside_its_progress(app):
    app.button(key="cancel").click().run()
    assert app.session_state["cancelled"] == [True]


def test_work_that_ends_while_it_is_about_to_be_shown_runs_the_page_again(app):
    class Ending:
        """Ends after the page has seen that it is under way."""

        seen = 0

        @property
        def finished(self):
            self.seen += 1
            return self.seen > 1

    app.session_state["job"] = Ending()
    app.run()
    assert not app.exception
    assert app.markdown[0].value == "over"


def test_news_end_a_look_before_the_job_ends(monkeypatch):
    shown, news = [], []
    monkeypatch.setattr(progress, "watched", lambda look, **_: shown.append(look))
    progress.follow(job(), "Merging", limit=10.0, key="x", news=lambda: bool(news))
    assert shown[0]() == (0.0, "Merging: starting")
    news.append(True)
    assert shown[0]() is None


def test_a_cluster_that_is_not_used_is_told_beside_the_progress(monkeypatch):
    shown = []
    monkeypatch.setattr(progress, "watched", lambda look, **_: shown.append(look))
    monkeypatch.setattr(progress.long_answer, "problem", lambda: "The cluster does not answer.")
    progress.follow(job(), "Merging", limit=10.0, key="x")
    assert shown[0]()[1] == "Merging: starting. The cluster does not answer."
