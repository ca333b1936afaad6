"""Reports of (s, u) in closed form, of both and of each by itself; what robust mechanisms share."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from core import validation
from core.allowed.robust import never_seen, spread
from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import FAR
from core.mechanisms.outputs import in_reading_order
from core.mechanisms.polish import polished
from core.mechanisms.response.calibrated import LARGEST, grr_kernel
from core.mechanisms.result import Mechanism, make_mechanism, on_joint
from core.notions.base import Notion
from core.notions.rldp import RLDP
from core.uncertainty import RenyiBall
from core.uncertainty.ball import FLOORED, cell_probabilities
from core.validation import FloatArray

NEGLIGIBLE = 1e-8
"""A cell of less probability was not seen: its probability is the floor of the estimate."""

UNSEEN = "never observed: treated as typical of the secret."
"""What a note says of cells of P̂ = 0."""


def estimate(p_su: ArrayLike, uncertainty: RenyiBall) -> FloatArray:
    """Return P̂(s, u), shape (n_s, n_u), checked against the uncertainty set around it."""
    cells = cell_probabilities(p_su)
    if not isinstance(uncertainty, RenyiBall):
        raise InvalidInputError(f"uncertainty must be a RenyiBall, got {uncertainty!r}.")
    centre = uncertainty.p_hat_su
    if cells.shape != centre.shape:
        raise InvalidInputError(
            f"P(s, u) must have the shape {centre.shape} of the uncertainty set's P̂, "
            f"got {cells.shape}."
        )
    apart = float(np.abs(cells - centre).max())
    if apart > FLOORED:
        raise InvalidInputError(
            f"P(s, u) must be the P̂ that the uncertainty set was made of, they differ by "
            f"{apart:.3g}."
        )
    empty = np.flatnonzero(cells.sum(axis=1) == 0)
    if empty.size:
        raise never_seen(int(empty[0]))
    # a cell of less probability counts as unseen, unless it is all that its secret has: its
    # utility is below 1e-28 nats, and dividing by its probability makes a program overflow
    kept = np.where(cells < 1e-30, 0.0, cells)
    return np.where(kept.any(axis=1, keepdims=True), kept, cells)


def likely(cells: FloatArray) -> FloatArray:
    """Return P̂(s, u) without cells below `NEGLIGIBLE`, unless a secret has no others."""
    kept = np.where(cells < NEGLIGIBLE, 0.0, cells)
    kept = np.where(kept.any(axis=1, keepdims=True), kept, cells)
    result: FloatArray = kept / kept.sum()
    return result


def released(
    cells: FloatArray,
    kernel: FloatArray,
    *,
    designed: FloatArray | None = None,
    name: str,
    solver: str,
    status: str,
    notion: Notion,
    upper_bound: float | None = None,
    notes: tuple[str, ...] = (),
    by_symbol: bool = False,
) -> Mechanism:
    """Audit a kernel over all cells, (n_s·n_u, n_y), for P̂(s, u) and make it a `Mechanism`."""
    joint = Joint.with_secret_released(cells, keep_unseen=True)
    seen = cells if designed is None else designed
    unseen = int(np.count_nonzero(seen == 0))
    if kernel.shape[0] < cells.size:
        kernel = spread(RenyiBall(cells, 0.0), Joint.with_secret_released(seen)) @ kernel
        what = "1 cell" if unseen == 1 else f"{unseen} cells"
        sentence = f"{what} {UNSEEN}"
        notes = tuple(dict.fromkeys((*notes, sentence)))  # a start may have it already
        kernel = polished(joint, kernel, notion, quick=True)  # sums over more cells round otherwise
    return make_mechanism(
        joint,
        kernel,
        name=name,
        solver=solver,
        status=status,
        notion=notion,
        y_labels=joint.x_labels if by_symbol else None,
        upper_bound=upper_bound,
        notes=notes,
    )


def on_symbols(joint: Joint, mechanism: Mechanism) -> Mechanism:
    """Return a robust mechanism over all cells as one over the symbols of X = (S, U) alone."""
    kernel = mechanism.kernel[joint.kept_x]
    if mechanism.y_labels == mechanism.x_labels:
        y_labels = _cell_labels(joint)
    else:
        kernel, y_labels = in_reading_order(joint, kernel[:, joint.p_x @ kernel > 0])
    if mechanism.notion is not None:  # reordered sums may round to another level
        kernel = polished(joint, kernel, mechanism.notion, quick=True)
    return on_joint(joint, mechanism, kernel, y_labels)


def _cell_labels(joint: Joint) -> tuple[str, ...]:
    seen = dict(zip(joint.kept_x.tolist(), joint.x_labels, strict=True))
    unseen = iter(joint.dropped_x)
    count = joint.n_x + len(joint.dropped_x)
    return tuple(seen[cell] if cell in seen else next(unseen) for cell in range(count))


def secret_randomized_response(p_su: ArrayLike, eps: float) -> Mechanism:
    """Report (s, u) most often, (s', u') less often, and (s, u') least often.

    It is (ε, F)-RLDP for every F and, where F is all distributions, optimal for large enough ε.

    Parameters
    ----------
    p_su : array_like
        P(s, u), or counts, shape (n_s, n_u); only the utility depends on them.
    eps : float
        Budget in nats.

    Raises
    ------
    InvalidInputError
        If there are fewer than two secrets or u, or `eps` is outside [0, ∞].

    Notes
    -----
    Source: [RLDP] Def. 4, Lemma 2, Theorem 4.

    Examples
    --------
    >>> mechanism = secret_randomized_response([[0.07, 0.10], [0.26, 0.57]], np.log(2))
    >>> round(mechanism.utility, 4)
    0.1005
    """
    return _under_every_distribution(
        p_su,
        eps,
        "Secret randomized response",
        secret_response_kernel,
    )


def secret_response_kernel(n_s: int, n_u: int, eps: float) -> FloatArray:
    """Return P(y | s, u), shape (n_s·n_u, n_s·n_u), in the order s·n_u + u.

    It is proportional to e^ε for y = (s, u), e^{−ε} for another u of s and 1 for other secrets.

    Examples
    --------
    >>> secret_response_kernel(2, 2, np.log(2)).round(3)
    array([[0.444, 0.111, 0.222, 0.222],
           [0.111, 0.444, 0.222, 0.222],
           [0.222, 0.222, 0.444, 0.111],
           [0.222, 0.222, 0.111, 0.444]])
    """
    # weights are divided by e^ε, so that an infinite budget gives the identity
    eps = eps if eps == np.inf else min(eps, LARGEST / 2)  # no weight underflows to 0
    other, same = np.exp(-eps), np.exp(-2 * eps)
    block = np.where(np.eye(n_u) > 0, 1.0, same)
    weights = np.where(
        np.kron(np.eye(n_s), np.ones((n_u, n_u))) > 0, np.tile(block, (n_s, n_s)), other
    )
    kernel: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return kernel


def pair_randomized_response(p_su: ArrayLike, eps: float) -> Mechanism:
    """Report (s, u) with probability e^ε/(e^ε + n_s·n_u − 1), else another pair drawn uniformly.

    It is LDP of X, and so of S under every distribution.

    Shapes: p_su (n_s, n_u).

    Source: [RLDP] §8, GRR.
    """
    return _under_every_distribution(
        p_su,
        eps,
        "Randomized response of (s, u)",
        lambda n_s, n_u, budget: grr_kernel(n_s * n_u, budget),
    )


def _under_every_distribution(
    p_su: ArrayLike, eps: float, name: str, kernel: Callable[[int, int, float], FloatArray]
) -> Mechanism:
    """Return a report of (s, u) that is audited over the set of all distributions."""
    cells = cell_probabilities(p_su)
    n_s, n_u = cells.shape
    budget = validation.budget(eps, "eps")
    return released(
        cells,
        kernel(n_s, n_u, budget),
        name=name,
        solver="closed form",
        status="closed form",
        notion=RLDP(budget, RenyiBall(cells, np.inf)),
        by_symbol=True,
    )


NAME = "Independent reporting"


def independent_reporting(p_su: ArrayLike, eps: float, uncertainty: RenyiBall) -> Mechanism:
    """Report S by GRR with ε1 and U by GRR with δ2, ε1 + ε2 = ε, split for the most utility.

    If P(U | s) and P(U | s') are at most d apart in ℓ1, a report of U by GRR with δ2 is ε2-LDP with
    respect to S, e^{ε2} = 1 + (e^{δ2} − 1)·d/2. So δ2 may exceed ε2.

    Parameters
    ----------
    p_su : array_like
        The P̂(s, u) that `uncertainty` is around, or counts, shape (n_s, n_u).
    eps : float
        Budget in nats.
    uncertainty : RenyiBall
        F.

    Raises
    ------
    InvalidInputError
        If an argument is outside its domain, or a secret was never seen.

    Notes
    -----
    Source: [RLDP] Def. 5, Theorems 5 and 6. It is audited over F itself; over PolyOpt's polytopes,
    which are larger, its level may exceed ε.

    Examples
    --------
    >>> p_hat = [[0.07, 0.10], [0.26, 0.57]]
    >>> ball = RenyiBall.confidence(p_hat, n=100)
    >>> round(independent_reporting(p_hat, np.log(2), ball).utility, 4)
    0.0755
    """
    cells = estimate(p_su, uncertainty)
    budget = validation.budget(eps, "eps")
    distance = conditional_distance(uncertainty)
    # of a greater budget, products of probabilities would underflow
    used = budget if budget == np.inf else min(budget, 2 * FAR)
    share = best_split(cells, used, distance)
    delta = delta_of(share, distance)
    n_s, n_u = cells.shape
    of_s = grr_kernel(n_s, np.inf if budget == np.inf else used - share)
    kernel: FloatArray = np.asarray(np.kron(of_s, grr_kernel(n_u, delta)), dtype=np.float64)
    notion = RLDP(budget, uncertainty, exact=True)
    whole = Joint.with_secret_released(cells, keep_unseen=True)
    kernel = polished(whole, kernel, notion)  # its level over F may be rounded up
    return released(
        cells,
        kernel,
        name=NAME,
        solver="closed form",
        status="closed form",
        notion=notion,
        notes=(f"ε2 = {share:.4g} of ε = {budget:.4g} on U, reported with δ2 = {delta:.4g}.",),
        by_symbol=kernel.shape[1] == cells.size,
    )


def reporting_kernel(ball: RenyiBall, eps: float, distance: float) -> FloatArray:
    """Return P(y | s, u) of independent reporting with a distance d, shape (n_s·n_u, n_s·n_u)."""
    share = best_split(ball.p_hat_su, eps, distance)
    of_s, of_u = grr_kernel(ball.n_s, eps - share), grr_kernel(ball.n_u, delta_of(share, distance))
    return np.asarray(np.kron(of_s, of_u), dtype=np.float64)


def conditional_distance(ball: RenyiBall) -> float:
    """Return d ≥ ‖P(U|s) − P(U|s')‖₁ for all s, s' and all P in F ([RLDP] Theorem 5)."""
    p = ball.p_u_given_s
    apart = max(float(np.abs(row - p).sum(axis=1).max()) for row in p)
    return min(2.0, 2 * float(ball.radius.max()) + apart)


def delta_of(share: float, distance: float) -> float:
    """Return δ2 = log(1 + 2(e^{ε2} − 1)/d); ∞, U released as it is, where d = 0."""
    if distance == 0 or share == np.inf:
        return np.inf
    if share > FAR:  # e^ε − 1 and e^ε round alike
        return share + float(np.log(2 / distance))
    return float(np.log1p(2 * np.expm1(share) / distance))


def best_split(cells: FloatArray, eps: float, distance: float) -> float:
    """Return the ε2 in [0, ε] with the most utility at P̂(s, u), by a grid and local searches."""
    if eps == np.inf or distance == 0:
        return np.inf if eps == np.inf else 0.0

    def loss(share: float) -> float:
        return -_utility(cells, eps - share, delta_of(share, distance))

    grid = np.linspace(0, eps, 17)  # the utility has few local maxima
    values = np.array([loss(float(share)) for share in grid])
    tried = [(float(value), float(share)) for value, share in zip(values, grid, strict=True)]
    padded = np.concatenate([[np.inf], values, [np.inf]])
    for i in np.flatnonzero((values <= padded[:-2]) & (values <= padded[2:])).tolist():
        ends = float(grid[max(i - 1, 0)]), float(grid[min(i + 1, len(grid) - 1)])
        if ends[0] < ends[1]:
            minimum = optimize.minimize_scalar(loss, bounds=ends, method="bounded")
            tried.append((float(minimum.fun), float(minimum.x)))
    return min(tried)[1]


def _utility(cells: FloatArray, eps_s: float, delta: float) -> float:
    """Return I(X;Y) = H(Y) − H(Y | X) of the two reports in nats, without the whole kernel."""
    n_s, n_u = cells.shape
    of_s, of_u = grr_kernel(n_s, eps_s), grr_kernel(n_u, delta)
    outputs = of_s.T @ cells @ of_u
    noise = special.entr(of_s[0]).sum() + special.entr(of_u[0]).sum()
    return float(special.entr(outputs).sum() - noise)
