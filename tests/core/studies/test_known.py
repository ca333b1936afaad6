"""What answers know of each other: nothing falls along ε, and nothing contradicts a bound."""

from dataclasses import replace

import numpy as np
import pytest

from core import clock
from core.data import DataSpec, count
from core.errors import SolverError
from core.joint import Joint
from core.mechanisms.result import CUT, make_mechanism
from core.notions import catalogue
from core.scenario import Promise, Scenario
from core.sizes import size_of
from core.studies.frontier import sweep
from core.studies.known import EMPTY, Known, _notion_key

JOINT = Joint.from_counts([[8, 1, 5, 5, 0], [1, 8, 5, 3, 2], [3, 3, 0, 4, 9]])
JOINT_ENTROPY = float(-(JOINT.p_x * np.log(JOINT.p_x)).sum())
OPTIMAL = Scenario(notion="lip", eps=1.0)


def made(scenario, joint=JOINT):
    return scenario.build_mechanism(joint)


def unproven(mechanism, bound):
    return replace(mechanism, status=CUT, upper_bound=bound, gap=bound - mechanism.utility)


def test_nothing_is_known_of_a_question_that_nobody_asked():
    assert Known().best(OPTIMAL, JOINT) is None


@pytest.mark.parametrize("notion", ["lip", "alip", "ldp", "alpha", "pml"])
@pytest.mark.parametrize("mechanism", ["watchdog", "subset_merging", "optimal"])
def test_any_mechanism_at_a_smaller_budget_is_a_start_for_the_optimum(notion, mechanism):
    known = Known()
    small = Scenario(notion=notion, eps=0.8, mechanism=mechanism)
    result = made(small)
    known.add(small, JOINT, result)
    larger = replace(small, mechanism="optimal", eps=1.1)
    start = known.best(larger, JOINT)
    np.testing.assert_array_equal(start.kernel, result.kernel)
    assert start.utility == pytest.approx(result.utility)
    assert start.audit.holds
    assert start.notion == larger.build_notion(JOINT)
    assert start.status == CUT or start.gap <= larger.gap
    assert known.best(replace(larger, eps=0.7), JOINT) is None


def test_another_purpose_or_other_data_is_another_question():
    known = Known()
    known.add(OPTIMAL, JOINT, made(OPTIMAL))
    for other in (
        replace(OPTIMAL, purpose="guess"),
        replace(OPTIMAL, data=replace(OPTIMAL.data, released=("race",))),
    ):
        assert known.best(replace(other, eps=8.0), JOINT) is None
    same = replace(OPTIMAL, lam=0.3, time_limit=9.0)  # LIP has no λ
    assert known.best(same, JOINT).utility == made(OPTIMAL).utility


def same(answer, other):
    """Say whether one answer is another one's mechanism, audited under its own notion."""
    return answer is not None and np.array_equal(answer.kernel, other.kernel) and answer.audit.holds


ROBUST = Scenario(notion="robust_ldp", eps=1.0, n=4_000, time_limit=0.5)


@pytest.mark.parametrize(
    ("question", "others"),
    [
        (OPTIMAL, [("ldp", 2.0), ("alip", 2.0), ("pml", 1.0), ("lip_delta", 1.0), ("sides", 0.0)]),
        (replace(OPTIMAL, notion="ldp"), [("lip", 1.0), ("min_lift", 1.0), ("ldp_delta", 1.0)]),
        (replace(OPTIMAL, notion="alip", lam=0.3), [("ldp", 1.0), ("lip", 0.7)]),
        (ROBUST, [("ldp", 1.0), ("lip", 1.0), ("alip", 2.0)]),
    ],
)
def test_an_answer_is_one_under_every_notion_that_its_own_implies(question, others):
    known = Known()
    with clock.using(clock.Ticking(1e-2)):
        result = made(question)
    known.add(question, JOINT, result)
    for notion, eps in others:
        other = replace(OPTIMAL, notion=notion, eps=eps)
        best = known.best(other, JOINT)
        assert same(best, result), notion
        assert best.notion == other.build_notion(JOINT)
        assert best.status == CUT or best.gap <= other.gap
        low = replace(sweep_of_nothing(other), eps=np.array([0.01, eps + 0.01]))
        assert known.along(low, other, JOINT).utility[-1] == pytest.approx(result.utility)


