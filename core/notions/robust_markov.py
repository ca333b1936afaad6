"""Robust notions for S – X – Y: they hold for every P(S, X) that the records leave possible.

In [RLDP] the mechanism sees X = (S, U). Here it sees X alone, so P(y | s, x) = v(x) is the same for
every s: RLDP's rows and oracle apply, with v equal over the secrets.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
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
from core.notions.base import LevelNotion, PointwiseNotion, budget_text
from core.notions.guessing import PointwiseMaximalLeakage
from core.notions.ldp import LDP
from core.notions.rldp import RLDP
from core.uncertainty import RenyiBall
from core.uncertainty.ball import assumed_records
from core.uncertainty.lift_range import MassPieces, mass_pieces
from core.validation import FloatArray


@dataclass(frozen=True)
class RobustForX(LevelNotion):
    """A robust notion for S – X – Y, over `uncertainty` of shape (n_s, n_x)."""

    eps: float
    uncertainty: RenyiBall

    of_estimate: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "eps", validation.budget(self.eps, "eps"))
        if not isinstance(self.uncertainty, RenyiBall):
            raise InvalidInputError(f"uncertainty must be a RenyiBall, got {self.uncertainty!r}.")

    @classmethod
    def of_joint(
        cls,
        joint: Joint,
        eps: float,
        n: int | None = None,
        beta: float = 0.05,
        alpha: float = 2.0,
    ) -> Self:
        """Return the notion on the confidence set around a joint; parameters as `ball_around`."""
        return cls(eps, ball_around(joint, n, beta, alpha))

    def __str__(self) -> str:
        return f"{budget_text(self.eps)}-{self.name}"

    @abstractmethod
    def at_estimate(self, eps: float) -> PointwiseNotion:
        """Return the notion at P̂ alone, with another budget: it is implied at the same one."""

    @property
    def budget(self) -> float:
        """The budget ε, in nats."""
        return self.eps

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
        table = np.broadcast_to(self._answers(joint, kernel), (joint.n_s, *np.shape(kernel)))
        return float(self.of_pairs.level_of(table))

    def holds(self, joint: Joint, kernel: ArrayLike) -> bool:
        """Return whether the mechanism keeps the notion, up to `ROUNDING`."""
        table = np.broadcast_to(self._answers(joint, kernel), (joint.n_s, *np.shape(kernel)))
        return self.of_pairs.holds_of(table)

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the notion allows: RLDP's, with v equal over s.

        Where F leaves every P(x | s) possible this is LDP of X itself.
        """
        self._check(joint)
        if self.uncertainty.budget == np.inf:
            return LDP(self.eps).allowed_set(Joint.from_counts(np.diag(joint.p_x)))
        return self.of_pairs.set_of(np.tile(np.diag(1 / joint.p_x), (joint.n_s, 1)))


@dataclass(frozen=True)
class RobustPML(RobustForX):
    """ε-pointwise maximal leakage for every P in F, P(S) included, of a mechanism of X.

    P(y|s) ≤ e^{ε} P(y) for every y and s and every P in F. It is required of a slightly larger set,
    so that its allowed set has rows: see Notes.

    Notes
    -----
    For one s the secrets other than s count as one, and F as the ball around P̂ of that pair, with
    m = P(s), R = P(X|s) and Q = P(X|not s): the condition is (e^{−ε} − m) R·v ≤ (1 − m) Q·v. The
    values of m are cut into 16 intervals; in each of them m is put at its lower end, and R and
    Q range over polytopes {R : R_x ≥ L_x} that hold what the ball leaves them there. As R·v is at
    most L·v + (1 − ΣL) max v, and Q·v at least L·v + (1 − ΣL) min v, each interval is a row.
    Source: the polytopes of [RLDP] Theorem 2, here for each part of the range of P(s).

    Examples
    --------
    >>> joint = Joint.from_counts([[30, 10, 10], [10, 10, 30]])
    >>> few, many = (RobustPML(1.0, ball_around(joint, n=n)) for n in (100, 10**8))
    >>> round(few.achieved(joint, np.eye(3)), 3), round(many.achieved(joint, np.eye(3)), 3)
    (0.805, 0.406)
    """

    name: ClassVar[str] = "robust PML"

    @cached_property
    def pieces(self) -> MassPieces:
        """What F leaves possible for each secret, by intervals of its probability."""
        return mass_pieces(self.uncertainty, 16)

    def at_estimate(self, eps: float) -> PointwiseMaximalLeakage:
        """Return ε-pointwise maximal leakage."""
        return PointwiseMaximalLeakage(eps)

    def achieved(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the least ε at which the notion holds, in nats; ∞ if at none."""
        v = self._answers(joint, kernel)
        v = v[:, v.any(axis=0)]
        mass, own, others = self.pieces
        high = own @ v + _free(own)[..., None] * v.max(axis=0)
        low = others @ v + _free(others)[..., None] * v.min(axis=0)
        total = mass[..., None] * high + (1 - mass)[..., None] * low
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(high > 0, high / total, 0.0)
        return max(0.0, float(np.log(ratio.max())))

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of allowed outputs, with h ≥ max v and l ≤ min v as auxiliary variables.

        A row of which e^{−ε} is at most the secret's probability asks nothing, and is left out.
        """
        self._check(joint)
        n_x = joint.n_x
        if self.eps == np.inf:
            return AllowedSet(sparse.csr_array((0, n_x)), n_x)
        v_of_r = np.diag(1 / joint.p_x)
        mass, own, others = self.pieces
        factor, rest = (np.exp(-self.eps) - mass)[..., None], (1 - mass)[..., None]
        matrix = np.concatenate(
            [
                factor * (own @ v_of_r) - rest * (others @ v_of_r),
                factor * _free(own)[..., None],
                -rest * _free(others)[..., None],
            ],
            axis=-1,
        )[factor[..., 0] > 0]
        ones, none = np.ones((n_x, 1)), np.zeros((n_x, 1))
        below = np.hstack([v_of_r, -ones, none])
        above = np.hstack([-v_of_r, none, ones])
        return AllowedSet(sparse.csr_array(scaled(np.vstack([matrix, below, above]))), n_x)


def _free(lower: FloatArray) -> FloatArray:
    """Return 1 − Σ_x L_x of polytopes, shape (...), of L of shape (..., n_x)."""
    result: FloatArray = np.maximum(1 - lower.sum(axis=-1), 0.0)
    return result
