"""The entries of a large kernel that are not 0: of many symbols each leads to few outputs.

A kernel of 10,000 symbols and as many outputs is 800 MB, its entries some 200 kB.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from typing import Literal
from weakref import WeakValueDictionary, finalize

import numpy as np
from scipy import sparse

from core.validation import FloatArray, IntArray

LARGE = 1 << 20
"""Cells from which on entries are looked for: as doubles they are 8 MB."""

SPARSE = 4
"""One cell of so many at most is an entry: one takes as much memory as two cells."""


@dataclass(frozen=True, eq=False)
class Entries:
    """The entries of a kernel: `shape`, their places `at` in its memory, (k,), and their values.

    `by_columns`: whether its columns lie in memory one after the other, or its rows.
    """

    shape: tuple[int, int]
    at: IntArray
    values: FloatArray
    by_columns: bool

    def places(self) -> tuple[IntArray, IntArray]:
        """Return the row and the column of each entry, (k,) each."""
        outer, inner = np.divmod(self.at, self.shape[0 if self.by_columns else 1])
        return (inner, outer) if self.by_columns else (outer, inner)

    def sums(self) -> FloatArray:
        """Return the sum of each row, shape (n_x,)."""
        totals = np.zeros(self.shape[0])
        np.add.at(totals, self.places()[0], self.values)
        return totals

    def mixed(self, rows: FloatArray) -> FloatArray:
        """Return rows @ kernel, shape (k, n_x) → (k, n_y)."""
        x, y = self.places()
        turned = sparse.csr_array((self.values, (y, x)), shape=self.shape[::-1])
        result: FloatArray = np.ascontiguousarray((turned @ rows.T).T)
        return result

    def dense(self) -> FloatArray:
        """Return the kernel, read-only.

        Where entries are few it is the same array for as long as someone holds it.
        """
        held: FloatArray | None = _HELD.get(id(self))
        if held is not None:
            return held
        cells = _zeros(self.shape, "F" if self.by_columns else "C")
        cells.ravel("K")[self.at] = self.values
        cells.flags.writeable = False
        if SPARSE * len(self.at) <= cells.size:
            _HELD[id(self)] = cells
            _ENTRIES[id(cells)] = self
            finalize(cells, _ENTRIES.pop, id(cells))
        return cells


def _zeros(shape: tuple[int, int], order: Literal["C", "F"]) -> FloatArray:
    """Return zeros whose memory is taken page by page, where entries are written.

    NumPy asks for pages of 2 MB, so that few entries take all of it: 560 MB took .6 s.
    """
    cells = shape[0] * shape[1]
    size = cells * np.dtype(float).itemsize
    if cells < LARGE:
        return np.zeros(shape, order=order)
    return np.frombuffer(mmap.mmap(-1, size, access=mmap.ACCESS_COPY)).reshape(shape, order=order)


_HELD: WeakValueDictionary[int, FloatArray] = WeakValueDictionary()
"""The arrays made of entries, by these, which live at least as long."""

_ENTRIES: dict[int, Entries] = {}
"""The entries that arrays were made of, by these."""


def made_of(kernel: FloatArray) -> Entries | None:
    """Return the entries that an array was made of, if it was made of any."""
    return _ENTRIES.get(id(kernel))


def identity(n_x: int) -> FloatArray:
    """Return the kernel of X itself, (n_x, n_x), which is not scanned for its entries."""
    if n_x**2 < LARGE:
        return np.eye(n_x)
    few = Entries((n_x, n_x), np.arange(n_x) * (n_x + 1), np.ones(n_x), by_columns=True)
    return few.dense()


def entries_of(kernel: FloatArray) -> Entries | None:
    """Return the entries of a kernel (n_x, n_y); None where it is small or they are many."""
    known = made_of(kernel)
    if known is not None:
        return known
    flags = kernel.flags
    if kernel.size < LARGE or not (flags.c_contiguous or flags.f_contiguous):
        return None
    if np.count_nonzero(kernel) * SPARSE > kernel.size:
        return None
    cells = kernel.ravel("K")
    at = np.flatnonzero(cells)
    return Entries(kernel.shape, at, cells[at], not flags.c_contiguous)
