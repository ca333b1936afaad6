"""Robust optima: no later answer is below an earlier one at a stricter promise."""

from dataclasses import replace
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest

from core import clock
from core import mechanisms as m
from core.joint import Joint
from core.measures import entropy, mutual_information
from core.mechanisms.optima.remembered import Memory, Question, question_of
from core.mechanisms.optima.robust_starts import of_x_itself
from core.mechanisms.result import make_mechanism
from core.mechanisms.robust.reporting import released
from core.notions import LDP, LIP, RLDP, Average, Intersection
from core.notions.robust_markov import RobustALIP, RobustLDP, RobustLIP, RobustPML, ball_around
from core.uncertainty import RenyiBall
from core.utilities import Guess, Information

MARKOV = import_module("core.mechanisms.optima.optimal")
"""Of the same name as the function."""

PAIRS = import_module("core.mechanisms.optima.robust_optimal")

COUNTS = np.array([[40, 25, 8, 2], [12, 9, 30, 14], [5, 20, 11, 24]])
JOINT = Joint.from_counts(COUNTS)
KINDS = [RobustLDP, RobustPML, RobustLIP, RobustALIP]

STRICT_AND_LOOSE = [
    ({"eps": 0.5}, {"eps": 1.0}),
    ({"eps": 1.0, "n": 200}, {"eps": 1.0, "n": 2_000}),
    ({"eps": 1.0, "beta": 0.01}, {"eps": 1.0, "beta": 0.2}),
]


def constant_of_x(joint, notion, _start, **_options):
    """What a search finds that finds nothing, whatever it starts from."""
    kernel = np.ones((joint.n_x, 1))
    return make_mechanism(joint, kernel, name="Nothing", notion=notion, status="time limit")


def constant_of_pairs(_p_su, uncertainty, notion, *, name, **_options):
    cells = np.asarray(uncertainty.p_hat_su)
    kernel = np.ones((cells.size, 1))
    return released(cells, kernel, name=name, solver="none", status="time limit", notion=notion)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("strict", "loose"), STRICT_AND_LOOSE)
def test_where_a_search_finds_nothing_an_answer_is_an_earlier_one(kind, strict, loose, monkeypatch):
    less = m.optimal(JOINT, kind.of_joint(JOINT, **strict), time_limit=1.0)
    assert less.utility > 0.01
    monkeypatch.setattr(MARKOV, "robust_of_x", constant_of_x)
    more = m.optimal(JOINT, kind.of_joint(JOINT, **loose), time_limit=1.0)
    assert more.utility >= less.utility - 1e-9
    assert more.audit.holds


@pytest.mark.parametrize(("strict", "loose"), STRICT_AND_LOOSE)
def test_so_is_one_of_pairs(strict, loose, monkeypatch):
    def optimum(eps, **of_ball):
        return m.robust_optimal(COUNTS, eps, ball_around(JOINT, **of_ball), time_limit=1.0)

    less = optimum(**strict)
    assert less.utility > 0.01
    monkeypatch.setattr(PAIRS, "robust_search", constant_of_pairs)
    monkeypatch.setattr(PAIRS, "_known_of_pairs", lambda *_given, **_options: [])
    more = optimum(**loose)
    assert more.utility >= less.utility - 1e-9
    assert more.audit.holds
    assert more.kernel.shape[0] == COUNTS.size


def test_so_is_one_of_other_utilities_and_of_pairs_as_symbols(monkeypatch):
    goal, pairs = Guess(), Joint.with_secret_released(COUNTS)
    of_guess = m.optimal(JOINT, RobustLDP.of_joint(JOINT, 1.0), utility=goal, time_limit=1.0)
    of_pairs = m.optimal(pairs, RLDP.of_joint(pairs, 0.5), time_limit=1.0)

    def nothing(joint, notion, _start, *, utility, **_options):
        kernel = np.ones((joint.n_x, 1))
        return make_mechanism(joint, kernel, name="Nothing", notion=notion, purpose=utility)

    monkeypatch.setattr(MARKOV, "optimal_from", nothing)
    monkeypatch.setattr(
        MARKOV,
        "best_under",
        lambda notion, p_su, name, **_options: constant_of_pairs(
            p_su, notion.uncertainty, notion, name=name
        ),
    )
    monkeypatch.setattr(MARKOV, "starts", lambda *_given: [])
    later = m.optimal(JOINT, RobustLDP.of_joint(JOINT, 1.5), utility=goal, time_limit=1.0)
    assert later.utility >= of_guess.utility - 1e-9 > Guess().range(JOINT)[0] + 0.01
    later = m.optimal(pairs, RLDP.of_joint(pairs, 1.0), time_limit=1.0)
    assert later.utility >= of_pairs.utility - 1e-9 > 0.01


