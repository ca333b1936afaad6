"""Polishing ends inside the notion and loses as little as it must."""

import numpy as np
import pytest

from core import measures
from core.joint import Joint
from core.mechanisms.polish import polished
from core.notions import LDP, LIP

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


def test_at_no_budget_only_the_constant_output_is_left():
    kernel = polished(JOINT, np.eye(3), LIP(0))
    assert measures.mutual_information(JOINT.p_x[:, None] * kernel) < 1e-12


def test_a_kernel_that_reads_s_is_moved_towards_what_it_says_on_average():
    told = np.kron(np.eye(2), np.ones((3, 1)))  # S itself
    kernel = polished(JOINT, told, LIP(0.3))
    assert LIP(0.3).holds(JOINT, kernel)
    assert LIP(0.3).achieved(JOINT, kernel) > 0.99 * 0.3
    np.testing.assert_allclose(JOINT.p.ravel() @ kernel, JOINT.p_s, atol=1e-12)


def test_a_quick_polish_holds_too_and_costs_at_most_four_times_as_much():
    notion = LIP(LIP(0).achieved(JOINT, np.eye(3)) * (1 - 1e-8))
    quick, least = (polished(JOINT, np.eye(3), notion, quick=quick) for quick in (True, False))
    assert notion.holds(JOINT, quick)
    shares = [moved[0, 1] / (JOINT.p_x @ moved)[1] for moved in (quick, least)]
    assert 0 < shares[1] <= shares[0] <= 4 * shares[1]
