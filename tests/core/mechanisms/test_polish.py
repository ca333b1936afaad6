"""Polishing ends inside the notion and loses as little as it must."""

from dataclasses import replace

import numpy as np
import pytest

from core import measures
from core import mechanisms as m
from core.joint import Joint
from core.mechanisms import polish
from core.mechanisms.polish import cleared, polished
from core.notions import (
    ALIP,
    LDP,
    LIP,
    Average,
    Intersection,
    PointwiseMaximalLeakage,
    RobustLDP,
)
from core.optimal.polish import mixed

JOINT = Joint.from_counts([[3, 1, 2], [1, 4, 1]])


def test_what_holds_is_left_alone():
    kernel = np.array([[0.5, 0.5], [0.5, 0.5], [0.4, 0.6]])
    np.testing.assert_array_equal(polished(JOINT, kernel, LIP(1)), kernel)


@pytest.mark.parametrize("notion", [LIP(0.3), LDP(0.4)], ids=str)
def test_what_breaks_the_notion_is_moved_by_little_more_than_the_least_share(notion):
    kernel = polished(JOINT, np.eye(3), notion)
    assert notion.holds(JOINT, kernel)
    outputs = JOINT.p_x @ kernel
    np.testing.assert_allclose(outputs, JOINT.p_x, atol=1e-12)
    share = kernel[0, 1] / outputs[1]
    share *= 0.99
    less = (1 - share) * np.eye(3) + share * outputs
    assert not notion.holds(JOINT, less)


def test_a_tiny_violation_costs_little_to_mend():
    eps = LIP(0).achieved(JOINT, np.eye(3)) * (1 - 1e-10)
    kernel = polished(JOINT, np.eye(3), LIP(eps))
    lost = measures.entropy(JOINT.p_x) - measures.mutual_information(JOINT.p_x[:, None] * kernel)
    assert 0 < lost < 1e-7


def test_a_slow_check_is_made_a_few_times_and_costs_as_little(monkeypatch):
    """Over a set of distributions one takes .05 s: a search used to end a second late."""
    joint = Joint.from_counts(100 * np.array([[3, 1, 2], [1, 4, 1]]))
    kernel = (np.eye(3) + 1.0) / 4.0
    loose = RobustLDP.of_joint(joint, 1.0)
    notion = replace(loose, eps=loose.achieved(joint, kernel) * (1 - 1e-10))
    checks = []
    holds = RobustLDP.holds
    monkeypatch.setattr(RobustLDP, "holds", lambda *args: checks.append(1) or holds(*args))
    moved = polished(joint, kernel, notion)
    assert 2 < len(checks) < 10
    monkeypatch.undo()
    assert notion.holds(joint, moved)
    assert notion.achieved(joint, moved) > notion.eps * (1 - 1e-8)


def test_at_no_budget_only_the_constant_output_is_left():
    kernel = polished(JOINT, np.eye(3), LIP(0))
    assert measures.mutual_information(JOINT.p_x[:, None] * kernel) < 1e-12


def test_a_kernel_that_reads_s_is_moved_towards_what_it_says_on_average():
    reported = np.kron(np.eye(2), np.ones((3, 1)))  # S itself
    kernel = polished(JOINT, reported, LIP(0.3))
    assert LIP(0.3).holds(JOINT, kernel)
    assert LIP(0.3).achieved(JOINT, kernel) > 0.99 * 0.3
    np.testing.assert_allclose(JOINT.p.ravel() @ kernel, JOINT.p_s, atol=1e-12)


def test_a_quick_polish_holds_too_and_costs_at_most_four_times_as_much():
    notion = LIP(LIP(0).achieved(JOINT, np.eye(3)) * (1 - 1e-8))
    quick, least = (polished(JOINT, np.eye(3), notion, quick=quick) for quick in (True, False))
    assert notion.holds(JOINT, quick)
    shares = [moved[0, 1] / (JOINT.p_x @ moved)[1] for moved in (quick, least)]
    assert 0 < shares[1] <= shares[0] <= 4 * shares[1]


