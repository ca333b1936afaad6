from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import measures
from core.errors import InvalidInputError
from tests import channels
from tests.strategies import matrices

INF = np.inf
MEASURES = [
    measures.mutual_information,
    measures.total_variation,
    measures.chi2_divergence,
    measures.maximal_leakage,
    measures.gacs_korner,
    lambda p: measures.sibson(p, 0.4),
    lambda p: measures.sibson(p, 1.2),
    lambda p: measures.sibson(p, 5),
    lambda p: measures.arimoto(p, 0.4),
    lambda p: measures.arimoto(p, 1.2),
    lambda p: measures.arimoto(p, 5),
    lambda p: measures.arimoto(p, INF),
]


def test_entropy_by_hand():
    assert measures.entropy([0.5, 0.25, 0.25]) == pytest.approx(1.5 * np.log(2))
    assert measures.entropy([1.0]) == 0
    assert measures.entropy([0.0, 1.0]) == 0
    batch = measures.entropy([[0.5, 0.5], [1.0, 0.0]])
    assert batch == pytest.approx([np.log(2), 0])


def test_entropy_refuses_what_is_no_pmf():
    with pytest.raises(InvalidInputError, match=r"p must sum to 1, got 0\.9"):
        measures.entropy([0.5, 0.4])


def test_symmetric_channel_by_hand():
    p = channels.SYMMETRIC
    expected = 0.75 * np.log(1.5) + 0.25 * np.log(0.5)
    assert measures.mutual_information(p) == pytest.approx(expected, rel=1e-14)
    assert measures.total_variation(p) == 0.25
    assert measures.chi2_divergence(p) == 0.25
    assert measures.maximal_leakage(p) == pytest.approx(np.log(1.5))
    assert measures.sibson(p, 2) == pytest.approx(2 * np.log(np.sqrt((2.25 + 0.25) / 2)))
    assert measures.arimoto(p, INF) == pytest.approx(np.log(1.5))


def test_deterministic_secret():
    p = channels.DETERMINISTIC
    for alpha in (0.3, 0.99, 1, 1.01, 3, INF):
        assert measures.arimoto(p, alpha) == pytest.approx(np.log(2), rel=1e-12)
        assert measures.sibson(p, alpha) == pytest.approx(np.log(2), rel=1e-12)
    assert measures.mutual_information(p) == pytest.approx(np.log(2), rel=1e-15)
    assert measures.total_variation(p) == 0.5
    assert measures.chi2_divergence(p) == pytest.approx(1)
    assert measures.gacs_korner(p) == pytest.approx(np.log(2))


@pytest.mark.parametrize("measure", MEASURES)
def test_independent_symbols_leak_nothing(measure):
    assert 0 <= measure(channels.INDEPENDENT) <= 1e-15


@pytest.mark.parametrize("measure", MEASURES)
def test_one_symbol_alphabets_leak_nothing(measure):
    for joint in ([[1.0]], [[0.2, 0.8]], [[0.2], [0.8]]):
        assert 0 <= measure(joint) <= 1e-15, joint


@pytest.mark.parametrize("measure", MEASURES)
def test_absent_symbols_change_nothing(measure):
    p = np.array([[0.1, 0.3, 0.0], [0.25, 0.05, 0.3]])
    padded = np.zeros((4, 5))
    padded[np.ix_([0, 2], [1, 2, 4])] = p
    assert measure(padded) == pytest.approx(measure(p), rel=1e-14)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_batch_is_its_single_joints(measure):
    batch = np.random.default_rng(5).dirichlet([0.4] * 12, size=(2, 3)).reshape(2, 3, 3, 4)
    values = measure(batch)
    assert values.shape == (2, 3)
    for index in np.ndindex(2, 3):
        assert values[index] == pytest.approx(measure(batch[index]), rel=1e-12, abs=1e-15)


