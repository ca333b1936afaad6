"""The odds k = r_d/(1 − r_d) of an output's largest symbol d, and the range that needs a proof.

H(r)/(1 − r_d) = ψ(k) + H(w), where w is the distribution of the other symbols among themselves.
"""

import math
from collections.abc import Callable

import numpy as np

from core.limits import CLOSE
from core.validation import FloatArray, IntArray

EXPONENT = 700.0
"""Largest exponent, before doubles overflow: the cut only widens a range of odds."""

STEPS = 200
"""Steps of equal ratio of a range of odds: on each, a bound takes the worse end of every term."""


def dominance(odds: float) -> float:
    """Return ψ(k) = (k + 1) log(k + 1) − k log k: concave, rising, 0 at 0."""
    return math.log1p(odds) + odds * math.log1p(1 / odds) if odds > 0 else 0.0


def least_odds(highest_price: float, n_x: int) -> float:
    """Return odds below which no output with d as its largest undercuts prices ≤ `highest_price`.

    H(r) ≥ −log r_d, so H(r) < p·r ≤ highest_price needs r_d > exp(−highest_price); and r_d ≥ 1/n_x.
    """
    return (1 - CLOSE) * max(1 / math.expm1(min(highest_price, EXPONENT)), 1 / (n_x - 1))


def unseen_prices(prices: FloatArray) -> FloatArray:
    """Return for each symbol a price that holds for all outputs in which it is largest.

    Whether they are allowed does not matter. Shape (n_x,).
    """
    highest_price, dearest = float(prices.max()), int(prices.argmax())
    if highest_price <= 0:
        return prices.copy()
    result = np.empty(len(prices))
    # the dearest of the other symbols is the same one for all but itself
    for symbols in (np.delete(np.arange(len(prices)), dearest), np.array([dearest])):
        others = float(np.delete(prices, symbols[0]).max())
        # for k ≥ e^others ψ(k) ≥ log(1 + k) exceeds the other prices, unless e^others overflows
        most = math.exp(min(max(others, 0.0), EXPONENT)) + 1.0
        price = np.full(len(symbols), min(0.0, (dominance(most) - others) / most))
        least = least_odds(highest_price, len(prices))
        if least < most:
            odds = _grid(least, most)
            of_steps = _lower_bounds(prices, symbols, odds) / odds[:-1]
            price = np.minimum(price, of_steps.min(axis=1))
        result[symbols] = np.minimum(0.0, price - CLOSE * (1 + np.abs(price)))
    return result


def first_open_odds(prices: FloatArray, dominant: int, least: float, most: float) -> float:
    """Return the first odds in [least, most] at which an output may undercut prices.

    As r_d is the largest, no w_x exceeds k. So p·w is at most its value with w_x = k on the symbols
    of highest price, up to a mass of 1, and H(w) ≥ −log k.
    """
    if least >= most:
        return least
    odds = _grid(least, most)
    own = float(prices[dominant]) * odds
    margin = _lower_bounds(prices, np.array([dominant]), odds)[0]
    margin -= np.maximum(own[:-1], own[1:])
    open_steps = np.flatnonzero(margin <= CLOSE * (1 + odds[1:]))
    return float(odds[open_steps[0]]) if len(open_steps) else most


def _grid(least: float, most: float) -> FloatArray:
    """Return a geometric sequence of odds from `least` to `most`, shape (STEPS + 1,)."""
    odds: FloatArray = np.geomspace(least, most, STEPS + 1)
    odds[0], odds[-1] = least, most
    return odds


def _lower_bounds(prices: FloatArray, dominant: IntArray, odds: FloatArray) -> FloatArray:
    """Return a lower bound of ψ(k) + H(w) − Σ_x p_x w_x on each step of odds, for each d.

    Shape (n_d, STEPS).
    """
    order = np.argsort(-prices, kind="stable")
    place = np.argsort(order)[dominant]
    others = np.arange(len(prices) - 1)
    ranked = prices[order][others + (others >= place[:, None])]
    upper = np.minimum(odds[1:], 1.0)
    whole = np.minimum((1.0 / upper).astype(np.int64), len(others))
    sums = np.hstack([np.zeros((len(ranked), 1)), np.cumsum(ranked, axis=1)])
    nearest = ranked[:, np.minimum(whole, len(others) - 1)]
    most_p_w = upper * sums[:, whole] + np.maximum(1.0 - whole * upper, 0.0) * nearest
    most_p_w = np.minimum(most_p_w, ranked[:, :1])
    start = odds[:-1]
    own = np.log1p(start) + start * np.log1p(1.0 / start)
    size = 1.0 + np.abs(ranked).max(axis=1, keepdims=True)
    result: FloatArray = own - np.log(upper) - most_p_w - CLOSE * size
    return result


def odds_range(prices: FloatArray, dominant: int, highest: float) -> tuple[float, float]:
    """Return a range of odds k of d that holds all k with ψ(k) < p_d k + max_{x≠d} p_x."""
    highest_price, price = float(prices.max()), float(prices[dominant])
    if highest_price <= 0:
        return 1.0, 0.0
    others = float(np.delete(prices, dominant).max())

    def settled(odds: float) -> bool:
        return dominance(odds) - price * odds - others > CLOSE * (1 + odds)

    least = least_odds(highest_price, len(prices))
    most = highest * (1 + CLOSE) + CLOSE
    if price <= 0:  # from there on ψ(k) ≥ log(1 + k), or −p_d k, exceeds all other prices
        most = min(most, math.exp(min(others, EXPONENT)))
        if price * most < -(1 + CLOSE) * others:
            most = (1 + CLOSE) * others / -price
    if least >= most:
        return least, most
    # the margin is concave in k: if it suffices at both ends, it does between
    low, high = settled(least), settled(most)
    if low and high:
        return most, least
    if low:
        least = _last(settled, least, most)
    elif high:
        most = _last(settled, most, least)
    return least, most


def _last(settled: Callable[[float], bool], inside: float, outside: float) -> float:
    """Return the last point from `inside` towards `outside` that is settled, by bisection."""
    for _ in range(30):  # bisections for an end of a range of odds: more precision saves no box
        middle = (inside + outside) / 2
        if settled(middle):
            inside = middle
        else:
            outside = middle
    return inside
