"""Robust local differential privacy: LDP for every distribution that a sample leaves possible."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from core.allowed.allowed_set import AllowedSet
from core.allowed.inequalities import scaled
from core.allowed.robust import RobustCuts, answers, pair_cells, spread
from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import ROUNDING
from core.notions.base import LevelNotion, Notion, OfEps, PointwiseNotion
from core.notions.ldp import LDP
from core.uncertainty import RenyiBall
from core.uncertainty.ball import FLOORED, assumed_records
from core.uncertainty.worst_case import exceeds, worst_case
from core.validation import FloatArray
from core.wording import all_records, rounded_up

_MANY_CELLS = 150
"""With fewer cells each pair of secrets has a row: running minima would add vertices to walk."""


@dataclass(frozen=True)
class RobustNotion(OfEps, LevelNotion):
    """A notion with a budget ε for every distribution of an uncertainty set F."""

    uncertainty: RenyiBall

    of_estimate: ClassVar[bool] = True

    nested: ClassVar[bool] = True
    """Whether it is known to allow over a smaller F all that it allows over a larger one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.uncertainty, RenyiBall):
            raise InvalidInputError(f"uncertainty must be a RenyiBall, got {self.uncertainty!r}.")

    @abstractmethod
    def at_estimate(self, eps: float) -> PointwiseNotion:
        """Return the notion at P̂ alone, with another budget: it is implied at the same one."""

    def is_around(self, joint: Joint) -> bool:
        """Return whether P̂ is the joint itself, up to rounding, so that F has it as a member."""
        estimate, cells = self.uncertainty.p_hat_su, self._estimated(joint)
        return cells.shape == estimate.shape and bool((np.abs(cells - estimate) <= ROUNDING).all())

    def _estimated(self, joint: Joint) -> FloatArray:
        """Return the probabilities of a joint that P̂ has, (n_s, n_u)."""
        return joint.p


