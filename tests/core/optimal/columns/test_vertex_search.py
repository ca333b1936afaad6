"""Column generation's parts: the pool, the cuts, the master program's edge cases."""

import numpy as np
import pytest

from core.clock import NEVER, Deadline
from core.errors import SolverError
from core.joint import Joint
from core.notions import LIP, RLDP
from core.optimal.columns.vertex_search import ColumnSearch, descend
from core.optimal.plan import SIZES
from core.optimal.polytopes import tableaux
from core.optimal.polytopes.standard_form import polytope
from core.optimal.programs.master import Master, Mixture
from core.optimal.utility import MutualInformation
from core.uncertainty import RenyiBall

JOINT = Joint.random_uniform(4, 12, np.random.default_rng(0))
SPACE = polytope(LIP(0.5).allowed_set(JOINT), JOINT.p_x)
GOAL = MutualInformation()


def searched(space=SPACE, joint=JOINT):
    search = ColumnSearch(space, joint.p_x, GOAL, seed=0, deadline=Deadline.after(60))
    search.run()
    return search


def test_every_vertex_in_the_pool_is_allowed_and_met_once():
    search = searched()
    rows = LIP(0.5).allowed_set(JOINT).rows
    assert (rows @ search.pool.points.T).max() < 1e-12
    assert len(np.unique(search.pool.points.round(10), axis=0)) == len(search.pool)


def test_a_descent_ends_where_no_neighbour_is_better():
    duals = searched().mixture.duals * 0.9
    start = tableaux.start(SPACE, np.random.default_rng(1))
    ends, prices = descend(start, duals, GOAL, deadline=NEVER)
    again, same = descend(ends, duals, GOAL, deadline=NEVER)
    np.testing.assert_array_equal(prices, same)
    first = start.points()[0] / start.points()[0].sum()
    assert prices[0] <= GOAL.cost(first) - first @ duals
    stopped, _ = descend(start, duals, GOAL, deadline=Deadline(0.0))
    np.testing.assert_array_equal(stopped.nonbasic, start.nonbasic)
    assert len(again) == 1


def test_cutting_keeps_only_what_meets_the_cut_and_the_search_goes_on():
    search = searched()
    before = search.mixture.cost
    cut = np.full((1, 12), -0.25)
    cut[0, 0] = 0.75  # r_0 ≤ ¼
    search.cut(cut)
    assert (search.pool.points @ cut.T <= 1e-12).all()
    search.run()
    assert search.mixture.cost > before
    narrower = searched(SPACE.with_cuts(cut))
    assert search.mixture.cost == pytest.approx(narrower.mixture.cost, abs=2e-3)


def test_cutting_everything_but_the_prior_fills_the_pool_anew():
    search = searched()
    cuts = np.eye(12) - 1.2 * JOINT.p_x[:, None]  # r_x ≤ 1.2 P(x)
    search.cut(cuts)
    search.run()
    assert (search.in_use() <= 1.2 * JOINT.p_x + 1e-9).all()
    assert search.settled().shape[0] == 12


def test_ties_are_searched_perturbed_and_answered_exactly():
    joint = Joint.from_counts([[1, 1, 2, 2, 3, 3], [3, 3, 2, 2, 1, 1]])
    space = polytope(LIP(0).allowed_set(joint), joint.p_x)
    search = searched(space, joint)
    rows = LIP(0).allowed_set(joint).rows
    assert (rows @ search.pool.points.T).max() < 1e-12
    # the middle pair is told; of the outer four, mixed in pairs that cancel, one bit is lost
    assert search.mixture.cost == pytest.approx(2 / 3 * np.log(2), abs=1e-9)


def test_outputs_known_already_are_not_new():
    search = searched()
    assert search.include(np.full((1, 12), 1 / 12))
    assert not search.include(np.full((1, 12), 1 / 12))


def test_a_mixture_at_a_penalty_is_no_kernel():
    p_x = np.array([0.5, 0.3, 0.2])
    master = Master(p_x, GOAL, np.array([[0.9, 0.05, 0.05]]))
    with pytest.raises(SolverError, match="do not mix"):
        master.kernel(master.solve())


def test_an_amount_that_would_be_negative_is_nothing_and_others_make_up_for_it():
    """Cut off at 0 it left rows that missed 1 by as much, and all that a climb found was lost."""
    p_x = np.full(3, 1 / 3)
    points = np.array([[0.5 + 5e-10, 0.5 - 5e-10, 0.0], [0.501, 0.499, 0.0], [0.0, 0.0, 1.0]])
    master = Master(p_x, GOAL, points)
    rounded = Mixture(  # exact sums would take −3e-7 of the second output
        duals=np.zeros(3),
        cost=0.0,
        shortfall=0.0,
        used=np.arange(3),
        weights=np.array([2 / 3, 1e-12, 1 / 3])[:, None] * points,
        excepted=np.zeros((0, 3)),
    )
    with pytest.raises(SolverError, match="only"):
        master.kernel(rounded)
    kernel = master.kernel(rounded, missing=1e-8)
    np.testing.assert_allclose(kernel, [[1, 0], [1, 0], [0, 1]], atol=1e-15)


