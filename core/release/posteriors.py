"""What each output reveals about S, to those who know a part of X too, and which break a notion."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core import measures
from core.attributes import Attribute, attribute_shape, attribute_values
from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import ROUNDING
from core.measures import catalogue
from core.measures.leakage import Leakage
from core.mechanisms import Mechanism
from core.notions import Notion, PointwiseNotion
from core.notions.lip import log_max_lift, log_min_lift
from core.notions.srlip import side_channel_levels
from core.validation import BoolArray, FloatArray, shown
from core.wording import fixed


@dataclass(frozen=True, eq=False)
class Disclosure:
    """Beliefs about S, or those of one who knows x^J, before and after each output that occurs.

    `log_lift`: log posterior/prior in nats, NaN where the prior is 0; `level`: max(log Λ, |log Ψ|).
    Shapes: prior (n_s,), posterior and log_lift (n_s, n_y), mass and level (n_y,).
    """

    prior: FloatArray
    posterior: FloatArray
    log_lift: FloatArray
    mass: FloatArray
    level: FloatArray
    labels: tuple[str, ...]

    @property
    def worst(self) -> int:
        """Index of the output with the largest `level`."""
        return int(self.level.argmax())


def disclosure(
    joint: Joint, mechanism: Mechanism, known: Mapping[int, int] | None = None
) -> Disclosure:
    """Return what each output reveals about S."""
    members = _members(joint, known or {})
    kernel = joint.checked_kernel(mechanism.kernel)
    cube = kernel.reshape(-1, joint.n_x, kernel.shape[1])
    mass = np.einsum(
        "sx,sxy->sy",
        joint.p[:, members],
        np.broadcast_to(cube[:, members], (joint.n_s, members.size, kernel.shape[1])),
    )
    occurs = np.flatnonzero(mass.sum(axis=0) > 0)
    joint_sy = mass[:, occurs] / mass.sum()
    with np.errstate(divide="ignore"):  # log 0 = −∞ where y rules s out
        log_lift = np.log(measures.lift(joint_sy))
    p_y = joint_sy.sum(axis=0)
    return Disclosure(
        prior=joint_sy.sum(axis=1),
        posterior=joint_sy / p_y,
        log_lift=log_lift,
        mass=p_y,
        level=np.maximum(log_min_lift(joint_sy), log_max_lift(joint_sy)),
        labels=tuple(mechanism.y_labels[y] for y in occurs),
    )


def _members(joint: Joint, known: Mapping[int, int]) -> np.ndarray:
    """Return the symbols of X that agree with what is known."""
    if not known:
        return np.arange(joint.n_x)
    values = attribute_values(joint, attribute_shape(joint))
    agree = np.all([values[j] == value for j, value in known.items()], axis=0)
    if not agree.any():
        raise InvalidInputError("No record has these values.")
    return np.flatnonzero(agree)


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Posteriors P(x | y) of the outputs that occur, shape (n_x, n_y), and P(y), shape (n_y,)."""

    posterior: FloatArray
    mass: FloatArray
    labels: tuple[str, ...]


def about_x(joint: Joint, mechanism: Mechanism) -> Beliefs:
    """Return what each output reveals about X."""
    mass = joint.release_x(mechanism.kernel)
    occurs = np.flatnonzero(mass.sum(axis=0) > 0)
    p_y = mass[:, occurs].sum(axis=0)
    return Beliefs(mass[:, occurs] / p_y, p_y, tuple(mechanism.y_labels[y] for y in occurs))


@dataclass(frozen=True)
class SideChannel:
    """The least ε of LIP, in nats, given any values of some attributes that are known."""

    known: tuple[str, ...]
    level: float


def side_channels(
    joint: Joint, mechanism: Mechanism, attributes: tuple[Attribute, ...]
) -> tuple[SideChannel, ...]:
    """Return the level for each proper subset of the attributes, smaller subsets first."""
    levels = side_channel_levels(joint, mechanism.kernel)
    return tuple(
        SideChannel(tuple(attributes[j].name for j in known), level)
        for known, level in levels.items()
    )


@dataclass(frozen=True, eq=False)
class Exposure:
    """Which symbols (n,) of a release break the notion (X_H); log_lift (n_s, n) in nats."""

    labels: tuple[str, ...]
    mass: FloatArray
    log_lift: FloatArray
    risky: BoolArray
    why: tuple[str, ...]


def exposure(
    leak: Leakage, notion: Notion, s_labels: tuple[str, ...], *, bits: bool = False
) -> Exposure:
    """Say of each symbol whether it breaks a notion, and why."""
    with np.errstate(divide="ignore"):  # log 0 = −∞ where a pair never occurs
        log_lift = np.log(measures.lift(leak.joint_sy))
    if not isinstance(notion, PointwiseNotion):
        risky: BoolArray = np.zeros(len(leak.labels), dtype=np.bool_)
        why = tuple(f"not evaluated: {notion} is not one bound on each symbol" for _ in leak.labels)
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
    return "; ".join(reasons) or "within the budget"


def _times(log_lift: float) -> str:
    return "impossible" if math.isinf(log_lift) else f"{math.exp(log_lift):.2f} times as likely"


def _written(level: float, bits: bool) -> str:
    return fixed(level / math.log(2) if bits else level, 3)


def _plain(budget: float, bits: bool) -> str:
    return "∞" if math.isinf(budget) else f"{budget / math.log(2) if bits else budget:.4g}"


def pointwise(leak: Leakage, alpha: float) -> Mapping[str, FloatArray]:
    """Return every pointwise measure of a release, by its title; each has shape (n_y,)."""
    return {
        entry.title: entry.of(leak.joint_sy, alpha)
        for entry in catalogue.ENTRIES
        if entry.kind == catalogue.POINTWISE and entry.key != "lift"
    }


def averages(leak: Leakage, alpha: float) -> Mapping[str, tuple[float, str]]:
    """Return every average measure of (S;Y) with its unit, by its key."""
    return {
        entry.key: (float(entry.of(leak.joint_sy, alpha)), entry.unit)
        for entry in catalogue.ENTRIES
        if entry.kind == catalogue.AVERAGE
    }


def least_bounds(joint: Joint, high_risk: Sequence[int]) -> tuple[float, float]:
    """Return ε̄_l and ε̄_u of merging a set of symbols into one output ([Lift] eq. 9 and 10)."""
    chosen = list(high_risk)
    for index in chosen:
        if isinstance(index, bool) or not isinstance(index, int | np.integer):
            raise InvalidInputError(f"high_risk must hold indices of X, got {shown(index)}.")
        if not 0 <= index < joint.n_x:
            raise InvalidInputError(
                f"high_risk must hold indices from 0 to {joint.n_x - 1}, got {index}."
            )
    if not chosen or len(set(chosen)) != len(chosen):
        raise InvalidInputError(
            f"high_risk must name at least one symbol, each once, got {shown(chosen)}."
        )
    of_set = joint.p[:, chosen].sum(axis=1)
    lift = of_set / (joint.p_s * of_set.sum())
    with np.errstate(divide="ignore"):
        logs = np.log(lift[joint.p_s > 0])
    return max(0.0, -float(logs.min())), max(0.0, float(logs.max()))
