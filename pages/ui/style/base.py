"""What all figures share: one look, axes that stay where they are, numbers with few digits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pages.ui.style.palette import colour

Figure = dict[str, Any]
"""A Plotly figure as plain data: {"data": [trace, …], "layout": {…}}.

Plain because it is made again whenever a slider moves: `plotly.graph_objects` would take longer to
check it than the browser to draw it. The tests check every figure with it.
"""


LEAST = 12.0
"""Least pixels from one name on an axis to the next."""


def numbers(values: ArrayLike, digits: int = 5) -> list[float | None]:
    """Return numbers with few digits, None where they are not finite (a gap in a figure)."""
    found = np.asarray(values, dtype=np.float64).ravel().tolist()  # Python's are quicker one by one
    written = f".{digits}g"
    return [float(format(one, written)) if math.isfinite(one) else None for one in found]


def rows(values: ArrayLike, digits: int = 4) -> list[list[float | None]]:
    """Return a matrix as lists of numbers with few digits."""
    return [numbers(row, digits) for row in np.asarray(values)]


def axis(title: str = "", span: Sequence[float] | None = None, **more: Any) -> dict[str, Any]:
    """Return an axis in the common look; with `span` it stays where it is."""
    result: dict[str, Any] = {
        "title": {"text": title, "standoff": 6, "font": {"size": 12, "color": colour("muted")}},
        "gridcolor": colour("grid"),
        "linecolor": colour("grid"),
        "zeroline": False,
        "tickfont": {"size": 11, "color": colour("muted")},
        "ticks": "",
        "tickangle": 0,
        "ticklabeloverflow": "allow",  # measuring every label doubles the time to draw them
        "fixedrange": True,
    }
    if span is not None:
        result |= {"range": [float(span[0]), float(span[1])], "autorange": False}
    return result | more


def label_axis(names: Sequence[str], pixels: float = 540, **more: Any) -> dict[str, Any]:
    """Return an axis with one place a symbol; every second, third… name where there is less room.

    Parameters
    ----------
    names : sequence of str
        Names of the symbols.
    pixels : float
        Room that the axis has.
    **more
        Plotly's settings of the axis.
    """
    each = max(1, math.ceil(len(names) * LEAST / max(pixels, 1)))
    return axis(
        span=(-0.5, len(names) - 0.5),
        tickvals=list(range(0, len(names), each)),
        ticktext=list(names[::each]),
        showgrid=False,
        **more,
    )


def legend(y: float = 1.0) -> dict[str, Any]:
    """Return a legend in a row above a chart, which no click changes; y = 1 is the chart's top."""
    return {
        "orientation": "h",
        "x": 0,
        "y": y,
        "yanchor": "bottom",
        "font": {"size": 11.5, "color": colour("ink")},
        "itemclick": False,
        "itemdoubleclick": False,
    }


def layout(height: int, margin: tuple[int, int, int, int], **more: Any) -> dict[str, Any]:
    """Return a layout in the common look; the margin is left, right, top, bottom."""
    left, right, top, bottom = margin
    return {
        "height": height,
        "margin": {"l": left, "r": right, "t": top, "b": bottom, "pad": 2},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": colour("ink"), "size": 12},
        "hoverlabel": {
            "bgcolor": colour("paper"),
            "bordercolor": colour("edge"),
            "font": {"color": colour("ink"), "size": 12},
            "align": "left",
        },
        "hovermode": "closest",
        "dragmode": False,
        "showlegend": False,
        "uirevision": "keep",
    } | more


def note(words: str, x: float, y: float, **more: Any) -> dict[str, Any]:
    """Return a small annotation without an arrow, in the paper's coordinates by default."""
    return {
        "text": words,
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "showarrow": False,
        "font": {"size": 12, "color": colour("muted")},
    } | more


def rule(x: float, yref: str = "paper", **more: Any) -> dict[str, Any]:
    """Return a dashed vertical line at x, from bottom to top."""
    return {
        "type": "line",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "yref": yref,
        "line": {"color": colour("rule"), "width": 1.2, "dash": "dash"},
    } | more


def margin_for(names: Iterable[str], least: int, most: int, per_character: float = 6.4) -> int:
    """Return the pixels that the longest of some tick labels takes."""
    longest = max((len(name) for name in names), default=0)
    return int(min(most, max(least, 14 + per_character * longest)))