def sweep_of_nothing(scenario):
    """Return a line of two budgets at which nothing was found."""
    line = sweep(replace(scenario, mechanism="constant"), JOINT, np.array([0.5, 1.0]))
    most = np.full(2, JOINT_ENTROPY)
    return replace(line, utility=np.zeros(2), nmi=np.zeros(2), upper_bound=most, mechanisms=())


def test_a_release_is_an_answer_where_its_own_levels_allow_it():
    known, ldp = Known(), replace(OPTIMAL, notion="ldp")
    result = made(ldp)
    known.add(ldp, JOINT, result)
    level = OPTIMAL.build_notion(JOINT).achieved(JOINT, result.kernel)
    assert level < 1.0 - 1e-3  # 1-LDP implies 1-LIP, and this release keeps more
    assert same(known.best(replace(OPTIMAL, eps=level + 1e-6), JOINT), result)
    assert known.best(replace(OPTIMAL, eps=level - 1e-3), JOINT) is None


@pytest.mark.parametrize(
    ("bounded", "question"),
    [
        (replace(OPTIMAL, notion="ldp"), ROBUST),
        (OPTIMAL, ROBUST),
        (OPTIMAL, replace(OPTIMAL, notion="ldp")),
        (OPTIMAL, replace(OPTIMAL, notion="alip", lam=0.3)),
        (OPTIMAL, replace(OPTIMAL, also=(Promise("pml", eps=0.7),))),
        (replace(OPTIMAL, notion="lip_delta"), OPTIMAL),
        (replace(OPTIMAL, notion="average_leakage"), OPTIMAL),
        (replace(OPTIMAL, gap=0.1), OPTIMAL),
    ],
)
def test_a_bound_under_a_notion_holds_under_every_one_that_implies_it(bounded, question):
    known, nothing, notion = Known(), np.ones((JOINT.n_x, 1)), question.build_notion(JOINT)
    known.add(question, JOINT, make_mechanism(JOINT, nothing, name="", notion=notion, status=CUT))
    proven = made(bounded)
    known.add(bounded, JOINT, proven)
    best = known.best(question, JOINT)
    assert best.upper_bound == pytest.approx(proven.upper_bound)
    line = replace(sweep_of_nothing(question), eps=np.array([0.5, 1.0]))
    assert known.along(line, question, JOINT).upper_bound.max() <= best.upper_bound + 1e-9
    larger = known.best(replace(question, eps=8.0), JOINT)
    assert larger is None or larger.upper_bound == pytest.approx(JOINT_ENTROPY)


def test_a_bound_that_another_notions_answer_exceeds_is_an_error_and_neither_is_kept():
    known, ldp = Known(), replace(OPTIMAL, notion="ldp", eps=1.0)
    result = made(ldp)
    known.add(ldp, JOINT, result)
    nothing = made(replace(OPTIMAL, mechanism="constant"))
    false = replace(nothing, notion=OPTIMAL.build_notion(JOINT), status="optimal")
    false = replace(false, upper_bound=result.utility / 2, gap=result.utility / 2)
    with pytest.raises(SolverError, match="more than the bound"):
        known.add(OPTIMAL, JOINT, false)
    assert known.best(OPTIMAL, JOINT) is None
    assert known.best(ldp, JOINT) is None


def test_what_is_shared_stays_when_its_own_question_is_forgotten():
    ldp = replace(OPTIMAL, notion="ldp")
    result = made(ldp)
    known = Known(most_bytes=2 * taken(OPTIMAL, result))
    known.add(ldp, JOINT, result)
    low = sweep_of_nothing(OPTIMAL)
    before = known.along(low, OPTIMAL, JOINT).utility
    assert same(known.best(OPTIMAL, JOINT), result)
    for k in range(5):
        other = replace(OPTIMAL, data=DataSpec(f"{k}"))
        known.add(other, JOINT, made(OPTIMAL))
    assert (known.along(low, OPTIMAL, JOINT).utility >= before).all()


