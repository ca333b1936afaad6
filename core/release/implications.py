"""The level of every other notion that one notion implies, on one joint distribution.

The outputs that it allows there are a convex set of posteriors r on X. Levels that are linear in r,
or a ratio of two linear ones, are maximized by a linear program; convex ones by branch and bound
over P(S | y); averages like the utility of a task, with T = S.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from operator import mul

import numpy as np

from core import validation
from core.allowed import inequalities
from core.clock import Deadline
from core.errors import InfeasibleError
from core.joint import Joint
from core.mechanisms.polish import polished
from core.notions.base import Notion
from core.notions.levels import bound_by_others
from core.optimal.plan import SIZES
from core.optimal.solve import DEFAULT_SECONDS, maximise
from core.optimal.utility import Greatest, OfImage, Utility, entropy_terms
from core.release.reach import Implication, Reach
from core.validation import FloatArray

LIFTS = ("ldp", "pml", "min_lift", "lip")
"""Keys of the levels of lifts, which bound one another and, with the notion's own, all others."""


AVERAGES = (
    "mutual_information",
    "total_variation",
    "chi2_divergence",
    "maximal_leakage",
    "guessing",
)
"""Keys of the levels that are averages over outputs; all others are of single outputs."""


def implied(joint: Joint, notion: Notion, time_limit: float | None = None) -> dict[str, float]:
    """Return the least level of every other notion that a notion implies on a joint.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : Notion
        The notion, whose allowed set is convex. Exceptions and budgets on averages do not bound
        rare outputs, so they do not bound the levels of single outputs.
    time_limit : float, optional
        Seconds for all searches; 5 where not given. A level whose search was cut short is an
        upper bound: it is implied, but a lower level may be implied too.

    Returns
    -------
    levels : dict
        For single outputs: "lip", "ldp", "pml" (also the least ε_u of ALIP), "min_lift" (the
        least ε_l), "l1_upper" and "chi2_upper" (ε_u of `L1Privacy` and `Chi2Privacy`), "kl"
        (D(P(S|y) ‖ P(S))), all in nats, and "guess", the largest P(s | y). The largest averages
        of any mechanism under the notion: those of `AVERAGES`, where "guessing" is the
        probability of guessing S. ∞ where the notion implies no level.

    Raises
    ------
    NotConvexError
        If the notion's set is not convex.
    InfeasibleError
        If no mechanism satisfies the notion.

    Examples
    --------
    The two lifts of a fair secret add up to 2, so 0.5-LIP implies a PML below 0.5:

    >>> from core.notions import LIP
    >>> levels = implied(Joint.from_counts([[3, 1], [1, 3]]), LIP(0.5))
    >>> round(levels["lip"], 4), round(levels["pml"], 4), round(levels["ldp"], 4)
    (0.5, 0.3318, 0.8318)
    >>> round(levels["guess"], 4), round(levels["guessing"], 4)
    (0.6967, 0.6967)
    """
    return {
        key: implication.level
        for key, implication in implications(joint, notion, time_limit).items()
    }


def implications(
    joint: Joint, notion: Notion, time_limit: float | None = None
) -> dict[str, Implication]:
    """Return the levels of `implied`, each with what reaches it; arguments as `implied`.

    Examples
    --------
    >>> from core.notions import LDP
    >>> levels = implications(Joint.from_counts([[3, 1], [1, 3]]), LDP(1.0))
    >>> np.sort(levels["ldp"].output).round(4)
    array([0.0379, 0.9621])
    """
    seconds = validation.number(
        DEFAULT_SECONDS if time_limit is None else time_limit, "time_limit", low=0.0, open_low=True
    )
    if not notion.holds(joint, np.ones((joint.n_x, 1))):
        raise InfeasibleError(
            f"No mechanism satisfies {notion}: even an output independent of X breaks it."
        )
    deadline = Deadline.after(seconds)
    allowed = notion.allowed_set(joint)
    single = allowed  # budgets on averages do not bound rare outputs
    if allowed.exceptions:  # a rare exception may be any output that keeps what else is asked
        single = allowed.excepted or inequalities.plain(np.empty((0, joint.n_x)))
    elif notion.holds(joint, np.eye(joint.n_x)):  # publishing X itself is allowed: all outputs are
        single = inequalities.plain(np.empty((0, joint.n_x)))
    # share of the time for the levels of lifts, which are many programs where an oracle adds cuts
    reach = Reach(joint, single, deadline.part(0.3))
    levels = _of_lifts(joint, reach)
    curves = _curves(joint)
    for done, (key, curve) in enumerate(curves.items()):
        until = deadline.part(1 / (len(curves) - done + len(AVERAGES)))
        measure = OfImage(_posterior_of(joint), curve, 0.0)
        own = notion.named_levels().get(key, np.inf)
        most = float(np.expm1(own)) ** (2 if key == "chi2_upper" else 1)
        levels[key] = reach.convex(measure, most, until).mapped(_SCALES[key])
    levels |= _averages(joint, notion, deadline)
    for key in (*LIFTS, *levels):  # a level bounds others only once it is bounded itself
        reached = {name: implication.level for name, implication in levels.items()}
        own = notion.named_levels().get(key, np.inf)
        levels[key] = levels[key].at_most(min(own, bound_by_others(key, reached)))
    return levels


