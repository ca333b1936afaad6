"""Frontiers: what is kept against the budget, and the questions of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.validation import BoolArray, FloatArray
from pages.ui.style import labels
from pages.ui.style.base import (
    DASHES,
    SERIES,
    SILENT,
    SYMBOLS,
    Figure,
    axis,
    colour,
    layout,
    legend,
    note,
    numbers,
    scatter,
    ticked,
)


@dataclass(frozen=True, eq=False)
class Line:
    """One curve of the frontier; `place` sets color, dash and symbol.

    `key`: notion and mechanism, which a click returns. `eps`, `nmi`, `utility`: budget in the unit
    shown, share kept, and utility in its unit, shape (k,). `most`: upper bound on the share that
    any mechanism keeps, shape (k,). `faded`: for the last settings. `points`: answers to another
    promise, each at what it tells of S, drawn as points. `between`: budgets between the line's own,
    and what no mechanism exceeds at each, shape (j,) each: more than the straight line from one
    `most` to the next. `mixture`: what mixtures of the line's mechanisms keep, shape (k,).
    """

    place: int
    key: tuple[str, str]
    title: str
    eps: FloatArray
    nmi: FloatArray
    utility: FloatArray
    most: FloatArray | None = None
    faded: bool = False
    points: bool = False
    between: tuple[FloatArray, FloatArray] | None = None
    mixture: FloatArray | None = None


@dataclass(frozen=True)
class Kept:
    """What the vertical axis counts: a share `of` what; `value` is the name of `Line.utility`."""

    axis: str
    of: str
    value: str
    in_nats: bool = True


@dataclass(frozen=True)
class Budget:
    """What the horizontal axis counts; `unit` is "" for none, `digits` plotly's format."""

    symbol: str
    axis: str
    unit: str
    digits: str = ".3~g"


OF_X = Kept("X kept, I(X;Y)/H(X)", "X", "I(X;Y)")
"""The share of H(X)."""

BAND = 0.001
"""Least visible height of a band, as a share."""

PERCENT: dict[str, object] = {
    "tickvals": [0, 0.25, 0.5, 0.75, 1],
    "ticktext": ["0%", "25%", "50%", "75%", "100%"],
}
"""Ticks of the share that is kept, written as shares are everywhere."""

LOW = {
    "below": 200,
    "layout": {"margin": {"t": 5, "b": 35}, "yaxis": axis("", (-0.03, 1.05), **PERCENT)},
}
"""A dense frontier lower than this, in pixels, has no room for the title beside it."""

PALE = 0.3
"""Opacity of lines of the last settings."""

NO_BUDGET = "Nothing to compare: this mechanism has no budget."
"""The text of an empty chart."""


def frontier(
    lines: Sequence[Line],
    *,
    eps: float | None,
    nmi: float,
    unit: str,
    limit: float,
    current: int,
    empty: str = NO_BUDGET,
    kept: Kept = OF_X,
    budget: Budget | None = None,
    dense: bool = False,
) -> Figure:
    """Draw utility against ε, a line each; the browser rings the point in `layout.meta.now`.

    `eps`: of that point; None where it has none and is not drawn. A `dense` one is for a card of a
    board: its legend lies where no line is, if there is room.
    """
    along = budget or Budget("ε", "privacy budget ε", unit, ".2f")
    title = f"{along.axis}{f', in {along.unit}' if along.unit else ''}: lower is more private"
    across = (
        axis(title, (0, limit), dtick=1) if budget is None else ticked(title, 0.0, limit * 1.02)
    )
    traces = [band for line in lines if (band := _band(line)) is not None]
    traces += [_mixtures(line) for line in lines if is_below_mixture(line)]
    traces += [_curve(line, kept, along, unit, strong=line.place == current) for line in lines]
    return {
        "data": traces,
        "layout": layout(
            330,
            (50, 10, 8, 38) if dense else (52, 14, 34, 42),
            xaxis=across,
            yaxis=axis(kept.axis, (-0.03, 1.05), **PERCENT),
            showlegend=True,
            legend=_inside(lines, limit) if dense else legend(1.02),
            meta={"now": None if eps is None else numbers([eps, nmi])}
            | ({"low": LOW} if dense else {}),
            annotations=[] if lines else [note(empty, 0.5, 0.5)],
            hoverdistance=24,
        ),
    }


