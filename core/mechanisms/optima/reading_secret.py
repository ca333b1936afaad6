"""The optimal mechanism that may look at S as well as at X: a task of the pair (S, X)."""

import numpy as np

from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.optima.optimal import optimal
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions.base import Notion, PointwiseNotion
from core.utilities import Task


def optimal_reading_secret(
    joint: Joint,
    notion: Notion,
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
) -> Mechanism:
    """Maximise I(X;Y) over all kernels P(y | s, x) under a convex notion, with a proven bound.

    Let the pair (S, X) be what is released from: a promise about P(s, y) asks the same of it, and
    what is kept of X is what is kept of the task T = X. Whoever runs the mechanism must hold S.
    It keeps at least what `optimal` keeps, and what conditional reporting does.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : Notion
        A promise about each output's P(s, y), such as LIP, LDP or a bound on guessing, with an
        allowed set.
    time_limit, gap, seed
        As in `optimal`.

    Returns
    -------
    Mechanism
        Its kernel is P(y | s, x), shape (n_s·n_x, n_y), rows s·n_x + x. Pairs that never occur
        answer as their x does on average.

    Raises
    ------
    InvalidInputError
        If the notion is about more than P(s, y), as robust and side-channel promises are.
    NotConvexError
        If the notion's set is not convex.
    InfeasibleError
        If no mechanism meets the notion.

    Notes
    -----
    Source: [Funnel] Algorithm 1 reads S too, by a rule of its own; this is the optimum.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    >>> alone, both = optimal(joint, LIP(0.1)), optimal_reading_secret(joint, LIP(0.1))
    >>> round(alone.nmi, 3), round(both.nmi, 3), both.status
    (0.765, 0.822, 'optimal')
    """
    if not isinstance(notion, PointwiseNotion):
        raise InvalidInputError(
            f"A mechanism that reads S is looked for under a promise about each output's P(s, y), "
            f"got {notion}."
        )
    pairs = Joint.with_secret_released(joint.p)
    of_x = pairs.kept_x % joint.n_x
    task = Task(np.eye(joint.n_x)[:, of_x]) if joint.n_x > 1 else None
    found = optimal(pairs, notion, time_limit=time_limit, gap=gap, seed=seed, utility=task)
    average = np.zeros((joint.n_x, found.kernel.shape[1]))
    np.add.at(average, of_x, pairs.p_x[:, None] * found.kernel)
    kernel = np.tile(average / average.sum(axis=1, keepdims=True), (joint.n_s, 1))
    kernel[pairs.kept_x] = found.kernel
    return make_mechanism(
        joint,
        kernel,
        name="Optimal, reading S",
        solver=found.solver,
        status=found.status,
        notion=notion,
        upper_bound=found.upper_bound if task is not None else None,
        notes=found.notes,
    )
