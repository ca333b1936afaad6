"""The worlds of the errata: the paper is broken where it should be, and what is right holds."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from core.papers.merging_worlds import of_proposition, of_theorem, proposition, theorem
from core.papers.worlds import SETTINGS


@pytest.mark.parametrize("secrets", [2, 3, 5, 12])
@pytest.mark.parametrize("excluded", [0.0, 0.05, 0.5, 1.0])
def test_total_variation_is_that_of_exact_fractions_and_within_what_holds(secrets, excluded):
    lift = Fraction(excluded).limit_denominator(100)
    other = (secrets - lift) / (secrets - 1)
    exact = (abs(lift - 1) + (secrets - 1) * abs(other - 1)) / (2 * secrets)
    result = proposition(secrets, excluded)
    assert result.variation == pytest.approx(float(exact))
    assert result.printed == pytest.approx(float(other - 1) / 2)
    assert result.right == pytest.approx(float(max(other - 1, 1 - lift)) / 2)
    assert (result.variations <= result.right_line + 1e-12).all()
    high, low = max(other, lift), min(other, lift)
    if high > low:  # the sharper bound of the world is T itself
        assert exact == (high - 1) * (1 - low) / (high - low)
    assert ("sharper" in of_proposition(result)[-1]) == (high > low)
    # with n secrets T is (1 − l)/n and the paper's bound (1 − l)/(2(n − 1)): broken from n = 3 on
    assert result.broken == (secrets > 2 and excluded < 1)


@pytest.mark.parametrize("secrets", range(2, 13))
def test_rounding_moves_no_number_by_more_than_is_derived_and_is_never_told(secrets):
    for step in range(101):
        excluded = step / 100
        lift = Fraction(excluded)  # the very double
        other = (secrets - lift) / (secrets - 1)
        exact = (
            (1 - lift + (secrets - 1) * (other - 1)) / (2 * secrets),
            (other - 1) / 2,
            max(other - 1, 1 - lift) / 2,
        )
        result = proposition(secrets, excluded)
        reached = (result.variation, result.printed, result.right)
        for number, right in zip(reached, exact, strict=True):
            assert abs(Fraction(number) - right) <= Fraction(result.rounding)
            assert (number == 0) == (right == 0)
        assert result.broken == (exact[0] > exact[1])
        assert "e-" not in " ".join(of_proposition(result))
    assert 0 < result.rounding < 1e-12


@pytest.mark.parametrize("secrets", [2, 5, 7, 12])
def test_where_no_belief_changes_the_sentence_says_so(secrets):
    assert of_proposition(proposition(secrets, 1.0))[:2] == (
        "No symbol changes any belief.",
        "T(S;Y) is 0, not above the paper's bound of 0. The correct bound is 0.",
    )


def test_the_world_begins_at_the_counterexample_that_is_bundled():
    result = proposition(int(SETTINGS["secrets"].default), SETTINGS["excluded"].default)
    assert (result.variation, result.printed) == pytest.approx((0.19, 0.11875))
    assert "bound of 0.119" in of_proposition(result)[1]
    assert "not above" in of_proposition(proposition(2, 0.05))[1]


def together(told_a, told_b, parity):
    """Return the level by summing over all bits, with nothing of core."""
    lifts = []
    for seen in itertools.product((0, 1), repeat=2):
        given = [0.0, 0.0]
        for a, b in itertools.product((0, 1), repeat=2):
            chance = (told_a if seen[0] == a else 1 - told_a) * (
                told_b if seen[1] == b else 1 - told_b
            )
            for s in (0, 1):
                given[s] += chance / 4 * (parity if s == a ^ b else 1 - parity)
        lifts += [share / (0.5 * sum(given)) for share in given]
    return math.inf if min(lifts) <= 1e-15 else max(abs(math.log(lift)) for lift in lifts)


@pytest.mark.parametrize("told_a", [0.5, 0.8, 1.0])
@pytest.mark.parametrize("told_b", [0.5, 0.7, 1.0])
@pytest.mark.parametrize("parity", [0.5, 0.9, 1.0])
def test_each_bit_alone_says_nothing_and_both_together_break_the_theorem(told_a, told_b, parity):
    result = theorem(told_a, told_b, parity)
    assert (result.alone_a, result.alone_b, result.bound) == (0.0, 0.0, 0.0)
    assert result.together == pytest.approx(together(told_a, told_b, parity), abs=1e-9)
    assert result.broken == (min(told_a, told_b, parity) > 0.5)
    assert theorem(result.same, result.same, parity).together == pytest.approx(
        result.together, abs=1e-6
    )
    assert ("holds here" in of_theorem(result)[1]) == (not result.broken)


def test_the_line_is_the_level_where_both_bits_are_told_alike():
    result = theorem(0.9, 0.9, 0.8)
    assert np.interp(0.9, result.truths, result.levels) == pytest.approx(result.together)
    assert result.same == pytest.approx(0.9)
    assert (np.diff(result.levels) >= 0).all()
