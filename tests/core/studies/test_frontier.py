from dataclasses import replace

import numpy as np
import pytest

from core import clock
from core.data import DataSpec, count
from core.errors import CoreError, InfeasibleError, InvalidInputError, SolverError
from core.joint import Joint
from core.mechanisms import catalogue
from core.mechanisms.result import make_mechanism
from core.notions import ALIP, LIP, SRLIP, MetricLDP
from core.optimal.plan import SIZES
from core.scenario import Scenario
from core.studies import frontier
from core.studies.frontier import sweep

JOINT = Joint.random_uniform(4, 9, np.random.default_rng(3))
HARD = Joint.random_uniform(8, 60, np.random.default_rng(3))
GRID = [0.25, 0.5, 1.0, 2.0, 4.0]
KINDS = {"alip": ALIP, "srlip": SRLIP, "metric_ldp": MetricLDP}


@pytest.mark.parametrize("key", catalogue.CATALOGUE)
def test_what_is_called_monotone_never_falls(key):
    entry = catalogue.entry(key)
    notion = next((name for name, kind in KINDS.items() if entry.works_under(kind)), "rldp")
    robust = notion == "rldp"
    joint = Joint.with_secret_released([[7, 10, 3], [26, 57, 4]]) if robust else JOINT
    scenario = Scenario(notion=notion, mechanism=key, time_limit=1.0, n=100)
    with clock.using(clock.Ticking(0.01)):
        line = sweep(scenario, joint, GRID)
    assert line.reasons == ("",) * len(GRID)
    assert (line.utility <= line.upper_bound + 1e-12).all()
    if entry.monotone:
        assert (np.diff(line.utility) >= -1e-12).all()
        assert (np.diff(line.upper_bound) >= 0).all()
    if entry.optimum:
        assert entry.monotone


def test_the_line_of_a_watchdog_may_fall():
    assert not catalogue.entry("watchdog").monotone
    assert not catalogue.entry("subset_merging").monotone
    assert catalogue.entry("optimal").monotone


def test_a_sweep_says_which_points_are_proven():
    line = sweep(Scenario(), JOINT, GRID)
    assert line.proven.all()
    with clock.using(clock.Ticking(1.0)):
        hurried = sweep(Scenario(time_limit=0.5), HARD, [0.5, 1.0])
    assert not hurried.proven.any()
    assert (hurried.upper_bound > hurried.utility).all()


@pytest.mark.parametrize("mechanism", ["watchdog", "identity"])
def test_a_budget_that_fails_is_a_gap_with_its_reason(monkeypatch, mechanism):
    build = Scenario.build_mechanism

    def fails_at_one(self, joint, *known):
        if self.eps == 1.0:
            raise InfeasibleError("There is nothing at 1.")
        return build(self, joint, *known)

    monkeypatch.setattr(Scenario, "build_mechanism", fails_at_one)
    line = sweep(Scenario(mechanism=mechanism), JOINT, GRID)
    assert line.reasons == ("", "", "There is nothing at 1.", "", "")
    np.testing.assert_array_equal(np.isnan(line.nmi), np.array(GRID) == 1.0)


def test_a_sweep_without_any_answer_says_why():
    with pytest.raises(CoreError, match="does not work under"):
        sweep(Scenario(notion="alip", mechanism="srlip_product"), JOINT, GRID)
    with pytest.raises(InvalidInputError, match="increasing"):
        sweep(Scenario(), JOINT, [1.0, 1.0])


def test_a_line_is_of_what_is_to_be_kept():
    counted = count(DataSpec(task=("income",)))
    request = Scenario(data=DataSpec(task=("income",)), notion="lip", purpose="task")
    line = sweep(request, counted.joint, [0.05, 0.2, 2.0], task=counted.task)
    assert np.all(np.diff(line.utility) >= 0)
    assert line.proven.all()
    whole = line.mechanisms[-1].purpose.range(counted.joint)[1]
    np.testing.assert_allclose(line.most_nmi, line.upper_bound / whole, atol=1e-9)
    watchdogs = sweep(
        replace(request, mechanism="watchdog"), counted.joint, [0.2], task=counted.task
    )
    assert watchdogs.utility[0] <= line.upper_bound[1] + 1e-9
    with pytest.raises(InvalidInputError, match="choose the column of T"):
        sweep(request, counted.joint, [0.2])


def test_a_line_of_more_symbols_than_fit_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(frontier, "MOST_SYMBOLS", JOINT.n_x - 1)
    with pytest.raises(InvalidInputError, match=f"got {JOINT.n_x}: it keeps a mechanism for each"):
        sweep(Scenario(mechanism="watchdog"), JOINT, [1.0])


