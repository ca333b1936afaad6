from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings

from core import measures
from core.errors import InvalidInputError
from tests import channels
from tests.strategies import matrices, orders

INF = np.inf


def test_lift_by_hand():
    np.testing.assert_allclose(
        measures.lift(channels.WITH_ZERO), [[4 / 3, 0], [2 / 3, 2]], rtol=1e-15
    )
    np.testing.assert_allclose(measures.max_lift(channels.WITH_ZERO), [4 / 3, 2])
    np.testing.assert_allclose(measures.min_lift(channels.WITH_ZERO), [2 / 3, 0])
    np.testing.assert_allclose(measures.lift_ratio(channels.WITH_ZERO), [2, INF])


def test_averages_over_s_by_hand():
    p = channels.SYMMETRIC  # lifts 1.5 and .5, half each
    assert measures.l1_lift(p) == pytest.approx([0.5, 0.5])
    assert measures.chi2_lift(p) == pytest.approx([0.25, 0.25])
    assert measures.alpha_lift(p, 3) == pytest.approx([((3.375 + 0.125) / 2) ** (1 / 3)] * 2)
    assert measures.l1_lift_inverse(p) == pytest.approx([(1 / 3 + 1) / 2] * 2)
    assert measures.chi2_lift_inverse(p) == pytest.approx([(1 / 9 + 1) / 2] * 2)
    inverse = ((8 / 27 + 8) / 2) ** (1 / 3)
    assert measures.alpha_lift_inverse(p, 3) == pytest.approx([inverse] * 2)


def test_infinite_order_is_the_extreme_lift():
    p = channels.SYMMETRIC
    assert measures.alpha_lift(p, INF).tolist() == measures.max_lift(p).tolist()
    assert measures.alpha_lift_inverse(p, INF).tolist() == (1 / measures.min_lift(p)).tolist()


def test_a_zero_cell_makes_every_inverse_infinite():
    p = channels.WITH_ZERO
    for values in (
        measures.l1_lift_inverse(p),
        measures.chi2_lift_inverse(p),
        measures.alpha_lift_inverse(p, 2),
        measures.alpha_lift_inverse(p, INF),
    ):
        assert np.isfinite(values[0])
        assert values[1] == INF


def test_independent_symbols_have_lift_one():
    p = channels.INDEPENDENT
    for extreme in (measures.max_lift(p), measures.min_lift(p), measures.lift_ratio(p)):
        np.testing.assert_allclose(extreme, 1, rtol=1e-15)
    for distance in (measures.l1_lift(p), measures.chi2_lift(p), measures.l1_lift_inverse(p)):
        np.testing.assert_allclose(distance, 0, atol=1e-15)


def test_one_symbol_alphabets():
    assert measures.lift([[1.0]]).tolist() == [[1.0]]
    assert measures.alpha_lift([[0.25, 0.75]], 2).tolist() == [1.0, 1.0]
    assert measures.l1_lift_inverse([[0.25], [0.75]]).tolist() == [0.0]


def test_absent_symbols_are_nan_or_ignored():
    whole = channels.SYMMETRIC
    padded = np.zeros((3, 3))
    padded[np.ix_([0, 2], [0, 1])] = whole
    for measure in (
        measures.max_lift,
        measures.min_lift,
        measures.lift_ratio,
        measures.l1_lift,
        measures.chi2_lift,
        measures.l1_lift_inverse,
        measures.chi2_lift_inverse,
        lambda p: measures.alpha_lift(p, 2.5),
        lambda p: measures.alpha_lift_inverse(p, 2.5),
    ):
        values = measure(padded)
        np.testing.assert_array_equal(values[:2], measure(whole))
        assert np.isnan(values[2])
    assert np.isnan(measures.lift(padded)[1]).all()


def test_a_tiny_probability_keeps_its_digits():
    tiny = 1e-12
    p = np.array([[tiny, 0.5 - tiny], [0.25, 0.25]])
    assert measures.min_lift(p)[0] == pytest.approx(tiny / 0.5 / (0.25 + tiny), rel=1e-14)
    assert measures.alpha_lift_inverse(p, 400)[0] == pytest.approx(
        0.5 ** (1 / 400) / measures.min_lift(p)[0], rel=1e-13
    )


def test_a_high_order_does_not_overflow():
    p = np.array([[1e-9, 0.0], [0.5, 0.5 - 1e-9]])
    expected = measures.max_lift(p)[0] * p[0].sum() ** 1e-4
    assert measures.alpha_lift(p, 1e4)[0] == pytest.approx(expected, rel=1e-13)
    assert measures.alpha_lift(p, 1e300)[0] == pytest.approx(measures.max_lift(p)[0], rel=1e-15)


