"""What each symbol gives away when it is released, which break a notion, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core import measures
from core.limits import ROUNDING
from core.measures import catalogue
from core.measures.leakage import Leakage
from core.notions import Notion, PointwiseNotion
from core.validation import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Exposure:
    """The verdict on each symbol of a release.

    Attributes
    ----------
    labels : tuple of str
        Names of the symbols, n of them.
    mass : ndarray
        Their probabilities, shape (n,).
    log_lift : ndarray
        log l(s, y) in nats, shape (n_s, n), −∞ where a pair never occurs.
    risky : ndarray of bool
        Which symbols break the notion (X_H), shape (n,).
    why : tuple of str
        A reason for each symbol.
    """

    labels: tuple[str, ...]
    mass: FloatArray
    log_lift: FloatArray
    risky: BoolArray
    why: tuple[str, ...]


def exposure(
    leak: Leakage, notion: Notion, s_labels: tuple[str, ...], *, bits: bool = False
) -> Exposure:
    """Say of each symbol whether it breaks a notion, and why.

    Parameters
    ----------
    leak : Leakage
        What the symbols give away.
    notion : Notion
        The promise; one that is not a bound on each symbol finds none risky.
    s_labels : tuple of str
        Names of the secrets, n_s of them.
    bits : bool
        Whether the reasons are in bits instead of nats.

    Examples
    --------
    >>> from core.measures.leakage import leakage
    >>> from core.notions import LIP
    >>> found = exposure(leakage([[0.45, 0.1], [0.05, 0.4]], ("a", "b")), LIP(1), ("f", "m"))
    >>> found.risky.tolist(), found.why[0]
    ([True, True], '1.504 nats down, 1 allowed: m 0.22 times as likely')
    """
    with np.errstate(divide="ignore"):  # log 0 = −∞ where a pair never occurs
        log_lift = np.log(measures.lift(leak.joint_sy))
    if not isinstance(notion, PointwiseNotion):
        risky: BoolArray = np.zeros(len(leak.labels), dtype=np.bool_)
        why = tuple(f"not judged: {notion} is not one bound on each symbol" for _ in leak.labels)
        return Exposure(leak.labels, leak.joint_sy.sum(axis=0), log_lift, risky, why)
    risky = ~notion.allows(leak.joint_sy)
    lower, upper = notion.lower_level(leak.joint_sy), notion.upper_level(leak.joint_sy)
    why = tuple(
        _why(log_lift[:, y], (float(lower[y]), float(upper[y])), notion, s_labels, bits)
        for y in range(len(leak.labels))
    )
    return Exposure(leak.labels, leak.joint_sy.sum(axis=0), log_lift, risky, why)


def _why(
    log_lift: FloatArray,
    levels: tuple[float, float],
    notion: PointwiseNotion,
    s_labels: tuple[str, ...],
    bits: bool,
) -> str:
    """Return the budget that is exceeded, the level and the secret that exceeds it most."""
    lowest, highest = int(log_lift.argmin()), int(log_lift.argmax())
    parts = (
        ("down", levels[0], notion.lower_budget, lowest),
        ("up", levels[1], notion.upper_budget, highest),
    )
    reasons = [
        f"{_written(level, bits)} {'bits' if bits else 'nats'} {way}, "
        f"{_plain(budget, bits)} allowed: {s_labels[s]} {_times(log_lift[s])}"
        for way, level, budget, s in parts
        if level > budget + ROUNDING
    ]
    return "; ".join(reasons) or "within the promise"


def _times(log_lift: float) -> str:
    return "impossible" if math.isinf(log_lift) else f"{math.exp(log_lift):.2f} times as likely"


def _written(level: float, bits: bool) -> str:
    return "∞" if math.isinf(level) else f"{level / math.log(2) if bits else level:.3f}"


def _plain(budget: float, bits: bool) -> str:
    return "∞" if math.isinf(budget) else f"{budget / math.log(2) if bits else budget:.4g}"


def pointwise(leak: Leakage, alpha: float) -> Mapping[str, FloatArray]:
    """Return every pointwise measure of a release, by its title; each has shape (n_y,).

    Examples
    --------
    >>> from core.measures.leakage import leakage
    >>> found = pointwise(leakage([[0.4, 0.1], [0.1, 0.4]], ("a", "b")), 2.0)
    >>> found["Max-lift Λ"].round(3).tolist()
    [1.6, 1.6]
    """
    return {
        entry.title: entry.compute(leak.joint_sy, *((alpha,) if entry.parameters else ()))
        for entry in catalogue.ENTRIES
        if entry.kind == catalogue.POINTWISE and entry.key != "lift"
    }


def averages(leak: Leakage, alpha: float) -> Mapping[str, tuple[float, str]]:
    """Return every average measure of (S;Y) with its unit, by its key.

    Examples
    --------
    >>> from core.measures.leakage import leakage
    >>> found = averages(leakage([[0.4, 0.1], [0.1, 0.4]], ("a", "b")), 2.0)
    >>> round(found["total_variation"][0], 6)
    0.3
    """
    return {
        entry.key: (
            float(entry.compute(leak.joint_sy, *((alpha,) if entry.parameters else ()))),
            entry.unit,
        )
        for entry in catalogue.ENTRIES
        if entry.kind == catalogue.AVERAGE
    }