def _inside(lines: Sequence[Line], limit: float) -> dict[str, object]:
    """Return a legend below the lines at the right, or above the chart where they are low there."""
    right = [line.nmi[line.eps >= 0.45 * limit] for line in lines]
    low = min(
        (float(np.nanmin(values)) for values in right if np.isfinite(values).any()), default=1.0
    )
    if low < 0.13 * len(lines) + 0.05:
        return legend(1.02)
    return legend(0.0) | {
        "orientation": "v",
        "x": 1,
        "xanchor": "right",
        "tracegroupgap": 0,
        "font": {"size": 11, "color": colour("ink")},
    }


def _curve(line: Line, kept: Kept, along: Budget, unit: str, *, strong: bool) -> dict[str, object]:
    ink = colour(SERIES[line.place % len(SERIES)])
    return {
        "type": "scatter",
        "opacity": PALE if line.faded else 1.0,
        "mode": "markers" if line.points else "lines+markers",
        "name": labels.text(line.title),
        "x": numbers(line.eps),
        "y": numbers(line.nmi),
        "customdata": numbers(line.utility),
        "meta": list(line.key),
        "line": {
            "color": ink,
            "width": 2.6 if strong else 1.7,
            "dash": DASHES[line.place % len(DASHES)],
        },
        "marker": {
            "color": ink,
            "size": 6 if strong else 5,
            "symbol": SYMBOLS[line.place % len(SYMBOLS)],
            "maxdisplayed": 40,  # apart: marks of all known answers would cover the line
        },
        "hovertemplate": f"{along.symbol} = %{{x:{along.digits}}}<br>"
        f"keeps %{{y:.1%}} of {kept.of}<br>"
        f"{kept.value} = %{{customdata:.3f}} {unit if kept.in_nats else ''}"
        f"<extra>{labels.text(line.title)}</extra>",
    }


def _mixtures(line: Line) -> dict[str, object]:
    """Return the dotted line of what mixtures keep."""
    return scatter(
        "lines",
        numbers(line.eps),
        numbers(line.nmi if line.mixture is None else line.mixture),
        opacity=PALE if line.faded else 1.0,
        name=f"{labels.text(line.title)}: mixture of two points",
        line={"color": colour(SERIES[line.place % len(SERIES)]), "width": 1.2, "dash": "dot"},
        **SILENT,
    )


def is_open(line: Line) -> bool:
    """Return whether a band is drawn above a line: whether more may be kept than it keeps."""
    edges = _edges(line)
    return edges is not None and not line.faded and bool((edges[2] - edges[1] > BAND).any())


def is_below_mixture(line: Line) -> bool:
    """Return whether mixtures of a line's mechanisms keep more than the line, and are drawn."""
    return line.mixture is not None and bool(np.nanmax(line.mixture - line.nmi, initial=0.0) > BAND)


def _edges(line: Line) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Return budgets, what is kept at each and what is proven to be the most; None if nothing."""
    if line.between is None:
        return None if line.most is None else (line.eps, line.nmi, line.most)
    at, most = line.between
    known = np.isfinite(line.nmi)
    if not known.any():
        return None
    return at, np.interp(at, line.eps[known], line.nmi[known]), most


def _band(line: Line) -> dict[str, object] | None:
    """Return the band between a line and its bound; None where there is none to see."""
    edges = _edges(line)
    if not is_open(line) or edges is None:
        return None
    eps, low, high = edges
    there_and_back = np.concatenate([eps, eps[::-1]])
    return scatter(
        "lines",
        numbers(there_and_back),
        numbers(np.concatenate([low, high[::-1]])),
        fill="toself",
        name=f"{labels.text(line.title)}: up to what is proven",
        line={"width": 0},
        fillcolor=colour(SERIES[line.place % len(SERIES)]),
        opacity=0.16,
        **SILENT,
    )


@dataclass(frozen=True, eq=False)
class SweptLine:
    """Questions that differ in the budget alone; all figures have shape (k,).

    `across_bars`, `up_bars`: reach below and above, NaN for none. `bound`: the most that is proven
    for `up`, NaN for none. `best`: no other question dominates. `hover`: the hover text of each.
    """

    title: str
    across: FloatArray
    up: FloatArray
    across_bars: tuple[FloatArray, FloatArray]
    up_bars: tuple[FloatArray, FloatArray]
    bound: FloatArray
    best: BoolArray
    hover: tuple[str, ...]


@dataclass(frozen=True)
class SweptAxis:
    """An axis; `title` has the unit, `short` names a point's figure, `percent`: shares of one."""

    title: str
    short: str
    percent: bool = False


