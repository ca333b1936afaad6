"""What is advised is read off correctly: each figure by a second route."""

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import measures
from core.errors import InvalidInputError
from core.joint import Joint
from core.notions.robust_markov import ball_around
from core.studies.advice import last_step, least_budget, lost_by_symbol, realised_levels
from core.studies.frontier import Frontier
from core.uncertainty.lift_range import lift_range

LINE = Frontier(
    notion="lip",
    mechanism="optimal",
    eps=np.array([0.25, 0.5, 0.75, 1.0, 1.25]),
    utility=np.array([0.1, 0.3, 0.6, 0.9, 0.95]),
    nmi=np.array([0.1, 0.3, 0.6, 0.9, 0.95]),
    upper_bound=np.array([0.1, 0.35, 0.92, 0.91, 0.95]),
    most_nmi=np.array([0.1, 0.35, 0.92, 0.91, 0.95]),
    proven=np.array([True, False, False, False, True]),
    reasons=("",) * 5,
)


def test_the_least_budget_is_that_of_the_first_point_with_what_is_proven_too_small():
    result = least_budget(LINE)
    assert (result.eps, result.kept) == (1.0, 0.9)
    assert result.too_small == 0.5  # at 0.75 the bound leaves 92% possible
    assert least_budget(LINE, 0.96) is None
    first = least_budget(LINE, 0.1)
    assert first.eps == 0.25
    assert math.isnan(first.too_small)
    with pytest.raises(InvalidInputError, match="wanted"):
        least_budget(LINE, 1.5)


def test_a_gap_of_the_line_is_neither_enough_nor_a_step():
    gap = replace(LINE, nmi=np.array([0.1, np.nan, 0.6, np.nan, 0.95]))
    assert least_budget(gap).eps == 1.25
    result = last_step(gap, 1.0)
    assert (result.low, result.high, result.gained) == (0.25, 0.75, pytest.approx(0.5))


@pytest.mark.parametrize(
    ("eps", "low", "high", "gained"),
    [(1.0, 0.5, 1.0, 0.6), (1.1, 0.5, 1.0, 0.6), (9, 0.75, 1.25, 0.35)],
)
def test_the_last_step_is_between_points_of_the_line(eps, low, high, gained):
    result = last_step(LINE, eps)
    assert (result.low, result.high) == (low, high)
    assert result.gained == pytest.approx(gained)


def test_there_is_no_step_where_the_line_begins():
    assert last_step(LINE, 0.2) is None
    assert last_step(LINE, 0.7) is None


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 3), st.integers(1, 5), st.integers(1, 4), st.integers(0, 10**6))
def test_what_the_symbols_lose_adds_up_to_what_the_release_loses(n_s, n_x, n_y, seed):
    rng = np.random.default_rng(seed)
    joint = Joint.from_counts(rng.integers(1, 9, (n_s, n_x)))
    kernel = rng.dirichlet(np.full(n_y, 0.3), n_x)
    lost = lost_by_symbol(joint, kernel)
    together = joint.p_x[:, None] * kernel
    given_y = sum(
        column.sum() * measures.entropy(column / column.sum())
        for column in together.T
        if column.sum() > 0
    )
    assert (lost >= -1e-12).all()
    assert lost.sum() == pytest.approx(given_y, abs=1e-9)


def test_what_symbols_lose_in_a_large_kernel_is_computed_from_its_entries():
    """On Explore it was the most memory of all: 1.9 GB at 4×10000."""
    joint = Joint.random_dirichlet(2, 1_500, 1.0, np.random.default_rng(0))
    kernel = np.kron(np.eye(750), np.ones((2, 1)))
    tracemalloc.start()
    lost = lost_by_symbol(joint, kernel)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < kernel.nbytes / 4
    pairs = np.repeat(joint.p_x.reshape(-1, 2).sum(axis=1), 2)
    np.testing.assert_allclose(lost, joint.p_x * np.log(pairs / joint.p_x), rtol=1e-9, atol=1e-15)