def _of_lifts(joint: Joint, reach: Reach) -> dict[str, Implication]:
    """Return the levels that are linear in an output, or a ratio of two linear functions."""
    lift, ones = inequalities.data_lift(joint), np.ones(joint.n_x)
    single = [reach.largest(row) for row in lift]
    upper = _best(single).mapped(_log)
    priors = joint.p_s.tolist()
    guess = _best([item.mapped(partial(mul, p)) for item, p in zip(single, priors, strict=True)])
    below = [reach.ratio(ones, row) for row in lift]
    lower = ratio = _best(below).mapped(_log)
    if lower.level < np.inf:
        pairs = [reach.ratio(a, b) for b in lift for a in lift if a is not b]
        same = Implication(1.0, 1.0, output=joint.p_x)
        ratio = _best([same, *pairs]).mapped(_log)
    return {
        "lip": _best([lower, upper]),
        "ldp": ratio,
        "pml": upper,
        "min_lift": lower,
        "guess": guess,
    }


def _curves(joint: Joint) -> dict[str, Callable[[FloatArray], FloatArray]]:
    """Return −f(P(s | y)) of each convex measure of one output, by key."""
    p_s = joint.p_s
    return {
        "l1_upper": lambda u: -np.abs(u - p_s),
        "chi2_upper": lambda u: -((u - p_s) ** 2) / p_s,
        "kl": lambda u: entropy_terms(u) + u * np.log(p_s),
    }


_SCALES: dict[str, Callable[[float], float]] = {
    "l1_upper": lambda value: float(np.log1p(max(value, 0.0))),
    "chi2_upper": lambda value: float(np.log1p(np.sqrt(max(value, 0.0)))),
    "kl": lambda value: _at_least_0(value),
}
"""The level of a notion as a function of its measure, by key."""


def _averages(joint: Joint, notion: Notion, deadline: Deadline) -> dict[str, Implication]:
    """Return the largest averages of any mechanism under the notion."""
    posterior, p_s = _posterior_of(joint), joint.p_s
    curves = _curves(joint)
    utilities: dict[str, Utility] = {
        "mutual_information": OfImage(posterior, entropy_terms, float(entropy_terms(p_s).sum())),
        "total_variation": OfImage(posterior, lambda u: curves["l1_upper"](u) / 2, 0.0),
        "chi2_divergence": OfImage(posterior, curves["chi2_upper"], 0.0),
        "maximal_leakage": Greatest(inequalities.data_lift(joint)),
        "guessing": Greatest(posterior),
    }
    allowed, levels = notion.allowed_set(joint), {}
    if allowed.exceptions:  # a search under budgets too is longer; without there is a bound
        allowed = replace(allowed, budgets=())
    # a search of few symbols finds something whenever it begins
    least = 0.05 if joint.n_x < SIZES.peeled_alone else 0.0
    for done, key in enumerate(AVERAGES):
        seconds = max(deadline.left / (len(AVERAGES) - done), least)
        # gap at which the search for an average stops, in its own unit
        design = maximise(allowed, joint.p_x, utility=utilities[key], time_limit=seconds, gap=1e-7)
        kernel = polished(joint, design.kernel, notion)  # the audit adds up in another order
        reached = utilities[key].value((joint.p_x[:, None] * kernel).T, joint.p_x)
        level = Implication(design.upper_bound, min(reached, design.upper_bound), kernel=kernel)
        levels[key] = level.mapped(_log if key == "maximal_leakage" else _at_least_0)
    return levels


def _posterior_of(joint: Joint) -> FloatArray:
    """Return P(s | x), shape (n_s, n_x)."""
    result: FloatArray = joint.p / joint.p_x
    return result


def _best(candidates: list[Implication]) -> Implication:
    """Return the largest level, and the largest one reached, of several implications."""
    most = max(candidate.level for candidate in candidates)
    best = max(candidates, key=lambda candidate: (candidate.reached, candidate.level))
    return replace(best, level=most)


def _log(value: float) -> float:
    """Return the log of a number, at least 0: rounding may make the number less than 1."""
    return max(float(np.log(value)), 0.0)


def _at_least_0(value: float) -> float:
    """Return a level, or 0 where rounding makes it negative."""
    return max(value, 0.0)