def test_a_bound_at_a_larger_budget_holds_at_a_smaller_one(monkeypatch):
    proven = m.optimal(JOINT, RobustLDP.of_joint(JOINT, 0.5), time_limit=20.0)
    assert proven.gap < 1e-3
    monkeypatch.setattr(MARKOV, "robust_of_x", constant_of_x)
    for eps, n in ((0.5, None), (0.25, None), (0.5, 100)):
        later = m.optimal(JOINT, RobustLDP.of_joint(JOINT, eps, n=n), time_limit=1.0)
        assert later.upper_bound <= proven.upper_bound
    for eps, n in ((1.0, None), (0.5, 10_000)):
        later = m.optimal(JOINT, RobustLDP.of_joint(JOINT, eps, n=n), time_limit=1.0)
        assert later.upper_bound == pytest.approx(entropy(JOINT.p_x))


@pytest.mark.parametrize("kind", KINDS)
def test_nor_is_it_below_an_optimum_at_the_estimate_with_half_of_the_budget(kind, monkeypatch):
    """Moved to the robust level; nor is the bound above that at the estimate."""
    notion = kind.of_joint(JOINT, 0.5, n=5_000)
    half, whole = (m.optimal(JOINT, notion.at_estimate(eps), time_limit=2.0) for eps in (0.25, 0.5))
    monkeypatch.setattr(MARKOV, "robust_of_x", constant_of_x)
    later = m.optimal(JOINT, notion, time_limit=1.0)
    assert later.audit.holds
    assert later.utility >= at_its_level(JOINT, half.kernel, notion) - 1e-6 > 0.01
    assert later.upper_bound <= whole.upper_bound < entropy(JOINT.p_x) - 0.01
    other = Joint.from_counts(COUNTS + np.eye(3, 4))
    later = m.optimal(other, kind.of_joint(other, 0.5, n=5_000), time_limit=1.0)
    assert (later.utility, later.upper_bound) == pytest.approx((0.0, entropy(other.p_x)))


def at_its_level(joint, kernel, notion):
    """Return what a kernel keeps once it is moved towards P_X until it keeps a notion."""

    def moved(share):
        return (1 - share) * kernel + share * (joint.p_x @ kernel)

    low, high = 0.0, 1.0
    for _ in range(14):
        share = (low + high) / 2
        low, high = (low, share) if notion.holds(joint, moved(share)) else (share, high)
    return Information().value(joint, moved(high))


def test_nor_is_one_of_pairs_some_of_which_were_never_seen(monkeypatch):
    cells = np.array([[0.3, 0.2, 0.0], [0.1, 0.15, 0.25]])
    ball = RenyiBall.confidence(cells, 5_000)
    nominal = m.non_robust(cells, 0.5)
    monkeypatch.setattr(PAIRS, "robust_search", constant_of_pairs)
    monkeypatch.setattr(PAIRS, "_known_of_pairs", lambda *_given, **_options: [])
    monkeypatch.setattr(PAIRS, "ldp_bound", lambda *_given, **_options: np.inf)
    later = m.robust_optimal(cells, 0.6, ball, time_limit=1.0)
    assert later.audit.holds
    assert later.kernel.shape[0] == cells.size
    pairs = Joint.with_secret_released(cells, keep_unseen=True)
    floor = at_its_level(pairs, nominal.kernel, RLDP(0.6, ball, exact=True))
    assert later.utility >= floor - 1e-6 > 0.01
    strict = m.robust_optimal(cells, 0.5, ball, time_limit=1.0)
    assert strict.upper_bound <= nominal.upper_bound + 1e-9


def test_what_a_line_at_the_estimate_finds_is_remembered(monkeypatch):
    line = m.frontier(JOINT, LDP, [0.5, 1.0], time_limit=4.0)
    monkeypatch.setattr(MARKOV, "robust_of_x", constant_of_x)
    later = m.optimal(JOINT, RobustLDP.of_joint(JOINT, 1.0, n=5_000), time_limit=1.0)
    assert later.utility > 0.1 * line[0].utility
    assert later.upper_bound <= line[1].upper_bound


