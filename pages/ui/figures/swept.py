"""The questions of a sweep: one figure against another, with bars, bounds and the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.validation import BoolArray, FloatArray
from pages.ui.style import labels
from pages.ui.style.base import Figure, layout, legend, note, numbers
from pages.ui.style.palette import DASHES, SERIES, SYMBOLS, colour
from pages.ui.style.ticks import ticked

HEIGHT = 440

ROOM = 0.05
"""Room beyond the outermost points, as a part of the axis."""

SEEN = 0.001
"""Least distance of a bound from its point that can be seen, as a part of the axis."""


@dataclass(frozen=True, eq=False)
class SweptLine:
    """Questions that differ in the budget alone.

    Attributes
    ----------
    title : str
        Its name in the legend.
    across, up : ndarray
        Figures of its questions, shape (k,); infinite ones and NaN are not drawn.
    across_bars, up_bars : tuple of ndarray
        How far bars reach below and above, shape (k,) each; NaN for none.
    bound : ndarray
        The most that is proven for `up`, shape (k,); NaN for none.
    best : ndarray
        Whether no other question dominates, shape (k,).
    told : tuple of str
        What is said of each beside its figures.
    """

    title: str
    across: FloatArray
    up: FloatArray
    across_bars: tuple[FloatArray, FloatArray]
    up_bars: tuple[FloatArray, FloatArray]
    bound: FloatArray
    best: BoolArray
    told: tuple[str, ...]


@dataclass(frozen=True)
class SweptAxis:
    """An axis.

    Attributes
    ----------
    title : str
        Its title, with the unit.
    short : str
        What a point's figure is called.
    percent : bool
        Whether it counts shares of one.
    """

    title: str
    short: str
    percent: bool = False


def swept(lines: Sequence[SweptLine], across: SweptAxis, up: SweptAxis) -> Figure:
    """Draw the questions of a sweep, a line for each set that differs in the budget alone.

    Parameters
    ----------
    lines : sequence of SweptLine
        The questions.
    across, up : SweptAxis
        What the axes count.
    """
    wide = _span([(line.across, line.across_bars) for line in lines], across)
    high = _span([(line.up, line.up_bars) for line in lines], up, [one.bound for one in lines])
    least = SEEN * (high[1] - high[0])
    data = [_best(lines)] if any(_drawn(line)[line.best].any() for line in lines) else []
    for place, line in enumerate(lines):
        data += [_bounds(line, place, least)] if _has_bound(line, least).any() else []
        data.append(_curve(line, place, across, up))
    return {
        "data": data,
        "layout": layout(
            HEIGHT,
            (58, 14, 34, 46),
            xaxis=ticked(across.title, *wide, percent=across.percent),
            yaxis=ticked(up.title, *high, percent=up.percent),
            showlegend=True,
            legend=legend(1.02),
            annotations=[]
            if any(_drawn(line).any() for line in lines)
            else [note("No point has both figures, and finite ones.", 0.5, 0.5)],
            hoverdistance=24,
        ),
    }


def _span(
    drawn: Sequence[tuple[FloatArray, tuple[FloatArray, FloatArray]]],
    along: SweptAxis,
    more: Sequence[FloatArray] = (),
) -> tuple[float, float]:
    """Return the ends of an axis: 0, or below, to the outermost bar or bound."""
    ends = [
        side
        for values, (below, above) in drawn
        for side in (values, values - np.nan_to_num(below), values + np.nan_to_num(above))
    ]
    every = np.concatenate([np.zeros(1), *(np.ravel(one) for one in (*ends, *more))])
    every = every[np.isfinite(every)]
    low, high = float(every.min()), float(every.max())
    room = ROOM * (high - low) or 0.5
    if along.percent:
        high = min(high, 1.0) if high <= 1 else high
    return low - room, high + room


def _drawn(line: SweptLine) -> BoolArray:
    """Return which questions have a place."""
    found: BoolArray = np.isfinite(line.across) & np.isfinite(line.up)
    return found


def _has_bound(line: SweptLine, least: float) -> BoolArray:
    """Return which questions have a bound that is seen above them."""
    with np.errstate(invalid="ignore"):
        found: BoolArray = _drawn(line) & (line.bound - line.up > least)
    return found


def _look(place: int) -> tuple[str, str, str]:
    """Return colour, dash and symbol of a line: 25 of them differ."""
    turn = place + place // len(SERIES)
    ink = colour(SERIES[place % len(SERIES)])
    return ink, DASHES[turn % len(DASHES)], SYMBOLS[turn % len(SYMBOLS)]


def _curve(line: SweptLine, place: int, across: SweptAxis, up: SweptAxis) -> dict[str, object]:
    ink, dash, symbol = _look(place)
    trace: dict[str, object] = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": labels.text(line.title),
        "x": numbers(line.across),
        "y": numbers(line.up),
        "customdata": list(line.told),
        "line": {"color": ink, "width": 1.7, "dash": dash},
        "marker": {"color": ink, "size": 6, "symbol": symbol},
        "hovertemplate": f"{_hover('x', across)}<br>{_hover('y', up)}<br>%{{customdata}}"
        f"<extra>{labels.text(line.title)}</extra>",
    }
    for name, (below, above) in (("error_x", line.across_bars), ("error_y", line.up_bars)):
        if np.isfinite(above).any() and (np.nan_to_num(above) + np.nan_to_num(below) > 0).any():
            trace[name] = {
                "type": "data",
                "symmetric": False,
                "array": numbers(above),
                "arrayminus": numbers(below),
                "color": ink,
                "thickness": 1.2,
                "width": 3,
            }
    return trace


def _hover(letter: str, along: SweptAxis) -> str:
    digits = ".1%" if along.percent else ".4~g"
    return f"{along.short}: %{{{letter}:{digits}}}"


def _bounds(line: SweptLine, place: int, least: float) -> dict[str, object]:
    """Return a stroke above each question, at the most that is proven."""
    which = _has_bound(line, least)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": f"{labels.text(line.title)}: at most",
        "x": numbers(line.across[which]),
        "y": numbers(line.bound[which]),
        "marker": {
            "color": _look(place)[0],
            "size": 9,
            "symbol": "line-ew",
            "line": {"color": _look(place)[0], "width": 1.6},
        },
        "hovertemplate": f"at most %{{y:.4~g}}<extra>{labels.text(line.title)}</extra>",
        "showlegend": False,
    }


def _best(lines: Sequence[SweptLine]) -> dict[str, object]:
    """Return rings around the questions that no other one dominates."""
    chosen = [(line, _drawn(line) & line.best) for line in lines]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "no other is better in both",
        "x": numbers(np.concatenate([line.across[which] for line, which in chosen])),
        "y": numbers(np.concatenate([line.up[which] for line, which in chosen])),
        "marker": {
            "color": colour("ink"),
            "size": 14,
            "symbol": "circle-open",
            "line": {"color": colour("ink"), "width": 1.3},
        },
        "hoverinfo": "skip",
    }
