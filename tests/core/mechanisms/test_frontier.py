"""Frontiers never fall, and one budget that fails takes no other with it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import clock
from core.errors import InfeasibleError, InvalidInputError, NotConvexError
from core.joint import Joint
from core.mechanisms import optimal
from core.mechanisms.frontier import FAILED, carried, failed, frontier
from core.notions import ALIP, LDP, LIP, L1Privacy
from tests.core.mechanisms.test_starts import awkward_joints, zip_codes

JOINT = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
BUDGETS = [0.01, 0.1, 0.5, 1, 2, 8, np.inf]
FAMILIES = {"LIP": LIP, "LDP": LDP, "ALIP": lambda eps: ALIP.from_lambda(eps, 0.7)}


def never_falls(values) -> bool:
    return bool((np.diff(values) >= 0).all())


@settings(max_examples=25, deadline=None)
@given(
    awkward_joints(), st.sampled_from(list(FAMILIES)), st.sampled_from([0.1, 40.0]), st.randoms()
)
def test_neither_utility_nor_bound_falls(joint, family, limit, shuffled):
    budgets = list(BUDGETS)
    shuffled.shuffle(budgets)
    with clock.using(clock.Ticking(0.01)):
        along = frontier(joint, FAMILIES[family], budgets, time_limit=limit)
    ordered = [along[budgets.index(eps)] for eps in BUDGETS]
    answers = [point for point in ordered if point.status != FAILED]
    assert never_falls([point.utility for point in answers])
    assert never_falls([point.upper_bound for point in ordered])
    assert all(point.utility <= point.upper_bound for point in answers)
    assert all(point.gap == point.upper_bound - point.utility for point in answers)


def test_hundreds_of_symbols_never_fall_however_short_the_time():
    with clock.using(clock.Ticking(0.01)):
        along = frontier(zip_codes(3, 120), LIP, [0.25, 0.5, 1.0, 2.0, 4.0], time_limit=0.5)
    assert never_falls([point.utility for point in along])
    assert never_falls([point.upper_bound for point in along])


def only_some(eps: float):
    """Return a notion at budgets below 1 only."""
    if eps >= 1:
        raise InfeasibleError(f"There is nothing at {eps}.")
    return LIP(eps)


def test_a_budget_that_fails_is_a_point_without_a_value():
    low, fails, high = frontier(JOINT, only_some, [0.2, 1.0, 0.5])
    assert (fails.status, fails.notes) == (FAILED, ("There is nothing at 1.0.",))
    assert np.isnan([fails.utility, fails.nmi, fails.gap]).all()
    assert low.status == high.status == "optimal"
    assert low.utility < high.utility < fails.upper_bound


def test_a_frontier_without_any_answer_says_why():
    with pytest.raises(InfeasibleError, match=r"There is nothing at 1\.0"):
        frontier(JOINT, only_some, [2.0, 1.0])
    with pytest.raises(NotConvexError):
        frontier(JOINT, lambda eps: L1Privacy(eps, eps), [0.5, 1.0])
    with pytest.raises(InvalidInputError, match="budgets"):
        frontier(JOINT, LIP, [])


def test_a_bound_at_a_larger_budget_holds_at_a_smaller_one():
    low, high = optimal(JOINT, LIP(0.2)), optimal(JOINT, LIP(0.5))
    gap = failed(JOINT, "No time.")
    along = carried(JOINT, [low, InfeasibleError("No time."), high])
    assert along[1].notes == gap.notes
    assert along[1].upper_bound == high.upper_bound


def test_a_bound_below_a_smaller_budgets_answer_is_withdrawn():
    more, less = optimal(JOINT, LIP(0.5)), optimal(JOINT, LIP(0.2))
    kept = carried(JOINT, [more, replace(less, notion=LIP(1.0))])[1]
    assert kept.utility == more.utility
    assert kept.upper_bound > less.upper_bound
    assert "A smaller budget keeps more" in kept.notes[-1]
