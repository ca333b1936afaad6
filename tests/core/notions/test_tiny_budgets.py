"""Budgets near 0 where S hardly depends on X: one meaning for the optimum and for the audit."""

from decimal import Decimal, getcontext
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.joint import Joint
from core.mechanisms import optimal
from core.notions import (
    ALIP,
    LDP,
    LIP,
    AlphaLift,
    Average,
    Chi2Privacy,
    L1Lift,
    L1Privacy,
    PointwiseDivergence,
)
from core.release.implications import implied
from core.utilities import Information

getcontext().prec = 60

NEAR = [[0.38420920377552936, 0.12265894621245149], [0.7468197634308884, 0.23842467838582602]]
"""Lifts are 1 to within 5e-6: a divergence of 1e-12 lets through what lifts do not."""


def kl(lifts, p_s):
    """Return D(P(S|y) ‖ P(S)) in nats."""
    return sum(p * lift * lift.ln() for p, lift in zip(p_s, lifts, strict=True))


def alpha_2(lifts, p_s):
    """Return the log of the α-lift of order 2."""
    return sum(p * lift**2 for p, lift in zip(p_s, lifts, strict=True)).ln() / 2


def alpha_2_inverse(lifts, p_s):
    """Return the log of the α-lift-inverse of order 2."""
    return sum(p / lift**2 for p, lift in zip(p_s, lifts, strict=True)).ln() / 2


def farthest(weights, level, eps):
    """Return the posterior of each symbol moved to P_X until its level is eps, in 60 digits."""
    total = sum(map(sum, weights))
    p = [[Decimal(w) / total for w in row] for row in weights]
    p_s, p_x = [sum(row) for row in p], [sum(column) for column in zip(*p, strict=True)]
    lift = [[p[s][x] / p_s[s] / p_x[x] for x in range(2)] for s in range(2)]

    def fits(x, share):
        lifts = [1 + share * (lift[s][x] - 1) for s in range(2)]
        return all(item(lifts, p_s) <= eps for item in level)

    for x in range(2):
        low, high = Decimal(0), Decimal(1)
        if fits(x, high):
            low = high
        for _ in range(150):
            middle = (low + high) / 2
            low, high = (middle, high) if fits(x, middle) else (low, middle)
        yield [low * int(z == x) + (1 - low) * p_x[z] for z in range(2)]


def largest_information(weights, level, eps):
    """Return the largest I(X;Y) with two symbols: Y has the two outermost allowed posteriors."""
    (a, b), (c, d) = farthest([[Decimal(w) for w in row] for row in weights], level, Decimal(eps))
    total = Decimal(float(np.sum(weights)))
    p_x = sum(Decimal(row[0]) for row in weights) / total
    if a == c:
        return 0.0
    share = (p_x - c) / (a - c)

    def entropy(*parts):
        return -sum(part * part.ln() for part in parts if part > 0)

    return float(entropy(p_x, 1 - p_x) - share * entropy(a, b) - (1 - share) * entropy(c, d))


EPS = ["0", "1e-14", "1e-13", "1e-12", "2e-12", "1e-11", "1e-9"]


@pytest.mark.parametrize("solver", ["enumerate", "columns", "auto"])
@pytest.mark.parametrize("eps", EPS)
@pytest.mark.parametrize(
    ("make", "level"),
    [
        (PointwiseDivergence, [kl]),
        (lambda eps: AlphaLift(eps, eps, 2), [alpha_2, alpha_2_inverse]),
        (lambda eps: AlphaLift(np.inf, eps, 2), [alpha_2]),
    ],
)
def test_a_tiny_budget_of_a_quadratic_measure_means_what_it_says(make, level, eps, solver):
    made = optimal(Joint.from_counts(NEAR), make(float(eps)), solver=solver)
    known = largest_information(NEAR, level, eps)
    assert made.status == "optimal"
    assert made.utility == pytest.approx(known, abs=1e-6)
    assert made.upper_bound >= known - 1e-9


def test_the_audit_takes_no_lift_for_1_that_is_not():
    joint = Joint.from_counts(NEAR)
    for notion in (PointwiseDivergence(0), PointwiseDivergence(1e-13), AlphaLift(0, 0, 2)):
        assert not notion.holds(joint, np.eye(2))
        assert notion.holds(joint, np.ones((2, 1)))
    for measure in ("mutual_information", "chi2"):
        assert not Average(measure, 0).holds(joint, np.eye(2))
    assert not Average("sibson", 0, order=2).holds(joint, np.eye(2))
    assert not Average("arimoto", 0, order=0.5).holds(joint, np.eye(2))