def test_a_worse_answer_to_the_same_question_changes_nothing_and_a_better_one_takes_its_place():
    known, proven = Known(), made(OPTIMAL)
    glance = made(replace(OPTIMAL, mechanism="watchdog"))
    glance = unproven(replace(glance, notion=proven.notion), proven.upper_bound + 0.5)
    known.add(OPTIMAL, JOINT, glance)
    assert known.best(OPTIMAL, JOINT).status == CUT
    known.add(OPTIMAL, JOINT, proven)
    assert known.best(OPTIMAL, JOINT).utility == proven.utility
    known.add(OPTIMAL, JOINT, glance)
    best = known.best(OPTIMAL, JOINT)
    assert (best.utility, best.status, best.gap) == (proven.utility, "optimal", proven.gap)


def test_a_bound_holds_at_every_smaller_budget():
    known, proven = Known(), made(OPTIMAL)
    below = replace(OPTIMAL, eps=0.9)
    loose = unproven(made(below), 99.0)
    known.add(below, JOINT, loose)
    known.add(OPTIMAL, JOINT, proven)
    best = known.best(below, JOINT)
    assert best.upper_bound == proven.upper_bound
    assert best.gap == pytest.approx(proven.upper_bound - loose.utility)


def test_an_answer_between_two_that_meet_is_proven_by_them():
    # at these budgets everything is kept: the answer at 6 is a start, the bound at 8 is reached
    low, high = replace(OPTIMAL, eps=6.0), replace(OPTIMAL, eps=8.0)
    joint = Joint.from_counts([[3, 2], [2, 3]])
    known = Known()
    known.add(low, joint, made(low, joint))
    known.add(high, joint, made(high, joint))
    between = known.best(replace(OPTIMAL, eps=7.0), joint)
    assert (between.status, between.nmi) == ("optimal", 1.0)


def test_a_mechanism_better_than_a_bound_is_an_error_and_neither_is_kept():
    known = Known()
    known.add(OPTIMAL, JOINT, made(OPTIMAL))
    larger = replace(OPTIMAL, eps=2.0)
    low = made(replace(OPTIMAL, eps=0.1))
    false = replace(low, notion=larger.build_notion(JOINT), status="optimal")
    with pytest.raises(SolverError, match="more than the bound"):
        known.add(larger, JOINT, false)
    assert known.best(OPTIMAL, JOINT) is None


def test_what_only_the_rounding_of_the_audit_allows_contradicts_no_bound():
    joint = Joint.from_counts([[10**13, 10**13], [10**13, 10**13 + 5]])  # lifts off by 1e-13
    nothing = replace(OPTIMAL, eps=0.0)
    answer = made(replace(nothing, mechanism="constant"), joint)
    answer = unproven(replace(answer, notion=nothing.build_notion(joint)), 0.0)
    watchdog = replace(nothing, mechanism="watchdog")
    known = Known()
    known.add(nothing, joint, answer)
    known.add(watchdog, joint, made(watchdog, joint))
    assert known.best(nothing, joint).utility == pytest.approx(np.log(2))


def test_a_frontier_is_raised_by_what_is_known_and_never_falls():
    grid = [0.25, 0.5, 1.0, 2.0]
    with clock.using(clock.Ticking(0.001)):
        result = sweep(OPTIMAL, JOINT, grid)
    low = replace(
        result,
        utility=np.array([0.0, 0.0, 0.0, 0.0]),
        nmi=np.zeros(4),
        upper_bound=result.upper_bound + 0.1,
    )
    known, here = Known(), replace(OPTIMAL, eps=0.7)
    known.add(here, JOINT, made(here))
    line = known.along(low, OPTIMAL, JOINT)
    assert line.eps.tolist() == [0.25, 0.5, 0.7, 1.0, 2.0]
    reached = made(here).utility
    np.testing.assert_allclose(line.utility, [0, 0, reached, reached, reached])
    np.testing.assert_allclose(line.nmi, line.utility / JOINT_ENTROPY)
    assert line.upper_bound[0] <= reached + 1e-9
    assert (line.upper_bound >= line.utility).all()
    assert (np.diff(line.upper_bound) >= 0).all()


