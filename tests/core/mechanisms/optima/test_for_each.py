"""A mechanism for each value of what is known: against brute force, and beside one for all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import clock
from core.errors import InvalidInputError
from core.joint import Joint
from core.measures import mutual_information
from core.mechanisms import optimal, optimal_for_each
from core.notions import LDP, LIP, Given, MetricLDP
from tests.core.notions.test_given import best_of_two, tables, without_k


def cube(each, counts):
    """Return P(s, y, k) of counts (n_s, n_x, n_k) whose symbols of S and X all occur, by hand."""
    n_s, n_x, n_k = counts.shape
    n_y = max(mechanism.n_y for mechanism in each.mechanisms)
    released = np.zeros((n_s, n_y, n_k))
    for mechanism, values in zip(each.mechanisms, each.groups, strict=True):
        rows = sorted({x for x in range(n_x) if counts[:, x, values].any()})
        assert len(rows) == len(mechanism.kernel)
        for k in values:
            for s in range(n_s):
                for row, x in enumerate(rows):
                    released[s, : mechanism.n_y, k] += counts[s, x, k] * mechanism.kernel[row]
    return released / counts.sum()


def level(released, distances=None):
    """Return the largest |log P(s | y, k)/P(s | k)|, or log ratio by distance, over what occurs."""
    worst = 0.0
    for k in range(released.shape[2]):
        p = released[:, :, k]
        prior = p.sum(axis=1) / p.sum() if p.sum() else np.zeros(len(p))
        for column in p.T[p.sum(axis=0) > 0]:
            lifts = [column[s] / column.sum() / prior[s] for s in range(len(p)) if prior[s]]
            own = np.flatnonzero(prior)
            with np.errstate(divide="ignore"):
                logs = np.log(lifts)
            if distances is None:
                worst = max(worst, np.abs(logs).max())
            else:
                for a, s in enumerate(own):
                    for b, t in enumerate(own):
                        if s != t and logs[a] != logs[b]:
                            worst = max(worst, (logs[a] - logs[b]) / distances[s][t])
    return worst


def whole(counts):
    """Return counts without the secrets and symbols that no record has."""
    counts = counts[counts.any(axis=(1, 2))]
    return counts[:, counts.any(axis=(0, 2))]


@settings(max_examples=25)
@given(tables(), st.sampled_from([0.0, 0.2, 0.5, 1.5]))
def test_each_k_is_answered_by_itself_and_keeps_at_least_what_one_for_all_does(counts, eps):
    counts = whole(counts)
    joint, notion = without_k(counts), Given(LIP(eps), counts)
    item = optimal(joint, notion)
    each = optimal_for_each(joint, notion, time_limit=30)
    assert each.proven
    assert level(cube(each, counts)) <= eps + 1e-9
    expected, of_one = 0.0, 0.0
    for k in np.flatnonzero(counts.any(axis=(0, 1))):
        alone = Joint.from_counts(counts[:, :, k])
        share = counts[:, :, k].sum() / counts.sum()
        expected += share * optimal(alone, LIP(eps)).utility
        of_one += share * mutual_information(alone.release_x(item.kernel[alone.kept_x]))
    assert each.information == pytest.approx(expected, abs=3e-6)
    assert each.share @ each.of_one(item.kernel) == pytest.approx(of_one, abs=1e-12)
    assert each.upper_bound >= of_one - 1e-12
    assert each.information <= each.share @ each.most + 1e-12


@settings(max_examples=25)
@given(tables(n_x=2), st.sampled_from([0.1, 0.4, 1.0]), st.integers(0, 12))
def test_of_two_symbols_it_is_what_brute_force_finds(counts, eps, least):
    counts = whole(counts)
    each = optimal_for_each(without_k(counts), Given(LIP(eps), counts), least=least)
    weight = counts.sum(axis=(0, 1))
    alone = [[k] for k in np.argsort(-weight, kind="stable") if weight[k] and weight[k] >= least]
    rare = [k for k in range(len(weight)) if 0 < weight[k] < least]
    groups = [*alone, *([rare] if rare else [])]
    assert [sorted(group) for group in each.groups] == groups
    expected = 0.0
    for group in groups:
        own = counts[:, :, group]
        if (own.sum(axis=(0, 2)) > 0).all():
            expected += own.sum() / counts.sum() * best_of_two(own, eps)
    assert each.information == pytest.approx(expected, abs=3e-6)
    assert level(cube(each, counts)) <= eps + 1e-9


def test_by_distance_each_has_those_of_its_own_secrets():
    counts = np.random.default_rng(3).integers(1, 9, (4, 3, 3))
    counts[1, :, 0] = counts[3, :, 2] = 0
    distances = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    notion = Given(MetricLDP(0.4, distances), counts)
    for least in (0, 10**6):
        each = optimal_for_each(without_k(counts), notion, least=least)
        assert level(cube(each, counts), distances) <= 0.4 + 1e-9
        assert each.information > 0


def test_more_than_some_hundreds_are_refused_unless_rare_ones_share_one():
    counts = np.random.default_rng(0).integers(1, 3, (2, 2, 301))
    counts[0, 0, :5] += 50
    notion = Given(LDP(0.5), counts)
    with pytest.raises(
        InvalidInputError, match="301 values with their own mechanisms; at most 300"
    ):
        optimal_for_each(without_k(counts), notion)
    each = optimal_for_each(without_k(counts), notion, least=20)
    assert [len(group) for group in each.groups] == [1, 1, 1, 1, 1, 296]


def test_where_time_is_over_the_rest_is_not_called_proven():
    counts = np.random.default_rng(1).integers(1, 9, (6, 9, 4))
    notion = Given(LIP(0.7), counts)
    calls = []
    with clock.using(clock.Ticking(0.2)):
        each = optimal_for_each(
            without_k(counts), notion, time_limit=2, progress=lambda *at: calls.append(at)
        )
    assert calls == [(0, 4), (1, 4), (2, 4), (3, 4)]
    assert not each.proven
    assert each.information <= each.upper_bound
    assert level(cube(each, counts)) <= 0.7 + 1e-9


def test_another_joint_is_refused():
    counts = np.ones((2, 3, 2))
    with pytest.raises(InvalidInputError, match="is not that of S, X and K"):
        optimal_for_each(Joint.from_counts([[1, 2, 3], [3, 2, 1]]), Given(LIP(1), counts))
    with pytest.raises(InvalidInputError, match="works under a notion given what is known, got"):
        optimal_for_each(without_k(counts), LIP(1))
