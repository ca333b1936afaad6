from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from scipy.stats import chi2

from core import clock
from core import mechanisms as m
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.optima.robust_optimal import of_many_symbols, too_many_symbols
from core.mechanisms.optima.search import checked_options
from core.mechanisms.polish import polished
from core.notions import (
    ALIP,
    LDP,
    LIP,
    RLDP,
    PointwiseMaximalLeakage,
    RobustALIP,
    RobustLDP,
    RobustLIP,
    RobustPML,
    robust_markov,
)
from core.notions.robust_markov import ball_around
from core.uncertainty import RenyiBall
from core.utilities import Guess, Information

TOY = Joint.from_counts(np.random.default_rng(0).random((2, 3)))


@pytest.mark.parametrize(
    ("n", "nmi"), [(100, 0.487), (1_000, 0.657), (10_000, 0.677), (1_000_000, 0.688)]
)
def test_what_is_kept_of_a_toy_grows_with_the_records(n, nmi):
    ball = ball_around(TOY, n)
    polytopes = m.optimal(TOY, RobustLDP(1.0, ball, exact=False))
    assert polytopes.nmi == pytest.approx(nmi, abs=5e-4)
    whole = m.optimal(TOY, RobustLDP(1.0, ball))
    assert polytopes.nmi <= whole.nmi <= m.optimal(TOY, LDP(1.0)).nmi


def test_members_of_the_set_find_no_more_than_the_level():
    rng = np.random.default_rng(1)
    joint = Joint.random_uniform(3, 4, rng)
    ball = ball_around(joint, n=200)
    kernel = rng.dirichlet(np.ones(3), size=4)
    level = RobustLDP(1.0, ball).achieved(joint, kernel)
    looser = RobustLDP(1.0, ball, exact=False).achieved(joint, kernel)
    result = [
        LDP(1.0).achieved(Joint.from_counts(member), kernel)
        for member in ball.sample(400, rng, boundary=True)
    ]
    assert max(result) <= level + 1e-9
    assert level <= looser
    assert max(result) > 0.8 * level


def worst_lift(p_hat, most, v, s, rng, sign=1):
    """Return the largest ±log P(y|s)/P(y) found over Σ P̂²/P ≤ most, by climbing from a few starts.

    It knows the set by its definition alone, and nothing of what the notion computes with.
    """
    seen = p_hat > 0

    def at(logs):
        weights = np.exp(logs - logs.max()).reshape(p_hat.shape)
        return weights / weights.sum()

    def lift(logs):
        p = at(logs)
        return sign * (np.log(p[s] @ v) - np.log(p[s].sum()) - np.log(p.sum(axis=0) @ v))

    def room(logs):
        return np.log(most) - np.log((p_hat[seen] ** 2 / at(logs)[seen]).sum())

    result = -np.inf
    for spread in (0.0, 0.3, 0.3):
        start = np.log(np.maximum(p_hat, 1e-6)).ravel() + spread * rng.normal(size=p_hat.size)
        end = optimize.minimize(
            lambda logs: -lift(logs),
            start,
            constraints=[{"type": "ineq", "fun": room}],
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-13},
        )
        if room(end.x) > -1e-9:
            result = max(result, lift(end.x))
    return result


@pytest.mark.parametrize(
    ("counts", "reached"),
    [  # what a member of F has, where P(S) = P̂(S) told .609, 2.268 and 2.303
        ([[30, 10, 10], [10, 10, 30]], 0.741),
        ([[9, 1], [2, 88]], 2.868),
        ([[10, 0], [0, 90]], 3.142),
        ([[300, 100, 100], [100, 100, 300]], 0.504),
        ([[9, 2, 5, 4], [3, 1, 6, 5], [1, 7, 2, 6]], 1.752),
    ],
)
def test_robust_pml_holds_at_every_member_of_the_set_its_masses_included(counts, reached):
    rng = np.random.default_rng(0)
    joint = Joint.from_counts(counts)
    ball = ball_around(joint)
    reported = RobustPML(1.0, ball).achieved(joint, np.eye(joint.n_x))
    most = 1 + chi2.ppf(0.95, joint.p.size - 1) / joint.n
    each = [
        worst_lift(joint.p, most, v, s, rng) for v in np.eye(joint.n_x) for s in range(joint.n_s)
    ]
    assert max(each) == pytest.approx(reached, abs=2e-3)
    assert max(each) <= reported <= 1.12 * max(each)


