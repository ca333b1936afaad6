"""The confusability graph: which releases could stem from the same secret."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.validation import FloatArray, IntArray
from pages.ui import labels
from pages.ui.figures.base import Figure, axis, layout, note, numbers
from pages.ui.palette import colour

HEIGHT = 360
NAMED = 24
"""Up to this many nodes have their names beside them; the hover always has."""

EDGES = 4_000
"""Most edges that are drawn: beyond it the picture is a blot and the browser slow."""


@dataclass(frozen=True, eq=False)
class Graph:
    """A confusability graph with the place of each node.

    Attributes
    ----------
    positions : ndarray
        Shape (n, 2).
    edges : sequence of (int, int)
        Pairs of releases that share a possible secret.
    names : sequence of str
        Names of the releases, n of them.
    mass : ndarray
        Their probabilities, shape (n,).
    possible : ndarray
        How many secrets are possible under each, shape (n,).
    n_s : int
        How many secrets there are.
    components : int
        How many parts of the graph hang together: more than one tells secrets apart for certain.
    """

    positions: FloatArray
    edges: Sequence[tuple[int, int]]
    names: Sequence[str]
    mass: FloatArray
    possible: IntArray
    n_s: int
    components: int


def confusability(before: Graph, after: Graph, names: tuple[str, str]) -> Figure:
    """Draw two confusability graphs side by side.

    Parameters
    ----------
    before, after : Graph
        Of X itself and of the release.
    names : (str, str)
        What is on the left and what is on the right.
    """
    parts = [
        _part(before, "before", "x", "y"),
        _part(after, "after", "x2", "y2"),
    ]
    return {
        "data": [trace for traces, _ in parts for trace in traces],
        "layout": layout(
            HEIGHT,
            (6, 6, 30, 44),
            xaxis=_hidden(parts[0][1][0], [0.0, 0.485]),
            yaxis=_hidden(parts[0][1][1]),
            xaxis2=_hidden(parts[1][1][0], [0.515, 1.0], anchor="y2"),
            yaxis2=_hidden(parts[1][1][1], anchor="x2"),
            annotations=[
                note(
                    names[0],
                    0.2425,
                    1.02,
                    yanchor="bottom",
                    xanchor="center",
                    font=_strong("before"),
                ),
                note(
                    names[1],
                    0.7575,
                    1.02,
                    yanchor="bottom",
                    xanchor="center",
                    font=_strong("after"),
                ),
                note(
                    _summary(before), 0.2425, -0.02, yanchor="top", xanchor="center", font=_small()
                ),
                note(
                    _summary(after), 0.7575, -0.02, yanchor="top", xanchor="center", font=_small()
                ),
            ],
            shapes=[
                {
                    "type": "line",
                    "xref": "paper",
                    "yref": "paper",
                    "x0": 0.5,
                    "x1": 0.5,
                    "y0": -0.08,
                    "y1": 1.06,
                    "line": {"color": colour("grid"), "width": 1},
                }
            ],
        ),
    }


def _summary(graph: Graph) -> str:
    fewest = int(np.min(graph.possible))
    parts = "one part" if graph.components == 1 else f"{graph.components} separate parts"
    return f"{parts}<br>leaves at least {fewest} of {graph.n_s} secrets"


def _part(
    graph: Graph, role: str, xaxis: str, yaxis: str
) -> tuple[list[dict[str, object]], tuple[tuple[float, float], tuple[float, float]]]:
    x, y = graph.positions[:, 0], graph.positions[:, 1]
    span = max(float(np.ptp(x)), float(np.ptp(y)), 1.0)
    drawn = graph.edges[:EDGES]
    lines_x = [point for a, b in drawn for point in (x[a], x[b], np.nan)]
    lines_y = [point for a, b in drawn for point in (y[a], y[b], np.nan)]
    named = len(graph.names) <= NAMED
    whole = [bool(count == graph.n_s) for count in graph.possible]
    faint = max(0.12, min(0.9, 30 / max(1, len(drawn))))
    edges: dict[str, object] = {
        "type": "scatter",
        "mode": "lines",
        "x": numbers(lines_x),
        "y": numbers(lines_y),
        "xaxis": xaxis,
        "yaxis": yaxis,
        "line": {"color": colour("muted"), "width": 1},
        "opacity": faint,
        "hoverinfo": "skip",
    }
    nodes: dict[str, object] = {
        "type": "scatter",
        "mode": "markers+text" if named else "markers",
        "meta": {"narrow": {"mode": "markers"}},
        "x": numbers(x),
        "y": numbers(y),
        "xaxis": xaxis,
        "yaxis": yaxis,
        "text": [labels.short(name, 9) for name in graph.names] if named else None,
        "textposition": _beside(graph.positions),
        "textfont": {"size": 10.5, "color": colour("ink")},
        "cliponaxis": False,
        "customdata": [
            [labels.short(name, 60), mass, int(count)]
            for name, mass, count in zip(
                graph.names, numbers(graph.mass), graph.possible, strict=True
            )
        ],
        "marker": {
            "size": [8 + 26 * math.sqrt(float(mass)) for mass in graph.mass],
            "symbol": ["circle" if full else "diamond" for full in whole],
            "color": [colour(role) if full else colour("paper") for full in whole],
            "line": {"color": colour(role), "width": 2},
        },
        "hovertemplate": "%{customdata[0]}<br>%{customdata[1]:.1%} of records<br>"
        f"%{{customdata[2]}} of {graph.n_s} secrets possible<extra></extra>",
    }
    middle = graph.positions.min(axis=0) / 2 + graph.positions.max(axis=0) / 2
    half_x, half_y = span * 1.0, span * 0.6
    return [edges, nodes], (
        (float(middle[0] - half_x), float(middle[0] + half_x)),
        (float(middle[1] - half_y), float(middle[1] + half_y)),
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


def _hidden(span: tuple[float, float], domain: list[float] | None = None, **more: object) -> dict:
    hidden = axis("", span, visible=False, **more)
    return hidden | ({"domain": domain} if domain else {})


def _strong(role: str) -> dict[str, object]:
    return {"size": 12, "color": colour(role), "weight": 600}


def _small() -> dict[str, object]:
    return {"size": 11, "color": colour("muted")}
