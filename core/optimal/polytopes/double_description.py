"""All vertices by cdd, in this process: the papers' route, which shares no code with `walk`.

cdd holds the interpreter's lock, so nothing ends it in time: the solver does not ask it.
"""

from __future__ import annotations

import cdd
import numpy as np

from core.optimal.polytopes.standard_form import Polytope
from core.validation import FloatArray


def double_description(space: Polytope) -> FloatArray:
    """Return all vertices as posteriors, shape (k, n_x)."""
    found = generators(*_inequalities(space))
    points = np.maximum(found[found[:, 0] == 1, 1 : 1 + space.n_x], 0.0) * space.unit
    posteriors: FloatArray = points / points.sum(axis=1, keepdims=True)
    return posteriors


def generators(rows: FloatArray, equalities: list[int]) -> FloatArray:
    """Return the generators of a set of rows b + A x ≥ 0, shape (k, 1 + n): 1 and then a vertex."""
    matrix = cdd.matrix_from_array(
        rows.tolist(), lin_set=set(equalities), rep_type=cdd.RepType.INEQUALITY
    )
    polyhedron = cdd.polyhedron_from_matrix(matrix, row_order=cdd.RowOrderType.LEX_MIN)
    vertices = np.array(cdd.copy_generators(polyhedron).array, dtype=np.float64)
    return vertices.reshape(-1, rows.shape[1])


def _inequalities(space: Polytope) -> tuple[FloatArray, list[int]]:
    """Return rows b + A z ≥ 0, shape (k, 1 + n_vars), and the indices of the equalities."""
    count = space.n_slacks
    rows, rest = space.matrix[:count, : space.n_vars], space.matrix[count:, : space.n_vars]
    widths = space.upper[space.n_vars :][:count]
    both = np.isfinite(widths)
    blocks = [
        np.hstack([space.right[:count, None], -rows]),
        np.hstack([(widths - space.right[:count])[both, None], rows[both]]),
        np.hstack([np.zeros((space.n_vars, 1)), np.eye(space.n_vars)]),
        np.hstack([space.right[count:, None], -rest]),
    ]
    total = sum(len(block) for block in blocks)
    return np.vstack(blocks), list(range(total - len(rest), total))