@settings(max_examples=40)
@given(matrices())
def test_averages_of_the_pointwise_measures(p):
    p_y = p.sum(axis=0)
    seen = p_y > 0
    half = p_y[seen] @ measures.l1_lift(p)[seen] / 2
    assert measures.total_variation(p) == pytest.approx(half, abs=1e-14)
    square = p_y[seen] @ measures.chi2_lift(p)[seen]
    assert measures.chi2_divergence(p) == pytest.approx(square, rel=1e-12, abs=1e-14)
    mean = p_y[seen] @ measures.alpha_lift(p, 3)[seen]
    assert measures.sibson(p, 3) == pytest.approx(1.5 * np.log(mean), rel=1e-9, abs=1e-14)
    peak = p_y[seen] @ measures.max_lift(p)[seen]
    assert measures.maximal_leakage(p) == pytest.approx(np.log(peak), rel=1e-9, abs=1e-14)


@settings(max_examples=40)
@given(matrices())
def test_mutual_information_is_a_difference_of_entropies(p):
    split = measures.entropy(p.sum(axis=0)) + measures.entropy(p.sum(axis=1))
    value = measures.mutual_information(p)
    assert value == pytest.approx(split - measures.entropy(p.ravel()), abs=1e-13)
    assert value >= 0


@settings(max_examples=40)
@given(matrices(), st.floats(0.02, 40))
def test_power_means_against_plain_sums(p, alpha):
    if abs(alpha - 1) < 0.01:
        return
    p_s, p_y = p.sum(axis=1), p.sum(axis=0)
    p, p_s, p_y = p[np.ix_(p_s > 0, p_y > 0)], p_s[p_s > 0], p_y[p_y > 0]
    channel, posterior = p / p_s[:, None], p / p_y
    factor = alpha / (alpha - 1)
    sibson = factor * np.log(((p_s @ channel**alpha) ** (1 / alpha)).sum())  # [ALIP] eq. 13
    norms = (posterior**alpha).sum(axis=0) ** (1 / alpha)
    arimoto = factor * np.log(p_y @ norms / (p_s**alpha).sum() ** (1 / alpha))
    assert measures.sibson(p, alpha) == pytest.approx(sibson, rel=1e-8, abs=1e-11)
    assert measures.arimoto(p, alpha) == pytest.approx(arimoto, rel=1e-8, abs=1e-11)


@settings(max_examples=40)
@given(matrices())
def test_orders_meet_at_one_and_grow_to_infinity(p):
    information = measures.mutual_information(p)
    for step in (1e-12, 1e-9, 1e-7):
        for order in (1 - step, 1 + step):
            assert measures.sibson(p, order) == pytest.approx(information, rel=1e-4, abs=1e-12)
            assert measures.arimoto(p, order) == pytest.approx(information, rel=1e-4, abs=1e-12)
    assert measures.sibson(p, 1) == information == measures.arimoto(p, 1)
    orders = [0.1, 0.499, 0.501, 0.9, 1, 1.1, 1.499, 1.501, 4, 50, 1e5, INF]
    values = [measures.sibson(p, order) for order in orders]
    for low, high in pairwise(values):
        assert low <= high * (1 + 1e-9) + 1e-13
    assert measures.sibson(p, 1e300) == pytest.approx(values[-1], rel=1e-12, abs=1e-15)
    assert measures.arimoto(p, 1e300) == pytest.approx(
        measures.arimoto(p, INF), rel=1e-12, abs=1e-15
    )


@pytest.mark.parametrize("alpha", [0, -1, float("nan"), None])
def test_an_order_outside_its_domain_is_named(alpha):
    for measure in (measures.sibson, measures.arimoto):
        with pytest.raises(InvalidInputError, match="alpha must be"):
            measure(channels.SYMMETRIC, alpha)


def test_common_information_by_hand():
    blocks = np.array([[0.1, 0.2, 0.0, 0.0], [0.0, 0.1, 0.0, 0.0], [0.0, 0.0, 0.35, 0.25]])
    assert measures.gacs_korner(blocks) == pytest.approx(measures.entropy([0.4, 0.6]))
    assert measures.gacs_korner(channels.WITH_ZERO) == 0
