"""Promises with exceptions, against linear programs and kernels that share nothing with core."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from core import clock, measures
from core import mechanisms as m
from core.errors import InfeasibleError, InvalidInputError, NotConvexError
from core.joint import Joint
from core.notions import (
    ALIP,
    LDP,
    LIP,
    SRLIP,
    AlphaLift,
    Average,
    Chi2Lift,
    Chi2Privacy,
    EpsDelta,
    GuessingProbability,
    Intersection,
    L1Lift,
    MinLift,
    PointwiseMaximalLeakage,
)
from core.notions.robust_markov import RobustLDP
from core.optimal import solve
from core.optimal.plan import SIZES
from core.optimal.solve import maximise
from core.release import implied
from core.utilities import Distortion, Guess, SquaredError, Task
from tests.strategies import joints
from tests.vertices import allowed_vertices, entropies

INF = float("inf")
SMALL = Joint.from_counts([[6, 2, 2], [1, 3, 6]])
LARGER = Joint.random_uniform(3, 5, np.random.default_rng(1))
DRAW = Joint.random_uniform(5, 17, np.random.default_rng(0))
POLYHEDRAL = [LIP(0.3), LDP(0.5), ALIP(0.1, 0.4), PointwiseMaximalLeakage(0.2), LIP(0), LIP(INF)]


def by_linear_program(joint, notion, delta, worth):
    """Return the optimum from all vertices and single symbols, by SciPy; worth of posteriors."""
    allowed = allowed_vertices(notion.allowed_set(joint))
    singles = np.eye(joint.n_x)
    columns = np.vstack([allowed, singles])
    apart = np.repeat([0.0, 1.0], [len(allowed), len(singles)])
    result = optimize.linprog(
        -worth(columns), apart[None], [delta], columns.T, joint.p_x, method="highs"
    )
    return -result.fun


def kept(joint, kernel):
    return float(measures.mutual_information(joint.p_x[:, None] * kernel))


@pytest.mark.parametrize(
    ("delta", "nmi"), [(0.0, 0.7636), (0.01, 0.7683), (0.05, 0.7869), (0.1, 0.8077)]
)
def test_what_exceptions_buy_on_the_draw(delta, nmi):
    result = m.optimal(DRAW, EpsDelta(LIP(0.25), delta), time_limit=60)
    assert result.status == "optimal"
    assert result.nmi == pytest.approx(nmi, abs=1e-4)


@pytest.mark.parametrize("solver", ["auto", "enumerate", "columns"])
@pytest.mark.parametrize("delta", [1e-6, 0.03, 0.4, 0.999])
@pytest.mark.parametrize("notion", POLYHEDRAL, ids=str)
@pytest.mark.parametrize("joint", [SMALL, LARGER], ids=["2x3", "3x5"])
def test_the_optimum_is_that_of_all_vertices_and_single_symbols(joint, notion, delta, solver):
    result = m.optimal(joint, EpsDelta(notion, delta), solver, time_limit=60)
    expected = by_linear_program(
        joint, notion, delta, lambda r: measures.entropy(joint.p_x) - entropies(r)
    )
    assert result.status == "optimal"
    assert result.utility == pytest.approx(expected, abs=2e-6)
    assert result.upper_bound >= expected - 1e-9


@pytest.mark.parametrize("delta", [0.05, 0.3])
@pytest.mark.parametrize(
    ("purpose", "worth"),
    [
        (Guess(), lambda r: r.max(axis=1)),
        (Guess([[1, 0, 1, 0, 1], [0, 1, 0, 1, 0]]), lambda r: np.maximum(*r_of_two(r))),
        (
            Distortion(np.abs(np.subtract.outer(np.arange(5), np.arange(5)))),
            lambda r: -(r @ np.abs(np.subtract.outer(np.arange(5), np.arange(5)))).min(axis=1),
        ),
    ],
    ids=["guess", "guess of a task", "distortion"],
)
def test_other_purposes_have_exceptions_too(purpose, worth, delta):
    result = m.optimal(LARGER, EpsDelta(LIP(0.3), delta), utility=purpose, time_limit=60)
    assert result.utility == pytest.approx(
        by_linear_program(LARGER, LIP(0.3), delta, worth), abs=1e-5
    )
    assert result.gap <= 1e-5


def r_of_two(r):
    """Return the probabilities of even and of odd symbols."""
    return r[:, ::2].sum(axis=1), r[:, 1::2].sum(axis=1)


def test_a_task_with_exceptions_is_bounded_by_all_it_could_be():
    table = np.random.default_rng(2).dirichlet(np.ones(3), 5).T
    entropy = measures.entropy(table @ LARGER.p_x)
    for delta in (0.05, 0.5):
        result = m.optimal(LARGER, EpsDelta(LIP(0.3), delta), utility=Task(table), time_limit=60)
        expected = by_linear_program(
            LARGER, LIP(0.3), delta, lambda r: entropy - entropies(r @ table.T)
        )
        assert result.utility == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("delta", [0.02, 0.2])
@pytest.mark.parametrize("notion", [LIP(0.4), LDP(0.5)], ids=str)
def test_no_kernel_of_a_grid_keeps_more(notion, delta):
    steps = 12
    rows = np.array(
        [(i, j, steps - i - j) for i, j in product(range(steps + 1), repeat=2) if i + j <= steps]
    )
    chosen = np.array(list(product(range(len(rows)), repeat=3)))
    kernels = rows[chosen] / steps  # (k, n_x, n_y)
    joint_sy = np.einsum("sx,kxy->ksy", SMALL.p, kernels)
    p_y = joint_sy.sum(axis=1)
    broken = np.where(notion.allows(joint_sy) | (p_y == 0), 0.0, p_y).sum(axis=1)
    allowed = broken <= delta
    joint_xy = SMALL.p_x[:, None] * kernels[allowed]
    best = measures.mutual_information(joint_xy).max()
    result = m.optimal(SMALL, EpsDelta(notion, delta), time_limit=60)
    assert best <= result.upper_bound + 1e-9
    assert best >= 0.85 * result.utility  # a grid of twelfths comes as near as that


@settings(max_examples=40)
@given(joint=joints(max_s=3, max_x=4), delta=st.floats(0.001, 0.9), eps=st.floats(0, 2))
def test_bounds_hold_on_any_joint(joint, delta, eps):
    result = m.optimal(joint, EpsDelta(LIP(eps), delta), time_limit=60)
    expected = by_linear_program(
        joint, LIP(eps), delta, lambda r: measures.entropy(joint.p_x) - entropies(r)
    )
    assert result.audit.holds
    assert result.upper_bound >= expected - 1e-7
    assert result.utility <= expected + 1e-7
    assert result.utility >= m.optimal(joint, LIP(eps), time_limit=60).utility - 1e-7


def test_without_exceptions_it_is_the_notion():
    for notion in (LIP(0.4), LDP(0.6), AlphaLift(0.3, 0.4, 3)):
        plain, none = m.optimal(LARGER, notion), m.optimal(LARGER, EpsDelta(notion, 0))
        np.testing.assert_array_equal(plain.kernel, none.kernel)
        promise = EpsDelta(notion, 0.0)
        assert promise.achieved(LARGER, plain.kernel) == notion.achieved(LARGER, plain.kernel)
        assert promise.scale(LARGER, plain.kernel) == notion.scale(LARGER, plain.kernel)
        assert promise.allowed_set(LARGER).exceptions == 0
        assert promise.most_about_secret() == notion.most_about_secret()
        assert EpsDelta(notion, 0.1).most_about_secret() == INF


@pytest.mark.parametrize(
    "notion",
    [AlphaLift(0.2, 0.3, 2), Chi2Lift(0.15), L1Lift(0.1), Intersection(LIP(0.4), LDP(0.5))],
    ids=str,
)
def test_other_notions_have_exceptions_too(notion):
    values = []
    for delta in (0.0, 0.05, 0.3, 0.8):
        result = m.optimal(LARGER, EpsDelta(notion, delta), time_limit=60)
        assert result.status == "optimal"
        values.append(result.utility)
        mixed = by_exception(LARGER, notion, delta)
        assert EpsDelta(notion, delta).holds(LARGER, mixed)
        assert kept(LARGER, mixed) <= result.upper_bound + 1e-9
    assert (np.diff(values) > 0).all() or values[-1] == pytest.approx(measures.entropy(LARGER.p_x))
    # concave in δ: a mechanism may draw one of two
    assert values[1] >= values[0] + (values[2] - values[0]) / 6 - 2e-6


def by_exception(joint, notion, delta):
    """Return a mechanism that publishes X with probability δ, else the optimum of the notion."""
    best = m.optimal(joint, notion, time_limit=60).kernel
    return np.hstack([delta * np.eye(joint.n_x), (1 - delta) * best])


TWO = Joint.from_counts([[6, 2], [3, 4], [1, 4]])
"""Posteriors of two symbols are one number: a grid of them leaves 1e-6 open."""

COSTS = {
    "mutual_information": lambda lifts, p: np.log(np.maximum(lifts, 1e-300)) * lifts @ p,
    "chi2": lambda lifts, p: (lifts - 1) ** 2 @ p,
    "total_variation": lambda lifts, p: np.abs(lifts - 1) @ p / 2,
    "guessing": lambda lifts, p: (lifts * p).max(axis=1),
}
"""What an output adds to each average, by the lifts of S."""


@pytest.mark.parametrize("purpose", [None, SquaredError([0, 1])], ids=str)
@pytest.mark.parametrize("name", COSTS)
def test_information_within_an_average_beside_exceptions_is_that_of_a_grid(name, purpose):
    at, slope = ((TWO.p / TWO.p_s[:, None] / TWO.p_x) @ [[0, 1], [1, -1]]).T
    ends = np.concatenate([(np.exp(end) - at) / slope for end in (-0.1, 0.1)])
    first = np.union1d(np.linspace(0, 1, 4001), ends[(ends > 0) & (ends < 1)])
    points, lifts = np.column_stack([first, 1 - first]), at + np.outer(first, slope)
    allowed = (np.abs(np.log(np.maximum(lifts, 1e-300))) <= 0.1 + 1e-12).all(axis=1)
    points, lifts = np.vstack([points[allowed], points]), np.vstack([lifts[allowed], lifts])
    worth = measures.entropy(TWO.p_x) - entropies(points)
    if purpose is not None:
        worth = -points[:, 0] * points[:, 1]
    full = Average(name, 1.0)
    reported, least = (full.achieved(TWO, kernel) for kernel in (np.eye(2), np.ones((2, 1))))
    average = Average(name, least + 0.15 * (reported - least))
    asked = [
        np.repeat([0.0, 1.0], [allowed.sum(), len(points) - allowed.sum()]),
        COSTS[name](lifts, TWO.p_s),
    ]
    limits = [0.1, least + 0.15 * (reported - least)]
    expected = -optimize.linprog(-worth, asked, limits, points.T, TWO.p_x).fun
    promise = EpsDelta(LIP(0.1), 0.1)
    result = m.optimal(TWO, Intersection(promise, average), utility=purpose, time_limit=60)
    assert result.status == "optimal"
    assert result.utility == pytest.approx(expected, abs=3e-6)
    assert result.upper_bound >= expected - 1e-9
    assert promise.holds(TWO, result.kernel)
    assert average.holds(TWO, result.kernel)


@pytest.mark.parametrize("other", [None, LDP(0.8)], ids=str)
@pytest.mark.parametrize("name", ["mutual_information", "guessing"])
def test_exceptions_within_an_average_keep_more_than_none(name, other):
    full = Average(name, 1.0)
    reported, least = (full.achieved(LARGER, k) for k in (np.eye(5), np.ones((5, 1))))
    average = Average(name, least + 0.3 * (reported - least))
    rest = (average,) if other is None else (average, other)
    promise = EpsDelta(LIP(0.1), 0.05)
    result = m.optimal(LARGER, Intersection(promise, *rest), time_limit=60)
    strict = m.optimal(LARGER, Intersection(LIP(0.1), *rest), time_limit=60)
    free = m.optimal(LARGER, Intersection(promise, average, LDP(INF)), time_limit=60)
    assert result.status == "optimal"
    assert all(part.holds(LARGER, result.kernel) for part in (promise, *rest))
    assert strict.utility + 1e-3 < result.utility <= free.upper_bound + 1e-9
    wide = Intersection(promise, Average(name, reported + 1e-3), *rest[1:])
    alone = Intersection(promise, *rest[1:])
    assert m.optimal(LARGER, wide).utility == pytest.approx(m.optimal(LARGER, alone).utility)


def test_beside_an_average_exceptions_begin_with_the_optimum_without_any():
    """The mechanisms to start from were made once for it, and once more after it."""
    made = []

    def start(_deadline):
        made.append(np.ones((LARGER.n_x, 1)))
        return made[-1]

    promise = Intersection(EpsDelta(LIP(0.5), 0.05), Average("total_variation", 0.05))
    allowed = promise.allowed_set(LARGER)
    with clock.using(clock.Ticking(5e-3)):
        result = maximise(allowed, LARGER.p_x, start=start, time_limit=1.0)
        strict = maximise(replace(allowed, exceptions=0.0), LARGER.p_x, time_limit=0.7)
    assert len(made) == 1
    assert result.utility >= strict.utility > 0


def test_exceptions_of_a_robust_promise_cost_what_an_average_says():
    """The bound was .99 nats, as exceptions that F limits were taken to cost nothing."""
    joint = Joint.from_counts([[68, 1, 8], [79, 49, 85]])
    average, robust = Average("total_variation", 0.03), RobustLDP.of_joint(joint, 1.0, n=1000)
    promise = EpsDelta(LIP(0.5), 0.9)
    with clock.using(clock.Ticking(5e-3)):
        result = m.optimal(joint, Intersection(promise, average, robust), time_limit=4.0)
        alone = m.optimal(joint, average, time_limit=4.0)
    assert result.audit.holds
    assert 0.39 < result.utility <= result.upper_bound < alone.utility


@pytest.mark.parametrize("purpose", [Guess(), Distortion(1.5 - np.eye(5)[::-1])], ids=str)
@pytest.mark.parametrize("bound", [0.37, 0.39, 0.42])
def test_a_linear_purpose_within_an_average_beside_exceptions_is_one_program(bound, purpose):
    """Beside linprog: an output a of the notion and one of exceptions for each guess."""
    promise, average = EpsDelta(LIP(0.2), 0.1), Average("guessing", bound)
    result = m.optimal(LARGER, Intersection(promise, average), utility=purpose)
    gain = np.eye(5) if isinstance(purpose, Guess) else np.eye(5)[::-1] - 1.5
    p, p_x, p_s, ones = LARGER.p, LARGER.p_x, LARGER.p_s[:, None], np.ones((1, 10))
    ratio = p / p_s
    own = np.vstack([ratio - np.exp(0.2) * p_x, np.exp(-0.2) * p_x - ratio])
    strict = np.hstack([np.kron(np.eye(5), own), np.zeros((5 * len(own), 25))])
    excepted = np.hstack([np.zeros(25), np.tile(p_x, 5)])
    guesses = np.kron(np.eye(10), p)  # at most h for each output
    n_s = len(p)
    upper = np.vstack([strict, excepted, guesses])
    of_h = np.vstack([np.zeros((len(strict) + 1, 10)), -np.kron(np.eye(10), np.ones((n_s, 1)))])
    upper = np.vstack([np.hstack([upper, of_h]), np.append(np.zeros(50), ones)])
    right = np.concatenate([np.zeros(len(strict)), [0.1], np.zeros(10 * n_s), [bound]])
    equal = np.hstack([np.kron(ones, np.eye(5)), np.zeros((5, 10))])
    cost = np.append(-np.tile((gain * p_x).ravel(), 2), np.zeros(10))
    theirs = optimize.linprog(cost, upper, right, equal, np.ones(5))
    assert (result.status, result.solver) == ("optimal", "one program")
    assert result.utility == pytest.approx(-theirs.fun, abs=1e-6)
    assert result.upper_bound >= -theirs.fun - 1e-9
    assert promise.holds(LARGER, result.kernel)
    assert average.holds(LARGER, result.kernel)
    apart = m.optimal(LARGER, Intersection(LIP(0.2), average), utility=purpose)
    assert result.utility > apart.utility + 1e-3


def test_exceptions_that_keep_a_round_notion_are_proven():
    promise, other = EpsDelta(LIP(0.2), 0.1), Chi2Lift(0.25)
    result = m.optimal(LARGER, Intersection(promise, other), utility=Guess())
    assert (result.status, result.solver) == ("optimal", "one program")
    assert promise.holds(LARGER, result.kernel)
    assert other.holds(LARGER, result.kernel)


def test_exceptions_of_perfect_privacy_are_none():
    joint = Joint.from_counts([[3, 1, 2, 2], [1, 3, 2, 2]])
    nothing = Average("mutual_information", 0)
    both = m.optimal(joint, Intersection(EpsDelta(LIP(0.3), 0.5), nothing))
    assert both.status == "optimal"
    assert both.utility == pytest.approx(m.optimal(joint, nothing).utility)
    assert nothing.achieved(joint, both.kernel) <= 1e-12


def test_levels_leave_out_the_worst_outputs_of_probability_delta():
    joint = Joint.from_counts([[40, 8, 2, 0], [40, 2, 7, 1]])
    kernel, lip = np.eye(4), LIP(1)
    levels = np.maximum(*(f(joint.p) for f in (lip.lower_level, lip.upper_level)))
    assert levels.argsort().tolist() == [0, 2, 1, 3]  # probabilities .8, .09, .1, .01
    for delta, expected in [(0.005, 3), (0.01, 1), (0.1, 1), (0.11, 2), (0.2, 0), (0.99, 0)]:
        promise = EpsDelta(LIP(levels[expected] if expected != 3 else INF), delta)
        assert promise.achieved(joint, kernel) == levels[expected]
        assert promise.holds(joint, kernel)
        if 0 < levels[expected] < INF:
            less = EpsDelta(LIP(levels[expected] * 0.999), delta)
            assert not less.holds(joint, kernel)
            assert less.scale(joint, kernel) == pytest.approx(1 / 0.999)


def test_levels_of_several_notions_and_of_guesses_are_scales():
    joint = Joint.from_counts([[40, 8, 2, 0], [40, 2, 7, 1]])
    both = Intersection(LIP(0.5), GuessingProbability(0.75))
    promise = EpsDelta(both, 0.02)
    # the fourth symbol is excepted; of the second P(s2 | x) is .2, of .5 before
    assert promise.achieved(joint, np.eye(4)) == pytest.approx(np.log(5 / 2) / 0.5)
    guess = EpsDelta(GuessingProbability(0.75), 0.02)
    assert guess.achieved(joint, np.eye(4)) == pytest.approx(0.8)
    assert guess.scale(joint, np.eye(4)) == pytest.approx(0.8 / 0.75)
    sides = EpsDelta(ALIP(0.5, 1.0), 0.02)
    assert sides.achieved(joint, np.eye(4)) == pytest.approx(np.log(5 / 2) / 0.5)
    assert sides.scale(joint, np.eye(4)) == sides.achieved(joint, np.eye(4))


def test_mechanisms_that_read_s_are_audited():
    kernel = np.eye(2).repeat(3, axis=0)  # tells S
    promise = EpsDelta(LIP(0.5), 0.3)
    assert promise.achieved(SMALL, kernel) == INF
    assert not promise.holds(SMALL, kernel)
    now_and_then = np.hstack([0.3 * kernel, np.full((6, 1), 0.7)])
    assert promise.achieved(SMALL, now_and_then) == 0
    assert promise.holds(SMALL, now_and_then)


def test_an_answer_is_taken_up_again():
    promise = EpsDelta(LIP(0.3), 0.1)
    known = m.optimal(LARGER, promise, time_limit=60)
    again = m.optimal(LARGER, promise, "columns", start=known.kernel, time_limit=60)
    assert again.utility >= known.utility - 1e-12
    assert again.status == "optimal"
    sweep = m.frontier(LARGER, lambda eps: EpsDelta(LIP(eps), 0.1), [0.1, 0.3, 0.6], time_limit=60)
    assert sweep[1].utility == pytest.approx(known.utility, abs=1e-6)
    assert sweep[0].utility < sweep[1].utility < sweep[2].utility


def test_what_it_is_called_and_made_of():
    assert str(EpsDelta(LIP(0.25), 0.05)) == "0.25-LIP with δ = 0.05"
    assert EpsDelta(LIP(0.25), 0.05).is_convex()
    assert not EpsDelta(Chi2Privacy(1, 1), 0.05).is_convex()
    with pytest.raises(NotConvexError):
        EpsDelta(Chi2Privacy(1, 1), 0.05).allowed_set(SMALL)


@pytest.mark.parametrize("delta", [-0.1, 1.0, 1.5, float("nan"), INF, None, "little", True])
def test_delta_is_a_probability_below_1(delta):
    with pytest.raises(InvalidInputError, match="delta"):
        EpsDelta(LIP(1), delta)


@pytest.mark.parametrize(
    "notion",
    [
        SRLIP(1),
        Average("chi2", 1),
        Intersection(LIP(1), Average("chi2", 1)),
        EpsDelta(LIP(1), 0.1),
        "LIP",
    ],
    ids=str,
)
def test_exceptions_are_of_promises_about_each_output(notion):
    with pytest.raises(InvalidInputError, match="notion about each output separately, got"):
        EpsDelta(notion, 0.1)


BESIDE = [
    (LIP(0.1), LDP(0.5)),
    (LDP(0.2), LIP(0.6)),
    (PointwiseMaximalLeakage(0.05), MinLift(0.4)),
    (LIP(0), PointwiseMaximalLeakage(0.3)),
    (LIP(0.1), Intersection(LDP(0.8), PointwiseMaximalLeakage(0.3))),
]
"""A promise that may fail, and one that may not."""


@pytest.mark.parametrize("delta", [1e-6, 0.05, 0.6])
@pytest.mark.parametrize(("failing", "always"), BESIDE, ids=str)
@pytest.mark.parametrize("joint", [SMALL, LARGER], ids=["2x3", "3x5"])
def test_exceptions_beside_another_promise_are_its_vertices(joint, failing, always, delta):
    promise = Intersection(EpsDelta(failing, delta), always)
    strict = allowed_vertices(Intersection(failing, always).allowed_set(joint))
    others = allowed_vertices(always.allowed_set(joint))
    columns = np.vstack([strict, others])
    apart = np.repeat([0.0, 1.0], [len(strict), len(others)])
    worth = measures.entropy(joint.p_x) - entropies(columns)
    expected = -optimize.linprog(-worth, apart[None], [delta], columns.T, joint.p_x).fun
    result = m.optimal(joint, promise, time_limit=60)
    assert result.status == "optimal"
    assert result.utility == pytest.approx(expected, abs=2e-6)
    assert result.upper_bound >= expected - 1e-9
    assert always.holds(joint, result.kernel)
    assert EpsDelta(failing, delta).holds(joint, result.kernel)


def test_exceptions_that_must_be_in_a_round_set_are_bounded_by_all():
    round_set = AlphaLift(INF, 0.2, 2.0)
    promise = Intersection(EpsDelta(LIP(0.1), 0.2), round_set)
    result = m.optimal(LARGER, promise, time_limit=60)
    assert promise.holds(LARGER, result.kernel)
    strict = m.optimal(LARGER, Intersection(LIP(0.1), round_set), time_limit=60).kernel
    other = m.optimal(LARGER, round_set, time_limit=60).kernel
    mixed = np.hstack([0.8 * strict, 0.2 * other])
    assert promise.holds(LARGER, mixed)
    assert kept(LARGER, strict) - 1e-9 <= result.utility
    assert kept(LARGER, mixed) <= result.upper_bound + 1e-9


def test_what_exceptions_keep_beside_is_implied_of_rare_outputs():
    levels = implied(SMALL, Intersection(EpsDelta(LIP(0.1), 0.2), LDP(0.5)))
    assert levels["ldp"] == pytest.approx(0.5)
    assert levels["lip"] == pytest.approx(implied(SMALL, LDP(0.5))["lip"])
    assert levels["mutual_information"] < implied(SMALL, LDP(0.5))["mutual_information"]


def test_two_promises_with_exceptions_are_refused():
    text = r"got δ = 0\.1 and 0\.2: .* EpsDelta\(Intersection\(…\), δ\)"
    with pytest.raises(InvalidInputError, match=text):
        m.optimal(SMALL, Intersection(EpsDelta(LIP(0.3), 0.1), EpsDelta(LDP(1), 0.2)))


def test_a_promise_beside_exceptions_that_asks_nothing_changes_nothing():
    free = m.optimal(SMALL, Intersection(EpsDelta(LIP(0.3), 0.1), LDP(INF)))
    assert free.utility == pytest.approx(m.optimal(SMALL, EpsDelta(LIP(0.3), 0.1)).utility)


def test_exceptions_do_not_save_what_no_output_keeps():
    with pytest.raises(InfeasibleError, match=r"'s1' alone has probability 0\.5"):
        m.optimal(SMALL, EpsDelta(GuessingProbability(0.4), 0.1))


@pytest.mark.parametrize(
    "purpose",
    [Guess([[0.9, 0.6], [0.1, 0.4]]), SquaredError([1, 1]), Task([[0.5, 0.5], [0.5, 0.5]])],
)
@pytest.mark.parametrize("delta", [0.0, 0.03])
def test_a_purpose_that_nothing_changes_ends(purpose, delta):
    for counts in ([[15, 5], [1, 65], [12, 3]], [[153, 50], [2, 646], [122, 28]]):
        joint = Joint.from_counts(counts)
        notion = EpsDelta(PointwiseMaximalLeakage(0.4), delta)
        best = m.optimal(joint, notion, utility=purpose)
        nothing, everything = purpose.range(joint)
        assert best.utility == pytest.approx(nothing, abs=1e-9)
        assert best.upper_bound == pytest.approx(everything, abs=1e-9)


@pytest.mark.parametrize("peeled_whole", [39, 40])
def test_exceptions_of_many_symbols_begin_with_the_optimum_without_any(peeled_whole, monkeypatch):
    """At 10×442 in 1 s they kept .34 of X, and .62 is kept without; 6×10000 took 2.4 GB."""
    monkeypatch.setitem(vars(SIZES), "peeled_symbols", 40)
    monkeypatch.setitem(vars(SIZES), "peeled_whole", peeled_whole)
    joint = Joint.from_counts(np.random.default_rng(1).random((3, 40)))
    allowed = EpsDelta(LIP(0.3), 0.02).allowed_set(joint)
    listed, outputs = [], solve.excepted_outputs
    monkeypatch.setattr(solve, "excepted_outputs", lambda *of: (listed.append(0), outputs(*of))[1])
    with clock.using(clock.Ticking(1e-3)):
        result = maximise(allowed, joint.p_x, time_limit=1.0)
        strict = maximise(replace(allowed, exceptions=0.0), joint.p_x, time_limit=0.3)
    assert len(listed) == (peeled_whole == 40)
    assert result.utility >= strict.utility > 0
    assert result.upper_bound >= result.utility
