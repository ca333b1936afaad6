"""What is advised is read off correctly: each figure by a second route."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import measures
from core.errors import InvalidInputError
from core.joint import Joint
from core.scenario import Scenario
from core.studies.advice import last_step, least_budget, lost_by_symbol, promise_worth
from core.studies.frontier import Frontier

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
    found = least_budget(LINE)
    assert (found.eps, found.kept) == (1.0, 0.9)
    assert found.too_small == 0.5  # at 0.75 the bound leaves 92 % possible
    assert least_budget(LINE, 0.96) is None
    first = least_budget(LINE, 0.1)
    assert first.eps == 0.25
    assert math.isnan(first.too_small)
    with pytest.raises(InvalidInputError, match="wanted"):
        least_budget(LINE, 1.5)


def test_a_gap_of_the_line_is_neither_enough_nor_a_step():
    gap = replace(LINE, nmi=np.array([0.1, np.nan, 0.6, np.nan, 0.95]))
    assert least_budget(gap).eps == 1.25
    found = last_step(gap, 1.0)
    assert (found.low, found.high, found.gained) == (0.25, 0.75, pytest.approx(0.5))


@pytest.mark.parametrize(
    ("eps", "low", "high", "gained"),
    [(1.0, 0.5, 1.0, 0.6), (1.1, 0.5, 1.0, 0.6), (9, 0.75, 1.25, 0.35)],
)
def test_the_last_step_is_between_points_of_the_line(eps, low, high, gained):
    found = last_step(LINE, eps)
    assert (found.low, found.high) == (low, high)
    assert found.gained == pytest.approx(gained)


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


def test_what_a_promise_is_worth_covers_what_members_of_the_set_reach():
    joint = Joint.from_counts([[30, 10, 10], [10, 10, 30]])
    kernel = np.array([[0.6, 0.4], [0.5, 0.5], [0.4, 0.6]])
    at_estimate, at_most = promise_worth(joint, kernel)
    rows = joint.p / joint.p.sum(axis=1, keepdims=True) @ kernel
    assert at_estimate == pytest.approx(np.log(rows.max(axis=0) / rows.min(axis=0)).max())
    few = promise_worth(joint, kernel, n=30)[1]
    many = promise_worth(joint, kernel, n=10**7)[1]
    assert at_estimate <= many < at_most < few
    assert many == pytest.approx(at_estimate, abs=1e-3)
    assert Scenario().n is None
