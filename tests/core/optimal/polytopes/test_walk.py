"""Vertices by walking and by double description: two methods, one answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.clock import NEVER, Deadline
from core.errors import TimeLimitError
from core.joint import Joint
from core.notions import ALIP, LDP, LIP, Intersection
from core.optimal.polytopes import tableaux
from core.optimal.polytopes.double_description import double_description
from core.optimal.polytopes.enumeration import walk
from core.optimal.polytopes.standard_form import polytope


def space_of(joint, notion):
    return polytope(notion.allowed_set(joint), joint.p_x)


def walked(space):
    points, _ = tableaux.true_points(space, walk(space, deadline=Deadline.after(60)))
    return points


def rounded(points):
    return np.unique(np.round(points, 7) + 0.0, axis=0)


UNIFORM = Joint.random_uniform(4, 8, np.random.default_rng(0))
EQUAL = Joint.from_counts([[1, 1, 2, 2, 3, 3], [3, 3, 2, 2, 1, 1]])
FUNCTION = Joint.from_counts([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]])
ZEROS = Joint.from_counts([[0, 2, 3, 1], [4, 0, 3, 1], [1, 2, 0, 1]])
SPIKY = Joint.from_counts([[1e-12, 0.4, 0.2, 1e-9], [2e-12, 0.1, 0.3, 1e-10]])


@pytest.mark.parametrize("joint", [UNIFORM, EQUAL, FUNCTION, ZEROS, SPIKY])
@pytest.mark.parametrize(
    "notion",
    [ALIP(0.5, 0.5), LIP(np.log(2)), LIP(0), Intersection(LIP(0.6), ALIP(0.2, 2))],
    ids=str,
)
def test_both_methods_find_the_same_vertices(joint, notion):
    space = space_of(joint, notion)
    mine, other = rounded(walked(space)), rounded(double_description(space))
    np.testing.assert_allclose(mine, other, atol=2e-7)


@pytest.mark.parametrize("joint", [UNIFORM, EQUAL, ZEROS])
def test_vertices_with_an_auxiliary_variable_are_the_same_too(joint):
    space = space_of(joint, LDP(0.8))
    mine, other = rounded(walked(space)), rounded(double_description(space))
    np.testing.assert_allclose(mine, other, atol=2e-7)


def test_a_paper_sized_polytope_has_as_many_vertices_as_double_description_says():
    space = space_of(Joint.random_uniform(5, 17, np.random.default_rng(0)), ALIP(1, 1))
    assert len(walked(space)) == len(double_description(space)) == 367


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.2, 0.7, 2.0]), st.sampled_from([LIP, LDP]))
def test_no_linear_cost_is_lower_than_at_a_vertex(seed, eps, family):
    rng = np.random.default_rng(seed)
    joint = Joint.from_counts(rng.integers(0, 4, (3, 6)) + np.eye(3, 6))
    space = space_of(joint, family(eps))
    points = walked(space)
    for cost in rng.normal(size=(5, joint.n_x)):
        lowest = tableaux.corners(space, cost[None]).points()[0]
        assert (points @ cost).min() <= lowest @ cost / lowest.sum() + 1e-7


def test_walks_stop_at_their_limits():
    space = space_of(Joint.random_uniform(5, 30, np.random.default_rng(0)), LIP(0.5))
    with pytest.raises(TimeLimitError, match="too many"):
        walk(space, deadline=Deadline.after(60), max_vertices=100)
    with pytest.raises(TimeLimitError, match="Time ran out"):
        walk(space, deadline=Deadline(0.0))
    result = walk(space_of(UNIFORM, LIP(0.5)).perturbed(), deadline=NEVER)
    with pytest.raises(TimeLimitError, match="Time ran out"):
        tableaux.true_points(space_of(UNIFORM, LIP(0.5)), result, deadline=Deadline(0.0))
