"""Histograms of log-lift: how far releases lower and raise beliefs about S."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from core.histogram import LiftHistogram
from core.validation import FloatArray
from pages.ui import labels
from pages.ui.figures.base import Figure, axis, layout, note, numbers
from pages.ui.palette import colour

HEIGHT = 330


def lift_histogram(
    before: LiftHistogram,
    after: LiftHistogram,
    budgets: tuple[float, float] | None,
    names: tuple[str, str],
) -> Figure:
    """Draw log Ψ (left) and log Λ (right) of X itself (above) and of the release (below).

    Parameters
    ----------
    before, after : LiftHistogram
        On the same edges.
    budgets : (float, float) or None
        How far the notion lets beliefs fall and rise, in nats: shaded.
    names : (str, str)
        What is above and what is below.
    """
    width = float(before.edges[1] - before.edges[0])
    reach = float(before.edges[-1])
    left = -reach - 2.2 * width
    shapes, marks = _allowed(budgets, left, reach)
    middle = -reach - 1.1 * width
    ticks = [tick for tick in _ticks(reach) if tick > -0.93 * reach]
    common = {"zeroline": True, "zerolinecolor": colour("edge"), "zerolinewidth": 1}
    return {
        "data": [
            _bars(before, "before", "y2", middle, width),
            _bars(after, "after", "y", middle, width),
        ],
        "layout": layout(
            HEIGHT,
            (52, 14, 34, 42),
            xaxis=axis(
                "log-lift: ← beliefs fall (log Ψ)   ·   beliefs rise (log Λ) →",
                (left, reach),
                tickvals=[middle, *ticks],
                ticktext=["−∞", *(f"{tick:g}".replace("-", "−") for tick in ticks)],
                anchor="y",
                **common,
            ),
            yaxis=_share_axis((0, 0.46)),
            yaxis2=_share_axis((0.54, 1)),
            barmode="overlay",
            bargap=0.08,
            shapes=shapes,
            annotations=[
                note(names[0], 0.01, 1.0, yanchor="top", font=_strong("before")),
                note(names[1], 0.01, 0.46, yanchor="top", font=_strong("after")),
                *marks,
            ],
        ),
    }


def overlay_histogram(edges: FloatArray, low: FloatArray, high: FloatArray) -> Figure:
    """Draw the shares of log Ψ and log Λ over many random joints on one axis.

    Parameters
    ----------
    edges : ndarray
        Bin edges, shape (k + 1,).
    low, high : ndarray
        Share of symbols in each bin by log Ψ and by log Λ, shape (k,).
    """
    centres = numbers((edges[:-1] + edges[1:]) / 2)
    spans = [f"{a:.2f} to {b:.2f}" for a, b in pairwise(edges)]
    parts = (
        (low, "before", "log Ψ: how far beliefs fall", "/"),
        (high, "after", "log Λ: how far beliefs rise", ""),
    )
    return {
        "data": [
            {
                "type": "bar",
                "name": title,
                "x": centres,
                "y": numbers(share),
                "customdata": spans,
                "marker": _fill(role, pattern),
                "hovertemplate": f"{title.partition(':')[0]} %{{customdata}}: %{{y:.1%}}"
                "<extra></extra>",
            }
            for share, role, title, pattern in parts
        ],
        "layout": layout(
            300,
            (52, 14, 34, 42),
            xaxis=axis(
                "nats",
                (float(edges[0]), float(edges[-1])),
                zeroline=True,
                zerolinecolor=colour("edge"),
            ),
            yaxis=axis("share of symbols", rangemode="tozero", tickformat=".0%", nticks=5),
            barmode="overlay",
            bargap=0.06,
            showlegend=True,
            legend={
                "orientation": "h",
                "x": 0,
                "y": 1.02,
                "yanchor": "bottom",
                "itemclick": False,
                "itemdoubleclick": False,
            },
        ),
    }


def _bars(
    bins: LiftHistogram, role: str, yaxis: str, middle: float, width: float
) -> dict[str, object]:
    centres = [middle, *((bins.edges[:-1] + bins.edges[1:]) / 2)]
    shares = [bins.excluded, *(bins.low + bins.high)]
    members = [bins.excluded_members, *bins.members]
    spans = ["log Ψ = −∞"] + [f"{a:.2f} to {b:.2f}" for a, b in pairwise(bins.edges)]
    return {
        "type": "bar",
        "name": role,
        "x": numbers(centres),
        "y": [share or None for share in numbers(shares)],
        "width": width * 0.92,
        "yaxis": yaxis,
        "customdata": [[span, _listed(names)] for span, names in zip(spans, members, strict=True)],
        "marker": _fill(role, "/" if role == "before" else ""),
        "hovertemplate": "%{customdata[0]}: %{y:.1%} of records<br>%{customdata[1]}<extra></extra>",
    }


def _listed(names: Sequence[str], most: int = 6) -> str:
    shown = [labels.short(name, 30) for name in names[:most]]
    more = [f"and {len(names) - most} more"] if len(names) > most else []
    return "<br>".join(shown + more)


def _fill(role: str, pattern: str) -> dict[str, object]:
    filled: dict[str, object] = {
        "color": colour(role),
        "line": {"color": colour(role), "width": 1},
    }
    if pattern:
        filled["pattern"] = {
            "shape": pattern,
            "fgcolor": colour(role),
            "bgcolor": colour("paper"),
            "fillmode": "overlay",
            "size": 6,
            "solidity": 0.45,
        }
    return filled


def _share_axis(domain: tuple[float, float]) -> dict[str, object]:
    return axis(
        "",
        (0, 1.0),
        domain=list(domain),
        tickformat=".0%",
        tickvals=[0, 0.5, 1],
        anchor="x",
    )


def _strong(role: str) -> dict[str, object]:
    return {"size": 12, "color": colour(role), "weight": 600}


def _ticks(reach: float) -> list[float]:
    step = next((step for step in (0.1, 0.25, 0.5, 1.0, 2.0) if reach / step <= 4), 5.0)
    count = int(reach / step + 1e-9)
    return [round(step * place, 4) for place in range(-count, count + 1)]


def _allowed(
    budgets: tuple[float, float] | None, left: float, reach: float
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Shade what the notion allows, with a dashed line and a word at each bound in sight."""
    if budgets is None:
        return [], []
    low, high = -min(budgets[0], -left), min(budgets[1], reach)
    box = {
        "type": "rect",
        "x0": low,
        "x1": high,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "layer": "below",
        "line": {"width": 0},
        "fillcolor": colour("allowed"),
    }
    bounds = [
        {
            "type": "line",
            "x0": bound,
            "x1": bound,
            "y0": 0,
            "y1": 1,
            "yref": "paper",
            "line": {"color": colour("rule"), "width": 1.2, "dash": "dash"},
        }
        for bound, inside in ((low, low > left), (high, high < reach))
        if inside
    ]
    word = note("allowed", (low + high) / 2, 1.01, xref="x", yanchor="bottom")
    return [box, *bounds], [word]
