"""Clusterings: the confusability graph, the joint range, the merges, and what they trade off."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.nonstochastic import FrontierPoint, Step
from core.release.confusability import ConfusabilityGraph, RangeTable
from core.validation import FloatArray
from core.wording import number_of
from pages.ui.figures.matrix import ACROSS, near
from pages.ui.style import labels
from pages.ui.style.base import (
    DASHES,
    SERIES,
    SYMBOLS,
    Figure,
    axis,
    colour,
    label_axis,
    layout,
    legend,
    margin_for,
    note,
    numbers,
    scatter,
)
from pages.ui.style.placing import place_names
from pages.ui.style.units import of_bits

FRAME = (4, 4, 26, 58)
"""Pixels left, right, above and below the drawing."""

WIDTH = 205
"""Least width of a drawing in pixels: names are placed for it."""

CARD = (260, 300)
"""Width and height of a board's card in a window of 1440×900, for which radial names are made."""

NUMBER = len(" (99)")
"""Characters of the number added to a name that nothing else distinguishes from another."""

GAP = 9
"""Pixels from a node to its name, where names are radial."""

CLEARANCE = 3
"""Pixels from the drawing to its title and its caption: a share of a tall one would cut them."""


LETTER = 5.2
"""Pixels that a character of a radial name takes."""


SHAPES = ("circle", "square", "diamond", "triangle-up", "hexagon", "triangle-down", "pentagon")
"""Shapes of parts, in order: their number is coprime to that of colors, so 35 parts differ."""

POSITIONS = {
    "": "middle right",
    "right": "middle right",
    "left": "middle left",
    "top": "top center",
    "bottom": "bottom center",
}
"""Side of a node → Plotly's words for it."""

LOWEST = 165
"""Height of a low drawing, in pixels, in which its names have room."""

WORDS = {
    "released": ("releases", "secrets", "release"),
    "secret": ("secrets", "releases", "secret"),
}
"""The names of the nodes, of the other side, and of one node."""


def confusability(
    graph: ConfusabilityGraph,
    name: str,
    role: str,
    *,
    open_parts: bool = False,
    width: int = WIDTH,
    dense: bool = False,
) -> Figure:
    """Draw a confusability graph, its parts by color and shape; probabilities have no part.

    Where the chart is low, only names that have room stay; a `dense` one is for a board's card.
    """
    rays = _is_circle(graph)
    # names are placed for this height
    height, edge = (250, (4, 4, 20, 34)) if dense else (376, FRAME)
    if dense and rays:
        width, height = CARD
    size = (width - edge[0] - edge[1], height - edge[2] - edge[3])
    # the radius of a circle with radial names is 50 at least; 9 characters fit beside a node
    room = int((min(size) / 2 - (50 if dense else 56) - GAP) / LETTER) if rays else 9
    names = _names(graph, room, rays=rays)
    longest = max(map(len, names)) if rays else 0
    span_x, span_y = _spans(graph.positions, size, GAP + LETTER * longest if rays else 0.0)
    sides = [""] * len(names) if rays else _sides(graph, names, span_x, span_y, size)
    traces = [_lines(graph), _nodes(graph, names, role, sides)]
    if open_parts:
        traces[1]["meta"] = ["part", role]
    # most edges whose hover says what their ends share
    if 0 < len(graph.edges) <= 600:
        traces.insert(1, _shared(graph))
    notes = _notes(graph, name, role, dense=dense)
    meta = _projected(graph)
    least = LOWEST - edge[2] - edge[3]
    lower = (least if rays else size[0], least)
    spans = _spans(graph.positions, lower, 12.0 if rays else 0.0)
    sides = [""] * len(names) if rays else _sides(graph, names, *spans, lower)
    ends = {
        "below": height - 25,
        "narrower": width - 25 if rays and width < height else 0,
    }  # pixels
    meta["low"] = _low(traces, notes, spans, _named(names, sides)) | ends
    return {
        "data": traces,
        "layout": layout(
            height,
            edge,
            xaxis=axis("", span_x, visible=False),
            yaxis=axis("", span_y, visible=False, scaleanchor="x", scaleratio=1),
            annotations=[
                *notes,
                *(_rays(graph, names, min(size) / 2 - GAP - LETTER * longest) if rays else []),
            ],
            meta=meta,
        ),
    }


