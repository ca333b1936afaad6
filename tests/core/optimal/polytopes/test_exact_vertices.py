import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.errors import TimeLimitError
from core.joint import Joint
from core.notions import ALIP, LDP, LIP, PointwiseMaximalLeakage
from core.optimal.plan import SIZES
from core.optimal.polytopes.exact_vertices import TooManyRaysError, exact_vertices, may_enumerate
from core.optimal.programs.highs import INFINITY, LinearProgram


def reach(allowed, cost):
    """Return the least cost·r over the posteriors of a set, by HiGHS."""
    rows = np.vstack([np.ones(allowed.n_x), allowed.rows.toarray()])
    lower = np.append(1.0, np.full(len(rows) - 1, -INFINITY))
    upper = np.append(1.0, np.zeros(len(rows) - 1))
    return LinearProgram(sparse.csr_array(rows), lower, upper, cost=cost).solve().objective


@settings(max_examples=60, deadline=None)
@given(
    counts=st.lists(st.integers(0, 3), min_size=12, max_size=12).filter(any),
    eps=st.sampled_from([0.0, 0.01, 1.0, 6.0]),
    which=st.integers(0, 3),
)
def test_they_reach_as_far_as_linear_programs_say(counts, eps, which):
    joint = Joint.from_counts(np.reshape(counts, (3, 4)))
    notion = [LIP(eps), LDP(eps), PointwiseMaximalLeakage(eps), ALIP(eps, eps / 3)][which]
    allowed = notion.allowed_set(joint)
    points = exact_vertices(allowed, joint.p_x)
    assert (allowed.rows @ points.T).max(initial=0.0) < 1e-12
    for cost in np.random.default_rng(0).standard_normal((5, joint.n_x)):
        assert (points @ cost).min() == pytest.approx(reach(allowed, cost), abs=1e-7)


@pytest.mark.parametrize(
    "counts", [[[1, 2], [2, 1]], [[23, 9], [22, 38], [0, 13], [38, 15]]], ids=str
)
def test_a_budget_of_zero_may_leave_a_point(counts):
    joint = Joint.from_counts(counts)
    points = exact_vertices(LDP(0).allowed_set(joint), joint.p_x)
    assert len(points)
    np.testing.assert_allclose(points, np.tile(joint.p_x, (len(points), 1)), atol=1e-12)


def test_a_budget_of_zero_may_leave_more_than_a_point():
    joint = Joint.from_counts([[1, 2, 3], [2, 1, 3]])
    points = exact_vertices(LDP(0).allowed_set(joint), joint.p_x)
    assert points[:, 2].min() == pytest.approx(0.0, abs=1e-12)
    assert points[:, 2].max() == pytest.approx(1.0)


def test_a_row_that_asks_nothing_is_left_out():
    allowed = AllowedSet(sparse.csr_array(np.array([[0.0, 0.0], [-1.0, 1.0]])), 2)
    points = exact_vertices(allowed, np.array([0.75, 0.25]))
    np.testing.assert_allclose(points, [[1.0, 0.0], [0.5, 0.5]], atol=1e-12)


def test_what_is_too_much_is_refused(monkeypatch):
    joint = Joint.random_uniform(3, 6, np.random.default_rng(0))
    allowed = LIP(0.5).allowed_set(joint)
    with pytest.raises(TimeLimitError):
        exact_vertices(allowed, joint.p_x, Deadline(0.0))
    monkeypatch.setitem(vars(SIZES), "exact_rays", 5)
    with pytest.raises(TooManyRaysError, match="too many"):
        exact_vertices(allowed, joint.p_x)
    assert may_enumerate(allowed)
    assert not may_enumerate(AllowedSet(sparse.csr_array((0, 99)), 99))
