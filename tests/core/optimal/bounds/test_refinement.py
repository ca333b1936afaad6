"""Refined inverses, against inverses in whole fractions."""

from fractions import Fraction

import numpy as np
import pytest

from core.optimal.bounds.low_vertices import refined


def exact_inverse(square):
    """Return the inverse of a matrix of doubles by elimination in fractions, rounded once."""
    n = len(square)
    rows = [
        [Fraction(float(entry)) for entry in row] + [Fraction(int(i == j)) for j in range(n)]
        for i, row in enumerate(square)
    ]
    for i in range(n):
        pivot = next(j for j in range(i, n) if rows[j][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for j in range(n):
            if j != i and rows[j][i] != 0:
                factor = rows[j][i]
                rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i], strict=True)]
    return np.array([[float(entry) for entry in row[n:]] for row in rows])


@pytest.mark.parametrize("angle", [1e-3, 1e-6, 1e-9, 1e-11])
def test_nearly_parallel_rows_have_an_exact_inverse(angle):
    rng = np.random.default_rng(0)
    systems = rng.normal(size=(4, 6, 6))
    systems[:, 1] = systems[:, 0] + angle * rng.normal(size=(4, 6))
    rough = np.linalg.inv(systems)
    better, exact = refined(systems, rough)
    assert exact.all()
    truth = np.array([exact_inverse(square) for square in systems])
    size = np.abs(truth).max(axis=1, keepdims=True)
    assert (np.abs(better - truth) / size).max() < 1e-15
    if angle < 1e-5:
        assert (np.abs(rough - truth) / size).max() > 1e-12


def test_what_does_not_converge_is_said():
    parallel = np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-52]])
    systems = np.stack([parallel, np.eye(2)])
    guesses = np.stack([np.full((2, 2), 1e15), np.eye(2)])
    better, exact = refined(systems, guesses)
    assert exact.tolist() == [False, True]
    np.testing.assert_array_equal(better[1], np.eye(2))


def test_an_overflow_is_not_exact():
    better, exact = refined(np.full((1, 2, 2), 1e200), np.full((1, 2, 2), 1e200))
    assert not exact.any()
    assert np.isfinite(better).all()
