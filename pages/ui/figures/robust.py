"""Figures of robustness: what a sample leaves possible, and designs' levels at the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.validation import FloatArray
from core.wording import fixed
from pages.ui.figures.bars import rows
from pages.ui.figures.frontier import Kept, Line, frontier
from pages.ui.style import labels
from pages.ui.style.base import (
    DASHED,
    SERIES,
    SILENT,
    SYMBOLS,
    Figure,
    axis,
    colour,
    layout,
    legend,
    numbers,
    scatter,
    ticked,
)
from pages.ui.style.units import in_unit

ROW = 26
"""Pixels that a row takes: a value u, or a design."""

OF_PAIR = Kept("(S, U) kept, I(S,U;Y)/H(S,U)", "(S, U)", "I(S,U;Y)")
"""What the frontier of designs counts."""


def intervals(
    low: FloatArray,
    high: FloatArray,
    estimate: FloatArray,
    truth: FloatArray,
    names: Sequence[str],
    reach: float,
) -> Figure:
    """Draw, for one secret, which P(u | s), each (n_u,), the sample leaves possible."""
    short = labels.distinct(list(names), 20)
    full = [labels.full(name) for name in names]
    places = list(range(len(short)))
    detail = [
        [name, f"{a:.2%}", f"{b:.2%}", f"{hat:.2%}", f"{true:.2%}"]
        for name, a, b, hat, true in zip(full, low, high, estimate, truth, strict=True)
    ]
    hover = (
        "%{customdata[0]}<br>possible: %{customdata[1]} to %{customdata[2]}"
        "<br>estimate %{customdata[3]}, truth %{customdata[4]}<extra></extra>"
    )
    common = (places, detail, hover)
    ends = np.minimum(high, reach)
    height = int(np.clip(96 + ROW * len(short), 220, 620))
    room = (height - 74) / max(len(short), 1)  # of one row
    return {
        "data": [
            {
                "type": "bar",
                "orientation": "h",
                "name": "possible",
                "base": numbers(np.minimum(low, reach)),
                "x": numbers(np.maximum(ends - low, 0.0)),
                "y": places,
                "width": 0.62,
                "customdata": detail,
                "marker": {
                    "color": colour("low1"),
                    "line": {"color": colour("low3"), "width": 1},
                },
                "hovertemplate": hover,
            },
            _points("estimate P̂", estimate, *common, "before", "circle", int(min(9, room - 1))),
            _points("truth P*", truth, *common, "ink", "line-ns", int(min(15, room))),
        ],
        "layout": rows(
            short,
            height,
            (44, 150, 30, 44),
            ticked("P(u | s)", -0.025 * reach, reach, percent=True),
            right=14,
            showlegend=True,
        ),
    }


def _points(
    name: str,
    values: FloatArray,
    rows: list[int],
    detail: Sequence[object],
    hover: str,
    role: str,
    symbol: str,
    size: int,
) -> dict[str, object]:
    stroke = {"color": colour(role), "width": 2.5}
    return scatter(
        "markers",
        numbers(values),
        rows,
        name=name,
        customdata=detail,
        marker={"color": colour(role), "size": size, "symbol": symbol, "line": stroke},
        hovertemplate=hover,
        cliponaxis=False,
    )


def levels_at(
    names: Sequence[str],
    realised: FloatArray,
    worst: FloatArray,
    eps: float,
    reach: float,
    unit: str = "nats",
) -> Figure:
    """Draw each design's ε* at the truth and its worst case, (k,), against the promised ε."""
    scale = in_unit(1.0, unit)
    realised, worst, eps, reach = realised * scale, worst * scale, eps * scale, reach * scale
    places = list(range(len(names)))
    detail = [
        [name, _level(real, unit), _level(most, unit)]
        for name, real, most in zip(names, realised, worst, strict=True)
    ]
    hover = (
        "%{customdata[0]}<br>ε* at the truth %{customdata[1]}<br>worst case "
        "%{customdata[2]}<extra></extra>"
    )
    return {
        "data": [
            _points(
                "truth", np.minimum(realised, reach), places, detail, hover, "after", "circle", 10
            ),
            _points(
                "worst case",
                np.minimum(worst, reach),
                places,
                detail,
                hover,
                "before",
                "diamond-open",
                10,
            ),
            _promised(eps, len(names)),
        ],
        "layout": rows(
            names,
            120 + ROW * len(names),
            (60, 176, 34, 44),
            ticked(f"privacy level ε*, {unit}", 0, reach, most=7),
            letter=5.6,
            right=16,
            showlegend=True,
        ),
    }


def _promised(eps: float, rows: int) -> dict[str, object]:
    """Return the dashed line at the budget ε, with its name in the legend."""
    line = DASHED | {"width": 1.4}
    ends = [-0.5, rows - 0.5]
    return scatter("lines", [eps, eps], ends, name="budget ε", line=line, hoverinfo="skip")


def _level(value: float, unit: str) -> str:
    return "∞" if np.isinf(value) else f"{fixed(value, 3)} {unit}"


