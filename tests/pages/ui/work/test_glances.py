"""First glances: made once for all sessions, by another process, and what is shown meanwhile."""

import threading
from dataclasses import replace

import pytest

from core.data.spec import DataSpec
from core.errors import SolverError
from core.jobs import Pool, State
from core.mechanisms.result import CUT
from core.scenario import Scenario, answer
from pages.ui.work import answers, glances
from pages.ui.work.derived import counted
from pages.ui.work.glances import Glancer
from tests.pages.pools import HeldPool

SCENARIO = Scenario(data=DataSpec("random:uniform:3x6:1", (), ()), notion="lip", eps=0.5)
DATA = counted(SCENARIO.data)


class HeldGlances(HeldPool):
    """A pool of one process, which runs, and holds all work but its first."""

    workers = 1

    def __init__(self):
        super().__init__()
        self.before = 0
        self.urgent, self.submitted = [], threading.Semaphore(0)

    def submit(self, function, *arguments, **how):
        job = super().submit(function, *arguments, **how)
        self.urgent.append(how.get("urgent", False))
        if len(self.taken) == 1:
            self.finish()
        if self.urgent[-1]:
            self.submitted.release()
        return job

    def ahead(self, _):
        return self.before


def ready(pool):
    """Return a glancer whose process waits for work."""
    glancer = Glancer(pool)
    glancer.serve()
    return glancer


@pytest.mark.usefixtures("solves")
def test_where_others_search_the_answer_at_a_smaller_budget_is_the_glance(monkeypatch):
    known = answers.evaluate(SCENARIO).mechanism
    request = replace(SCENARIO, eps=1.0)
    pool = HeldGlances()
    monkeypatch.setattr(answers, "GLANCER", ready(pool))
    monkeypatch.setattr(glances, "WAIT", 0.0)
    glance = answers.evaluate(request).mechanism
    assert answers.is_refining(request)
    assert (glance.kernel == known.kernel).all()
    assert glance.status == CUT
    assert not answers.is_taken(request)
    (waiting,) = pool.open
    assert waiting[2][0] == glances.hurried(request)
    pool.finish()
    result = answers.evaluate(request).mechanism
    assert answers.is_taken(request)
    assert result.utility > known.utility


def test_what_two_sessions_ask_for_is_searched_for_once_where_the_data_is_shared(monkeypatch):
    monkeypatch.setattr(glances, "WAIT", 0.0)
    pool = HeldGlances()
    glancer = ready(pool)
    assert glancer.find(SCENARIO, DATA, "one", patient=False) is None
    assert glancer.find(SCENARIO, DATA, "other", patient=False) is None
    assert len(pool.open) == 1
    own = replace(SCENARIO, data=DataSpec("matrix:of mine", (), ()))
    assert glancer.find(own, DATA, "one", patient=False) is None
    assert glancer.find(own, DATA, "other", patient=False) is None
    assert len(pool.open) == 3
    pool.finish()
    result = glancer.find(SCENARIO, DATA, "other", patient=False)
    assert result.scenario == SCENARIO
    assert result.mechanism.utility == pytest.approx(answer(SCENARIO, DATA).mechanism.utility)


def test_until_its_process_is_up_and_after_it_rested_the_server_searches_itself(monkeypatch):
    pool = HeldGlances()
    glancer = Glancer(pool)
    here = replace(SCENARIO, data=DataSpec("random:uniform:2x3:1", (), ()))
    data = counted(here.data)
    assert glancer.find(here, data, "one", patient=False).scenario == here
    assert pool.taken == []  # no server, no process
    glancer.serve()
    pool.workers = 0  # its minute without work is over
    assert glancer.find(here, data, "one", patient=False).scenario == here
    assert len(pool.taken) == 2
    pool.workers = 1
    assert len(pool.open) == 1  # the second process is about to start
    assert glancer.find(here, data, "one", patient=False).scenario == here
    pool.finish()
    monkeypatch.setattr(glances, "WAIT", 0.0)
    assert glancer.find(here, data, "one", patient=False) is None
    assert len(pool.open) == 1


def test_a_search_that_fails_is_told_and_the_next_one_begins_anew(monkeypatch):
    monkeypatch.setattr(glances, "WAIT", 0.0)
    pool = HeldGlances()
    glancer = ready(pool)
    assert glancer.find(SCENARIO, DATA, "one", patient=False) is None
    pool.fail(SolverError("The worker process died (exit status -9)."))
    with pytest.raises(SolverError, match="died"):
        glancer.find(SCENARIO, DATA, "one", patient=False)
    assert glancer.find(SCENARIO, DATA, "one", patient=False) is None
    pool.finish()
    assert glancer.find(SCENARIO, DATA, "one", patient=True).scenario == SCENARIO


def test_who_has_nothing_to_show_comes_before_those_who_have(monkeypatch):
    monkeypatch.setattr(glances, "WAIT", 0.0)
    pool = HeldGlances()
    glancer = ready(pool)
    assert glancer.find(SCENARIO, DATA, "one", patient=False) is None
    ((first, *_),) = pool.open
    first.state = State.WAITING  # another search is under way
    waits = threading.Thread(
        target=glancer.find, args=(SCENARIO, DATA, "other"), kwargs={"patient": True}
    )
    waits.start()
    assert first.wait(60)
    assert first.state == State.CANCELLED
    assert pool.submitted.acquire(timeout=60)
    ((_job, _, arguments),) = pool.open
    assert arguments[0] == glances.hurried(SCENARIO)
    pool.finish()
    waits.join(60)
    assert not waits.is_alive()
    assert pool.urgent == [False, False, True]  # the start of the process, and both


def test_nobody_with_something_to_show_waits_behind_another():
    pool = HeldGlances()
    glancer = ready(pool)
    behind = replace(SCENARIO, eps=0.4)
    pool.before = 1
    assert glancer.find(behind, DATA, "one", patient=False) is None
    pool.finish()
    assert glancer.find(behind, DATA, "one", patient=False).scenario == behind


def test_the_oldest_of_too_many_is_given_up(monkeypatch):
    monkeypatch.setattr(glances, "WAIT", 0.0)
    monkeypatch.setattr(glances, "MOST", 2)
    pool = HeldGlances()
    glancer = ready(pool)
    for eps in (0.1, 0.2, 0.3):
        assert glancer.find(replace(SCENARIO, eps=eps), DATA, "one", patient=False) is None
    left = [arguments[0].eps for _, _, arguments in pool.open]
    assert left == [0.2, 0.3]


def test_a_process_of_its_own_finds_what_the_server_finds():
    with Pool(1, niceness=0) as pool:
        glancer = ready(pool)
        glancer._warmed.result(60)
        outcome = glancer.find(SCENARIO, DATA, "one", patient=True)
    here = Glancer(pool).find(SCENARIO, DATA, "one", patient=True)
    assert outcome.mechanism.utility == pytest.approx(here.mechanism.utility, abs=1e-9)
    assert outcome.scenario == here.scenario == SCENARIO


def test_a_server_that_stops_ends_the_process_and_searches_itself():
    with Pool(1) as pool:
        glancer = ready(pool)
        glancer._warmed.result(60)
        glancer.kill()
        assert glancer.find(SCENARIO, DATA, "one", patient=True).scenario == SCENARIO
        assert all(process.wait(60) < 0 for process in list(pool._processes))