def test_another_mechanisms_line_has_its_own_points_only():
    watchdog = replace(OPTIMAL, mechanism="watchdog")
    result = sweep(watchdog, JOINT, [0.5, 2.0])
    known, here = Known(), replace(watchdog, eps=1.0)
    known.add(here, JOINT, made(here))
    known.add(replace(OPTIMAL, eps=0.5), JOINT, made(replace(OPTIMAL, eps=0.5)))
    line = known.along(result, watchdog, JOINT)
    assert line.eps.tolist() == [0.5, 1.0, 2.0]
    np.testing.assert_array_equal(line.utility[[0, 2]], result.utility)
    assert line.utility[1] == made(here).utility


def taken(scenario, *mechanisms):
    """Return the bytes that some answers about one promise take."""
    name = size_of(_notion_key(scenario)) + EMPTY
    return name + sum(map(size_of, mechanisms))


def test_what_belongs_to_a_mechanism_counts_and_not_its_kernel_alone():
    constant = replace(OPTIMAL, mechanism="constant")
    known = Known(most_bytes=20_000)
    for k in range(50):  # 144 bytes of kernel each, and as many names as there are symbols
        data = DataSpec(f"random:uniform:2x18:{k}", (), ())
        joint = count(data).joint
        request = replace(constant, data=data)
        known.add(request, joint, request.build_mechanism(joint))
    assert sum(size_of(item.answers) for item in known._by_notion.values()) < 25_000


def test_promises_that_are_only_asked_for_take_room_too():
    known = Known(most_bytes=20_000)
    for k in range(100):
        assert known.best(replace(OPTIMAL, data=DataSpec(f"{k}")), JOINT) is None
    assert len(known._by_notion) < 20


def test_what_was_not_used_for_longest_goes_when_there_is_no_more_room():
    known = Known(most_bytes=2 * taken(OPTIMAL, made(OPTIMAL)))
    for notion in ("lip", "ldp", "alip", "pml"):
        request = replace(OPTIMAL, notion=notion)
        known.add(request, JOINT, made(request))
    assert known.best(OPTIMAL, JOINT) is None
    assert known.best(replace(OPTIMAL, notion="pml"), JOINT) is not None


def test_the_answers_shown_side_by_side_stay_while_the_lines_that_go_through_them_take_the_room():
    columns = [replace(OPTIMAL, notion=notion) for notion in ("lip", "ldp", "alip")]
    shown = [made(column) for column in columns]
    budgets = np.linspace(0.5, 4.0, 8)
    lines = [[made(replace(column, eps=eps)) for eps in budgets] for column in columns]
    known = Known(most_bytes=round(1.5 * max(taken(OPTIMAL, *line) for line in lines)))
    for column, answer in zip(columns, shown, strict=True):
        known.add(column, JOINT, answer)
    for column, line in zip(columns, lines, strict=True):
        for other in columns:  # the page shows its columns again
            assert known.best(other, JOINT) is not None
        for eps, mechanism in zip(budgets, line, strict=True):
            known.add(replace(column, eps=float(eps)), JOINT, mechanism)
    for column, answer in zip(columns, shown, strict=True):
        assert known.best(column, JOINT).utility == pytest.approx(answer.utility)


@pytest.mark.parametrize("purpose", ["information", "guess"])
def test_a_monotone_mechanism_is_not_below_its_own_at_a_smaller_budget_and_the_watchdog_may_be(
    purpose,
):
    for mechanism, carries in (("grr", True), ("watchdog", False)):
        small = Scenario(notion="lip", eps=0.8, mechanism=mechanism, purpose=purpose)
        larger = replace(small, eps=1.1)
        known, better = Known(), made(small)
        worse = made(replace(larger, mechanism="constant"))
        worse = replace(worse, notion=larger.build_notion(JOINT))
        known.add(small, JOINT, better)
        assert known.best(larger, JOINT) is None
        below = known.best(larger, JOINT, of_others=True)
        assert (below is not None) == carries
        if below is not None:  # until its own is there
            assert (below.status, below.name) == (CUT, better.name)
            assert below.notion == larger.build_notion(JOINT)
            assert below.audit.holds
            np.testing.assert_array_equal(below.kernel, better.kernel)
            assert known.best(larger, JOINT) is None
        assert known.best(replace(small, eps=0.7), JOINT, of_others=True) is None
        known.add(larger, JOINT, worse)
        best = known.best(larger, JOINT)
        assert best.utility == pytest.approx(better.utility if carries else worse.utility)
        assert best.purpose == worse.purpose  # what was asked to survive, and measured by it


