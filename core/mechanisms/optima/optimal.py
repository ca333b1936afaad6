"""The optimal mechanism under a notion."""

from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.optima.remembered import with_remembered
from core.mechanisms.optima.robust_optimal import (
    best_under,
    of_many_symbols,
    robust_of_x,
    too_many_symbols,
)
from core.mechanisms.optima.search import (
    NAME,
    SearchOptions,
    checked_options,
    checked_purpose,
    optimal_from,
    proven,
)
from core.mechanisms.optima.starts import at_least, starts
from core.mechanisms.options import Options
from core.mechanisms.outputs import in_reading_order
from core.mechanisms.result import Mechanism, make_mechanism, marked_if_cut
from core.mechanisms.robust.reporting import on_symbols
from core.notions.base import Notion
from core.notions.rldp import around
from core.notions.robust_markov import RobustForX
from core.optimal.solve import Solver
from core.utilities import Information, Purpose
from core.validation import FloatArray


@marked_if_cut
def optimal(
    joint: Joint,
    notion: Notion,
    solver: Solver = "auto",
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
    utility: Purpose | None = None,
    start: FloatArray | None = None,
) -> Mechanism:
    """Maximize a utility over all kernels P(y | x) under a convex notion, with an upper bound.

    A pointwise notion is a condition on each output's posterior, so extreme points of the allowed
    set suffice as outputs. [Lift] §III-A2, [Funnel] §IV and [RLDP] PolyOpt are cases of it. The
    utility is never below that of another mechanism of the catalogue that keeps the notion and
    reads X alone: where time is short, the best of those is returned. With more than 500 symbols
    of X, or 10,000 cells of S and X, these are only those that half of the time is enough to make,
    and from 400 symbols on subset random response has what is left of that half.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : Notion
        Any notion with an allowed set, intersections included.
    solver : {"auto", "enumerate", "columns"}
        Enumerate all vertices first, or generate columns; "auto" chooses the one that it estimates
        to be faster.
    time_limit : float, optional
        Seconds, by default 5. When they are over the best mechanism so far is returned, with
        status "time limit" and a valid upper bound.
    gap : float
        Stop when utility and upper bound differ by at most this, in nats; for a `Guess`, in
        probability; for a `Distortion` or `SquaredError`, in units of its `size`.
    seed : int
        Seed of the random starts; the same seed gives the same answer unless time ends the search,
        or more is remembered.
    utility : Purpose, optional
        `Information()`, that is I(X;Y), by default; or `Task`, `Guess`, `Distortion` or
        `SquaredError` of `core.utilities`. The result's `utility` and `upper_bound` are in its
        unit; its `information` is I(X;Y).
    start : ndarray, optional
        P(y | x) of a mechanism that keeps the notion, shape (n_x, n_y), such as an earlier result
        cut short by its time limit. The search starts from it, and its utility is a lower bound.
        Answers that time cuts short may keep less at a larger budget, unless each starts from the
        last one; those under a robust notion need no start for that, as they are remembered
        (Notes).

    Raises
    ------
    InvalidInputError
        If an option is outside its domain, the utility does not fit the joint, or symbols of X
        never occur, unless the optimum is one of pairs (S, U) under RLDP.
    NotConvexError
        If the notion's allowed set is not convex.
    InfeasibleError
        If no mechanism keeps the notion.
    AuditError
        If the start does not keep the notion.
    SolverError
        If a known mechanism exceeds a proven upper bound, which refutes the proof. Where a
        solver fails, the best known mechanism is returned, and a note says so.

    Notes
    -----
    Under a robust notion the process remembers some answers. One is never below an earlier one on
    the same estimate with a smaller ε, fewer records or a smaller β, nor its bound above that of
    an earlier one with a larger ε, more records or a larger β; the latter two not where lifts are
    bounded. Nor is it below an earlier optimum at the estimate alone with a budget as small, moved
    towards P_X until it keeps the robust notion, nor its bound above that of one with a budget as
    large.

    Examples
    --------
    >>> from core.notions import LIP
    >>> mechanism = optimal(Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]]), LIP(0.5))
    >>> mechanism.status, round(mechanism.nmi, 4), mechanism.gap < 1e-9
    ('optimal', 0.8088, True)
    """
    options = checked_options(solver, time_limit, gap, seed)
    goal = checked_purpose(utility)
    before = [] if start is None else [_as_known(joint, notion, start, goal)]
    answer = at_least(joint, _optimum(joint, notion, goal, before, options), before)
    return proven(with_remembered(joint, answer), options["gap"])


def _optimum(
    joint: Joint, notion: Notion, goal: Purpose, before: list[Mechanism], options: SearchOptions
) -> Mechanism:
    """Return the optimum that a search finds, which starts from a known mechanism."""
    start = before[0].kernel if before else None
    robust = around(notion, joint)
    unseen = int((joint.p_x == 0).sum())
    if unseen and robust is None:
        raise InvalidInputError(
            f"{unseen} of the {joint.n_x} symbols of X never occur, and only an optimum of (S, U) "
            "under RLDP answers for them. Make the joint without keep_unseen."
        )
    if too_many_symbols(joint, notion):
        return of_many_symbols(joint, notion, goal, options)
    if isinstance(notion, RobustForX) and isinstance(goal, Information):
        return robust_of_x(joint, notion, start, **options)
    if robust is not None and robust.uncertainty.n_u == 1:
        robust = None  # U is constant: RLDP is LDP
    if robust is None or not isinstance(goal, Information):
        return optimal_from(joint, notion, start, utility=goal, **options)
    mechanism = best_under(robust, robust.uncertainty.p_hat_su, name=NAME, **options)
    answer = on_symbols(joint, mechanism)
    own = Options(time_limit=options["time_limit"], gap=options["gap"], seed=options["seed"])
    return at_least(joint, answer, starts(joint, notion, own))


def _as_known(joint: Joint, notion: Notion, kernel: FloatArray, goal: Purpose) -> Mechanism:
    """Return the start, P(y | x), as an audited mechanism."""
    kernel, y_labels = in_reading_order(joint, kernel)
    return make_mechanism(
        joint, kernel, name=NAME, solver="known", notion=notion, y_labels=y_labels, purpose=goal
    )
