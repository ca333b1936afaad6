import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import nonstochastic as ns
from tests.nonstochastic_reference import (
    algorithm_1,
    algorithm_2,
    centroid_loss,
    resolution_loss,
)
from tests.strategies import joint_ranges

weights = st.sampled_from([0.0, 0.1, 0.4, 1.0, 3.0])
utilities = st.sampled_from(["resolution", "distortion"])
whole_numbers = st.lists(st.integers(-8, 8), min_size=9, max_size=9)
LOSS = {"resolution": resolution_loss, "distortion": centroid_loss}


def check_steps(result, occurs, utility, values, leak, **settings):
    """Every step's figures are those of the measures, and the clusters only ever grow."""
    n_x = occurs.shape[-1]
    for step in result.steps:
        assert step.leakage == leak(occurs, step.clusters)
        if utility == "resolution":
            assert step.utility == ns.worst_case_resolution(step.clusters, n_x)
        else:
            distortion = ns.max_distortion(step.clusters, values, **settings)
            assert -step.utility == pytest.approx(distortion, abs=1e-12)
        assert step.lagrangian == step.leakage + result.weight * step.loss
        assert list(step.clusters) == sorted(tuple(sorted(c)) for c in step.clusters)
    for before, after in zip(result.steps, result.steps[1:], strict=False):
        coarse = {x: c for c in after.clusters for x in c}
        assert all(set(c) <= set(coarse[c[0]]) for c in before.clusters)
        assert set(after.merged) == set(after.clusters) - set(before.clusters)


@settings(max_examples=60, deadline=None)
@given(joint_ranges(max_x=9), utilities, whole_numbers, weights)
def test_algorithm_1_lowers_the_lagrangian_with_every_step(occurs, utility, numbers, weight):
    values = numbers[: occurs.shape[1]]
    result = ns.merge_for_anonymity(occurs, weight, utility, values)
    check_steps(result, occurs, utility, values, ns.max_uncertainty_reduction)
    falling = [step.lagrangian for step in result.path]
    assert all(b < a for a, b in pairwise(falling))
    if result.beyond:
        assert result.beyond[0].lagrangian >= falling[-1]
    leakages = [step.leakage for step in result.steps]
    assert all(b < a for a, b in pairwise(leakages))
    assert leakages[-1] == 0
    assert result.partition == result.path[-1].clusters
    assert result.lagrangian == falling[-1]


@settings(max_examples=60, deadline=None)
@given(joint_ranges(max_x=9), utilities, whole_numbers, weights)
def test_algorithm_2_lowers_the_lagrangian_with_every_step(occurs, utility, numbers, weight):
    values = numbers[: occurs.shape[1]]
    result = ns.merge_for_indistinguishability(occurs, weight, utility, values)
    check_steps(result, occurs, utility, values, ns.maximin_information)
    falling = [step.lagrangian for step in result.path]
    assert all(b < a for a, b in pairwise(falling))
    if result.beyond:
        assert result.beyond[0].lagrangian >= falling[-1]
    counts = [2**step.leakage for step in result.steps]
    assert counts == pytest.approx(list(range(len(counts), 0, -1)))


@settings(max_examples=60, deadline=None)
@given(joint_ranges(max_x=9), utilities, whole_numbers, weights)
def test_the_variant_for_10_always_ends_indistinguishable(occurs, utility, numbers, weight):
    values = numbers[: occurs.shape[1]]
    result = ns.merge_for_indistinguishability(occurs, weight, utility, values, "reduction")
    check_steps(result, occurs, utility, values, ns.max_uncertainty_reduction)
    assert ns.maximin_information(occurs, result.partition) == 0
    counts = [ns.maximin_information(occurs, step.clusters) for step in result.path]
    assert all(b < a for a, b in pairwise(counts))
    assert result.beyond == ()