def _notes(graph: ConfusabilityGraph, name: str, role: str, *, dense: bool) -> list[dict[str, Any]]:
    """Return a drawing's name, above it, and what is said of it below."""
    title = note(
        labels.short(name, 60),
        0.5,
        1,
        yanchor="bottom",
        yshift=CLEARANCE,
        font={"size": 12, "color": colour(role), "weight": 600},
    )
    caption = note(_summary(graph), 0.5, 0, yanchor="top", yshift=-CLEARANCE)
    if dense:
        caption["font"] = {"size": 11, "color": colour("muted")}
    return [title, caption]


def _low(
    traces: Sequence[dict[str, Any]],
    notes: list[dict[str, Any]],
    spans: tuple[tuple[float, float], tuple[float, float]],
    named: dict[str, object],
) -> dict[str, Any]:
    """Return what changes where a drawing is low: smaller nodes, fewer names."""
    marker = traces[-1]["marker"]
    smaller = marker | {"size": [round(0.62 * size, 1) for size in marker["size"]]}
    across, up = ({"range": list(span)} for span in spans)
    return {
        "layout": {"annotations": notes, "xaxis": across, "yaxis": up},
        "data": {str(len(traces) - 1): {"marker": smaller} | named},
    }


def _named(names: Sequence[str], sides: Sequence[str]) -> dict[str, object]:
    """Return the part of the nodes' trace that writes names on these sides of them."""
    return {
        "mode": "markers+text" if any(sides) else "markers",
        "text": [name if side else "" for name, side in zip(names, sides, strict=True)],
        "textposition": [POSITIONS[side] for side in sides],
    }


def _projected(graph: ConfusabilityGraph) -> dict[str, object]:
    """Return what the projector view needs beside: names in full, for two columns."""
    # most nodes whose names fill two columns in the projector view
    if len(graph.names) > 40:
        return {}
    return {"projected": {"beside": _names(graph, 24, rays=False)}}


def part_colour(part: int, role: str = SERIES[0]) -> str:
    order = (role, *(other for other in SERIES if other != role))
    return colour(order[part % len(order)])


def _summary(graph: ConfusabilityGraph) -> str:
    parts = "one part" if graph.components == 1 else f"{graph.components} parts"
    if graph.left_out:
        parts += f"; {graph.left_out:,} rare ones not drawn"
    other = WORDS[graph.nodes][1]
    most = len(graph.others)
    every = "both" if most == 2 else f"all {most}"
    number = every if graph.fewest == most else f"≥ {graph.fewest} of {most}"
    return f"{parts}<br>each allows {number} {other}"


def _lines(graph: ConfusabilityGraph) -> dict[str, object]:
    # most edges that are drawn: more are indistinguishable and slow the browser
    drawn = graph.edges[:4_000]
    return scatter(
        "lines",
        *(
            numbers([point for a, b in drawn for point in (along[a], along[b], np.nan)], 4)
            for along in graph.positions.T
        ),
        line={"color": colour("muted"), "width": 1},
        opacity=max(0.12, min(0.9, 30 / max(1, len(drawn)))),
        hoverinfo="skip",
    )


