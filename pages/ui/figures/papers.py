"""A panel of a paper's figure, redrawn from our numbers, with what print says as marks."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.papers.results import Experiment, Series
from pages.ui.style.base import Figure, axis, layout, legend, numbers
from pages.ui.style.palette import DASHES, SERIES, SYMBOLS, colour

HEIGHT = 340
"""Height of a panel, in pixels."""

ROW = 22
"""Height of one row of the legend."""


def paper_panel(found: Experiment, panel: int) -> Figure:
    """Return one panel of an experiment's figure.

    Parameters
    ----------
    found : Experiment
        What came out.
    panel : int
        Number of the panel, from 0.
    """
    of = found.panels[panel]
    drawn = [one for one in found.series if one.panel == panel]
    traces = [_trace(one, place) for place, one in enumerate(drawn)]
    marks = [one for one in found.marks if one.panel == panel]
    if marks:
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": "print",
                "x": [one.x for one in marks],
                "y": [one.y for one in marks],
                "text": [one.text for one in marks],
                "hovertemplate": "print: %{text}<extra></extra>",
                "marker": {
                    "symbol": "x-thin",
                    "size": 13,
                    "line": {"color": colour("ink"), "width": 2.4},
                },
            }
        )
    rows = 1 + len(traces) // 3
    return {
        "data": traces,
        "layout": layout(
            HEIGHT + ROW * rows,
            (62, 16, 12 + ROW * rows, 46),
            xaxis=axis(of.x_title),
            yaxis=axis(of.y_title, type="log" if of.log_y else "linear", exponentformat="power"),
            legend=legend(),
            showlegend=True,
            barmode="overlay",
        ),
    }


def _trace(series: Series, place: int) -> dict[str, Any]:
    """Return the trace of a series, at its place among those of its panel."""
    tint = colour(SERIES[place % len(SERIES)])
    round_again = place // len(SERIES)
    dash = DASHES[(place + round_again) % len(DASHES)]
    trace: dict[str, Any] = {
        "name": f"{series.name} (ours, beyond print)" if series.beyond else series.name,
        "x": numbers(series.x),
        "y": numbers(series.y),
    }
    if series.kind == "bars":
        return trace | {
            "type": "bar",
            "marker": {"color": tint, "opacity": 0.6},
            "hovertemplate": "%{y:.3~g} at %{x}<extra>%{fullData.name}</extra>",
        }
    told = "%{y:.4~g} at %{x}"
    if series.error and np.isfinite(series.error).any():
        trace["error_y"] = {
            "type": "data",
            "array": numbers(series.error),
            "color": tint,
            "thickness": 1,
            "width": 2,
        }
        trace["customdata"] = numbers(series.error)
        told = "%{y:.4~g} ± %{customdata:.2~g} at %{x}"
    return trace | {
        "type": "scatter",
        "mode": "markers" if series.kind == "points" else "lines+markers",
        "line": {"color": tint, "width": 2, "dash": dash},
        "marker": {"color": tint, "size": 5, "symbol": SYMBOLS[place % len(SYMBOLS)]},
        "hovertemplate": f"{told}<extra>%{{fullData.name}}</extra>",
    }
