"""The process that runs cdd, which holds the interpreter's lock and cannot be stopped otherwise.

Run as a file by `vertices`: it reads a matrix of rows b + A x ≥ 0 and a list of equalities from
its standard input (npz) and writes the generators of the set (npy).
"""

import io
import sys

import cdd
import numpy as np
from numpy.typing import NDArray


def generators(rows: NDArray[np.float64], equalities: list[int]) -> NDArray[np.float64]:
    """Return the generators of a set of rows b + A x ≥ 0, shape (k, 1 + n): 1 and a vertex each."""
    matrix = cdd.matrix_from_array(
        rows.tolist(), lin_set=set(equalities), rep_type=cdd.RepType.INEQUALITY
    )
    polyhedron = cdd.polyhedron_from_matrix(matrix, row_order=cdd.RowOrderType.LEX_MIN)
    found = np.array(cdd.copy_generators(polyhedron).array, dtype=np.float64)
    return found.reshape(-1, rows.shape[1])


def main() -> None:
    """Convert one set of rows."""
    given = np.load(io.BytesIO(sys.stdin.buffer.read()))
    np.save(sys.stdout.buffer, generators(given["rows"], given["equalities"].tolist()))


if __name__ == "__main__":
    main()
