"""All columns in one chart: their frontiers, and the levels that they reach of every notion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.validation import FloatArray
from pages.ui.figures.frontier import OF_X, Kept, Line, frontier
from pages.ui.style import labels
from pages.ui.style.base import Figure, axis, layout, legend, margin_for, numbers
from pages.ui.style.palette import DASHES, SERIES, SYMBOLS, colour
from pages.ui.style.ticks import texts, ticks

ROW = 21
"""Pixels of a notion's row."""

ENDLESS = 1.12
"""Where ∞ is drawn, as a multiple of the largest finite level."""


@dataclass(frozen=True)
class Point:
    """The current point of a column.

    Attributes
    ----------
    place : int
        The column's place, which sets colour and symbol.
    title : str
        Its name.
    eps, kept : float
        Budget in the unit shown, and the share kept.
    has_budget : bool
        Whether ε has an effect; else the column keeps the same at every ε.
    unit : str
        Of the budget; empty where it has none.
    """

    place: int
    title: str
    eps: float
    kept: float
    has_budget: bool = True
    unit: str = "nats"


def column_frontiers(
    lines: Sequence[Line],
    points: Sequence[Point],
    *,
    unit: str,
    limit: float,
    empty: str,
    kept: Kept = OF_X,
) -> Figure:
    """Draw the frontiers of columns, and the current point of each.

    Parameters
    ----------
    lines : sequence of Line
        As in `frontier`; a click on one tells its place in `meta`.
    points : sequence of Point
        The columns' current points.
    unit : str
        Of ε.
    limit : float
        End of the ε axis.
    empty : str
        What is said where there is neither line nor point.
    kept : Kept
        What the vertical axis counts.
    """
    nothing = "" if points else empty
    figure = frontier(
        lines, eps=0, nmi=0, unit=unit, limit=limit, current=-1, empty=nothing, kept=kept
    )
    del figure["layout"]["meta"]
    drawn = {line.place for line in lines}
    figure["data"] += [
        _point(point, kept, alone=point.place not in drawn)
        if point.has_budget
        else _level(point, kept, limit)
        for point in points
    ]
    return figure


def _point(point: Point, kept: Kept, *, alone: bool) -> dict[str, object]:
    ink = colour(SERIES[point.place % len(SERIES)])
    return {
        "type": "scatter",
        "mode": "markers",
        "name": labels.text(point.title),
        "x": numbers([point.eps]),
        "y": numbers([point.kept]),
        "marker": {
            "symbol": SYMBOLS[point.place % len(SYMBOLS)],
            "size": 14,
            "color": colour("paper"),
            "line": {"width": 3, "color": ink},
        },
        "showlegend": alone,
        "hovertemplate": f"now: ε = %{{x:.3g}} {point.unit}<br>keeps %{{y:.1%}} of {kept.of}"
        f"<extra>{labels.text(point.title)}</extra>",
    }


def _level(point: Point, kept: Kept, limit: float) -> dict[str, object]:
    """Return the line of a column that has no ε: it keeps the same at every ε."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": labels.text(point.title),
        "x": numbers([0.0, limit]),
        "y": numbers([point.kept, point.kept]),
        "line": {
            "color": colour(SERIES[point.place % len(SERIES)]),
            "width": 1.7,
            "dash": DASHES[point.place % len(DASHES)],
        },
        "showlegend": True,
        "hovertemplate": f"has no ε<br>keeps %{{y:.1%}} of {kept.of}"
        f"<extra>{labels.text(point.title)}</extra>",
    }


def column_levels(
    titles: Sequence[str],
    columns: Sequence[tuple[int, str, FloatArray]],
    unit: str,
    *,
    spelt: Sequence[str],
) -> Figure:
    """Draw the level that each column reaches of every notion: rows are notions, marks columns.

    Parameters
    ----------
    titles : sequence of str
        Names of the notions, n of them, from top to bottom.
    columns : sequence of (int, str, ndarray)
        Place, name and levels in the unit shown, shape (n,), of each column: NaN where it has
        none, ∞ at the end of the axis.
    unit : str
        "nats" or "bits".
    spelt : sequence of str
        The notions in full, for the mouse.
    """
    every = np.concatenate([levels for _, _, levels in columns]) if columns else np.zeros(0)
    finite = every[np.isfinite(every)]
    reach = float(max(finite.max(initial=0.0), 0.1))
    endless = bool(np.isinf(every).any())
    at = ticks(0.0, reach, 6)
    names = [labels.short(title, 24) for title in titles]
    return {
        "data": [
            _marks(place, name, levels, reach, unit, spelt) for place, name, levels in columns
        ],
        "layout": layout(
            max(ROW * len(titles) + 78, 160),
            (margin_for(names, 60, 172), 14, 34, 42),
            xaxis=axis(
                f"level, {unit}: less is more private",
                (-0.02 * reach, (ENDLESS + 0.04 if endless else 1.04) * reach),
                tickvals=[*at, *([ENDLESS * reach] if endless else [])],
                ticktext=[*texts(at), *(["∞"] if endless else [])],
            ),
            yaxis=axis(
                "",
                (len(titles) - 0.5, -0.5),
                tickvals=list(range(len(titles))),
                ticktext=names,
            ),
            showlegend=True,
            legend=legend(1.01),
        ),
    }


def _marks(
    place: int, name: str, levels: FloatArray, reach: float, unit: str, spelt: Sequence[str]
) -> dict[str, object]:
    shown = np.where(np.isinf(levels), ENDLESS * reach, levels)
    told = ["∞" if np.isinf(value) else f"{value:.4f}" for value in levels]
    ink = colour(SERIES[place % len(SERIES)])
    return {
        "type": "scatter",
        "mode": "markers",
        "name": labels.text(name),
        "x": numbers(shown),
        "y": list(range(len(levels))),
        "customdata": [
            [labels.full(title), value] for title, value in zip(spelt, told, strict=True)
        ],
        "marker": {
            "symbol": f"{SYMBOLS[place % len(SYMBOLS)]}-open",
            "size": 9,
            "color": ink,
            "line": {"width": 2, "color": ink},
        },
        "hovertemplate": f"%{{customdata[0]}}<br>%{{customdata[1]}} {unit}"
        f"<extra>{labels.text(name)}</extra>",
    }