@pytest.mark.parametrize(
    ("counts", "reached"),
    [  # how far a member of F lowers a belief
        ([[30, 10, 10], [10, 10, 30]], 0.532),
        ([[300, 100, 100], [100, 100, 300]], 0.368),
    ],
)
def test_robust_lip_holds_at_every_member_of_the_set_on_both_sides(counts, reached):
    rng = np.random.default_rng(0)
    joint = Joint.from_counts(counts)
    ball = ball_around(joint)
    kernel = np.full((joint.n_x, joint.n_x), 0.2) + 0.5 * np.eye(joint.n_x)
    kernel /= kernel.sum(axis=1, keepdims=True)
    most = 1 + chi2.ppf(0.95, joint.p.size - 1) / joint.n
    lower, upper = (
        max(worst_lift(joint.p, most, v, s, rng, sign) for v in kernel.T for s in range(joint.n_s))
        for sign in (-1, 1)
    )
    assert lower == pytest.approx(reached, abs=2e-3)
    for reported, least in (
        (RobustLIP(1.0, ball).achieved(joint, kernel), max(lower, upper)),
        (RobustPML(1.0, ball).achieved(joint, kernel), upper),
        (RobustALIP(1.0, ball, 0.3).achieved(joint, kernel), max(lower / 0.3, upper / 0.7)),
        (RobustALIP(1.0, ball, 1.0).achieved(joint, kernel), np.inf),
    ):
        assert least <= reported <= 1.25 * least


@pytest.mark.parametrize("notion", [RobustLIP, partial(RobustALIP, lam=0.7)])
def test_no_member_of_the_set_breaks_a_robust_optimum(notion):
    rng = np.random.default_rng(3)
    joint = Joint.from_counts([[60, 20, 30], [20, 70, 30]])
    promise = notion(0.8, ball_around(joint))
    made = m.optimal(joint, promise)
    most = 1 + chi2.ppf(0.95, joint.p.size - 1) / joint.n
    assert made.status == "optimal"
    for sign, budget in zip((-1, 1), promise.budgets, strict=True):
        for v, s in product(made.kernel.T, range(joint.n_s)):
            assert worst_lift(joint.p, most, v, s, rng, sign) <= budget + 1e-9


@pytest.mark.parametrize("alpha", [0.3, 0.7, 1.0, 2.0, 5.0])
def test_no_member_of_any_order_has_more_than_robust_bounds_on_lifts_say(alpha):
    rng = np.random.default_rng(5)
    for n_s, n_x, n in ((2, 2, 30), (3, 4, 200), (5, 3, 3_000)):
        joint = Joint.from_counts(rng.integers(0, 50, (n_s, n_x)) + np.eye(n_s, n_x))
        ball = ball_around(joint, n=n if n < joint.n else None, alpha=alpha)
        kernel = rng.dirichlet(np.ones(3), size=joint.n_x)
        robust = (RobustPML(1.0, ball), RobustLIP(1.0, ball), RobustALIP(1.0, ball, 0.4))
        reported = [notion.achieved(joint, kernel) for notion in robust]
        for member in ball.sample(300, rng, boundary=True):
            truth = Joint.from_counts(member)
            lip, pml = LIP(1.0), PointwiseMaximalLeakage(1.0)
            up, either = pml.achieved(truth, kernel), lip.achieved(truth, kernel)
            assert up <= reported[0] + 1e-9
            assert either <= reported[1] + 1e-9
            assert ALIP(0.4, 0.6).achieved(truth, kernel) <= reported[2] + 1e-9


