import numpy as np
import pytest

from core import nonstochastic as ns
from core.errors import InvalidInputError

EYE = np.eye(3, dtype=bool)
RUNS = (ns.merge_for_anonymity, ns.merge_for_indistinguishability)


@pytest.mark.parametrize(
    ("occurs", "message"),
    [
        ([], "two axes"),
        ([[]], "must not be empty, got shape"),
        ([[0, 0], [0, 0]], "no pair"),
        ([[1, 0], [1, 0]], "the one at index 1 has none"),
        ([[0.5, 0.5]], "True and False"),
        ([["yes"]], "True and False"),
        ([[1, np.nan]], "True and False"),
        (np.ones((1, 1, 1, 1)), "two axes"),
    ],
)
def test_a_range_that_is_none(occurs, message):
    for call in (
        ns.max_uncertainty_reduction,
        ns.maximin_information,
        ns.confusability_graph,
        lambda range_: ns.merge_for_anonymity(range_, 1),
        lambda range_: ns.merge_for_indistinguishability(range_, 1),
        lambda range_: ns.pareto_frontier(range_, "anonymity", "resolution"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            call(occurs)


def test_a_symbol_that_never_occurs_under_any_side_information():
    with pytest.raises(InvalidInputError, match="the one at index 1 has none"):
        ns.anonymity([[[1, 0]], [[1, 0]]])


@pytest.mark.parametrize(
    "partition", [(), [(0, 1)], [(0, 1), (1, 2)], [(0, 1, 2), (3,)], [(0, 1, 2), ()]]
)
def test_a_partition_that_is_none(partition):
    with pytest.raises(InvalidInputError, match="artition must"):
        ns.max_uncertainty_reduction(EYE, partition)
    with pytest.raises(InvalidInputError, match="artition must"):
        ns.worst_case_resolution(partition, 3)


@pytest.mark.parametrize("weight", [-0.1, float("nan"), float("inf"), "heavy", None])
def test_a_weight_below_zero_or_none(weight):
    for run in RUNS:
        with pytest.raises(InvalidInputError, match=r"^weight must be"):
            run(EYE, weight)
    with pytest.raises(InvalidInputError, match=r"^weight must be"):
        ns.all_partitions(EYE, "anonymity").optimum(weight)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (None, "needs values"),
        (["low", "mid", "high"], "needs numbers"),
        ([1.0, 2.0], "each of the 3 symbols"),
        ([[[1.0]]] * 3, "each of the 3 symbols"),
        ([1.0, 2.0, np.nan], "finite"),
        ([1.0, 2.0, np.inf], "finite"),
        (5.0, "each of the 3 symbols"),
    ],
)
def test_values_that_have_no_distance(values, message):
    for run in RUNS:
        with pytest.raises(InvalidInputError, match=message):
            run(EYE, 1, "distortion", values)


def test_unknown_names():
    for run in RUNS:
        with pytest.raises(InvalidInputError, match="one of resolution, distortion, got"):
            run(EYE, 1, "beauty")
        with pytest.raises(InvalidInputError, match="codeword must be one of centroid"):
            run(EYE, 1, "distortion", [1, 2, 3], codeword="mode")
        with pytest.raises(InvalidInputError, match=r"^base must be in"):
            run(EYE, 1, base=1)
    with pytest.raises(InvalidInputError, match='"maximin" or "reduction", got'):
        ns.merge_for_indistinguishability(EYE, 1, objective="best")
    with pytest.raises(InvalidInputError, match="problem must be one of"):
        ns.all_partitions(EYE, "best")


def test_sizes_beyond_the_caps():
    with pytest.raises(
        InvalidInputError, match="number of symbols must be at least 1 and at most 10"
    ):
        ns.all_partitions(np.eye(11, dtype=bool), "anonymity")
    with pytest.raises(InvalidInputError, match="At most 10000 symbols"):
        ns.merge_for_anonymity(np.ones((1, 10_001), dtype=bool), 1)


def test_a_distance_that_is_none():
    for wrong in (lambda p, _: -np.ones(len(p)), lambda _, c: c, lambda p, _: p * np.nan):
        with pytest.raises(InvalidInputError, match="distance must return"):
            ns.merge_for_anonymity(EYE, 1, "distortion", [1, 2, 3], distance=wrong)


@pytest.mark.parametrize("count", [0, -1, 2.5, True])
def test_hartley_of_no_symbols(count):
    with pytest.raises(InvalidInputError, match="number of symbols"):
        ns.hartley(count)
    with pytest.raises(InvalidInputError, match="must not be empty"):
        ns.hartley([False, False])
