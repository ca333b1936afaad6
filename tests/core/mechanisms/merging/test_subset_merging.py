import numpy as np
import pytest
from hypothesis import given, settings

from core import clock, measures
from core import mechanisms as m
from core.errors import InfeasibleError, InvalidInputError
from core.joint import Joint
from core.mechanisms.merging import subset_merging as subset_merging_module
from core.notions import ALIP, LDP, LIP, Chi2Lift, Chi2Privacy, Intersection
from core.optimal.plan import SIZES
from tests.strategies import joints, symbol_notions

PAIRS = Joint.from_counts([[8, 1, 7, 2, 5], [1, 8, 2, 7, 5]])


def log_lifts(joint, members):
    """log Ψ and log Λ of a set, by the definition."""
    mass = joint.p[:, list(members)].sum(axis=1)
    lifts = [mass[s] / (mass.sum() * joint.p_s[s]) for s in range(joint.n_s)]
    return np.log(min(lifts)), np.log(max(lifts))


OMEGA = {
    "max": lambda low, high: max(-low, high),
    "sum": lambda low, high: np.exp(high) + np.exp(-low),
    "ratio": lambda low, high: high - low,
    "printed": lambda low, high: np.exp(high) + np.exp(low),
}


def algorithm_1(joint, eps_l, eps_u, risk, printed_line_4=False):
    """[Lift] Algorithm 1 in plain loops, with its two published variants as options."""

    def breaks(members):
        low, high = log_lifts(joint, members)
        return low < -eps_l or high > eps_u

    def omega(members):
        return OMEGA[risk](*log_lifts(joint, members))

    queue = [x for x in range(joint.n_x) if breaks([x])]
    sets = []
    while queue:
        if printed_line_4 and not breaks(queue):
            sets.append(queue)
            break
        last = [max(queue, key=lambda x: omega([x]))]
        queue = [x for x in queue if x not in last]
        while queue and breaks(last):
            best = min(queue, key=lambda x: omega([*last, x]))
            last = [*last, best]
            queue = [x for x in queue if x != best]
        sets.append(last)
    while len(sets) > 1 and breaks(sets[-1]):
        best = min(range(len(sets) - 1), key=lambda i: omega(sets[-1] + sets[i]))
        sets[-1] = sets[-1] + sets.pop(best)
    return sets


def nmi_of(joint, sets):
    p = joint.p_x
    lost = sum(p[x] * np.log(p[list(s)].sum() / p[x]) for s in sets for x in s)
    return 1 - lost / measures.entropy(p)


def test_two_opposed_pairs_are_merged_and_the_steps_tell_how():
    mechanism = m.subset_merging(PAIRS, LIP(0.4))
    assert mechanism.partition == ((0, 1), (2, 3), (4,))
    assert (mechanism.status, mechanism.solver) == ("heuristic", "greedy")
    steps = m.subset_merging_steps(PAIRS, LIP(0.4))
    assert [(s.joined, s.into, s.fits) for s in steps] == [
        ((0,), (), False),
        ((1,), (0,), True),
        ((2,), (), False),
        ((3,), (2,), True),
    ]
    # P(s) is ½ each: log Λ(x1) = log(16/9), |log Ψ(x1)| = log(9/2).
    assert [s.risk_before for s in steps] == pytest.approx([0, np.log(4.5), 0, np.log(9 / 4)])
    assert [s.risk_after for s in steps] == pytest.approx(
        [np.log(4.5), 0, np.log(9 / 4), 0], abs=1e-15
    )


def test_a_last_set_that_breaks_the_budget_takes_in_the_earlier_one_of_least_risk():
    joint = Joint.from_counts([[8, 1, 9, 2, 2, 50], [1, 8, 2, 7, 7, 50]])
    steps = m.subset_merging_steps(joint, LIP(0.25))
    assert [(s.joined, s.into) for s in steps[-2:]] == [((4,), ()), ((2, 3), (4,))]
    assert m.subset_merging(joint, LIP(0.25)).partition == ((0, 1), (2, 3, 4), (5,))