@pytest.mark.parametrize("away", [5e-13, 2e-12, 1e-11, 3e-9, 1e-7])
@pytest.mark.parametrize("n_x", [2, 3, 5])
def test_no_solver_proves_what_another_disproves_where_lifts_are_almost_1(away, n_x):
    rng = np.random.default_rng(n_x)
    p_x, slope = rng.dirichlet(np.full(n_x, 3.0)), rng.normal(size=n_x)
    slope -= slope @ p_x
    slope *= away / np.abs(slope).max()
    joint = Joint.from_counts([0.4 * p_x * (1 + slope), 0.6 * p_x * (1 - 0.4 / 0.6 * slope)])
    for notion in (
        *(LIP(0), LIP(1e-13), LIP(1e-12), ALIP(1e-14, 9.9e-13)),
        *(PointwiseDivergence(0), PointwiseDivergence(1e-24), AlphaLift(0, 0, 2)),
        *(L1Privacy(np.inf, 1e-13), Chi2Privacy(np.inf, 1e-13)),
    ):
        result = [optimal(joint, notion, solver=item) for item in ("enumerate", "columns")]
        for item, other in product(result, result):
            assert item.utility <= other.upper_bound + 1e-6
        for item in result:
            assert item.status != "optimal" or item.gap <= 1e-6 * item.purpose.size()


@pytest.mark.parametrize(
    "weights", [NEAR, [[1e-9, 0, 1e-9], [0.25, 0.25, 0.5]], [[5, 1], [1, 1e7]]]
)
@pytest.mark.parametrize("notion", [PointwiseDivergence(0), AlphaLift(0, 0, 2)])
def test_what_perfect_privacy_implies_is_perfect(weights, notion):
    levels = implied(Joint.from_counts(weights), notion)
    for key in ("lip", "ldp", "pml", "kl", "mutual_information", "chi2_divergence"):
        assert levels[key] == pytest.approx(0, abs=1e-11), key


HARDLY = [[3e10 + 1, 3e10], [3e10, 3e10 + 1]]
"""Exact counts with lifts of 1 ± 1.7e-11: a divergence of 1e-24 lets a good part through."""


@pytest.mark.parametrize("solver", ["enumerate", "columns", "auto"])
@pytest.mark.parametrize("eps", ["1e-26", "1e-25", "1e-24", "1e-23"])
@pytest.mark.parametrize(
    ("make", "level"),
    [(PointwiseDivergence, [kl]), (lambda eps: AlphaLift(eps, eps, 2), [alpha_2, alpha_2_inverse])],
)
def test_no_budget_above_0_counts_as_0(make, level, eps, solver):
    """The audit's slack at 0 is 1e-24: what it took for 0 was proven to tell nothing."""
    notion, joint = make(float(eps)), Joint.from_counts(HARDLY)
    known = largest_information(HARDLY, level, eps)
    assert known > 1e-6
    assert optimal(joint, notion, solver=solver).upper_bound >= known
    assert optimal(joint, make(0.0), solver=solver).upper_bound < 1e-9


def test_what_a_budget_implies_of_its_own_level_is_not_below_it():
    joint = Joint.from_counts(NEAR)
    assert implied(joint, PointwiseDivergence(1e-24))["kl"] == pytest.approx(1e-24)


AVERAGES = [
    ("mutual_information", None),
    ("chi2", None),
    ("sibson", 2.0),
    ("sibson", 0.5),
    ("arimoto", 2.0),
    ("arimoto", 0.5),
]


@pytest.mark.parametrize("eps", [1e-14, 1e-13, 1e-12])
@pytest.mark.parametrize(("measure", "order"), AVERAGES)
def test_a_tiny_budget_on_an_average_lets_a_part_of_x_through(measure, order, eps):
    """X itself for a share of the records tells about that share of what X itself tells."""
    joint = Joint.from_counts(NEAR)
    notion = Average(measure, eps, order=order)
    share = min(1.0, 0.99 * eps / notion.achieved(joint, np.eye(2)))
    assert share > 1e-5
    part = np.column_stack([share * np.eye(2), np.full(2, 1 - share)])
    assert notion.holds(joint, part)
    assert notion.holds(joint, np.eye(2)) == (share == 1)
    kept = share * -float(joint.p_x @ np.log(joint.p_x))
    made = optimal(joint, notion)
    assert made.upper_bound >= made.utility >= kept - 1e-9
    assert notion.holds(joint, made.kernel)
    perfect = optimal(joint, Average(measure, 0.0, order=order))
    assert perfect.upper_bound < 1e-9
    assert perfect.status == "optimal"


