"""Robust notions for S – X – Y: they hold for every P(S, X) that the records leave possible.

In [RLDP] the mechanism sees X = (S, U). Here it sees X alone, so P(y | s, x) = v(x) is the same for
every s: RLDP's rows and oracle apply, with v equal over the secrets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from core import validation
from core.allowed.allowed_set import AllowedSet
from core.allowed.inequalities import scaled
from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import MAX_ENTRIES
from core.notions.base import budget_text, relative, split
from core.notions.guessing import PointwiseMaximalLeakage
from core.notions.ldp import LDP
from core.notions.lip import ALIP, LIP
from core.notions.rldp import RLDP, RobustNotion
from core.uncertainty import RenyiBall
from core.uncertainty.ball import assumed_records
from core.uncertainty.lift_range import MassPieces, mass_pieces
from core.validation import FloatArray

MANY_ALIKE = 4
"""Symbols for each different answer from which on those with the same answer are one in a check:
at 10×442 that of four outputs on groups of X took .3 s."""


@dataclass(frozen=True)
class RobustForX(RobustNotion):
    """A robust notion for S – X – Y, over `uncertainty` of shape (n_s, n_x)."""

    @classmethod
    def of_joint(
        cls,
        joint: Joint,
        eps: float,
        n: int | None = None,
        beta: float = 0.05,
        alpha: float = 2.0,
        **further: float,
    ) -> Self:
        """Return the notion on the confidence set around a joint; parameters as `ball_around`.

        `further`: the notion's numbers beside `eps`, by name.
        """
        return cls(eps, ball_around(joint, n, beta, alpha), **further)

    def _answers(self, joint: Joint, kernel: ArrayLike) -> FloatArray:
        self._check(joint)
        return validation.kernel(kernel, joint.n_x)

    def _check(self, joint: Joint) -> None:
        """Raise InvalidInputError if the set is not around an estimate of the joint's shape."""
        ball = self.uncertainty
        if (ball.n_s, ball.n_u) != (joint.n_s, joint.n_x):
            raise InvalidInputError(
                f"{self.name} needs an uncertainty set around P̂(s, x) with {joint.n_s}×{joint.n_x} "
                f"cells as the joint has, got {ball.n_s}×{ball.n_u}."
            )


def too_large_for_rows(joint: Joint) -> bool:
    """Return whether rows over F of all symbols have more entries than a matrix may have."""
    return joint.n_s * joint.n_x**2 > MAX_ENTRIES


def ball_around(
    joint: Joint, n: int | None = None, beta: float = 0.05, alpha: float = 2.0
) -> RenyiBall:
    """Return the confidence set around a joint P(s, x) as the estimate P̂.

    Parameters
    ----------
    joint : Joint
        P̂(s, x).
    n : int, optional
        Records behind P̂; by default the joint's own number, or 1,000 where it has none.
    beta, alpha : float
        As in `RenyiBall.confidence`.

    Examples
    --------
    >>> round(ball_around(Joint.from_counts([[7, 10], [26, 57]])).bound, 5)
    0.07524
    """
    records = assumed_records(joint.n) if n is None else n
    return RenyiBall.confidence(joint.p, records, beta, alpha)


