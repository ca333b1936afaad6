"""All vertices of a polytope, by breadth-first search along its edges, thousands at a time.

A walk takes one tableau a vertex and can be stopped at any time. Neighbors of a level are in that
level, the one before or the one after, so keys are only compared with these.
"""

from __future__ import annotations

import numpy as np

from core.clock import Deadline
from core.errors import TimeLimitError
from core.optimal.plan import SIZES
from core.optimal.polytopes import tableaux
from core.optimal.polytopes.standard_form import Polytope
from core.optimal.polytopes.tableaux import BasicSolutions, Keys, Tableaux
from core.validation import IntArray


def walk(
    space: Polytope, *, deadline: Deadline, max_vertices: int = SIZES.walk_vertices
) -> BasicSolutions:
    """Return all vertices of a polytope, or of the perturbed one where it is degenerate."""
    try:
        return _walk(space, deadline, max_vertices, ties=False)
    except _TieError:
        return _walk(space.perturbed(), deadline, max_vertices)


def _walk(
    space: Polytope, deadline: Deadline, max_vertices: int, *, ties: bool = True
) -> BasicSolutions:
    """Return all vertices."""
    names = tableaux.label_keys(len(space.upper))
    level = tableaux.start(space, np.random.default_rng(0))
    keys = level.keys()
    before: Keys = np.zeros(0, dtype=np.uint64)
    levels: list[BasicSolutions] = []
    count = 0
    size = space.n_basic * (space.n_free + 1) * 8
    while len(level):
        here = level.corners()
        if not ties and here.tied():
            raise _TieError
        count += len(level)
        levels.append(here)
        fresh, which, column, edges = _unseen(level, keys, before, names, deadline)
        # most memory, in bytes, of the tableaux of one level
        if count + len(fresh) > max_vertices or len(fresh) * size > 300_000_000:
            raise TimeLimitError(f"More than {count + len(fresh)} vertices: too many to walk.")
        level = level.neighbours(which, column, edges, deadline)
        before, keys = keys, fresh
    return BasicSolutions(
        space,
        np.concatenate([level.basic for level in levels]),
        np.concatenate([level.nonbasic for level in levels]),
        np.concatenate([level.values for level in levels]),
    )


class _TieError(Exception):
    """A vertex has more tight constraints than dimensions."""


def _unseen(
    level: Tableaux, keys: Keys, before: Keys, names: Keys, deadline: Deadline
) -> tuple[Keys, IntArray, IntArray, tableaux.Edges]:
    """Return keys of vertices met first, and an edge to each: its vertex, entering label, edges."""
    edges = level.edges(deadline)
    space = level.space
    last = np.concatenate([level.basic, np.zeros((len(level), 1), dtype=np.int64)], axis=1)
    leaving = np.take_along_axis(last, edges.row, axis=1)
    leaving = np.where(edges.row == space.n_basic, level.nonbasic, leaving)
    turned = edges.at_upper | (edges.row == space.n_basic)
    leaving = np.where(turned, space.complement(leaving), leaving)
    far = keys[:, None] ^ names[level.nonbasic] ^ names[leaving]
    which, column = np.nonzero(np.isfinite(edges.step))
    fresh, first = np.unique(far[which, column], return_index=True)
    old = np.isin(fresh, np.concatenate([keys, before]))
    fresh, first = fresh[~old], first[~old]
    order = np.argsort(first)  # in the order of the parents, so that memory is read once
    fresh, first = fresh[order], first[order]
    return fresh, which[first], column[first], edges