def test_where_all_is_possible_and_where_nothing_but_the_estimate_is():
    joint = Joint.from_counts([[3, 1], [1, 3]])
    assert RobustPML(1.0, RenyiBall(joint.p, np.inf)).achieved(joint, np.eye(2)) == np.inf
    kernel = np.array([[0.75, 0.25], [0.25, 0.75]])  # one output is up to 3 times as likely
    free = RobustPML(1.0, RenyiBall(joint.p, np.inf)).achieved(joint, kernel)
    assert free == pytest.approx(np.log(3))
    plain = PointwiseMaximalLeakage(1.0).achieved(joint, kernel)
    assert RobustPML(1.0, RenyiBall(joint.p, 0.0)).achieved(joint, kernel) == pytest.approx(plain)


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 1.0, np.inf]))
@settings(max_examples=8)
def test_optima_keep_their_promise_and_no_random_kernel_keeps_more(seed, eps):
    rng = np.random.default_rng(seed)
    joint = Joint.random_uniform(2, 3, rng)
    ball = ball_around(joint, n=300)
    robust = (RobustPML(eps, ball), RobustLIP(eps, ball), RobustALIP(eps, ball, 0.3))
    for notion in (RobustLDP(eps, ball, exact=False), *robust):
        made = m.optimal(joint, notion)
        assert made.status == "optimal"
        assert notion.holds(joint, made.kernel)
        for _ in range(20):
            kernel = polished(joint, rng.dirichlet(0.3 * np.ones(3), size=3), notion)
            kept = m.result.make_mechanism(
                joint, kernel, name="", solver="", status="", notion=notion
            )
            assert kept.utility <= made.upper_bound + 1e-9


def test_many_records_leave_the_estimate():
    ball = RenyiBall(TOY.p, 0.0)
    assert m.optimal(TOY, RobustLDP(1.0, ball)).utility == pytest.approx(
        m.optimal(TOY, LDP(1.0)).utility, abs=2e-6
    )
    for robust, plain in (
        (RobustPML(0.3, ball), PointwiseMaximalLeakage(0.3)),
        (RobustLIP(0.3, ball), LIP(0.3)),
        (RobustALIP(0.3, ball, 0.7), ALIP.from_lambda(0.3, 0.7)),
    ):
        assert m.optimal(TOY, robust).utility == pytest.approx(
            m.optimal(TOY, plain).utility, abs=2e-6
        )


def test_more_cells_than_pairs_of_vertices():
    joint = Joint.random_uniform(3, 10, np.random.default_rng(3))
    ball = ball_around(joint, n=10_000)
    made = m.optimal(joint, RobustLDP(1.0, ball, exact=False))
    assert made.audit.holds
    assert 0 < made.nmi <= m.optimal(joint, LDP(1.0)).nmi


def test_a_secret_that_is_likely_anyway_asks_nothing():
    joint = Joint.from_counts([[50, 30, 10], [1, 4, 5]])
    made = m.optimal(joint, RobustPML(3.0, ball_around(joint)))
    assert made.nmi == pytest.approx(1.0)


def test_words_and_bad_input():
    ball = ball_around(TOY, 100)
    assert str(RobustLDP(0.5, ball)) == "0.5-RLDP for S – X – Y"
    assert str(RobustPML(np.inf, ball)) == "∞-robust PML"
    assert str(RobustLIP(0.5, ball)) == "0.5-robust LIP"
    assert str(RobustALIP(1.0, ball, 0.75)) == "(0.75, 0.25)-robust ALIP"
    with pytest.raises(InvalidInputError, match="lam must be"):
        RobustALIP(1.0, ball, 1.5)
    assert RobustPML(0.5, ball).scale(TOY, np.ones((3, 1))) == 0.0
    with pytest.raises(InvalidInputError, match="uncertainty must be a RenyiBall"):
        RobustLDP(1.0, TOY)
    with pytest.raises(InvalidInputError, match="with 2×2 cells as the joint has, got 2×3"):
        RobustPML(1.0, ball).allowed_set(Joint.from_counts([[3, 1], [1, 3]]))
    with pytest.raises(InvalidInputError, match="must have 3 rows"):
        RobustLDP(1.0, ball).achieved(TOY, np.ones((6, 1)))


def test_a_cut_that_rounding_meets_does_not_hide_a_deeper_one():
    joint = Joint.random_uniform(2, 6, np.random.default_rng(0))
    notion = RobustLDP.of_joint(joint, 0.5, 10_000)
    with clock.using(clock.Ticking(2.0**-12)):
        result = m.optimal(joint, notion, utility=Guess(), time_limit=5.0)
        other = m.optimal(joint, notion, solver="columns", utility=Guess(), time_limit=5.0)
    assert (result.status, result.solver) == ("optimal", "one program")
    assert result.utility == pytest.approx(other.utility, abs=2e-6)


