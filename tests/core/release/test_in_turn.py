"""Columns released in turn: against sums by definition in exact fractions, and known cases."""

import math
import sys
from fractions import Fraction
from itertools import pairwise, product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import clock
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms import optimal
from core.notions import LDP, LIP, Average, Given
from core.release import in_turn, released_in_turn, split_budget
from core.release.in_turn import LEVELS, PARTS

XOR = np.zeros((2, 2, 2, 1))
for first, other in product(range(2), repeat=2):
    XOR[first ^ other, first, other] = 1

CORRELATED = np.array([[[8, 2], [3, 1]], [[1, 3], [2, 9]]])[..., None]


def kernels_of(draw, sizes):
    """Draw a kernel in sixteenths for each column."""
    result = []
    for n_x in sizes:
        n_y = draw(st.integers(1, 3))
        cuts = st.lists(st.integers(0, 16), min_size=n_y - 1, max_size=n_y - 1)
        rows = [[0, *sorted(draw(cuts)), 16] for _ in range(n_x)]
        result.append([[(b - a) / 16 for a, b in pairwise(row)] for row in rows])
    return result


@st.composite
def tables(draw, least=0):
    """Counts of (s, x_1, x_2, k) with zeros, and two kernels."""
    shape = tuple(draw(st.integers(low, 3)) for low in (2, 1, 1, 1))
    size = math.prod(shape)
    flat = draw(st.lists(st.sampled_from([0, 0, 1, 2, 5]), min_size=size, max_size=size))
    counts = np.array(flat).reshape(shape) + least
    counts[0, 0, 0, 0] += 1
    return counts, kernels_of(draw, shape[1:3])


def products(counts, kernels):
    """Return P(s, y_1, …, k) up to a factor, by its definition, as fractions."""
    *inner, n_k = counts.shape[1:]
    shape = [len(kernel[0]) for kernel in kernels]
    result = {}
    for s, k, *ys in product(range(len(counts)), range(n_k), *map(range, shape)):
        result[s, k, tuple(ys)] = sum(
            int(counts[(s, *xs, k)])
            * math.prod(
                Fraction(kernel[x][y]) for kernel, x, y in zip(kernels, xs, ys, strict=True)
            )
            for xs in product(*map(range, inner))
        )
    return result


def levels(after, before):
    """Return the four levels of beliefs by what is known: {known: {s: mass}}, as fractions."""
    ratios, lifts = [Fraction(1)], [Fraction(1)]
    ruled_out = False
    for known, masses in after.items():
        total = sum(masses.values())
        if not total:
            continue
        prior = before(known)
        own = [
            Fraction(masses[s], total) / Fraction(prior[s], sum(prior.values()))
            for s in masses
            if prior[s]
        ]
        ruled_out = ruled_out or min(own) == 0
        lifts += own
        if min(own):
            ratios.append(max(own) / min(own))
    low = math.inf if ruled_out else -math.log(min(lifts))
    high = math.log(max(lifts))
    ratio = math.inf if ruled_out else math.log(max(ratios))
    return {"lip": max(low, high), "ldp": ratio, "pml": high, "min_lift": low}


def by_known(result, n_s, outputs):
    """Return the masses of each secret by k and the first outputs."""
    sums = {}
    for (s, k, ys), mass in result.items():
        masses = sums.setdefault((k, ys[:outputs]), dict.fromkeys(range(n_s), Fraction(0)))
        masses[s] += mass
    return sums


def same(result, expected):
    for key in LEVELS:
        assert result[key] == pytest.approx(expected[key], rel=1e-12, abs=1e-13), key


@settings(max_examples=40)
@given(tables())
def test_the_figures_are_those_of_the_definition(table):
    counts, kernels = table
    n_s = len(counts)
    result, exact = in_turn(counts, kernels), products(counts, kernels)
    known = [by_known(exact, n_s, outputs) for outputs in range(3)]
    for step in (1, 2):
        before = known[step - 1]
        same(
            result.added[step - 1],
            levels(known[step], lambda at, of=before, n=step - 1: of[at[0], at[1][:n]]),
        )
    prior = {s: int(counts[s].sum()) for s in range(n_s)}
    same(result.together.known, levels(known[0], lambda _: prior))
    same(result.together.added, levels(known[2], lambda at: known[0][at[0], ()]))
    same(result.together.file, levels(known[2], lambda _: prior))


@settings(max_examples=60)
@given(tables())
def test_all_outputs_reveal_at_most_the_sum(table):
    result = in_turn(*table)
    for key in LEVELS:
        total = sum(item[key] for item in result.added)
        assert result.bound[key] == pytest.approx(result.together.known[key] + total)
        assert result.together.added[key] <= total + 1e-12
        assert result.together.file[key] <= result.bound[key] + 1e-12


@settings(max_examples=12)
@given(tables(least=1), st.sampled_from([(0.3, 0.6), (1.0, 0.0), (0.2, 0.2)]))
def test_mechanisms_in_turn_stay_within_the_sum_of_their_budgets(table, budgets):
    counts, _ = table
    made = released_in_turn(counts, [LIP(eps) for eps in budgets], order=[1, 0])
    assert [item.notion.notion.eps for item in made.mechanisms] == [budgets[1], budgets[0]]
    turned = np.swapaxes(counts, 1, 2)
    kernels = [item.kernel for item in made.mechanisms]
    known = [by_known(products(turned, kernels), len(counts), outputs) for outputs in range(3)]
    for step, eps in ((1, budgets[1]), (2, budgets[0])):
        before = known[step - 1]
        exact = levels(known[step], lambda at, of=before, n=step - 1: of[at[0], at[1][:n]])
        assert exact["lip"] <= eps + 1e-9
    exact = levels(known[2], lambda at: known[0][at[0], ()])
    assert exact["lip"] <= sum(budgets) + 1e-9
    same(made.released.together.added, in_turn(turned, kernels).together.added)


