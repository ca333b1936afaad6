"""Histograms of log-lift: how far a release lowers and raises beliefs about S."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from itertools import pairwise

from core.limits import CLOSE
from core.release.histogram import LiftHistogram
from core.validation import FloatArray
from pages.ui.style import labels
from pages.ui.style.base import (
    Figure,
    axis,
    colour,
    layout,
    legend,
    note,
    numbers,
    rule,
    shade,
    texts,
    ticks,
)
from pages.ui.style.units import in_unit

HAIR = 0.012
"""Share of the reach that the thinnest bar and band take: less cannot be seen."""

Panels = tuple[tuple[float, float], tuple[float, float]]

PANELS: Panels = ((0.0, 0.46), (0.55, 1.0))
"""Where the release and X itself are drawn, as shares of the height, with room for names."""

LOW_PANELS: Panels = ((0.0, 0.42), (0.56, 0.98))
"""The same where the height may be small."""

LOW = 150
"""A dense histogram lower than this, in pixels, has its names within the panels, at the right."""

TO_RULED_OUT = (0.06, 0.15)
"""Shares of the reach from the last bin to the bar of log Ψ = −∞, and to the end of the axis."""

SIDES = {"log Ψ": ("before", "/"), "log Λ": ("after", "")}
"""Color and pattern of falling and of rising beliefs, where both are in one histogram."""


def lift_histogram(
    before: LiftHistogram,
    after: LiftHistogram,
    budgets: tuple[float, float] | None,
    names: tuple[str, str],
    unit: str = "nats",
    *,
    unshaded: str = "",
    narrow: bool = False,
    dense: bool = False,
) -> Figure:
    """Draw log Ψ (left) and log Λ (right) of X itself (above) and of the release (below).

    `narrow`: beside other histograms. `dense`: for a card of a board, whatever its height.
    """
    panels = LOW_PANELS if dense else PANELS
    reach = in_unit(float(before.edges[-1]), unit)
    hair = HAIR * reach
    right, left = reach + hair, -reach - hair - TO_RULED_OUT[1] * reach
    middle = (left - right - TO_RULED_OUT[0] * reach) / 2
    ends = budgets and _ends(budgets, hair, unit)
    shapes, marks = _allowed(ends, left, right, _unshaded(unshaded, narrow), panels)
    at = [tick for tick in ticks(-reach, reach, 9) if tick > -0.93 * reach]
    common = {"zeroline": True, "zerolinecolor": colour("edge"), "zerolinewidth": 1}
    sides = "← fall · rise →" if narrow else "← beliefs fall (log Ψ)  ·  beliefs rise (log Λ) →"
    return {
        "data": [
            _bars(before, "before", "y2", middle, unit),
            _bars(after, "after", "y", middle, unit),
        ],
        "layout": layout(
            330,
            (58, 10, 18, 38) if dense else (62, 14, 48 if narrow else 34, 42),
            xaxis=axis(
                f"log-lift, {unit}: {sides}",
                (left, right),
                tickvals=[middle, *at],
                ticktext=["−∞", *texts(at)],
                anchor="y",
                **common,
            ),
            yaxis=_share_axis(panels[0]),
            yaxis2=_share_axis(panels[1]),
            barmode="overlay",
            shapes=shapes,
            annotations=[
                *_named(names, panels, xanchor="left", yanchor="bottom"),
                note(
                    "share of records" if dense else "share of records: each side 100%",
                    0,
                    0.5,
                    xanchor="center",
                    xshift=-48 if dense else -52,
                    textangle=-90,
                    font={"size": 11, "color": colour("muted")},
                ),
                *marks,
            ],
            meta={"explained": True} | ({"low": _low(names, panels, marks)} if dense else {}),
        ),
    }


def _named(
    names: tuple[str, str], panels: Panels, *, x: float = 0, **anchors: str
) -> list[dict[str, object]]:
    """Return the names of X itself and of the release, at an end of their panels."""
    return [
        note(name, x, top, **anchors, font=_strong(role))
        for name, top, role in zip(names, (1.0, panels[0][1]), ("before", "after"), strict=True)
    ]


def _low(
    names: tuple[str, str], panels: Panels, marks: list[dict[str, object]]
) -> dict[str, object]:
    """Return what changes where a histogram is low: names in its panels, one number at each."""
    notes = [*_named(names, panels, x=1, xanchor="right", yanchor="top"), *marks]
    shares = {name: {"tickvals": [1], "ticktext": ["100%"]} for name in ("yaxis", "yaxis2")}
    return {"below": LOW, "layout": {"annotations": notes, **shares}}


def _ends(budgets: tuple[float, float], hair: float, unit: str) -> tuple[float, ...]:
    """Return where each budget's last bar is drawn: a hair for 0, and one for what lies above."""
    return tuple(max(in_unit(bound, unit), hair * (1 + (bound > CLOSE))) for bound in budgets)


