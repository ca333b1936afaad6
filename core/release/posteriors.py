"""What each output of a mechanism tells about S, also to those who know a part of X."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core import measures
from core.attributes import Attribute, attribute_shape, attribute_values
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms import Mechanism
from core.notions.lip import log_max_lift, log_min_lift
from core.notions.srlip import side_channel_levels
from core.validation import FloatArray


@dataclass(frozen=True, eq=False)
class Disclosure:
    """Beliefs about S before and after each output.

    Attributes
    ----------
    prior : ndarray
        P(s), or P(s | x^J) for one who knows x^J, shape (n_s,).
    posterior : ndarray
        P(s | y), or P(s | y, x^J), over the outputs that occur, shape (n_s, n_y).
    log_lift : ndarray
        log posterior/prior in nats, shape (n_s, n_y); −∞ where y rules s out, NaN where the prior
        is 0.
    mass : ndarray
        P(y), or P(y | x^J), shape (n_y,).
    level : ndarray
        max(log Λ, |log Ψ|) of each output in nats, shape (n_y,).
    labels : tuple of str
        Names of the outputs, n_y of them.
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
    """Return what each output tells about S.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    mechanism : Mechanism
        The mechanism.
    known : mapping of int to int, optional
        Attribute of X → its value, as far as they are known from elsewhere. The attributes are
        those of the joint's `x_shape`.

    Raises
    ------
    InvalidInputError
        If no symbol of X has these values.

    Examples
    --------
    >>> from core.mechanisms import identity
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> disclosure(joint, identity(joint)).posterior
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
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
        raise InvalidInputError("Nobody has these values: there is nothing to be known of them.")
    return np.flatnonzero(agree)


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Posteriors of X given each output.

    Attributes
    ----------
    posterior : ndarray
        P(x | y) over the outputs that occur, shape (n_x, n_y).
    mass : ndarray
        P(y), shape (n_y,).
    labels : tuple of str
        Names of the outputs, n_y of them.
    """

    posterior: FloatArray
    mass: FloatArray
    labels: tuple[str, ...]


def about_x(joint: Joint, mechanism: Mechanism) -> Beliefs:
    """Return what each output tells about X.

    Examples
    --------
    >>> from core.mechanisms import constant
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> about_x(joint, constant(joint)).posterior
    array([[0.5],
           [0.5]])
    """
    mass = joint.release_x(mechanism.kernel)
    occurs = np.flatnonzero(mass.sum(axis=0) > 0)
    p_y = mass[:, occurs].sum(axis=0)
    return Beliefs(mass[:, occurs] / p_y, p_y, tuple(mechanism.y_labels[y] for y in occurs))


@dataclass(frozen=True)
class SideChannel:
    """What a mechanism gives away to those who know some attributes of X.

    Attributes
    ----------
    known : tuple of str
        The attributes that are known, none or more.
    level : float
        The least ε of LIP given any values of these attributes, in nats.
    """

    known: tuple[str, ...]
    level: float


def side_channels(
    joint: Joint, mechanism: Mechanism, attributes: tuple[Attribute, ...]
) -> tuple[SideChannel, ...]:
    """Return the level for each proper subset of the attributes, smaller subsets first.

    Examples
    --------
    >>> from core.data import DataSpec, count
    >>> from core.mechanisms import identity
    >>> counted = count(DataSpec("example:funnel_theorem4"))
    >>> found = side_channels(counted.joint, identity(counted.joint), counted.attributes)
    >>> [(channel.known, channel.level) for channel in found]
    [((), inf), (('X1',), 0.0), (('X2',), 0.0)]
    """
    levels = side_channel_levels(joint, mechanism.kernel)
    return tuple(
        SideChannel(tuple(attributes[j].name for j in known), level)
        for known, level in levels.items()
    )
