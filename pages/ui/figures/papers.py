"""A panel of a paper's figure, redrawn from our numbers, with what the paper says as marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import isfinite, isnan
from typing import Any

import numpy as np

from core.papers.results import Experiment, Mark, Series
from pages.ui.figures.histogram import SIDES, fill
from pages.ui.style import labels
from pages.ui.style.base import (
    DASHES,
    SERIES,
    SYMBOLS,
    Figure,
    axis,
    colour,
    layout,
    legend,
    numbers,
    scatter,
)

ROW = 22
"""Height of one row of the legend."""


NOTHING = "rgba(0,0,0,0)"
"""The color of what is not seen."""

PAPER = "paper"
"""The legend's name for the paper's values."""

BOX = ("lowerfence", "q1", "median", "q3", "upperfence")
"""Plotly's names of the five numbers of a box, from the least to the largest."""


def paper_panel(experiment: Experiment, panel: int, rows: int = 0) -> Figure:
    of = experiment.panels[panel]
    drawn = [series for series in experiment.series if series.panel == panel]
    traces = [_trace(series, place, of.x_names) for place, series in enumerate(drawn)]
    marks = [mark for mark in experiment.marks if mark.panel == panel]
    traces += _printed(marks, drawn)
    rows = max(rows, legend_rows(experiment, panel))
    # most names of x that are written level below the axis; more are tilted
    tilted = len(of.x_names) > 5
    below = 46 + (62 if tilted else 0)
    return {
        "data": traces,
        "layout": layout(
            340 + ROW * rows,
            (62, 16, 12 + ROW * rows, below),
            xaxis=_named(of.x_title, of.x_names, tilted=tilted)
            if of.x_names
            else axis(labels.text(of.x_title)),
            yaxis=axis(of.y_title, type="log" if of.log_y else "linear", exponentformat="power"),
            legend=legend(),
            showlegend=True,
            barmode="overlay",
            boxmode="group",
        ),
    }


def _printed(marks: Sequence[Mark], drawn: Sequence[Series]) -> list[dict[str, Any]]:
    """Return the traces of the paper's values: crosses, and lines across the chart."""
    traces: list[dict[str, Any]] = []
    crosses = [mark for mark in marks if not isnan(mark.x) and not isnan(mark.y)]
    if crosses:
        stroke = {"color": colour("ink"), "width": 2.4}
        traces.append(
            scatter(
                "markers",
                [mark.x for mark in crosses],
                [mark.y for mark in crosses],
                name=PAPER,
                text=[_text(mark) for mark in crosses],
                hovertemplate="paper: %{text}<extra></extra>",
                marker={"symbol": "x-thin", "size": 13, "line": stroke},
            )
        )
    for mark in marks:
        if isnan(mark.x) and isnan(mark.y):  # of the panel as a whole: a line of the legend says it
            name, unseen = f"paper: {labels.text(mark.text)}", {"color": NOTHING, "opacity": 0}
            traces.append(scatter("markers", [None], [None], name=name, marker=unseen))
        if isnan(mark.x) == isnan(mark.y):
            continue
        across = _ends([x for of in drawn for x in of.x] if isnan(mark.x) else _heights(drawn))
        level = [mark.y if isnan(mark.x) else mark.x] * len(across)
        traces.append(
            scatter(
                "lines",
                *((across, level) if isnan(mark.x) else (level, across)),
                name=PAPER,
                text=[_text(mark)] * len(across),
                hovertemplate="paper: %{text}<extra></extra>",
                line={"color": colour("ink"), "width": 1.4, "dash": "dot"},
                showlegend=not any(trace["name"] == PAPER for trace in traces),
            )
        )
    return traces


def _text(mark: Mark) -> str:
    """Return what a mark is, and where the paper says so."""
    return labels.text(f"{mark.text} ({mark.place})" if mark.place else mark.text)


def _heights(drawn: Sequence[Series]) -> list[float]:
    """Return what the y of some series reach; bars begin at 0."""
    return [y for of in drawn for y in (*of.y, *([0.0] if of.kind == "bars" else []))]


