"""The look of every figure: colors, fonts, ticks, margins and axes.

A marker color names a role; the browser swaps it for the theme's. Hues are Okabe and Ito's, at a
contrast of at least 4.5 : 1; no meaning rests on color alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

LIGHT = {
    "paper": "#fdfcf9",
    "ink": "#23272f",
    "muted": "#5d636c",
    "grid": "#e9e6de",
    "rule": "#3b4048",
    "allowed": "#e6f0f8",
    "edge": "#c3c9d0",
    "after": "#0b63a5",
    "before": "#b4530a",
    "green": "#0f7b5f",
    "purple": "#8b4a8b",
    "gold": "#806600",
    "low0": "#f8f7f2",
    "low1": "#d2e3f0",
    "low2": "#86b6db",
    "low3": "#3b83bb",
    "low4": "#10528b",
    "low5": "#0a355e",
    "minus2": "#0a4a80",
    "minus1": "#6da6d3",
    "zero": "#f5f3ec",
    "plus1": "#e8a766",
    "plus2": "#9a4305",
}
"""Color by role in the light theme."""

DARK = {
    "paper": "#15181d",
    "ink": "#e9e6df",
    "muted": "#a9aeb6",
    "grid": "#2a3038",
    "rule": "#d5d2cb",
    "allowed": "#1c2a37",
    "edge": "#4a525d",
    "after": "#6db7ee",
    "before": "#f2a65a",
    "green": "#4cc9a0",
    "purple": "#d79ad3",
    "gold": "#e5ce5b",
    "low0": "#1a1f26",
    "low1": "#1f3a52",
    "low2": "#27597f",
    "low3": "#3a80b3",
    "low4": "#74b3e2",
    "low5": "#d3ecff",
    "minus2": "#9bd3fb",
    "minus1": "#3d7fb0",
    "zero": "#232830",
    "plus1": "#a9652a",
    "plus2": "#ffc486",
}
"""Color by role in the dark theme."""

STRONG_LIGHT = LIGHT | {
    "paper": "#ffffff",
    "ink": "#000000",
    "muted": "#000000",
    "grid": "#c9c9c9",
    "rule": "#000000",
    "allowed": "#cfe4f5",
    "edge": "#707070",
    "after": "#00477a",
    "before": "#8a3a00",
    "green": "#00543c",
    "purple": "#6d2b6d",
    "gold": "#594700",
    "low0": "#ffffff",
    "zero": "#ffffff",
}
"""The light colors of the projector view: text and lines have a contrast of at least 7 : 1."""

STRONG_DARK = DARK | {
    "paper": "#000000",
    "ink": "#ffffff",
    "muted": "#ffffff",
    "grid": "#4a4a4a",
    "rule": "#ffffff",
    "allowed": "#12324d",
    "edge": "#9a9a9a",
    "after": "#8ccbf8",
    "before": "#ffb870",
    "green": "#5fe0b4",
    "purple": "#e8b3e4",
    "gold": "#f2dd6a",
    "low0": "#000000",
    "zero": "#000000",
}
"""The dark ones."""

MARKERS = {role: f"#00fe{index:02x}" for index, role in enumerate(LIGHT)}
"""The marker that stands for a role inside a figure."""


def colour(role: str) -> str:
    """Return the marker of a role, for use as a color in a figure."""
    return MARKERS[role]


SERIES = ("after", "before", "green", "purple", "gold")
"""Roles of lines side by side, in order."""

DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
"""Line styles that go with `SERIES`."""

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x")
"""Point symbols that go with `SERIES`."""


def sequential() -> list[list[float | str]]:
    return [[step / 5, colour(f"low{step}")] for step in range(6)]


def diverging() -> list[list[float | str]]:
    """Return the color scale from the lowest to the highest value, with 0 in the middle."""
    roles = ("minus2", "minus1", "zero", "plus1", "plus2")
    return [[step / 4, colour(role)] for step, role in enumerate(roles)]


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers from `low` to `high`: at most `most` of them, 0 included if between."""
    span = high - low
    if not span > 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(power * factor for factor in (1, 2, 5, 10, 20) if span / (power * factor) <= most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{place * step:.12g}") for place in range(first, last + 1)]


ENDLESS = 1.12
"""Where ∞ is drawn on an axis, as a multiple of the largest finite number."""


def round_share(most: float) -> float:
    """Return the end of an axis of shares that reach this far: a round share, at most 1."""
    return next((end for end in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if most <= end), 1.0)


def texts(values: Sequence[float], *, percent: bool = False) -> list[str]:
    """Return numbers as text, neighbors alike only if they are equal."""
    shown = [100 * value if percent else value for value in values]
    gaps = [abs(b - a) for a, b in pairwise(shown) if b != a]
    size = max((abs(value) for value in shown), default=0.0)
    least = min(gaps, default=size) or 1.0
    decimals = max(0, 1 - math.floor(math.log10(least)))
    if decimals > 6 or size >= 1e7:
        digits = 2 + max(0, math.floor(math.log10(max(size, least) / least)))
        written = [f"{value:.{digits}g}" for value in shown]
    else:
        written = [_plain(f"{value:.{decimals}f}") for value in shown]
    return [text.replace("-", "−") + ("%" if percent else "") for text in written]


def ticked(
    title: str, low: float, high: float, *, percent: bool = False, most: int = 6, **more: Any
) -> dict[str, Any]:
    """Return an axis that stays at [low, high], with round ticks whose texts all differ."""
    values = ticks(low, high, most)
    written = texts(values, percent=percent)
    return axis(title, (low, high), tickvals=values, ticktext=written, **more)


def _plain(text: str) -> str:
    short = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if short in ("-0", "") else short


Figure = dict[str, Any]
"""A Plotly figure as plain data: {"data": [trace, …], "layout": {…}}.

Plain because it is made again whenever a slider moves: `plotly.graph_objects` would take longer to
check it than the browser to draw it. The tests check every figure with it.
"""


def numbers(values: ArrayLike, digits: int = 5) -> list[float | None]:
    """Return numbers with few digits, None where they are not finite (a gap in a figure)."""
    flat = np.asarray(values, dtype=np.float64).ravel().tolist()  # Python's are quicker one by one
    written = f".{digits}g"
    return [float(format(value, written)) if math.isfinite(value) else None for value in flat]


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
    """Return an axis with one place a symbol, and fewer names where there is less room."""
    # least pixels from one name on an axis to the next
    step = max(1, math.ceil(len(names) * 12.0 / max(pixels, 1)))
    return axis(
        span=(-0.5, len(names) - 0.5),
        tickvals=list(range(0, len(names), step)),
        ticktext=list(names[::step]),
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
    return {
        "text": words,
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "showarrow": False,
        "font": {"size": 12, "color": colour("muted")},
    } | more


DASHED = {"color": colour("rule"), "width": 1.2, "dash": "dash"}
"""The look of a line that something may not exceed."""


def rule(x: float, bottom: float = 0, top: float = 1) -> dict[str, Any]:
    """Return a dashed vertical line at x, between shares of the height."""
    ends = {"x0": x, "x1": x, "y0": bottom, "y1": top}
    return ends | {"type": "line", "yref": "paper", "line": DASHED}


def shade(low: float, high: float) -> dict[str, Any]:
    """Return the shading of what is allowed, below all else."""
    ends = {"x0": low, "x1": high, "y0": 0, "y1": 1}
    look = {"layer": "below", "line": {"width": 0}, "fillcolor": colour("allowed")}
    return ends | {"type": "rect", "yref": "paper"} | look


def scatter(mode: str, x: Sequence[Any], y: Sequence[Any], **more: Any) -> dict[str, Any]:
    """Return a trace of points, lines or texts."""
    return {"type": "scatter", "mode": mode, "x": x, "y": y} | more


SILENT: dict[str, Any] = {"hoverinfo": "skip", "showlegend": False}
"""A trace that says nothing by itself."""


def margin_for(names: Iterable[str], least: int, most: int, per_character: float = 6.4) -> int:
    """Return the pixels that the longest of some tick labels takes."""
    longest = max((len(name) for name in names), default=0)
    return int(min(most, max(least, 14 + per_character * longest)))
