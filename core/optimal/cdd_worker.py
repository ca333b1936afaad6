"""The process that runs cdd, which holds the interpreter's lock and cannot be stopped otherwise.

Run as a file, not imported: it reads a matrix of rows b + A x ≥ 0 and a list of equalities from
its standard input (npz) and writes the generators of the set (npy).
"""

import io
import sys

import cdd
import numpy as np


def main() -> None:
    """Convert one set of rows."""
    given = np.load(io.BytesIO(sys.stdin.buffer.read()))
    matrix = cdd.matrix_from_array(
        given["rows"].tolist(),
        lin_set=set(given["equalities"].tolist()),
        rep_type=cdd.RepType.INEQUALITY,
    )
    polyhedron = cdd.polyhedron_from_matrix(matrix, row_order=cdd.RowOrderType.LEX_MIN)
    generators = np.array(cdd.copy_generators(polyhedron).array, dtype=np.float64)
    np.save(sys.stdout.buffer, generators.reshape(-1, given["rows"].shape[1]))


if __name__ == "__main__":
    main()