def _bars(
    bins: LiftHistogram, role: str, yaxis: str, middle: float, unit: str
) -> dict[str, object]:
    edges = [in_unit(float(edge), unit) for edge in bins.edges]
    reach = edges[-1]
    falls = _drawn([-edge for edge in edges[bins.below :: -1]], HAIR * reach)
    rises = _drawn(edges[bins.below :], HAIR * reach)
    half = TO_RULED_OUT[0] / 2 * reach
    drawn = [
        (middle - half, middle + half),
        *pairwise([-edge for edge in falls[::-1]]),
        *pairwise(rises),
    ]
    shares = [bins.excluded, *(bins.low + bins.high)]
    members = [bins.excluded_members, *bins.members]
    spans = ["log Ψ = −∞"] + [
        f"{'log Ψ' if place < bins.below else 'log Λ'} {text}"
        for place, text in enumerate(spelt_spans(edges, unit))
    ]
    return {
        "type": "bar",
        "name": role,
        "x": numbers([(a + b) / 2 for a, b in drawn], 8),
        "y": [share or None for share in numbers(shares)],
        "width": numbers([0.92 * (b - a) for a, b in drawn], 8),
        "yaxis": yaxis,
        "customdata": [[span, _listed(names)] for span, names in zip(spans, members, strict=True)],
        "marker": fill(role, "/" if role == "before" else ""),
        "hovertemplate": "%{customdata[0]}: %{y:.1%} of records<br>%{customdata[1]}<extra></extra>",
    }


def _drawn(edges: Sequence[float], hair: float) -> list[float]:
    """Return the drawn positions of edges on one side, from 0 outwards, at least `hair` apart."""
    places = [0.0]
    for edge in edges[1:]:
        places.append(max(edge, places[-1] + hair))
    return places


def spelt_spans(edges: Sequence[float], unit: str) -> list[str]:
    """Return each bin's ends in words, with enough digits to distinguish them."""
    written = texts(edges)
    return [
        "is 0" if a == b else f"{low} to {high} {unit}"
        for (a, b), (low, high) in zip(pairwise(edges), pairwise(written), strict=True)
    ]


def _listed(names: Sequence[str], most: int = 6) -> str:
    shown = [labels.full(name, most=192) for name in names[:most]]
    more = [f"and {len(names) - most} more"] if len(names) > most else []
    return "<br>".join(shown + more)


def fill(role: str, pattern: str) -> dict[str, object]:
    """Return a bar's look: plain or hatched, so that bars differ in more than color."""
    filled: dict[str, object] = {"color": colour(role), "line": {"color": colour(role), "width": 0}}
    if pattern:
        filled["line"] = {"color": colour(role), "width": 1}
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
        tickvals=[0, 0.5, 1],
        ticktext=["0%", "50%", "100%"],
        anchor="x",
    )


def _strong(role: str) -> dict[str, object]:
    return {"size": 12, "color": colour(role), "weight": 600}


def _unshaded(reason: str, narrow: bool) -> str:
    """Return the note shown where nothing is shaded; "" without a reason."""
    text = f"not shaded: {reason}" if reason else ""
    # above the panels is room for three lines of 20 letters
    return "<br>".join(textwrap.wrap(text, 20)) if narrow else text


def _allowed(
    budgets: tuple[float, ...] | None,
    left: float,
    right: float,
    unshaded: str,
    panels: tuple[tuple[float, float], ...],
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Shade what the notion allows, with a dashed line at each bound that is on the axis.

    Only an infinite budget covers log Ψ = −∞. Without budgets `unshaded` says why.
    """
    if budgets is None:
        look = {"size": 11, "color": colour("muted")}
        label = note(unshaded, 1, 1.0, xanchor="right", yanchor="bottom", font=look)
        return [], [label] if unshaded else []
    fall, rise = budgets
    low = left if math.isinf(fall) else max(-fall, -right)
    high = min(rise, right)
    bounds = [
        rule(bound, bottom, top)
        for bound, inside in ((low, -fall > -right), (high, rise < right))
        for bottom, top in panels
        if inside
    ]
    word = note("allowed", (low + high) / 2, 1.01, xref="x", yanchor="bottom")
    return [shade(low, high), *bounds], [word]


def overlay_histogram(
    edges: FloatArray, low: FloatArray, high: FloatArray, unit: str = "nats"
) -> Figure:
    """Draw shares (k,) of log Ψ and log Λ over many random joints on one axis, edges (k + 1,)."""
    ends = [in_unit(float(edge), unit) for edge in edges]
    spans = spelt_spans(ends, unit)
    at = ticks(ends[0], ends[-1], 8)
    most = float(max(low.max(), high.max()))
    shares = ticks(0, most * 1.05, 5)
    parts = (
        (low, *SIDES["log Ψ"], "log Ψ: how far beliefs fall"),
        (high, *SIDES["log Λ"], "log Λ: how far beliefs rise"),
    )
    return {
        "data": [
            {
                "type": "bar",
                "name": title,
                "x": numbers([(a + b) / 2 for a, b in pairwise(ends)]),
                "y": numbers(share),
                "customdata": spans,
                "marker": fill(role, pattern),
                "hovertemplate": f"{title.partition(':')[0]} %{{customdata}}: %{{y:.1%}}"
                "<extra></extra>",
            }
            for share, role, pattern, title in parts
        ],
        "layout": layout(
            300,
            (58, 14, 34, 42),
            xaxis=axis(
                f"log-lift, {unit}",
                (ends[0], ends[-1]),
                tickvals=at,
                ticktext=texts(at),
                zeroline=True,
                zerolinecolor=colour("edge"),
            ),
            yaxis=axis(
                "share of symbols, each color 100%",
                (0, most * 1.05),
                tickvals=shares,
                ticktext=texts(shares, percent=True),
            ),
            barmode="overlay",
            bargap=0.06,
            showlegend=True,
            legend=legend(1.02),
        ),
    }
