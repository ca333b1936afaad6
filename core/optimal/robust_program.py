"""Robust LDP and a utility that is linear in the mechanism: one smooth convex program.

With k = (α−1)/α > 0, b the ball's budget and v_s = P(y | s, ·) of one output, all members have
R1·v_{s1} ≤ e^{ε} R2·v_{s2} iff some ν1, ν2 and μ > 0 have z_1 = ν1 − e^{−ε} v_{s1} ≥ 0,
z_2 = ν2 + v_{s2} ≥ 0 and F ≤ 0,

    F = ν1 + ν2 + μ (b + (P̂(s1) + P̂(s2))/k) − (1 + 1/k) Σ_i (μ P̂(s_i) S_i)^{1/(1+k)},
    S_i = Σ_u P̂(u | s_i) z_iu^k:

F's least value is e^{−ε} R1·v_{s1} − R2·v_{s2} at its greatest, by the duality of `extremes` for
each side and by the price μ of the budget that they share. F is convex. The program is solved by
Newton's steps along the central path, from outputs that tell nothing: all kernels on it are
strictly allowed. Source: Nesterov and Nemirovskii 1994.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from core.allowed.allowed_set import AllowedSet
from core.allowed.robust import RobustCuts
from core.clock import Deadline
from core.errors import SolverError
from core.optimal.polish import mixed
from core.validation import FloatArray

ROOTS = 0.001
"""Weight of −log z and −log μ, without which roots are too steep near 0 for Newton's steps."""

CENTRED, STEPS = 0.1, 100
"""Decrement at which a kernel is near the central path, and most of Newton's steps towards it."""

FASTER = 10.0
"""Factor by which the utility counts more at the next point of the path."""

SHORTEST = 1e-8
"""Length of a step in parts of Newton's below which rounding is all that is left to gain."""


@dataclass(frozen=True, eq=False)
class _Point:
    """A kernel P(a | x), (n_a, n_x), and what follows from it for actions, pairs and their sides.

    `shared`: ν1, ν2 and μ, (n_a, n_pairs, 3). `z`: (2, n_a, n_pairs, n_u). `sums`: S, and `roots`:
    (μ P̂ S)^{1/(1+k)}, (2, n_a, n_pairs). `f`: F, (n_a, n_pairs). `slack`: of rows, (n_a, n_rows).
    """

    kernel: FloatArray
    shared: FloatArray
    z: FloatArray
    sums: FloatArray
    roots: FloatArray
    f: FloatArray
    slack: FloatArray


