import pyarrow as pa
import pytest

from core.data import count
from core.scenario import Scenario
from core.sweep import Draws, Sweep
from core.sweep import running as module
from core.sweep.running import estimate


class Seconds:
    """A stopwatch that says what each point took, by mechanism and number of points."""

    def __init__(self, monkeypatch, each):
        self.chunks, self.each = [], each
        monkeypatch.setattr(module, "compute", self.compute)
        monkeypatch.setattr(module, "Stopwatch", lambda: self)

    def compute(self, chunk, **_report):
        self.chunks.append(chunk)
        key, points = chunk.questions[0].mechanism, len(chunk.points)
        self.seconds = self.each[key] * points
        text = "time limit" if key == "optimal" else "heuristic"
        return pa.table({"status": [text] * points})


def test_each_kind_counts_as_often_as_it_is_asked(monkeypatch):
    reported = []
    watch = Seconds(monkeypatch, {"watchdog": 0.25, "grr": 2.0})
    sweep = Sweep(
        Scenario(notion="lip"),
        (("mechanism", ("watchdog", "grr")), ("eps", (0.5, 1.0, 1.5))),
        draws=Draws(100, 3, 4),
    )
    result = estimate(sweep, {}, report=reported.append)
    assert result.seconds == pytest.approx(300 * 0.25 + 300 * 2.0)
    together, alone = watch.chunks
    assert together.at_once
    assert len(together.points) == result.measured - 1 == 3 * 32
    assert [question.eps for question in alone.questions] == [1.0]
    assert reported == [(0, 2), (1, 2)]


def test_a_search_that_is_cut_off_counts_with_its_own_limit(monkeypatch):
    watch = Seconds(monkeypatch, {"optimal": 4.5})
    sweep = Sweep(Scenario(time_limit=40.0), (("eps", (0.5, 1.0)),), draws=Draws(10, 3, 4))
    result = estimate(sweep, {}, report=lambda _: None)
    beyond = 4.5 - watch.chunks[0].questions[0].time_limit  # such as its measures
    assert 1.0 < beyond < 2.0
    assert result.seconds == pytest.approx(20 * (40.0 + beyond))


def test_a_busy_machine_takes_longer(monkeypatch):
    """At 442 symbols a sweep of 53 s took four minutes."""
    Seconds(monkeypatch, {"grr": 2.0})
    monkeypatch.setattr(module, "slowness", lambda: 2.5)
    sweep = Sweep(Scenario(mechanism="grr"), (("eps", (0.5, 1.0)),), draws=Draws(10, 3, 4))
    assert estimate(sweep, {}, report=lambda _: None).seconds == pytest.approx(20 * 2.0 * 2.5)


def test_kinds_for_which_no_time_was_left_count_as_the_mean_of_the_others(monkeypatch):
    watch = Seconds(monkeypatch, {"grr": 0.5, "oue": 7.0})
    monkeypatch.setattr(module, "SECONDS", 2.0**-9)
    sweep = Sweep(
        Scenario(), (("mechanism", ("grr", "oue")), ("eps", (1.0, 2.0))), draws=Draws(5, 3, 4)
    )
    result = estimate(sweep, {}, report=lambda _: None)
    assert len(watch.chunks) == result.measured == 1
    assert result.seconds == pytest.approx(20 * 0.5)


def test_data_that_is_counted_is_what_is_measured(monkeypatch):
    watch = Seconds(monkeypatch, {"grr": 0.5})
    sweep = Sweep(Scenario(mechanism="grr"))
    known = count(sweep.scenario.data)
    estimate(sweep, {sweep.scenario.data: known}, report=lambda _: None)
    assert watch.chunks[0].counted is known
    assert watch.chunks[0].draws == ()
