"""The confusability graph: which releases can come from the same secret."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.release.confusability import ConfusabilityGraph
from core.validation import FloatArray
from pages.ui.style import labels
from pages.ui.style.base import Figure, axis, layout, note, numbers
from pages.ui.style.palette import SERIES, colour
from pages.ui.style.placing import place_names

HEIGHT = 376
WIDTH = 205
"""Least width of a drawing in pixels: names are placed for it."""

FRAME = (4, 4, 26, 58)
"""Pixels left, right, above and below the drawing."""

MANY = 30
"""Most nodes that are drawn large."""

BESIDE = (58, 22)
"""Pixels left free on either side, and above and below, for names beside the outer nodes."""

ROOM = 9
"""Characters of a name beside its node; the hover has them all."""

NUMBER = len(" (99)")
"""Characters of the number that is added to a name where nothing else tells it from another."""

GAP = 9
"""Pixels from a node to its name, where names are radial."""

MOST_BESIDE = 40
"""Most nodes whose names stand in two columns in the projector view."""

WHOLE = 24
"""Characters of a name there."""

THICK = 9.0
"""Least pixels from one radial name to the next."""

LETTER = 5.2
"""Pixels that a character of a radial name takes."""

ROUND = 13
"""Least nodes of a complete graph with radial names: beside the nodes they would overlap."""

RADIUS = 56
"""Least radius in pixels of a circle with radial names, whatever their length."""

EDGES = 4_000
"""Most edges that are drawn: more cannot be told apart and slow the browser."""

LABELLED = 600
"""Most edges whose hover says what their ends share."""

SHAPES = ("circle", "square", "diamond", "triangle-up", "hexagon", "triangle-down", "pentagon")
"""Shapes of parts, in order: their number is coprime to that of colours, so 35 parts differ."""

POSITIONS = {
    "": "middle right",
    "right": "middle right",
    "left": "middle left",
    "top": "top center",
    "bottom": "bottom center",
}
"""Side of a node → Plotly's words for it."""

WORDS = {
    "released": ("releases", "secrets", "release"),
    "secret": ("secrets", "releases", "secret"),
}
"""What nodes and the other side are called, and one node."""


def confusability(
    graph: ConfusabilityGraph, name: str, role: str, *, open_parts: bool = False, width: int = WIDTH
) -> Figure:
    """Draw a confusability graph; colour and shape tell its parts apart.

    Probabilities play no part in the graph, and none in its picture.

    Parameters
    ----------
    graph : ConfusabilityGraph
        Of X itself or of a release, or of its parts alone.
    name : str
        Whose graph it is.
    role : str
        The colour of its name and of its first part.
    open_parts : bool
        Whether a click on a node tells its place among the nodes.
    width : int
        Pixels that the drawing has across, to place the names.
    """
    rays = _is_circle(graph)
    size = (width - FRAME[0] - FRAME[1], HEIGHT - FRAME[2] - FRAME[3])
    room = int((min(size) / 2 - RADIUS - GAP) / LETTER) if rays else ROOM
    names = _names(graph, room, rays=rays)
    longest = max(map(len, names)) if rays else 0
    span_x, span_y = _spans(graph.positions, size, GAP + LETTER * longest if rays else 0.0)
    sides = [""] * len(names) if rays else _sides(graph, names, span_x, span_y, size)
    traces = [_lines(graph), _nodes(graph, names, role, sides)]
    if open_parts:
        traces[1]["meta"] = ["part"]
    if 0 < len(graph.edges) <= LABELLED:
        traces.insert(1, _shared(graph))
    return {
        "data": traces,
        "layout": layout(
            HEIGHT,
            FRAME,
            xaxis=axis("", span_x, visible=False),
            yaxis=axis("", span_y, visible=False, scaleanchor="x", scaleratio=1),
            annotations=[
                note(
                    labels.short(name, 60),
                    0.5,
                    1.02,
                    yanchor="bottom",
                    font={"size": 12, "color": colour(role), "weight": 600},
                ),
                note(_summary(graph), 0.5, -0.02, yanchor="top"),
                *(_rays(graph, names, min(size) / 2 - GAP - LETTER * longest) if rays else []),
            ],
            meta=_projected(graph),
        ),
    }


def _projected(graph: ConfusabilityGraph) -> dict[str, object]:
    """Return what the projector view needs beside: names in full, for two columns."""
    if len(graph.names) > MOST_BESIDE:
        return {}
    return {"projected": {"beside": _names(graph, WHOLE, rays=False)}}


def part_colour(part: int, role: str = SERIES[0]) -> str:
    """Return the colour of a part; the first one has the colour of `role`."""
    order = (role, *(other for other in SERIES if other != role))
    return colour(order[part % len(order)])


def _summary(graph: ConfusabilityGraph) -> str:
    parts = "one part" if graph.components == 1 else f"{graph.components} separate parts"
    if graph.left_out:
        parts += f"<br>{graph.left_out:,} unlikely ones not drawn"
    other = WORDS[graph.nodes][1]
    verb = "leaves" if graph.nodes == "released" else "leads to"
    return f"{parts}<br>each {verb} ≥ {graph.fewest} of {len(graph.others)} {other}"


def _lines(graph: ConfusabilityGraph) -> dict[str, object]:
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


