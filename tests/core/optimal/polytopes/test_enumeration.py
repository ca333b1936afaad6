"""Vertices are checked before they are believed, and a failing walk has a second route."""

from functools import partial

import numpy as np
import pytest

from core.clock import NEVER, Deadline
from core.errors import SolverError, TimeLimitError
from core.joint import Joint
from core.notions import ALIP, LDP
from core.optimal.plan import SIZES
from core.optimal.polytopes import enumeration
from core.optimal.polytopes.enumeration import all_vertices, best_mixture
from core.optimal.polytopes.standard_form import polytope
from core.optimal.utility import MutualInformation

JOINT = Joint.random_uniform(3, 6, np.random.default_rng(0))
ALLOWED = ALIP(0.3, 0.4).allowed_set(JOINT)
SPACE = polytope(ALLOWED, JOINT.p_x)


def vertices():
    return all_vertices(ALLOWED, JOINT.p_x, SPACE, NEVER, 10_000).points


def test_whole_numbers_and_a_walk_give_the_same_vertices(monkeypatch):
    exact = vertices()
    monkeypatch.setitem(vars(SIZES), "exact_variables", 0)
    walked = vertices()
    np.testing.assert_allclose(
        np.unique(exact.round(9), axis=0), np.unique(walked.round(9), axis=0)
    )


def test_a_walk_that_misses_a_vertex_is_no_enumeration(monkeypatch):
    monkeypatch.setitem(vars(SIZES), "exact_variables", 0)
    whole = enumeration.walk(SPACE, deadline=NEVER)
    short = whole.take(np.arange(1, len(whole)))
    monkeypatch.setattr(enumeration, "walk", lambda *_, **__: short)
    with pytest.raises(SolverError, match="not proven complete"):
        vertices()


def test_more_vertices_than_asked_for_are_refused():
    with pytest.raises(TimeLimitError, match="too many"):
        all_vertices(ALLOWED, JOINT.p_x, SPACE, NEVER, 3)


def test_the_best_mixture_leaves_nothing_to_gain():
    points = vertices()
    goal = MutualInformation()
    master, mixture, least = best_mixture(points, JOINT.p_x, goal, Deadline.after(60))
    assert least >= -1e-9
    assert mixture.duals @ JOINT.p_x == pytest.approx(mixture.cost, abs=1e-9)
    kernel = master.kernel(mixture)
    np.testing.assert_allclose(kernel.sum(axis=1), 1, atol=1e-13)
    value = goal.value((JOINT.p_x[:, None] * kernel).T, JOINT.p_x)
    assert value == pytest.approx(goal.offset(JOINT.p_x) - mixture.cost, abs=1e-12)


@pytest.mark.parametrize("shape", [(3, 6), (6, 4)])
def test_tight_rows_and_basic_columns_give_the_same_vertices(monkeypatch, shape):
    joint = Joint.random_uniform(*shape, np.random.default_rng(1))
    space = polytope(LDP(0.4).allowed_set(joint), joint.p_x)
    nonbasic = enumeration.walk(space, deadline=NEVER).nonbasic
    constraints = enumeration._Constraints(space, space.outward())
    result = []
    for way in ("_by_tight_rows", "_by_basic_columns"):
        for item in ("_by_tight_rows", "_by_basic_columns"):
            made = getattr(enumeration._Constraints, way)
            monkeypatch.setattr(constraints, item, partial(made, constraints), raising=False)
        result.append(constraints.solved(nonbasic))
    (levels, slopes, errors), (expected, moved, known) = result
    assert len(levels) > 20
    finite = np.isfinite(levels[0])
    apart = np.abs(levels[:, finite] - expected[:, finite])
    assert (apart.max(axis=1) <= errors + known).all()
    np.testing.assert_allclose(slopes[:, finite], moved[:, finite], rtol=1e-7, atol=1e-12)
    assert errors.max() < 1e-9