def test_several_notions_are_remembered_and_bounded_by_each_of_them(monkeypatch):
    def both(eps, of_lifts):
        return Intersection(RobustLDP.of_joint(JOINT, eps), LIP(of_lifts))

    less = m.optimal(JOINT, both(0.5, 0.4), time_limit=1.0)
    one = m.optimal(JOINT, RobustLDP.of_joint(JOINT, 0.5), time_limit=5.0)
    monkeypatch.setattr(MARKOV, "optimal_from", constant_of_any)
    more = m.optimal(JOINT, both(0.6, 0.4), time_limit=1.0)
    assert more.utility >= less.utility - 1e-9 > 0.01
    assert more.audit.holds
    assert m.optimal(JOINT, both(0.6, 0.3), time_limit=1.0).utility == 0.0
    assert m.optimal(JOINT, both(0.5, 2.0), time_limit=1.0).upper_bound <= one.upper_bound + 1e-9


def constant_of_any(joint, notion, start, **_options):
    return constant_of_x(joint, notion, start)


def test_a_set_around_another_estimate_is_not_bounded_by_what_this_one_allows():
    """P̂ = P(s, x) itself is then no member: .048 nats were proven where X itself is allowed."""
    joint = Joint.from_counts([[90, 10], [10, 90]])
    other = ball_around(Joint.from_counts([[51, 49], [49, 51]]), n=10**6)
    m.optimal(joint, LDP(0.5))
    made = m.optimal(joint, RobustLDP(0.5, other))
    assert RobustLDP(0.5, other).holds(joint, np.eye(2))
    assert made.utility == pytest.approx(entropy(joint.p_x))


def test_nothing_is_remembered_of_other_data_orders_notions_and_utilities(monkeypatch):
    m.optimal(JOINT, RobustLDP.of_joint(JOINT, 0.5), time_limit=1.0)
    monkeypatch.setattr(MARKOV, "robust_of_x", constant_of_x)
    other = Joint.from_counts(COUNTS + np.eye(3, 4))
    for joint, notion in (
        (other, RobustLDP.of_joint(other, 1.0)),
        (JOINT, RobustLDP(1.0, ball_around(other))),
        (JOINT, RobustLDP.of_joint(JOINT, 1.0, alpha=1.0)),
        (JOINT, RobustLDP.of_joint(JOINT, 0.25)),
        (JOINT, RobustLDP.of_joint(JOINT, 1.0, n=10)),
        (JOINT, RobustLDP(1.0, ball_around(JOINT), exact=False)),
        (JOINT, RobustPML.of_joint(JOINT, 1.0)),
    ):
        assert m.optimal(joint, notion, time_limit=1.0).utility == 0.0
    assert question_of(JOINT, Average("chi2", 1.0), Information()) is None
    notion = RobustLDP.of_joint(JOINT, 1.0)
    keys = [
        question_of(JOINT, notion, goal).same for goal in (Information(), Guess(), Guess(np.eye(4)))
    ]
    assert len(set(keys)) == 3


def test_nothing_is_remembered_of_other_pairs_with_the_same_probabilities():
    notion = RLDP(0.3, RenyiBall([[0.3, 0.15, 0.05], [0.05, 0.15, 0.3]], 0.01), exact=True)
    first, second = (
        Joint.with_secret_released(cells)
        for cells in ([[20, 30, 0], [0, 25, 25]], [[20, 0, 30], [0, 25, 25]])
    )
    assert (first.p == second.p).all()
    before = m.optimal(first, notion)
    after = m.optimal(second, notion)  # that of `first` would disprove it
    assert after.utility > before.upper_bound + 0.05


def test_rows_of_lifts_are_made_for_one_set_so_bounds_of_other_sets_are_not_used():
    few, many = (
        question_of(JOINT, RobustLIP.of_joint(JOINT, 1.0, n=n), Information()) for n in (50, 99)
    )
    assert not few.allows_all_of(many)
    assert not many.allows_all_of(few)
    few, many = (
        question_of(JOINT, RobustLDP.of_joint(JOINT, 1.0, n=n), Information()) for n in (50, 99)
    )
    assert many.allows_all_of(few)
    assert not few.allows_all_of(many)


def question(same, eps):
    return Question(same, (eps,), (0.1,), nested=True)