def swept(lines: Sequence[SweptLine], across: SweptAxis, up: SweptAxis) -> Figure:
    """Draw the questions of a sweep, a line for each set that differs in the budget alone."""
    wide = _span([(line.across, line.across_bars) for line in lines], across)
    high = _span([(line.up, line.up_bars) for line in lines], up, [line.bound for line in lines])
    # least distance of a bound from its point that can be seen, as a part of the axis
    least = 0.001 * (high[1] - high[0])
    data = [_best(lines)] if any(_drawn(line)[line.best].any() for line in lines) else []
    for place, line in enumerate(lines):
        data += [_bounds(line, place, least)] if _has_bound(line, least).any() else []
        data.append(_swept_curve(line, place, across, up))
    return {
        "data": data,
        "layout": layout(
            440,
            (58, 14, 34, 46),
            xaxis=ticked(across.title, *wide, percent=across.percent),
            yaxis=ticked(up.title, *high, percent=up.percent),
            showlegend=True,
            legend=legend(1.02),
            annotations=[]
            if any(_drawn(line).any() for line in lines)
            else [note("No point has finite values on both axes.", 0.5, 0.5)],
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
    every = np.concatenate([np.zeros(1), *(np.ravel(array) for array in (*ends, *more))])
    every = every[np.isfinite(every)]
    low, high = float(every.min()), float(every.max())
    # room beyond the outermost points, as a part of the axis
    room = 0.05 * (high - low) or 0.5
    if along.percent:
        high = min(high, 1.0) if high <= 1 else high
    return low - room, high + room


def _drawn(line: SweptLine) -> BoolArray:
    """Return which questions have finite coordinates."""
    placed: BoolArray = np.isfinite(line.across) & np.isfinite(line.up)
    return placed


def _has_bound(line: SweptLine, least: float) -> BoolArray:
    """Return which questions have a visible bound above them."""
    with np.errstate(invalid="ignore"):
        bounded: BoolArray = _drawn(line) & (line.bound - line.up > least)
    return bounded


def _look(place: int) -> tuple[str, str, str]:
    """Return color, dash and symbol of a line: 25 of them differ."""
    turn = place + place // len(SERIES)
    ink = colour(SERIES[place % len(SERIES)])
    return ink, DASHES[turn % len(DASHES)], SYMBOLS[turn % len(SYMBOLS)]


def _swept_curve(
    line: SweptLine, place: int, across: SweptAxis, up: SweptAxis
) -> dict[str, object]:
    ink, dash, symbol = _look(place)
    trace: dict[str, object] = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": labels.text(line.title),
        "x": numbers(line.across),
        "y": numbers(line.up),
        "customdata": list(line.hover),
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
    ink = _look(place)[0]
    stroke = {"color": ink, "width": 1.6}
    return scatter(
        "markers",
        numbers(line.across[which]),
        numbers(line.bound[which]),
        name=f"{labels.text(line.title)}: at most",
        marker={"color": ink, "size": 9, "symbol": "line-ew", "line": stroke},
        hovertemplate=f"at most %{{y:.4~g}}<extra>{labels.text(line.title)}</extra>",
        showlegend=False,
    )


def _best(lines: Sequence[SweptLine]) -> dict[str, object]:
    """Return rings around the questions that no other one dominates."""
    chosen = [(line, _drawn(line) & line.best) for line in lines]
    ink = colour("ink")
    ring = {"color": ink, "width": 1.3}
    return scatter(
        "markers",
        numbers(np.concatenate([line.across[which] for line, which in chosen])),
        numbers(np.concatenate([line.up[which] for line, which in chosen])),
        name="no other is better on both axes",
        marker={"color": ink, "size": 14, "symbol": "circle-open", "line": ring},
        hoverinfo="skip",
    )
