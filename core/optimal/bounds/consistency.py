"""The check that no mechanism exceeds its upper bound."""

from __future__ import annotations

from collections.abc import Callable

from core.errors import SolverError

ROUNDED = 1e-8
"""How far, in nats, a mechanism may exceed a bound: the audit's slack allows that much where lifts
hardly differ."""


def not_below(upper: float, value: float, strict: Callable[[], float] | None = None) -> float:
    """Return an upper bound on the utility, raised to the utility of a known mechanism.

    Parameters
    ----------
    upper, value : float
        The bound and the utility, in nats.
    strict : callable, optional
        Returns the utility of the mechanism once it meets all rows: where lifts hardly differ, the
        audit's slack may be worth more than rounding, and the bound is proven without it.

    Raises
    ------
    SolverError
        If the known mechanism exceeds the bound by more than rounding, so that the proof is wrong.
    """
    if value > upper + ROUNDED and (strict is None or strict() > upper + ROUNDED):
        raise SolverError(
            f"A mechanism keeps {value:.9g} nats where {upper:.9g} were proven to be the most: "
            "the proof does not hold."
        )
    return max(upper, value)
