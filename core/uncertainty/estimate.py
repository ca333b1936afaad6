"""Checks of an estimate P̂(s, u), which robust notions and mechanisms start from."""

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.errors import InvalidInputError
from core.validation import FloatArray

FLOORED = 1e-6
"""How far from 1 P̂ may sum: cells that were never seen are often raised to a tiny floor."""

ASSUMED_RECORDS = 1_000
"""Records assumed behind probabilities that come without a number of records."""


def assumed_records(n: int | None) -> int:
    """Return the number of records behind an estimate, `ASSUMED_RECORDS` where it is not known."""
    return ASSUMED_RECORDS if n is None else n


def cell_probabilities(p_su: ArrayLike, name: str = "P(s, u)") -> FloatArray:
    """Return P(s, u), shape (n_s, n_u), checked and normalised."""
    cells = validation.matrix(p_su, name)
    n_s, n_u = cells.shape
    if n_s < 2:
        raise InvalidInputError(
            f"{name} must have at least two secrets s, got {n_s}: one secret needs no hiding."
        )
    if n_u < 2:
        raise InvalidInputError(
            f"{name} must have at least two u, got {n_u}: there is nothing to release beside S."
        )
    total = float(cells.sum())
    if abs(total - 1) > FLOORED and not is_counts(cells):
        raise InvalidInputError(f"{name} must sum to 1 or hold whole counts, got {total:.12g}.")
    result: FloatArray = cells / total
    return result


def is_counts(cells: FloatArray) -> bool:
    """Say whether cells are whole numbers that add up to more than 1."""
    return bool(cells.sum() > 1 + FLOORED and (cells == np.rint(cells)).all())


def conditionals(p_su: FloatArray) -> FloatArray:
    """Return P(u | s), shape (..., n_s, n_u); a row of zeros for an s of probability 0."""
    masses = p_su.sum(axis=-1, keepdims=True)
    result: FloatArray = p_su / np.where(masses > 0, masses, 1.0)
    return result
