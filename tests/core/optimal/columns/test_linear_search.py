"""Column generation by linear programs: the optimum on small sets, the promise on large ones."""

from dataclasses import replace

import numpy as np
import pytest

from core import clock
from core import mechanisms as m
from core.clock import Deadline
from core.joint import Joint
from core.measures import mutual_information
from core.mechanisms import Mechanism
from core.notions import ALIP, LDP, Notion, rldp
from core.notions.rldp import RLDP
from core.optimal.columns.linear_search import LinearSearch, too_large
from core.optimal.plan import SIZES
from core.optimal.utility import MutualInformation
from core.uncertainty import RenyiBall


def small_joint() -> Joint:
    return Joint.from_counts(np.random.default_rng(3).integers(1, 40, size=(3, 7)))


@pytest.fixture
def by_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every set to be too large for tableaux."""
    monkeypatch.setitem(vars(SIZES), "search_entries", 0)


@pytest.mark.usefixtures("by_programs")
@pytest.mark.parametrize("notion", [ALIP(0.4, 0.8), LDP(1.0)], ids=str)
def test_a_small_optimum_is_that_of_enumeration(notion: Notion) -> None:
    joint = small_joint()
    exact = m.optimal(joint, notion, solver="enumerate")
    result = m.optimal(joint, notion, solver="columns", time_limit=20)
    assert exact.status == "optimal"
    assert result.utility == pytest.approx(exact.utility, abs=1e-6)
    assert result.status == "heuristic"
    assert result.upper_bound > exact.utility + 0.01


@pytest.mark.usefixtures("by_programs")
@pytest.mark.parametrize("same_secret", [True, False])
def test_a_small_polyopt_is_that_of_enumeration(same_secret: bool) -> None:
    cells = np.array([[7, 10, 4], [26, 57, 9]])
    ball = RenyiBall.confidence(cells, int(cells.sum()))
    exact = m.polyopt(cells, 0.8, ball, same_secret, solver="enumerate")
    result = m.polyopt(cells, 0.8, ball, same_secret, time_limit=20)
    assert exact.status == "optimal"
    assert result.utility == pytest.approx(exact.utility, abs=1e-6)


def test_the_same_seed_gives_the_same_outputs() -> None:
    joint = small_joint()
    allowed = LDP(1.0).allowed_set(joint)
    kernels = []
    for _ in range(2):
        search = LinearSearch(allowed, joint.p_x, seed=5, deadline=Deadline.after(60))
        search.run()
        kernels.append(search.settled())
    np.testing.assert_array_equal(kernels[0], kernels[1])


def test_no_time_at_all_leaves_what_was_included() -> None:
    joint = small_joint()
    search = LinearSearch(LDP(1.0).allowed_set(joint), joint.p_x, seed=0, deadline=Deadline(0.0))
    search.run()
    np.testing.assert_allclose(search.settled(), np.ones((joint.n_x, 1)), atol=1e-12)


def test_a_batch_that_time_cuts_short_is_not_lost() -> None:
    """At 10×442, on a slow machine, two of three seconds of outputs never joined the mixture."""
    joint = Joint.from_counts(np.random.default_rng(3).integers(1, 40, (3, 30)))
    allowed = LDP(1.0).allowed_set(joint)
    with clock.using(clock.Ticking(1.0)):
        search = LinearSearch(allowed, joint.p_x, seed=0, deadline=Deadline.after(200.0))
        search.run()
    assert mutual_information(joint.release_x(search.settled())) > 3.0


def large_polyopt(seconds: float) -> tuple[Mechanism, RLDP, np.ndarray]:
    rng = np.random.default_rng(1)
    drawn = rng.multinomial(32_561, rng.dirichlet([0.5] * 240)) / 32_561
    p_hat = np.maximum(drawn, 1e-9).reshape(15, 16)
    p_hat /= p_hat.sum()
    ball = RenyiBall.confidence(p_hat, 32_561, 0.05)
    result = m.polyopt(p_hat, 1.5, ball, True, time_limit=seconds)
    return result, RLDP(1.5, ball, include_same_secret=True), p_hat


@pytest.mark.parametrize("same_secret", [True, False])
def test_running_minima_say_what_the_pairs_say(
    same_secret: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = np.random.default_rng(2).integers(20, 90, size=(8, 2))
    ball, joint = RenyiBall.confidence(cells, int(cells.sum())), Joint.with_secret_released(cells)
    notion = RLDP(0.7, ball, include_same_secret=same_secret)
    lowest = []
    for least in (rldp._MANY_CELLS, 0):
        monkeypatch.setattr(rldp, "_MANY_CELLS", least)
        allowed = replace(notion.allowed_set(joint), restriction=None)
        search = LinearSearch(allowed, joint.p_x, seed=0, deadline=Deadline.after(60))
        costs = np.random.default_rng(4).normal(size=(20, joint.n_x))
        lowest.append([float(cost @ search._lowest(cost)) for cost in costs])
    np.testing.assert_allclose(lowest[0], lowest[1], atol=1e-8)


def test_an_inner_set_is_looked_through_first_and_the_whole_one_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rldp, "_MANY_CELLS", 0)
    cells = np.array([[7, 10, 4], [26, 57, 9]])
    ball, joint = RenyiBall.confidence(cells, int(cells.sum())), Joint.with_secret_released(cells)
    allowed = RLDP(0.8, ball).allowed_set(joint)
    assert allowed.restriction is not None
    printed = m.polyopt(cells, 0.8, ball, include_same_secret=True).utility
    best = m.polyopt(cells, 0.8, ball).utility
    search = LinearSearch(allowed, joint.p_x, seed=0, deadline=Deadline.after(60))
    search._approach()
    first = MutualInformation().value(search.mixture.weights, joint.p_x)
    search.run()
    assert printed < best - 0.01
    assert first <= best + 1e-9
    result = (joint.p_x[:, None] * search.settled()).T
    assert MutualInformation().value(result, joint.p_x) == pytest.approx(best, abs=1e-6)


def test_cells_that_are_only_floors_are_left_out_of_a_large_design(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cells = np.array([[0.1, 0.2, 0.1], [0.3, 0.3 - 1e-9, 1e-9]])
    ball = RenyiBall.confidence(cells, 500)
    exact = m.polyopt(cells, 0.8, ball)
    monkeypatch.setitem(vars(SIZES), "search_entries", 0)
    result = m.polyopt(cells, 0.8, ball, time_limit=20)
    assert result.kernel.shape[0] == 6
    assert "1 cell never observed" in result.notes[-1]
    assert result.audit.holds
    assert result.utility == pytest.approx(exact.utility, abs=2e-6)
    assert result.utility <= exact.upper_bound <= result.upper_bound + 1e-9


def test_240_symbols_keep_the_promise_and_beat_secret_randomised_response() -> None:
    with clock.using(clock.Ticking(2.0**-8)):  # its programs are large
        result, notion, p_hat = large_polyopt(6.0)
    joint = Joint.with_secret_released(p_hat)
    assert too_large(notion.allowed_set(joint))
    assert notion.achieved(joint, result.kernel) <= 1.5 + 1e-9
    assert result.audit is not None
    assert result.nmi > m.secret_randomized_response(p_hat, 1.5).nmi + 0.01
    assert result.nmi > m.independent_reporting(p_hat, 1.5, notion.uncertainty).nmi
    assert result.utility < result.upper_bound


@pytest.mark.usefixtures("by_programs")
def test_a_floor_of_1e_9_does_not_keep_a_search_from_ending() -> None:
    cells = np.array([[0.1, 0.2, 0.1], [0.3, 0.3 - 1e-9, 1e-9]])
    before = clock.now()
    result = m.non_robust(cells, 0.8, time_limit=2)
    assert clock.now() - before < 2
    assert result.audit is not None
    assert result.nmi > 0.4