def test_made_apart_they_break_the_sum_and_in_turn_they_do_not():
    """S is x_1 xor x_2: each column by itself needs no protection."""
    apart = [
        optimal(Joint.from_counts(XOR.sum(axis=(other, 3))), LIP(0.1)).kernel for other in (2, 1)
    ]
    assert in_turn(XOR, apart).together.added["lip"] == math.inf
    made = released_in_turn(XOR, [LIP(0.1), LIP(0.1)])
    assert made.mechanisms[0].kept == pytest.approx(1)
    assert made.released.together.added["lip"] <= 0.2 + 1e-12
    assert 0 < made.mechanisms[1].kept < 0.1


def test_one_column_is_released_as_given_what_is_known():
    counts = CORRELATED.sum(axis=1)
    counts = np.concatenate([counts, counts[::-1] + 1], axis=2)
    made = released_in_turn(counts, [LDP(0.5)])
    alone = optimal(Joint.from_counts(counts.sum(axis=2)), Given(LDP(0.5), counts))
    assert made.mechanisms[0].utility == pytest.approx(alone.utility, abs=1e-9)
    assert made.released.bound["ldp"] == pytest.approx(
        made.released.together.known["ldp"] + made.released.added[0]["ldp"]
    )


def test_a_symbol_that_never_occurs_has_no_row():
    padded = np.zeros((3, 3, 2, 1))
    padded[np.ix_([0, 2], [0, 2], [0, 1], [0])] = CORRELATED
    made, plain = (
        released_in_turn(counts, [LIP(0.4), LIP(0.3)]) for counts in (padded, CORRELATED)
    )
    assert made.mechanisms[0].x_labels == ("x1", "x3")
    assert made.kept == pytest.approx(plain.kept, abs=1e-9)
    same(made.released.together.added, plain.released.together.added)


def test_the_split_is_at_least_as_good_as_any_of_a_grid():
    made = split_budget(CORRELATED, 0.6)
    budgets = [item.notion.notion.eps for item in made.mechanisms]
    assert sum(budgets) == pytest.approx(0.6)
    assert made.released.together.added["lip"] <= 0.6 + 1e-9
    for order in ([0, 1], [1, 0]):
        for parts in range(0, PARTS + 1, 6):
            shares = [LIP(0.6 * parts / PARTS), LIP(0.6 * (PARTS - parts) / PARTS)]
            assert released_in_turn(CORRELATED, shares, order).kept <= made.kept + 1e-5


def test_a_budget_of_other_notions_is_split_too():
    made = split_budget(CORRELATED, 0.6, LDP)
    assert made.released.together.added["ldp"] <= 0.6 + 1e-9


def test_four_columns_have_parts_that_add_up():
    rng = np.random.default_rng(2)
    joint = rng.integers(1, 9, size=(2, 2, 2, 2, 2, 1))
    with clock.using(clock.Ticking(0.05)):
        made = split_budget(joint, 0.8, time_limit=3)
    assert sorted(made.order) == [0, 1, 2, 3]
    assert sum(item.notion.notion.eps for item in made.mechanisms) == pytest.approx(0.8)
    assert made.released.together.added["lip"] <= 0.8 + 1e-9


def test_without_time_the_first_design_is_returned():
    with clock.using(clock.Ticking(0.01)):
        made = split_budget(CORRELATED, 0.6, time_limit=0)
    assert made.order == (0, 1)
    assert [item.notion.notion.eps for item in made.mechanisms] == [0.3, 0.3]
    assert made.released.together.added["lip"] <= 0.6 + 1e-9


def test_where_outputs_are_many_the_bound_is_left():
    kernels = [np.eye(2), np.eye(2)]
    with patch.object(sys.modules[in_turn.__module__], "MOST_TOGETHER", 3):
        result = in_turn(CORRELATED, kernels)
    assert result.together is None
    assert result.bound == in_turn(CORRELATED, kernels).bound


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: in_turn([[1, 2], [3, 4]], []), "got 2 axes"),
        (lambda: in_turn(np.zeros((2, 2, 2, 1)), [np.eye(2)] * 2), "must not be all zero"),
        (lambda: in_turn(-XOR, [np.eye(2)] * 2), "at least 0"),
        (lambda: in_turn(XOR, [np.eye(2)]), "has 2 columns to release, got 1 kernels"),
        (lambda: in_turn(XOR, [np.eye(2), np.eye(3)]), "must have 2 rows"),
        (lambda: released_in_turn(XOR, [LIP(1)]), "has 2 columns to release, got 1 notions"),
        (lambda: released_in_turn(XOR, [LIP(1)] * 2, [0, 0]), "each of the columns 0 to 1 once"),
        (lambda: released_in_turn(XOR, [Average("mutual_information", 1)] * 2), "each output"),
        (lambda: split_budget(XOR, math.inf), "must be finite to be split"),
        (lambda: split_budget(XOR, -1), "ε must be in [0, inf], got -1"),
    ],
)
def test_bad_input_is_one_sentence(call, sentence):
    with pytest.raises(InvalidInputError) as error:
        call()
    assert sentence in str(error.value)


def test_what_would_not_fit_into_memory_is_one_sentence():
    with (
        patch.object(sys.modules[in_turn.__module__], "MOST_HELD", 7),
        pytest.raises(InvalidInputError, match="merge rare values"),
    ):
        in_turn(XOR, [np.eye(2), np.eye(2)])
