"""The optimal mechanism P(y | s, x) that reads S too: an optimum for a task of the pair (S, X)."""

from dataclasses import replace

import numpy as np

from core.clock import Deadline
from core.errors import CoreError, InvalidInputError
from core.joint import Joint
from core.mechanisms.entry import TIME_SHARE, check_entries
from core.mechanisms.heuristics import HEURISTICS
from core.mechanisms.optima.optimal import optimal
from core.mechanisms.optima.search import (
    checked_options,
    checked_purpose,
    optimal_from,
    proven,
)
from core.mechanisms.optima.starts import at_least
from core.mechanisms.options import Options
from core.mechanisms.polish import cleared, polished
from core.mechanisms.result import Mechanism, make_mechanism, marked_if_cut, revalued
from core.notions.base import Notion
from core.optimal.solve import DEFAULT_SECONDS
from core.utilities import Distortion, Guess, Purpose, SquaredError, Task
from core.validation import IntArray

NAME = "Optimal, reading S"


@marked_if_cut
def optimal_reading_secret(
    joint: Joint,
    notion: Notion,
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
    utility: Purpose | None = None,
) -> Mechanism:
    """Maximize I(X;Y), or another utility of X, over kernels P(y | s, x), with an upper bound.

    It is the optimum where the pair (S, X) takes the place of X: a notion of P(s, y) is the same
    there, and utility of X is utility for the task T = X. Whoever runs the mechanism must know S.
    It starts from conditional reporting and from what `optimal` finds in two fifths of the time,
    and its utility is at least that of both.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : Notion
        A notion of P(s, y) with an allowed set, such as LIP, LDP, a bound on guessing or a budget
        on an average; also an intersection, or with exceptions.
    time_limit, gap, seed
        As in `optimal`.
    utility : Purpose, optional
        A utility of X alone (`Purpose.of_x`): I(X;Y) by default, the probability of guessing X, or
        an error.

    Returns
    -------
    Mechanism
        Its kernel is P(y | s, x), shape (n_s·n_x, n_y), rows s·n_x + x. The row of a pair of
        probability 0 is the mean P(y | x).

    Raises
    ------
    InvalidInputError
        If the notion depends on more than P(s, y), as robust and side-channel notions do, or the
        utility on more than P(x, y), as that of a task does; or if a kernel with outputs X would
        have more than `MAX_ENTRIES` entries.
    NotConvexError
        If the notion's set is not convex.
    InfeasibleError
        If no mechanism keeps the notion.

    Notes
    -----
    [Funnel] Algorithm 1 is a mechanism of this kind in closed form.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    >>> alone, both = optimal(joint, LIP(0.1)), optimal_reading_secret(joint, LIP(0.1))
    >>> round(alone.nmi, 3), round(both.nmi, 3), both.status
    (0.765, 0.822, 'optimal')
    """
    goal = checked_purpose(utility)
    checked_options("auto", time_limit, gap, seed)
    _refuse(notion, goal)
    check_entries(joint, NAME)
    if joint.n_x == 1:  # X has no utility; a notion that no mechanism keeps raises as it should
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
    seconds = DEFAULT_SECONDS if time_limit is None else time_limit
    deadline = Deadline.after(seconds)
    options = Options(time_limit=seconds, gap=gap, seed=seed)
    known = _known(joint, notion, goal, options)
    pairs = Joint.with_secret_released(joint.p, joint.s_labels, joint.x_labels)
    of_x = pairs.kept_x % joint.n_x
    start = np.hstack([mechanism.kernel for mechanism in known])[pairs.kept_x] / len(known)
    paired = optimal_from(
        pairs,
        notion,
        polished(pairs, start[:, pairs.p_x @ start > 0], notion),
        time_limit=max(deadline.left, 0.05),  # also when the starting mechanisms took all of it
        gap=gap,
        seed=seed,
        utility=_of_pairs(goal, joint, of_x),
        # with more pairs (s, x) the catalogue's mechanisms for pairs are left out: for 1,600 pairs
        # they took 6 s, and none had a tenth of the utility of those that read X alone
        among=None if pairs.n_x <= 200 else (),
    )
    average = np.zeros((joint.n_x, paired.kernel.shape[1]))
    np.add.at(average, of_x, pairs.p_x[:, None] * paired.kernel)
    kernel = np.tile(average / average.sum(axis=1, keepdims=True), (joint.n_s, 1))
    kernel[pairs.kept_x] = paired.kernel
    kernel = polished(joint, kernel, notion)  # sums over (s, x) may round to another level
    mechanism = make_mechanism(
        joint,
        cleared(joint, kernel, notion),
        name=NAME,
        solver=paired.solver,
        status=paired.status,
        notion=notion,
        upper_bound=paired.upper_bound,
        notes=paired.notes,
        purpose=goal,
    )
    return proven(at_least(joint, mechanism, known), gap)


def _refuse(notion: Notion, purpose: Purpose) -> None:
    """Raise InvalidInputError if the notion depends on more than P(s, y), or utility on P(x, y)."""
    for part in notion.parts:
        if not part.of_joint_sy:
            raise InvalidInputError(
                "A mechanism that reads S needs a notion on each output's P(s, y) or their "
                f"average, got {part}."
            )
    if not purpose.of_x:
        raise InvalidInputError(
            f"{purpose.title} of a mechanism that reads S is not defined: make T a part of X, or "
            "choose a mechanism that reads X alone."
        )


def _known(joint: Joint, notion: Notion, purpose: Purpose, options: Options) -> list[Mechanism]:
    """Return the mechanisms that the search starts from, with kernels P(y | s, x)."""
    share = TIME_SHARE * (options.time_limit or DEFAULT_SECONDS)
    alone = optimal(
        joint, notion, time_limit=share, gap=options.gap, seed=options.seed, utility=purpose
    )
    tiled = polished(joint, np.tile(alone.kernel, (joint.n_s, 1)), notion)  # sums round anew
    known = [revalued(joint, replace(alone, kernel=tiled), purpose)]
    strict = notion.without_exceptions()
    for entry in HEURISTICS:
        if entry.reads_secret and entry.works_under(strict):
            try:
                known.append(revalued(joint, entry.make(joint, strict, options), purpose))
            except CoreError:  # as with symbols that are too rare
                continue
    return known


def _of_pairs(goal: Purpose, joint: Joint, of_x: IntArray) -> Purpose:
    """Return a utility of X as one of the pairs (s, x), whose x are `of_x`, shape (k,)."""
    x_of_pair = np.eye(joint.n_x)[:, of_x]
    if isinstance(goal, Guess):
        return Guess(x_of_pair)
    if isinstance(goal, Distortion):
        return Distortion(goal.of_symbols(joint)[of_x])
    if isinstance(goal, SquaredError):
        return SquaredError(goal.of_symbols(joint)[of_x])
    return Task(x_of_pair)
