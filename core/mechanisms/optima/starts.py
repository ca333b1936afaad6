"""Starts of an optimum: the other mechanisms of the catalogue that keep the notion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.clock import Deadline
from core.errors import CoreError, SolverError
from core.joint import Joint
from core.limits import ROUNDING
from core.mechanisms.heuristics import HEURISTICS
from core.mechanisms.optima.perfect import perfectly_private
from core.mechanisms.optima.tightened import tightened
from core.mechanisms.options import Options
from core.mechanisms.polish import polished
from core.mechanisms.result import Mechanism, make_mechanism, revalued
from core.notions.base import Notion, PointwiseNotion
from core.optimal.polish import mixed, share_to_rows
from core.optimal.solve import DEFAULT_SECONDS
from core.utilities import Information, Purpose
from core.validation import FloatArray

DIGITS = 10
"""Outputs whose posteriors agree to this many decimals are merged."""

USEFUL = 0.5
"""Mechanisms with less than this part of the best one's utility are left out: hundreds of outputs
with hardly any utility only slow the program down."""

MANY = 1_000
"""Mechanisms with more outputs than this are no start: with unary encoding of 16 symbols, at a
budget of 1e-9, the optimum had 17,000 outputs, whose naming took a minute."""

PERFECT_SHARE = 0.25
"""Largest part of the time for a start under perfect privacy; at 400 symbols it takes .3 s."""

CONTRADICTION = 1e-9
"""Excess over an upper bound, in units of the utility's size, above which it is disproven."""

INSTANT = tuple(entry.key for entry in HEURISTICS if entry.instant)
"""Keys of the mechanisms that take a millisecond or two: every optimum is compared with them."""


def starts(
    joint: Joint,
    notion: Notion,
    options: Options,
    among: Sequence[str] | None = None,
    purpose: Purpose | None = None,
) -> list[Mechanism]:
    """Return the mechanisms of the catalogue that keep a notion and read X alone.

    Each is made with the same options as by itself, so an optimum that starts from all of them is
    below none. Those that take a time limit come last, and use a part of it.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : Notion
        The notion; one with exceptions is replaced by the notion without them. A mechanism that
        raises a `CoreError` under it is left out.
    options : Options
        As in `MechanismEntry.make`.
    among : sequence of str, optional
        Keys of the catalogue to try, such as `INSTANT`; by default all, and `diluted_x`,
        `tightened` and `perfectly_private`.
    purpose : Purpose, optional
        The utility function of the results; I(X;Y) by default.

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
            if made.utility == most:  # no mechanism has more
                return found
    if among is not None:
        return found
    seconds = DEFAULT_SECONDS if options.time_limit is None else options.time_limit
    silent = perfectly_private(joint, notion, Deadline.after(PERFECT_SHARE * seconds))
    more = [*diluted_x(joint, notion), *tightened(joint, notion), *silent]
    return [*found, *(revalued(joint, made, goal) for made in more)]


def diluted_x(joint: Joint, notion: Notion) -> list[Mechanism]:
    """Return X itself with its outputs moved towards P_X until they keep a `PointwiseNotion`.

    Under any other notion the list is empty: checking it may take as long as a search.

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
    """Return the uniform mixture of kernels, with all their outputs.

    Outputs with the same posterior are merged.

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
    """Return the kernels of mechanisms that a search starts from, best first."""
    few = [one for one in known if one.n_y <= MANY]
    ranked = sorted(few, key=lambda one: -one.kept)
    return [one.kernel for one in ranked if one.kept >= USEFUL * ranked[0].kept]


def at_least(joint: Joint, found: Mechanism, known: Sequence[Mechanism]) -> Mechanism:
    """Return a search's mechanism, with the best known one's kernel where that has more utility.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    found : Mechanism
        The search's result, with its upper bound.
    known : sequence of Mechanism
        Others that keep the same notion.

    Raises
    ------
    SolverError
        If a known mechanism exceeds the upper bound, so that the bound is wrong.
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
    """Return whether a kernel under a notion exceeds an upper bound by more than rounding.

    The kernel's `strict_utility` is compared, as the audit itself allows for rounding.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : ndarray
        P(y | x) that passes the notion's audit, shape (n_x, n_y), or P(y | s, x), shape
        (n_s·n_x, n_y).
    notion : Notion or None
        The notion under which the bound holds.
    bound : float
        Upper bound in the purpose's unit.
    purpose : Purpose, optional
        The utility function; I(X;Y) by default.

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
    """Return the utility of a kernel whose outputs are moved towards P_X until they meet all rows.

    The audit allows for rounding, but upper bounds are proven for the rows. The move is tiny,
    except at a budget of 0, where the audit may pass X itself.

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
    of_x = len(kernel) == joint.n_x
    whole = joint if of_x else Joint.with_secret_released(joint.p)  # X is then the pair (S, X)
    allowed = None if notion is None else notion.allowed_set(whole)
    share = 0.0
    if allowed is not None and notion is not None:
        judged = (kernel if of_x else kernel[whole.kept_x])[
            :, ~notion.excepted(joint.release(kernel))
        ]
        share = share_to_rows(allowed, whole.p_x, judged)
    goal = Information() if purpose is None else purpose
    return goal.value(joint, mixed(kernel, joint.p_x if of_x else joint.p.ravel(), share))
