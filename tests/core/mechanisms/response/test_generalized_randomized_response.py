import numpy as np
import pytest
import qif
from hypothesis import given, settings
from hypothesis import strategies as st

from core import mechanisms as m
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.response.calibrated import grr_alpha, grr_kernel
from core.notions import ALIP, LDP, LIP
from tests.strategies import joints, symbol_notions


def equation_26(joint, alpha):
    """[Funnel] eq. 26, by loops."""
    k = np.expm1(alpha)
    levels = [
        abs(np.log((1 + k * joint.p[s, x] / joint.p_s[s]) / (1 + k * joint.p_x[x])))
        for s in range(joint.n_s)
        for x in range(joint.n_x)
    ]
    return max(levels)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 2.0, 7.0])
@pytest.mark.parametrize("n_x", [2, 3, 8])
def test_the_kernel_is_that_of_another_library_and_alpha_is_its_ldp_level_for_x(n_x, alpha):
    kernel = grr_kernel(n_x, alpha)
    reference = np.array(qif.mechanism.d_privacy.randomized_response(n_x, alpha))
    np.testing.assert_allclose(kernel, reference, atol=1e-14)
    level = qif.measure.d_privacy.smallest_epsilon(np.asfortranarray(kernel), qif.metric.discrete())
    assert level == pytest.approx(alpha, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(joints(min_x=2), st.floats(0.0, 12.0))
def test_equation_26_is_the_level_of_the_kernel(joint, alpha):
    achieved = LIP(1).achieved(joint, grr_kernel(joint.n_x, alpha))
    assert achieved == pytest.approx(equation_26(joint, alpha), abs=1e-10)


@pytest.mark.parametrize("eps", [0.01, 0.2, 0.6])
def test_it_solves_equation_26_from_the_private_side(eps):
    rng = np.random.default_rng(3)
    for _ in range(10):
        joint = Joint.random_uniform(3, 5, rng)
        alpha = grr_alpha(joint, LIP(eps))
        if alpha < np.inf:
            assert eps - 1e-9 < equation_26(joint, alpha) <= eps
        else:
            assert LIP(eps).holds(joint, np.eye(5))


@settings(max_examples=60, deadline=None)
@given(joints(), symbol_notions())
def test_it_keeps_every_promise_and_uses_the_budget_up(joint, notion):
    mechanism = m.generalized_randomized_response(joint, notion=notion)
    assert mechanism.audit.holds
    assert mechanism.kernel.shape == (joint.n_x, joint.n_x)
    if mechanism.status == "no noise needed":
        np.testing.assert_array_equal(mechanism.kernel, np.eye(joint.n_x))
    elif mechanism.notes[0] != "Only α = 0 satisfies the notion.":
        assert notion.scale(joint, mechanism.kernel) == pytest.approx(1, abs=1e-6)


def test_more_budget_keeps_more():
    joint = Joint.random_uniform(3, 5, np.random.default_rng(6))
    kept = [m.generalized_randomized_response(joint, eps).utility for eps in (0, 0.1, 0.4, 0.9, 9)]
    assert kept == sorted(kept)
    assert kept[0] == pytest.approx(0, abs=1e-14)
    assert kept[-1] == pytest.approx(-np.sum(joint.p_x * np.log(joint.p_x)))


def test_a_calibration_to_ldp_differs_from_one_to_lip():
    joint = Joint.random_uniform(3, 5, np.random.default_rng(6))
    assert grr_alpha(joint, LDP(0.3)) < grr_alpha(joint, LIP(0.3)) < grr_alpha(joint, LDP(0.6))
    assert grr_alpha(joint, ALIP(0.3, 0.3)) == grr_alpha(joint, LIP(0.3))


def test_bad_arguments_are_named():
    with pytest.raises(InvalidInputError, match="n_x must be at least 1, got 0"):
        grr_kernel(0, 1.0)
    with pytest.raises(InvalidInputError, match="alpha must be in"):
        grr_kernel(2, -1.0)
    with pytest.raises(InvalidInputError, match="Generalized randomized response needs either"):
        m.generalized_randomized_response(Joint.from_counts([[1, 2], [2, 1]]))