def _shared(graph: ConfusabilityGraph) -> dict[str, object]:
    """Return an invisible point in the middle of each edge whose hover says what its ends share."""
    ends = np.array(graph.edges)
    middle = graph.positions[ends].mean(axis=1)
    return scatter(
        "lines",  # Plotly styles markers one by one, even invisible ones
        numbers(middle[:, 0], 4),
        numbers(middle[:, 1], 4),
        line={"width": 0, "color": colour("muted")},
        customdata=[_in_common(graph, shared) for shared in graph.shared],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _in_common(graph: ConfusabilityGraph, shared: tuple[int, ...]) -> str:
    """Name up to four of what an edge's ends share."""
    names = ", ".join(labels.distinct([graph.others[i] for i in shared[:4]], 32))
    more = f" and {len(shared) - 4} more" if len(shared) > 4 else ""
    other = WORDS[graph.nodes][1] if len(shared) != 1 else WORDS[graph.nodes][1][:-1]
    return f"{len(shared)} {other} in common:<br>{names}{more}"


def _names(graph: ConfusabilityGraph, room: int, *, rays: bool) -> list[str]:
    """Return the nodes' names, all different, in about `room` characters; of a part, its size."""
    most = max(room, 7)
    short = labels.distinct(list(graph.names), most)
    if rays and max(map(len, short), default=0) > most:  # leave room for the numbers
        short = labels.distinct(list(graph.names), max(most - NUMBER, 5))
    return [
        f"{count} {WORDS[graph.nodes][0]}" if count > 1 else name
        for name, count in zip(short, graph.members.tolist(), strict=True)
    ]


def _is_circle(graph: ConfusabilityGraph) -> bool:
    """Return whether the graph is complete, so drawn as a circle, and has many nodes."""
    count = len(graph.names)
    # least nodes of a complete graph with radial names: beside the nodes they would overlap
    return count >= 13 and 2 * len(graph.edges) == count * (count - 1)


def _rays(graph: ConfusabilityGraph, names: list[str], radius: float) -> list[dict[str, Any]]:
    """Return names that point away from a circle; every second, third… where they would touch."""
    # least pixels from one radial name to the next
    step = math.ceil(len(names) * 9.0 / (2 * math.pi * (radius + GAP)))
    middle = graph.positions.mean(axis=0)
    rays = []
    for (x, y), name in list(zip(graph.positions, names, strict=True))[::step]:
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
                textangle=_readable(tilt) if len(name) > 2 else 0,
                font={"size": 9.5, "color": colour("ink")},
            )
        )
    return rays


def _readable(tilt: float) -> float:
    """Return the angle of a text that leans so, never upside down."""
    return round(tilt if abs(tilt) <= 90 else tilt - math.copysign(180, tilt), 1)


def _sides(
    graph: ConfusabilityGraph,
    names: list[str],
    span_x: tuple[float, float],
    span_y: tuple[float, float],
    size: tuple[int, int],
) -> list[str]:
    """Return the side of its node on which each name is drawn; "" if there is no room for it."""
    low, high = np.array([span_x, span_y]).T
    pixels = (graph.positions - low) / (high - low) * size
    return place_names(pixels, names, [across / 2 for across in _sizes(graph)], size)


def _sizes(graph: ConfusabilityGraph) -> list[float]:
    """Return the nodes' diameters in pixels: a part's by how many nodes it has."""
    # most nodes that are drawn large
    least = 9.0 if len(graph.names) <= 30 else 5.0
    return [least + 4 * min(8.0, math.sqrt(float(count))) for count in graph.members]