def test_the_best_starts_are_kept_where_not_all_answers_fit():
    budgets = [0.3, 0.6, 0.9, 1.2]
    good = {eps: made(replace(OPTIMAL, eps=eps)) for eps in budgets}
    start = replace(OPTIMAL, mechanism="subset_random_response")
    poor = replace(OPTIMAL, mechanism="watchdog")
    room = taken(OPTIMAL, *good.values(), made(poor))
    known = Known(most_bytes=room)
    for eps in budgets:  # as good as the optimum, and the oldest
        known.add(replace(start, eps=eps), JOINT, good[eps])
    for eps in budgets:
        known.add(replace(poor, eps=eps), JOINT, made(replace(poor, eps=eps)))
    for eps in budgets:
        result = known.best(replace(OPTIMAL, eps=eps), JOINT)
        assert result is not None
        assert result.utility == pytest.approx(good[eps].utility)


def test_a_line_is_made_once_and_anew_after_each_answer():
    known = Known()
    low = sweep(OPTIMAL, JOINT, np.array([0.5, 2.0]))
    line = known.along(low, OPTIMAL, JOINT)
    assert known.along(low, OPTIMAL, JOINT) is line
    between = replace(OPTIMAL, eps=1.2)
    known.add(between, JOINT, made(between))
    raised = known.along(low, OPTIMAL, JOINT)
    assert raised.eps.tolist() == [0.5, 1.2, 2.0]
    assert known.along(low, OPTIMAL, JOINT) is raised
    other = sweep(OPTIMAL, JOINT, np.array([0.7]))
    assert known.along(other, OPTIMAL, JOINT).eps.tolist() == [0.7, 1.2]
    strict = replace(OPTIMAL, gap=1e-12)
    assert known.along(other, strict, JOINT) is not known.along(other, OPTIMAL, JOINT)


def test_a_start_found_later_counts_after_the_starts_were_listed():
    known = Known()
    for eps in (0.3, 0.6):
        request = replace(OPTIMAL, mechanism="watchdog", eps=eps)
        known.add(request, JOINT, made(request))
        best = known.best(replace(OPTIMAL, eps=0.9), JOINT)
        assert best.utility == pytest.approx(made(request).utility, abs=1e-12)


def test_what_is_proven_to_a_wide_gap_is_not_told_of_a_narrow_one():
    known, wide = Known(), replace(OPTIMAL, gap=0.5)
    result = made(OPTIMAL)
    loose = replace(result, status="optimal", upper_bound=result.utility + 0.3, gap=0.3)
    known.add(wide, JOINT, loose)
    assert known.best(wide, JOINT).status == "optimal"
    reported = known.best(OPTIMAL, JOINT)
    assert reported is None or reported.status == CUT or reported.gap <= OPTIMAL.gap


@pytest.mark.parametrize("scale", [1e-7, 1.0, 1e6])
def test_a_gap_is_in_units_of_the_largest_loss(scale):
    joint = Joint.from_counts([[8, 1, 5, 5, 0], [1, 8, 5, 3, 2], [3, 3, 0, 4, 9]])
    table = tuple(tuple(scale * abs(a - b) for b in range(5)) for a in range(5))
    low = Scenario(notion="lip", eps=0.2, purpose="distortion", loss="table", table=table)
    high = replace(low, eps=1.5)
    known = Known()
    known.add(low, joint, low.build_mechanism(joint))
    made, best = known.best(high, joint), high.build_mechanism(joint)
    assert best.status == "optimal"
    assert made.kept < best.kept - 0.1
    assert made.status == "time limit"
    line = sweep(low, joint, np.array([0.2, 0.7, 1.5]))
    assert known.along(line, low, joint).proven.tolist() == line.proven.tolist() == [True] * 3


