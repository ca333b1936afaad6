"""X with two symbols: the allowed outputs are an interval, whose ends are the optimum's outputs."""

from __future__ import annotations

import numpy as np

from core.allowed.allowed_set import AllowedSet
from core.validation import FloatArray


def two_outputs(allowed: AllowedSet, p_x: FloatArray) -> FloatArray | None:
    """Return P(y | x), shape (2, n_y), which is best for every purpose.

    None where rows with more than one auxiliary variable, an oracle, a budget or exceptions say
    what is allowed.
    """
    beyond = allowed.oracle is not None or allowed.budgets or allowed.exceptions > 0
    if len(p_x) != 2 or allowed.n_auxiliary > 1 or beyond:
        return None
    # a row c: c_0 a + c_1 (1 − a) ≤ 0 for the posterior (a, 1 − a)
    rows = _on_outputs(allowed.rows.toarray())
    slope, right = rows[:, 0] - rows[:, 1], -rows[:, 1]
    above, below = slope > 0, slope < 0
    # P_X is allowed, whatever rounding says
    high = max(float((right[above] / slope[above]).min(initial=1.0)), float(p_x[0]))
    low = min(float((right[below] / slope[below]).max(initial=0.0)), float(p_x[0]))
    if high - low <= 0:
        return np.ones((2, 1))
    shares = np.array([high - p_x[0], p_x[0] - low]) / (high - low)
    ends = np.array([low, high])
    kernel = np.vstack([ends, 1 - ends]) * shares / p_x[:, None]
    kernel = kernel[:, shares > 0]
    result: FloatArray = kernel / kernel.sum(axis=1, keepdims=True)
    return result


def _on_outputs(rows: FloatArray) -> FloatArray:
    """Return rows of r alone that hold iff some h ≥ 0 meets the given ones (Fourier–Motzkin)."""
    if rows.shape[1] == 2:
        return rows
    outputs, of_h = rows[:, :2], rows[:, 2]
    least = np.vstack([outputs[of_h < 0] / -of_h[of_h < 0, None], np.zeros((1, 2))])
    most = outputs[of_h > 0] / of_h[of_h > 0, None]
    pairs = (least[:, None] + most[None]).reshape(-1, 2)
    return np.vstack([outputs[of_h == 0], pairs])
