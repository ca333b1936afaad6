import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import measures
from core import nonstochastic as ns
from core.errors import InvalidInputError
from core.nonstochastic import baselines
from tests.strategies import joint_ranges, joints


@settings(max_examples=50, deadline=None)
@given(st.data(), joint_ranges())
def test_suppression_reaches_k(data, occurs):
    secrets = int(occurs.any(axis=1).sum())
    k = data.draw(st.integers(1, secrets))
    step = ns.generalise_and_suppress(occurs, k)
    assert ns.anonymity(occurs, step.clusters) >= k
    assert step.leakage == ns.max_uncertainty_reduction(occurs, step.clusters)
    assert step.utility == ns.worst_case_resolution(step.clusters, occurs.shape[1])
    few = {x for x in range(occurs.shape[1]) if occurs[:, x].sum() < k}
    if few:
        (merged,) = step.merged
        assert few <= set(merged)
        enough = occurs[:, sorted(few)].any(axis=1).sum() >= k
        assert not enough or set(merged) == few
        assert all(c == merged or len(c) == 1 for c in step.clusters)
    else:
        assert step.clusters == ns.singletons(occurs.shape[1])


def test_suppression_takes_more_symbols_where_their_secrets_are_too_few():
    occurs = [[1, 1, 0, 0, 0], [0, 0, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 0, 1]]
    step = ns.generalise_and_suppress(occurs, 2, "distortion", [0, 1, 2, 3, 4])
    assert step.clusters == ((0, 1, 2), (3,), (4,))
    assert step.utility == -1.0


@pytest.mark.parametrize("k", [0, 3, 1.5, True])
def test_k_beyond_the_number_of_secrets(k):
    with pytest.raises(InvalidInputError, match=r"^k must be"):
        ns.generalise_and_suppress([[1, 0], [0, 1]], k)


@settings(max_examples=30, deadline=None)
@given(joint_ranges(max_x=6), st.sampled_from(["resolution", "distortion"]))
def test_baseline_frontiers_are_of_valid_partitions_and_below_the_optimum(occurs, utility):
    values = [0.0, 1.0, 1.5, 4.0, 4.5, 7.0][: occurs.shape[1]]
    pairs = (
        (ns.suppression_frontier, "anonymity", ns.max_uncertainty_reduction),
        (ns.submodular_frontier, "maximin", ns.maximin_information),
    )
    for frontier, problem, leak in pairs:
        best = ns.all_partitions(occurs, problem, utility, values).frontier()
        for point in frontier(occurs, utility, values):
            assert point.leakage == leak(occurs, point.partition)
            assert any(
                b.leakage <= point.leakage and b.utility >= point.utility - 1e-12 for b in best
            )


def funnel(joint, clusters, weight):
    """Return I(S;X̂) − weight·I(X;X̂), the second being H(X̂), from the definitions."""
    released = np.stack([joint.p[:, list(c)].sum(axis=1) for c in clusters], axis=1)
    entropy = measures.entropy(released.sum(axis=0))
    return measures.mutual_information(released) - weight * entropy


@settings(max_examples=40, deadline=None)
@given(joints(max_s=4, max_x=6, min_x=2), st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]))
def test_each_submodular_step_lowers_the_funnel_by_what_it_says(joint, weight):
    path = ns.submodular_path(joint.p, weight)
    values = [funnel(joint, clusters, weight) for clusters in path]
    assert all(b < a for a, b in pairwise(values))
    assert path[0] == ns.singletons(joint.n_x)
    for r in range(2, joint.n_x + 1):
        for chosen in combinations(range(joint.n_x), r):
            rest = [(x,) for x in range(joint.n_x) if x not in chosen]
            change = baselines.change_of(joint.p, np.array(chosen), weight)
            after = funnel(joint, [chosen, *rest], weight)
            assert change == pytest.approx(after - values[0], abs=1e-12)


def test_the_two_function_procedure_beats_pairs_and_mostly_finds_the_best_set():
    rng = np.random.default_rng(0)
    best_found = 0
    for _ in range(40):
        p = rng.dirichlet(np.full(28, 0.4)).reshape(4, 7)
        weight = 0.9 * rng.random()
        sets = [np.array(w) for r in range(2, 8) for w in combinations(range(7), r)]
        values = [baselines.change_of(p, w, weight) for w in sets]
        pairs = baselines._pair_changes(p, weight)
        result = baselines._best_set(p, pairs, weight)
        value = baselines.change_of(p, result, weight)
        assert min(values) - 1e-12 <= value <= pairs.min() + 1e-12
        best_found += math.isclose(value, min(values), abs_tol=1e-9)
    assert best_found >= 32


def test_at_weight_one_no_merge_lowers_the_funnel():
    p = np.array([[0.25, 0.25, 0.0], [0.0, 0.0, 0.5]])
    assert ns.submodular_path(p, 1.0) == (((0,), (1,), (2,)),)
    with pytest.raises(InvalidInputError, match="weight must be in"):
        ns.submodular_path(p, 1.5)
    with pytest.raises(InvalidInputError, match="positive probability"):
        ns.submodular_path([[0.5, 0.0], [0.5, 0.0]], 0.5)