@settings(max_examples=40, deadline=None)
@given(joint_ranges(max_x=8), utilities, whole_numbers)
def test_paths_are_those_of_the_plain_algorithms(occurs, utility, numbers):
    """Whole numbers spread far enough that no two different sums tie by rounding."""
    values = numbers[: occurs.shape[1]]
    rows = occurs.tolist()
    first = ns.merge_for_anonymity(occurs, 0, utility, values)
    assert [s.clusters for s in first.steps] == algorithm_1(rows, LOSS[utility], values)
    second = ns.merge_for_indistinguishability(occurs, 0, utility, values)
    assert [s.clusters for s in second.steps] == algorithm_2(rows, LOSS[utility], values)
    third = ns.merge_for_indistinguishability(occurs, 0.5, utility, values, "reduction")
    assert [s.clusters for s in third.steps] == algorithm_2(rows, LOSS[utility], values, 0.5)


@settings(max_examples=25, deadline=None)
@given(joint_ranges(max_x=8), whole_numbers, st.sampled_from(["centroid", "midrange"]))
def test_a_distance_by_hand_gives_the_path_of_the_built_in_one(occurs, numbers, codeword):
    """The general way through any distance, and the quick one for numbers, are two routes."""
    values = np.array(numbers[: occurs.shape[1]], dtype=float)
    for run in (ns.merge_for_anonymity, ns.merge_for_indistinguishability):
        quick = run(occurs, 0.2, "distortion", values, codeword=codeword)
        general = run(
            occurs,
            0.2,
            "distortion",
            values,
            codeword=codeword,
            distance=lambda points, centre: np.abs(points - centre),
        )
        vectors = run(occurs, 0.2, "distortion", values[:, None], codeword=codeword)
        assert quick.partition == general.partition == vectors.partition
        assert quick.utility == pytest.approx(general.utility)
        check_steps(
            quick,
            occurs,
            "distortion",
            values,
            ns.max_uncertainty_reduction
            if run is ns.merge_for_anonymity
            else ns.maximin_information,
            codeword=codeword,
        )


def test_algorithm_2_joins_the_largest_components_first():
    """Three components of 3, 2 and 1 symbols: all unions are equally large, so the tie rule tells.

    [NonStoch] Example 3's reason: it leaves small clusters for later.
    """
    occurs = np.zeros((3, 6), dtype=bool)
    occurs[0, [1, 3, 5]] = occurs[1, [2, 4]] = occurs[2, 0] = True
    result = ns.merge_for_indistinguishability(occurs, 0.0)
    assert result.path[1].merged == ((1, 2),)
    assert [len(step.clusters) for step in result.path] == [6, 5, 4]
    assert result.path[2].merged == ((0, 3),)
    assert result.utility == math.log2(6 / 2)


def test_a_symbol_whose_secrets_are_contained_is_no_partner():
    occurs = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]], dtype=bool)
    result = ns.merge_for_anonymity(occurs, 0.0)
    assert result.path[1].merged == ((0, 2), (1, 3))


def test_weight_zero_takes_the_whole_path_and_a_heavy_one_none():
    occurs = np.eye(5, dtype=bool)
    assert ns.merge_for_anonymity(occurs, 0.0).beyond == ()
    heavy = ns.merge_for_anonymity(occurs, 1e6)
    assert len(heavy.path) == 1
    assert heavy.partition == ns.singletons(5)
    assert len(heavy.beyond) == 2


def test_more_than_64_secrets_fit():
    """⟦S|x⟧ takes two words of bits then."""
    occurs = np.eye(130, dtype=bool) | np.eye(130, k=70, dtype=bool)
    result = ns.merge_for_anonymity(occurs, 0.0)
    assert result.path[0].leakage == math.log2(130)
    check_steps(result, occurs, "resolution", None, ns.max_uncertainty_reduction)


def test_base_only_changes_the_unit():
    occurs = np.eye(6, dtype=bool)
    bits, nats = (ns.merge_for_anonymity(occurs, 0.3, base=b) for b in (2, math.e))
    assert nats.partition == bits.partition
    assert nats.path[0].leakage == pytest.approx(bits.path[0].leakage * math.log(2))
    assert nats.path[0].utility == pytest.approx(bits.path[0].utility * math.log(2))
