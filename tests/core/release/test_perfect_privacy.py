"""What perfect privacy leaves, against exact fractions and the optimum without a budget."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import mechanisms as m
from core.joint import Joint
from core.notions import (
    ALIP,
    LDP,
    LIP,
    Average,
    EpsDelta,
    GuessingProbability,
    Intersection,
    PointwiseMaximalLeakage,
)
from core.release.perfect_privacy import perfect_privacy, what_is_left
from core.release.sentences import finding
from core.scenario import Scenario, evaluate


def rank_of(counts):
    """Return the rank of whole numbers, by elimination in fractions."""
    rows = [[Fraction(int(value)) for value in row] for row in counts]
    rank = 0
    for column in range(len(rows[0])):
        below = [i for i in range(rank, len(rows)) if rows[i][column] != 0]
        if not below:
            continue
        rows[rank], rows[below[0]] = rows[below[0]], rows[rank]
        for i in range(rank + 1, len(rows)):
            times = rows[i][column] / rows[rank][column]
            rows[i] = [a - times * b for a, b in zip(rows[i], rows[rank], strict=True)]
        rank += 1
        if rank == len(rows):
            break
    return rank


@given(st.integers(0, 10**6))
@settings(max_examples=60)
def test_something_is_left_iff_the_optimum_without_a_budget_keeps_something(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, rng.integers(2, 6), size=rng.integers(1, 5, size=2))
    table[0, 0] += 2  # a sum of 1 would be a distribution, not counts
    joint = Joint.from_counts(table)
    result = perfect_privacy(joint)
    counts = np.rint(joint.p * joint.n).astype(int)
    assert result.rank == rank_of(counts)
    assert result.dimension == joint.n_x - result.rank
    assert result.moves.shape == (result.dimension, joint.n_x)
    np.testing.assert_allclose(result.moves.sum(axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(joint.p / joint.p_x @ result.moves.T, 0, atol=1e-9)
    kept = m.optimal(joint, Average("mutual_information", 0), time_limit=60).utility
    assert (kept > 1e-9) == (result.dimension > 0)


def test_the_last_digit_of_counts_decides():
    independent = Joint.from_counts([[1_000_000, 2_000_000], [2_000_000, 4_000_000]])
    nearly = Joint.from_counts([[1_000_000, 2_000_000], [2_000_000, 4_000_001]])
    assert (perfect_privacy(independent).dimension, perfect_privacy(nearly).dimension) == (1, 0)


def test_weights_that_are_no_counts_are_ranked_to_rounding():
    rng = np.random.default_rng(0)
    base = rng.random((4, 2))
    mixed = base @ rng.random((2, 6))
    joint = Joint.from_counts(mixed / mixed.sum())
    assert joint.n is None
    assert (perfect_privacy(joint).rank, perfect_privacy(joint).dimension) == (2, 4)
    assert perfect_privacy(Joint.from_counts(rng.random((6, 4)))).dimension == 0


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[3, 1], [1, 3]], "so nothing about degree can be revealed."),
        ([[1, 2], [2, 4]], "sex and degree are independent, so all of degree can be published"),
        ([[3], [1]], "degree has only one value"),
        (
            [[8, 1, 5, 5], [1, 8, 5, 5]],
            "There are 2 independent ways to move probability between values of degree that leave "
            "sex unchanged, so something about degree can be revealed: its 4 values differ in "
            "only 1 direction in what they imply about sex.",
        ),
        (
            [[2, 4, 1], [1, 2, 3], [1, 2, 5]],
            "There is 1 independent way to move probability between values of degree that leaves "
            "sex unchanged, so something about degree can be revealed: 'x1' and 'x2' imply "
            "the same about sex.",
        ),
        (
            [[2, 0, 1], [0, 2, 1], [1, 1, 1]],
            "some of its values imply the same about sex as a mixture",
        ),
    ],
)
def test_the_reason_in_words(counts, message):
    assert message in what_is_left(Joint.from_counts(counts), "sex", "degree")


@pytest.mark.parametrize(
    ("notion", "none"),
    [
        (LIP(0), True),
        (LDP(0), True),
        (PointwiseMaximalLeakage(0), True),
        (ALIP(0, 3), True),
        (ALIP(1, 0), True),
        (Average("total_variation", 0), True),
        (Intersection(LIP(1), Average("sibson", 0, 2)), True),
        (LIP(1e-9), False),
        (ALIP(0.1, 0.2), False),
        (Average("guessing", 0.5), False),
        (GuessingProbability(0.5), False),
        (EpsDelta(LIP(0), 0.1), False),
    ],
    ids=str,
)
def test_which_promises_are_perfect_privacy(notion, none):
    assert notion.is_perfect_privacy == none
    if none:
        joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
        reported = Average("mutual_information", 1).achieved(joint, m.optimal(joint, notion).kernel)
        assert reported <= 1e-12


def test_a_finding_says_why_something_is_left():
    reported = finding(evaluate(Scenario(notion="average_mi", eps=0.0)))
    assert reported.startswith("The release reveals nothing about sex.")
    assert "something about occupation can be revealed: its 15 values" in reported
    assert "can be revealed" not in finding(evaluate(Scenario(notion="average_mi", eps=0.02)))
