"""The levels of a release by their definitions, to check a certificate independently.

Loops over pairs (s, y) in plain Python: slow, short, and without code of `core.measures`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, inf, log, sqrt

from core.validation import FloatArray


def plain_levels(joint_sy: Sequence[Sequence[float]]) -> dict[str, float]:
    """Return the levels of P(s, y) that have a closed formula, by the notion's key.

    Parameters
    ----------
    joint_sy : sequence
        P(s, y), shape (n_s, n_y).

    Returns
    -------
    levels : dict
        In nats, or plain for "guess", "average_guess", "average_tv" and "average_chi2".

    Examples
    --------
    >>> found = plain_levels([[0.375, 0.125], [0.125, 0.375]])
    >>> round(found["ldp"], 6), found["guess"], found["average_tv"]
    (1.098612, 0.75, 0.25)
    """
    p_s = [fsum(row) for row in joint_sy]
    columns = [column for column in zip(*joint_sy, strict=True) if fsum(column) > 0]
    lowest, highest, ratio, l1, chi2, kl, guess = inf, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0
    information, distance, squares, leakage, guessing = [], [], [], [], []
    for column in columns:
        p_y = fsum(column)
        lifts = [p / (s * p_y) for p, s in zip(column, p_s, strict=True)]
        lowest, highest = min(lowest, *lifts), max(highest, *lifts)
        ratio = max(ratio, max(lifts) / min(lifts) if min(lifts) > 0 else inf)
        away = fsum(s * abs(lift - 1) for s, lift in zip(p_s, lifts, strict=True))
        square = fsum(s * (lift - 1) ** 2 for s, lift in zip(p_s, lifts, strict=True))
        told = fsum(s * k * log(k) for s, k in zip(p_s, lifts, strict=True) if k > 0)
        l1, chi2, kl = max(l1, away), max(chi2, square), max(kl, told)
        guess = max(guess, max(column) / p_y)
        information.append(p_y * told)
        distance.append(p_y * away / 2)
        squares.append(p_y * square)
        leakage.append(p_y * max(lifts))
        guessing.append(max(column))
    low = -log(lowest) if lowest > 0 else inf
    return {
        "lip": max(low, log(highest), 0.0),
        "ldp": log(ratio) if ratio < inf else inf,
        "pml": max(log(highest), 0.0),
        "min_lift": max(low, 0.0),
        "l1_upper": log(1 + l1),
        "chi2_upper": log(1 + sqrt(chi2)),
        "kl": max(kl, 0.0),
        "guess": guess,
        "average_mi": max(fsum(information), 0.0),
        "average_tv": fsum(distance),
        "average_chi2": fsum(squares),
        "average_leakage": max(log(fsum(leakage)), 0.0),
        "average_guess": fsum(guessing),
    }


def released(cells: FloatArray, kernel: FloatArray, reads_s: bool) -> list[list[float]]:
    """Return P(s, y) of counts of (s, x), shape (n_s, n_x), under a kernel, by the definition.

    Secrets without a record are left out.

    Examples
    --------
    >>> import numpy as np
    >>> released(np.array([[3, 1], [1, 3]]), np.eye(2), reads_s=False)
    [[0.375, 0.125], [0.125, 0.375]]
    """
    total = float(cells.sum())
    n_s, n_x = cells.shape
    return [
        [
            fsum(
                float(cells[s, x]) / total * float(kernel[s * n_x + x if reads_s else x, y])
                for x in range(n_x)
                if cells[s, x]
            )
            for y in range(kernel.shape[1])
        ]
        for s in range(n_s)
        if cells[s].any()
    ]


def kept_information(cells: FloatArray, kernel: FloatArray, reads_s: bool) -> float:
    """Return I(X;Y) in nats by the definition; arguments as `released`.

    Examples
    --------
    >>> import numpy as np
    >>> round(kept_information(np.array([[1, 1], [1, 1]]), np.eye(2), reads_s=False), 6)
    0.693147
    """
    n_s, n_x = cells.shape
    total = float(cells.sum())
    pairs = [
        [
            fsum(
                float(cells[s, x]) / total * float(kernel[s * n_x + x if reads_s else x, y])
                for s in range(n_s)
                if cells[s, x]
            )
            for y in range(kernel.shape[1])
        ]
        for x in range(n_x)
    ]
    p_x, p_y = [fsum(row) for row in pairs], [fsum(column) for column in zip(*pairs, strict=True)]
    return fsum(
        p * log(p / (p_x[x] * p_y[y]))
        for x, row in enumerate(pairs)
        for y, p in enumerate(row)
        if p > 0
    )
