"""A mechanism for each value of what is known, K: Y's kernel may read K, as K is public."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.clock import Deadline
from core.errors import InfeasibleError, InvalidInputError
from core.joint import Joint
from core.measures import entropy, mutual_information
from core.mechanisms.entry import required
from core.mechanisms.optima.optimal import optimal
from core.mechanisms.result import Mechanism
from core.notions.base import Notion
from core.notions.given import Given
from core.optimal.solve import DEFAULT_SECONDS
from core.three_way import ThreeWay
from core.validation import FloatArray, IntArray

MOST_GROUPS = 300
"""Most mechanisms, one for each value of what is known: each is a search of its own."""


@dataclass(frozen=True, eq=False)
class ForEach:
    """A mechanism for each value of K, where values with few records share one.

    Anyone who knows K knows which mechanism was used, so Y reveals I(X;Y|K) about X, where values
    that share a mechanism are one. It is the mean of what the mechanisms keep, and so at least
    that of any one mechanism for all values.

    Attributes
    ----------
    mechanisms : tuple of Mechanism
        One for each group of values, P(y | x) of the symbols that occur there, by their labels.
    groups : tuple of ndarray
        The values of K of each, symbols of the table's third axis; only the last may have several.
    joints : tuple of Joint
        P(s, x | group) of each.
    share : ndarray
        P(K in the group), shape (n_groups,).
    """

    mechanisms: tuple[Mechanism, ...]
    groups: tuple[IntArray, ...]
    joints: tuple[Joint, ...]
    share: FloatArray

    @property
    def most(self) -> FloatArray:
        """H(X | group) of each in nats, (n_groups,): what X itself would say."""
        return np.array([float(entropy(joint.p_x)) for joint in self.joints])

    def of_one(self, kernel: ArrayLike) -> FloatArray:
        """Return I(X;Y | group) of one mechanism P(y | x), (n_x, n_y), for all: (n_groups,)."""
        rows = np.asarray(kernel)
        pairs = [joint.release_x(rows[joint.kept_x]) for joint in self.joints]
        return np.array([mutual_information(pair) for pair in pairs])

    @property
    def information(self) -> float:
        """I(X;Y|K) in nats."""
        return float(self.share @ [mechanism.utility for mechanism in self.mechanisms])

    @property
    def upper_bound(self) -> float:
        """A bound on I(X;Y|K), in nats, that no mechanisms for these groups exceed."""
        return float(self.share @ [mechanism.upper_bound for mechanism in self.mechanisms])

    @property
    def proven(self) -> bool:
        """Whether every mechanism is."""
        return all(mechanism.status == "optimal" for mechanism in self.mechanisms)


def optimal_for_each(
    joint: Joint,
    notion: Notion,
    *,
    least: float = 0.0,
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> ForEach:
    """Maximize I(X;Y|K) over kernels P(y | x, k) under a notion given every k, each proven.

    Each value of K is a problem by itself, of P(s, x | k). Values with less weight than `least`
    share one mechanism, which is allowed given each of them.

    Parameters
    ----------
    joint : Joint
        P(s, x): that of S, X and K without K.
    notion : Given
        The notion, with the counts or weights of S, X and K.
    least : float
        Weight, such as a number of records, from which a value has a mechanism of its own.
    time_limit : float, optional
        Seconds for all searches together, by default 5.
    gap, seed
        As in `optimal`.
    progress : callable, optional
        Called with the number of mechanisms that are made, and that of all.

    Raises
    ------
    InvalidInputError
        If more than `MOST_GROUPS` mechanisms would be made, the notion is another one, or a number
        is outside its domain.

    Examples
    --------
    S and K are fair coins. X is S where K is heads, and a third coin where it is tails:

    >>> from core.notions import LIP
    >>> counts = [[[2, 1], [0, 1]], [[0, 1], [2, 1]]]
    >>> joint = Joint.from_counts(np.sum(counts, axis=2))
    >>> notion = Given(LIP(0), counts)
    >>> each = optimal_for_each(joint, notion)
    >>> of_one = each.share @ each.of_one(optimal(joint, notion).kernel)
    >>> round(float(of_one), 6), round(each.information, 6)  # all of X for tails
    (0.0, 0.346574)
    """
    least = validation.number(least, "least", low=0.0)
    notion = required(notion, Given, "A mechanism for each known value")
    if not notion.holds(joint, np.ones((joint.n_x, 1))):  # which checks the joint too
        raise InfeasibleError(f"No mechanism satisfies {notion}.")
    table = _of_kept(ThreeWay.of(notion.joint_sxk))
    groups = for_groups(table, least)
    deadline = Deadline.after(DEFAULT_SECONDS if time_limit is None else time_limit)
    made, joints, weights = [], [], []
    for at, values in enumerate(groups):
        if progress is not None:
            progress(at, len(groups))
        own = _only(table, values)
        small = Joint.from_counts(_sum(own), joint.s_labels, joint.x_labels)
        mechanism = optimal(
            small,
            Given(_among(notion.notion, small, joint.n_s), own),
            # with next to no time, what is known without a search
            time_limit=max(deadline.left / (len(groups) - at), 1e-3),
            gap=gap,
            seed=seed,
        )
        made.append(mechanism)
        joints.append(small)
        weights.append(float(own.weight.sum()))
    share = np.array(weights) / sum(weights)
    return ForEach(tuple(made), groups, tuple(joints), share)


def for_groups(joint_sxk: ArrayLike | ThreeWay, least: float) -> tuple[IntArray, ...]:
    """Return the values of K that have a mechanism each, largest first, and those that share one.

    Raises
    ------
    InvalidInputError
        If more than `MOST_GROUPS` mechanisms would be made.
    """
    table = ThreeWay.of(joint_sxk)
    weight = np.bincount(table.k, table.weight, table.shape[2])
    order = np.argsort(-weight, kind="stable")
    order = order[weight[order] > 0]
    own = order[weight[order] >= least]
    groups = [*own[:, None], *([order[len(own) :]] if len(own) < len(order) else [])]
    if len(groups) > MOST_GROUPS:
        raise InvalidInputError(
            f"The known columns have {len(own):,} values with their own mechanisms; at most "
            f"{MOST_GROUPS} are allowed: let more rare values share one, or assume fewer columns."
        )
    return tuple(groups)


def _of_kept(table: ThreeWay) -> ThreeWay:
    """Return a table without the secrets and symbols of X that never occur."""
    (kept_s, s), (kept_x, x) = (np.unique(side, return_inverse=True) for side in (table.s, table.x))
    return replace(table, s=s, x=x, shape=(len(kept_s), len(kept_x), table.shape[2]))


def _only(table: ThreeWay, values: IntArray) -> ThreeWay:
    """Return what a table holds of some values of K."""
    of = np.isin(table.k, values)
    return replace(table, s=table.s[of], x=table.x[of], k=table.k[of], weight=table.weight[of])


def _sum(table: ThreeWay) -> FloatArray:
    """Return the counts of S and X, shape (n_s, n_x)."""
    counts = np.zeros(table.shape[:2])
    np.add.at(counts, (table.s, table.x), table.weight)
    return counts


def _among(notion: Notion, small: Joint, n_s: int) -> Notion:
    """Return a notion for the secrets that occur in a part of the joint's records."""
    return notion if small.n_s == n_s else notion.among(small.kept_s, n_s)
