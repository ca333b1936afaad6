"""The optimal mechanism that may look at S as well as at X: a task of the pair (S, X)."""

import numpy as np

from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.optima.optimal import optimal
from core.mechanisms.optima.search import checked_purpose
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions.base import Notion
from core.optimal.polish import polished
from core.utilities import Distortion, Guess, Purpose, SquaredError, Task
from core.validation import IntArray

NAME = "Optimal, reading S"


def optimal_reading_secret(
    joint: Joint,
    notion: Notion,
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
    utility: Purpose | None = None,
) -> Mechanism:
    """Maximise I(X;Y), or another worth of X, over kernels P(y | s, x), with a proven bound.

    Let the pair (S, X) be what is released from: a promise about P(s, y) asks the same of it, and
    what is kept of X is what is kept of the task T = X. Whoever runs the mechanism must hold S.
    It keeps at least what `optimal` keeps, and what conditional reporting does.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : Notion
        A promise about P(s, y), such as LIP, LDP, a bound on guessing or a budget on an average,
        with an allowed set; several at once, or with exceptions.
    time_limit, gap, seed
        As in `optimal`.
    utility : Purpose, optional
        What is to survive of X: I(X;Y) where not given; the probability of guessing X, or an error.

    Returns
    -------
    Mechanism
        Its kernel is P(y | s, x), shape (n_s·n_x, n_y), rows s·n_x + x. Pairs that never occur
        answer as their x does on average.

    Raises
    ------
    InvalidInputError
        If the notion is about more than P(s, y), as robust and side-channel promises are, or the
        utility about more than X: what a mechanism that reads S tells of another task depends on
        how S and that task go together.
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
    for part in notion.parts:
        if not part.of_joint_sy:
            raise InvalidInputError(
                "A mechanism that reads S is looked for under a promise about each output's "
                f"P(s, y) or their average, got {part}."
            )
    goal = checked_purpose(utility)
    if not goal.of_x:
        raise InvalidInputError(
            f"{goal.title} of a mechanism that reads S is not known: give T as a part of X, or "
            "choose a mechanism that reads X alone."
        )
    if joint.n_x == 1:  # S is all that it could tell; a budget too small even for that is refused
        alone = optimal(joint, notion, time_limit=time_limit, gap=gap, seed=seed, utility=goal)
        return make_mechanism(
            joint,
            np.tile(alone.kernel, (joint.n_s, 1)),
            name=NAME,
            solver=alone.solver,
            status=alone.status,
            notion=notion,
            upper_bound=alone.upper_bound,
            purpose=goal,
        )
    pairs = Joint.with_secret_released(joint.p, joint.s_labels, joint.x_labels)
    of_x = pairs.kept_x % joint.n_x
    task = _of_pairs(goal, joint, of_x)
    found = optimal(pairs, notion, time_limit=time_limit, gap=gap, seed=seed, utility=task)
    average = np.zeros((joint.n_x, found.kernel.shape[1]))
    np.add.at(average, of_x, pairs.p_x[:, None] * found.kernel)
    kernel = np.tile(average / average.sum(axis=1, keepdims=True), (joint.n_s, 1))
    kernel[pairs.kept_x] = found.kernel
    kernel = polished(joint, kernel, notion)  # the same sums in another order round otherwise
    return make_mechanism(
        joint,
        kernel,
        name=NAME,
        solver=found.solver,
        status=found.status,
        notion=notion,
        upper_bound=found.upper_bound,
        notes=found.notes,
        purpose=goal,
    )


def _of_pairs(goal: Purpose, joint: Joint, of_x: IntArray) -> Purpose:
    """Return what is to survive of X as a purpose of the pairs (s, x).

    `of_x` says which x each pair is of, shape (k,).
    """
    names = np.eye(joint.n_x)[:, of_x]
    if isinstance(goal, Guess):
        return Guess(names)
    if isinstance(goal, Distortion):
        return Distortion(goal.of_symbols(joint)[of_x])
    if isinstance(goal, SquaredError):
        return SquaredError(goal.of_symbols(joint)[of_x])
    return Task(names)
