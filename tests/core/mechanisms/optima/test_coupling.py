"""A quantile of U within its secret: equally likely under each, and the robust optimum's start."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import clock
from core.data import DataSpec, count
from core.joint import Joint
from core.mechanisms.optima.robust_optimal import MOST_SYMBOLS, coupled, quantiles, robust_optimal
from core.notions import LDP
from core.notions.rldp import RLDP
from core.uncertainty import RenyiBall

CELLS = st.integers(1, 4).flatmap(
    lambda n_s: st.integers(1, 9).flatmap(
        lambda n_u: st.lists(
            st.lists(st.integers(0, 50), min_size=n_u, max_size=n_u).filter(any),
            min_size=n_s,
            max_size=n_s,
        )
    )
)


@settings(max_examples=80)
@given(CELLS, st.integers(1, 20))
def test_every_secret_gives_every_output_equally_often(counts, outputs):
    p = np.array(counts, dtype=float)
    kernel = quantiles(p / p.sum(), outputs).reshape(*p.shape, outputs)
    assert kernel.min() >= 0
    assert kernel.sum(axis=2) == pytest.approx(1)
    given_s = np.einsum("su,suy->sy", p / p.sum(axis=1, keepdims=True), kernel)
    assert given_s == pytest.approx(1 / outputs, abs=1e-12)


def pairs(size, n):
    joint = count(DataSpec(f"random:uniform:{size}:1", (), ())).joint
    return joint.p, Joint.with_secret_released(joint.p), RenyiBall.confidence(joint.p, n)


def levels(kernel, members):
    """Return the LDP level of a kernel over pairs for members of F; by the definition."""
    n_s = members.shape[1]
    cells = kernel.reshape(n_s, -1, kernel.shape[1])
    given_s = np.einsum("msu,suy->msy", members / members.sum(axis=2, keepdims=True), cells)
    return np.log(given_s.max(axis=1) / given_s.min(axis=1)).max(axis=1)


@pytest.mark.parametrize(("eps", "n", "least"), [(1.0, 30_000, 0.3), (3.0, 1_000, 0.2)])
def test_4_by_100_pairs_open_with_much_more_than_a_randomised_secret(eps, n, least):
    p, joint, ball = pairs("4x100", n)
    with clock.using(clock.Ticking(1000.0)):  # every time limit is over at its first reading
        result = robust_optimal(p, eps, ball, time_limit=0.25)
    assert result.kept > least
    assert result.upper_bound >= result.utility
    notion = RLDP(eps, ball, exact=True)
    assert notion.holds(joint, result.kernel)
    members = ball.sample(200, np.random.default_rng(0), boundary=True)
    assert levels(result.kernel, members).max() <= eps + 1e-9


def test_cells_that_were_never_seen_cost_no_promise():
    p, _, _ = pairs("2x30", 1_000)
    p = np.where(p < np.quantile(p, 0.2), 0.0, p)
    p /= p.sum()
    ball = RenyiBall.confidence(p, 5_000)
    with clock.using(clock.Ticking(1000.0)):
        result = robust_optimal(p, 1.0, ball, time_limit=0.25)
    members = ball.sample(200, np.random.default_rng(0), boundary=True)
    assert levels(result.kernel, members).max() <= 1 + 1e-9
    assert result.kept > 0.3


def test_one_output_more_would_break_the_promise_or_is_not_tried():
    p, joint, ball = pairs("4x100", 30_000)
    notion = RLDP(1.0, ball, exact=True)
    (result,) = coupled(p, joint, notion)
    assert result.n_y == 8
    assert not notion.holds(joint, quantiles(p, 12)[joint.kept_x])


def test_where_two_outputs_are_too_many_they_are_moved_towards_the_prior():
    p, joint, ball = pairs("3x40", 1_000)
    notion = RLDP(1.0, ball, exact=True)
    assert not notion.holds(joint, quantiles(p, 2)[joint.kept_x])
    (result,) = coupled(p, joint, notion)
    assert notion.holds(joint, result.kernel)
    assert 0 < result.utility < np.log(2)


def test_other_notions_and_large_alphabets_have_none():
    p, joint, ball = pairs("2x5", 1_000)
    assert coupled(p, joint, LDP(1.0)) == []
    wide = np.full((2, MOST_SYMBOLS + 1), 0.5 / (MOST_SYMBOLS + 1))
    notion = RLDP(1.0, RenyiBall.confidence(wide, 1_000), exact=True)
    assert coupled(wide, Joint.with_secret_released(wide), notion) == []
    assert coupled(p, joint, RLDP(0.0, ball, exact=True)) == []


@pytest.mark.parametrize("limit", [1.0, 2.0])
def test_a_search_of_80_pairs_is_never_below_the_quantiles(limit):
    rng = np.random.default_rng(1)
    cells = 1.0 + rng.multinomial(30_000, rng.dirichlet(np.full(80, 2.0))).reshape(5, 16)
    ball = RenyiBall.confidence(cells, int(cells.sum()))
    p = cells / cells.sum()
    notion = RLDP(1.0, ball, exact=True)
    (known,) = coupled(p, Joint.with_secret_released(p), notion)
    with clock.using(clock.Ticking(1e-2)):
        result = robust_optimal(cells, 1.0, ball, time_limit=limit)
    assert result.utility >= known.utility - 1e-9
    assert known.kept > 0.5