def hardly_more(seed, rank, away):
    """Return weights, (5, 5), with posteriors of a rank, and the same but for differences."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(rank), size=5).T
    shares[:, : rank + 1] = np.eye(rank)[:, np.arange(rank + 1) % rank]  # two posteriors are equal
    exact = rng.dirichlet(np.ones(5), size=rank).T @ shares * rng.dirichlet(np.full(5, 3.0))
    return exact, exact * (1 + away * rng.uniform(-1, 1, (5, 5)))


@given(
    seed=st.integers(0, 10**6),
    rank=st.integers(2, 4),
    away=st.sampled_from([1e-15, 1e-14, 1e-13, 4e-13, 1e-12, 3e-12, 1e-11]),
    notion=st.sampled_from(
        [
            *(LIP(0), LIP(1e-13), LIP(1e-12), LDP(0), ALIP(1e-14, 9.9e-13)),
            *(PointwiseDivergence(0), AlphaLift(0, 0, 2)),
            *(L1Privacy(np.inf, 0), Chi2Privacy(np.inf, 0)),
        ]
    ),
)
@settings(max_examples=30)
def test_what_the_audit_takes_for_equal_the_optimum_takes_for_equal(seed, rank, away, notion):
    """Of posteriors that differ by 1e-13 an enumeration proved .15 where the audit passed .67."""
    exact, weights = hardly_more(seed, rank, away)
    joint = Joint.from_counts(weights)
    result = [optimal(joint, notion, solver=item) for item in ("enumerate", "columns")]
    known = optimal(Joint.from_counts(exact), notion).kernel
    for item in result:
        assert notion.holds(joint, item.kernel)
        assert item.status != "optimal" or item.gap <= 1e-6 * item.purpose.size()
        for other in result:
            assert item.utility <= other.upper_bound + 1e-6
        if notion.holds(joint, known):
            assert item.purpose.value(joint, known) <= item.upper_bound + 1e-6
    if away <= 1e-13 and notion.holds(joint, known):
        kept = result[0].purpose.value(joint, known)
        assert all(item.utility >= kept - 1e-6 for item in result)


@pytest.mark.parametrize("eps", [1e-12, 1e-11, 1e-10, 1e-9])
def test_a_search_begins_with_what_perfect_privacy_keeps(eps):
    # rounding in a row left its program only an eighth of that at 1e-12
    counts = [[3, 0, 0, 0, 1, 2], [3, 0, 0, 0, 1, 2], [0, 0, 3, 1, 2, 3], [1, 0, 1, 2, 2, 2]]
    joint = Joint.from_counts(counts)
    least = optimal(joint, L1Lift(0.0)).utility
    assert least > 0.7
    result = optimal(joint, L1Lift(eps), time_limit=2)
    assert result.utility >= least - 1e-12
    assert result.audit.holds


@pytest.mark.parametrize("notion", [ALIP(0, 0), LDP(0), Chi2Privacy(np.inf, 0)], ids=str)
@pytest.mark.parametrize("rare", [1e-6, 1e-9, 1e-12])
def test_a_secret_of_one_rare_symbol_alone_leaves_equal_posteriors_equal(notion, rare):
    """A search proved that nothing can be kept, where the audit passes what the lemma keeps."""
    posteriors = np.array([[0.27, 0.32, 0.41], [0, 0.8, 0.2], [0, 0.8 + 8e-16, 0.2 - 8e-16]])
    mass = np.array([rare, 0.49, 0.51])
    joint = Joint.from_counts(mass / mass.sum() * posteriors.T)
    two = np.array([[0.49, 0.51], [1, 0], [0, 1]])
    assert notion.holds(joint, two)
    for solver in ("auto", "enumerate", "columns"):
        result = optimal(joint, notion, solver=solver)
        assert result.status == "optimal"
        assert abs(result.utility - Information().value(joint, two)) <= 1e-6