SEARCH = Scenario(notion="lip", eps=0.8, mechanism="subset_random_response")


def test_an_answer_that_was_cut_short_says_so_though_a_worse_one_was_not():
    for better_first in (True, False):
        known, result = Known(), made(SEARCH)
        cut = unproven(result, result.upper_bound)
        worse = replace(made(replace(SEARCH, mechanism="constant")), notion=result.notion)
        worse = replace(worse, status="heuristic")
        for item in (cut, worse) if better_first else (worse, cut):
            known.add(SEARCH, JOINT, item)
        best = known.best(SEARCH, JOINT)
        assert (best.utility, best.status) == (cut.utility, CUT)
        known.add(SEARCH, JOINT, replace(result, status="heuristic"))  # as much, and not cut short
        assert known.best(SEARCH, JOINT).status == "heuristic"
        known.add(SEARCH, JOINT, cut)
        assert known.best(SEARCH, JOINT).status == "heuristic"


def test_an_answer_from_a_smaller_budget_keeps_its_notes_and_that_it_was_cut_short():
    for own_status, carried, reported in (
        ("heuristic", CUT, CUT),
        (CUT, "heuristic", CUT),
        ("heuristic", "heuristic", "heuristic"),
    ):
        known = Known()
        small = replace(SEARCH, mechanism="grr")
        larger = replace(small, eps=1.1)
        worse = replace(made(replace(larger, mechanism="constant")), status=own_status)
        better = replace(made(small), status=carried)
        known.add(small, JOINT, better)
        known.add(larger, JOINT, replace(worse, notion=larger.build_notion(JOINT)))
        best = known.best(larger, JOINT)
        assert best.utility == pytest.approx(better.utility)
        assert (best.status, best.notes) == (reported, better.notes)
        assert better.notes


def test_what_a_search_ended_with_is_not_told_of_another_seed():
    known, request = Known(), replace(OPTIMAL, seed=0)
    result = made(request)
    open_ = replace(result, status="heuristic", upper_bound=JOINT_ENTROPY)
    known.add(request, JOINT, replace(open_, gap=JOINT_ENTROPY - result.utility))
    assert known.best(request, JOINT).status == "heuristic"
    other = known.best(replace(request, seed=1), JOINT)
    assert (other.status, other.utility) == (CUT, pytest.approx(result.utility))
    known.add(replace(request, seed=1), JOINT, result)  # a proof is one for every seed
    assert known.best(request, JOINT).gap <= OPTIMAL.gap
    search = replace(SEARCH, seed=0)
    known.add(search, JOINT, made(search))
    assert known.best(replace(search, seed=1), JOINT) is None
    plain = replace(OPTIMAL, mechanism="watchdog", seed=0)  # which has no seed
    known.add(plain, JOINT, made(plain))
    assert known.best(replace(plain, seed=1), JOINT) is not None


@pytest.mark.parametrize("lam", [0.0, 1.0])
@pytest.mark.parametrize(("first", "then"), [(0.2, 8.0), (8.0, 0.2)])
def test_one_proof_of_perfect_privacy_serves_every_budget(lam, first, then):
    known, request = Known(), replace(OPTIMAL, notion="alip", lam=lam, eps=first)
    result = made(request)
    assert result.status == "optimal"
    known.add(request, JOINT, result)
    best = known.best(replace(request, eps=then), JOINT)
    assert best.status == "optimal"
    assert best.notion == replace(request, eps=then).build_notion(JOINT)
    assert best.utility == pytest.approx(result.utility)
    half = known.best(replace(request, lam=0.5, eps=then), JOINT)
    assert half.utility == pytest.approx(result.utility)  # which it allows, and more than that
    assert half.status == CUT


