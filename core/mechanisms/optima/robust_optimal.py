"""The exact robust optimum: the optimal mechanism under RLDP for the uncertainty set itself."""

from functools import partial

from numpy.typing import ArrayLike

from core import validation
from core.clock import Deadline, tell_cut
from core.joint import Joint
from core.mechanisms.optima.coupling import coupled
from core.mechanisms.optima.robust_search import ldp_bound, robust_search
from core.mechanisms.optima.search import checked_options
from core.mechanisms.optima.tightened import tightened
from core.mechanisms.polish import polished
from core.mechanisms.result import Mechanism, told_if_cut
from core.mechanisms.robust.design import estimate, released
from core.mechanisms.robust.independent_reporting import independent_reporting
from core.notions.rldp import RLDP
from core.optimal.columns.linear_search import too_large
from core.optimal.solve import DEFAULT_SECONDS, Solver
from core.uncertainty import RenyiBall

_LEAST_SECONDS = 0.4
"""With less time than this cutting planes would not finish one round: the better one of PolyOpt's
mechanism and the quick starts is returned."""

NAME = "Robust optimum"


@told_if_cut
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
    """Maximise I(X;Y) at P̂ over all (ε, F)-RLDP mechanisms, with an upper bound.

    Parameters
    ----------
    p_su : array_like
        The P̂(s, u) that `uncertainty` is around, or counts, shape (n_s, n_u).
    eps : float
        Budget in nats.
    uncertainty : RenyiBall
        F.
    solver, time_limit, gap, seed
        As in `optimal`; `solver` is that of PolyOpt, which runs first within the same limit and
        which the search starts from. The best of it and of the quick starts (`tightened`,
        `coupled`) is returned where time is too short, or there are too many symbols for cutting
        planes. At the same limit PolyOpt alone is never better.

    Raises
    ------
    InvalidInputError
        If an argument is outside its domain, or a secret was never seen.
    SolverError
        If a solver fails.

    Notes
    -----
    F is smaller than the product of its projections: a member with P(U | s1) far from P̂ has
    P(U | s2) near it. [RLDP] §9 leaves this optimum open. It is found by cutting planes: the
    solver proposes outputs, and `core.allowed.robust_oracles` finds the members of F at which they
    exceed ε.

    Examples
    --------
    >>> p_hat = [[0.07, 0.10], [0.26, 0.57]]
    >>> ball = RenyiBall.confidence(p_hat, n=100)
    >>> round(robust_optimal(p_hat, 0.6931471805599453, ball).nmi, 3)
    0.546
    """
    notion = RLDP(validation.budget(eps, "eps"), uncertainty, exact=True)
    options = checked_options(solver, time_limit, gap, seed)
    estimate(p_su, uncertainty)  # checks only: `best_under` normalises p_su, once
    return best_under(notion, p_su, name=NAME, **options)


@told_if_cut
def best_under(
    notion: RLDP,
    p_su: ArrayLike,
    *,
    name: str,
    solver: Solver,
    time_limit: float | None,
    gap: float,
    seed: int,
) -> Mechanism:
    """Return the optimal mechanism over all cells, for F itself or for the polytopes around it.

    First it makes PolyOpt's mechanism, exactly as `polyopt` does with the same options; the rest of
    the time goes into a search that starts from it.

    Parameters
    ----------
    notion : RLDP
        The notion.
    p_su : array_like
        P̂(s, u), or counts, not yet normalised: a second normalisation would change the last digit,
        and PolyOpt's answer with it.
    name : str
        Name of the result.
    solver, time_limit, gap, seed
        As in `optimal`, checked.
    """
    seconds = DEFAULT_SECONDS if time_limit is None else time_limit
    deadline, ball = Deadline.after(seconds), notion.uncertainty
    cells = estimate(p_su, ball)
    search = partial(robust_search, p_su, ball, name=name, solver=solver, gap=gap, seed=seed)
    if seconds < _LEAST_SECONDS:
        tell_cut()
    alone = seconds < _LEAST_SECONDS or too_large(
        notion.allowed_set(Joint.with_secret_released(cells))
    )
    polytopes = RLDP(notion.eps, ball, include_same_secret=notion.include_same_secret)
    first = search(polytopes, time_limit=time_limit, first=True, bounded=alone)
    if not notion.exact and (alone or first.gap <= gap):
        return first
    if alone:
        whole = Joint.with_secret_released(cells, keep_unseen=True)
        pairs = Joint.with_secret_released(cells)
        quick = [*tightened(pairs, notion), *coupled(cells, pairs, notion)]
        start = max([first, *quick], key=lambda made: made.utility)
        kernel = start.kernel
        if start is first:  # its level over F may be rounded up
            kernel = polished(whole, kernel, notion, quick=True)
        return released(
            cells,
            kernel,
            name=name,
            solver=start.solver,
            status="time limit",
            notion=notion,
            upper_bound=ldp_bound(cells, notion.eps, seconds, gap=gap, seed=seed),
            notes=first.notes,
        )
    left = max(deadline.left, _LEAST_SECONDS / 2)
    if not notion.exact:
        second = search(notion, time_limit=left, known=(first,))
        return max(second, first, key=lambda made: made.utility)
    separate = independent_reporting(cells, notion.eps, ball)
    return search(notion, time_limit=left, known=(first, separate))
