"""The vertices of a lazy double description, as arrays that grow."""

from __future__ import annotations

import numpy as np

from core.validation import BoolArray, FloatArray, IntArray


class VertexTable:
    """Vertices as arrays with one row each, which grow by doubling.

    Attributes
    ----------
    points : ndarray
        Points z in scaled coordinates, shape (k, n_x).
    tight : ndarray
        Indices of the rows that each meets with equality, shape (k, n_x − 1).
    seen : ndarray
        Number of the first rows that each is known to satisfy, shape (k,).
    posteriors, costs : ndarray
        The points as posteriors, shape (k, n_x), and their costs, (k,).
    alive : ndarray
        Whether no row is known to be violated, shape (k,).
    """

    points: FloatArray
    tight: IntArray
    seen: IntArray
    posteriors: FloatArray
    costs: FloatArray
    alive: BoolArray

    _NAMES = ("points", "tight", "seen", "posteriors", "costs", "alive")

    def __init__(self, *columns: FloatArray | IntArray) -> None:
        self._count = len(columns[0])
        self._room = [*columns, np.ones(self._count, dtype=bool)]
        self._show()

    def __len__(self) -> int:
        return self._count

    @property
    def n_bytes(self) -> int:
        """Memory of the arrays, in bytes."""
        return sum(column.nbytes for column in self._room)

    def append(self, *columns: FloatArray | IntArray) -> None:
        """Add vertices, given by all attributes but `alive`, in order."""
        first, self._count = self._count, self._count + len(columns[0])
        if self._count > len(self._room[0]):
            more = [
                np.zeros((self._count, *column.shape[1:]), column.dtype) for column in self._room
            ]
            self._room = [np.concatenate(pair) for pair in zip(self._room, more, strict=True)]
        values = [*columns, np.ones(len(columns[0]), dtype=bool)]
        for column, value in zip(self._room, values, strict=True):
            column[first : self._count] = value
        self._show()

    def keep(self, which: BoolArray) -> None:
        """Drop the vertices that are not in a mask of shape (k,)."""
        self._room = [getattr(self, name)[which] for name in self._NAMES]
        self._count = len(self._room[0])
        self._show()

    def _show(self) -> None:
        """Set the attributes to the used part of the arrays."""
        for name, column in zip(self._NAMES, self._room, strict=True):
            setattr(self, name, column[: self._count])
