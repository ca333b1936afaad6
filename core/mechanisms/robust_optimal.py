"""The exact robust optimum: the best mechanism that is robust for the uncertainty set itself."""

from numpy.typing import ArrayLike

from core import clock, validation
from core.joint import Joint
from core.mechanisms.independent_reporting import independent_reporting
from core.mechanisms.polyopt import polyopt
from core.mechanisms.result import Mechanism
from core.mechanisms.robust_design import estimate, released
from core.mechanisms.robust_search import ldp_bound, robust_search
from core.mechanisms.search import checked_options
from core.notions.rldp import RLDP
from core.optimal.enclosure import MOST_SYMBOLS
from core.optimal.linear_search import too_large
from core.optimal.polish import polished
from core.optimal.solve import DEFAULT_SECONDS, Solver
from core.uncertainty import RenyiBall

_LEAST_SECONDS = 0.4
"""With less than this, cutting planes would not come round once: then PolyOpt has all of it."""

_FIRST_SHARE = 0.4
"""Most of the time that PolyOpt may take first, where there are few symbols."""

NAME = "Robust optimum"


def robust_optimal(
    p_su: ArrayLike,
    eps: float,
    uncertainty: RenyiBall,
    *,
    solver: Solver = "auto",
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
) -> Mechanism:
    """Maximise I(X;Y) at P̂ over all (ε, F)-RLDP mechanisms, with a bound on what is left.

    Parameters
    ----------
    p_su : array_like
        The P̂(s, u) that `uncertainty` is around, or counts, shape (n_s, n_u).
    eps : float
        Budget in nats.
    uncertainty : RenyiBall
        F.
    solver, time_limit, gap, seed
        As in `optimal`; the solver is PolyOpt's, and the time includes that of its search, which
        this one starts from. PolyOpt is the answer where there is time for nothing else, or where
        there are too many symbols for cutting planes.

    Raises
    ------
    InvalidInputError
        If an argument does not fit, or a secret was never seen.
    SolverError
        If a solver fails.

    Notes
    -----
    F is smaller than the product of its projections: what moves P(U | s1) far cannot move
    P(U | s2) far as well. [RLDP] §9 leaves this optimum open. It is found by cutting planes: the
    solver proposes outputs, `core.notions.robust_cuts` names the members of F that object.

    Examples
    --------
    >>> p_hat = [[0.07, 0.10], [0.26, 0.57]]
    >>> ball = RenyiBall.confidence(p_hat, n=100)
    >>> round(robust_optimal(p_hat, 0.6931471805599453, ball).nmi, 3)
    0.546
    """
    budget = validation.budget(eps, "eps")
    options = checked_options(solver, time_limit, gap, seed)
    seconds = DEFAULT_SECONDS if options["time_limit"] is None else options["time_limit"]
    began = clock.now()
    notion = RLDP(budget, uncertainty, exact=True)
    cells = estimate(p_su, uncertainty)
    alone = seconds < _LEAST_SECONDS or too_large(
        notion.allowed_set(Joint.with_secret_released(cells))
    )
    if alone:
        first = polyopt(p_su, budget, uncertainty, **options)
        whole = Joint.with_secret_released(cells, keep_unseen=True)
        return released(
            cells,
            polished(whole, first.kernel, notion, quick=True),  # F's level has its own rounding
            name=NAME,
            solver=first.solver,
            status="time limit",
            notion=notion,
            upper_bound=ldp_bound(cells, budget, seconds, gap=gap, seed=seed),
            notes=first.notes,
        )
    # few symbols: the proof finds PolyOpt's last outputs; else what it would say is of no use here
    few = cells.size <= MOST_SYMBOLS
    options["time_limit"] = (_FIRST_SHARE if few else 1.0) * seconds
    first = robust_search(
        p_su, uncertainty, RLDP(budget, uncertainty), name="PolyOpt", prove=few, **options
    )
    return robust_search(
        p_su,
        uncertainty,
        notion,
        name=NAME,
        solver=solver,
        time_limit=max(seconds - (clock.now() - began), _LEAST_SECONDS / 2),
        gap=gap,
        seed=seed,
        known=(first, independent_reporting(p_su, budget, uncertainty)),
    )
