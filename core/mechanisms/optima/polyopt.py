"""PolyOpt: the optimal mechanism that is robust over polytopes around the uncertainty set."""

from numpy.typing import ArrayLike

from core import validation
from core.mechanisms.optima.robust_search import robust_search
from core.mechanisms.result import Mechanism, told_if_cut
from core.notions.rldp import RLDP
from core.optimal.solve import Solver
from core.uncertainty import RenyiBall


@told_if_cut
def polyopt(
    p_su: ArrayLike,
    eps: float,
    uncertainty: RenyiBall,
    include_same_secret: bool = False,
    *,
    solver: Solver = "auto",
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
) -> Mechanism:
    """Maximise I(X;Y) at P̂ over mechanisms that are robust for the polytopes D_s.

    The projections of F on P(U | s) lie in D_s = {R : R_u ≥ L_{u|s}}; RLDP over the product of
    these is stricter than over F, and linear.

    Parameters
    ----------
    p_su : array_like
        The P̂(s, u) that `uncertainty` is around, or counts, shape (n_s, n_u).
    eps : float
        Budget in nats.
    uncertainty : RenyiBall
        F.
    include_same_secret : bool
        Compare each secret with itself too, as printed: stricter than RLDP requires.
    solver, time_limit, gap, seed
        As in `optimal`. It uses TIME_SHARE of the limit where the robust optimum, which starts from
        its result, needs the rest: at the same limit that one is never worse.

    Raises
    ------
    InvalidInputError
        If an argument is outside its domain, or a secret was never seen.
    SolverError
        If a solver fails.

    Notes
    -----
    Source: [RLDP] Theorems 2 and 3, in a compact form with 2·n_s·n_u + n_s(n_s−1) rows.

    Examples
    --------
    >>> p_hat = [[0.07, 0.10], [0.26, 0.57]]
    >>> ball = RenyiBall.confidence(p_hat, n=100)
    >>> round(polyopt(p_hat, 0.6931471805599453, ball).utility, 4)
    0.563
    >>> round(polyopt(p_hat, 0.6931471805599453, ball, include_same_secret=True).utility, 4)
    0.4228
    """
    return robust_search(
        p_su,
        uncertainty,
        RLDP(validation.budget(eps, "eps"), uncertainty, include_same_secret=include_same_secret),
        name="PolyOpt as printed" if include_same_secret else "PolyOpt",
        solver=solver,
        time_limit=time_limit,
        gap=gap,
        seed=seed,
        first=True,
    )
