"""Pricing by Newton's method: outputs are moved to a local minimum of the reduced cost.

Under a smooth budget the best outputs are not vertices. On the support of an output the reduced
cost H(r) + Σ_j μ_j g_j(r) − π·r is smooth; Newton's steps with the absolute values of the Hessian's
eigenvalues descend to a minimum or to the boundary, where an entry becomes 0 or a row tight.

Source: saddle-free Newton, Dauphin et al. (2014); in coordinates dr = √r dz, in which H has the
second derivative −1 whatever r is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.allowed.allowed_set import AverageBudget
from core.allowed.average_cost import SmoothCost
from core.clock import Deadline
from core.optimal.utility import Utility
from core.validation import BoolArray, FloatArray, IntArray

STEPS = 40
"""Most steps; about ten suffice."""

HALVINGS = 12
"""Most times that a step is shortened until the reduced cost falls."""

SHORTER = 0.4
"""Factor by which a step is shortened."""

LEAST_CURVATURE = 0.05
"""Least curvature, in nats, that is assumed in any direction, so that steps stay bounded."""

GONE = 1e-9
"""Entries of a posterior below this are set to 0."""

PROGRESS = 1e-13
"""Gain of a step, in nats, up to which it counts as rounding."""

TIGHT = 1e-10
"""Value of a row from −this on which the row counts as tight."""

KEPT = 20
"""Most symbols of an output that is moved: an extreme one has no more than secrets and rows."""


@dataclass(frozen=True, eq=False)
class Prices:
    """Duals of symbols and budgets, which define the reduced cost of outputs.

    Attributes
    ----------
    of_symbols : ndarray
        π, shape (n_x,).
    of_budgets : ndarray
        μ ≥ 0, shape (k,).
    budgets : tuple of AverageBudget
        The k budgets.
    utility : Utility
        Gives the cost φ; I(X;Y) has φ = H.
    """

    of_symbols: FloatArray
    of_budgets: FloatArray
    budgets: tuple[AverageBudget, ...]
    utility: Utility

    def value(self, points: FloatArray) -> FloatArray:
        """Return φ(r) + Σ_j μ_j g_j(r) − π·r of posteriors, shape (k, n_x) → (k,)."""
        total = self.utility.cost(points) - points @ self.of_symbols
        for mu, budget in zip(self.of_budgets, self.budgets, strict=True):
            total = total + mu * budget.value(points)
        result: FloatArray = total
        return result


def improved(
    starts: FloatArray, prices: Prices, rows: FloatArray, *, deadline: Deadline
) -> tuple[FloatArray, FloatArray]:
    """Return outputs of lower reduced cost near given ones, and these costs.

    Parameters
    ----------
    starts : ndarray
        Allowed posteriors, shape (k, n_x).
    prices : Prices
        The duals; their utility must be I(X;Y), as steps use the derivatives of H.
    rows : ndarray
        Rows of the allowed outputs, rows @ r ≤ 0, shape (m, n_x).
    deadline : Deadline
        When to stop.
    """
    symbols = _support(starts)
    full = np.take_along_axis(starts, symbols, axis=1)
    whole = np.abs(full.sum(axis=1) - 1) < GONE  # an output of too many symbols is not moved
    face = _Face(symbols[whole], prices, rows, starts.shape[1])
    points = face.spread(full[whole])
    values = prices.value(points)
    for _ in range(STEPS):
        if deadline.over:
            break
        points, values, moved = face.step(points, values)
        if not moved.any():
            break
    found = np.vstack([points, starts[~whole]])
    return found, np.append(values, prices.value(starts[~whole]))


def _support(points: FloatArray) -> IntArray:
    """Return the support of each point, at most KEPT symbols, largest entries first, (k, m)."""
    most = int((points > GONE).sum(axis=1).max(initial=1))
    order = np.argsort(-points, axis=1, kind="stable")
    return order[:, : min(most, KEPT)]


class _Face:
    """Points on faces of the simplex, each with its own support; arguments as in `improved`."""

    def __init__(self, symbols: IntArray, prices: Prices, rows: FloatArray, n_x: int) -> None:
        self.symbols, self.prices, self.n_x = symbols, prices, n_x
        self._pi = prices.of_symbols[symbols]
        self._excess = [np.moveaxis(b.excess[:, symbols], 0, 1) for b in prices.budgets]
        self._rows = np.moveaxis(rows[:, symbols], 0, 1)

    def spread(self, shares: FloatArray) -> FloatArray:
        """Return entries on the support, shape (k, m), as posteriors, (k, n_x)."""
        shares = np.where(shares < GONE, 0.0, shares)
        points = np.zeros((len(shares), self.n_x))
        np.put_along_axis(points, self.symbols, shares, axis=1)
        result: FloatArray = points / points.sum(axis=1, keepdims=True)
        return result

    def step(
        self, points: FloatArray, values: FloatArray
    ) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Return points after one descent step, their reduced costs, and whether each moved."""
        shares = np.take_along_axis(points, self.symbols, axis=1)
        change = self._direction(shares)
        length = np.minimum(1.0, self._room(shares, change))
        moved = np.zeros(len(points), dtype=np.bool_)
        for _ in range(HALVINGS):
            tried = self.spread(np.maximum(shares + length[:, None] * change, 0.0))
            ahead = self.prices.value(tried)
            better = ~moved & (ahead < values - PROGRESS)
            points = np.where(better[:, None], tried, points)
            values = np.where(better, ahead, values)
            moved |= better
            if moved.all():
                break
            length = np.where(moved, length, SHORTER * length)
        return points, values, moved

    def _direction(self, shares: FloatArray) -> FloatArray:
        """Return Newton's steps, shape (k, m), within the supports and the tight rows."""
        on = shares > 0
        root = np.sqrt(shares)
        gradient = np.where(on, -np.log(np.where(on, shares, 1.0)), 0.0) - self._pi
        hessian = -np.eye(shares.shape[1]) * on[:, None, :]
        for mu, budget, excess in zip(
            self.prices.of_budgets, self.prices.budgets, self._excess, strict=True
        ):
            lifts = np.einsum("ksm,km->ks", excess, shares)
            slope = budget.cost.slope(lifts)
            gradient = gradient + mu * np.einsum("ksm,ks->km", excess, slope)
            if isinstance(budget.cost, SmoothCost):
                scaled = excess * root[:, None, :]
                curvature = budget.cost.curvature(lifts)
                hessian = hessian + mu * np.swapaxes(scaled, 1, 2) @ curvature @ scaled
        gradient = np.where(on, gradient, 0.0) * root
        project = self._projector(shares, root)
        hessian = project @ hessian @ project
        values, vectors = np.linalg.eigh(hessian)
        along = np.einsum("kij,ki->kj", vectors, np.einsum("kij,kj->ki", project, gradient))
        along /= -np.maximum(np.abs(values), LEAST_CURVATURE)
        inner = np.einsum("kij,kj->ki", project, np.einsum("kij,kj->ki", vectors, along))
        change = root * inner
        result: FloatArray = change - shares * change.sum(axis=1, keepdims=True)
        return result

    def _projector(self, shares: FloatArray, root: FloatArray) -> FloatArray:
        """Return projections, shape (k, m, m), onto steps that keep Σr and the tight rows."""
        held = np.abs(np.einsum("kcm,km->kc", self._rows, shares)) <= TIGHT
        normals = np.concatenate(
            [root[:, None, :], self._rows * root[:, None, :] * held[:, :, None]], axis=1
        )
        identity = np.eye(shares.shape[1])
        if not held.any():
            result: FloatArray = identity - root[:, :, None] * root[:, None, :]
        else:
            result = identity - np.linalg.pinv(normals, rcond=1e-9) @ normals
        return result

    def _room(self, shares: FloatArray, change: FloatArray) -> FloatArray:
        """Return the largest multiple of a step at which entries and rows stay feasible, (k,)."""
        slack = -np.einsum("kcm,km->kc", self._rows, shares)
        growth = np.einsum("kcm,km->kc", self._rows, change)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            of_shares = np.where(change < 0, -shares / change, np.inf)
            of_rows = np.where(growth > TIGHT, np.maximum(slack, 0.0) / growth, np.inf)
        room: FloatArray = np.minimum(of_shares.min(axis=1), of_rows.min(axis=1, initial=np.inf))
        return room
