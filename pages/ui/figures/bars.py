"""A row for each name, with bars or marks along one axis: shares, levels, beliefs, risks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.validation import BoolArray, FloatArray
from core.wording import fixed, number_of
from pages.ui.style import labels
from pages.ui.style.base import (
    SILENT,
    Figure,
    axis,
    colour,
    label_axis,
    layout,
    legend,
    margin_for,
    note,
    numbers,
    round_share,
    rule,
    scatter,
    shade,
    texts,
    ticked,
    ticks,
)
from pages.ui.style.units import in_unit

HATCH = {"size": 6, "solidity": 0.35}
"""How dense the strokes of a hatched bar are."""


def rows(
    short: Sequence[str],
    height: int,
    sides: tuple[int, int, int, int],
    xaxis: dict[str, object],
    *,
    letter: float = 6.4,
    tall: float = 540,
    right: int = 12,
    **more: object,
) -> dict[str, Any]:
    """Return the layout of rows from top to bottom, one for each short name; sizes in pixels.

    `sides`: least and most of the left margin, the top and the bottom one. `letter`: width of one.
    """
    least, most, top, bottom = sides
    left = margin_for(short, least, most, letter) + 6
    return layout(
        height,
        (left, right, top, bottom),
        xaxis=xaxis,
        yaxis=label_axis(short, tall) | {"range": [max(len(short), 1) - 0.5, -0.5]},
        legend=legend() | {"traceorder": "normal"},
        **more,
    )


def _bar(
    values: FloatArray, role: str, hover: str, details: Sequence[object], **more: object
) -> dict[str, Any]:
    """Return a bar in each row; its hover text contains the row's details."""
    return {
        "type": "bar",
        "orientation": "h",
        "x": numbers(values),
        "y": list(range(len(values))),
        "customdata": list(details),
        "marker": {"color": colour(role)},
        "hovertemplate": f"{hover}<extra></extra>",
    } | more


def _hatched(role: str, shape: str = "/") -> dict[str, Any]:
    return {"color": colour(role), "pattern": {"shape": shape, **HATCH}}


def _texts(values: FloatArray) -> list[str]:
    return [fixed(value, 3) for value in values.tolist()]


def bars(
    shares: FloatArray, names: Sequence[str], counts: Sequence[int] | None, title: str
) -> Figure:
    """Draw a bar for each level, of shares (n,), in their order, from top to bottom."""
    short = labels.distinct(list(names), 20)
    records = [""] * len(short)
    if counts is not None:
        records = [f"<br>{number_of(count, 'record')}" for count in counts]
    details = list(zip(map(labels.full, names), records, strict=True))
    hover = "%{customdata[0]}<br>%{x:.2%}%{customdata[1]}"
    height = int(np.clip(70 + 24 * len(short), 150, max(460, min(70 + 13 * len(short), 720))))
    end = float(shares.max()) * 1.05
    return {
        "data": [_bar(shares, "after", hover, details)],
        "layout": rows(
            short,
            height,
            (40, 150, 8, 42),
            ticked(title, 0, end, percent=True),
            tall=height - 50,
            bargap=0.25,
        ),
    }


def levels(names: Sequence[str], reached: FloatArray, unit: str) -> Figure:
    """Draw a bar for each set of known attributes: the level (n,) against those who know them."""
    finite = reached[np.isfinite(reached)]
    reach = 1.1 * float(max(finite.max(initial=0.0), 0.4))
    values, endless = _texts(reached), np.isinf(reached).tolist()
    short = [
        f"{name}: {value}"
        for name, value in zip(labels.distinct(list(names), 24), values, strict=True)
    ]
    details = list(zip(map(labels.full, names), values, strict=True))
    hover = f"knows %{{customdata[0]}}<br>level %{{customdata[1]}} {unit}"
    look = {
        "color": [colour("before" if infinite else "after") for infinite in endless],
        "pattern": {"shape": ["/" if infinite else "" for infinite in endless], **HATCH},
    }
    return {
        "data": [_bar(np.minimum(reached, reach), "after", hover, details, marker=look)],
        "layout": rows(
            short,
            int(np.clip(90 + 30 * len(short), 170, 620)),
            (60, 200, 8, 42),
            ticked(f"level, {unit}", 0, reach),
            bargap=0.3,
        ),
    }


def beliefs(
    prior: FloatArray,
    posterior: FloatArray,
    s_labels: Sequence[str],
    output: str,
    most: float = 1.0,
) -> Figure:
    """Draw two bars for each secret: P(s) hatched, P(s | y) of an output filled."""
    short = labels.distinct(list(s_labels), 20)
    full = [labels.full(name) for name in s_labels]
    change = np.divide(posterior, prior, out=np.ones_like(prior), where=prior > 0)
    changes = [f"×{value:.3g}" if value > 0 else "ruled out" for value in change]
    before = "%{customdata}<br>before: %{x:.2%}"
    after = "%{customdata[0]}<br>after: %{x:.2%}, %{customdata[1]}"
    details = list(zip(full, changes, strict=True))
    return {
        "data": [
            _bar(prior, "before", before, full, name="before", marker=_hatched("before")),
            _bar(posterior, "after", after, details, name=f"after {labels.short(output)}"),
        ],
        "layout": rows(
            short,
            int(np.clip(90 + 40 * len(short), 170, 620)),
            (40, 150, 28, 42),
            ticked("probability of the secret", 0, 1.02 * round_share(most), percent=True),
            barmode="group",
            bargap=0.3,
            showlegend=True,
        ),
    }


