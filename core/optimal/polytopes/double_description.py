"""The one place that calls cdd: vertices by a method that shares no code with `walk`."""

from __future__ import annotations

import io
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from core import clock
from core.errors import SolverError, TimeLimitError
from core.optimal.polytopes.standard_form import Polytope
from core.validation import FloatArray

WORKER = Path(__file__).with_name("cdd_worker.py")
"""The file that the process runs."""


def double_description(space: Polytope, *, time_limit: float) -> FloatArray:
    """Return all vertices as posteriors, shape (k, n_x), from a process with a time limit."""
    seconds = clock.elsewhere(time_limit)
    sent = io.BytesIO()
    rows, equalities = inequalities(space)
    np.savez(sent, rows=rows, equalities=equalities)
    try:
        done = subprocess.run(
            [sys.executable, str(WORKER), str(os.getpid())],
            input=sent.getvalue(),
            capture_output=True,
            timeout=None if math.isinf(seconds) else seconds,
            check=False,
            start_new_session=True,  # Ctrl-C is for this process, which then ends the other
        )
    except subprocess.TimeoutExpired as error:
        clock.tell_cut()
        raise TimeLimitError(f"cdd was ended after {time_limit:.3g} s.") from error
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise SolverError(f"cdd failed: {''.join(last) or done.returncode}.")
    generators = np.load(io.BytesIO(done.stdout))
    points = np.maximum(generators[generators[:, 0] == 1, 1 : 1 + space.n_x], 0.0) * space.unit
    if len(points) == 0:
        raise SolverError("cdd found no vertex.")
    posteriors: FloatArray = points / points.sum(axis=1, keepdims=True)
    return posteriors


def inequalities(space: Polytope) -> tuple[FloatArray, list[int]]:
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
