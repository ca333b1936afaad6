"""A promise given what is known: against brute force on tiny alphabets and known cases."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.errors import InvalidInputError, NotConvexError
from core.joint import Joint
from core.measures import mutual_information
from core.mechanisms import optimal
from core.mechanisms.optima.search import without_budget
from core.notions import (
    ALIP,
    LDP,
    LIP,
    AlphaLift,
    Average,
    Chi2Privacy,
    EpsDelta,
    Given,
    Intersection,
    L1Privacy,
    MetricLDP,
)
from core.release import beside


def without_k(counts):
    return Joint.from_counts(np.sum(counts, axis=2))


@st.composite
def tables(draw, n_x=3):
    n_s, n_k = draw(st.integers(2, 3)), draw(st.integers(1, 3))
    cell = st.lists(st.integers(0, 5), min_size=n_k, max_size=n_k)
    counts = np.array(
        draw(st.lists(st.lists(cell, min_size=n_x, max_size=n_x), min_size=n_s, max_size=n_s))
    )
    counts[0] += 1
    return counts


@settings(max_examples=40)
@given(tables(), st.integers(0, 10**6))
def test_its_level_is_what_y_adds_to_k(counts, seed):
    joint = without_k(counts)
    kernel = np.random.default_rng(seed).dirichlet([0.7] * 3, size=counts.shape[1])
    added = beside(counts, kernel).added
    own = kernel[joint.kept_x]
    for notion, key in ((LIP(1.0), "lip"), (LDP(1.0), "ldp")):
        assert Given(notion, counts).achieved(joint, own) == pytest.approx(added[key], abs=1e-9)


@settings(max_examples=15)
@given(tables(), st.sampled_from([0.2, 0.5, 1.5]))
def test_the_optimum_keeps_it_and_nothing_allowed_is_better(counts, eps):
    joint = without_k(counts)
    notion = Given(LIP(eps), counts)
    best = optimal(joint, notion)
    assert best.status == "optimal"
    assert best.audit.holds
    assert best.audit.achieved <= eps + 1e-9
    full = np.zeros((counts.shape[1], best.n_y))
    full[:, 0] = 1
    full[joint.kept_x] = best.kernel
    assert beside(counts, full).added["lip"] <= eps + 1e-9
    rng = np.random.default_rng(3)
    for _ in range(20):  # random mechanisms, as near to nothing as the promise asks for
        other = rng.dirichlet([0.5] * 3, size=joint.n_x)
        flat = np.tile(joint.p_x @ other, (joint.n_x, 1))
        share = next(
            t for t in (1, 0.7, 0.5, 0.3, 0.1, 0) if notion.holds(joint, t * other + (1 - t) * flat)
        )
        mixed = share * other + (1 - share) * flat
        assert mutual_information(joint.release_x(mixed)) <= best.upper_bound + 1e-9


def ratio_range(counts, eps):
    """Return the least and the largest P(y | x2)/P(y | x1) that LIP allows given every k."""
    low, high = 0.0, np.inf
    for k in range(counts.shape[2]):
        p = counts[:, :, k] / counts[:, :, k].sum()
        b = p[:, 1].sum()
        for row in p[p.sum(axis=1) > 0]:
            a = row[1] / row.sum()
            # (1 − a + a·t)/(1 − b + b·t) lies between e^−ε and e^ε
            for bound, sign in ((np.exp(eps), 1), (np.exp(-eps), -1)):
                slope, rest = sign * (a - bound * b), sign * (bound * (1 - b) - (1 - a))
                if slope > 0:
                    high = min(high, rest / slope)
                elif slope < 0:
                    low = max(low, rest / slope)
    return low, high


def best_of_two(counts, eps):
    """Return the largest I(X;Y) of two symbols under LIP given every k."""
    p_x = without_k(counts).p_x
    low, high = ratio_range(counts, eps)
    if low == 0 and high == np.inf:
        return mutual_information(np.diag(p_x))
    ends = []  # the two posteriors of x2, whose mixture is P(x2)
    for ratio in (low, high):
        item = 1.0 if ratio == np.inf else ratio * p_x[1]
        other = 0.0 if ratio == np.inf else p_x[0]
        ends.append(item / (item + other))
    share = (p_x[1] - ends[0]) / (ends[1] - ends[0]) if ends[1] > ends[0] else 0.0
    mass = np.array([1 - share, share])
    posterior = np.array([[1 - e for e in ends], ends])
    return mutual_information(posterior * mass)


@settings(max_examples=40)
@given(tables(n_x=2), st.sampled_from([0.1, 0.4, 1.0]))
def test_of_two_symbols_the_optimum_is_that_of_the_largest_and_the_least_ratio(counts, eps):
    joint = without_k(counts)
    assume(joint.n_x == 2)
    result = optimal(joint, Given(LIP(eps), counts))
    assert result.utility == pytest.approx(best_of_two(counts, eps), abs=2e-6)


def test_a_known_value_that_never_varies_changes_nothing():
    counts = np.array([[8, 1, 5, 5], [1, 8, 5, 5]])
    alone = optimal(Joint.from_counts(counts), LIP(0.5))
    given_it = optimal(Joint.from_counts(counts), Given(LIP(0.5), counts[:, :, None]))
    assert given_it.utility == pytest.approx(alone.utility, abs=1e-9)


def test_a_known_value_that_is_noise_changes_nothing():
    counts = np.array([[8, 1, 5], [1, 8, 5]])
    noisy = counts[:, :, None] * np.array([1, 2, 3])
    joint = Joint.from_counts(counts)
    assert optimal(joint, Given(LIP(0.5), noisy)).utility == pytest.approx(
        optimal(joint, LIP(0.5)).utility, abs=1e-6
    )
    assert Given(LIP(0.5), noisy).allowed_set(joint).rows.shape[0] <= 4  # equal rows once


def test_whoever_knows_s_learns_nothing_more():
    counts = np.zeros((2, 3, 2))
    counts[0, :, 0], counts[1, :, 1] = [3, 1, 2], [1, 2, 4]
    joint = without_k(counts)
    result = optimal(joint, Given(LIP(0.01), counts))
    assert result.utility == pytest.approx(mutual_information(np.diag(joint.p_x)), abs=1e-6)


@pytest.mark.parametrize(
    "notion", [LDP(0.6), AlphaLift(0.7, 0.7, 2.0), Intersection(LIP(1), LDP(1))]
)
def test_other_notions(notion):
    counts = np.random.default_rng(5).integers(1, 9, (3, 4, 2))
    joint = without_k(counts)
    made = Given(notion, counts)
    best = optimal(joint, made)
    assert best.audit.holds
    assert (
        0 < best.utility <= optimal(joint, Given(notion, counts), time_limit=2).upper_bound + 1e-9
    )
    assert str(made) == f"{notion} given what is known"


def test_ldp_of_many_secrets_has_auxiliary_variables():
    counts = np.random.default_rng(6).integers(1, 9, (8, 3, 2))
    joint = without_k(counts)
    best = optimal(joint, Given(LDP(1.0), counts))
    assert best.status == "optimal"
    assert beside(counts, best.kernel).added["ldp"] <= 1.0 + 1e-9


def test_a_budget_of_0_leaves_what_is_independent_given_every_k():
    rng = np.random.default_rng(2)
    counts = rng.integers(1, 9, (2, 4, 2))
    joint = without_k(counts)
    best = optimal(joint, Given(LIP(0.0), counts))
    assert best.audit.holds
    assert beside(counts, best.kernel).added["lip"] <= 1e-9


def test_a_mechanism_may_read_the_secret():
    counts = np.random.default_rng(4).integers(0, 5, (2, 3, 3))
    joint = without_k(counts)
    kernel = np.random.default_rng(5).dirichlet([1, 1], size=joint.n_s * joint.n_x)
    level = Given(LIP(1), counts).achieved(joint, kernel)
    assert level == pytest.approx(beside(counts, kernel).added["lip"])


COUNTS = np.ones((2, 3, 2))


@pytest.mark.parametrize(
    ("notion", "table", "sentence"),
    [
        (Average("mutual_information", 0.1), COUNTS, "not a condition on P"),
        (EpsDelta(LIP(1), 0.1), COUNTS, "not a condition on P"),
        (LIP(1), np.ones((2, 3)), "three axes"),
        (LIP(1), np.ones((2, 2, 2_001)), "2,001 values; one notion allows at most 2,000"),
    ],
)
def test_bad_input_is_one_sentence(notion, table, sentence):
    with pytest.raises(InvalidInputError) as error:
        Given(notion, table)
    assert sentence in str(error.value)


def test_another_joint_is_refused():
    with pytest.raises(InvalidInputError, match="is not that of S, X and K"):
        Given(LIP(1), COUNTS).achieved(Joint.from_counts([[1, 2, 3], [3, 2, 1]]), np.eye(3))


def test_perfect_privacy_given_weights_keeps_what_that_given_counts_does():
    # to those who know the last k, rounding in an output is all that its symbols tell of S
    counts = np.array(
        [
            [[0, 1, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0], [0, 1, 1, 0]],
            [[1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 1]],
        ]
    )
    exact = optimal(without_k(counts), Given(LIP(0), counts))
    weighted = optimal(without_k(np.pi * counts), Given(LIP(0), np.pi * counts))
    assert exact.utility > 0.2
    assert weighted.status == exact.status == "optimal"
    assert weighted.utility == pytest.approx(exact.utility, abs=1e-9)


def test_perfect_privacy_falls_back_on_nothing_else():
    notion = Given(LIP(0), [[[3, 0], [1, 0]], [[0, 2], [0, 2]]])
    assert without_budget(notion) is notion
    assert without_budget(Given(LDP(0.5), notion.joint_sxk)).notion == LIP(0)


def test_no_output_is_forbidden_by_the_rounding_of_a_row_that_is_not_about_it():
    # the last symbol occurs with one k alone, whose S is certain: it may be told apart
    counts = np.zeros((3, 4, 3))
    counts[0, 0, 1], counts[0, 0, 2], counts[0, 2, 0], counts[0, 3, 1] = 3, 1, 2, 1
    counts[1, 1, 0], counts[2, 0, 0], counts[2, 1, 0], counts[2, 2, 2] = 2, 2, 3, 1
    joint = without_k(counts)
    apart = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    notion = Given(LIP(0), counts)
    assert notion.achieved(joint, apart) == 0
    best = optimal(joint, notion)
    assert best.upper_bound >= mutual_information(joint.release_x(apart)) - 1e-12
    assert best.utility == pytest.approx(mutual_information(joint.release_x(apart)), abs=1e-9)


@pytest.mark.parametrize("eps", [1e-13, 1e-12, 1e-11])
def test_no_output_is_forbidden_by_a_budget_below_that_of_the_audit(eps):
    counts = np.array([[[1, 1], [1, 0], [0, 0]], [[1, 0], [0, 0], [1, 0]]])
    joint = without_k(counts)
    apart = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    notion = Given(ALIP(eps, 0.5), counts)
    assert notion.achieved(joint, apart) == 0
    assert optimal(joint, notion).upper_bound >= mutual_information(joint.release_x(apart)) - 1e-12


@settings(max_examples=30)
@given(tables(), st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 1.0]))
def test_all_k_at_once_have_the_levels_of_each(counts, seed, eps):
    joint = without_k(counts)
    kernel = np.random.default_rng(seed).dirichlet([0.7] * 3, size=joint.n_x)
    kernel[:, 0] *= seed % 3 > 0  # an output that does not occur
    kernel /= kernel.sum(axis=1, keepdims=True)
    for notion in (LIP(eps), ALIP(eps, 0.5), LDP(eps), AlphaLift(eps, 0.5, 2.0)):
        request = Given(notion, counts)
        each = [pair for _, *pair in request._given(joint, kernel)]
        level = max(notion.achieved(*pair) for pair in each)
        assert request.achieved(joint, kernel) == pytest.approx(level, rel=1e-9, abs=1e-12)
        assert request.scale(joint, kernel) == pytest.approx(
            max(notion.scale(*pair) for pair in each), rel=1e-9, abs=1e-12
        )
        assert request.holds(joint, kernel) == all(notion.holds(*pair) for pair in each)


def test_a_thousand_k_are_judged_at_once():
    counts = np.random.default_rng(0).integers(0, 9, (2, 4, 1_000))
    joint, notion = without_k(counts), Given(LIP(0.5), counts)
    kernel = np.random.default_rng(1).dirichlet([1.0] * 3, size=4)
    with mock.patch.object(LIP, "allows", autospec=True, side_effect=LIP.allows) as calls:
        notion.holds(joint, kernel)
    assert calls.call_count <= 2


def by_distance(counts, kernel, distances):
    """Return the worst log ratio by distance, over all k and the secrets that each leaves."""
    level = 0.0
    for k in range(counts.shape[2]):
        p = counts[:, :, k] @ kernel
        own = np.flatnonzero(p.sum(axis=1))
        rows = p[own] / p[own].sum(axis=1, keepdims=True)
        for a, s in enumerate(own):
            for b, t in enumerate(own):
                for item, other in zip(rows[a], rows[b], strict=True):
                    if s != t and item != other:
                        apart = np.inf if other == 0 else np.log(item / other) if item else -np.inf
                        level = max(level, apart / distances[s][t])
    return level


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([0.2, 1.0]))
def test_by_distance_each_k_has_those_of_its_own_secrets(seed, eps):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, (4, 3, 3)) * rng.integers(0, 2, (4, 1, 3))
    counts[rng.integers(4), :, 0] += 1
    joint = without_k(counts)
    at = np.cumsum(rng.integers(1, 4, 4))[joint.kept_s]
    distances = np.abs(np.subtract.outer(at, at))
    own = counts[joint.kept_s]
    kernel = rng.dirichlet([1.0] * 3, size=joint.n_x)
    for notion in (MetricLDP(eps, distances), Intersection(MetricLDP(eps, distances), LIP(9))):
        request = Given(notion, counts)
        level = by_distance(own[:, joint.kept_x], kernel, distances)
        expected = level if isinstance(notion, MetricLDP) else level / eps
        assert request.achieved(joint, kernel) == pytest.approx(expected, abs=1e-9)
        best = optimal(joint, request, time_limit=5)
        assert best.audit.holds
        assert by_distance(own[:, joint.kept_x], best.kernel, distances) <= eps + 1e-6


def test_distances_of_another_number_of_secrets_are_refused():
    counts = np.array([[[1, 1], [1, 0]], [[2, 0], [1, 0]]])
    with pytest.raises(InvalidInputError, match="distances are of 3 secrets, and S has 2"):
        Given(MetricLDP(1, np.ones((3, 3)) - np.eye(3)), counts)


@pytest.mark.parametrize("notion", [L1Privacy(1, 1), Chi2Privacy(1, 1)])
def test_a_set_that_is_not_convex_is_one_sentence(notion):
    counts = np.random.default_rng(5).integers(1, 9, (3, 4, 2))
    with pytest.raises(NotConvexError, match="no other mechanism considers what is known"):
        optimal(without_k(counts), Given(notion, counts))
    one_sided = Given(type(notion)(np.inf, 0.5), counts)
    assert optimal(without_k(counts), one_sided).audit.holds