@pytest.mark.parametrize("alpha", [0.4, 1.0, 2.0])
def test_of_many_symbols_those_with_the_same_answers_are_one(alpha, monkeypatch):
    """A check of four outputs at 6×10000 took 10 s."""
    rng = np.random.default_rng(8)
    counts = rng.multinomial(900, rng.dirichlet(np.ones(27))).reshape(3, 9)
    joint = Joint.from_counts(counts)
    notion = RobustLDP.of_joint(joint, 1.0, alpha=alpha)
    kernel = rng.dirichlet(np.ones(4), size=3)[rng.integers(3, size=9)]
    level = notion.achieved(joint, kernel)
    monkeypatch.setattr(robust_markov, "MAX_ENTRIES", 10)
    sizes = []
    monkeypatch.setattr(
        RLDP, "level_of", lambda own, table: sizes.append(table.shape) or level_of(own, table)
    )
    assert notion.achieved(joint, kernel) == pytest.approx(level, abs=1e-9)
    assert sizes == [(3, 3, 4)]
    above, below = replace(notion, eps=level + 1e-8), replace(notion, eps=level - 1e-8)
    assert above.holds(joint, kernel)
    assert not below.holds(joint, kernel)


def test_orders_below_1_let_the_others_move_most_beyond_where_a_secret_does():
    cells = np.array([[0.09624, 0.0], [0.52102, 0.11659], [0.26615, 0.0]])
    ball = RenyiBall.confidence(cells / cells.sum(), 3, alpha=0.5)
    member = np.array([[0.004935, 2e-5], [0.026724, 0.9515], [0.01635, 0.00026]])
    member /= member.sum()
    assert ball.contains(member)
    joint, of_member = Joint.from_counts(cells), Joint.from_counts(member)
    kernel = np.array([[1 / 3, 0.255, 0.0], [1 / 3, 0.0676, 0.0]])
    kernel[:, 2] = 1 - kernel.sum(axis=1)
    reached = PointwiseMaximalLeakage(1.0).achieved(of_member, kernel)
    assert reached == pytest.approx(1.2, abs=0.01)
    assert RobustPML(1.0, ball).achieved(joint, kernel) >= reached


@pytest.mark.parametrize("kind", [RobustLDP, RobustPML])
def test_of_too_many_symbols_for_a_search_halves_are_kept_apart(kind):
    """At 6×10000 nothing was kept."""
    joint = Joint.random_dirichlet(2, 80, 1.0, np.random.default_rng(0))
    notion = kind.of_joint(joint, 0.5, n=100)
    options = checked_options("auto", 1e-3, 1e-6, 0)
    result = of_many_symbols(joint, notion, Information(), options)
    assert result.audit.holds
    assert result.utility > 0.02
    assert result.n_y == 2


def test_thousands_of_symbols_are_too_many_for_a_search_over_f():
    """At 2×5000 a check of thousands of answers took half a minute of one second, in 1.5 GB."""
    for n_x, many in ((1_000, False), (1_001, True)):
        joint = Joint.from_counts(np.ones((2, n_x)))
        assert too_many_symbols(joint, RobustLDP.of_joint(joint, 0.5)) is many
        assert not too_many_symbols(joint, LDP(0.5))


level_of = RLDP.level_of


@pytest.mark.parametrize("alpha", [0.4, 1.0, 2.0])
def test_symbols_with_the_same_answer_are_one_in_a_check(alpha, monkeypatch):
    """Of 442 symbols a check of four outputs on groups of X took .3 s."""
    rng = np.random.default_rng(2)
    joint = Joint.from_counts(rng.integers(0, 9, (3, 24)) + (np.arange(24) < 20))
    notion = RobustLDP(0.4, ball_around(joint, n=500, alpha=alpha))
    kernel = np.array([[0.7, 0.3], [0.4, 0.6], [0.5, 0.5]])[np.arange(24) % 3]
    sizes, level_of = [], RLDP.level_of

    def counted(pairs, table):
        sizes.append(table.shape[1])
        return level_of(pairs, table)

    monkeypatch.setattr(RLDP, "level_of", counted)
    levels = []
    for many in (robust_markov.MANY_ALIKE, 25):
        monkeypatch.setattr(robust_markov, "MANY_ALIKE", many)
        levels.append(notion.achieved(joint, kernel))
    assert sizes == [3, 24]
    assert levels[0] == pytest.approx(levels[1], abs=1e-6 if alpha < 0.5 else 1e-9)
    assert 0.0 < levels[0] < np.inf
