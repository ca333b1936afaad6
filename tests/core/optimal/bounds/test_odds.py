"""Prices and odds that hold without any search: held against outputs drawn at random."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from core.optimal.bounds.odds import dominance, first_open_odds, odds_range, unseen_prices


def outputs(rng: np.random.Generator, n_x: int, dominant: int, prices: np.ndarray) -> np.ndarray:
    """Return random outputs in which one symbol is the largest, many of dear symbols."""
    even = rng.dirichlet(np.full(n_x, rng.choice([0.1, 1.0, 10.0])), 300)
    dear = rng.dirichlet(3 * np.exp(prices - prices.max()) + 0.01, 300)
    r = np.vstack([even, dear, np.full((1, n_x), 1 / n_x)])
    rows, top = np.arange(len(r)), r.argmax(axis=1)
    r = 0.999999 * r + 0.000001 / n_x
    r[rows, top], r[rows, dominant] = r[rows, dominant].copy(), r[rows, top].copy()
    return r


@settings(max_examples=150, deadline=None)
@given(st.integers(2, 14), st.sampled_from([0.3, 1.0, 5.0]), st.integers(0, 2**32 - 1))
def test_no_output_of_the_largest_symbol_undercuts(n_x, spread, seed):
    rng = np.random.default_rng(seed)
    prices = rng.normal(1.0, spread, n_x)
    dominant = int(rng.integers(n_x))
    r = outputs(rng, n_x, dominant, prices)
    entropies, odds = special.entr(r).sum(axis=1), r[:, dominant] / (1.0 - r[:, dominant])

    floored = prices.copy()
    floored[dominant] = unseen_prices(prices)[dominant]
    assert (entropies - r @ floored).min() >= -1e-9

    highest = 1e3 if prices[dominant] >= 0 else np.inf
    least, most = odds_range(prices, dominant, highest)
    worth = first_open_odds(prices, dominant, least, most)
    assert worth >= least
    settled = (odds >= least) & (odds < worth)
    assert (entropies - r @ prices)[settled].min(initial=0.0) >= -1e-9


@pytest.mark.parametrize("price", [0.0, -0.0, -5e-324, -1e-300, -1e-12])
def test_a_symbol_at_no_price_that_is_allowed_alone_has_a_finite_range(price):
    """As at a gap of 0: an endless range had no open odds, so that nothing was searched."""
    prices = np.array([price, math.log(6), -1.0])
    least, most = odds_range(prices, 0, math.inf)
    # the output (k, 1)/(k + 1) undercuts the prices for k < most, and for no larger k
    assert most == pytest.approx(least_undercut(prices), rel=1e-5)
    assert first_open_odds(prices, 0, least, most) < most


def least_undercut(prices):
    """Return the odds at which ψ(k) = p_d k + p_x, by bisection."""
    low, high = 1e-6, 10.0
    for _ in range(60):
        k = (low + high) / 2
        if dominance(k) < prices[0] * k + prices[1]:
            low = k
        else:
            high = k
    return low


def test_one_dear_symbol_counts_for_no_more_than_its_share():
    prices = np.ones(40)
    prices[1] = 4.0  # no output of which it is not the largest holds more of it than of d
    least, most = odds_range(prices, 0, 1e3)
    assert first_open_odds(prices, 0, least, most) > 5 * least
    assert unseen_prices(prices)[0] > -20.0  # were all others as dear it would be some -150
