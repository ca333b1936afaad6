"""The reference itself: known rays, known optima, enclosures that close, and that it can say no."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import exp, inf, log

import pytest

from core import mechanisms, notions
from tests.exact.extreme_rays import extreme_rays, primitive
from tests.exact.optimum import Program, SingularError, budgeted, information, solved, truth
from tests.exact.promises import Promise, exponential
from tests.exact.questions import PROMISES, Question, promise, question, simpler, smaller
from tests.exact.verdict import answer, rivals

XOR = ((0, 1, 0, 0), (2, 0, 3, 2), (0, 0, 3, 3))


def rays_by_every_basis(n, rows):
    """Return the extreme rays found by trying every n − 1 conditions."""
    conditions = [[int(i == j) for j in range(n)] for i in range(n)] + [list(row) for row in rows]
    result = set()
    for chosen in combinations(conditions, n - 1):
        for last in range(n):
            system = [*chosen, [int(i == last) for i in range(n)]]
            try:
                ray = solved([list(map(Fraction, row)) for row in system], [0] * (n - 1) + [1])
            except SingularError:
                continue
            exact = [Fraction(entry) for entry in ray]
            if all(sum(a * b for a, b in zip(row, exact, strict=True)) >= 0 for row in conditions):
                scale = 1
                for entry in exact:
                    scale *= (entry * scale).denominator
                result.add(primitive([int(entry * scale) for entry in exact]))
            break
    return result


def test_rays_are_those_of_every_basis(subtests):
    for seed in range(30):
        chance = random.Random(seed)
        n = chance.randint(2, 4)
        rows = [[chance.randint(-3, 4) for _ in range(n)] for _ in range(chance.randint(0, 5))]
        with subtests.test(seed=seed):
            result = extreme_rays(n, rows)
            assert len(set(result)) == len(result)
            assert set(result) == rays_by_every_basis(n, rows)


def test_a_budget_of_costs_is_spent_on_erased_outputs():
    """Outputs of S = X uniform cost 2a − 1 and gain log 2 − h(a): best are a = 1 and nothing."""
    for limit in (Fraction(1, 4), Fraction(1, 10**15), Fraction(1)):
        low, high = budgeted([[1, 0], [0, 1]], [[1, -1], [-1, 1]], limit)
        assert low <= high <= low + 1e-12
        assert low == pytest.approx(float(limit) * log(2), rel=1e-12)


def test_a_budget_of_no_cost_asks_for_independence():
    """Outputs of [[3, 1], [1, 3]] beside a third symbol that tells nothing: that alone is told."""
    counts = [[3, 1, 4], [1, 3, 4]]
    excess = [[Fraction(1, 4), Fraction(-1, 4), 0], [Fraction(-1, 4), Fraction(1, 4), 0]]
    low, high = budgeted(counts, excess, 0)
    assert low == pytest.approx(log(2), rel=1e-12)
    assert high == pytest.approx(log(2), rel=1e-12)


def test_a_system_without_a_single_solution_is_no_solution():
    with pytest.raises(SingularError):
        solved([[Fraction(1), Fraction(2)], [Fraction(2), Fraction(4)]], [1, 2])


def test_exponentials_are_enclosed():
    for eps in (0.01, 1.0, 50.0, 2e-12):
        low, high = exponential(eps, up=False), exponential(eps, up=True)
        assert low < high <= low + Fraction(1, 10**29)
        assert float(low) == pytest.approx(exp(eps), rel=1e-15)
    assert exponential(0.0, up=True) == 1


def test_known_optima():
    xor = truth(XOR, Promise("SRLIP", (5.0, (2, 2))))
    assert xor.low == pytest.approx(1.180472316, abs=1e-9)
    skew = ((795607, 476812, 636606), (848260, 508375, 678733))
    assert truth(skew, Promise("LDP", (0.0,))).high == pytest.approx(0.545995917, abs=1e-9)


@pytest.mark.parametrize("eps", [0.0, 0.25, 1.0, 3.0])
def test_binary_response_in_closed_form(eps):
    """S = X uniform on two: the optimum under LDP is randomized response."""
    result = truth(((1, 0), (0, 1)), Promise("LDP", (eps,)))
    right = exp(eps) / (1 + exp(eps))
    expected = log(2) + right * log(right) + (1 - right) * log(1 - right)
    assert result.low == pytest.approx(expected, abs=1e-12)


def test_ratios_below_every_double_are_worth_nothing():
    assert information([1, 2 * 10**400], [10**9, 10**9]) == pytest.approx(log(2) / 2)
    result = truth(((1, 3), (3, 0)), Promise("LIP", (1500.0,)))
    assert result.low == pytest.approx(-sum(p * log(p) for p in (4 / 7, 3 / 7)))


def test_no_budget_and_independence_keep_everything():
    entropy = -sum(p * log(p) for p in (0.4, 0.6))
    assert truth(((1, 3), (3, 3)), Promise("LIP", (inf,))).low == pytest.approx(entropy)
    assert truth(((2, 3), (4, 6)), Promise("LIP", (0.0,))).low == pytest.approx(entropy)


def test_a_guess_below_the_prior_has_no_answer():
    assert truth(((2, 1), (0, 1)), Promise("GuessingProbability", (0.7,))).allowed == -inf


@pytest.mark.parametrize("start", range(0, 60, 10))
def test_enclosures_close_and_budgets_order_them(start, subtests):
    for seed in range(start, start + 10):
        with subtests.test(seed=seed):
            encloses(random.Random(seed))


def encloses(chance):
    request = question(chance)
    result = truth(request.counts, request.promise)
    if result.low == -inf:
        return
    assert 0 <= result.high - result.low + 1e-15 <= 1e-9
    assert result.high <= result.allowed + 1e-9
    less = smaller(chance, request)
    if less is not None:
        assert truth(less.counts, less.promise).low <= result.high + 1e-12


def test_the_simplex_method_in_fractions_needs_no_help():
    chance = random.Random(3)
    for _ in range(20):
        n = chance.randint(2, 4)
        rows = [[chance.randint(-2, 4) for _ in range(n)] for _ in range(3)]
        rows = [row for row in rows if sum(row) >= 0]
        outputs = extreme_rays(n, rows)
        program = Program(outputs, [chance.random() for _ in outputs], [1] * n)
        low, high = program.enclosure(program.optimal())
        assert high - low <= 1e-12
        assert program.enclosure(program.proposed())[1] == pytest.approx(high, abs=1e-9)


def test_every_kind_of_promise_is_asked():
    chance = random.Random(0)
    for kind in PROMISES:
        request = promise(chance, [[1, 2, 0, 3], [2, 0, 1, 1]], [kind])
        assert request.kind == kind
        assert eval(request.code(), {**vars(notions), "inf": inf}) == request.notion()


def changed(monkeypatch, **fields):
    real = mechanisms.optimal
    monkeypatch.setattr(
        mechanisms, "optimal", lambda *args, **names: replace(real(*args, **names), **fields)
    )


FAIR = Question(((3, 1, 2), (1, 3, 2)), Promise("LIP", (0.5,)))


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"upper_bound": 0.1, "utility": 0.1}, "false bound"),
        ({"utility": 0.1}, "false proof"),
        ({"utility": 1.1}, "too good"),
    ],
)
def test_a_wrong_answer_is_a_failure(fields, kind, monkeypatch):
    known = truth(FAIR.counts, FAIR.promise)
    assert 0.2 < known.low < 1
    assert answer(FAIR, known)[1] == []
    changed(monkeypatch, **fields)
    assert kind in [failure.kind for failure in answer(FAIR, known)[1]]


def test_a_known_mechanism_above_the_bound_is_a_failure(monkeypatch):
    known = truth(FAIR.counts, FAIR.promise)
    calls, result = rivals(FAIR, known, random.Random(0))
    assert calls > 5
    assert result == []
    changed(monkeypatch, upper_bound=0.01, utility=0.01)
    kinds = {failure.kind for failure in rivals(FAIR, known, random.Random(0))[1]}
    assert kinds == {"above the bound"}


def test_simpler_questions_are_smaller():
    request = question(random.Random(5))
    size = sum(map(sum, request.counts))
    assert all(
        sum(map(sum, less.counts)) < size or less.promise != request.promise
        for less in simpler(request)
        if len(less.counts) == len(request.counts)
    )
