"""What an optimum starts from: every mechanism of the catalogue that keeps the promise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.errors import CoreError, SolverError
from core.joint import Joint
from core.limits import ROUNDING
from core.mechanisms.heuristics import HEURISTICS
from core.mechanisms.options import Options
from core.mechanisms.result import Mechanism, make_mechanism, revalued
from core.notions.base import Notion, PointwiseNotion
from core.optimal.polish import mixed, polished
from core.utilities import Information, Purpose
from core.validation import FloatArray

DIGITS = 10
"""Outputs that agree in so many digits after the point are one."""

USEFUL = 0.5
"""Outputs of mechanisms that keep less than this part of what the best one keeps are left out:
hundreds of outputs that say next to nothing only make the program slow."""

MANY = 1_000
"""Mechanisms of more outputs are no start: unary encoding of 16 symbols, where a budget is 1e-9
and nothing keeps more, made an optimum of 17,000 outputs that were named for a minute."""

CONTRADICTION = 1e-9
"""A mechanism that exceeds a bound by more, in nats, disproves it: by less it is rounding."""

INSTANT = tuple(entry.key for entry in HEURISTICS if entry.instant)
"""Those that take a millisecond or two: answers that need no start are held against them."""


def starts(
    joint: Joint,
    notion: Notion,
    options: Options,
    among: Sequence[str] | None = None,
    purpose: Purpose | None = None,
) -> list[Mechanism]:
    """Return the mechanisms of the catalogue that keep a promise and read X alone.

    Each is made as it would be by itself, with the same options, so an optimum that starts from
    all of them is below none. Those that take a time limit come last, and use a part of it.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : Notion
        The promise. A mechanism that raises a `CoreError` under it is not a start; of one with
        exceptions the mechanisms that need none are.
    options : Options
        As in `MechanismEntry.make`.
    among : sequence of str, optional
        Keys of the catalogue that are looked at, such as `INSTANT`; all where not given, and X
        diluted.
    purpose : Purpose, optional
        What they are worth is told of it: I(X;Y) where not given.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    >>> [made.name for made in starts(joint, LIP(0.5), Options())][:3]
    ['Constant', 'Watchdog', 'Watchdog, uniform']
    """
    goal = Information() if purpose is None else purpose
    notion = notion.without_exceptions()
    most = goal.range(joint)[1]
    entries = sorted(HEURISTICS, key=lambda entry: "time_limit" in entry.parameters)
    found: list[Mechanism] = []
    for entry in entries:
        if entry.reads_secret or not entry.works_under(notion):
            continue
        if among is not None and entry.key not in among:
            continue
        try:
            made = revalued(joint, entry.make(joint, notion, options), goal)
        except CoreError:
            continue
        if made.notion is notion or notion.holds(joint, made.kernel):
            found.append(made)
            if made.utility == most:  # nothing is left to be found
                return found
    if among is not None:
        return found
    return [*found, *(revalued(joint, made, goal) for made in diluted_x(joint, notion))]


def diluted_x(joint: Joint, notion: Notion) -> list[Mechanism]:
    """Return X itself with its outputs moved towards P_X until they keep a promise.

    None but under a promise about each output: to check another may take as long as a search.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    >>> [round(made.nmi, 3) for made in diluted_x(joint, LIP(0.5))]
    [0.23]
    """
    if not isinstance(notion, PointwiseNotion):
        return []
    kernel = polished(joint, np.eye(joint.n_x), notion)
    return [
        make_mechanism(
            joint,
            kernel,
            name="X diluted",
            solver="closed form",
            status="heuristic",
            notion=notion,
            y_labels=joint.x_labels if kernel.shape[1] == joint.n_x else None,
        )
    ]


def together(joint: Joint, kernels: Sequence[FloatArray]) -> FloatArray:
    """Return one kernel that draws one of several and answers by it: all their outputs.

    Outputs with the same posterior are one.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernels : sequence of ndarray
        P(y | x) of each, shape (n_x, n_y).

    Examples
    --------
    >>> joint = Joint.from_counts([[1, 1]])
    >>> together(joint, [np.eye(2), np.ones((2, 1))]).tolist()
    [[0.0, 0.5, 0.5], [0.5, 0.5, 0.0]]
    """
    columns = np.hstack([kernel / len(kernels) for kernel in kernels])
    columns = columns[:, joint.p_x @ columns > 0]
    posteriors = joint.p_x[:, None] * columns
    posteriors /= posteriors.sum(axis=0)
    _, of = np.unique(np.round(posteriors, DIGITS), axis=1, return_inverse=True)
    result = np.zeros((joint.n_x, int(of.max()) + 1))
    np.add.at(result.T, of.ravel(), columns.T)
    return result


def useful(known: Sequence[Mechanism]) -> list[FloatArray]:
    """Return the kernels of the mechanisms whose outputs a search should know, best first."""
    few = [one for one in known if one.n_y <= MANY]
    ranked = sorted(few, key=lambda one: -one.kept)
    return [one.kernel for one in ranked if one.kept >= USEFUL * ranked[0].kept]


def at_least(joint: Joint, found: Mechanism, known: Sequence[Mechanism]) -> Mechanism:
    """Return what a search found, or the best known mechanism where that keeps more.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    found : Mechanism
        Of the search, with its bound.
    known : sequence of Mechanism
        Others that keep the same promise.

    Raises
    ------
    SolverError
        If a known mechanism exceeds the bound: then the bound is wrong.
    """
    best = max(known, key=lambda one: one.utility, default=found)
    purpose = found.purpose
    if disproves(joint, best.kernel, found.notion, found.upper_bound, purpose):
        unit = purpose.unit or "of"
        raise SolverError(
            f"{found.name} has a bound of {found.upper_bound:.9g} {unit} under {found.notion}, but "
            f"{best.name} keeps {best.utility:.9g}: the bound is wrong."
        )
    if best.utility <= found.utility + ROUNDING * purpose.size():
        return found
    return make_mechanism(
        joint,
        best.kernel,
        name=found.name,
        solver=best.solver,
        status=found.status,
        notion=found.notion,
        y_labels=best.y_labels,
        upper_bound=found.upper_bound,
        notes=found.notes,
        partition=best.partition,
        purpose=found.purpose,
    )


def disproves(
    joint: Joint,
    kernel: FloatArray,
    notion: Notion | None,
    bound: float,
    purpose: Purpose | None = None,
) -> bool:
    """Say whether a kernel under a promise keeps more than a bound says is possible.

    By more than rounding, that is: `strict_utility` is compared, not what the audit lets pass.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : ndarray
        P(y | x) that passes the promise's audit, shape (n_x, n_y).
    notion : Notion or None
        The promise that the bound is about.
    bound : float
        In the purpose's unit.
    purpose : Purpose, optional
        What was to survive: I(X;Y) where not given.

    Examples
    --------
    >>> from core.notions import GuessingProbability
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> [disproves(joint, np.eye(2), GuessingProbability(0.75), bound) for bound in (0.7, 0.6)]
    [False, True]
    """
    goal = Information() if purpose is None else purpose
    least = bound + CONTRADICTION * goal.size()
    kept = goal.value(joint, kernel)
    return kept > least and strict_utility(joint, kernel, notion, goal) > least


def strict_utility(
    joint: Joint, kernel: FloatArray, notion: Notion | None, purpose: Purpose | None = None
) -> float:
    """Return what a kernel keeps once it is inside the rows that bounds are proven of.

    The audit allows for rounding. Where a budget is 0, data that nearly fit it pass whole; else
    outputs are moved towards P_X by next to nothing.

    Parameters
    ----------
    joint, kernel, notion, purpose
        As in `disproves`.

    Examples
    --------
    >>> from core.notions import GuessingProbability
    >>> joint = Joint.from_counts([[1e13, 3e5], [2, 9]])
    >>> notion = GuessingProbability(0.9999999999989001)  # P(s1), so the best guess may not grow
    >>> notion.holds(joint, np.eye(2)), strict_utility(joint, np.eye(2), notion)
    (True, 0.0)
    """
    allowed = None if notion is None else notion.allowed_set(joint)
    share = 0.0
    if allowed is not None and not allowed.n_auxiliary:
        weights = (joint.p_x[:, None] * kernel).T
        if notion is not None:
            weights = weights[~notion.excepted(joint.release(kernel))]
        outputs = weights[weights.sum(axis=1) > 0]
        outputs = outputs / outputs.sum(axis=1, keepdims=True)
        here, there = outputs @ allowed.rows.T, (allowed.rows @ joint.p_x)[None]
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.where(here > 0, here / (here - np.minimum(there, 0.0)), 0.0)
        share = float(needed.max(initial=0.0))
    goal = Information() if purpose is None else purpose
    return goal.value(joint, mixed(kernel, joint.p_x, share))