def levels_at(p, kernel):
    """Return the levels at a distribution, from their definitions."""
    p_y, p_s = p.sum(axis=0) @ kernel, p.sum(axis=1)
    rows = (p / p_s[:, None]) @ kernel
    lifts = rows / p_y
    return {
        "pml": np.log(lifts.max()),
        "min_lift": -np.log(lifts.min()),
        "lip": np.abs(np.log(lifts)).max(),
        "ldp": np.log(rows.max(axis=0) / rows.min(axis=0)).max(),
    }


def test_what_a_promise_is_worth_shrinks_to_the_estimate_as_records_grow():
    joint = Joint.from_counts([[30, 10, 10], [10, 10, 30]])
    kernel = np.array([[0.6, 0.4, 0], [0.5, 0.5, 0], [0.4, 0.6, 0]])  # one output is never made
    own, few, many = (realised_levels(joint, kernel, n=n) for n in (None, 30, 10**8))
    plain = levels_at(joint.p, kernel[:, :2])
    for key, at_estimate in plain.items():
        assert own[key].at_estimate == pytest.approx(at_estimate)
        assert few[key].least <= own[key].least <= many[key].least <= own[key].at_estimate
        assert own[key].at_estimate <= many[key].most < own[key].most < few[key].most
        assert many[key].most == pytest.approx(at_estimate, abs=2e-3)
    for key in ("pml", "min_lift", "lip"):
        assert many[key].least == pytest.approx(plain[key], abs=2e-3)
    assert own["ldp"].least == 0.0


@settings(max_examples=30, deadline=None)
@given(
    st.integers(2, 3),
    st.integers(2, 4),
    st.integers(2, 3),
    st.integers(0, 10**6),
    st.sampled_from([0.5, 1.0, 2.0, 5.0]),
)
def test_what_members_of_the_set_reach_is_in_the_range(n_s, n_x, n_y, seed, alpha):
    rng = np.random.default_rng(seed)
    joint = Joint.from_counts(rng.integers(1, 40, (n_s, n_x)))
    kernel = rng.dirichlet(np.full(n_y, 0.7), n_x)
    result = realised_levels(joint, kernel, alpha=alpha)
    ball = ball_around(joint, alpha=alpha)
    for p in ball.sample(200, rng, boundary=True):
        for key, level in levels_at(p, kernel).items():
            assert result[key].least - 1e-9 <= level <= result[key].most + 1e-9


def test_most_of_the_range_is_reached():
    """The ends let P(s) and both conditionals spend the whole budget: members reach less."""
    joint = Joint.from_counts([[30, 20], [10, 40]])
    kernel = np.array([[0.8, 0.2], [0.3, 0.7]])
    result = realised_levels(joint, kernel, n=1_000)["pml"]
    ball = ball_around(joint, n=1_000)
    rng = np.random.default_rng(0)
    reached = [levels_at(p, kernel)["pml"] for p in ball.sample(20_000, rng, boundary=True)]
    assert result.least <= min(reached) < result.at_estimate < max(reached) <= result.most
    assert max(reached) - result.at_estimate > 0.7 * (result.most - result.at_estimate)
    assert result.at_estimate - min(reached) > 0.7 * (result.at_estimate - result.least)


def test_a_level_without_a_bound_is_told_as_infinite():
    joint = Joint.from_counts([[3, 1], [1, 3]])
    result = realised_levels(joint, np.eye(2), n=4)
    assert result["min_lift"].most > result["min_lift"].at_estimate
    with pytest.raises(InvalidInputError, match="positive entry"):
        lift_range(ball_around(joint), [[1.0, 0.0], [1.0, 0.0]])
    sure = realised_levels(joint, [[1.0], [1.0]])
    assert sure["lip"].most == pytest.approx(0.0, abs=1e-9)
