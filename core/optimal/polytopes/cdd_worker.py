"""The process that runs cdd, which holds the interpreter's lock and cannot be stopped otherwise.

Argument: the parent's process number. Input: rows b + A x ≥ 0 and equalities (npz). Output: the
generators of the set (npy).
"""

import ctypes
import io
import os
import signal
import sys

import cdd
import numpy as np
from numpy.typing import NDArray


def end_with(parent: int) -> None:
    """Have Linux end this process with its parent: no thread can watch for that while cdd runs."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG of Linux's prctl
        if os.getppid() != parent:  # it ended before that call
            os._exit(0)


def generators(rows: NDArray[np.float64], equalities: list[int]) -> NDArray[np.float64]:
    """Return the generators of a set of rows b + A x ≥ 0, shape (k, 1 + n): 1 and then a vertex."""
    matrix = cdd.matrix_from_array(
        rows.tolist(), lin_set=set(equalities), rep_type=cdd.RepType.INEQUALITY
    )
    polyhedron = cdd.polyhedron_from_matrix(matrix, row_order=cdd.RowOrderType.LEX_MIN)
    vertices = np.array(cdd.copy_generators(polyhedron).array, dtype=np.float64)
    return vertices.reshape(-1, rows.shape[1])


def main() -> None:
    """Convert the rows on standard input to generators on standard output."""
    end_with(int(sys.argv[1]))
    given = np.load(io.BytesIO(sys.stdin.buffer.read()))
    payload = io.BytesIO()  # NumPy writes no array to a pipe that is buffered
    np.save(payload, generators(given["rows"], given["equalities"].tolist()))
    sys.stdout.buffer.write(payload.getvalue())


if __name__ == "__main__":
    main()
