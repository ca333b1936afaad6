"""The confusability graph: which releases could stem from the same secret."""

from __future__ import annotations

import math

import numpy as np

from core.lookalikes import Lookalikes
from core.validation import FloatArray
from pages.ui import labels
from pages.ui.figures.base import Figure, axis, layout, note, numbers
from pages.ui.palette import colour

HEIGHT = 360
NAMED = 24
"""Up to this many nodes have their names beside them; the hover always has."""

EDGES = 4_000
"""Most edges that are drawn: beyond it the picture is a blot and the browser slow."""


def confusability(graph: Lookalikes, name: str, role: str) -> Figure:
    """Draw a confusability graph.

    Parameters
    ----------
    graph : Lookalikes
        Of X itself or of the release.
    name : str
        Whose graph it is.
    role : str
        Its colour.

    Probabilities play no part in the graph, and none in its picture.
    """
    span_x, span_y = _spans(graph.positions)
    return {
        "data": [_lines(graph), _nodes(graph, role)],
        "layout": layout(
            HEIGHT,
            (4, 4, 26, 42),
            xaxis=axis("", span_x, visible=False),
            yaxis=axis("", span_y, visible=False),
            annotations=[
                note(
                    name,
                    0.5,
                    1.02,
                    yanchor="bottom",
                    font={"size": 12, "color": colour(role), "weight": 600},
                ),
                note(_summary(graph), 0.5, -0.02, yanchor="top"),
            ],
        ),
    }


def _summary(graph: Lookalikes) -> str:
    parts = "one part" if graph.components == 1 else f"{graph.components} separate parts"
    if graph.left_out:
        parts += f"; {graph.left_out:,} unlikely ones not drawn"
    return f"{parts}<br>leaves at least {graph.fewest} of {graph.n_s} secrets"


def _lines(graph: Lookalikes) -> dict[str, object]:
    x, y = graph.positions[:, 0], graph.positions[:, 1]
    drawn = graph.edges[:EDGES]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": numbers([point for a, b in drawn for point in (x[a], x[b], np.nan)], 4),
        "y": numbers([point for a, b in drawn for point in (y[a], y[b], np.nan)], 4),
        "line": {"color": colour("muted"), "width": 1},
        "opacity": max(0.12, min(0.9, 30 / max(1, len(drawn)))),
        "hoverinfo": "skip",
    }


def _nodes(graph: Lookalikes, role: str) -> dict[str, object]:
    named = len(graph.names) <= NAMED
    whole = [bool(count == graph.n_s) for count in graph.possible]
    return {
        "type": "scatter",
        "mode": "markers+text" if named else "markers",
        "x": numbers(graph.positions[:, 0], 4),
        "y": numbers(graph.positions[:, 1], 4),
        "text": [labels.short(name, 9) for name in graph.names] if named else None,
        "textposition": _beside(graph.positions),
        "textfont": {"size": 10.5, "color": colour("ink")},
        "cliponaxis": False,
        "customdata": [
            [labels.short(name, 60), int(count)]
            for name, count in zip(graph.names, graph.possible, strict=True)
        ],
        "marker": {
            "size": 13,
            "symbol": ["circle" if full else "diamond" for full in whole],
            "color": [colour(role) if full else colour("paper") for full in whole],
            "line": {"color": colour(role), "width": 2},
        },
        "hovertemplate": "%{customdata[0]}<br>"
        f"%{{customdata[1]}} of {graph.n_s} secrets possible<extra></extra>",
    }


def _spans(positions: FloatArray) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ranges of both axes, with room for names beside the nodes."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    middle, span = (low + high) / 2, max(float((high - low).max()), 1.0)
    return (
        (float(middle[0] - span), float(middle[0] + span)),
        (float(middle[1] - 0.6 * span), float(middle[1] + 0.6 * span)),
    )


def _beside(positions: FloatArray) -> list[str]:
    """Put each name on the side that looks away from the middle."""
    middle = positions.mean(axis=0)
    sides = []
    for across, up in positions - middle:
        if abs(across) < 1e-9 and abs(up) < 1e-9:
            sides.append("bottom center")
            continue
        turn = math.atan2(up, across)
        vertical = (
            "top" if math.sin(turn) > 0.8 else "bottom" if math.sin(turn) < -0.8 else "middle"
        )
        horizontal = (
            "center"
            if vertical != "middle" and abs(math.cos(turn)) < 0.2
            else "right"
            if across >= 0
            else "left"
        )
        sides.append(f"{vertical} {horizontal}")
    return sides
