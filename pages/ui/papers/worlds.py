"""The pictures of the worlds of the errata, each drawn from its worked example."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from core.learning.settings import Values
from core.learning.words import level
from core.papers.merging_worlds import Merging, Proposition, Sharing, Theorem
from core.papers.robust_worlds import Bounds, Reporting, Rows
from core.papers.worlds import World
from core.wording import apart, percent
from pages.ui import figures
from pages.ui.figures import Curve, Side
from pages.ui.parts.cards import still
from pages.ui.style.base import texts, ticks
from pages.ui.work.store import SHARED

LEVEL = "level, nats"
"""What axes of levels are called."""


def found(world: World, values: Values) -> Any:
    """Return the worked example of a world, made once for each choice of numbers."""
    numbers = world.numbers(values)
    key = ("world", world.key, *map(repr, numbers))
    return SHARED.get(key, lambda: world.make(*numbers))


def show(world: World, values: Values) -> None:
    _PICTURES[world.key](found(world, values), values)


def _curves(
    key: str,
    lines: tuple[Curve, ...],
    across: Side,
    up: Side,
    now: tuple[float, float],
    *,
    said: tuple[str, str, str],
) -> None:
    """Show the lines of a world, with the table behind them."""
    title, subtitle, alt = said

    def table() -> pd.DataFrame:
        return pd.DataFrame(
            [
                {"line": line.name, across.title: x, up.title: y}
                for line in lines
                for x, y in zip(np.asarray(line.x), np.asarray(line.y), strict=True)
            ]
        )

    still(
        figures.curves(lines, across, up, now=now),
        key=f"papers_{key}",
        title=title,
        subtitle=subtitle,
        alt=alt,
        table=table,
    )


def _proposition(one: Proposition, values: Values) -> None:
    top = 1.08 * float(max(one.variations.max(), one.right_line.max()))
    _curves(
        "proposition",
        (
            Curve("total variation T", one.lifts, one.variations),
            Curve("the paper's bound", one.lifts, one.printed_line),
            Curve("correct bound", one.lifts, one.right_line),
        ),
        Side("lift of the excluded secret", 0.0, 1.0),
        Side("T(S;Y)", 0.0, top),
        (values["excluded"], one.variation),
        said=(
            "Total variation and its bounds",
            "The paper's bound fails wherever the first line lies above the second.",
            f"T is {one.variation:.3g}, the paper's bound {one.printed:.3g}, the correct bound "
            f"{one.right:.3g}.",
        ),
    )


def _merging(one: Merging, _: Values) -> None:
    _curves(
        "merging",
        (
            Curve("subset merging", one.budgets, one.right_line, dots=True),
            Curve("line 4 as published", one.budgets, one.printed_line, dots=True),
        ),
        Side("ε", 0.0, 8.2),
        Side("share of X kept", 0.0, 1.05, percent=True),
        (one.eps, one.right),
        said=(
            "Share of X kept in this table with and without line 4",
            "The closer to the first line, the less line 4 costs. λ = 0.5.",
            f"Without line 4 {percent(one.right, 1)}, with it {percent(one.printed, 1)}.",
        ),
    )


def _sharing(one: Sharing, _: Values) -> None:
    top = max(0.02, 1.15 * float(max(one.kept.max(), one.half, one.more)))
    _curves(
        "sharing",
        (
            Curve("watchdog", one.shares, one.kept),
            Curve("kept at λ = 0.5", [0.5, 0.7], [one.half] * 2),
        ),
        Side("λ", 0.5, 0.7),
        Side("share of X kept", 0.0, top, percent=True),
        (0.65, one.more),
        said=(
            "Share of X kept for each share for falling beliefs",
            "The claim fails if the circle, at λ = 0.65, lies below the dashed line.",
            (
                f"At λ = 0.5 the watchdog keeps {percent(one.half, 1)}, at λ = 0.65 "
                f"{percent(one.more, 1)}."
            ),
        ),
    )


def _bounds(one: Bounds, values: Values) -> None:
    top = 1.15 * max(one.estimated, float(one.printed_line.max()))
    across = Side("P̂(s1)", 0.0, 1.0)
    printed, right = apart(one.printed, one.right, percent)
    _curves(
        "bounds",
        (
            Curve("lower bound by Theorem 1", one.shares, one.right_line),
            Curve("lower bound by Example 2's Bₛ", one.shares, one.printed_line),
        ),
        across,
        Side("P(u1 | s1)", 0.0, top),
        (values["share1"], one.right),
        said=(
            "The smallest P(u1 | s1) consistent with the records",
            "The circle marks a distribution in the uncertainty set; Example 2's Bₛ excludes "
            "everything below the dashed line.",
            f"By Theorem 1 {right}, by Example 2's Bₛ {printed}, estimated "
            f"{percent(one.estimated, 1)}.",
        ),
    )
    wrongly = one.printed_line - one.right_line
    _curves(
        "bounds_apart",
        (Curve("Example 2's minus Theorem 1's", one.shares, wrongly),),
        across,
        Side("share", 0.0, 1.15 * float(wrongly.max()), percent=True),
        (values["share1"], one.printed - one.right),
        said=(
            "Excess of Example 2's bound on P(u1 | s1)",
            "Above 0, the paper's statement fails by this much.",
            f"By {percent(one.printed - one.right, 4)} at P̂(s1) = {one.share:g}.",
        ),
    )


def _reporting(one: Reporting, _: Values) -> None:
    top = 1.08 * max(2.0, float(one.printed_line.max()), one.printed)
    _curves(
        "reporting",
        (
            Curve("d of one coordinate", one.promises, one.printed_line, dots=True),
            Curve("d of Theorem 5", one.promises, one.right_line, dots=True),
            Curve("budget", [0.0, 2.0], [0.0, 2.0]),
        ),
        Side("ε", 0.0, 2.05),
        Side(LEVEL, 0.0, top),
        (one.eps, one.printed),
        said=(
            "Worst-case level of independent reporting",
            "Above the dotted line the budget is exceeded.",
            f"At ε = {level(one.eps)} the level is {level(one.printed)} nats with the small d, "
            f"{level(one.right)} with the correct one.",
        ),
    )


def _rows(one: Rows, _: Values) -> None:
    top = 1.12 * float(max(one.right_line.max(), one.best))
    _curves(
        "rows",
        (
            Curve("PolyOpt without the extra rows", one.budgets, one.right_line, dots=True),
            Curve("PolyOpt as published", one.budgets, one.printed_line, dots=True),
        ),
        Side("ε", 0.0, 2.05),
        Side("share of X kept", 0.0, top, percent=True),
        (one.eps, one.printed),
        said=(
            "Share of X that PolyOpt keeps with and without the extra rows",
            "Both lines meet the same budget.",
            f"At ε = {level(one.eps)} {percent(one.printed, 1)} with the rows, "
            f"{percent(one.right, 1)} without.",
        ),
    )


def _theorem(one: Theorem, _: Values) -> None:
    finite = one.levels[np.isfinite(one.levels)]
    top = 1.15 * max(0.5, float(finite.max()))
    endless = math.isinf(one.together)
    _curves(
        "theorem",
        (
            Curve(
                "combined",
                one.truths,
                np.where(np.isfinite(one.levels), one.levels, math.nan),
            ),
            Curve("sum of budgets: the paper's bound", [0.5, 1.0], [one.bound] * 2),
        ),
        Side("chance that each bit is reported truthfully", 0.5, 1.0),
        _up_to_infinity(top) if endless else Side("LIP reached, nats", -0.02 * top, top),
        (one.same, ENDLESS * top if endless else one.together),
        said=(
            "Two protocols alone and combined",
            (
                "Each alone has level 0. The circle marks the current setting, as if both bits "
                "were reported equally often."
            )
            + (" It is at ∞, above the top of the axis." if endless else ""),
            (
                f"Together the protocols reach {level(one.together)} nats; the paper's bound is "
                f"{one.bound:.3g}."
            ),
        ),
    )


ENDLESS = 1.15
"""Where ∞ stands on an axis of levels, as a multiple of the largest number's place."""


def _up_to_infinity(top: float) -> Side:
    """Return the axis of levels with ∞ above its numbers."""
    round_ones = ticks(0.0, top)
    places = zip([*round_ones, ENDLESS * top], [*texts(round_ones), "∞"], strict=True)
    return Side("LIP reached, nats", -0.02 * top, (ENDLESS + 0.05) * top, places=tuple(places))


_PICTURES: dict[str, Callable[[Any, Values], None]] = {
    "proposition": _proposition,
    "merging": _merging,
    "sharing": _sharing,
    "bounds": _bounds,
    "reporting": _reporting,
    "rows": _rows,
    "theorem": _theorem,
}
"""The picture of each world."""
