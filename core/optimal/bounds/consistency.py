"""The check that no mechanism exceeds its upper bound."""

from __future__ import annotations

from core.errors import SolverError

ROUNDED = 1e-8
"""How far, in nats, a mechanism may exceed a bound: the audit's slack allows that much where lifts
hardly differ."""


def not_below(upper: float, value: float) -> float:
    """Return an upper bound on the utility, raised to the utility of a known mechanism.

    Raises
    ------
    SolverError
        If the known mechanism exceeds the bound by more than rounding, so that the proof is wrong.
    """
    if value > upper + ROUNDED:
        raise SolverError(
            f"A mechanism keeps {value:.9g} nats where {upper:.9g} were proven to be the most: "
            "the proof does not hold."
        )
    return max(upper, value)
