"""Lines over one number, points beside them, and the current value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pages.ui.style import labels
from pages.ui.style.base import (
    DASHES,
    SERIES,
    SYMBOLS,
    Figure,
    colour,
    layout,
    legend,
    numbers,
    ticked,
)


@dataclass(frozen=True, eq=False)
class Curve:
    """One line, or `points` without a line; `x`, `y`, `error` (k,), where NaN leaves a gap.

    `error`: half the height of a bar about each point. `dots`: a dot at each point of the line.
    """

    name: str
    x: ArrayLike
    y: ArrayLike
    error: ArrayLike | None = None
    points: bool = False
    dots: bool = False


@dataclass(frozen=True)
class Side:
    """One axis; `percent`: of shares; `places`: ticks and what they say, else round numbers."""

    title: str
    low: float
    high: float
    percent: bool = False
    places: tuple[tuple[float, str], ...] = ()

    @property
    def axis(self) -> dict[str, Any]:
        ticks = ticked(self.title, self.low, self.high, percent=self.percent)
        if self.places:
            ticks |= {
                "tickvals": [place for place, _ in self.places],
                "ticktext": [labels.text(label) for _, label in self.places],
            }
        return ticks


def curves(
    lines: Sequence[Curve],
    across: Side,
    up: Side,
    *,
    now: tuple[float, float] | None = None,
    height: int = 320,
) -> Figure:
    """Draw lines and points on axes that stay where they are."""
    return {
        "data": [_trace(line, place, across, up) for place, line in enumerate(lines)],
        "layout": layout(
            height,
            (62, 14, 26 + 19 * _rows(lines) if len(lines) > 1 else 14, 46),
            xaxis=across.axis,
            yaxis=up.axis,
            showlegend=len(lines) > 1,
            legend=legend(1.02),
            meta={"now": None if now is None else numbers(now)},
            hoverdistance=24,
        ),
    }


def _rows(lines: Sequence[Curve]) -> int:
    """Return how many rows of a legend the names take in half a page."""
    letters = sum(len(line.name) + 8 for line in lines)
    return max(1, -(-letters // 74))


def _trace(line: Curve, place: int, across: Side, up: Side) -> dict[str, Any]:
    ink = colour(SERIES[place % len(SERIES)])
    symbol = SYMBOLS[place % len(SYMBOLS)]
    name = labels.text(line.name)
    of_x = "%{x:.2%}" if across.percent else "%{x:.4g}"
    of_y = "%{y:.2%}" if up.percent else "%{y:.4g}"
    if across.places:
        of_x = "%{customdata}"
    hover = f"{labels.text(across.title)} {of_x}<br>{labels.text(up.title)} {of_y}"
    trace: dict[str, Any] = {
        "type": "scatter",
        "name": name,
        "mode": "markers" if line.points else "lines+markers" if line.dots else "lines",
        "x": numbers(line.x),
        "y": numbers(line.y),
        "line": {"color": ink, "width": 2.4, "dash": DASHES[place % len(DASHES)]},
        "marker": {
            "color": ink,
            "size": 10 if line.points else 6,
            "symbol": f"{symbol}-open" if line.points else symbol,
            "line": {"color": ink, "width": 2 if line.points else 0},
        },
        "hovertemplate": f"{hover}<extra>{name}</extra>",
    }
    if across.places:
        trace["customdata"] = [_nearest(across, float(x)) for x in np.asarray(line.x).ravel()]
    if line.error is not None:
        trace["error_y"] = {
            "type": "data",
            "array": numbers(line.error),
            "color": ink,
            "thickness": 1.2,
            "width": 3,
        }
    return trace


def _nearest(side: Side, x: float) -> str:
    """Return the label of the tick nearest to a value."""
    return labels.text(min(side.places, key=lambda tick: abs(tick[0] - x))[1])