def _nodes(
    graph: ConfusabilityGraph, names: list[str], role: str, sides: list[str]
) -> dict[str, object]:
    n_other = len(graph.others)
    ink = [part_colour(int(part), role) for part in graph.parts]
    return {
        "type": "scatter",
        "x": numbers(graph.positions[:, 0], 4),
        "y": numbers(graph.positions[:, 1], 4),
        **_named(names, sides),
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
    """Return the ranges of both axes, on one scale, of positions (n, 2) with room for names."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    middle, extent = (low + high) / 2, np.maximum(high - low, 1e-9)
    # pixels left free on either side, and above and below, for names beside the outer nodes
    room = (rays, rays) if rays else (58, 22)
    free = np.array(size) - 2 * np.array(room)
    scale = float(min((free / extent).min(), free.min()))  # one node, or a short row, stays small
    half = np.array(size) / scale / 2
    return (
        (float(middle[0] - half[0]), float(middle[0] + half[0])),
        (float(middle[1] - half[1]), float(middle[1] + half[1])),
    )


CURVE_HEIGHT = 300

OPEN = "circle-open"
"""Plotly's symbol of the steps after λ stops."""


def merges(
    steps: Sequence[Step], *, stop: int, at: int, leakage: str, unit: str = "bits"
) -> Figure:
    """Draw leakage and Lagrangian along the merges; `layout.meta.now` is the step on screen."""
    places = list(range(len(steps)))
    values = [of_bits(step.lagrangian, unit) for step in steps]
    leaks = [of_bits(step.leakage, unit) for step in steps]
    every = [*values, *leaks]
    low, high = min(every), max(every)
    room = 0.08 * (high - low) or 0.5
    return {
        "data": [
            _merge_curve(f"{leakage}: leakage", places, leaks, unit, "before", "dash", "square"),
            _merge_curve("Lagrangian", places[: stop + 1], values[: stop + 1], unit, "after"),
            _merge_curve("after λ stops", places[stop:], values[stop:], unit, "muted", "dot", OPEN),
        ],
        "layout": layout(
            CURVE_HEIGHT,
            (52, 14, 34, 42),
            xaxis=axis(
                "merges",
                (-0.5, max(len(steps) - 0.5, 1)),
                tick0=0,
                dtick=math.ceil(len(steps) / 8),
            ),
            yaxis=axis(unit, (low - room, high + room), nticks=6),
            showlegend=True,
            legend=legend(1.02),
            meta={"now": numbers([at, values[at]])},
            hoverdistance=24,
        ),
    }


def _merge_curve(
    name: str,
    x: Sequence[int],
    y: Sequence[float],
    unit: str,
    role: str,
    dash: str = "solid",
    symbol: str = "circle",
) -> dict[str, object]:
    return scatter(
        "lines+markers",
        list(x),
        numbers(y),
        name=labels.text(name),
        meta=["step"],
        line={"color": colour(role), "width": 2, "dash": dash},
        marker={"color": colour(role), "size": 6, "symbol": symbol},
        hovertemplate=f"after %{{x}} merges<br>{labels.text(name)}: %{{y:.3f}} {unit}"
        "<extra></extra>",
    )


def range_matrix(table: RangeTable, height: int) -> Figure:
    """Draw a joint range: a row for each release, a column for each secret."""
    tones = len(SERIES)
    z = np.where(table.occurs.T, 1 + table.parts[:, None] % tones, 0)
    scale: list[list[float | str]] = []
    for place in range(tones + 1):
        ink = part_colour(place - 1) if place else colour("low0")
        scale += [[place / (tones + 1), ink], [(place + 1) / (tones + 1), ink]]
    # characters of a name that are shown; the hover has more
    rows = labels.distinct(list(table.y_labels), 16)
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
            _range_marks(table),
        ],
        "layout": layout(
            height,
            (margin_for(rows, 40, 128) + 26, 8, 8, bottom),
            xaxis=label_axis(columns, ACROSS, tickangle=-55 if upright else 0)
            | {"title": _range_title("secret s", table.left_out[0])},
            yaxis=label_axis(rows, height - 8 - bottom)
            | {
                "range": [len(rows) - 0.5, -0.5],
                "title": _range_title("release", table.left_out[1]),
            },
            hoverdistance=12,
        ),
    }