def test_seeds_of_a_set_with_ties_are_kept_where_moving_its_rows_gives_none(monkeypatch):
    counts = np.array([[20, 69, 311, 119, 10252], [192, 346, 1560, 162, 19530]])
    notion = RLDP(0.8, RenyiBall.confidence(counts, int(counts.sum())))
    joint = Joint.with_secret_released(counts)
    space = polytope(notion.allowed_set(joint), joint.p_x)
    assert tableaux.corners(space, -np.eye(10)).tied()
    moved = searched(space, joint)
    some = tableaux.some_corners
    monkeypatch.setattr(
        tableaux, "some_corners", lambda at, *rest: some(at, *rest) if at is space else None
    )
    search = searched(space, joint)
    assert search.pool.searched is space
    assert moved.pool.searched is not space
    assert search.mixture.cost >= moved.mixture.cost - 1e-9
    assert (notion.allowed_set(joint).rows @ search.in_use().T).max() < 1e-9


def test_at_the_deadline_vertices_are_looked_for_until_one_is_inside(monkeypatch):
    assert len(tableaux.some_corners(SPACE, -np.eye(12), deadline=Deadline(0.0))) == 1
    first, second = (SPACE.vertex_of(cost) for cost in -np.eye(12)[:2])
    answers = iter([first, second])
    monkeypatch.setattr(type(SPACE), "vertex_of", lambda *_: next(answers))

    # the first is outside, as HiGHS's tolerance allows
    def solved(space, basic, *_, **__):
        values = np.where((basic == second[0]).all(axis=1), 0.1, -0.1)
        return values[:, None, None] * np.ones((1, space.n_basic, 1))

    monkeypatch.setattr(tableaux, "solved", solved)
    result = tableaux.some_corners(SPACE, -np.eye(12)[:2], deadline=Deadline(0.0))
    np.testing.assert_array_equal(result.basic, second[0][None])


def test_a_look_from_each_symbol_finds_outputs_that_neighbours_miss():
    """Where neighbors of the outputs in use are no better, a vertex further away may be."""
    gained = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        joint = Joint.from_counts(rng.poisson(rng.gamma(0.3, 30.0, size=(5, 12))) + np.eye(5, 12))
        notion = LIP(0.5)
        space = polytope(notion.allowed_set(joint), joint.p_x)
        search = searched(space, joint)
        before = search.mixture.cost
        whole = search.deadline
        search.look_wider(Deadline(0.0))
        assert search.mixture.cost == before
        search.look_wider(whole)
        assert search.deadline is whole
        assert search.mixture.cost <= before + 1e-12
        gained.append(before - search.mixture.cost)
    assert max(gained) > 1e-6


def test_no_cut_takes_away_the_output_that_tells_nothing():
    """A cut that P_X breaks by rounding left nothing that mixes: penalties rose without end."""
    search = searched()
    cut = np.zeros((1, 12))
    cut[0, 0], cut[0, 1] = JOINT.p_x[1], -JOINT.p_x[0]  # r_0/P(0) ≤ r_1/P(1), and a hair less
    cut -= 1e-15
    search.cut(np.vstack([cut, -cut + 2e-15]))
    assert (search.master.points == JOINT.p_x).all(axis=1).any()
    kernel = search.settled()
    np.testing.assert_allclose(kernel.sum(axis=1), 1.0, atol=1e-12)


def test_after_the_deadline_each_vertex_is_looked_at_once(monkeypatch):
    """Where none was inside, all before it were solved anew for each: 9 of 1 s at 10×442."""
    looks = []

    def outside(space, basic, *_, **__):
        looks.append(len(basic))
        return np.full((len(basic), space.n_basic, 1), -0.1)

    monkeypatch.setattr(tableaux, "solved", outside)
    assert tableaux.some_corners(SPACE, -np.eye(12), deadline=Deadline(0.0)) is None
    assert sum(looks) == 12


def test_no_more_descents_are_begun_than_there_is_time_for(monkeypatch):
    """Of 220 symbols, beside as many cuts, they took 1.2 s where .4 were left."""
    search = searched()
    begun = []
    some = tableaux.some_corners
    monkeypatch.setattr(
        tableaux,
        "some_corners",
        lambda space, costs, *rest: begun.append(len(costs)) or some(space, costs, *rest),
    )
    search.descend_from(-np.eye(12))
    monkeypatch.setitem(vars(SIZES), "walk_entries", 0)
    search.descend_from(-np.eye(12))
    monkeypatch.setitem(vars(SIZES), "entry_seconds", 10.0 / SPACE.n_basic / SPACE.n_free)
    search.descend_from(-np.eye(12))
    assert begun[:2] == [12, 12]
    assert 1 <= begun[2] < 8