def _ends(reached: Sequence[float]) -> list[float]:
    """Return points from the least to the largest number, dense enough to hover over."""
    known = [value for value in reached if isfinite(value)] or [0.0, 1.0]
    # points of a line of the paper: each shows what the line is
    return [float(value) for value in np.linspace(min(known), max(known), 25)]


def _named(title: str, names: tuple[str, ...], *, tilted: bool) -> dict[str, Any]:
    """Return an axis of x = 0, 1, … with a name each."""
    return axis(
        title,
        (-0.5, len(names) - 0.5),
        tickvals=list(range(len(names))),
        ticktext=[labels.text(name) for name in names],
        tickangle=-40 if tilted else 0,
    )


def _trace(series: Series, place: int, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the trace of a series, at its place among those of its panel; names are of x."""
    tints = (*SERIES, "muted")  # a sixth line must not look like the first
    tint = colour(tints[place % len(tints)])
    round_again = place // len(SERIES)
    dash = DASHES[(place + round_again) % len(DASHES)]
    trace: dict[str, Any] = {
        "name": _named_series(series),
        "x": numbers(series.x),
        "y": numbers(series.y),
    }
    if series.kind == "boxes":
        return _boxes(trace, series, tint)
    if series.kind == "bars":
        side = SIDES.get(series.name)
        return trace | {
            "type": "bar",
            "marker": fill(*side) if side else {"color": tint, "opacity": 0.6},
            "hovertemplate": "%{y:.3~g} at %{x}<extra>%{fullData.name}</extra>",
        }
    where = "%{text}" if names else "%{x}"
    if names:
        trace["text"] = [labels.text(names[round(x)]) for x in series.x]
    hover = f"%{{y:.4~g}} at {where}"
    if series.error and np.isfinite(series.error).any():
        trace["error_y"] = {
            "type": "data",
            "array": numbers(series.error),
            "color": tint,
            "thickness": 1,
            "width": 2,
        }
        trace["customdata"] = numbers(series.error)
        hover = f"%{{y:.4~g}} ± %{{customdata:.2~g}} at {where}"
    return trace | {
        "type": "scatter",
        "mode": "markers" if series.kind == "points" else _signed(series),
        "line": {"color": tint, "width": 2, "dash": dash},
        "marker": {"color": tint, "size": 5, "symbol": SYMBOLS[place % len(SYMBOLS)]},
        "hovertemplate": f"{hover}<extra>%{{fullData.name}}</extra>",
    }


def _signed(series: Series) -> str:
    # most points of a line that each have a sign: more are a line alone
    return "lines+markers" if len(series.x) <= 50 else "lines"


def _named_series(series: Series) -> str:
    return labels.text(f"{series.name}{' (ours, beyond the paper)' * series.beyond}")


def legend_rows(experiment: Experiment, panel: int) -> int:
    """Return how many rows a panel's legend takes: its columns are as wide as the longest name."""
    names = [_named_series(series) for series in experiment.series if series.panel == panel]
    marks = [mark for mark in experiment.marks if mark.panel == panel]
    names += [trace["name"] for trace in _printed(marks, ()) if trace.get("showlegend", True)]
    # pixels that the sign and a letter of a name take
    across = max(46.0 + 6.2 * len(name) for name in (*names, ""))
    # pixels that the legend has across
    return math.ceil(len(names) / max(1, int(400.0 // across)))


def _boxes(trace: dict[str, Any], series: Series, tint: str) -> dict[str, Any]:
    """Return a box at each x, whose whiskers end at the least and the largest number."""
    ends = np.reshape(series.y, (-1, len(BOX)))
    return {
        "name": trace["name"],
        "type": "box",
        "x": numbers(series.x[:: len(BOX)]),
        "line": {"color": tint, "width": 1.6},
        "fillcolor": NOTHING,
        "hoverinfo": "y+name",
        **{name: numbers(ends[:, j]) for j, name in enumerate(BOX)},
    }
