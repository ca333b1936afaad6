"""Lazy double description: the best mixture is that of all vertices, whatever rows come when."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from core.allowed.allowed_set import AllowedSet
from core.clock import NEVER, Deadline
from core.joint import Joint
from core.notions import ALIP, LIP
from core.optimal.polytopes.enumeration import all_vertices, best_mixture
from core.optimal.polytopes.lazy_double_description import LazyDoubleDescription
from core.optimal.polytopes.standard_form import polytope
from core.optimal.utility import MutualInformation

GOAL = MutualInformation()


def by_walking(allowed, p_x):
    """Return the optimum from all vertices."""
    points = all_vertices(allowed, p_x, polytope(allowed, p_x), NEVER, 100_000).points
    return GOAL.offset(p_x) - best_mixture(points, p_x, GOAL, NEVER)[1].cost


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 1000), n_x=st.integers(2, 7), eps=st.floats(0.1, 2.0))
def test_rows_one_by_one_give_the_optimum_of_all(seed, n_x, eps):
    rng = np.random.default_rng(seed)
    joint = Joint.random_dirichlet(3, n_x, 1.0, rng)
    allowed = ALIP(eps, eps / 2).allowed_set(joint)
    space = polytope(AllowedSet(allowed.rows[:1], n_x), joint.p_x)
    lazy = LazyDoubleDescription(space.facets(), joint.p_x, GOAL)
    duals = np.zeros(n_x)
    for row in allowed.rows.toarray()[1:]:
        result = lazy.best(joint.p_x[None], duals)
        duals = result.duals
        lazy.add(row[None])
    result = lazy.best(joint.p_x[None], duals)
    assert result.finished
    walked = by_walking(allowed, joint.p_x)
    mixture = best_mixture(result.outputs, joint.p_x, GOAL, NEVER)[1]
    assert GOAL.offset(joint.p_x) - mixture.cost == pytest.approx(walked, abs=1e-9)
    # rows are moved out by 3e-10, which is worth more where nearly parallel ones meet
    assert walked - 1e-9 <= result.estimate <= walked + 1e-4
    assert (allowed.rows @ result.outputs.T).max(initial=0.0) < 1e-9


def test_a_late_cut_counts():
    joint = Joint.random_uniform(3, 6, np.random.default_rng(0))
    allowed = LIP(0.8).allowed_set(joint)
    lazy = LazyDoubleDescription(polytope(allowed, joint.p_x).facets(), joint.p_x, GOAL)
    first = lazy.best(joint.p_x[None], np.zeros(6))
    cut = first.outputs[:1] - 1.01 * first.outputs[0] @ joint.p_x
    cut = cut - (cut @ joint.p_x + 0.01)  # P_X keeps it, this output does not
    assert cut @ joint.p_x < 0 < cut @ first.outputs[0]
    known = len(lazy)
    lazy.add(cut)
    second = lazy.best(joint.p_x[None], first.duals)
    narrower = AllowedSet(sparse.csr_array(np.vstack([allowed.rows.toarray(), cut])), 6)
    assert second.estimate == pytest.approx(by_walking(narrower, joint.p_x), abs=1e-7)
    assert second.estimate < first.estimate - 1e-6
    assert len(lazy) > known


def test_without_time_what_is_known_comes_back():
    joint = Joint.random_uniform(3, 6, np.random.default_rng(0))
    space = polytope(LIP(0.8).allowed_set(joint), joint.p_x)
    result = LazyDoubleDescription(space.facets(), joint.p_x, GOAL).best(
        joint.p_x[None], np.full(6, 5.0), deadline=Deadline(0.0)
    )
    assert not result.finished
    assert result.estimate == np.inf
    np.testing.assert_array_equal(result.outputs, joint.p_x[None])


def test_without_time_no_mixtures_of_known_vertices_are_made():
    joint = Joint.random_uniform(3, 6, np.random.default_rng(0))
    space = polytope(LIP(0.8).allowed_set(joint), joint.p_x)
    lazy = LazyDoubleDescription(space.facets(), joint.p_x, GOAL)
    assert lazy.best(joint.p_x[None], np.zeros(6)).finished
    assert not lazy.best(joint.p_x[None], np.zeros(6), deadline=Deadline(0.0)).finished
