"""Bars from the lowest to the highest log-lift that each symbol causes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.validation import BoolArray, FloatArray
from pages.ui.style import labels
from pages.ui.style.base import Figure, axis, label_axis, layout, legend, margin_for, numbers
from pages.ui.style.palette import colour
from pages.ui.style.ticks import texts, ticks
from pages.ui.style.units import in_unit

APART = 0.06
"""Share of the reach from the last number to −∞, and from there to the end of the axis."""

UNJUDGED = "not judged by itself under this promise"
"""What the legend says of a symbol where the promise is not a bound on each symbol."""

NEAR = 0.9
"""Share of the reach beyond which a number on the axis would touch −∞."""


def symbol_lifts(
    log_min: FloatArray,
    log_max: FloatArray,
    names: Sequence[str],
    risky: BoolArray,
    budgets: tuple[float, float] | None,
    height: int = 360,
    unit: str = "nats",
    *,
    judged: bool = True,
) -> Figure:
    """Draw a bar from log Ψ to log Λ for each symbol, those that break the promise marked.

    Parameters
    ----------
    log_min, log_max : ndarray
        log Ψ (−∞ allowed) and log Λ in nats, shape (n,).
    names : sequence of str
        Names of the symbols.
    risky : ndarray of bool
        Which symbols break the promise, shape (n,).
    budgets : (float, float) or None
        How far the notion lets beliefs fall and rise, in nats: shaded.
    height : int
        In pixels.
    unit : str
        "nats" or "bits", of all that is shown.
    judged : bool
        Whether the promise is a bound on each symbol; else none is said to keep or break it.
    """
    scale = in_unit(1.0, unit)
    log_min, log_max = log_min * scale, log_max * scale
    finite = np.concatenate([-log_min[np.isfinite(log_min)], log_max, [0.25]])
    reach = float(finite.max()) * 1.12
    ruled_out = bool(np.isneginf(log_min).any())
    floor = -(1 + APART) * reach  # where −∞ stands, in full and beside all numbers
    left = -(1 + 2 * APART) * reach if ruled_out else -reach
    low = np.where(np.isneginf(log_min), floor, log_min)
    at = [tick for tick in ticks(-reach, reach, 7) if not ruled_out or tick > -NEAR * reach]
    short = labels.distinct(list(names), 16)
    shapes = []
    if budgets is not None:
        shapes = _allowed(budgets[0] * scale, budgets[1] * scale, left, reach)
    traces = [
        _group(low, log_min, log_max, names, np.flatnonzero(mask), role, symbol, title, unit)
        for mask, role, symbol, title in (
            (~risky, "after", "circle", "keeps the promise by itself" if judged else UNJUDGED),
            (risky, "before", "diamond-open", "high-risk: breaks the promise"),
        )
    ]
    return {
        "data": [trace for pair in traces for trace in pair],
        "layout": layout(
            height,
            (margin_for(short, 40, 128) + 6, 12, 30, 46),
            xaxis=axis(
                f"log-lift, {unit}",
                (left, reach),
                zeroline=True,
                zerolinecolor=colour("edge"),
                tickvals=[*([floor] if ruled_out else []), *at],
                ticktext=[*(["−∞"] if ruled_out else []), *texts(at)],
            ),
            yaxis=label_axis(short, height - 76) | {"range": [len(short) - 0.5, -0.5]},
            shapes=shapes,
            showlegend=True,
            legend=legend(),
        ),
    }


def _allowed(fall: float, rise: float, left: float, reach: float) -> list[dict[str, object]]:
    """Return the shading of what is allowed, with a line at each bound that is in sight."""
    bounds = (left if np.isinf(fall) else -min(fall, reach), min(rise, reach))
    whole_height: dict[str, object] = {"y0": 0, "y1": 1, "yref": "paper"}
    shade = whole_height | {
        "type": "rect",
        "x0": bounds[0],
        "x1": bounds[1],
        "layer": "below",
        "line": {"width": 0},
        "fillcolor": colour("allowed"),
    }
    dashes = {"color": colour("rule"), "width": 1.2, "dash": "dash"}
    lines = [
        whole_height | {"type": "line", "x0": bound, "x1": bound, "line": dashes}
        for bound in bounds
        if abs(bound) < reach
    ]
    return [shade, *lines]


def _signed(value: float, unit: str) -> str:
    return "−∞" if np.isneginf(value) else f"{value:+.3f} {unit}".replace("-", "−")


def _group(
    low: FloatArray,
    log_min: FloatArray,
    log_max: FloatArray,
    names: Sequence[str],
    chosen: np.ndarray,
    role: str,
    symbol: str,
    title: str,
    unit: str,
) -> list[dict[str, object]]:
    line_x = [value for i in chosen for value in (low[i], log_max[i], np.nan)]
    line_y = [value for i in chosen for value in (i, i, np.nan)]
    ends_x = [value for i in chosen for value in (low[i], log_max[i])]
    ends_y = [int(i) for i in chosen for _ in range(2)]
    detail = [
        [
            labels.full(names[i]),
            _signed(log_min[i], unit),
            _signed(log_max[i], unit),
        ]
        for i in chosen
        for _ in range(2)
    ]
    lines: dict[str, object] = {
        "type": "scatter",
        "mode": "lines",
        "x": numbers(line_x),
        "y": numbers(line_y),
        "line": {"color": colour(role), "width": 2.4},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    points: dict[str, object] = {
        "type": "scatter",
        "mode": "markers",
        "name": title,
        "x": numbers(ends_x),
        "y": ends_y,
        "customdata": detail,
        "marker": {
            "color": colour(role),
            "size": 9,
            "symbol": symbol,
            "line": {"color": colour(role), "width": 2},
        },
        "hovertemplate": "%{customdata[0]}<br>log Ψ %{customdata[1]}, log Λ %{customdata[2]}"
        "<extra></extra>",
    }
    return [lines, points]
