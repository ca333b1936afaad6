"""Frontiers never fall, and one budget that fails takes no other with it."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import clock
from core.errors import CoreError, InfeasibleError, InvalidInputError, NotConvexError
from core.joint import Joint
from core.mechanisms import optimal
from core.mechanisms.optima import frontier as module
from core.mechanisms.optima import search
from core.mechanisms.optima.frontier import FAILED, carried, diluted, failed, frontier
from core.mechanisms.optima.starts import INSTANT
from core.mechanisms.result import CUT
from core.notions import ALIP, LDP, LIP, AlphaLift, L1Privacy, RobustLDP
from core.optimal.plan import SIZES
from tests.core.mechanisms.optima.test_starts import awkward_joints, zip_codes

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
    assert "Another budget keeps more" in kept.notes[-1]


def test_what_only_the_rounding_of_the_audit_allows_withdraws_no_bound():
    joint = Joint.from_counts([[10**13, 10**13], [10**13, 10**13 + 5]])  # lifts off by 1e-13
    whole = optimal(joint, LIP(0.0))
    nothing = replace(whole, kernel=np.ones((2, 1)), y_labels=("y1",), utility=0.0, upper_bound=0.0)
    kept = carried(joint, [whole, nothing])[1]
    assert (kept.utility, kept.notes) == (whole.utility, ())


def test_what_a_larger_budget_keeps_is_not_lost_on_a_smaller_one():
    """Alone, the search at the smaller budget finds nothing in so short a time."""
    joint = zip_codes(3, 120)
    low, high = LIP(0.5), LIP(0.55)
    best = optimal(joint, high)
    poor = replace(failed(joint, "None."), kernel=np.ones((120, 1)), utility=0.0, nmi=0.0)
    poor = replace(poor, notion=low, status="time limit", notes=())
    made, kept = diluted(joint, [poor, best])
    assert kept is best
    assert low.holds(joint, made.kernel)
    assert made.audit.holds
    # lifts of e^−.55 become e^−.5 at a share δ of P_X with (1−δ)(1 − e^−.55) = 1 − e^−.5: .07
    assert low.achieved(joint, made.kernel) == pytest.approx(0.5, abs=1e-3)
    assert made.utility > 0.6 * best.utility
    assert made.upper_bound == poor.upper_bound


def test_outputs_are_moved_to_smaller_budgets_until_time_is_over():
    joint = zip_codes(3, 120)
    poor = replace(failed(joint, "None."), kernel=np.ones((120, 1)), utility=0.0, nmi=0.0)
    poor = replace(poor, notion=LIP(0.5), status="time limit", notes=())
    best = optimal(joint, LIP(0.55))
    assert diluted(joint, [poor, best], clock.Deadline.after(0.0)) == [poor, best]


def test_a_proven_point_is_left_alone():
    low, high = optimal(JOINT, LIP(0.4)), optimal(JOINT, LIP(0.8))
    assert diluted(JOINT, [low, CoreError("No answer."), high])[0] is low


def test_a_line_of_many_classes_begins_where_the_last_budget_ended(monkeypatch):
    """All mechanisms took the .5 s of each of 32 budgets at 442 symbols, and no search was left."""
    rng = np.random.default_rng(2)
    counts = np.repeat(rng.integers(1, 90, (3, 155)), 2, axis=1)
    request, make = [], search.starts

    def recorded(joint, notion, options, among, *rest):
        request.append(among)
        return make(joint, notion, options, INSTANT, *rest)

    monkeypatch.setattr(search, "starts", recorded)
    with clock.using(clock.Ticking(2.0**-9)):
        joint = Joint.from_counts(counts)
        first = search.optimal_from(joint, LDP(0.5), None, time_limit=0.25)
        search.optimal_from(joint, LDP(1.0), first.kernel, time_limit=0.25)
    assert request == [None, INSTANT]


def test_a_short_line_of_hundreds_of_symbols_is_searched_where_it_rises(monkeypatch):
    """At 442 symbols 32 searches of a third of a second kept 0.84 at LIP 8, where X has 0.999."""
    searched, make = [], module.peeled

    def recorded(joint, notion, **options):
        searched.append(notion.eps)
        return make(joint, notion, **options)

    monkeypatch.setattr(module, "peeled", recorded)
    joint, budgets = zip_codes(3, 250), np.arange(1, 9) * 0.5
    with clock.using(clock.Ticking(4e-3)):
        line = frontier(joint, LIP, budgets.tolist(), time_limit=4.0)
    assert searched[:2] == [4.0, 0.5]
    assert len(set(searched)) < len(budgets)
    assert never_falls([point.utility for point in line])
    assert never_falls([point.upper_bound for point in line])
    assert all(
        LIP(eps).holds(joint, point.kernel) for eps, point in zip(budgets, line, strict=True)
    )
    assert line[-1].nmi > 0.9
    searched.clear()
    with clock.using(clock.Ticking(1.0)):
        late = frontier(joint, LIP, budgets.tolist(), time_limit=1e-3)
    assert searched == [4.0, 0.5]  # once time is over
    assert all(point.status != FAILED for point in late)


def test_a_short_line_whose_searches_take_longer_is_searched_where_it_rises(monkeypatch):
    """At 442 symbols 32 searches under the α-lift took 17.7 of 10 s, and 0.02 less was kept."""
    searched = []

    def recorded(joint, notion, start, *, time_limit, **options):
        searched.append(notion.eps_u)
        return search.optimal_from(joint, notion, start, time_limit=time_limit, **options)

    monkeypatch.setattr(module, "optimal_from", recorded)
    joint, budgets = zip_codes(3, 250), np.arange(1, 17) * 0.25
    with clock.using(clock.Ticking(1.0 / 64)):
        line = frontier(
            joint, lambda eps: AlphaLift(eps, eps, 2.0), budgets.tolist(), time_limit=8.0
        )
    assert searched[:2] == [4.0, 0.25]
    assert len(set(searched)) < len(budgets)
    again = searched[len(set(searched)) :]  # in the time that is left, for longer
    assert again == sorted(set(searched))[: len(again)] != []
    assert never_falls([point.utility for point in line])
    assert line[-1].nmi > 0.9


@pytest.mark.parametrize("fails", [0, 2, 7])
@pytest.mark.parametrize("symbols", [3, 250])
def test_a_budget_that_fails_spoils_no_other_of_a_short_line(fails, symbols):
    budgets = np.arange(1, 9) * 0.5

    def family(eps):
        if eps == budgets[fails]:
            raise InfeasibleError(f"There is nothing at {eps}.")
        return LIP(eps)

    with clock.using(clock.Ticking(1e-2)):
        line = frontier(zip_codes(3, symbols), family, budgets.tolist(), time_limit=2.0)
    assert [i for i, point in enumerate(line) if point.status == FAILED] == [fails]


def test_a_robust_line_of_many_symbols_is_searched_at_a_few_budgets(monkeypatch):
    """At 442 symbols each search took 1.5 to 8 s, of the third of a second that it was given."""
    searched = []

    def recorded(joint, notion, **_options):
        searched.append(notion.eps)
        return module.at_a_glance(joint, notion)

    monkeypatch.setattr(module, "optimal", recorded)
    joint = Joint.random_uniform(2, SIZES.leveled_symbols + 1, np.random.default_rng(0))
    budgets = np.arange(1.0, 9.0)
    family = partial(RobustLDP.of_joint, joint)
    with clock.using(clock.Ticking(1e-6)):
        line = frontier(joint, family, budgets.tolist(), time_limit=60.0)
    assert searched == [4.0, 8.0]
    assert all(0 < a.utility < b.utility for a, b in pairwise(line))
    assert all(
        family(eps).holds(joint, point.kernel) for eps, point in zip(budgets, line, strict=True)
    )
    searched.clear()
    glanced, glance = [], module.at_a_glance

    def seen(joint, notion, *utility):
        glanced.append(notion.eps)
        return glance(joint, notion, *utility)

    monkeypatch.setattr(module, "at_a_glance", seen)
    with clock.using(clock.Ticking(1.0)):
        late = frontier(joint, family, budgets.tolist(), time_limit=0.5)
    assert searched == []  # once time is over
    assert glanced == [1.0]  # the others have its answer: at 442 symbols each took .3 s
    assert len({point.utility for point in late}) == 1
    assert all(
        family(eps).holds(joint, point.kernel) for eps, point in zip(budgets, late, strict=True)
    )


@pytest.mark.parametrize("notion", [LIP(7.0), LDP(7.0)], ids=str)
def test_x_itself_diluted_is_known_at_a_glance(notion):
    """Pale lines of LIP and LDP ended at .84 of H(X), below a robust one of the same data."""
    joint = Joint.random_dirichlet(6, 12, 0.3, np.random.default_rng(0))
    assert module.at_a_glance(joint, notion).nmi > 0.95


def test_a_bound_at_a_glance_does_not_take_another_estimate_for_a_member():
    joint = Joint.from_counts([[30, 1, 1], [1, 30, 1]])
    other = Joint.from_counts([[300, 300, 300], [300, 300, 300]])
    notion = RobustLDP.of_joint(other, 0.3)
    kept = module.at_a_glance(joint, notion)
    assert optimal(joint, notion).utility <= kept.upper_bound + 1e-9


def test_a_robust_line_short_of_time_is_searched_from_coarse_to_fine(monkeypatch):
    """At 2×29 a search of each budget found as little as none: all of four kept the same."""
    searched, now = [], [0.0]

    def recorded(joint, notion, *, time_limit, start, **_options):
        now[0] += time_limit
        searched.append((notion.eps, time_limit, start is not None))
        return module.at_a_glance(joint, notion)

    monkeypatch.setattr(module, "optimal", recorded)
    joint = Joint.random_uniform(2, 9, np.random.default_rng(0))
    budgets, family = np.arange(1.0, 10.0), partial(RobustLDP.of_joint, joint)
    each = SIZES.robust_seconds
    with clock.using(lambda: now[0]):
        line = frontier(joint, family, budgets.tolist(), time_limit=4.5 * each)
    assert [eps for eps, _, _ in searched] == [9.0, 1.0, 5.0, 3.0, 7.0]
    assert [seconds for _, seconds, _ in searched] == pytest.approx([each] * 4 + [each / 2])
    assert [begun for _, _, begun in searched] == [False, False, True, True, True]
    assert all(line[i].utility == line[i - 1].utility > 0 for i in (1, 3, 5, 7))
    assert never_falls([point.upper_bound for point in line])
    assert [point.status for point in line[1::2]] == [CUT] * 4
    now[0], searched[:] = 0.0, []
    with clock.using(lambda: now[0]):
        frontier(joint, family, budgets.tolist(), time_limit=90.0)
    assert sorted(searched) == [(eps, pytest.approx(10.0), eps not in (1, 9)) for eps in budgets]


def test_a_robust_line_goes_on_from_the_last_answer(monkeypatch):
    """Each budget was a search of its own, so where time was short a line had steps."""
    begun = []

    def recorded(*args, start, **options):
        begun.append(start)
        return optimal(*args, start=start, **options)

    monkeypatch.setattr(module, "optimal", recorded)
    with clock.using(clock.Ticking(4e-3)):
        joint = Joint.from_counts([[30, 10], [10, 30]])
        low, high = frontier(joint, partial(RobustLDP.of_joint, joint), [0.5, 1.0])
    assert begun[0] is None
    np.testing.assert_array_equal(begun[1], low.kernel)
    assert 0 < low.utility < high.utility


def test_a_budget_that_is_named_twice_has_one_answer():
    joint = Joint.random_dirichlet(2, 160, 1.0, np.random.default_rng(0))
    with clock.using(clock.Ticking(1e-3)):
        line = frontier(joint, LIP, [1.0, 0.2, 1.0, 0.0, 0.2, 0.0], time_limit=1.0)
    assert line[0] is line[2]
    assert line[1] is line[4]
    assert line[3] is line[5]
    assert line[3].utility <= line[1].utility <= line[0].utility