def test_a_batch_is_its_single_joints():
    batch = np.random.default_rng(3).dirichlet([0.5] * 12, size=(2, 5)).reshape(2, 5, 3, 4)
    for name in ("max_lift", "min_lift", "lift_ratio", "l1_lift", "chi2_lift", "l1_lift_inverse"):
        measure = getattr(measures, name)
        values = measure(batch)
        assert values.shape == (2, 5, 4)
        np.testing.assert_array_equal(values[1, 3], measure(batch[1, 3]))
    values = measures.alpha_lift(batch, 3.0)
    np.testing.assert_allclose(values[0, 4], measures.alpha_lift(batch[0, 4], 3.0), rtol=1e-14)


@settings(max_examples=40)
@given(matrices(), orders)
def test_against_sums_over_cells(p, alpha):
    p_s, p_y = p.sum(axis=1), p.sum(axis=0)
    for y in range(p.shape[1]):
        if p_y[y] == 0:
            continue
        pairs = [(p_s[s], p[s, y] / (p_s[s] * p_y[y])) for s in range(len(p_s)) if p_s[s] > 0]
        lifts = [value for _, value in pairs]
        assert measures.max_lift(p)[y] == pytest.approx(max(lifts))
        assert measures.min_lift(p)[y] == pytest.approx(min(lifts))
        assert measures.l1_lift(p)[y] == pytest.approx(
            sum(w * abs(v - 1) for w, v in pairs), rel=1e-9, abs=1e-12
        )
        assert measures.chi2_lift(p)[y] == pytest.approx(
            sum(w * (v - 1) ** 2 for w, v in pairs), rel=1e-9, abs=1e-12
        )
        if alpha < 13:
            power = sum(w * v**alpha for w, v in pairs) ** (1 / alpha)
            assert measures.alpha_lift(p, alpha)[y] == pytest.approx(power)
        if min(lifts) > 0:
            assert measures.l1_lift_inverse(p)[y] == pytest.approx(
                sum(w * abs(1 / v - 1) for w, v in pairs), rel=1e-9, abs=1e-12
            )
            assert measures.chi2_lift_inverse(p)[y] == pytest.approx(
                sum(w * (1 / v - 1) ** 2 for w, v in pairs), rel=1e-9, abs=1e-12
            )
        if min(lifts) > 0 and alpha < 13:
            power = sum(w * v**-alpha for w, v in pairs) ** (1 / alpha)
            assert measures.alpha_lift_inverse(p, alpha)[y] == pytest.approx(power)


@settings(max_examples=40)
@given(matrices())
def test_alpha_lift_grows_with_its_order(p):
    present = p.sum(axis=0) > 0
    values = [measures.alpha_lift(p, a)[present] for a in (1.2, 2, 7, 60, INF)]
    inverses = [measures.alpha_lift_inverse(p, a)[present] for a in (1.2, 2, 7, 60, INF)]
    for row in (values, inverses):
        for low, high in pairwise(row):
            assert (low <= high * (1 + 1e-12)).all()
    np.testing.assert_allclose(values[1] ** 2 - 1, measures.chi2_lift(p)[present], atol=1e-9)


@pytest.mark.parametrize("alpha", [1, 0.5, 0, -2, float("nan"), "two"])
def test_an_order_outside_its_domain_is_named(alpha):
    for measure in (measures.alpha_lift, measures.alpha_lift_inverse):
        with pytest.raises(InvalidInputError, match="alpha must be"):
            measure(channels.SYMMETRIC, alpha)


@pytest.mark.parametrize(
    ("joint", "reason"),
    [
        ([[0.5, 0.4]], "sum to 1"),
        ([[1.5, -0.5]], "at least 0"),
        ([[float("nan"), 1.0]], "finite"),
        ([0.5, 0.5], "two axes"),
    ],
)
def test_what_is_no_joint_is_refused(joint, reason):
    with pytest.raises(InvalidInputError, match=reason):
        measures.max_lift(joint)


@pytest.mark.parametrize("tiny", [1e-100, 1e-200, 1e-300, 1e-308])
def test_measures_of_tiny_probabilities_are_numbers_or_infinite(tiny):
    p = np.array([[0.5, tiny, 0.1], [tiny, tiny / 2, 0.2], [0.2, 0.1 * tiny, 0.0]])
    p /= p.sum()
    result = [measures.lift_ratio(p), measures.l1_lift_inverse(p), measures.chi2_lift_inverse(p)]
    for order in (1.5, 10.0, np.inf):
        result += [measures.alpha_lift(p, order), measures.alpha_lift_inverse(p, order)]
    for levels in result:
        assert not np.isnan(levels).any()
        assert (levels >= 0).all()
    lifts = np.array([1.0, 0.5, 0.1]) / 1.6 / p.sum(axis=1)
    assert measures.max_lift(p)[1] == pytest.approx(lifts.max(), rel=1e-6)


def test_a_square_that_no_double_holds_is_infinite_and_no_warning():
    p = np.array([[0.5, 1e-170], [1e-170, 0.5]])
    assert (measures.chi2_lift_inverse(p) == np.inf).all()
    assert np.isfinite(measures.l1_lift_inverse(p)).all()
