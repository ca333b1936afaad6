"""The path of a clustering, merge by merge: leakage, and the Lagrangian that decides its end."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.nonstochastic import Step
from pages.ui.style import labels
from pages.ui.style.base import Figure, axis, layout, legend, numbers
from pages.ui.style.palette import colour
from pages.ui.style.units import of_bits

HEIGHT = 300

OPEN = "circle-open"
"""Plotly's symbol of the steps after λ stops."""


def merges(
    steps: Sequence[Step], *, stop: int, at: int, leakage: str, unit: str = "bits"
) -> Figure:
    """Draw leakage and Lagrangian along the merges; `layout.meta.now` is the step on screen.

    Parameters
    ----------
    steps : sequence of Step
        The whole path, beyond the step at which λ stops too.
    stop : int
        The step at which λ stops; what lies beyond is dotted.
    at : int
        The step on screen.
    leakage : str
        Name of the leakage.
    unit : {"nats", "bits"}
        What it is drawn in.
    """
    places = list(range(len(steps)))
    values = [of_bits(step.lagrangian, unit) for step in steps]
    leaks = [of_bits(step.leakage, unit) for step in steps]
    every = [*values, *leaks]
    low, high = min(every), max(every)
    room = 0.08 * (high - low) or 0.5
    return {
        "data": [
            _curve(f"{leakage}: what leaks", places, leaks, unit, "before", "dash", "square"),
            _curve("Lagrangian", places[: stop + 1], values[: stop + 1], unit, "after"),
            _curve("after λ stops", places[stop:], values[stop:], unit, "muted", "dot", OPEN),
        ],
        "layout": layout(
            HEIGHT,
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


def _curve(
    name: str,
    x: Sequence[int],
    y: Sequence[float],
    unit: str,
    role: str,
    dash: str = "solid",
    symbol: str = "circle",
) -> dict[str, object]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": labels.text(name),
        "x": list(x),
        "y": numbers(y),
        "meta": ["step"],
        "line": {"color": colour(role), "width": 2, "dash": dash},
        "marker": {"color": colour(role), "size": 6, "symbol": symbol},
        "hovertemplate": f"after %{{x}} merges<br>{labels.text(name)}: %{{y:.3f}} {unit}"
        "<extra></extra>",
    }