def set_risks(
    names: Sequence[str], risk: FloatArray, fits: BoolArray, reach: float, unit: str = "nats"
) -> Figure:
    """Draw a bar for each set (n,) of Algorithm 1: filled if it keeps the promise, else hatched."""
    risk, reach = risk * in_unit(1.0, unit), in_unit(reach, unit)
    short = labels.distinct(list(names), 22)
    details = list(zip(map(labels.full, names), _texts(risk), strict=True))
    hover = f"%{{customdata[0]}}<br>ω = %{{customdata[1]}} {unit}"
    traces = []
    for mask, look, title in (
        (fits, _hatched("after", ""), "within the budget"),
        (~fits, _hatched("before"), "not yet"),
    ):
        chosen = np.flatnonzero(mask).tolist()
        shown = np.minimum(risk[chosen], reach)
        of_them = [details[i] for i in chosen]
        traces.append(_bar(shown, "after", hover, of_them, name=title, y=chosen, marker=look))
    return {
        "data": traces,
        "layout": rows(
            short,
            int(np.clip(110 + 26 * len(short), 190, 560)),
            (60, 150, 30, 42),
            axis(f"risk ω of the set, {unit}", (0, reach * 1.04), nticks=7),
            barmode="overlay",
            bargap=0.3,
            showlegend=bool(len(short)),
            annotations=[] if len(short) else [note("No set yet.", 0.5, 0.5)],
        ),
    }


OFF_SCALE = 0.06
"""Share of the reach from the last number to −∞, and from there to the end of the axis."""

UNJUDGED = "not evaluated alone under this notion"
"""The legend's text on a symbol if the notion does not bound each symbol."""


def symbol_lifts(
    log_min: FloatArray,
    log_max: FloatArray,
    names: Sequence[str],
    risky: BoolArray,
    budgets: tuple[float, float] | None,
    height: int = 360,
    unit: str = "nats",
    *,
    judged: bool = True,
) -> Figure:
    """Draw a bar from log Ψ to log Λ for each symbol (n,), marked if it breaks the promise."""
    scale = in_unit(1.0, unit)
    log_min, log_max = log_min * scale, log_max * scale
    finite = np.concatenate([-log_min[np.isfinite(log_min)], log_max, [0.25]])
    reach = float(finite.max()) * 1.12
    ruled_out = bool(np.isneginf(log_min).any())
    floor = -(1 + OFF_SCALE) * reach  # where −∞ is drawn, fully visible and apart from all numbers
    left = -(1 + 2 * OFF_SCALE) * reach if ruled_out else -reach
    low = np.where(np.isneginf(log_min), floor, log_min)
    # share of the reach beyond which a number on the axis would touch −∞
    at = [tick for tick in ticks(-reach, reach, 7) if not ruled_out or tick > -0.9 * reach]
    short = labels.distinct(list(names), 16)
    shapes = []
    if budgets is not None:
        shapes = _allowed(budgets[0] * scale, budgets[1] * scale, left, reach)
    traces = [
        _group(low, log_min, log_max, names, np.flatnonzero(mask), role, symbol, title, unit)
        for mask, role, symbol, title in (
            (~risky, "after", "circle", "within the budget" if judged else UNJUDGED),
            (risky, "before", "diamond-open", "high-risk: exceeds the budget"),
        )
    ]
    return {
        "data": [trace for pair in traces for trace in pair],
        "layout": rows(
            short,
            height,
            (40, 128, 30, 46),
            axis(
                f"log-lift, {unit}",
                (left, reach),
                zeroline=True,
                zerolinecolor=colour("edge"),
                tickvals=[*([floor] if ruled_out else []), *at],
                ticktext=[*(["−∞"] if ruled_out else []), *texts(at)],
            ),
            tall=height - 76,
            shapes=shapes,
            showlegend=True,
        ),
    }


def _allowed(fall: float, rise: float, left: float, reach: float) -> list[dict[str, object]]:
    """Return the shading of what is allowed, with a line at each bound that is in sight."""
    bounds = (left if np.isinf(fall) else -min(fall, reach), min(rise, reach))
    return [shade(*bounds), *(rule(bound) for bound in bounds if abs(bound) < reach)]


def _signed(value: float, unit: str) -> str:
    return "−∞" if np.isneginf(value) else f"{value:+.3f} {unit}".replace("-", "−")


def _group(
    low: FloatArray,
    log_min: FloatArray,
    log_max: FloatArray,
    names: Sequence[str],
    chosen: np.ndarray,
    role: str,
    symbol: str,
    title: str,
    unit: str,
) -> list[dict[str, object]]:
    line_x = [value for i in chosen for value in (low[i], log_max[i], np.nan)]
    line_y = [value for i in chosen for value in (i, i, np.nan)]
    ends_x = [value for i in chosen for value in (low[i], log_max[i])]
    ends_y = [int(i) for i in chosen for _ in range(2)]
    detail = [
        [
            labels.full(names[i]),
            _signed(log_min[i], unit),
            _signed(log_max[i], unit),
        ]
        for i in chosen
        for _ in range(2)
    ]
    line = {"color": colour(role), "width": 2.4}
    lines = scatter("lines", numbers(line_x), numbers(line_y), line=line, **SILENT)
    points = scatter(
        "markers",
        numbers(ends_x),
        ends_y,
        name=title,
        customdata=detail,
        marker={
            "color": colour(role),
            "size": 9,
            "symbol": symbol,
            "line": {"color": colour(role), "width": 2},
        },
        hovertemplate="%{customdata[0]}<br>log Ψ %{customdata[1]}, log Λ %{customdata[2]}"
        "<extra></extra>",
    )
    return [lines, points]
