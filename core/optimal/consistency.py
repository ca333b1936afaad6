"""What every answer is held against: P_X is allowed, and no mechanism is above its bound."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from core.errors import InfeasibleError, SolverError
from core.notions.allowed_set import AllowedSet
from core.optimal.highs import INFINITY, LinearProgram
from core.validation import FloatArray

ROUNDED = 1e-8
"""How far, in nats, a mechanism may exceed a bound: the audit leaves it that much room at least
where lifts hardly differ."""

CONSTANT = 1e-9
"""How far, relative to its size, P_X may break a row by rounding."""


def not_below(upper: float, value: float) -> float:
    """Return a bound on the utility of all mechanisms, one of which is known.

    Raises
    ------
    SolverError
        If the known one is better than the bound by more than rounding: then the proof is wrong.
    """
    if value > upper + ROUNDED:
        raise SolverError(
            f"A mechanism keeps {value:.9g} nats where {upper:.9g} were proven to be the most: "
            "the proof does not hold."
        )
    return max(upper, value)


def require_constant(allowed: AllowedSet, p_x: FloatArray) -> None:
    """Check that an output which says nothing about X is allowed: if not, no mechanism is.

    Σ_y q_y r_y = P_X with all r_y in a convex set puts P_X in it.

    Raises
    ------
    InfeasibleError
        If it is not.
    """
    fixed, rest = allowed.rows[:, : allowed.n_x], allowed.rows[:, allowed.n_x :]
    level = fixed @ p_x
    excess = float((level - CONSTANT * (abs(fixed) @ p_x)).max(initial=0.0))
    if allowed.n_helpers and excess > 0:  # helpers are to make up for it: what is left at least?
        most = sparse.csr_array(np.full((len(level), 1), -1.0))
        program = LinearProgram(
            sparse.csr_array(sparse.hstack([rest, most])),
            np.full(len(level), -INFINITY),
            -level,
            cost=np.append(np.zeros(allowed.n_helpers), 1.0),
        )
        excess = program.solve().objective - CONSTANT
    fits = excess <= 0
    if not fits or (allowed.oracle is not None and len(allowed.oracle(p_x))):
        raise InfeasibleError(
            "No mechanism meets the notion: an output that says nothing about X breaks it already."
        )
