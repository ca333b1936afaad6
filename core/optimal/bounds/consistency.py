"""What every answer is held against: no mechanism is above its bound."""

from __future__ import annotations

from core.errors import SolverError

ROUNDED = 1e-8
"""How far, in nats, a mechanism may exceed a bound: the audit leaves it that much room at least
where lifts hardly differ."""


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