def robust_frontier(
    lines: Sequence[Line], *, eps: float, nmi: float | None, limit: float, unit: str = "nats"
) -> Figure:
    """Draw what each design keeps of (S, U) at each ε; the parameters are those of `frontier`."""
    figure = frontier(
        lines,
        eps=eps,
        nmi=0.0 if nmi is None else nmi,
        unit=unit,
        limit=limit,
        current=-1,
        kept=OF_PAIR,
    )
    if nmi is None:
        del figure["layout"]["meta"]
    for line, trace in zip(lines, figure["data"], strict=True):
        if line.place >= len(SERIES):  # one line more than there are colors
            trace["line"] |= {"color": colour("muted"), "dash": "dot"}
            trace["marker"] |= {"color": colour("muted"), "symbol": "star"}
    return figure


@dataclass(frozen=True, eq=False)
class BoxPlot:
    """Values (k,) of one design over many draws; those beyond the axis are drawn at its end."""

    place: int
    title: str
    values: FloatArray


def _ink(of: BoxPlot) -> str:
    return colour(SERIES[of.place]) if of.place < len(SERIES) else colour("muted")


def _mark(of: BoxPlot) -> dict[str, object]:
    return {"symbol": SYMBOLS[of.place] if of.place < len(SYMBOLS) else "star"}


def boxes(plots: Sequence[BoxPlot], *, eps: float, reach: float, unit: str = "nats") -> Figure:
    """Draw realized levels: a box of quartiles for each design, every draw as a point on it."""
    scale = in_unit(1.0, unit)
    eps, reach = eps * scale, reach * scale
    names = labels.distinct([box.title for box in plots], 28)
    return {
        "data": [
            *(_box(box, row, reach, unit) for row, box in enumerate(plots)),
            _promised(eps, len(plots)),
        ],
        "layout": rows(
            names,
            110 + 46 * len(plots),
            (60, 176, 30, 44),
            ticked(f"realized ε*, {unit}", 0, reach, most=7),
            letter=5.6,
            right=16,
            showlegend=True,
        ),
    }


def _box(box: BoxPlot, row: int, reach: float, unit: str) -> dict[str, object]:
    ink = _ink(box)
    return {
        "type": "box",
        "orientation": "h",
        "name": labels.text(box.title),
        "x": numbers(np.minimum(box.values * in_unit(1.0, unit), reach)),
        "y": [row] * len(box.values),
        "boxpoints": "all",
        "jitter": 0.5,
        "pointpos": 0,
        "whiskerwidth": 0.4,
        "width": 0.55,
        "line": {"color": ink, "width": 1.6},
        "marker": {"color": ink, "size": 4, "opacity": 0.55},
        "fillcolor": "rgba(0,0,0,0)",
        "hovertemplate": f"ε* = %{{x:.3f}} {unit}<extra>{labels.text(box.title)}</extra>",
        "hoveron": "points",
        "showlegend": False,
    }


def before_after(plots: Sequence[tuple[BoxPlot, FloatArray]]) -> Figure:
    """Draw what is kept at the truth against what is kept at the estimate, by draw (k,)."""
    return {
        "data": [
            scatter("lines", [0, 1], [0, 1], line=DASHED, **SILENT),
            *(
                scatter(
                    "markers",
                    numbers(box.values),
                    numbers(true),
                    name=labels.text(box.title),
                    marker=_mark(box) | {"color": _ink(box), "size": 7, "opacity": 0.75},
                    hovertemplate="at P̂ %{x:.1%}, at P* %{y:.1%}"
                    f"<extra>{labels.text(box.title)}</extra>",
                )
                for box, true in plots
            ),
        ],
        "layout": layout(
            340,
            (56, 16, 52, 44),
            xaxis=ticked("(S, U) kept at the estimate P̂", 0, 1, percent=True),
            yaxis=ticked("(S, U) kept at the truth P*", 0, 1, percent=True),
            showlegend=True,
            legend=legend(),
        ),
    }


def beta_lines(lines: Sequence[BoxPlot], betas: Sequence[float]) -> Figure:
    """Draw the mean share kept against β, a line each; `values` go with `betas`."""
    order = np.argsort(-np.asarray(betas))
    return {
        "data": [
            scatter(
                "lines+markers",
                list(range(len(order))),
                numbers(line.values[order]),
                name=labels.text(line.title),
                line={"color": _ink(line), "width": 2},
                marker=_mark(line) | {"size": 8},
                hovertemplate=f"keeps %{{y:.1%}}<extra>{labels.text(line.title)}</extra>",
            )
            for line in lines
        ],
        "layout": layout(
            320,
            (56, 16, 52, 44),
            xaxis=axis(
                "β: chance that the set misses the truth",
                (-0.3, len(order) - 0.7),
                tickvals=list(range(len(order))),
                ticktext=[f"{betas[i]:g}" for i in order],
            ),
            yaxis=ticked("(S, U) kept, mean", 0, 1, percent=True),
            showlegend=True,
            legend=legend(),
        ),
    }
