"""Each wrong rule of print is refuted by numbers in whole fractions, without the code it is in."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from core.joint import Joint
from core.mechanisms import polyopt, subset_merging
from core.notions import LIP
from core.papers import as_printed
from core.uncertainty import RenyiBall

HALF = Fraction(1, 2)


def lifts(weights, members):
    """Return P(A | s)/P(A) of each secret for a set of columns of whole weights."""
    whole = Fraction(sum(map(sum, weights)))
    mass = [Fraction(sum(row[x] for x in members)) for row in weights]
    return [m / sum(row) * whole / sum(mass) for m, row in zip(mass, weights, strict=True)]


def outputs(sets, n_x):
    """Return sets of symbols with the symbols in none as sets of their own."""
    merged = {x for one in sets for x in one}
    return [*sets, *((x,) for x in range(n_x) if x not in merged)]


def information(weights, sets):
    """Return I(X;Y) = H(Y) of a merging, in nats."""
    whole = sum(map(sum, weights))
    shares = [sum(row[x] for row in weights for x in one) / whole for one in sets]
    return -sum(share * math.log(share) for share in shares)


def test_omega_does_not_see_how_far_a_belief_falls():
    weights = [[49, 25, 26], [1, 25, 74]]
    telling, silent = lifts(weights, [0]), lifts(weights, [1])
    assert telling == [Fraction(49, 25), Fraction(1, 25)]  # a belief falls to a 25th
    assert silent == [1, 1]
    for one in (telling, silent):
        assert as_printed.risk_as_printed(np.array(one, dtype=float)) == 2
    # of two sets with one Λ it prefers the one with the smaller Ψ, even where that is 0
    excluding = lifts([[10, 3], [1, 12], [13, 0]], [1])
    assert excluding == [Fraction(3, 5), Fraction(12, 5), 0]
    for first, second in ((excluding, [*excluding[:2], HALF]), (telling, [telling[0], HALF])):
        at = [as_printed.risk_as_printed(np.array(one, dtype=float)) for one in (first, second)]
        assert min(first) < min(second)
        assert at[0] < at[1]


@pytest.mark.parametrize(
    ("wrong", "weights", "merged"),
    [
        (
            "risk",
            [[1, 2, 1, 3, 1, 4], [3, 5, 3, 1, 4, 2], [1, 5, 1, 1, 6, 3]],
            ((3, 4), (0, 1, 2, 5)),
        ),
        (
            "line 4",
            [[1, 3, 2, 2, 2, 1], [2, 7, 1, 1, 2, 2], [4, 3, 4, 3, 4, 3]],
            ((0, 1, 2, 3),),
        ),
    ],
)
def test_algorithm_1_as_printed_merges_what_need_not_be_merged(wrong, weights, merged):
    notion, limit = LIP(math.log(1.5)), Fraction(3, 2)
    joint = Joint.from_counts(weights)
    assert as_printed.subset_merging_as_printed(joint, notion, wrong) == merged
    printed = outputs(merged, 6)
    right = list(subset_merging(joint, notion).partition)
    for sets in (printed, right):  # both keep the promise: every lift is in [2/3, 3/2]
        assert sorted(x for one in sets for x in one) == list(range(6))
        for one in sets:
            assert 1 / limit <= min(lifts(weights, one)) <= max(lifts(weights, one)) <= limit
    assert len(right) == len(printed) + 1
    assert information(weights, right) > information(weights, printed) + 0.1


@pytest.mark.parametrize("first", [Fraction(16, 100), Fraction(72, 100)])
def test_members_of_the_set_of_example_2_are_outside_its_printed_conditionals(first):
    ball = RenyiBall.confidence([[7, 10], [26, 57]], 100)
    estimate = [[Fraction(7, 100), Fraction(10, 100)], [Fraction(26, 100), Fraction(57, 100)]]
    # s1 is taken a little more often than .17, and u1 under it as `first` in place of 7/17
    share, second = Fraction(19, 100), Fraction(26, 83)
    member = [
        [share * first, share * (1 - first)],
        [(1 - share) * second, (1 - share) * (1 - second)],
    ]
    assert sum(map(sum, member)) == 1
    growth = sum(estimate[s][u] ** 2 / member[s][u] for s in (0, 1) for u in (0, 1))
    assert growth < Fraction(math.exp(ball.bound)) * (1 - Fraction(1, 10**9))  # e^D at α = 2
    apart = Fraction(7, 17) ** 2 / first + Fraction(10, 17) ** 2 / (1 - first)
    printed, right = as_printed.conditional_bound_as_printed(ball)[0], ball.conditional_bound[0]
    assert math.exp(printed) < apart < math.exp(right)
    u = 0 if first < HALF else 1
    chance = (first, 1 - first)[u]
    assert ball.lower[0, u] < chance < as_printed.lower_as_printed(ball)[0, u]
    if u == 1:  # the farther end decides the radius, the ℓ1 distance of two u
        radius = 2 * abs(first - Fraction(7, 17))
        assert as_printed.radius_as_printed(ball)[0] < radius < ball.radius[0]


def test_independent_reporting_with_one_coordinate_breaks_its_promise_at_the_estimate_itself():
    ball = RenyiBall(np.array([[0.5, 0.0], [0.25, 0.25]]), 0.0)
    assert as_printed.distance_of_one_coordinate(ball) == 0.5  # the ℓ1 distance is ½ + ½
    kernel = as_printed.independent_reporting_as_printed(ball, math.log(2))
    exact = [[Fraction(float(one)) for one in row] for row in kernel]
    given = [[1, 0, 0, 0], [0, 0, HALF, HALF]]  # P(s', u | s) of both secrets, s' = s
    chances = [[sum(of[x] * exact[x][y] for x in range(4)) for y in range(4)] for of in given]
    most = max(one[y] / other[y] for one, other in (chances, chances[::-1]) for y in range(4))
    assert most > Fraction(11, 5)  # e^ε is 2


def test_rows_of_one_secret_forbid_what_definition_1_allows():
    cells, growth = [[0.07, 0.10], [0.26, 0.57]], 2
    ball = RenyiBall.confidence(cells, n=100)
    free = polyopt(cells, math.log(growth), ball)
    strict = as_printed.polyopt_as_printed(cells, math.log(growth), ball)
    assert free.utility > strict.utility + 0.1
    low = [[Fraction(float(one)) for one in row] for row in ball.lower]
    # the ends of the interval of P(u | s) for each secret: its polytope's two vertices
    ends = [[[one, 1 - one], [1 - other, other]] for one, other in low]
    kernel = [[Fraction(float(one)) for one in row] for row in free.kernel]

    def chance(s, at, y):
        return sum(share * kernel[2 * s + u][y] for u, share in enumerate(at))

    def most(pairs):
        return max(
            chance(s1, a, y) - growth * chance(s2, b, y)
            for s1, s2 in pairs
            for a, b in product(ends[s1], ends[s2])
            for y in range(len(kernel[0]))
        )

    rounding = Fraction(1, 10**8)
    assert most([(0, 1), (1, 0)]) < rounding  # ε-RLDP over the polytopes
    assert most([(0, 0), (1, 1)]) > Fraction(1, 10)  # the rows s1 = s2 of print say no


def test_two_protocols_that_say_nothing_reveal_a_secret_together():
    first, second = np.repeat(np.eye(2), 2, axis=0), np.tile(np.eye(2), (2, 1))  # tell a, tell b
    whole = as_printed.product_as_printed([first, second])
    assert set(np.unique(whole)) == {0.0, 1.0}
    quarter = Fraction(1, 4)
    cells = {(a ^ b, 5 * (2 * a + b)): quarter for a in (0, 1) for b in (0, 1)}  # both are (a, b)

    def level(output):
        """Return the largest P(s | y)/P(s) of a function of the record."""
        found = []
        for y in set(map(output, range(16))):
            of = {
                s: sum(p for (t, x), p in cells.items() if t == s and output(x) == y)
                for s in (0, 1)
            }
            if total := sum(of.values()):
                found += [one / total / HALF for one in of.values()]
        return max(found)

    assert level(lambda x: first[x // 4].argmax()) == 1
    assert level(lambda x: second[x % 4].argmax()) == 1
    assert level(lambda x: whole[x].argmax()) == 2
