import numpy as np
import pytest
from hypothesis import given, settings

from core.joint import Joint
from core.mechanisms.merging.subset_levels import (
    first_least,
    first_most,
    fits,
    low_risk,
    set_levels,
    set_risk,
    within,
)
from core.notions import ALIP, LDP, LIP, AlphaLift, Chi2Privacy, L1Privacy, PointwiseDivergence
from tests.strategies import joints, symbol_notions


@settings(max_examples=60, deadline=None)
@given(joints(), symbol_notions())
def test_levels_of_overlapping_sets_are_those_of_each_as_an_output(joint, notion):
    members = [[0], list(range(joint.n_x)), list(range(0, joint.n_x, 2))]
    masses = np.stack([joint.p[:, item].sum(axis=1) for item in members], axis=1)
    lower, upper = set_levels(notion, masses, joint.p_s)
    for i in range(3):
        output = np.stack([masses[:, i], joint.p_s - masses[:, i]], axis=1).clip(0)
        np.testing.assert_allclose(lower[i], notion.lower_level(output)[0], atol=1e-12)
        np.testing.assert_allclose(upper[i], notion.upper_level(output)[0], atol=1e-12)


def test_a_set_that_never_occurs_has_level_0():
    levels = set_levels(LIP(1), np.zeros((2, 1)), np.array([0.5, 0.5]))
    np.testing.assert_array_equal(levels, [[0.0], [0.0]])


def test_low_risk_symbols_are_those_that_the_notion_allows_by_themselves():
    joint = Joint.from_counts([[8, 1, 7, 2, 5], [1, 8, 2, 7, 5]])
    np.testing.assert_array_equal(low_risk(joint, LIP(0.9)), [0, 0, 1, 1, 1])
    # |log Ψ| and log Λ of x3: log(9/4) = .81 and log(14/9) = .44.
    np.testing.assert_array_equal(low_risk(joint, ALIP(0.9, 0.4)), [0, 0, 0, 0, 1])


def test_half_of_the_slack_of_the_audit_is_used_here():
    assert within(LIP(1), 1.0 + 4e-13, 1.0)
    assert not within(LIP(1), 1.0 + 7e-13, 1.0)
    assert within(LIP(1), np.inf, np.inf)
    # a divergence grows with the square of what the rounding of a lift moves
    assert within(PointwiseDivergence(0), 4e-25, 0.0)
    assert not within(PointwiseDivergence(0), 7e-25, 0.0)
    budgets = np.array([[0.0], [1e-4]])
    expected = [[False], [True]]
    np.testing.assert_array_equal(
        within(PointwiseDivergence(0), budgets + 5e-15, budgets), expected
    )
    assert not fits(ALIP(1, 2), 0.5, 2.5)
    assert not fits(ALIP(1, 2), 1.5, 0.5)


@pytest.mark.parametrize(
    ("notion", "risk", "expected"),
    [
        (LIP(1), None, 0.7),
        (ALIP(1, 2), "max", 0.7),
        (LIP(1), "sum", np.log(np.exp(0.7) + np.exp(0.4))),
        (LIP(1), "ratio", 1.1),
        (L1Privacy(1, 1), None, np.log(np.exp(0.7) + np.exp(0.4))),
        (AlphaLift(1, 1, 2), None, np.log(np.exp(0.7) + np.exp(0.4))),
        (Chi2Privacy(1, 1), None, np.log1p(np.sqrt(np.expm1(0.7) ** 2 + np.expm1(0.4) ** 2))),
    ],
)
def test_risks_by_hand(notion, risk, expected):
    assert set_risk(notion, np.array(0.7), np.array(0.4), risk) == pytest.approx(expected)


def test_the_risk_of_ldp_is_the_ratio_and_an_excluded_secret_is_the_greatest_risk():
    assert set_risk(LDP(1), np.array(0.0), np.array(1.3)) == pytest.approx(1.3)
    for notion in (LIP(1), L1Privacy(1, 1), Chi2Privacy(1, 1), AlphaLift(1, 1, 2)):
        assert set_risk(notion, np.array(np.inf), np.array(0.4)) == np.inf
    assert set_risk(Chi2Privacy(1, 1), np.array(800.0), np.array(0.4)) == np.inf


def test_ties_up_to_rounding_go_to_the_lowest_index():
    assert first_least(np.array([2.0, 1.0 + 1e-14, 1.0])) == 1
    assert first_most(np.array([1.0, 2.0 - 1e-14, 2.0])) == 1
    assert first_least(np.array([np.inf, np.inf])) == 0
    assert first_most(np.array([1.0, np.inf, np.inf])) == 1
    assert first_least(np.array([0.0, 1e-9])) == 0
    np.testing.assert_array_equal(first_least(np.array([[3.0, 1.0], [1.0, 3.0]])), [1, 0])