def test_where_one_set_is_left_that_breaks_the_budget_it_is_repaired_or_refused():
    joint = Joint.from_counts([[8, 1, 2, 4], [2, 1, 2, 4]])
    mechanism = m.subset_merging(joint, LIP(0.3))
    # The watchdog moves x2 and x3 in; Algorithm 1 on the three joins x1 and x3 only.
    assert m.watchdog(joint, LIP(0.3)).partition == ((0, 1, 2), (3,))
    assert mechanism.partition == ((0, 2), (1,), (3,))
    assert mechanism.status == "repaired"
    assert [(s.joined, s.into, s.fits) for s in m.subset_merging_steps(joint, LIP(0.3))] == [
        ((0,), (), False),
        ((2,), (0,), True),
        ((1,), (), True),
    ]
    assert mechanism.notes == m.watchdog(joint, LIP(0.3)).notes
    with pytest.raises(InfeasibleError, match=r"^X_H, the symbols that .* reach .*repair=True"):
        m.subset_merging(joint, LIP(0.3), repair=False)


@pytest.mark.parametrize("risk", ["max", "sum", "ratio"])
@pytest.mark.parametrize("budgets", [(0.6, 0.4), (1.0, 1.0), (0.3, 1.2)])
def test_it_is_algorithm_1_in_plain_loops(risk, budgets):
    rng = np.random.default_rng(5)
    for _ in range(25):
        joint = Joint.random_uniform(4, 11, rng)
        merged = m.merge_high_risk(joint, ALIP(*budgets), risk)
        expected = algorithm_1(joint, *budgets, risk)
        assert [list(s) for s in merged.sets] == expected


def test_the_printed_means_come_out_and_the_printed_variants_do_not_give_them():
    # [Lift] Fig. 4 and 2: .83 and .52 at 17×5, ε = 2, λ = ½; two decimals are printed.
    rng = np.random.default_rng(11)
    draws = [Joint.random_uniform(5, 17, rng) for _ in range(250)]
    notion = ALIP.from_lambda(2, 0.5)
    ours = np.array([m.subset_merging(joint, notion).nmi for joint in draws])
    watchdogs = [m.watchdog(joint, notion) for joint in draws]
    complete = np.array([mechanism.nmi for mechanism in watchdogs])
    attained = np.array([mechanism.status == "heuristic" for mechanism in watchdogs])
    line_4 = np.array([nmi_of(j, algorithm_1(j, 1, 1, "max", True)) for j in draws])
    psi_sum = np.array([nmi_of(j, algorithm_1(j, 1, 1, "printed")) for j in draws])

    def slack(values):
        return 0.005 + 4 * values.std() / np.sqrt(values.size)

    assert abs(ours.mean() - 0.83) < slack(ours)
    assert abs(complete.mean() - 0.52) < slack(complete)
    assert attained.mean() > 0.95
    np.testing.assert_allclose(line_4[attained], complete[attained], atol=1e-12)
    assert abs(psi_sum.mean() - 0.70) < slack(psi_sum)


@settings(max_examples=80, deadline=None)
@given(joints(max_x=7), symbol_notions())
def test_it_keeps_every_promise_covers_x_and_keeps_at_least_what_complete_merging_does(
    joint, notion
):
    mechanism = m.subset_merging(joint, notion)
    assert mechanism.audit.holds
    assert sorted(x for members in mechanism.partition for x in members) == list(range(joint.n_x))
    expected = nmi_of(joint, mechanism.partition) if joint.n_x > 1 else 1.0
    assert mechanism.nmi == pytest.approx(expected, abs=1e-12)
    complete = m.watchdog(joint, notion)
    assert all(
        any(set(members) <= set(outer) for outer in complete.partition)
        for members in mechanism.partition
    )
    assert mechanism.utility >= complete.utility - 1e-12
    assert (mechanism.status == "repaired") == (complete.status == "repaired")