@pytest.mark.parametrize(("notion", "n_x"), [("lip", 9), ("robust_ldp", 9), ("robust_ldp", 70)])
def test_a_sweep_reports_first_what_is_known_without_a_search(notion, n_x):
    """Of 442 symbols a line of RLDP was there after a minute and a half of processor."""
    joint = Joint.random_uniform(3, n_x, np.random.default_rng(3))
    seen = []
    with clock.using(clock.Ticking(0.5)):
        line = sweep(Scenario(notion=notion), joint, [1.0, 2.0, 4.0], report=seen.append)
    (glance,) = seen
    assert glance.mechanisms == ()
    assert glance.eps.tolist() == [1.0, 4.0]
    assert (glance.nmi > 0).all()
    assert (glance.utility <= line.utility[[0, 2]] + 1e-9).all()
    assert (glance.upper_bound >= line.utility[[0, 2]] - 1e-9).all()


@pytest.mark.parametrize("mechanism", ["robust_optimal", "polyopt"])
def test_a_robust_line_of_pairs_short_of_time_is_searched_from_coarse_to_fine(
    monkeypatch, mechanism
):
    """Each of 32 budgets was searched for 5 s, from the smallest on."""
    build, searched, now = Scenario.build_mechanism, [], [0.0]

    def recorded(self, joint, *known):
        searched.append((self.eps, self.time_limit))
        now[0] += self.time_limit
        with clock.using(clock.Ticking(0.01)):
            return build(self, joint, *known)

    monkeypatch.setattr(Scenario, "build_mechanism", recorded)
    joint = Joint.with_secret_released([[7, 10, 3], [26, 57, 4]])
    each, budgets = SIZES.robust_seconds, np.arange(1.0, 10.0) / 4
    request = Scenario(notion="rldp", mechanism=mechanism, n=100, time_limit=4.5 * each / 9)
    with clock.using(lambda: now[0]):
        line = sweep(request, joint, budgets)
    assert [eps for eps, _ in searched] == [2.25, 0.25, 1.25, 0.75, 1.75]
    assert [seconds for _, seconds in searched] == pytest.approx([each] * 4 + [each / 2])
    assert line.reasons == ("",) * 9
    assert all(line.utility[i] == line.utility[i - 1] for i in (1, 3, 5, 7))
    assert (np.diff(line.utility) >= 0).all()
    assert (np.diff(line.upper_bound) >= 0).all()
    assert (line.utility <= line.upper_bound).all()
    assert {point.name for point in line.mechanisms} == {catalogue.entry(mechanism).title}
    assert all(
        replace(request, eps=eps).build_notion(joint).holds(joint, point.kernel)
        for eps, point in zip(budgets.tolist(), line.mechanisms, strict=True)
    )


def test_no_line_is_below_what_was_reported_first(monkeypatch):
    """On a busy machine the searches of many symbols may find less than the quick estimate."""
    joint = Joint.random_uniform(3, 9, np.random.default_rng(3))
    budgets = [1.0, 2.0, 4.0]
    silent = tuple(
        make_mechanism(joint, np.ones((9, 1)), name="Optimal", notion=LIP(eps)) for eps in budgets
    )
    monkeypatch.setattr(frontier, "frontier", lambda *_args, **_options: silent)
    seen = []
    line = sweep(Scenario(notion="lip"), joint, budgets, report=seen.append)
    np.testing.assert_allclose(line.utility[[0, 2]], seen[0].utility)
    assert line.utility[1] == line.utility[0]


def test_a_wrong_bound_spoils_its_own_budget_alone(monkeypatch):
    """What was known before disproved one bound, and the whole line was lost."""
    joint = Joint.random_uniform(3, 9, np.random.default_rng(3))
    budgets = [1.0, 2.0, 4.0]
    silent = [
        make_mechanism(joint, np.ones((9, 1)), name="Optimal", notion=LIP(eps), upper_bound=most)
        for eps, most in zip(budgets, (None, 0.0, None), strict=True)
    ]
    monkeypatch.setattr(frontier, "frontier", lambda *_args, **_options: tuple(silent))
    line = sweep(Scenario(notion="lip"), joint, budgets, report=lambda _: None)
    np.testing.assert_array_equal(np.isfinite(line.nmi), [True, False, True])
    assert [bool(reason) for reason in line.reasons] == [False, True, False]
    assert "the bound is wrong" in line.reasons[1]
    silent[:] = [silent[1]] * 3
    with pytest.raises(SolverError, match="the bound is wrong"):
        sweep(Scenario(notion="lip"), joint, budgets, report=lambda _: None)


def test_a_sweep_reports_no_line_of_mechanisms_that_keep_nothing():
    joint, seen = Joint.with_secret_released(JOINT.p), []
    with clock.using(clock.Ticking(0.1)):
        line = sweep(Scenario(notion="srlip"), joint, [1.0, 2.0, 4.0], report=seen.append)
    assert (line.nmi == 0).all()
    assert seen == []