@dataclass(frozen=True)
class RobustLDP(RobustForX):
    """ε-LDP for every P in F, of a mechanism that sees X alone.

    Σ_x P(x|s1) v(x) ≤ e^{ε} Σ_x P(x|s2) v(x) for all s1 ≠ s2, every P in F and v = P(y | ·).

    Parameters
    ----------
    eps : float
        Budget in nats, in [0, ∞].
    uncertainty : RenyiBall
        F, around the estimate P̂(s, x), shape (n_s, n_x).
    exact : bool
        Whether the condition is over F itself; else it is over the larger product of the polytopes
        D_s = {R : R_x ≥ L_{x|s}}.

    Notes
    -----
    Source: [RLDP] Def. 1 and Theorem 2, with the same P(y | x) for every secret.

    Examples
    --------
    >>> from core.notions import LDP
    >>> joint = Joint.from_counts([[30, 10, 10], [10, 10, 30]])
    >>> notion = RobustLDP(1.0, ball_around(joint))
    >>> LDP(1).achieved(joint, np.eye(3)) < notion.achieved(joint, np.eye(3)) < np.inf
    True
    """

    exact: bool = True

    name: ClassVar[str] = "RLDP for S – X – Y"

    @cached_property
    def of_pairs(self) -> RLDP:
        """RLDP on the same set, where the mechanism sees the pair (S, X)."""
        return RLDP(self.eps, self.uncertainty, exact=self.exact)

    def at_estimate(self, eps: float) -> LDP:
        """Return ε-LDP."""
        return LDP(eps)

    def achieved(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the least ε at which the notion holds, in nats; ∞ if at none."""
        pairs, table = self._of_cells(joint, kernel)
        return float(pairs.level_of(table))

    def holds(self, joint: Joint, kernel: ArrayLike) -> bool:
        """Return whether the mechanism keeps the notion, up to `ROUNDING`."""
        pairs, table = self._of_cells(joint, kernel)
        return pairs.holds_of(table)

    def _of_cells(self, joint: Joint, kernel: ArrayLike) -> tuple[RLDP, FloatArray]:
        """Return RLDP of pairs, and P(y | s, x) for it, shape (n_s, n_x, n_y).

        Where most symbols have the answers of others, these are one: R·v depends on their sum
        alone, and of all R with the same sums the one that shares them out as P̂ does is the
        nearest to P̂.
        """
        rows, pairs = self._answers(joint, kernel), self.of_pairs
        if self.exact:
            distinct, of_x = np.unique(rows, axis=0, return_inverse=True)
            if too_large_for_rows(joint) or MANY_ALIKE * len(distinct) <= len(rows):
                cells = np.zeros((joint.n_s, len(distinct)))
                np.add.at(cells.T, of_x.ravel(), self.uncertainty.p_hat_su.T)
                ball = RenyiBall(cells, self.uncertainty.bound, self.uncertainty.alpha)
                rows, pairs = distinct, replace(pairs, uncertainty=ball)
        return pairs, np.broadcast_to(rows, (joint.n_s, *rows.shape))

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the notion allows: RLDP's, with v equal over s.

        Where F leaves every P(x | s) possible this is LDP of X itself.
        """
        self._check(joint)
        if self.uncertainty.budget == np.inf:
            return LDP(self.eps).allowed_set(Joint.from_counts(np.diag(joint.p_x)))
        return self.of_pairs.set_of(np.tile(np.diag(1 / joint.p_x), (joint.n_s, 1)))


class _RobustLift(RobustForX):
    """Bounds on the lift for every P in F, P(S) included, of a mechanism of X.

    e^{−ε_l} ≤ P(y|s)/P(y) ≤ e^{ε_u} for every y and s and every P in F. It is required of a
    larger set, so that its allowed set has rows: see Notes.

    Notes
    -----
    For one s the secrets other than s count as one, and F as the ball around P̂ of that pair, with
    m = P(s), R = P(X|s) and Q = P(X|not s): the conditions are (e^{−ε_u} − m) R·v ≤ (1 − m) Q·v
    and (1 − m) Q·v ≤ (e^{ε_l} − m) R·v. The values of m are cut into 16 intervals; in each of them
    m is put at its lower end, as lifts come closer to 1 with m, and R and Q range over polytopes
    {R : R_x ≥ L_x} that hold what the ball leaves them there. As R·v is from
    L·v + (1 − ΣL) min v to L·v + (1 − ΣL) max v, and so is Q·v, each interval is two rows.
    Source: the polytopes of [RLDP] Theorem 2, here for each part of the range of P(s).
    """

    nested: ClassVar[bool] = False  # rows are made for intervals of P(s), which differ with F

    @property
    def budgets(self) -> tuple[float, float]:
        """The budgets ε_l and ε_u, in nats; ∞ leaves a side free."""
        notion = self.at_estimate(self.eps)
        return notion.lower_budget, notion.upper_budget

    @cached_property
    def pieces(self) -> MassPieces:
        """What F leaves possible for each secret, by intervals of its probability."""
        return mass_pieces(self.uncertainty, 16)

    def levels(self, joint: Joint, kernel: ArrayLike) -> tuple[float, float]:
        """Return the least ε_l and ε_u at which the conditions hold, in nats; ∞ if at none."""
        v = self._answers(joint, kernel)
        v = v[:, v.any(axis=0)]
        mass, own, others = self.pieces
        own_least, own_most = _extremes(own, v)
        others_least, others_most = _extremes(others, v)
        lower, upper = _lift(mass, own_least, others_most), _lift(mass, own_most, others_least)
        with np.errstate(divide="ignore"):
            return max(0.0, -float(np.log(lower.min()))), max(0.0, float(np.log(upper.max())))

    def achieved(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the least ε at which the notion holds, in nats; ∞ if at none."""
        lower, upper = self.levels(joint, kernel)
        notion = self.at_estimate(1.0)
        return max(relative(lower, notion.lower_budget), relative(upper, notion.upper_budget))

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of allowed outputs, with h ≥ max v and l ≤ min v as auxiliary variables.

        Rows that another interval's row implies are left out.
        """
        self._check(joint)
        n_x = joint.n_x
        # a budget of 0 on one side makes all lifts 1, as they are 1 on average
        below, above = (np.inf, 0.0) if 0 in self.budgets else self.budgets
        if below == above == np.inf:
            return AllowedSet(sparse.csr_array((0, n_x)), n_x)
        v_of_r = np.diag(1 / joint.p_x)
        mass, own, others = self.pieces
        rest, own_share = (1 - mass)[..., None], (np.exp(-above) - mass)[..., None]
        rows = [_rows(v_of_r, (own, own_share), (others, rest))]
        if below < np.inf:
            shrink = np.exp(-below)
            least = (own, 1 - shrink * mass[..., None])
            rows.append(_rows(v_of_r, (others, shrink * rest), least))
        ones, none = np.ones((n_x, 1)), np.zeros((n_x, 1))
        matrix = np.vstack(
            [
                *rows,
                np.hstack([v_of_r, -ones, none]),
                np.hstack([-v_of_r, none, ones]),
            ]
        )
        return AllowedSet(sparse.csr_array(scaled(matrix)), n_x)


@dataclass(frozen=True)
class RobustPML(_RobustLift):
    """ε-pointwise maximal leakage for every P in F, P(S) included, of a mechanism of X.

    P(y|s) ≤ e^{ε} P(y) for every y and s and every P in F, required of a larger set.

    Examples
    --------
    >>> joint = Joint.from_counts([[30, 10, 10], [10, 10, 30]])
    >>> few, many = (RobustPML(1.0, ball_around(joint, n=n)) for n in (100, 10**8))
    >>> round(few.achieved(joint, np.eye(3)), 3), round(many.achieved(joint, np.eye(3)), 3)
    (0.805, 0.406)
    """

    name: ClassVar[str] = "robust PML"

    def at_estimate(self, eps: float) -> PointwiseMaximalLeakage:
        """Return ε-pointwise maximal leakage."""
        return PointwiseMaximalLeakage(eps)


@dataclass(frozen=True)
class RobustLIP(_RobustLift):
    """ε-LIP for every P in F, P(S) included, of a mechanism of X.

    e^{−ε} ≤ P(y|s)/P(y) ≤ e^{ε} for every y and s and every P in F, required of a larger set.

    Examples
    --------
    >>> joint = Joint.from_counts([[30, 10, 10], [10, 10, 30]])
    >>> few, many = (RobustLIP(1.0, ball_around(joint, n=n)) for n in (100, 10**8))
    >>> round(few.achieved(joint, np.eye(3)), 3), round(many.achieved(joint, np.eye(3)), 3)
    (1.84, 0.694)
    """

    name: ClassVar[str] = "robust LIP"

    def at_estimate(self, eps: float) -> LIP:
        """Return ε-LIP."""
        return LIP(eps)


@dataclass(frozen=True)
class RobustALIP(_RobustLift):
    """(λε, (1−λ)ε)-ALIP for every P in F, P(S) included, of a mechanism of X.

    e^{−λε} ≤ P(y|s)/P(y) ≤ e^{(1−λ)ε} for every y and s and every P in F, required of a larger set.

    Examples
    --------
    >>> joint = Joint.from_counts([[30, 10, 10], [10, 10, 30]])
    >>> ball = ball_around(joint)
    >>> half, less = RobustALIP(1.0, ball), RobustALIP(1.0, ball, lam=0.7)
    >>> round(half.achieved(joint, np.eye(3)), 3), round(less.achieved(joint, np.eye(3)), 3)
    (3.68, 2.684)
    """

    lam: float = 0.5

    name: ClassVar[str] = "robust ALIP"

    def __post_init__(self) -> None:
        super().__post_init__()
        split(self.eps, self.lam)  # checks only

    def __str__(self) -> str:
        return f"({', '.join(map(budget_text, self.budgets))})-{self.name}"

    def at_estimate(self, eps: float) -> ALIP:
        """Return ALIP, with the same λ."""
        return ALIP.from_lambda(eps, self.lam)


def _extremes(lower: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the least and the most R·v, (..., n_y), of the R in polytopes, (..., n_x)."""
    fixed, free = _times(lower, v), _free(lower)[..., None]
    return fixed + free * v.min(axis=0), fixed + free * v.max(axis=0)


def _times(lower: FloatArray, v: FloatArray) -> FloatArray:
    """Return L·v of many L, (..., n_x), as one product, which is far faster than a stack.

    Shapes: v (n_x, n_y), result (..., n_y).
    """
    product = lower.reshape(-1, lower.shape[-1]) @ v
    result: FloatArray = product.reshape(*lower.shape[:-1], -1)
    return result


def _lift(mass: FloatArray, own: FloatArray, others: FloatArray) -> FloatArray:
    """Return R·v / (m R·v + (1 − m) Q·v), (..., n_y), of m, R·v and Q·v; 0 where R·v is 0."""
    total = mass[..., None] * own + (1 - mass)[..., None] * others
    with np.errstate(divide="ignore", invalid="ignore"):
        result: FloatArray = np.where(own > 0, own / total, 0.0)
    return result


def _rows(
    v_of_r: FloatArray, large: tuple[FloatArray, FloatArray], small: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """Return rows, (k, n_x + 2), on [r, h, l]: one polytope's most is at most another's least.

    Each polytope comes with its factor, (n_s, parts, 1). A secret's row that another one implies,
    as no coefficient there is smaller, is left out.
    """
    (high, more), (low, less) = large, small
    rows = np.concatenate(
        [
            more * _times(high, v_of_r) - less * _times(low, v_of_r),
            more * _free(high)[..., None],
            -less * _free(low)[..., None],
        ],
        axis=-1,
    )
    sizes = np.abs(rows).max(axis=-1, keepdims=True)
    rows /= np.where(sizes > 0, sizes, 1.0)
    implied = np.zeros(rows.shape[:2], dtype=np.bool_)
    for part in range(rows.shape[1]):
        lower = (rows <= rows[:, part, None]).all(axis=-1) & ~implied[:, part, None]
        lower[:, part] = False
        implied |= lower
    result: FloatArray = rows[~implied]
    return result


def _free(lower: FloatArray) -> FloatArray:
    """Return 1 − Σ_x L_x of polytopes, shape (...), of L of shape (..., n_x)."""
    result: FloatArray = np.maximum(1 - lower.sum(axis=-1), 0.0)
    return result
