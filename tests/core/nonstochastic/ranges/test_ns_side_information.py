from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core import nonstochastic as ns
from tests.strategies import joint_ranges


@st.composite
def stacks(draw):
    """Ranges given z, shape (n_z, n_s, n_x): a pair (x, z) may never occur."""
    first = draw(joint_ranges(max_s=5, max_x=6))
    others = [
        first
        & np.array(draw(st.lists(st.booleans(), min_size=first.size, max_size=first.size))).reshape(
            first.shape
        )
        for _ in range(draw(st.integers(1, 2)))
    ]
    return np.stack([first, *others])


@settings(max_examples=60, deadline=None)
@given(stacks(), st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from(["maximin", "reduction"]))
def test_side_information_every_step_is_what_the_measures_say(stack, weight, objective):
    first = ns.merge_for_anonymity(stack, weight)
    for step in first.steps:
        assert step.leakage == ns.max_uncertainty_reduction(stack, step.clusters)
    assert first.steps[-1].leakage == 0
    second = ns.merge_for_indistinguishability(stack, weight, objective=objective)
    measure = ns.maximin_information if objective == "maximin" else ns.max_uncertainty_reduction
    for step in second.steps:
        assert step.leakage == measure(stack, step.clusters)
    assert ns.maximin_information(stack, second.steps[-1].clusters) == 0
    for result in (first, second):
        falling = [
            step.leakage if result is first else ns.maximin_information(stack, step.clusters)
            for step in result.steps
        ]
        assert all(b < a for a, b in pairwise(falling))


@settings(max_examples=50, deadline=None)
@given(joint_ranges(max_x=6), st.sampled_from([0.0, 0.3, 1.0]))
def test_side_information_that_says_nothing_changes_nothing(occurs, weight):
    stack = np.stack([occurs, occurs])
    for run in (ns.merge_for_anonymity, ns.merge_for_indistinguishability):
        assert run(stack, weight) == run(occurs, weight) == run(occurs[None], weight)


@settings(max_examples=50, deadline=None)
@given(stacks())
def test_side_information_leaks_at_least_as_much(stack):
    """Given z a release leaves fewer secrets: k-anonymity given z is at most that without."""
    assert ns.anonymity(stack) <= ns.anonymity(stack.any(axis=0))


@settings(max_examples=50, deadline=None)
@given(joint_ranges(max_s=4, max_x=4), st.sampled_from([0.0, 0.2]))
def test_pairs_of_secret_and_data_start_with_every_secret_told(occurs, weight):
    ranges, pairs = ns.with_secret(occurs)
    assert ranges.sum() == len(pairs) == occurs.sum()
    assert all(occurs[s, x] and ranges[s, i] for i, (s, x) in enumerate(pairs))
    assert ns.anonymity(ranges) == 1
    assert ns.maximin_information(ranges) == np.log2(occurs.any(axis=1).sum())
    ends = ns.merge_for_indistinguishability(ranges, weight, objective="reduction")
    assert ns.maximin_information(ranges, ends.partition) == 0


def test_a_quantiser_of_pairs_can_split_one_symbol():
    """The middle x goes with its left neighbor under one secret, with its right under the other.

    Quantizing X alone, {0}, {1}, {2} leak and {0, 1, 2} loses 1; the pairs lose ½ and leak nothing.
    """
    occurs = np.array([[1, 1, 0], [0, 1, 1]], dtype=bool)
    ranges, pairs = ns.with_secret(occurs)
    assert pairs == ((0, 0), (0, 1), (1, 1), (1, 2))
    values = [x for _, x in pairs]
    split = ((0, 2), (1, 3))
    assert ns.max_uncertainty_reduction(ranges, split) == 0
    assert ns.max_distortion(split, values) == 0.5
    by_x = ns.all_partitions(occurs, "anonymity", "distortion", range(3))
    assert by_x.losses[by_x.leakages == 0].min() == 1.0
    best = ns.all_partitions(ranges, "anonymity", "distortion", values).optimum(0.9)
    assert (best.leakage, best.utility) == (0.0, -0.5)
