"""The colours of every figure, by role, in light and in dark.

A figure names a role by a marker colour that stands for nothing else; the chart in the browser
swaps markers for the colours of the theme in use, so that a change of theme needs no new figure.
The hues are those of Okabe and Ito, darkened for the light theme and lightened for the dark one to
a contrast of at least 4.5 : 1. No meaning rests on colour alone: symbols, dashes, patterns and
positions say the same.
"""

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
"""Colour by role in the light theme."""

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
"""Colour by role in the dark theme."""

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
"""The light colours of the projector view: text and lines have a contrast of at least 7 : 1."""

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
    """Return the marker of a role, for use as a colour in a figure."""
    return MARKERS[role]


SERIES = ("after", "before", "green", "purple", "gold")
"""Roles of lines side by side, in order."""

DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
"""Line styles that go with `SERIES`."""

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x")
"""Point symbols that go with `SERIES`."""


def sequential() -> list[list[float | str]]:
    """Return the colour scale from 0 to the largest value."""
    return [[step / 5, colour(f"low{step}")] for step in range(6)]


def diverging() -> list[list[float | str]]:
    """Return the colour scale from the lowest to the highest value, with 0 in the middle."""
    roles = ("minus2", "minus1", "zero", "plus1", "plus2")
    return [[step / 4, colour(role)] for step, role in enumerate(roles)]
