"""The pictures of the worlds of the errata, each drawn from its worked example."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
from pages.ui.parts.cards import Still, still
from pages.ui.style.base import ENDLESS, texts, ticks
from pages.ui.work.store import SHARED

LEVEL = "level, nats"
"""The title of axes of levels."""


def example(world: World, values: Values) -> Any:
    """Return the worked example of a world, made once for each choice of numbers."""
    numbers = world.numbers(values)
    key = ("world", world.key, *map(repr, numbers))
    return SHARED.get(key, lambda: world.make(*numbers))


def show(world: World, values: Values) -> Sequence[Still]:
    """Show the picture of a world, and return the figures in it."""
    return _PICTURES[world.key](example(world, values), values)


def _curves(
    key: str,
    lines: tuple[Curve, ...],
    across: Side,
    up: Side,
    now: tuple[float, float],
    *,
    texts: tuple[str, str, str],
) -> Still:
    """Show the lines of a world, with the table behind them."""
    title, subtitle, alt = texts

    def table() -> pd.DataFrame:
        return pd.DataFrame(
            [
                {"line": line.name, across.title: x, up.title: y}
                for line in lines
                for x, y in zip(np.asarray(line.x), np.asarray(line.y), strict=True)
            ]
        )

    return still(
        figures.curves(lines, across, up, now=now),
        key=f"papers_{key}",
        title=title,
        subtitle=subtitle,
        alt=alt,
        table=table,
    )


def _proposition(result: Proposition, values: Values) -> Sequence[Still]:
    top = 1.08 * float(max(result.variations.max(), result.right_line.max()))
    drawn = _curves(
        "proposition",
        (
            Curve("total variation T", result.lifts, result.variations),
            Curve("the paper's bound", result.lifts, result.printed_line),
            Curve("correct bound", result.lifts, result.right_line),
        ),
        Side("lift of the nearly excluded secret", 0.0, 1.0),
        Side("T(S;Y)", 0.0, top),
        (values["excluded"], result.variation),
        texts=(
            "Total variation and its bounds",
            "The paper's bound fails wherever the first line lies above the second.",
            f"T is {result.variation:.3g}, the paper's bound {result.printed:.3g}, the correct "
            f"bound {result.right:.3g}.",
        ),
    )
    return (drawn,)


def _merging(result: Merging, _: Values) -> Sequence[Still]:
    drawn = _curves(
        "merging",
        (
            Curve("subset merging", result.budgets, result.right_line, dots=True),
            Curve("line 4 as published", result.budgets, result.printed_line, dots=True),
        ),
        Side("ε", 0.0, 8.2),
        Side("share of X kept", 0.0, 1.05, percent=True),
        (result.eps, result.right),
        texts=(
            "Share of X kept in this table with and without line 4",
            "The closer to the first line, the less line 4 costs. λ = 0.5.",
            f"Without line 4 {percent(result.right, 1)}, with it {percent(result.printed, 1)}.",
        ),
    )
    return (drawn,)


def _sharing(result: Sharing, _: Values) -> Sequence[Still]:
    top = max(0.02, 1.15 * float(max(result.kept.max(), result.half, result.more)))
    drawn = _curves(
        "sharing",
        (
            Curve("watchdog", result.shares, result.kept),
            Curve("kept at λ = 0.5", [0.5, 0.7], [result.half] * 2),
        ),
        Side("λ", 0.5, 0.7),
        Side("share of X kept", 0.0, top, percent=True),
        (0.65, result.more),
        texts=(
            "Share of X kept for each share for falling beliefs",
            "The claim fails if the circle, at λ = 0.65, lies below the dashed line.",
            (
                f"At λ = 0.5 the watchdog keeps {percent(result.half, 1)}, at λ = 0.65 "
                f"{percent(result.more, 1)}."
            ),
        ),
    )
    return (drawn,)


def _bounds(result: Bounds, values: Values) -> Sequence[Still]:
    top = 1.15 * max(result.estimated, float(result.printed_line.max()))
    across = Side("P̂(s1)", 0.0, 1.0)
    printed, right = apart(result.printed, result.right, percent)
    first = _curves(
        "bounds",
        (
            Curve("lower bound by Theorem 1", result.shares, result.right_line),
            Curve("lower bound by Example 2's Bₛ", result.shares, result.printed_line),
        ),
        across,
        Side("P(u1 | s1)", 0.0, top),
        (values["share1"], result.right),
        texts=(
            "The smallest P(u1 | s1) consistent with the records",
            "The circle marks a distribution in the uncertainty set; Example 2's Bₛ excludes "
            "everything below the dashed line.",
            f"By Theorem 1 {right}, by Example 2's Bₛ {printed}, estimated "
            f"{percent(result.estimated, 1)}.",
        ),
    )
    wrongly = result.printed_line - result.right_line
    second = _curves(
        "bounds_apart",
        (Curve("Example 2's minus Theorem 1's", result.shares, wrongly),),
        across,
        Side("share", 0.0, 1.15 * float(wrongly.max()), percent=True),
        (values["share1"], result.printed - result.right),
        texts=(
            "Excess of Example 2's bound on P(u1 | s1)",
            "Above 0, the paper's statement fails by this much.",
            f"By {percent(result.printed - result.right, 4)} at P̂(s1) = {result.share:g}.",
        ),
    )
    return first, second


def _reporting(result: Reporting, _: Values) -> Sequence[Still]:
    top = 1.08 * max(2.0, float(result.printed_line.max()), result.printed)
    drawn = _curves(
        "reporting",
        (
            Curve("d of one coordinate", result.promises, result.printed_line, dots=True),
            Curve("d of Theorem 5", result.promises, result.right_line, dots=True),
            Curve("budget", [0.0, 2.0], [0.0, 2.0]),
        ),
        Side("ε", 0.0, 2.05),
        Side(LEVEL, 0.0, top),
        (result.eps, result.printed),
        texts=(
            "Worst-case level of independent reporting",
            "Above the dotted line the budget is exceeded.",
            f"At ε = {level(result.eps)} the level is {level(result.printed)} nats with the small "
            f"d, {level(result.right)} with the correct one.",
        ),
    )
    return (drawn,)


def _rows(result: Rows, _: Values) -> Sequence[Still]:
    top = 1.12 * float(max(result.right_line.max(), result.best))
    drawn = _curves(
        "rows",
        (
            Curve("PolyOpt without the extra rows", result.budgets, result.right_line, dots=True),
            Curve("PolyOpt as published", result.budgets, result.printed_line, dots=True),
        ),
        Side("ε", 0.0, 2.05),
        Side("share of X kept", 0.0, top, percent=True),
        (result.eps, result.printed),
        texts=(
            "Share of X that PolyOpt keeps with and without the extra rows",
            "Both lines meet the same budget.",
            f"At ε = {level(result.eps)} {percent(result.printed, 1)} with the rows, "
            f"{percent(result.right, 1)} without.",
        ),
    )
    return (drawn,)


def _theorem(result: Theorem, _: Values) -> Sequence[Still]:
    finite = result.levels[np.isfinite(result.levels)]
    top = 1.15 * max(0.5, float(finite.max()))
    endless = math.isinf(result.together)
    drawn = _curves(
        "theorem",
        (
            Curve(
                "combined",
                result.truths,
                np.where(np.isfinite(result.levels), result.levels, math.nan),
            ),
            Curve("sum of budgets: the paper's bound", [0.5, 1.0], [result.bound] * 2),
        ),
        Side("chance that each bit is reported truthfully", 0.5, 1.0),
        _up_to_infinity(top) if endless else Side("LIP reached, nats", -0.02 * top, top),
        (result.same, ENDLESS * top if endless else result.together),
        texts=(
            "Two protocols alone and combined",
            (
                "Each alone has level 0. The circle marks the current setting, as if both bits "
                "were reported equally often."
            )
            + (" It is at ∞, above the top of the axis." if endless else ""),
            (
                f"Together the protocols reach {level(result.together)} nats; the paper's bound is "
                f"{result.bound:.3g}."
            ),
        ),
    )
    return (drawn,)


def _up_to_infinity(top: float) -> Side:
    """Return the axis of levels with ∞ above its numbers."""
    round_ones = ticks(0.0, top)
    places = zip([*round_ones, ENDLESS * top], [*texts(round_ones), "∞"], strict=True)
    return Side("LIP reached, nats", -0.02 * top, (ENDLESS + 0.05) * top, places=tuple(places))


_PICTURES: dict[str, Callable[[Any, Values], Sequence[Still]]] = {
    "proposition": _proposition,
    "merging": _merging,
    "sharing": _sharing,
    "bounds": _bounds,
    "reporting": _reporting,
    "rows": _rows,
    "theorem": _theorem,
}
"""The picture of each world."""
