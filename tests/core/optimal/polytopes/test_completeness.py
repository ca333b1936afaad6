import numpy as np
import pytest

from core.clock import NEVER, Deadline
from core.errors import TimeLimitError
from core.joint import Joint
from core.notions import ALIP, LDP, LIP
from core.optimal.polytopes.enumeration import proven_complete, walk
from core.optimal.polytopes.exact_vertices import exact_vertices
from core.optimal.polytopes.standard_form import polytope

UNIFORM = Joint.random_uniform(4, 9, np.random.default_rng(5))


def walked(joint, notion):
    allowed = notion.allowed_set(joint)
    space = polytope(allowed, joint.p_x)
    return allowed, space, walk(space, deadline=NEVER)


@pytest.mark.parametrize("notion", [LIP(0.6), ALIP(2.0, 0.5), LDP(1.0)], ids=str)
def test_a_whole_walk_is_proven_and_any_part_of_it_is_not(notion):
    allowed, space, result = walked(UNIFORM, notion)
    points, errors = proven_complete(allowed, space, result)
    assert len(points) == len(result)
    assert errors.max() < 1e-6
    for missing in np.random.default_rng(0).integers(0, len(result), 5):
        part = np.delete(np.arange(len(result)), missing)
        assert proven_complete(allowed, space, result.take(part)) is None
    assert proven_complete(allowed, space, result.take(np.arange(0))) is None


@pytest.mark.parametrize("seed", [7, 8])
def test_among_ties_the_vertices_of_a_set_around_it_are_proven(seed):
    counts = np.random.default_rng(seed).integers(0, 3, (4, 7))
    counts[0] += 1
    joint = Joint.from_counts(counts)
    allowed, space, result = walked(joint, LDP(2.0))
    assert result.space is not space
    points, errors = proven_complete(allowed, space, result)
    assert errors.max() < 1e-8
    costs = np.random.default_rng(0).standard_normal((7, 50))
    reached, exact = (
        (points @ costs).min(axis=0),
        (exact_vertices(allowed, joint.p_x) @ costs).min(axis=0),
    )
    np.testing.assert_allclose(reached, exact, atol=1e-7)
    for missing in range(0, len(result), 20):
        part = np.delete(np.arange(len(result)), missing)
        assert proven_complete(allowed, space, result.take(part)) is None


def test_vertices_of_another_set_prove_nothing():
    allowed, space, result = walked(UNIFORM, LIP(0.6))
    other = LIP(0.7).allowed_set(UNIFORM)
    assert proven_complete(allowed, space, result) is not None
    assert proven_complete(other, space, result) is None


def test_time_is_looked_at():
    allowed, space, result = walked(UNIFORM, LIP(0.6))
    with pytest.raises(TimeLimitError):
        proven_complete(allowed, space, result, Deadline(0.0))


def test_equations_are_left_to_others():
    allowed, space, result = walked(UNIFORM, LIP(0.0))
    assert proven_complete(allowed, space, result) is None


def test_ties_that_no_share_of_the_moves_parts_prove_nothing():
    counts = [[223999, 308001, 392000], [175999, 242001, 308001], [40001, 55001, 70001]]
    joint = Joint.with_secret_released(counts)
    allowed, space, result = walked(joint, LDP(18.0))
    proof = proven_complete(allowed, space, result)
    assert proof is None or np.isfinite(proof[0]).all()
