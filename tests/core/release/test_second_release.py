import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import mechanisms as m
from core.errors import InfeasibleError, InvalidInputError, NotConvexError
from core.joint import Joint
from core.mechanisms.polish import polished
from core.notions import (
    LDP,
    LIP,
    AlphaLift,
    Average,
    Chi2Privacy,
    EpsDelta,
    Intersection,
    L1Privacy,
)
from core.release import BesideFirst, second_release
from core.release.second_release import obstacle
from tests.strategies import joints


def flip(eps):
    """Randomized response with a ratio of e^ε."""
    high = np.exp(eps) / (1 + np.exp(eps))
    return np.array([[high, 1 - high], [1 - high, high]])


def test_what_is_left_of_the_budget_is_what_randomised_response_leaves():
    joint = Joint.from_counts([[1, 0], [0, 1]])
    second = second_release(joint, LDP(1.5), flip(0.6))
    assert second.status == "optimal"
    best = m.optimal(joint, LDP(0.9))
    assert second.utility == pytest.approx(best.utility, abs=1e-6)


@given(joints(max_s=3, max_x=3, min_x=2), st.integers(0, 10**6))
@settings(max_examples=25)
def test_random_second_releases_never_exceed_the_bound(joint, seed):
    rng = np.random.default_rng(seed)
    first = polished(joint, rng.dirichlet(np.ones(2), size=joint.n_x), LIP(0.3))
    second = second_release(joint, LIP(0.8), first)
    both = BesideFirst(LIP(0.8), first)
    assert both.holds(joint, second.kernel)
    pairs = (first[:, :, None] * second.kernel[:, None, :]).reshape(joint.n_x, -1)
    assert LIP(0.8).achieved(joint, pairs) <= 0.8 + 1e-12
    for _ in range(20):
        other = polished(joint, rng.dirichlet(0.3 * np.ones(3), size=joint.n_x), both)
        kept = m.result.make_mechanism(
            joint, other, name="", solver="", status="", notion=None
        ).utility
        assert kept <= second.upper_bound + 1e-9


@pytest.mark.parametrize(
    "notion", [Chi2Privacy(np.inf, 0.6), AlphaLift(0.7, 0.7, 2.0), L1Privacy(np.inf, 0.4)]
)
def test_round_sets_and_sets_with_auxiliary_variables(notion):
    rng = np.random.default_rng(8)
    joint = Joint.random_uniform(2, 4, rng)
    first = polished(joint, rng.dirichlet(np.ones(3), size=4), LIP(0.15))
    second = second_release(joint, notion, first, time_limit=3)
    pairs = (first[:, :, None] * second.kernel[:, None, :]).reshape(4, -1)
    assert notion.holds(joint, pairs)
    assert 0 < second.utility <= second.upper_bound


def test_outputs_that_exclude_each_other_ask_nothing():
    joint = Joint.from_counts([[2, 2, 1, 3], [2, 2, 3, 1]])
    first = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])
    second = second_release(joint, Chi2Privacy(np.inf, 0.6), first)
    assert second.utility > 0.3  # x1 and x2 are told apart for free


def test_a_budget_that_is_used_up_leaves_what_tells_no_more():
    joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    first = m.optimal(joint, LIP(0.3)).kernel
    second = second_release(joint, LIP(0.3), first)
    assert LIP(0.3).achieved(joint, second.kernel) <= 0.3
    assert second.utility > 0.1  # x3 and x4 may be told apart


def test_a_first_release_that_breaks_the_promise_is_named():
    joint = Joint.from_counts([[3, 1], [1, 3]])
    with pytest.raises(InfeasibleError, match=r"The first release alone breaks 0\.5-LIP: .*0\.693"):
        second_release(joint, LIP(0.5), np.eye(2))


def test_bad_input():
    joint = Joint.from_counts([[3, 1], [1, 3]])
    with pytest.raises(InvalidInputError, match="must have 2 rows"):
        second_release(joint, LIP(0.5), np.ones((3, 1)))
    with pytest.raises(NotConvexError):
        second_release(joint, L1Privacy(1, 1), np.ones((2, 1)))


def test_words_and_scale():
    joint = Joint.from_counts([[1, 0], [0, 1]])
    both = BesideFirst(LDP(2), flip(1.0))
    assert str(both) == "2-LDP of both releases"
    assert both.scale(joint, flip(1.0)) == pytest.approx(1.0)
    assert both.achieved(joint, flip(1.0)) == pytest.approx(2.0)


def test_a_first_release_that_reads_s_is_refused_not_cut():
    joint = Joint.from_counts([[8, 1, 5], [1, 8, 5]])
    first = np.vstack([np.full((3, 2), 0.5), [[0.45, 0.55]] * 3])
    with pytest.raises(InvalidInputError, match=r"with 3 rows, got one with 6 that also reads S"):
        second_release(joint, LIP(0.6), first)


@pytest.mark.parametrize("notion", [Average("mutual_information", 0.2), EpsDelta(LIP(0.6), 0.05)])
def test_averages_and_exceptions_are_no_promise_of_a_second_output(notion):
    joint = Joint.from_counts([[8, 1, 5], [1, 8, 5]])
    first = m.optimal(joint, LIP(0.1)).kernel
    with pytest.raises(InvalidInputError, match="needs a notion that bounds every output, got"):
        second_release(joint, notion, first)
    assert obstacle(joint, notion)


PERFECT = Average("mutual_information", 0.0)


@pytest.mark.parametrize(
    "notion",
    [
        *(LIP(0.6), Chi2Privacy(np.inf, 0.6), AlphaLift(0.7, 0.7, 2.0), PERFECT),
        *(EpsDelta(LIP(0.6), 0.0), Average("mutual_information", 9.0)),
        *(EpsDelta(Intersection(LIP(0.6), LDP(0.9)), 0.0), Intersection(LIP(0.6), PERFECT)),
        Intersection(EpsDelta(LIP(0.6), 0.05), PERFECT),
    ],
)
def test_what_has_no_obstacle_has_a_second_release(notion):
    joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    first = np.array([[1.0, 0], [1, 0], [1, 0], [0, 1]])
    first[:2] = [[0.5, 0.5]] * 2
    assert not obstacle(joint, notion)
    second = second_release(joint, notion, first)
    assert BesideFirst(notion, first).holds(joint, second.kernel)
    assert second.utility > 0.1


def test_the_obstacle_under_a_set_that_is_not_convex_is_told():
    joint = Joint.from_counts([[3, 1], [1, 3]])
    assert "convex" in obstacle(joint, L1Privacy(1, 1))
