"""Many small programs at once, against HiGHS one by one."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from core import clock
from core.allowed.allowed_set import AllowedSet
from core.joint import Joint
from core.notions import ALIP, LDP, Intersection
from core.optimal.bounds.box_programs import Boxes, BoxPrograms
from core.optimal.programs import batched_simplex
from core.optimal.programs.batched_simplex import BatchedSimplex, inverses


def random_boxes(joint: Joint, count: int, rng: np.random.Generator) -> Boxes:
    """Boxes about P_X, some of them of no width in some symbol, some of them empty."""
    n = joint.n_x
    width = (
        rng.uniform(0, 3, (count, 1)) ** 2
        * rng.uniform(0, 1, (count, n))
        * (rng.random((count, n)) < 0.8)
    )
    middle = joint.p_x * rng.uniform(0.3, 1.7, (count, n))
    lower = np.maximum(middle - width * joint.p_x, 0) * (rng.random((count, n)) < 0.5)
    mass = np.ones((count, n))
    mass[np.arange(count), rng.integers(0, n, count)] = rng.integers(0, 2, count)
    return Boxes(lower, np.minimum(middle + width * joint.p_x, 1), mass)


def by_highs(allowed, boxes, costs, i):
    rows = allowed.rows.toarray()
    auxiliary = rows.shape[1] - allowed.n_x
    return linprog(
        np.append(costs[i], np.zeros(auxiliary)),
        A_ub=rows,
        b_ub=np.zeros(len(rows)),
        A_eq=np.append(boxes.mass[i], np.zeros(auxiliary))[None],
        b_eq=[1.0],
        bounds=[*zip(boxes.lower[i], boxes.upper[i], strict=True), *[(0, None)] * auxiliary],
    )


@pytest.mark.parametrize(
    "notion", [ALIP(0.3, 0.4), LDP(0.7), Intersection(LDP(1.0), ALIP(0.5, 0.5))], ids=str
)
def test_the_same_optima_as_one_by_one_and_the_same_boxes_are_empty(notion):
    rng = np.random.default_rng(0)
    solved = empty = 0
    for n_s, n_x in ((3, 5), (8, 6), (5, 20)):
        joint = Joint.random_dirichlet(n_s, n_x, 1.0, rng)
        allowed = notion.allowed_set(joint)
        programs = BoxPrograms(allowed)
        boxes, costs = random_boxes(joint, 60, rng), rng.normal(size=(60, n_x))
        ends = programs.solve(boxes, costs)
        value, _ = programs.proven(boxes, costs, ends)
        nothing, _ = programs.proven(boxes, np.zeros_like(costs), ends)
        for i in range(60):
            answer = by_highs(allowed, boxes, costs, i)
            if answer.status == 2:
                assert ends.empty[i]
                assert nothing[i] > 0
                empty += 1
            elif answer.status == 0:
                assert ends.solved[i]
                assert answer.fun - 1e-7 <= value[i] <= answer.fun + 1e-7
                solved += 1
    assert solved > 60
    assert empty > 10


def test_a_start_from_the_box_around_saves_pivots_and_changes_nothing():
    rng = np.random.default_rng(1)
    joint = Joint.random_dirichlet(6, 10, 1.0, rng)
    programs = BoxPrograms(LDP(0.5).allowed_set(joint))
    wide = Boxes(
        np.zeros((40, 10)), np.tile(np.minimum(3 * joint.p_x, 1), (40, 1)), np.ones((40, 10))
    )
    costs = rng.normal(size=(40, 10))
    first = programs.solve(wide, costs)
    upper, each = wide.upper.copy(), np.arange(40)
    split = first.points[:, :10].argmax(axis=1)
    upper[each, split] = 0.7 * first.points[each, split]
    inner = Boxes(wide.lower, upper, wide.mass)
    cold = programs.solve(inner, costs)
    warm = programs.solve(inner, costs, labels=first.labels)
    values = [programs.proven(inner, costs, ends)[0] for ends in (cold, warm)]
    assert (cold.solved == warm.solved).all()
    assert cold.solved.sum() > 20
    np.testing.assert_allclose(*(value[cold.solved] for value in values), atol=1e-11)


def test_a_bound_holds_however_a_program_ends(monkeypatch):
    """Stopped after any number of pivots: below the optimum, and in the end at it."""
    rng = np.random.default_rng(2)
    joint = Joint.random_dirichlet(6, 10, 1.0, rng)
    programs = BoxPrograms(ALIP(0.2, 0.3).allowed_set(joint))
    boxes = Boxes(
        np.zeros((30, 10)), np.minimum(3 * joint.p_x, 1) * np.ones((30, 10)), np.ones((30, 10))
    )
    costs = rng.normal(size=(30, 10))
    best = programs.proven(boxes, costs, programs.solve(boxes, costs))[0]
    gaps = []
    for steps in range(0, 40, 4):
        monkeypatch.setattr(batched_simplex, "MOST_STEPS", steps)
        ends = programs.solve(boxes, costs)
        value = programs.proven(boxes, costs, ends)[0]
        assert (value <= best + 1e-12).all()
        gaps.append(float((best - value).max()))
    assert gaps[0] > 0.1
    assert gaps[-1] < 1e-12


def test_a_program_ends_when_its_cost_exceeds_what_is_enough():
    rng = np.random.default_rng(3)
    joint = Joint.random_dirichlet(6, 10, 1.0, rng)
    programs = BoxPrograms(ALIP(0.2, 0.3).allowed_set(joint))
    boxes = Boxes(
        np.zeros((30, 10)), np.minimum(3 * joint.p_x, 1) * np.ones((30, 10)), np.ones((30, 10))
    )
    costs = rng.normal(size=(30, 10))
    best = programs.proven(boxes, costs, programs.solve(boxes, costs))[0]
    ends = programs.solve(boxes, costs, enough=best - 0.3)
    value = programs.proven(boxes, costs, ends)[0]
    assert (value >= best - 0.3 - 1e-12).all()
    assert not ends.solved.all()
    assert (value <= best + 1e-12).all()


def test_labels_that_are_no_vertex_are_passed_over():
    """Two equal rows: labels that hold both at their end are singular."""
    rows = np.array([[1.0, -2.0, 0.0], [1.0, -2.0, 0.0]])
    mass, lower = np.ones((2, 3)), np.zeros((2, 5))
    upper = np.tile([1.0, 1.0, 1.0, 2.0, 2.0], (2, 1))
    costs = np.tile([-1.0, 0.0, 0.5], (2, 1))
    ends = BatchedSimplex(rows, costs, mass, lower, upper, np.array([[3, 4], [0, 2]])).run()
    assert ends.solved.all()
    np.testing.assert_allclose(ends.points, [[2 / 3, 1 / 3, 0.0]] * 2)
    assert np.isnan(inverses(np.ones((1, 2, 2)))).all()


def test_a_row_that_a_boundless_auxiliary_variable_meets_asks_nothing():
    """h is held down by r_1, g by h, and f by nothing: only the row that f meets is left out."""
    rows = [[-1.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, -2.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0, 0.0]]
    free = [1.0, 0.0, -1.0, 0.0, -1.0]
    held = BoxPrograms(AllowedSet(sparse.csr_array(rows), 2))
    more = BoxPrograms(AllowedSet(sparse.csr_array([*rows, free]), 2))
    np.testing.assert_array_equal(more.matrix, held.matrix)
    boxes = Boxes(np.zeros((1, 2)), np.ones((1, 2)), np.ones((1, 2)))
    _, upper, _ = held.widths(boxes)
    np.testing.assert_allclose(upper, [[1.0, 1.0, 1.0, 2.0]])
    ends = held.solve(boxes, np.array([[0.0, -1.0]]))  # r_2 ≤ g ≤ 2h ≤ 2r_1
    assert ends.points[0, 1] == pytest.approx(2 / 3)
    assert held.proven(boxes, np.array([[0.0, -1.0]]), ends)[0] == pytest.approx(-2 / 3)


def test_many_boxes_are_solved_in_parts():
    joint = Joint.random_dirichlet(3, 5, 1.0, np.random.default_rng(0))
    programs = BoxPrograms(LDP(0.5).allowed_set(joint))
    rng = np.random.default_rng(1)
    boxes, costs = random_boxes(joint, 20, rng), rng.normal(size=(20, 5))
    whole = programs.solve(boxes, costs)
    programs.together = 7
    parts = programs.solve(boxes, costs, labels=None)
    again = programs.solve(boxes, costs, labels=whole.labels, enough=np.full(20, np.inf))
    for ends in (parts, again):
        np.testing.assert_array_equal(ends.empty, whole.empty)
        np.testing.assert_allclose(ends.points[ends.solved], whole.points[whole.solved], atol=1e-9)


def test_no_part_is_begun_once_time_is_over(monkeypatch):
    """At 4×756 the sides of the first box, in 13 parts, took 1.7 s after a limit of 1 s."""
    monkeypatch.setitem(vars(batched_simplex.SIZES), "between_looks", 1)
    joint = Joint.random_dirichlet(3, 12, 1.0, np.random.default_rng(0))
    programs = BoxPrograms(LDP(0.7).allowed_set(joint))
    programs.together = 4
    boxes, costs = random_boxes(joint, 40, np.random.default_rng(1)), np.ones((40, 12))
    begun, run = [], BatchedSimplex.run
    monkeypatch.setattr(BatchedSimplex, "run", lambda *of: (begun.append(0), run(*of))[1])
    with clock.using(clock.Ticking(1.0)):
        ends = programs.solve(boxes, costs, deadline=clock.Deadline(3.0))
    assert 1 <= len(begun) <= 3
    assert not ends.solved[12:].any()
    bound = programs.proven(boxes, costs, ends)[0]
    assert np.isfinite(bound).all()
    assert (bound <= np.minimum(boxes.lower, boxes.upper).sum(axis=1) + 1)[12:].all()
