"""The optimum is below no mechanism of the catalogue, however short the time."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import clock
from core import mechanisms as m
from core.clock import NEVER, Deadline
from core.errors import CoreError, SolverError
from core.joint import Joint
from core.mechanisms import catalogue, subset_merging
from core.mechanisms.optima import search
from core.mechanisms.optima import starts as starts_module
from core.mechanisms.optima.starts import MANY, at_least, starts, strict_utility, together
from core.mechanisms.options import Options
from core.mechanisms.result import make_mechanism
from core.notions import (
    ALIP,
    LDP,
    LIP,
    RLDP,
    SRLIP,
    AlphaLift,
    Average,
    Intersection,
    MetricLDP,
    PointwiseMaximalLeakage,
    RobustLDP,
)
from core.optimal.columns.peeling import Peeling
from core.optimal.plan import SIZES
from core.optimal.solve import DEFAULT_SECONDS, Outcome
from core.optimal.staircases import Staircases

TICK = 0.01
"""Seconds that each reading of the clock takes here."""


def zip_codes(n_s: int = 5, n_x: int = 468) -> Joint:
    """Return sparse counts of many symbols, spiky as towns are."""
    rng = np.random.default_rng(0)
    p_x, p_s = 1 / np.arange(1, n_x + 1) ** 0.8, 1 / np.arange(1, n_s + 1)
    cells = p_s[:, None] * p_x * np.exp(0.8 * rng.standard_normal((n_s, n_x)))
    return Joint.from_counts(rng.multinomial(4000, (cells / cells.sum()).ravel()).reshape(n_s, n_x))


@st.composite
def awkward_joints(draw):
    """Draw small counts with zeros, ties or one secret that nearly all records have."""
    n_s, n_x = draw(st.integers(2, 4)), draw(st.integers(2, 7))
    kind = draw(st.sampled_from(["zeros", "ties", "dominated", "spiky"]))
    cell = st.sampled_from([1, 2]) if kind == "ties" else st.integers(0, 5)
    counts = np.array(draw(st.lists(cell, min_size=n_s * n_x, max_size=n_s * n_x)), dtype=float)
    counts = counts.reshape(n_s, n_x)
    if kind == "dominated":
        counts[0] = 1000 * (counts[0] + 1)
    if kind == "spiky":
        counts[:, 0] = 1000 * (counts[:, 0] + 1)
    counts[0, 0] += 1
    return Joint.from_counts(counts)


NOTIONS = {
    "LIP": LIP,
    "ALIP": lambda eps: ALIP.from_lambda(eps, 0.3),
    "LDP": LDP,
    "α-lift": lambda eps: AlphaLift(eps, eps, 2.0),
    "both": lambda eps: Intersection(LIP(eps), LDP(eps)),
    "SRLIP": SRLIP,
}


def works(joint, notion, **options):
    """Return all mechanisms that keep a promise and read X alone, each made on a fresh clock."""
    for key, entry in catalogue.CATALOGUE.items():
        if not entry.works_under(notion) or entry.reads_secret or key == "optimal":
            continue
        try:
            with clock.using(clock.Ticking(TICK)):
                made = catalogue.build(key, joint, notion, Options(**options))
        except CoreError:
            continue
        if notion.holds(joint, made.kernel):
            yield made


@settings(max_examples=60, deadline=None)
@given(
    awkward_joints(),
    st.sampled_from(list(NOTIONS)),
    st.sampled_from([0.01, 0.5, 1, 8, np.inf]),
    st.sampled_from([0.05, 0.25, 5.0]),
)
def test_the_optimum_is_below_no_mechanism(joint, name, eps, limit):
    notion = NOTIONS[name](eps)
    with clock.using(clock.Ticking(TICK)):
        best = m.optimal(joint, notion, time_limit=limit)
    for made in works(joint, notion, time_limit=limit):
        assert made.utility <= best.utility + 1e-6, made.name  # what an optimum is proven to
        assert made.utility <= best.upper_bound + 1e-9, made.name


@pytest.mark.parametrize("name", NOTIONS)
@pytest.mark.parametrize("counts", [[[2, 1, 3], [4, 2, 6]], [[3, 1, 2, 2], [1, 3, 2, 0]]])
def test_the_optimum_of_no_budget_is_below_no_mechanism(name, counts):
    joint, notion = Joint.from_counts(counts), NOTIONS[name](0.0)
    best = m.optimal(joint, notion)
    for made in works(joint, notion):
        assert made.utility <= best.utility + 1e-6, made.name


@pytest.mark.parametrize("notion", [LIP(0.5), LDP(1.0)], ids=str)
@pytest.mark.parametrize("limit", [0.05, 0.25])
def test_the_optimum_of_hundreds_of_symbols_is_below_no_mechanism(notion, limit):
    joint = zip_codes()
    with clock.using(clock.Ticking(TICK)):
        best = m.optimal(joint, notion, time_limit=limit)
    known = list(works(joint, notion, time_limit=limit))
    assert {"Subset merging", "Subset random response"} <= {made.name for made in known}
    assert best.utility >= max(made.utility for made in known) - 1e-12
    assert best.audit.holds


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("limit", [0.05, 0.25])
def test_the_robust_optimum_is_below_no_closed_form(exact, limit):
    joint = Joint.with_secret_released([[7, 10, 3], [26, 57, 0]])
    notion = RLDP(1.0, RLDP.of_joint(joint, 1.0).uncertainty, exact=exact)
    with clock.using(clock.Ticking(TICK)):
        best = m.optimal(joint, notion, time_limit=limit)
    known = [made for made in works(joint, notion, time_limit=limit) if made.solver != "columns"]
    assert "Secret randomized response" in {made.name for made in known}
    assert best.utility >= max(made.utility for made in known) - 1e-9


def test_all_that_keeps_the_promise_is_a_start():
    joint = Joint.from_counts([[8, 1, 7, 2, 5], [1, 8, 2, 7, 5]])
    names = [made.name for made in starts(joint, LIP(0.4), Options())]
    assert names[-2:] == ["Subset random response", "X diluted"]
    assert {"Constant", "Watchdog", "Subset merging"} < set(names)
    assert "Identity" not in names
    assert all(LIP(0.4).holds(joint, made.kernel) for made in starts(joint, LIP(0.4), Options()))


def test_nothing_else_is_made_where_x_itself_is_allowed():
    joint = Joint.from_counts([[3, 3, 3], [3, 3, 3]])
    assert [made.name for made in starts(joint, LIP(0.0), Options())] == ["Identity"]


def test_a_proven_optimum_is_not_compared_for_as_long_as_the_limit(monkeypatch):
    joint = Joint.from_counts(np.diag(np.random.default_rng(12).dirichlet(np.ones(12))))
    limits = []

    def recorded(joint, notion, options, *others):
        limits.append(options.time_limit)
        return starts(joint, notion, options, *others)

    monkeypatch.setattr(search, "starts", recorded)
    with clock.using(clock.Ticking(TICK)):
        assert m.optimal(joint, LDP(2.0), time_limit=600.0).status == "optimal"
    assert limits == [DEFAULT_SECONDS]


def test_robust_mechanisms_are_no_start_on_another_joint():
    notion = RLDP.of_joint(Joint.with_secret_released([[7, 10], [26, 57]]), 1.0)
    other = Joint.with_secret_released([[7, 10, 3], [26, 57, 2]])
    with pytest.raises(CoreError, match="is made for the estimate of its notion"):
        catalogue.build("secret_rr", other, notion)


def test_outputs_with_the_same_posterior_are_one():
    joint = Joint.from_counts([[1, 1, 2], [1, 2, 1]])
    kernel = together(joint, [np.eye(3), np.ones((3, 1)), np.eye(3)])
    assert kernel.shape == (3, 4)
    np.testing.assert_allclose(kernel.sum(axis=1), 1)


def test_an_optimum_that_keeps_nothing_has_few_outputs():
    """Unary encoding has 65,536 of them, and keeps as much: nothing but rounding."""
    rows, columns = np.array([0.7, 0.4, 0.8]), np.arange(1, 17) / 7
    noise = np.random.default_rng(2).integers(-5, 6, size=(3, 16))
    joint = Joint.from_counts(rows[:, None] * columns * (1 + 1e-3 * noise))
    with clock.using(clock.Ticking(0.1)):
        result = m.optimal(joint, LDP(1e-9), time_limit=2.0)
        separate = catalogue.build("oue", joint, LDP(1e-9))
    assert separate.n_y > MANY
    assert result.n_y <= 16
    assert result.utility >= separate.utility - 1e-12


def test_a_known_mechanism_is_the_answer_where_the_search_found_less():
    joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    merged, least = m.subset_merging(joint, LIP(0.5)), m.optimal(joint, LIP(0.0))
    bound = m.optimal(joint, LIP(0.5)).upper_bound
    result = make_mechanism(
        joint,
        least.kernel,
        name="Optimal",
        solver="columns",
        status="time limit",
        notion=LIP(0.5),
        upper_bound=bound,
    )
    better = at_least(joint, result, [least, merged])
    assert better.utility == merged.utility
    assert (better.name, better.status, better.upper_bound) == ("Optimal", "time limit", bound)
    assert at_least(joint, better, [least, merged]) is better


def test_a_known_mechanism_above_the_bound_is_an_error():
    joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    best = m.optimal(joint, LIP(0.5))
    merged = m.subset_merging(joint, LIP(0.5))
    low = replace(best, upper_bound=merged.utility - 0.001, utility=0.0)
    with pytest.raises(SolverError, match="the bound is wrong"):
        at_least(joint, low, [merged])


def test_a_known_mechanism_that_reads_s_is_held_against_the_bound_too():
    joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 0]])
    best = m.optimal_reading_secret(joint, LIP(0.5))
    assert at_least(joint, best, [best]) is best
    nothing = replace(best, utility=0.0, upper_bound=best.utility - 1e-6)
    with pytest.raises(SolverError, match="the bound is wrong"):
        at_least(joint, nothing, [best])
    assert strict_utility(joint, best.kernel, LIP(0.5)) == pytest.approx(best.utility, abs=1e-9)
    assert strict_utility(joint, best.kernel, LIP(0.2)) < best.utility - 0.01


@pytest.mark.parametrize("solver", ["auto", "enumerate", "columns"])
def test_what_only_the_rounding_of_the_audit_allows_disproves_no_bound(solver):
    joint = Joint.from_counts([[10**13, 10**13], [10**13, 10**13 + 5]])  # lifts off by 1e-13
    identity = m.identity(joint)
    assert LIP(0).holds(joint, identity.kernel)
    assert m.optimal(joint, LIP(0), solver).utility == identity.utility


@pytest.mark.parametrize("solver", ["auto", "enumerate", "columns"])
def test_an_answer_of_any_solver_is_held_against_known_mechanisms(solver, monkeypatch):
    monkeypatch.setattr(
        "core.mechanisms.optima.search.maximise",
        lambda *_, **__: Outcome(np.ones((4, 1)), 0.0, 0.01, solver, "optimal"),
    )
    with pytest.raises(SolverError, match="the bound is wrong"):
        m.optimal(Joint.from_counts([[8, 1, 5, 4], [1, 8, 5, 5]]), LIP(0.5), solver)


def test_a_robust_answer_that_its_start_exceeds_is_held_against_it_too(monkeypatch):
    def begun(*_, start, **__):
        start(NEVER)
        return Outcome(np.ones((3, 1)), 0.0, 0.01, "columns", "optimal")

    monkeypatch.setattr("core.mechanisms.optima.search.maximise", begun)
    joint = Joint.from_counts([[300, 100, 100], [100, 100, 300]])
    with pytest.raises(SolverError, match="the bound is wrong"):
        search.optimal_from(joint, RobustLDP.of_joint(joint, 1.0), None)


def test_what_the_slack_of_the_audit_allows_is_no_proof_against_a_bound():
    weights = [
        [0.21625046875586768, 0.31028469071188786, 0.07346514654026338],
        [0.46240472882776684, 0.6634765191912882, 0.15708928339867176],
        [0.2646995034303799, 0.3798012740800661, 0.08992437299911221],
        [0.19616692950705034, 0.28146803751352745, 0.06664231669548618],
        [0.37593253623279926, 0.5394028110280833, 0.1277127352452942],
        [0.5083489732692884, 0.7293991308565242, 0.17269757628842167],
        [0.17375922161517718, 0.24931657561320478, 0.05902991449491343],
        [0.3307939531362086, 0.47463619400201973, 0.1123781436566448],
    ]  # lifts differ from 1 by 1e-10, so that X diluted a little passes for perfect privacy
    with clock.using(clock.Ticking(0.05)):
        made = m.optimal(Joint.from_counts(weights), ALIP(1.0, 0.0), "columns", time_limit=5.0)
    assert made.audit.holds
    assert made.utility <= made.upper_bound <= made.utility + 1e-6


def test_of_more_than_a_thousand_symbols_no_start_is_made_out_of_time():
    """The time limit holds there: each of some starts takes longer than a whole search."""
    joint = zip_codes(3, 2 * MANY)
    assert joint.n_x > MANY
    with clock.using(clock.Ticking(TICK)):
        late = starts(joint, LIP(0.5), Options(), deadline=clock.Deadline.after(0.0))
        assert [made.name for made in late if made.utility > 1e-9] == [late[-1].name]
        every = starts(joint, LIP(0.5), Options(), deadline=clock.NEVER)
    assert len(every) > len(late)
    few = zip_codes(3, 60)
    with clock.using(clock.Ticking(TICK)):
        late = starts(few, LIP(0.5), Options(), deadline=clock.Deadline.after(0.0))
        assert [made.name for made in late] == [
            made.name for made in starts(few, LIP(0.5), Options())
        ]


def test_srlip_of_one_attribute_begins_with_merging_as_lip_does():
    """At 6×10000 nothing was kept after 3 of 1 s."""
    joint = zip_codes(3, 600)
    with clock.using(clock.Ticking(TICK)):
        late = clock.Deadline.after(0.0)
        (merged,) = starts(joint, SRLIP(0.5), Options(), deadline=late)
    assert merged.utility == m.subset_merging(joint, LIP(0.5)).utility > 0
    assert SRLIP(0.5).holds(joint, merged.kernel)


def optimum_of_two_equal_symbols(eps):
    """ln 2 less the entropy of being right with e^ε/(1 + e^ε), in nats."""
    right = np.exp(eps) / (1 + np.exp(eps))
    return np.log(2) + right * np.log(right) + (1 - right) * np.log(1 - right)


def test_srlip_of_several_attributes_begins_with_ldp_of_x():
    """At 30×1629, of three columns of Adult, nothing was kept within 1 s."""
    joint = zip_codes(3, 600)
    notion = SRLIP(0.5, (2, 300))
    with clock.using(clock.Ticking(TICK)):
        (halves,) = starts(joint, notion, Options(), deadline=clock.Deadline.after(0.0))
    every = LDP(0.5).achieved(Joint.from_counts(np.diag(joint.p_x)), halves.kernel)
    assert every == pytest.approx(0.5)
    assert notion.holds(joint, halves.kernel)
    # of two outputs no mechanism under LDP of X tells more than that of two equal symbols
    even = optimum_of_two_equal_symbols(0.5)
    assert 0.999 * even <= halves.utility <= even


def test_what_ignores_the_notion_is_not_made_of_thousands_of_symbols_in_no_time():
    """X itself took .7 of 1 s at 6×10000, and breaks every budget that binds."""
    joint = zip_codes(2, 6_000)
    with clock.using(clock.Ticking(1e-3)):
        within = 5e-9 * joint.n_x**2
        soon = starts(joint, Average("chi2", 10.0), Options(), deadline=Deadline.after(within))
        later = starts(joint, Average("chi2", 10.0), Options(), deadline=Deadline.after(5.0))
    assert {mechanism.name for mechanism in soon} == {"Subset merging"}  # within the budget
    assert later[-1].name == "Identity"


def test_the_optimum_of_thousands_of_symbols_keeps_what_merging_keeps_in_no_time(monkeypatch):
    monkeypatch.delattr(Peeling, "kernel")  # at 6×10000 it took .4 s and was the start once more
    joint = zip_codes(3, 3 * MANY)
    assert joint.n_x > MANY
    with clock.using(clock.Ticking(TICK)):
        made = m.optimal(joint, LIP(0.5), time_limit=TICK)
    assert made.utility >= m.subset_merging(joint, LIP(0.5)).utility > 0
    assert made.status == "time limit"
    assert LIP(0.5).holds(joint, made.kernel)


def test_the_optimum_of_hundreds_of_symbols_is_soon_what_merging_is():
    """At 10×1000 it kept .2 for three seconds, until all of P_X was taken apart; merging .773."""
    joint = Joint.random_dirichlet(10, 1000, 1.0, np.random.default_rng(0))
    with clock.using(clock.Ticking(TICK)):
        made = m.optimal(joint, LDP(0.5), time_limit=1.0)
    assert made.utility >= m.subset_merging(joint, LDP(0.5)).utility - 1e-12 > 0
    assert made.status == "time limit"
    assert LDP(0.5).holds(joint, made.kernel)


@pytest.mark.parametrize(
    ("counts", "notion", "known"),
    [
        ([[10**13, 0, 5], [0, 300_000, 3], [0, 0, 2]], LDP(18.0), "grr"),
        (
            [[10**13, 4, 0, 70_000], [0, 10, 7, 3], [1, 0, 0, 8_000]],
            PointwiseMaximalLeakage(8.0),
            "grr",
        ),
        (
            [[2, 0, 0, 20], [0, 17, 0, 0], [0, 0, 10, 0]],
            ALIP(0.00049, 0.00091),
            "subset_random_response",
        ),
        (
            [[9, 0, 0, 0, 0], [0, 0, 0, 0, 18], [0, 2, 12, 2, 0]],
            LIP(0.00017),
            "subset_random_response",
        ),
    ],
    ids=str,
)
def test_a_gap_that_counts_as_proven_holds_no_known_mechanism(counts, notion, known):
    joint = Joint.from_counts(counts)
    best, rival = m.optimal(joint, notion), catalogue.build(known, joint, notion)
    assert notion.holds(joint, rival.kernel)
    assert rival.utility > 0
    assert best.utility >= rival.utility - 1e-12
    assert best.upper_bound >= rival.utility


def test_under_several_promises_many_symbols_are_merged_under_lip_that_implies_them(monkeypatch):
    """Under two, the start of 10,000 symbols took 7 of 1 s and told nothing."""
    monkeypatch.setitem(vars(SIZES), "all_starts", 10)
    joint = Joint.random_dirichlet(3, 40, 1.0, np.random.default_rng(0))
    notion = Intersection(LIP(0.4), LDP(0.6))
    first = starts(joint, notion, Options(), [])
    assert [start.partition for start in first] == [subset_merging(joint, LIP(0.3)).partition]
    assert notion.holds(joint, first[0].kernel)
    assert starts(joint, LDP(0.6), Options(), []) == []
    assert starts(joint, Intersection(LIP(0.4), LDP(0.0)), Options(), []) == []


def test_a_check_counts_among_the_time_that_a_start_takes(monkeypatch):
    """At 30×1629 under SRLIP seven starts were checked for .3 s each after the time was over."""
    monkeypatch.setitem(vars(SIZES), "all_starts", 10)
    holds = LDP.holds

    def slow(notion, joint, kernel):
        for _ in range(100):
            clock.now()
        return holds(notion, joint, kernel)

    joint = Joint.from_counts(np.random.default_rng(3).random((3, 20)))
    notion = LDP(0.5)
    made = subset_merging(joint, notion)
    entries = [replace(entry, make=lambda *_: made) for entry in catalogue.HEURISTICS]
    entries = [entry for entry in entries if not entry.reads_secret and entry.works_under(notion)]
    monkeypatch.setattr(starts_module, "HEURISTICS", entries)
    monkeypatch.setattr(LDP, "holds", slow)
    other = LDP(0.5)  # not the notion that the mechanisms were made for
    with clock.using(clock.Ticking(TICK)):
        until = Deadline.after(3.5)
        known = starts(joint, other, Options(), deadline=until)
        assert not until.over
    assert 2 <= len(known) < len(entries)


def test_a_start_leaves_a_search_of_many_symbols_what_is_left_of_its_time(monkeypatch):
    """At 30×1629 the rows of SRLIP take 2 of 1 s: a search had another second then."""
    monkeypatch.setitem(vars(SIZES), "merged_at_ease", 0)
    monkeypatch.setitem(vars(SIZES), "all_starts", 7)
    limits, maximise = [], search.maximise

    def limited(*of, time_limit, **options):
        limits.append(time_limit)
        return maximise(*of, time_limit=time_limit, **options)

    allowed_set = LDP.allowed_set

    def slow(notion, joint):
        for _ in range(60):
            clock.now()
        return allowed_set(notion, joint)

    monkeypatch.setattr(search, "maximise", limited)
    monkeypatch.setattr(LDP, "allowed_set", slow)
    joint = Joint.from_counts(np.random.default_rng(3).random((3, 8)))
    with clock.using(clock.Ticking(TICK)):
        assert m.optimal(joint, LDP(0.5), time_limit=1.0).audit.holds
    assert limits[0] <= 0.4


@pytest.mark.parametrize(
    "notion", [Average("maximal_leakage", 0.1), Average("chi2", 0.01), Average("guessing", 0.3)]
)
def test_many_symbols_keep_under_an_average_what_they_keep_in_each_output(notion):
    """At 30×1629 a maximal leakage of ½ kept .12 of H(X) after 1 s, and .57 so."""
    joint = Joint.random_dirichlet(6, 420, 1.0, np.random.default_rng(0))
    each = notion.of_each_output()
    with clock.using(clock.Ticking(TICK)):
        made = m.optimal(joint, notion, time_limit=0.5)
    assert made.audit.holds
    assert made.utility > m.subset_merging(joint, each).utility > 0


@pytest.mark.parametrize(("notion", "part"), [(LDP(0.5), 0.95), (ALIP.from_lambda(0.5, 0.5), 0.5)])
def test_with_as_many_secrets_as_symbols_sets_of_these_are_raised_in_turns(notion, part):
    """Each symbol has a secret of its own, so hardly more is allowed than of X itself."""
    n_x, rng = 90, np.random.default_rng(0)
    own = np.diag(rng.dirichlet(np.full(n_x, 2.0)))
    joint = Joint.from_counts(np.vstack([own, rng.random((5, n_x)) / n_x]))
    lifts = notion.allowed_set(Joint.from_counts(own)).lifts
    bound = Staircases(lifts, joint.p_x, 0, NEVER).bound
    (start,) = starts_module.raised_in_turns(joint, notion)
    assert notion.holds(joint, start.kernel)
    assert part * bound < start.utility <= bound + 1e-9
    with clock.using(clock.Ticking(1 / 20)):
        assert m.optimal(joint, notion, time_limit=1.0).utility >= start.utility - 1e-9
    assert not starts_module.raised_in_turns(joint, MetricLDP.of_joint(joint, 0.1))


def random_joint(n_s, n_x):
    return Joint.random_dirichlet(n_s, n_x, 1.0, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("notion", "least"),
    [
        (Intersection(LIP(0.5), Average("mutual_information", 0.05)), 0.7),
        (Intersection(LDP(0.5), Average("total_variation", 0.05)), 0.5),
        (Intersection(LDP(0.5), AlphaLift(0.5, 0.5, 2.0)), 0.5),
        (Average("chi2", 0.05), 0.6),
    ],
    ids=str,
)
def test_many_symbols_under_several_notions_begin_with_a_merging(notion, least):
    """At 40×400 LIP beside I(S;Y) kept .08 after 1 s, where a merging keeps .66 in .1 s."""
    joint = random_joint(4, SIZES.peeled_symbols)
    made = starts(joint, notion, Options(), among=())
    assert max(mechanism.kept for mechanism in made) > least
    assert all(notion.holds(joint, mechanism.kernel) for mechanism in made)


def test_mergings_within_an_average_end_by_the_deadline(monkeypatch):
    joint, notion = random_joint(4, SIZES.peeled_symbols), Average("maximal_leakage", 1e-3)
    budgets, merge = [], starts_module.subset_merging

    def counted(joint, notion, **options):
        budgets.append(notion.eps)
        return merge(joint, notion, **options)

    monkeypatch.setattr(starts_module, "subset_merging", counted)
    with clock.using(clock.Ticking(1.0)):
        starts(joint, notion, Options(), among=(), deadline=Deadline.after(1000.0))
        assert len(budgets) > 1
        budgets.clear()
        starts(joint, notion, Options(), among=(), deadline=Deadline.after(2.0))
    assert len(budgets) <= 1


@pytest.mark.parametrize("n_x", [20, 80])
@pytest.mark.parametrize(
    "other", [LIP(0.5), Average("mutual_information", 0.05)], ids=["LIP", "I(S;Y)"]
)
def test_robust_notions_beside_others_begin_with_what_ignores_the_joint(n_x, other):
    """At 9×220 they kept nothing after 1 s, and 3e-5 of it in five."""
    joint = random_joint(3, n_x)
    notion = Intersection(RobustLDP.of_joint(joint, 0.5, n=100), other)
    made = starts(joint, notion, Options())
    assert max(mechanism.kept for mechanism in made) > 0.004


def test_mechanisms_of_many_cells_are_made_until_the_deadline(monkeypatch):
    """At 40×400 under a metric they took two seconds of one."""
    joint, notion = random_joint(3, 20), LDP(0.5)
    every = starts(joint, notion, Options())
    monkeypatch.setitem(vars(SIZES), "started_at_ease", 20)
    with clock.using(clock.Ticking(TICK)):
        whole = starts(joint, notion, Options(), deadline=Deadline.after(100.0))
        some = starts(joint, notion, Options(), deadline=Deadline.after(2 * TICK))
    assert len(whole) == len(every)
    assert 0 < len(some) < len(every)
    assert some[0].name == "Subset merging"


def test_each_output_within_an_average_or_a_merging_is_begun_with(monkeypatch):
    """The search begins with the better one: a mixture of both keeps less."""
    joint, notion = random_joint(4, 40), Average("mutual_information", 0.02)
    monkeypatch.setitem(vars(SIZES), "peeled_alone", 40)
    monkeypatch.setitem(vars(SIZES), "peeled_symbols", 40)
    begun, solve = [], search.maximise

    def maximise(*args, start, **options):
        begun.append(start(NEVER))
        return solve(*args, start=start, **options)

    monkeypatch.setattr(search, "maximise", maximise)
    with clock.using(clock.Ticking(2.0**-8)):
        each = search._of_each_output(
            search.classes(joint, notion, search.Information()),
            notion.allowed_set(joint),
            Options(time_limit=1.0),
        )
        begun.clear()
        m.optimal(joint, notion, time_limit=1.0)
    goal = search.Information()
    merged = starts(joint, notion, Options(), among=())
    known = max(goal.value(joint, kernel) for kernel in (*each, *(one.kernel for one in merged)))
    assert goal.value(joint, begun[-1]) == pytest.approx(known, rel=1e-6)