class RobustProgram:
    """The program of actions with costs `pieces`, shape (n_a, n_x), under one ball."""

    def __init__(
        self, allowed: AllowedSet, oracle: RobustCuts, p_x: FloatArray, pieces: FloatArray
    ) -> None:
        ball = oracle.ball
        self.oracle, self.p_x = oracle, p_x
        self._k = (ball.alpha - 1) / ball.alpha
        self._power, self._factor = 1 / (1 + self._k), 1 + 1 / self._k
        self._rows: FloatArray = allowed.rows.toarray() * p_x
        self._pairs = np.argwhere(~np.eye(ball.n_s, dtype=bool))
        self._sides = self._pairs.T
        answers = oracle.spread.reshape(ball.n_s, ball.n_u, -1) * p_x
        # z = ν + slopes @ P(a | ·), for each s as the first of a pair and as the second
        self._slopes = np.stack([-np.exp(-oracle.eps) * answers, answers])
        self._p = ball.p_u_given_s[self._sides]
        self._masses = ball.p_s[self._sides]
        linear = np.ones((len(self._pairs), 3))
        linear[:, 2] = ball.budget + self._masses.sum(axis=0) / self._k
        self._linear = linear
        self._cost = pieces * p_x
        n_a, n_x = pieces.shape
        roots = ROOTS * (2 * ball.n_u + 1)
        self._degree = n_a * (len(self._pairs) * (1 + roots) + n_x + len(self._rows))
        self.weight = self._degree / max(float(np.ptp(self._cost, axis=0).sum()), 1e-300)
        self.point = self._nothing(n_a, n_x)

    def run(self, gap: float, deadline: Deadline) -> None:
        """Follow the path until the duality gap is below `gap`, or to the deadline."""
        most = self._degree / gap
        with suppress(np.linalg.LinAlgError):  # rounding ends the path
            while self._centre(deadline) and self.weight < most:
                self.weight = min(self.weight * FASTER, most)

    def kernel(self) -> FloatArray:
        """Return P(a | x), (n_x, n_a), moved inside by as much as its rounded sums may cost."""
        sums = self.point.kernel.sum(axis=0)
        kernel = self.point.kernel.T / sums[:, None]
        share = 2 * float(np.ptp(sums)) / -np.expm1(-self.oracle.eps)
        return mixed(kernel, self.p_x, min(share, 1.0))

    def cuts(self) -> list[tuple[int, FloatArray]]:
        """Return actions and a cut of each pair, of members at the point's split of the budget."""
        here = self.point
        mu = here.shared[..., 2]
        spent = (here.roots / mu - self._masses[:, None]) / self._k
        shares = np.log(np.maximum(spent, np.finfo(float).tiny)).reshape(2, -1)
        actions = np.repeat(np.arange(len(mu)), len(self._pairs))
        pairs = np.tile(self._pairs, (len(mu), 1))
        points = (here.kernel * self.p_x)[actions]
        cuts = self.oracle.at_splits(points, pairs, shares[0] - shares[1])
        return list(zip(actions.tolist(), cuts, strict=True))

    def _nothing(self, n_a: int, n_x: int) -> _Point:
        """Return the point of outputs that are independent of X."""
        level, low = 1 / n_a, np.exp(-self.oracle.eps)
        free = level * (1 - low)
        shared = np.empty((n_a, len(self._pairs), 3))
        shared[..., 0] = low * level + free * low / (4 * (1 + low))
        shared[..., 1] = -level + free / (4 * (1 + low))
        shared[..., 2] = free / (4 * self._linear[:, 2])
        point = self._at(np.full((n_a, n_x), level), shared)
        if point is None:  # F is at most −free/2, but rows may be equations
            raise SolverError("The allowed set has no inside.")
        return point

    def _at(self, kernel: FloatArray, shared: FloatArray) -> _Point | None:
        """Return a point, None if it is not strictly inside."""
        moved = np.stack(
            [
                np.einsum("sux,ax->asu", slopes, kernel)[:, side]
                for slopes, side in zip(self._slopes, self._sides, strict=True)
            ]
        )
        z = moved + np.moveaxis(shared[..., :2], 2, 0)[..., None]
        mu, slack = shared[..., 2], -kernel @ self._rows.T
        if min(kernel.min(), mu.min(), z.min(), slack.min(initial=1.0)) <= 0:
            return None
        sums = (self._p[:, None] * z**self._k).sum(axis=-1)
        roots = (self._masses[:, None] * mu * sums) ** self._power
        f = (self._linear * shared).sum(axis=-1) - self._factor * roots.sum(axis=0)
        return _Point(kernel, shared, z, sums, roots, f, slack) if (f < 0).all() else None

    def _value(self, point: _Point | None) -> float:
        """Return what the path minimizes at a weight; ∞ outside."""
        if point is None:
            return np.inf
        logs = sum(np.log(part).sum() for part in (point.kernel, point.slack, -point.f))
        rooted = np.log(point.z).sum() + np.log(point.shared[..., 2]).sum()
        return float(self.weight * (self._cost * point.kernel).sum() - logs - ROOTS * rooted)

    def _centre(self, deadline: Deadline) -> bool:
        """Go to the path by Newton's steps; return whether it was reached."""
        for _ in range(STEPS):
            if deadline.over:
                return False
            ahead, shared, decrement = self._step()
            if decrement < CENTRED:
                return True
            here, length, following = self._value(self.point), 1.0, None
            while following is None:
                tried = self._at(
                    self.point.kernel + length * ahead, self.point.shared + length * shared
                )
                if self._value(tried) <= here - 0.1 * length * decrement:
                    following = tried
                length *= 0.6
                if length < SHORTEST:
                    return False
            self.point = following
        return False

    def _step(self) -> tuple[FloatArray, FloatArray, float]:
        """Return Newton's step in P(a | x) and in what is shared, and its decrement."""
        gradient, of_shared, own, cross, inner = self._derivatives()
        kernel, n_x = self.point.kernel, self.point.kernel.shape[1]
        # in parts of each P(a | x), which differ by many powers of ten
        gradient, cross = kernel * gradient, kernel[:, None, None] * cross
        own = kernel[:, :, None] * own * kernel[:, None]
        right = np.concatenate([cross, of_shared[..., None]], axis=-1)
        solved = np.linalg.solve(inner, right)
        blocks = own - np.einsum("apix,apiw->axw", cross, solved[..., :n_x], optimize=True)
        left = gradient - np.einsum("apix,api->ax", cross, solved[..., n_x])
        inverse = kernel[:, :, None] * np.linalg.inv(blocks)
        down = (inverse @ left[..., None])[..., 0]
        prices = np.linalg.solve((inverse * kernel[:, None]).sum(axis=0), down.sum(axis=0))
        ahead = (inverse @ (kernel * prices)[..., None])[..., 0] - down
        ahead /= kernel
        shared = -solved[..., n_x] - np.einsum("apix,ax->api", solved[..., :n_x], ahead)
        decrement = -float((gradient * ahead).sum() + (of_shared * shared).sum())
        return kernel * ahead, shared, decrement

    def _derivatives(self) -> tuple[FloatArray, ...]:
        """Return those of `_value`: first and second ones of P(a | x) and what is shared.

        Shapes (n_a, n_x), (n_a, n_pairs, 3), (n_a, n_x, n_x), (n_a, n_pairs, 3, n_x) and
        (n_a, n_pairs, 3, 3).
        """
        here, inverse = self.point, -1 / self.point.f
        mu, n_x = here.shared[..., 2], here.kernel.shape[1]
        gradient = self.weight * self._cost - 1 / here.kernel + (1 / here.slack) @ self._rows
        own = (self._rows.T * (1 / here.slack**2)[:, None]) @ self._rows
        own[:, range(n_x), range(n_x)] += 1 / here.kernel**2
        of_shared, cross = np.zeros_like(here.shared), np.zeros((*here.shared.shape, n_x))
        inner = np.zeros((*here.shared.shape, 3))
        of_shared[..., 2], inner[..., 2, 2] = -ROOTS / mu, ROOTS / mu**2
        of_f, f_shared = np.zeros((*mu.shape, n_x)), np.ones_like(here.shared) * self._linear
        for i, (slopes, owners) in enumerate(zip(self._slopes, self._sides, strict=True)):
            rise, bend, once, twice, mixed, alone = self._side(i)
            total = rise.sum(axis=-1)
            grown = self._spread(i, rise)
            of_f -= once[..., None] * grown
            f_shared[..., i] -= once * total
            f_shared[..., 2] -= once * here.sums[i] / mu
            gradient -= ROOTS * self._spread(i, 1 / here.z[i]).sum(axis=1)
            of_shared[..., i] -= ROOTS * (1 / here.z[i]).sum(axis=-1)
            for s, slope in enumerate(slopes):
                own += (slope.T * bend[:, None, owners == s].sum(axis=2)) @ slope
            own += grown.swapaxes(1, 2) @ (twice[..., None] * grown)
            cross[..., i, :] += self._spread(i, bend) + (twice * total)[..., None] * grown
            cross[..., 2, :] -= mixed[..., None] * grown
            inner[..., i, i] += bend.sum(axis=-1) + twice * total**2
            inner[..., 2, 2] += alone
            for j, m in ((i, 2), (2, i)):
                inner[..., j, m] -= mixed * total
        gradient += (inverse[..., None] * of_f).sum(axis=1)
        of_shared += inverse[..., None] * f_shared
        scaled = (inverse**2)[..., None] * of_f
        own += of_f.swapaxes(1, 2) @ scaled
        cross += f_shared[..., None] * scaled[..., None, :]
        inner += (inverse**2)[..., None, None] * f_shared[..., None] * f_shared[..., None, :]
        return gradient, of_shared, own, cross, inner

    def _side(self, i: int) -> tuple[FloatArray, ...]:
        """Return ∂S/∂z, and derivatives of the path's logarithms, for side i.

        They are the second ones of z alone; −∂F/∂S; and, of what −log(−F) has through −F's second
        derivatives, those in S twice, in S and μ without their sign, and in μ twice.
        """
        here, k, power = self.point, self._k, self._power
        z, sums, mu, inverse = here.z[i], here.sums[i], here.shared[..., 2], -1 / here.f
        once = self._factor * power * here.roots[i] / sums
        rise = self._p[i] * k * z ** (k - 1)
        bend = (inverse * once)[..., None] * rise * (1 - k) / z + ROOTS / z**2
        twice = inverse * once * (1 - power) / sums
        mixed = inverse * once * power / mu
        alone = inverse * once * sums * (1 - power) / mu**2
        return rise, bend, once, twice, mixed, alone

    def _spread(self, i: int, values: FloatArray) -> FloatArray:
        """Return values of z of side i, (n_a, n_pairs, n_u), as ones of P(a | x), (…, n_x)."""
        slopes, owners = self._slopes[i], self._sides[i]
        result = np.empty((*values.shape[:2], slopes.shape[2]))
        for s, slope in enumerate(slopes):
            result[:, owners == s] = values[:, owners == s] @ slope
        return result