def _range_marks(table: RangeTable) -> dict[str, object]:
    """Return an invisible point on every pair that occurs, whose hover names the pair."""
    pairs, parts = np.argwhere(table.occurs.T), table.parts.tolist()
    return scatter(
        "markers",
        pairs[:, 1].tolist(),
        pairs[:, 0].tolist(),
        marker={"size": 8, "opacity": 0, "color": colour("muted")},
        customdata=[
            [labels.full(table.y_labels[y]), labels.full(table.s_labels[s]), parts[y] + 1]
            for y, s in pairs.tolist()
        ],
        hovertemplate="%{customdata[0]}<br>s: %{customdata[1]}<br>occur together, "
        "part %{customdata[2]}<extra></extra>",
    )


def _range_title(words: str, left_out: int) -> dict[str, object]:
    return near(f"{words}; {left_out:,} unlikely ones not shown" if left_out else words)


@dataclass(frozen=True)
class Offers:
    """The non-dominated partitions of one method, by leakage; a click on one returns `pick`."""

    title: str
    points: tuple[FrontierPoint, ...]
    pick: str | None = None


def trade_off(
    lines: Sequence[Offers],
    *,
    leakage: float,
    utility: float,
    path: Sequence[float] = (),
    most: float,
    titles: tuple[str, str],
    distortion: bool,
    unit: str = "bits",
) -> Figure:
    """Draw what is kept against what leaks; `layout.meta.now` is the partition on screen.

    `path`: the utilities of partitions that have room, beside that on screen.
    """
    most, leakage = of_bits(most, unit), of_bits(leakage, unit)
    scale = 1.0 if distortion else of_bits(1.0, unit)
    losses = [-point.utility * scale for line in lines for point in line.points]
    losses += [-value * scale for value in (utility, *path)]
    low, high = (0.0, max(losses)) if distortion else (0.0, -min(losses))
    room = 0.06 * (high - low) or 0.5
    shown = -utility if distortion else utility * scale
    return {
        "data": [_offer_curve(line, place, distortion, unit) for place, line in enumerate(lines)],
        "layout": layout(
            CURVE_HEIGHT,
            (56, 14, 34, 42),
            xaxis=axis(titles[0], (-0.04 * (most or 1), 1.06 * (most or 1)), nticks=7),
            yaxis=axis(
                titles[1], (high + room, low - room) if distortion else (low - room, high + room)
            ),
            showlegend=True,
            legend=legend(1.02),
            meta={"now": numbers([leakage, shown])},
            annotations=[] if lines else [note("No trade-off yet.", 0.5, 0.5)],
            hoverdistance=24,
        ),
    }


def _offer_curve(line: Offers, place: int, distortion: bool, unit: str) -> dict[str, object]:
    ink = colour(SERIES[place % len(SERIES)])
    hover = "largest distortion %{y:.4g}" if distortion else f"keeps %{{y:.2f}} {unit} at worst"
    trace: dict[str, object] = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": labels.text(line.title),
        "x": numbers([of_bits(point.leakage, unit) for point in line.points]),
        "y": numbers(
            [
                -point.utility if distortion else of_bits(point.utility, unit)
                for point in line.points
            ]
        ),
        "customdata": [_weights(point) for point in line.points],
        "line": {
            "color": ink,
            "width": 2.4 if line.pick else 1.7,
            "dash": DASHES[place % len(DASHES)],
            "shape": "hv",
        },
        "marker": {"color": ink, "size": 8, "symbol": SYMBOLS[place % len(SYMBOLS)]},
        "hovertemplate": f"leaks %{{x:.2f}} {unit}<br>{hover}<br>%{{customdata}}"
        f"<extra>{labels.text(line.title)}</extra>",
    }
    if line.pick is not None:
        trace["meta"] = [line.pick]
    return trace


def _weights(point: FrontierPoint) -> str:
    clusters = number_of(len(point.partition), "cluster")
    if point.weights is None:
        return clusters
    low, high = point.weights
    if high == float("inf"):
        return f"{clusters}; λ from {low:.4g}" if low else f"{clusters}; any λ"
    return f"{clusters}; λ from {low:.4g} to {high:.4g}"