def test_what_was_cut_short_hides_no_proof_at_another_budget():
    known, request = Known(), replace(OPTIMAL, notion="alip", lam=1.0, eps=2.0)
    result = made(request)
    known.add(request, JOINT, result)
    low = replace(request, eps=1.0)
    nothing = made(replace(low, mechanism="constant"))
    cut = unproven(replace(nothing, notion=low.build_notion(JOINT)), result.upper_bound)
    known.add(low, JOINT, cut)
    best = known.best(low, JOINT)
    assert best.utility == pytest.approx(result.utility)
    assert best.status == "optimal"


def test_no_optimum_is_below_a_line_whose_mechanisms_were_dropped():
    """A chart keeps its figures, and at 400 symbols the mechanisms of two charts fill the store."""
    known, eps = Known(most_bytes=20_000), 0.5
    request = replace(OPTIMAL, eps=eps, mechanism="subset_merging")
    merged = made(request)
    known.add(request, JOINT, merged)
    line = sweep(OPTIMAL, JOINT, [eps / 2, eps, 2 * eps])
    low = replace(line, utility=np.zeros(3), nmi=np.zeros(3), mechanisms=())
    for at in np.linspace(0.1, 2.0, 20):
        other = replace(request, purpose="guess", eps=float(at))
        known.add(other, JOINT, made(other))
    assert known.best(replace(OPTIMAL, eps=eps), JOINT) is None
    along = known.along(low, OPTIMAL, JOINT)
    assert merged.utility > 0
    assert along.utility.tolist() == [0.0, merged.utility, merged.utility]
    assert known.along(replace(low), replace(OPTIMAL, notion="pml"), JOINT).utility.max() == 0.0


def test_a_robust_optimum_is_known_over_every_smaller_set_and_its_bound_over_every_larger_one():
    few = Scenario(notion="robust_ldp", eps=1.0, n=40, beta=0.01, time_limit=0.5)
    more = replace(few, n=4_000, beta=0.05)
    with clock.using(clock.Ticking(1e-2)):
        less, loose = made(few), made(more)
    known = Known()
    known.add(few, JOINT, unproven(less, loose.utility + 0.2))
    start = known.best(more, JOINT)
    np.testing.assert_array_equal(start.kernel, less.kernel)
    assert start.notion.uncertainty.bound == more.build_notion(JOINT).uncertainty.bound
    assert start.audit.holds
    assert known.best(replace(more, eps=0.9), JOINT) is None
    assert known.best(replace(more, alpha=3.0), JOINT) is None
    assert known.best(replace(more, n=39), JOINT) is None
    assert known.best(replace(more, beta=0.009), JOINT) is None
    known.add(more, JOINT, unproven(loose, loose.utility + 0.1))
    assert known.best(more, JOINT).utility == loose.utility
    assert known.best(few, JOINT).upper_bound == pytest.approx(loose.utility + 0.1)
    assert known.best(few, JOINT).utility == less.utility


def test_a_robust_frontier_is_not_below_one_of_fewer_records():
    few = Scenario(notion="robust_ldp", eps=1.0, n=40, time_limit=0.5)
    all_records = replace(few, n=None)
    known = Known()
    with clock.using(clock.Ticking(1e-2)):
        line = sweep(all_records, JOINT, np.array([0.5, 1.0]))
        result = made(few)
    low = replace(line, utility=np.zeros(2), upper_bound=np.full(2, JOINT_ENTROPY))
    assert known.along(low, all_records, JOINT).utility.tolist() == [0.0, 0.0]
    known.add(few, JOINT, result)
    assert known.along(low, all_records, JOINT).utility.tolist() == [0.0, result.utility]


def test_answers_under_a_notion_that_is_listed_no_more_are_left_out(monkeypatch):
    known, outside = Known(), Scenario(notion="pml", eps=0.5)
    beside = Scenario(notion="ldp", also=(Promise(notion="pml", eps=0.5),))
    for question in (outside, beside):
        known.add(question, JOINT, made(question))
    monkeypatch.setattr(
        catalogue, "ALL", tuple(each for each in catalogue.ALL if each.key != "pml")
    )
    question = Scenario(notion="lip", eps=0.5)
    known.add(question, JOINT, made(question))
    assert known.best(question, JOINT) is not None
