"""What to do next with an answer, as Explore and the report say it: a sentence each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from core.joint import Joint
from core.notions import catalogue as notions
from core.scenario import Result, spans
from core.studies.advice import Realised, last_step, least_budget, lost_by_symbol
from core.studies.frontier import Frontier
from core.studies.what_if import MERGED, Variant
from pages.ui.style.labels import plain_short
from pages.ui.style.units import budget, level, share

TITLE = "What to do next"
"""The card's title."""

WANTED = 0.9
"""The share of which is told which ε keeps it."""

LOST = 1e-4
"""Nats below which nothing is said of what a symbol costs."""


def of_line(result: Result, line: Frontier | None, unit: str) -> Iterator[str]:
    """Say which budget keeps `WANTED`, and what the last half nat adds; in the unit shown.

    Parameters
    ----------
    result : Result
        The answer.
    line : Frontier or None
        What its mechanism keeps along its budget; None where that is not known.
    unit : str
        "nats" or "bits".
    """
    if line is None or not spans.in_nats(result.scenario.notion):
        return
    symbol = "M" if notions.entry(result.scenario.notion).kind.on_average else "ε"
    found = least_budget(line, WANTED)
    if found is not None:
        least = (
            f"For 90 %, {symbol} = {budget(found.eps, unit)} is enough: it keeps "
            f"{share(found.kept)}"
        )
        if not math.isnan(found.too_small):
            least += f"; {symbol} = {budget(found.too_small, unit)} is proven too small"
        yield f"{least}."
    else:
        yield f"No {symbol} of the line is known to keep 90 %."
    step = last_step(line, result.scenario.eps)
    if step is not None:
        gained = f"{100 * step.gained:.1f}"
        yield (
            f"From {symbol} = {budget(step.low, unit)} to {budget(step.high, unit)} the mechanism "
            + (
                f"keeps {gained} points more."
                if float(gained)
                else "keeps less than 0.1 points more."
            )
        )


def costliest(result: Result) -> tuple[int, float] | None:
    """Return the symbol that adds most to what is lost of X, and its share; None where little is.

    Also None where the mechanism reads S too, or something else than X is to be kept.
    """
    made = result.mechanism
    if len(made.kernel) != result.joint.n_x or result.scenario.purpose != "information":
        return None
    lost = lost_by_symbol(result.joint, made.kernel)
    if lost.sum() < LOST:
        return None
    worst = int(lost.argmax())
    return worst, float(lost[worst] / lost.sum())


def of_symbol(result: Result, worst: int, part: float) -> str:
    """Say which symbol costs most, by what `costliest` returns."""
    name = plain_short(result.joint.x_labels[worst])
    return f"“{name}” costs most: {share(part)} of what is lost of X."


def of_records(joint: Joint, found: Mapping[str, Realised], unit: str) -> str:
    """Say what the release's levels may be at the truth that the records are a sample of."""
    return (
        f"{joint.n:,} records leave open what the truth is. With probability 95 %, this release's "
        f"levels there are, in {unit}: LIP {_range(found['lip'], unit)}; ALIP, "
        f"ε_l {_range(found['min_lift'], unit)} and ε_u {_range(found['pml'], unit)}; "
        f"LDP {level(found['ldp'].at_estimate, unit)} at the estimate, at most "
        f"{level(found['ldp'].most, unit)}."
    )


def variant(one: Variant) -> str:
    """Return what is done to the symbol that costs most."""
    if one.how == MERGED:
        return f"Merged with “{plain_short(one.partner)}”, which tells most alike about S"
    return "With its records left out"


def of_variant(one: Variant, found: Result, unit: str) -> str:
    """Say what would be kept."""
    kept = share(found.mechanism.kept)
    return f"{variant(one)}: {kept} would be kept, {figures_of(found, unit)}."


def figures_of(found: Result, unit: str) -> str:
    """Return what an answer keeps, and its level of LDP."""
    made, after = found.mechanism, found.after
    return (
        f"I(X;Y) = {level(made.information, unit)} {unit}, at a level of LDP of "
        f"{level(after.achieved['ldp'], unit)} {unit}"
    )


def _range(found: Realised, unit: str) -> str:
    return (
        f"{level(found.at_estimate, unit)} at the estimate, {level(found.least, unit)} to "
        f"{level(found.most, unit)}"
    )
