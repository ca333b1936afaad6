"""Connected components of a bipartite range, which joins s and x where both can occur.

Maximin information ([NonStoch] Lemma 2) and Gács–Körner common information are computed from them.
"""

from __future__ import annotations

import numpy as np

from core.validation import BoolArray, IntArray


class DisjointSets:
    """Disjoint sets of the nodes 0 … count − 1.

    Each node has its set's label, so that clustering can compare all pairs of nodes in one array
    operation.

    Attributes
    ----------
    labels : ndarray
        For each node the smallest node of its set, shape (count,).
    count : int
        Number of sets.

    Examples
    --------
    >>> sets = DisjointSets(4)
    >>> sets.unite(np.array([1, 3])), sets.unite(np.array([3, 1]))
    (1, 0)
    >>> sets.labels, sets.count
    (array([0, 1, 2, 1]), 3)
    """

    def __init__(self, count: int) -> None:
        self.labels: IntArray = np.arange(count)
        self.count = count

    def unite(self, nodes: IntArray) -> int:
        """Unite the sets of some nodes and return how many sets fewer there are."""
        met = np.unique(self.labels[nodes])
        if met.size <= 1:
            return 0
        self.labels[np.isin(self.labels, met[1:])] = met[0]
        self.count -= met.size - 1
        return met.size - 1


def components(occurs: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the component of every row and of every column of a bipartite range.

    Parameters
    ----------
    occurs : ndarray of bool
        Which pairs (row, column) can occur, shape (n_s, n_x).

    Returns
    -------
    rows, columns : ndarray
        Indices of components, in the order of their first columns, shapes (n_s,) and (n_x,);
        −1 for a row or column in which nothing occurs.

    Examples
    --------
    >>> components(np.array([[1, 1, 0], [0, 0, 0], [0, 0, 1]], dtype=bool))
    (array([ 0, -1,  1]), array([0, 0, 1]))
    """
    sets = DisjointSets(occurs.shape[1])
    for row in occurs:
        sets.unite(np.flatnonzero(row))
    used = occurs.any(axis=0)
    columns = np.full(occurs.shape[1], -1)
    columns[used] = np.unique(sets.labels[used], return_inverse=True)[1]
    rows = np.where(occurs.any(axis=1), columns[occurs.argmax(axis=1)], -1)
    return rows, columns