@dataclass(frozen=True)
class RLDP(RobustNotion):
    """(ε, F)-robust LDP: P(y|s1) ≤ e^{ε} P(y|s2) for all s1 ≠ s2 and every P in F.

    It is defined for joints of S and X = (S, U), `Joint.with_secret_released`. With X = S, where U
    is constant, it is LDP.

    Parameters
    ----------
    eps : float
        Budget in nats, in [0, ∞].
    uncertainty : RenyiBall
        F.
    exact : bool
        Whether the condition is over F itself. Else it is over the larger product of the polytopes
        D_s = {R : R_u ≥ L_{u|s}}, as in PolyOpt: sufficient and simpler, but stricter.
    include_same_secret : bool
        Compare a secret with itself too, as PolyOpt is printed, which RLDP does not need; only
        for the polytopes.

    Raises
    ------
    InvalidInputError
        If `eps` is outside [0, ∞], `uncertainty` is not a RenyiBall, or both `exact` and
        `include_same_secret` are set.

    Notes
    -----
    Source: [RLDP] Def. 1, and Def. 3 with Theorem 2 for the polytopes.

    Examples
    --------
    >>> p_hat = [[0.07, 0.10], [0.26, 0.57]]
    >>> ball = RenyiBall.confidence(p_hat, n=100)
    >>> joint = Joint.with_secret_released(p_hat)
    >>> response = np.kron(np.full((2, 2), 0.5), [[0.7, 0.3], [0.3, 0.7]])
    >>> round(RLDP(1, ball).achieved(joint, response), 4)
    0.4498
    >>> round(RLDP(1, ball, exact=True).achieved(joint, response), 4)
    0.3684
    """

    exact: bool = False
    include_same_secret: bool = False

    name: ClassVar[str] = "RLDP"
    secret_released: ClassVar[bool] = True
    reached: ClassVar[str] = "LDP at worst over the set"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.exact and self.include_same_secret:
            raise InvalidInputError(
                "include_same_secret belongs to the published PolyOpt and cannot go with "
                "exact=True."
            )

    @classmethod
    def of_joint(
        cls,
        joint: Joint,
        eps: float,
        n: int | None = None,
        beta: float = 0.05,
        alpha: float = 2.0,
    ) -> RLDP:
        """Return exact RLDP over the confidence set around a joint of S and X = (S, U).

        Parameters
        ----------
        joint : Joint
            P̂(s, x) of `Joint.with_secret_released`.
        eps : float
            Budget in nats.
        n : int, optional
            Records behind P̂; by default the joint's own number, or 1,000 where it has none.
        beta, alpha : float
            As in `RenyiBall.confidence`.

        Raises
        ------
        InvalidInputError
            If X is not the pair (S, U), a secret was never seen, or a number is outside its domain.

        Examples
        --------
        >>> joint = Joint.with_secret_released([[7, 10], [26, 57]])
        >>> round(RLDP.of_joint(joint, 1.0).uncertainty.bound, 5)
        0.07524
        """
        records = assumed_records(joint.n) if n is None else n
        ball = RenyiBall.confidence(pair_cells(joint), records, beta, alpha)
        return cls(eps, ball, exact=True)

    def __str__(self) -> str:
        over = "" if self.exact or self.uncertainty.bound == np.inf else " over polytopes"
        as_printed = ", as printed" if self.include_same_secret else ""
        return f"{super().__str__()}{over}{as_printed}"

    def at_estimate(self, eps: float) -> LDP:
        """Return ε-LDP."""
        return LDP(eps)

    def _estimated(self, joint: Joint) -> FloatArray:
        cells = np.zeros(self.uncertainty.p_hat_su.size)
        cells[joint.kept_x] = joint.p_x
        return cells.reshape(self.uncertainty.p_hat_su.shape)

    def achieved(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the least ε at which the notion holds, in nats; ∞ if at none.

        Of P(s, x) only the cells of (S, U) matter. A kernel has shape (n_x, n_y), or (n_s·n_u, n_y)
        for all cells; those without a row have the mixture of their secret's rows
        (`core.allowed.robust.spread`). Exact: the search of `core.uncertainty.worst_case`.
        Polytopes: at a vertex of D_s one u has all the free mass κ_s = 1 − Σ L_{u|s}, so the
        extremes of R·v over D_s are L_s·v + κ_s max v and L_s·v + κ_s min v.
        """
        return self.level_of(answers(self.uncertainty, joint, kernel))

    def level_of(self, table: FloatArray) -> float:
        """Return `achieved` of P(y | s, u), shape (n_s, n_u, n_y)."""
        ball = self.uncertainty
        if self.exact:
            return worst_case(ball, table).level
        fixed = np.einsum("su,suy->sy", ball.lower_rounded, table)
        free = _free_mass(ball)
        high = fixed + free * table.max(axis=1)
        low = fixed + free * table.min(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            levels = np.where(high[:, None] > 0, np.log(high[:, None]) - np.log(low), -np.inf)
        if not self.include_same_secret:
            levels[np.diag_indices(ball.n_s)] = -np.inf
        return max(0.0, float(levels.max()))

    def holds(self, joint: Joint, kernel: ArrayLike) -> bool:
        """Return whether the mechanism keeps the notion, up to `ROUNDING`."""
        return self.holds_of(answers(self.uncertainty, joint, kernel))

    def holds_of(self, table: FloatArray) -> bool:
        """Return `holds` of P(y | s, u), shape (n_s, n_u, n_y)."""
        limit = self.eps + ROUNDING
        if self.exact:
            return not exceeds(self.uncertainty, table, limit)
        return self.level_of(table) <= limit

    def in_words(self, level: float, secret: str, records: int) -> str:
        """Return a sentence on the largest likelihood ratio of two secrets over F."""
        which = (
            "Whatever the true distribution"
            if np.isinf(self.uncertainty.bound)
            else f"Whatever distribution {all_records(records)} possible"
        )
        if np.isinf(level):
            return f"Some outputs may rule out a value of {secret} for certain."
        if level == 0:
            return f"{which}, the release reveals nothing about {secret}."
        return (
            f"{which}, no output is more than {rounded_up(np.exp(level))} times as likely under "
            f"one value of {secret} as under another."
        )

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the notion allows.

        For the polytopes, with v = P(y | s, u) up to scale and h_s ≥ v_{s,u} ≥ l_s as auxiliary
        variables: κ_{s1}h_{s1} + L_{s1}·v_{s1} ≤ e^{ε}(κ_{s2}l_{s2} + L_{s2}·v_{s2}). It is
        equivalent to [RLDP] Def. 3 with its a² rows. Exact: the same rows with L = P̂(u | s) and
        κ = 0 (LDP at P̂, which is in F), and an oracle for the rest of F. Where U is constant, as
        with X = S, it is LDP's.
        """
        v_of_r = spread(self.uncertainty, joint) / joint.p_x
        if self.uncertainty.n_u == 1:
            return LDP(self.eps).allowed_set(joint)
        allowed = self.set_of(v_of_r)
        many = self.uncertainty.p_hat_su.size >= _MANY_CELLS
        if self.eps < np.inf and many and not (self.exact or self.include_same_secret):
            # it allows nearly the same outputs, and dual prices converge sooner on it
            smaller = replace(self, include_same_secret=True).allowed_set(joint)
            return replace(allowed, restriction=smaller)
        return allowed

    def set_of(self, v_of_r: FloatArray) -> AllowedSet:
        """Return the allowed set for v = v_of_r @ r, with `v_of_r` of shape (n_s·n_u, n_x)."""
        ball, n_x = self.uncertainty, v_of_r.shape[1]
        if self.eps == np.inf:
            return AllowedSet(sparse.csr_array((0, n_x)), n_x)
        if self.exact and ball.budget < np.inf:
            lower, free = ball.p_u_given_s, np.zeros((ball.n_s, 1))
        else:
            lower, free = ball.lower_rounded, _free_mass(ball)
        rows = _compact_rows(v_of_r, lower, free[:, 0], self.eps, self.include_same_secret)
        oracle = None
        if self.exact and 0 < ball.budget < np.inf:
            oracle = RobustCuts(ball, self.eps, v_of_r)
        return AllowedSet(rows, n_x, oracle)


def around(notion: Notion, estimate: Joint) -> RLDP | None:
    """Return the notion if it is RLDP with a set around this estimate P̂(s, x); else None.

    Raises
    ------
    InvalidInputError
        If it is RLDP and X is not the pair (S, U), or a secret was never seen.
    """
    if not isinstance(notion, RLDP):
        return None
    cells, centre = pair_cells(estimate), notion.uncertainty.p_hat_su
    same = cells.shape == centre.shape and float(np.abs(cells - centre).max()) <= FLOORED
    return notion if same else None


def _free_mass(ball: RenyiBall) -> FloatArray:
    """Return κ_s = 1 − Σ_u L_{u|s}, shape (n_s, 1)."""
    free: FloatArray = np.maximum(1 - ball.lower_rounded.sum(axis=1, keepdims=True), 0.0)
    return free


def _compact_rows(
    v_of_r: FloatArray, lower: FloatArray, free: FloatArray, eps: float, same_secret: bool
) -> sparse.csr_array:
    """Return the rows of `RLDP.allowed_set` on [r, h, l], scaled to a largest coefficient of 1."""
    n_s, n_u = lower.shape
    n_x = v_of_r.shape[1]
    owner = np.repeat(np.arange(n_s), n_u)
    sides = np.array([(i, j) for i in range(n_s) for j in range(n_s) if i != j or same_secret])
    s1, s2 = sides.T
    fixed = np.einsum("su,sux->sx", lower, v_of_r.reshape(n_s, n_u, n_x))
    shrink = np.exp(-eps)
    pick = np.eye(n_s)
    pairs = shrink * fixed[s1] - fixed[s2]
    if not free.any():
        return sparse.csr_array(scaled(pairs))
    own = np.count_nonzero(v_of_r, axis=1) == 1
    # up to this many cells there is a row for each pair of vertices of the D_s, at most 400:
    # without auxiliary variables the solver can use double description
    if n_s * n_u <= 20:
        at_vertex = fixed[owner] + free[owner, None] * v_of_r
        first, second = np.nonzero(own & own[:, None] & ((owner[:, None] != owner) | same_secret))
        return sparse.csr_array(scaled(shrink * at_vertex[first] - at_vertex[second]))
    pairs = np.hstack([pairs, shrink * free[s1, None] * pick[s1], -free[s2, None] * pick[s2]])
    symbols, owners = v_of_r[own], owner[own]
    none = np.zeros((len(owners), n_s))
    above = np.hstack([symbols, -pick[owners], none])
    below = np.hstack([-symbols, none, pick[owners]])
    # with more secrets than this, 6·n_s rows of running minima are fewer than n_s(n_s − 1) pairs
    if n_s > 7 and n_s * n_u >= _MANY_CELLS:
        pairs = _chained(fixed, free, eps, same_secret)
        wider = np.zeros((len(owners), 2 * n_s))
        above, below = np.hstack([above, wider]), np.hstack([below, wider])
    return sparse.csr_array(np.vstack([scaled(part) for part in (pairs, above, below)]))


def _chained(fixed: FloatArray, free: FloatArray, eps: float, same_secret: bool) -> FloatArray:
    """Return rows on [r, h, l, p, q] that are equivalent to the rows of all pairs of secrets.

    With B_t = L_t·v + κ_t l_t, p_s is at most every B_t of t ≤ s and q_s at most every B_t of t ≥
    s, so min(p_{s−1}, q_{s+1}) is at most every B_t of t ≠ s.
    """
    n_s = len(free)
    pick, none = np.eye(n_s), np.zeros((n_s, n_s))
    up, down = np.exp(eps / 2), np.exp(-eps / 2)
    high = down * np.hstack([fixed, free[:, None] * pick, none, none, none])
    low = np.hstack([fixed, none, free[:, None] * pick, none, none])
    zero = np.zeros_like(fixed)
    before = np.hstack([zero, none, none, pick, none])
    after = np.hstack([zero, none, none, none, pick])
    minima = [before - low, after - low, before[1:] - before[:-1], after[:-1] - after[1:]]
    if same_secret:
        ratios = [high - up * before[-1]]
    else:
        ratios = [high[1:] - up * before[:-1], high[:-1] - up * after[1:]]
    rows: FloatArray = np.vstack([*minima, *ratios])
    return rows
