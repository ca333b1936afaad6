from itertools import combinations

import numpy as np
import pytest
from scipy import optimize, sparse

from core import measures
from core.allowed.allowed_set import AllowedSet
from core.errors import SolverError
from core.joint import Joint
from core.notions import LDP, LIP
from core.optimal.plan import SIZES
from core.optimal.polytopes import rays
from core.optimal.polytopes.double_description import double_description
from core.optimal.polytopes.rays import best_kernels, extreme_rays
from core.optimal.polytopes.standard_form import polytope


def same_points(result, expected):
    assert len(result) == len(expected)
    distance = np.abs(result[:, None] - expected[None]).max(axis=2)
    assert distance.min(axis=1).max() < 1e-9
    assert distance.min(axis=0).max() < 1e-9


def by_brute_force(rows):
    """All points of {r ≥ 0, Σr = 1, rows @ r ≤ 0} where n − 1 independent faces meet."""
    n = rows.shape[1]
    faces = np.vstack([rows, -np.eye(n)])
    tight = np.array(list(combinations(range(len(faces)), n - 1)))
    systems = np.concatenate([faces[tight], np.ones((len(tight), 1, n))], axis=1)
    systems = systems[np.abs(np.linalg.det(systems)) > 1e-9]
    points = np.linalg.solve(systems, np.tile(np.eye(n)[-1][:, None], (len(systems), 1, 1)))[..., 0]
    points = points[(points @ faces.T <= 1e-10).all(axis=1)]
    return points[np.unique(points.round(8), axis=0, return_index=True)[1]]


def rows_around(rng, n_x, count):
    """Random rows that a random point meets, some of them exactly."""
    inside = rng.dirichlet(np.ones(n_x))
    rows = rng.standard_normal((count, n_x))
    rows -= np.maximum(rows @ inside, 0)[:, None] * (1 + rng.integers(0, 2, (count, 1)))
    return rows / np.abs(rows).max(axis=1, keepdims=True)


@pytest.mark.parametrize("n_x", [2, 3, 4])
def test_hundreds_of_small_sets_against_brute_force(n_x):
    rng = np.random.default_rng(n_x)
    for _ in range(120):
        rows = rows_around(rng, n_x, int(rng.integers(1, 9)))
        same_points(extreme_rays(rows), by_brute_force(rows))


def test_rows_that_meet_in_one_point_and_repeat_are_no_trouble():
    tied = np.array(list(combinations([1, -1, 0.5, -0.5], 3)))  # integers: many meet at a vertex
    tied = np.concatenate([tied - tied.mean(axis=1, keepdims=True), tied[:, ::-1], tied])
    tied = tied - np.maximum(tied.mean(axis=1, keepdims=True), 0)
    same_points(extreme_rays(tied), by_brute_force(tied))


def test_an_equality_and_an_empty_set():
    both = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]])
    same_points(extreme_rays(both), np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]))
    assert len(extreme_rays(np.ones((1, 3)))) == 0
    same_points(extreme_rays(np.zeros((0, 3))), np.eye(3))


@pytest.mark.parametrize("notion", [LIP(0.4), LDP(0.8)])
@pytest.mark.parametrize("n_x", [4, 6])
def test_sets_of_notions_against_cdd(notion, n_x):
    joint = Joint.random_uniform(3, n_x, np.random.default_rng(n_x))
    allowed = notion.allowed_set(joint)
    if allowed.n_auxiliary:
        a = joint.p / joint.p_x / joint.p_s[:, None]
        pairs = [a[i] - np.exp(0.8) * a[j] for i in range(3) for j in range(3) if i != j]
        allowed = AllowedSet(sparse.csr_array(np.array(pairs)), n_x)
    result = extreme_rays(allowed.rows.toarray())
    same_points(result, double_description(polytope(allowed, joint.p_x)))


def test_kernels_are_the_best_mixtures_each():
    rng = np.random.default_rng(7)
    priors = [rng.dirichlet(np.ones(n)) for n in (3, 4, 2)]
    outputs = [rng.dirichlet(np.full(p.size, 0.3), 40) for p in priors]
    for kernel, p_x, points in zip(best_kernels(outputs, priors), priors, outputs, strict=True):
        np.testing.assert_allclose(kernel.sum(axis=1), 1, atol=1e-14)
        points = np.vstack([points, p_x])
        logs = np.log(points, out=np.zeros_like(points), where=points > 0)
        solved = optimize.linprog(-(points * logs).sum(axis=1), A_eq=points.T, b_eq=p_x)
        best = -(p_x * np.log(p_x)).sum() - solved.fun
        result = measures.mutual_information(p_x[:, None] * kernel)
        assert result == pytest.approx(best, abs=1e-9)
        assert result > 0.1


def test_too_many_outputs_and_rough_mixtures_are_refused(monkeypatch):
    joint = Joint.random_uniform(3, 6, np.random.default_rng(0))
    monkeypatch.setitem(vars(SIZES), "rays", 5)
    with pytest.raises(SolverError, match="More than 5 extreme outputs of 6 symbols"):
        extreme_rays(LIP(0.3).allowed_set(joint).rows.toarray())
    monkeypatch.setattr(rays, "NOUGHT", -1.0)
    with pytest.raises(SolverError, match="from P"):
        best_kernels([np.eye(2)], [np.array([0.5, 0.5])])
