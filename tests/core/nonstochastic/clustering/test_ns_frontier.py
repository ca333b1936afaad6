import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import nonstochastic as ns
from core.errors import InvalidInputError
from tests.strategies import joint_ranges

algorithms = st.sampled_from(["anonymity", "maximin", "reduction"])
utilities = st.sampled_from(["resolution", "distortion"])
VALUES = [0.0, 1.0, 1.5, 4.0, 4.5, 7.0, 9.0, 2.0]


def run(algorithm, occurs, weight, utility, values):
    if algorithm == "anonymity":
        return ns.merge_for_anonymity(occurs, weight, utility, values)
    return ns.merge_for_indistinguishability(occurs, weight, utility, values, algorithm)


@settings(max_examples=40, deadline=None)
@given(joint_ranges(max_x=8), algorithms, utilities)
def test_no_point_beats_another(occurs, algorithm, utility):
    points = ns.pareto_frontier(occurs, algorithm, utility, VALUES[: occurs.shape[1]])
    assert points
    assert all(a.leakage < b.leakage and a.loss > b.loss for a, b in pairwise(points))


@settings(max_examples=40, deadline=None)
@given(joint_ranges(max_x=8), algorithms, utilities)
def test_a_grid_of_weights_finds_nothing_else(occurs, algorithm, utility):
    """The breakpoints are exact: whatever a weight gives is on the frontier or below it."""
    values = VALUES[: occurs.shape[1]]
    points = ns.pareto_frontier(occurs, algorithm, utility, values)
    for weight in [*np.geomspace(0.01, 20, 25), 0.0]:
        result = run(algorithm, occurs, weight, utility, values)
        assert any(
            p.leakage <= result.leakage and p.utility >= result.utility - 1e-12 for p in points
        )


@settings(max_examples=40, deadline=None)
@given(joint_ranges(max_x=8), algorithms, utilities)
def test_a_point_is_what_its_weights_give(occurs, algorithm, utility):
    values = VALUES[: occurs.shape[1]]
    for point in ns.pareto_frontier(occurs, algorithm, utility, values):
        low, high = point.weights
        inside = (low + min(high, low + 10)) / 2
        result = run(algorithm, occurs, inside, utility, values)
        assert result.partition == point.partition
        assert (result.leakage, result.utility) == (point.leakage, point.utility)


@settings(max_examples=40, deadline=None)
@given(joint_ranges(max_x=8), st.sampled_from(["anonymity", "maximin"]), utilities)
def test_every_step_offers_the_whole_path(occurs, algorithm, utility):
    values = VALUES[: occurs.shape[1]]
    points = ns.pareto_frontier(occurs, algorithm, utility, values, every_step=True)
    for step in run(algorithm, occurs, 0.0, utility, values).steps:
        assert any(p.leakage <= step.leakage and p.utility >= step.utility for p in points)


def test_equal_ratios_leave_no_weight_to_rounding():
    """Two steps that both spare as much as they lose differ in the last digit of their ratios."""
    occurs = np.array(
        [
            [1, 1, 0, 1, 1, 1, 0],
            [0, 1, 1, 1, 0, 0, 0],
            [0, 1, 0, 0, 0, 0, 1],
            [0, 0, 0, 0, 1, 0, 0],
            [0, 0, 1, 0, 0, 0, 0],
        ]
    )
    points = ns.pareto_frontier(occurs, "anonymity", "resolution")
    assert [len(point.partition) for point in points] == [1, 2, 7]
    assert points[1].weights == pytest.approx((0.398744, 1.0))


def test_the_weights_by_hand():
    """Four lone secrets: merging in pairs spares 1 bit for ½, all in one 1 bit more for 1."""
    points = ns.pareto_frontier(np.eye(4, dtype=bool), "anonymity", "distortion", range(4))
    assert [(p.leakage, p.utility, p.weights) for p in points] == [
        (0.0, -1.5, (0.0, 1.0)),
        (1.0, -0.5, (1.0, 2.0)),
        (2.0, 0.0, (2.0, math.inf)),
    ]
    assert points[1].partition == ((0, 1), (2, 3))


def test_the_path_of_10_depends_on_the_weight():
    """The lone x1 joins x2 (L0 = 1, loss 2.5) or the nearer x4 (L0 = 2, loss 1): equal at λ = ⅔."""
    occurs = np.array([[1, 0, 0, 0, 0], [0, 1, 1, 1, 1], [0, 0, 0, 1, 1], [0, 0, 1, 1, 0]])
    points = ns.pareto_frontier(occurs, "reduction", "distortion", [5.0, 0.0, 9.0, 3.0, 2.0])
    assert [(p.leakage, p.utility) for p in points] == [(1.0, -2.5), (2.0, -1.0)]
    assert [p.partition for p in points] == [((0, 1), (2,), (3,), (4,)), ((0, 3), (1,), (2,), (4,))]
    assert points[0].weights == pytest.approx((0.0, 2 / 3))
    assert points[1].weights == pytest.approx((2 / 3, math.inf))


def test_an_algorithm_is_named_or_given():
    occurs = np.eye(3, dtype=bool)
    assert (
        ns.pareto_frontier(occurs, "anonymity", "resolution")
        == ns.pareto_frontier(occurs, "merge_for_anonymity", "resolution")
        == ns.pareto_frontier(occurs, ns.merge_for_anonymity, "resolution")
    )
    assert ns.pareto_frontier(occurs, "maximin", "resolution") == ns.pareto_frontier(
        occurs, ns.merge_for_indistinguishability, "resolution"
    )
    for wrong in ("k-means", print):
        with pytest.raises(InvalidInputError, match="algorithm must be one of anonymity"):
            ns.pareto_frontier(occurs, wrong, "resolution")