def test_the_memory_is_bounded_and_the_least_wanted_goes_first():
    made = m.optimal(JOINT, RobustLDP.of_joint(JOINT, 0.5), time_limit=1.0)
    size = 1_000 + made.kernel.nbytes
    memory = Memory(most_bytes=3 * size)
    for same in "abc":
        memory.add(question(same, 1.0), made)
    assert memory.best(question("a", 1.0)) is not None
    memory.add(question("d", 1.0), made)  # b was wanted longest ago
    kept = [memory.best(question(same, 1.0)) is not None for same in "abcd"]
    assert kept == [True, False, True, True]
    for eps in range(1, 6):
        memory.add(question("e", float(eps)), made)
    assert memory.best(question("e", 2.5)) is None
    assert memory.best(question("e", 3.5)) is not None
    memory = Memory(most_same=3)
    for eps in range(1, 6):
        memory.add(question("e", float(eps)), made)
    assert memory.best(question("e", 2.5)) is None
    assert memory.best(question("e", 3.5)) is not None


def test_of_two_answers_to_a_question_the_better_and_the_lower_bound_are_kept():
    made = m.optimal(JOINT, RobustLDP.of_joint(JOINT, 0.5), time_limit=1.0)
    worse = replace(
        made, kernel=np.ones((4, 1)), utility=0.0, upper_bound=made.utility + 1e-3, gap=0.0
    )
    memory, same = Memory(), question("a", 1.0)
    for each in (made, worse):
        memory.add(same, each)
    assert memory.best(same).kernel is made.kernel
    assert memory.upper_bound(question("a", 0.5)) == worse.upper_bound
    assert memory.upper_bound(question("a", 1.5)) == np.inf
    memory.clear()
    assert memory.best(same) is None


def drawn(rng, most):
    """Return a joint of at most so many symbols; some cells are empty, every secret occurs."""
    shape = [int(rng.integers(2, end + 1)) for end in most]
    n = int(10 ** rng.uniform(1.7, 7))
    counts = rng.multinomial(n, rng.dirichlet(np.full(shape[0] * shape[1], 0.7))).reshape(shape)
    counts[counts.sum(axis=1) == 0, 0] = 1
    return Joint.from_counts(counts)


def never_below(joint, kind, alpha, seconds):
    """Ask for stricter promises first, and check each answer against all that is known."""
    n = joint.n

    def answer(notion, seconds=seconds):
        with clock.using(clock.Ticking(4e-3)):
            return m.optimal(joint, notion, time_limit=seconds)

    asked_for = [(0.5, max(n // 4, 1)), (0.5, n), (1.0, n), (2.0, n)]
    notions = [kind.of_joint(joint, eps, n=of, alpha=alpha) for eps, of in asked_for]
    made = [answer(notion) for notion in notions]
    for less, more in pairwise(made):
        assert less.utility <= more.utility + 1e-9
        assert less.utility <= more.upper_bound + 1e-9
    for notion, result in zip(notions, made, strict=True):
        assert result.audit.holds
        assert result.utility <= result.upper_bound
        for known in of_x_itself(joint, notion):
            # LDP of X itself is searched to within 1e-6 nats, here and as a start of the optimum
            assert known.utility <= result.utility + 1e-6
        nominal = answer(notion.at_estimate(notion.eps), seconds / 20)
        assert result.upper_bound <= nominal.upper_bound + 1e-9
        smaller = answer(notion.at_estimate(notion.eps / 2), seconds / 20).kernel
        if notion.holds(joint, smaller):
            assert mutual_information(joint.p_x[:, None] * smaller) <= result.utility + 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_no_answer_is_below_what_is_known(seed):
    rng = np.random.default_rng([34, seed])
    joint = drawn(rng, (3, 4))
    never_below(joint, RobustLDP, [0.5, 1.0, 2.0, 5.0][seed], 1.0)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", KINDS)
def test_of_larger_data_no_answer_is_below_what_is_known(kind, seed):
    rng = np.random.default_rng([34, 100 + seed])
    joint = drawn(rng, (8, 20))
    never_below(joint, kind, [0.5, 1.0, 2.0, 5.0][seed % 4], 1.0)


@pytest.mark.parametrize("seed", range(8))
def test_of_pairs_no_answer_is_below_an_earlier_one(seed):
    rng = np.random.default_rng([34, 200 + seed])
    joint = drawn(rng, (4, 6))
    n = joint.n

    def optimum(eps, of):
        ball = RenyiBall.confidence(joint.p, of, alpha=[0.5, 1.0, 2.0, 5.0][seed % 4])
        with clock.using(clock.Ticking(4e-3)):
            return m.robust_optimal(joint.p, eps, ball, time_limit=1.0)

    made = [optimum(*each) for each in ((0.5, max(n // 4, 1)), (0.5, n), (1.0, n), (2.0, n))]
    for less, more in pairwise(made):
        assert less.utility <= more.utility + 1e-9
        assert less.utility <= more.upper_bound + 1e-9
