import numpy as np
import pytest

from core.errors import TimeLimitError
from core.joint import Joint
from core.notions import ALIP, LDP, LIP
from core.optimal.completeness import proven_complete
from core.optimal.exact_vertices import exact_vertices
from core.optimal.polytope import polytope
from core.optimal.walk import walk

UNIFORM = Joint.random_uniform(4, 9, np.random.default_rng(5))
TIED = Joint.from_counts(
    [[1, 0, 2, 2, 0, 3, 1, 1], [2, 3, 0, 1, 1, 0, 2, 0], [1, 1, 3, 0, 2, 2, 0, 4]]
)


def walked(joint, notion):
    allowed = notion.allowed_set(joint)
    space = polytope(allowed, joint.p_x)
    return allowed, space, walk(space, deadline=np.inf)


@pytest.mark.parametrize("notion", [LIP(0.6), ALIP(2.0, 0.5), LDP(1.0)], ids=str)
def test_a_whole_walk_is_proven_and_any_part_of_it_is_not(notion):
    allowed, space, found = walked(UNIFORM, notion)
    points, errors = proven_complete(allowed, space, found)
    assert len(points) == len(found)
    assert errors.max() < 1e-6
    for missing in np.random.default_rng(0).integers(0, len(found), 5):
        part = np.delete(np.arange(len(found)), missing)
        assert proven_complete(allowed, space, found.take(part)) is None
    assert proven_complete(allowed, space, found.take(np.arange(0))) is None


@pytest.mark.parametrize("notion", [LIP(1.5), LDP(2.0)], ids=str)
def test_among_ties_the_vertices_of_a_set_around_it_are_proven(notion):
    allowed, space, found = walked(TIED, notion)
    assert found.space is not space
    points, _ = proven_complete(allowed, space, found)
    exact = exact_vertices(allowed)
    nearest = np.abs(exact[:, None] - points).sum(axis=2).min(axis=1)
    assert nearest.max() < 1e-6
    part = found.take(np.arange(1, len(found)))
    assert proven_complete(allowed, space, part) is None


def test_vertices_of_another_set_prove_nothing():
    allowed, space, found = walked(UNIFORM, LIP(0.6))
    other = LIP(0.7).allowed_set(UNIFORM)
    assert proven_complete(allowed, space, found) is not None
    assert proven_complete(other, space, found) is None


def test_time_is_looked_at():
    allowed, space, found = walked(UNIFORM, LIP(0.6))
    with pytest.raises(TimeLimitError):
        proven_complete(allowed, space, found, -1.0)


def test_equations_are_left_to_others():
    allowed, space, found = walked(UNIFORM, LIP(0.0))
    assert proven_complete(allowed, space, found) is None
