"""The optimal mechanism: the most that can be kept of X under a notion."""

from core.joint import Joint
from core.mechanisms.optima.robust_optimal import best_under
from core.mechanisms.optima.search import NAME, checked_options, checked_purpose, optimal_from
from core.mechanisms.optima.starts import at_least, starts
from core.mechanisms.options import Options
from core.mechanisms.outputs import in_reading_order
from core.mechanisms.result import Mechanism, make_mechanism
from core.mechanisms.robust.design import on_symbols
from core.notions.base import Notion
from core.notions.rldp import around
from core.optimal.solve import Solver
from core.utilities import Information, Purpose
from core.validation import FloatArray


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
    """Maximise a utility over all kernels under a convex notion, with a bound on what is left.

    Every convex notion is a condition on each output's posterior alone, so the optimum is a
    mixture of extreme allowed posteriors. [Lift] §IV-C, [ALIP] §IV, [Funnel] §IV and [RLDP]
    PolyOpt are four cases of it. It is never below another mechanism of the catalogue that keeps
    the promise and reads X alone, however short the time: where there is no time for more, the
    best of those is the answer.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : Notion
        Any notion with an allowed set, intersections included.
    solver : {"auto", "enumerate", "columns"}
        All vertices first, or only those that are asked for; "auto" takes what it estimates to
        be quicker.
    time_limit : float, optional
        Seconds, 5 where not given. The best mechanism so far is returned when time is over, with
        status "time limit" and a bound that is valid all the same.
    gap : float
        Stop when the optimum is known to this many nats; of a `Guess`, a probability; of a
        `Distortion`, a part of the largest loss.
    seed : int
        Of the random starts; the same seed gives the same answer where time does not decide.
    utility : Purpose, optional
        What is to survive: `Information()`, I(X;Y), where not given; `Task`, `Guess`, `Distortion`
        or `SquaredError` of `core.utilities`. The result's `utility` and `upper_bound` are in its
        unit, its `information` is I(X;Y) and its `kept` a share.
    start : ndarray, optional
        P(y | x) of a mechanism that keeps the notion, shape (n_x, n_y), such as an earlier answer
        that was cut short: the search goes on from it, and is never below it.

    Raises
    ------
    InvalidInputError
        If an option is outside its domain or the utility does not fit the joint.
    NotConvexError
        If the notion's allowed set is not convex.
    InfeasibleError
        If no mechanism meets the notion.
    AuditError
        If the start does not keep the notion.
    SolverError
        If a known mechanism exceeds a bound that was proven: then the proof is wrong. Where a
        solver fails, the best known mechanism is the answer, and a note says so.

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
    robust = around(notion, joint)
    if robust is None or not isinstance(goal, Information):
        kernel = before[0].kernel if before else None
        found = optimal_from(joint, notion, kernel, utility=utility, **options)
        return at_least(joint, found, before)
    found = best_under(robust, robust.uncertainty.p_hat_su, name=NAME, **options)
    answer = on_symbols(joint, found)
    known = starts(joint, notion, Options(time_limit=time_limit, gap=gap, seed=seed))
    return at_least(joint, answer, [*before, *known])


def _as_known(joint: Joint, notion: Notion, kernel: FloatArray, goal: Purpose) -> Mechanism:
    """Return a kernel to start from as a mechanism, audited."""
    kernel, y_labels = in_reading_order(joint, kernel)
    return make_mechanism(
        joint,
        kernel,
        name=NAME,
        solver="known",
        status="heuristic",
        notion=notion,
        y_labels=y_labels,
        purpose=goal,
    )