def _shared(graph: ConfusabilityGraph) -> dict[str, object]:
    """Return an invisible point in the middle of each edge whose hover says what its ends share."""
    ends = np.array(graph.edges)
    middle = graph.positions[ends].mean(axis=1)
    return {
        "type": "scatter",
        "mode": "lines",  # Plotly styles markers one by one, even invisible ones
        "x": numbers(middle[:, 0], 4),
        "y": numbers(middle[:, 1], 4),
        "line": {"width": 0, "color": colour("muted")},
        "customdata": [_in_common(graph, shared) for shared in graph.shared],
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def _in_common(graph: ConfusabilityGraph, shared: tuple[int, ...]) -> str:
    """Name up to four of what an edge's ends share."""
    names = ", ".join(labels.distinct([graph.others[i] for i in shared[:4]], 32))
    more = f" and {len(shared) - 4} more" if len(shared) > 4 else ""
    other = WORDS[graph.nodes][1] if len(shared) != 1 else WORDS[graph.nodes][1][:-1]
    return f"{len(shared)} {other} in common:<br>{names}{more}"


def _names(graph: ConfusabilityGraph, room: int, *, rays: bool) -> list[str]:
    """Return the nodes' names in at most `room` characters; of a part, how many nodes it has.

    Different names stay different, where need be by a number, which may exceed `room`.
    """
    most = max(room, 7)
    short = labels.distinct(list(graph.names), most)
    if rays and max(map(len, short), default=0) > most:  # leave room for the numbers
        short = labels.distinct(list(graph.names), max(most - NUMBER, 5))
    return [
        f"{count} {WORDS[graph.nodes][0]}" if count > 1 else name
        for name, count in zip(short, graph.members.tolist(), strict=True)
    ]


def _is_circle(graph: ConfusabilityGraph) -> bool:
    """Say whether the graph is complete, so drawn as a circle, and has many nodes."""
    count = len(graph.names)
    return count >= ROUND and 2 * len(graph.edges) == count * (count - 1)


def _rays(graph: ConfusabilityGraph, names: list[str], radius: float) -> list[dict[str, Any]]:
    """Return names that point away from a circle; every second, third… where they would touch."""
    each = math.ceil(len(names) * THICK / (2 * math.pi * (radius + GAP)))
    middle = graph.positions.mean(axis=0)
    rays = []
    for (x, y), name in list(zip(graph.positions, names, strict=True))[::each]:
        turn = math.atan2(y - middle[1], x - middle[0])
        away = GAP + LETTER * len(name) / 2
        tilt = -math.degrees(turn)
        rays.append(
            note(
                name,
                float(f"{x:.4g}"),
                float(f"{y:.4g}"),
                xref="x",
                yref="y",
                xshift=round(away * math.cos(turn), 1),
                yshift=round(away * math.sin(turn), 1),
                textangle=round(tilt if abs(tilt) <= 90 else tilt - math.copysign(180, tilt), 1),
                font={"size": 9.5, "color": colour("ink")},
            )
        )
    return rays


def _sides(
    graph: ConfusabilityGraph,
    names: list[str],
    span_x: tuple[float, float],
    span_y: tuple[float, float],
    size: tuple[int, int],
) -> list[str]:
    """Return on which side of its node each name stands; "" where there is no room for it."""
    low, high = np.array([span_x, span_y]).T
    pixels = (graph.positions - low) / (high - low) * size
    return place_names(pixels, names, [across / 2 for across in _sizes(graph)], size)


def _sizes(graph: ConfusabilityGraph) -> list[float]:
    """Return the nodes' diameters in pixels: a part's by how many nodes it has."""
    least = 9.0 if len(graph.names) <= MANY else 5.0
    return [least + 4 * min(8.0, math.sqrt(float(count))) for count in graph.members]


def _nodes(
    graph: ConfusabilityGraph, names: list[str], role: str, sides: list[str]
) -> dict[str, object]:
    n_other = len(graph.others)
    ink = [part_colour(int(part), role) for part in graph.parts]
    return {
        "type": "scatter",
        "mode": "markers+text" if any(sides) else "markers",
        "x": numbers(graph.positions[:, 0], 4),
        "y": numbers(graph.positions[:, 1], 4),
        "text": [name if side else "" for name, side in zip(names, sides, strict=True)],
        "textposition": [POSITIONS[side] for side in sides],
        "textfont": {"size": 10.5, "color": colour("ink")},
        "cliponaxis": False,
        "customdata": [
            [labels.full(name), int(count), int(part) + 1]
            for name, count, part in zip(graph.names, graph.possible, graph.parts, strict=True)
        ],
        "marker": {
            "size": _sizes(graph),
            "symbol": [SHAPES[int(part) % len(SHAPES)] for part in graph.parts],
            "color": [
                own if count == n_other else colour("paper")
                for own, count in zip(ink, graph.possible, strict=True)
            ],
            "line": {"color": ink, "width": 2},
        },
        "hovertemplate": "%{customdata[0]}<br>"
        f"%{{customdata[1]}} of {n_other} {WORDS[graph.nodes][1]} possible"
        + (f"<br>part %{{customdata[2]}} of {graph.components}" if graph.components > 1 else "")
        + "<extra></extra>",
    }


def _spans(
    positions: FloatArray, size: tuple[int, int], rays: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ranges of both axes, on the same scale, with room for names.

    Parameters
    ----------
    positions : ndarray
        Where the nodes are, shape (n, 2).
    size : (int, int)
        Pixels across and up.
    rays : float
        Pixels that radial names take; 0 where names are beside their nodes.
    """
    low, high = positions.min(axis=0), positions.max(axis=0)
    middle, extent = (low + high) / 2, np.maximum(high - low, 1e-9)
    room = (rays, rays) if rays else BESIDE
    free = np.array(size) - 2 * np.array(room)
    scale = float(min((free / extent).min(), free.min()))  # one node, or a short row, stays small
    half = np.array(size) / scale / 2
    return (
        (float(middle[0] - half[0]), float(middle[0] + half[0])),
        (float(middle[1] - half[1]), float(middle[1] + half[1])),
    )
