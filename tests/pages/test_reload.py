"""A reload of a page: a new session of the same browser goes on where the last one was."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from core import clock
from core.data import Sources
from core.data.spec import DataSpec
from core.scenario import Scenario, evaluate
from core.scenario.url import to_query
from pages.ui.frame import state
from pages.ui.work import visits
from tests.pages.sent import working
from tests.pages.test_solving import (
    ROOT,
    SCENARIO,
    SMALL,
    AppTest,
    figures,
    keys,
    opened,
    page_text,
)
from tests.pages.waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("sweeps")


@pytest.fixture
def browser(monkeypatch):
    """Return a way to say which browser the next run belongs to."""
    monkeypatch.setattr(visits, "_visits", {})
    now = {"is": "mine"}
    monkeypatch.setattr(visits, "current", lambda: now["is"])
    return now


def limits(pool):
    """Return the time limits of the searches for the optimum that are under way."""
    request = [item[2][0] for item in pool.open]
    return sorted(item.time_limit for item in request if item.mechanism == SCENARIO.mechanism)


def test_a_reload_in_the_middle_of_60_seconds_goes_on_with_60_seconds(solves, browser):
    with clock.using(clock.Ticking(1000.0)):
        app = opened(**SMALL)
        solves.open[0][0].succeed(evaluate(SCENARIO))
        app.run()
        cut = figures(app)["NMI"].value
        app.button(key="search_minute").click().run()
        begun = solves.open[0][0]
        again = opened(**SMALL)
        assert limits(solves) == [60.0]
        assert solves.open[0][0] is begun  # it goes on; it does not begin anew
        assert "Improving the answer" in working(again)[0]
        assert figures(again)["NMI"].value == f"≥ {cut}"
        browser["is"] = "another"
        other = opened(**SMALL)
        assert limits(solves) == [5.0, 60.0]
    with clock.using(clock.Ticking(1e-6)):
        while solves.open:
            solves.finish()
    again.run()
    assert figures(again)["Gap, nats"].delta == "optimal"
    assert "search_minute" not in keys(again)
    assert "cut off" not in page_text(other)


def of_matrix(sources, key):
    """Open Explore on a matrix of the session."""
    app = AppTest.from_file(ROOT / "pages/explore.py", default_timeout=PATIENCE)
    app.session_state["_visit"] = visits.Visit(sources=sources)
    request = Scenario(data=DataSpec(key, (), ()), notion="lip", eps=0.5)
    for name, value in to_query(request).items():
        app.query_params[name] = value
    return request, app


def test_a_reload_has_the_better_answer_on_data_of_the_session_at_once(solves, browser):
    sources = Sources()
    key = sources.add_matrix("5\t9\t2\t7\t1\t3\n4\t1\t8\t2\t6\t5\n7\t3\t3\t1\t9\t2")
    with clock.using(clock.Ticking(1000.0)):
        request, app = of_matrix(sources, key)
        app.run()
        first = figures(app)["NMI"].value
    with clock.using(clock.Ticking(1e-6)):
        solves.finish()
    app.run()
    best = figures(app)["NMI"].value
    assert best != first
    with clock.using(clock.Ticking(1000.0)):
        _, again = of_matrix(sources, key)
        assert figures(again.run())["NMI"].value == best
        assert figures(again)
        browser["is"] = "another"
        _, other = of_matrix(sources, key)
        assert figures(other.run())["NMI"].value == first
    assert replace(request, eps=0.5) == request


def test_a_reload_goes_on_with_the_longer_search_of_a_line_on_data_of_the_session(
    solves, sweeps, browser
):
    sources = Sources()
    key = sources.add_matrix("5\t9\t2\t7\t1\t3\n4\t1\t8\t2\t6\t5\n7\t3\t3\t1\t9\t2")

    def seconds():
        """Return the time limits of the searches along the optimum's budgets, by budget and all."""
        return [
            (arguments[0].time_limit, job.time_limit)
            for job, _, arguments in sweeps.open
            if arguments[0].mechanism == SCENARIO.mechanism
        ]

    with clock.using(clock.Ticking(1000.0)):
        _, app = of_matrix(sources, key)
        app.run()
        first = seconds()
        sweeps.finish_all()
        app.run().button(key="frontier_search_on").click().run()
        longer = seconds()
        _, again = of_matrix(sources, key)
        again.run()
        assert first == [(1.5, 900.0)]
        assert longer == [(3.0, 1_800.0)]
        assert seconds() == 2 * longer  # that of the page that is gone ends with it
        browser["is"] = "another"
        _, other = of_matrix(sources, key)
        other.run()
    assert seconds() == 2 * longer + first
    assert solves.open


def test_of_two_wishes_for_one_question_the_longer_is_taken_over(browser):
    held, own = visits.Visit(), visits.Visit()
    questions = [(DataSpec(), name) for name in ("more", "less", "new")]
    for question, theirs, ours in zip(questions, (60.0, 5.0, 5.0), (10.0, 10.0, 0.0), strict=True):
        held.searches[question].seconds = theirs
        own.searches[question].seconds = ours
    held.searches[DataSpec(), "of usual length"].done = True
    own.prolong_as(held)
    assert list(own.searches) == questions  # no page takes over the records of all pages before
    assert [own.searches[question].seconds for question in questions] == [60.0, 10.0, 5.0]
    assert browser["is"] == "mine"


def test_a_page_that_comes_back_without_its_session_says_what_is_lost(monkeypatch):
    headers = SimpleNamespace(headers={}, cookies={})
    monkeypatch.setattr(visits.st, "context", headers)
    for named, lost in (
        ("streamlit, a-token", False),  # opened or reloaded
        ("streamlit, a-token, ", False),
        ("streamlit, a-token, a-session", True),
    ):
        headers.headers[visits.PROTOCOLS] = named
        app = opened(mech="watchdog")
        assert [state.LOST in item.value.replace("\\", "") for item in app.warning] == [True] * lost
        app.run()
        assert len(app.warning) == lost
