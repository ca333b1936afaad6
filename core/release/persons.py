"""What the outputs of all records of a person reveal together, where a person has several.

The level of one record times their number is no bound: outputs are independent given X, not given
S. So persons are counted by S and the values of all of their records, where those are few enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.errors import InvalidInputError
from core.joint import Joint
from core.notions import LIP
from core.release.beside import beside
from core.release.in_turn import MOST_HELD, MOST_TOGETHER
from core.release.repeats import RepeatedLevel, draws
from core.three_way import ThreeWay
from core.validation import FloatArray, IntArray


@dataclass(frozen=True)
class OfPersons:
    """The persons with one number of records, and what all outputs of such a person reveal.

    Attributes
    ----------
    persons : int
        How many have so many records.
    levels : dict or None
        "lip", "ldp", "pml", "min_lift" and "guess" of all outputs of a person in their order,
        against P(s) among these persons, in nats and as a chance; None where the outputs have more
        than 4,096 combinations or would take over 160 MB.
    """

    persons: int
    levels: dict[str, float] | None


def of_persons(
    persons: ArrayLike, secrets: ArrayLike, rows: ArrayLike, kernel: ArrayLike
) -> dict[int, OfPersons] | None:
    """Return what all outputs of a person reveal, by the number of the person's records.

    Parameters
    ----------
    persons : array_like
        The number of the person of each record, shape (n,).
    secrets : array_like
        The number of its secret, from 0, shape (n,).
    rows : array_like
        The row of the kernel that draws its output, shape (n,).
    kernel : array_like
        The rows, shape (n_rows, n_y).

    Returns
    -------
    levels : dict of int to OfPersons, or None
        For each number of records that a person has. None where a person's records differ in S,
        which is then none of the person.

    Raises
    ------
    InvalidInputError
        If the arrays are empty or have different shapes, or the kernel has no such row.

    Examples
    --------
    Two persons with two records each. One output leaves beliefs within e^±log 1.5; two do not:

    >>> flip = [[0.75, 0.25], [0.25, 0.75]]
    >>> levels = of_persons([0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1], flip)
    >>> levels[2].persons, round(float(np.exp(levels[2].levels["pml"])), 3)
    (2, 1.8)
    """
    person, secret, row = (np.asarray(array) for array in (persons, secrets, rows))
    alike = person.shape == secret.shape == row.shape == (person.size,)
    if not alike or not person.size:
        raise InvalidInputError(
            "Persons, secrets and rows must be of the same records, at least one, got shapes "
            f"{person.shape}, {secret.shape} and {row.shape}."
        )
    matrix = np.asarray(kernel, dtype=np.float64)
    matrix = validation.kernel(matrix, len(matrix))
    if row.min() < 0 or row.max() >= len(matrix):
        raise InvalidInputError(f"The kernel has {len(matrix):,} rows, not one for each record.")
    order = np.argsort(person, kind="stable")
    _, first, size = np.unique(person[order], return_index=True, return_counts=True)
    secret, row = secret[order], row[order]
    if (secret != np.repeat(secret[first], size)).any():
        return None
    levels = {}
    for m in np.unique(size).tolist():
        begin = first[size == m]
        values = row[begin[:, None] + np.arange(m)]
        levels[m] = OfPersons(len(begin), _levels(secret[begin], values, matrix))
    return levels


def _levels(secrets: IntArray, rows: IntArray, kernel: FloatArray) -> dict[str, float] | None:
    """Return the levels of all outputs of persons, by the rows of their records, shape (n, m)."""
    kinds, place = np.unique(rows, axis=0, return_inverse=True)
    outputs = kernel.shape[1] ** kinds.shape[1]
    if outputs > MOST_TOGETHER or outputs * len(kinds) > MOST_HELD:
        return None
    together = np.ones((len(kinds), 1))
    for column in kinds.T:
        together = (together[:, :, None] * kernel[column][:, None, :]).reshape(len(kinds), -1)
    _, s = np.unique(secrets, return_inverse=True)
    pairs, counts = np.unique(np.stack([s, place.ravel()]), axis=1, return_counts=True)
    shape = int(s.max()) + 1, len(kinds), 1
    none = np.zeros(len(counts), dtype=np.int64)
    table = ThreeWay(pairs[0], pairs[1], none, counts.astype(np.float64), shape)
    return beside(table, together).file


def alike_and_independent(
    joint: Joint, kernel: ArrayLike, m: int
) -> tuple[RepeatedLevel, RepeatedLevel]:
    """Return the LIP levels of m records of a person in two cases, of which neither is a bound.

    In the first all records have the same X; in the second they are independent given S.

    Parameters
    ----------
    joint : Joint
        P(s, x) of one record.
    kernel : array_like
        P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).
    m : int
        The number of records, at least 1.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> alike, independent = alike_and_independent(joint, [[0.8, 0.2], [0.2, 0.8]], 2)
    >>> round(alike.level, 3), round(independent.level, 3)
    (0.582, 0.8)
    """
    joint_sy = joint.release(joint.checked_kernel(kernel))
    of_s = joint_sy / joint_sy.sum(axis=1, keepdims=True)
    secret = Joint.from_counts(np.diag(joint.p_s))
    return draws(joint, kernel, LIP(1), m), draws(secret, of_s, LIP(1), m)
