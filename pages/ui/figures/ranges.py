"""The joint range: which secrets occur with which releases, parts as blocks."""

from __future__ import annotations

import numpy as np

from core.release.quantised import RangeTable
from pages.ui.figures.graph import part_colour
from pages.ui.figures.matrix import ACROSS
from pages.ui.style import labels
from pages.ui.style.base import Figure, label_axis, layout, margin_for
from pages.ui.style.palette import SERIES, colour

ROOM = 16
"""Characters of a name that are shown; the hover has more."""


def range_matrix(table: RangeTable, height: int) -> Figure:
    """Draw a joint range: a row for each release, a column for each secret.

    Parameters
    ----------
    table : RangeTable
        Sorted so that its connected parts are blocks on the diagonal; the colours repeat.
    height : int
        In pixels.
    """
    tones = len(SERIES)
    z = np.where(table.occurs.T, 1 + table.parts[:, None] % tones, 0)
    scale: list[list[float | str]] = []
    for place in range(tones + 1):
        ink = part_colour(place - 1) if place else colour("low0")
        scale += [[place / (tones + 1), ink], [(place + 1) / (tones + 1), ink]]
    rows = labels.distinct(list(table.y_labels), ROOM)
    columns = labels.distinct(list(table.s_labels), 12)
    upright = len(columns) > 3
    bottom = margin_for(columns, 40, 112, 5.2) + 12 if upright else 46
    return {
        "data": [
            {
                "type": "heatmap",
                "z": z.tolist(),
                "x": list(range(len(columns))),
                "y": list(range(len(rows))),
                "colorscale": scale,
                "zmin": -0.5,
                "zmax": tones + 0.5,
                "xgap": 1,
                "ygap": 1,
                "showscale": False,
                "hoverinfo": "skip",
            },
            _marks(table),
        ],
        "layout": layout(
            height,
            (margin_for(rows, 40, 128) + 26, 8, 8, bottom),
            xaxis=label_axis(columns, ACROSS, tickangle=-55 if upright else 0)
            | {"title": _title("secret s", table.left_out[0])},
            yaxis=label_axis(rows, height - 8 - bottom)
            | {
                "range": [len(rows) - 0.5, -0.5],
                "title": _title("release", table.left_out[1]),
            },
            hoverdistance=12,
        ),
    }


def _marks(table: RangeTable) -> dict[str, object]:
    """Return an invisible point on every pair that occurs, whose hover names the pair."""
    found = np.argwhere(table.occurs.T)
    return {
        "type": "scatter",
        "mode": "markers",
        "x": found[:, 1].tolist(),
        "y": found[:, 0].tolist(),
        "marker": {"size": 8, "opacity": 0, "color": colour("muted")},
        "customdata": [
            [
                labels.full(table.y_labels[y]),
                labels.full(table.s_labels[s]),
                int(table.parts[y]) + 1,
            ]
            for y, s in found.tolist()
        ],
        "hovertemplate": "%{customdata[0]}<br>s: %{customdata[1]}<br>occur together, "
        "part %{customdata[2]}<extra></extra>",
    }


def _title(words: str, left_out: int) -> dict[str, object]:
    return {
        "text": f"{words}; {left_out:,} unlikely ones not drawn" if left_out else words,
        "standoff": 4,
        "font": {"size": 12, "color": colour("muted")},
    }