@pytest.mark.parametrize(
    "notion",
    [
        Average("total_variation", 0.1),
        Average("guessing", 0.8),
        PointwiseMaximalLeakage(0.4),
    ],
)
def test_no_entry_of_an_optimum_is_rounding(notion):
    for seed in range(3):
        joint = Joint.random_dirichlet(3, 6, 0.4, np.random.default_rng(seed))
        made = m.optimal(joint, notion)
        assert made.audit.holds
        assert made.gap <= 1e-6
        assert (made.kernel[made.kernel > 0] > 1e-13).all()
        np.testing.assert_allclose(made.kernel.sum(axis=1), 1, atol=1e-12)


def test_what_is_cleared_tells_no_more_and_what_must_not_be_zero_stays():
    joint = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
    kernel = np.array([[1 - 2e-16, 2e-16, 0], [0, 1, 0], [2e-16, 0.5, 0.5]])
    exact = cleared(joint, kernel, Average("mutual_information", 9.0))
    np.testing.assert_array_equal(exact > 0, kernel > 1e-13)
    least = np.log(1e18)
    held = cleared(joint, kernel, ALIP(least, np.inf))
    assert ALIP(least, np.inf).holds(joint, held)
    assert np.isfinite(LIP(1).achieved(joint, held)) == np.isfinite(LIP(1).achieved(joint, kernel))
    plain = np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    assert cleared(joint, plain, LIP(9)) is plain


def test_rounding_that_a_budget_needs_is_sent_on_to_wider_outputs():
    joint = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
    shape = np.array([[0.5, 0, 0.5], [0, 0.5, 0.5], [0, 0, 1]])
    reported = Average("total_variation", 1.0).achieved(joint, shape)
    budget = Average("total_variation", reported - 1.001e-12)
    dusty = polished(joint, shape, budget)
    assert ((dusty > 0) & (dusty < 1e-10)).any()
    exact = cleared(joint, dusty, budget)
    assert budget.holds(joint, exact)
    np.testing.assert_array_equal(exact > 0, shape > 0)


def test_a_share_is_found_without_a_look_at_the_kernel_each_time(monkeypatch):
    made = []

    def counted(*args):
        made.append(args)
        return mixed(*args)

    monkeypatch.setattr(polish, "mixed", counted)
    for notion in (LIP(0.3), LDP(0.4), Intersection(LDP(0.4), LIP(0.3))):
        made.clear()
        kernel = polished(JOINT, np.eye(3), notion)
        assert notion.holds(JOINT, kernel)
        assert notion.scale(JOINT, kernel) > 0.99
        assert len(made) == 1


def test_wider_outputs_are_not_sought_where_that_takes_seconds(monkeypatch):
    joint = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
    shape = np.array([[0.5, 0, 0.5], [0, 0.5, 0.5], [0, 0, 1]])
    reported = Average("total_variation", 1.0).achieved(joint, shape)
    budget = Average("total_variation", reported - 1.001e-12)
    dusty = polished(joint, shape, budget)
    monkeypatch.setattr(polish, "MOST_NESTED", 26)
    monkeypatch.setattr(polish, "_wider", None)  # a call would end in an error
    assert cleared(joint, dusty, budget) is dusty


@pytest.mark.parametrize(
    "notion",
    [
        Average("total_variation", 0.05),
        Average("sibson", 0.02, order=2),
        Intersection(LDP(0.4), Average("chi2", 0.03)),
    ],
    ids=str,
)
def test_a_budget_on_an_average_is_looked_at_in_what_is_released(notion, monkeypatch):
    """A kernel of 1,980 symbols and 900 outputs was mixed thirty times, in a second."""
    mixtures = []
    mix = polish.mixed
    monkeypatch.setattr(polish, "mixed", lambda *args: mixtures.append(1) or mix(*args))
    kernel = polished(JOINT, np.eye(3), notion)
    assert len(mixtures) == 1
    assert notion.holds(JOINT, kernel)
    assert notion.scale(JOINT, kernel) > 1 - 0.01