@settings(max_examples=40, deadline=None)
@given(joints(max_x=7), symbol_notions())
def test_steps_lead_to_the_sets(joint, notion):
    merging = m.merge_high_risk(joint, notion)
    built = set()
    for step in merging.steps:
        built -= {step.into, step.joined}
        built.add(step.into + step.joined)
    assert built == set(merging.sets)
    assert merging.attained == all(
        notion.allows(joint.release(np.eye(2)[np.isin(np.arange(joint.n_x), s).astype(int)]))[1]
        for s in merging.sets
    )


def test_ties_go_to_the_lowest_index():
    symmetric = Joint.from_counts([[9, 9, 1, 1, 20], [1, 1, 9, 9, 20]])
    assert m.merge_high_risk(symmetric, LIP(0.3)).sets == ((0, 2), (1, 3))
    deterministic = Joint.from_counts([[3, 2, 0, 0], [0, 0, 4, 1]])  # every risk is ∞
    assert m.merge_high_risk(deterministic, LIP(1.2)).sets == ((0, 2), (1, 3))


def test_bad_risks_and_notions_are_named():
    with pytest.raises(InvalidInputError, match="one of max, sum, ratio, got 'mean'"):
        m.subset_merging(PAIRS, LIP(1), risk="mean")
    for notion in (LDP(1), Chi2Privacy(1, 1)):
        with pytest.raises(InvalidInputError, match="choice under LIP and ALIP only"):
            m.subset_merging(PAIRS, notion, risk="sum")
    with pytest.raises(InvalidInputError, match="Subset merging needs a notion that bounds"):
        m.subset_merging(PAIRS, Intersection(LIP(1)))


def test_ends_of_the_scale():
    assert m.subset_merging(PAIRS, LIP(np.inf)).status == "optimal"
    assert m.subset_merging(PAIRS, LIP(0)).partition == ((0, 1), (2, 3), (4,))
    assert m.subset_merging(Joint.from_counts([[5], [1]]), LIP(0)).nmi == 1
    assert m.merge_high_risk(PAIRS, LIP(np.inf)).sets == ()


@given(joint=joints(max_x=12), notion=symbol_notions())
@settings(max_examples=30)
def test_from_a_deadline_on_sets_are_joined_two_by_two(joint, notion):
    whole = np.ones((joint.n_x, 1))
    if not notion.holds(joint, whole):
        return
    for readings in (0, 1, 3):
        with clock.using(clock.Ticking(1.0)):
            hurried = m.subset_merging(joint, notion, deadline=clock.Deadline(readings + 0.5))
        assert sorted(x for members in hurried.partition for x in members) == [*range(joint.n_x)]
        assert notion.holds(joint, hurried.kernel)


def test_two_by_two_pairs_keep_a_part_of_what_the_best_ones_do():
    joint = Joint.random_dirichlet(3, 60, 1.0, np.random.default_rng(0))
    best = m.subset_merging(joint, LIP(0.5))
    hurried = m.subset_merging(joint, LIP(0.5), deadline=clock.Deadline(-1.0))
    assert 0.4 * best.nmi < hurried.nmi < best.nmi


@pytest.mark.parametrize("peeled_whole", [250, 1_000])
def test_the_start_of_an_optimum_of_many_symbols_hurries(peeled_whole, monkeypatch):
    """A merging of 10,000 symbols took 7.7 of 5 s (χ²-lift), one of 30×1629 6.6 of 1 s (α-lift)."""
    monkeypatch.setitem(vars(SIZES), "peeled_whole", peeled_whole)
    monkeypatch.setitem(vars(SIZES), "merged_at_ease", 100_000)
    joint = Joint.random_dirichlet(3, 501, 1.0, np.random.default_rng(0))
    calls = []
    within = subset_merging_module._best_join
    monkeypatch.setattr(
        subset_merging_module, "_best_join", lambda *of: calls.append(of) or within(*of)
    )
    with clock.using(clock.Ticking(0.05)):
        made = m.optimal(joint, Chi2Lift(0.25), time_limit=1.0)
    assert 0 < len(calls) <= 200
    assert made.audit.holds
    assert len(m.subset_merging(joint, Chi2Lift(0.25)).partition) < joint.n_x - 200
