"""Heat maps: a mechanism, a joint distribution, the log-lift of every pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.release.confusability import most_likely
from core.validation import FloatArray
from pages.ui.style import labels
from pages.ui.style.base import (
    Figure,
    colour,
    diverging,
    label_axis,
    layout,
    margin_for,
    round_share,
    rows,
    scatter,
    sequential,
    texts,
    ticks,
)
from pages.ui.style.units import in_unit

HEIGHT = 360

SYMBOLS_DRAWN = 500
"""Most rows or columns of a joint that are drawn: a pixel or two for each."""

WITHOUT_NAMES: dict[str, Any] = {
    "meta": {
        "low": {
            "below": 360,
            "layout": {"margin": {"b": 24}, "xaxis": {"showticklabels": False}},
        }
    }
}
"""A dense matrix lower than this, in pixels, has no names below its columns."""

ACROSS = 220
"""Least pixels that the columns have together, beside a second chart."""


def mechanism_matrix(
    kernel: FloatArray,
    x_labels: Sequence[str],
    y_labels: Sequence[str],
    *,
    left_out: int = 0,
    rows_out: int = 0,
    height: int = HEIGHT,
    dense: bool = False,
) -> Figure:
    """Draw P(y | x): a row for each input, a column for each output."""
    return _heat_map(
        kernel,
        x_labels,
        y_labels,
        scale=sequential(),
        span=(0.0, 1.0),
        hover="P(y | x) = %{z:.4f}<br>x: %{customdata[0]}<br>y: %{customdata[1]}",
        titles=(_with_more("output y", left_out), _with_more("input x", rows_out)),
        percent=None,
        height=height,
        dense=dense,
    )


def likeliest_matrix(
    kernel: FloatArray,
    p: FloatArray,
    x_labels: Sequence[str],
    y_labels: Sequence[str],
    *,
    inputs: int,
    outputs: int,
    height: int = HEIGHT,
    dense: bool = False,
) -> Figure:
    """Draw P(y | x) of the likeliest inputs by p (n_x,), and of the likeliest outputs of those."""
    shown_x = most_likely(p, inputs)
    shown_y = most_likely(p[shown_x] @ kernel[shown_x], outputs)
    return mechanism_matrix(
        kernel[np.ix_(shown_x, shown_y)],
        [x_labels[x] for x in shown_x],
        [y_labels[y] for y in shown_y],
        left_out=len(y_labels) - len(shown_y),
        rows_out=len(x_labels) - len(shown_x),
        height=height,
        dense=dense,
    )


def posterior_matrix(
    posterior: FloatArray,
    names: Sequence[str],
    y_labels: Sequence[str],
    of: str,
    *,
    left_out: int = 0,
    names_out: int = 0,
    height: int = HEIGHT,
    most: float = 1.0,
) -> Figure:
    """Draw P(s | y) or P(x | y): a row for each output, a column for each s or x."""
    return _heat_map(
        posterior.T,
        y_labels,
        names,
        scale=sequential(),
        span=(0.0, round_share(most)),
        hover=f"P({of} | y) = %{{z:.4f}}<br>y: %{{customdata[0]}}<br>{of}: %{{customdata[1]}}",
        titles=(
            _with_more("secret s" if of == "s" else "input x", names_out),
            _with_more("output y", left_out),
        ),
        percent=True,
        height=height,
    )


def joint_matrix(
    p: FloatArray, s_labels: Sequence[str], x_labels: Sequence[str], height: int = HEIGHT
) -> Figure:
    """Draw P(s, x): a row for each x, a column for each secret; of many the most likely ones."""
    shown_s, shown_x = (most_likely(p.sum(axis=axis), SYMBOLS_DRAWN) for axis in (1, 0))
    shown = p[np.ix_(shown_s, shown_x)]
    return _heat_map(
        shown.T,
        [x_labels[x] for x in shown_x],
        [s_labels[s] for s in shown_s],
        scale=sequential(),
        span=(0.0, float(p.max())),
        hover="P(s, x) = %{z:.4%}<br>x: %{customdata[0]}<br>s: %{customdata[1]}",
        titles=(
            _with_more("secret s", len(s_labels) - len(shown_s)),
            _with_more("symbol x", len(x_labels) - len(shown_x)),
        ),
        percent=True,
        height=height,
    )


def log_lift_matrix(
    log_lift: FloatArray,
    s_labels: Sequence[str],
    y_labels: Sequence[str],
    height: int = HEIGHT,
    unit: str = "nats",
    *,
    left_out: int = 0,
) -> Figure:
    """Draw log-lift (n_s, n_y): a row for each symbol, a column for each secret; −∞ as a cross."""
    log_lift = log_lift * in_unit(1.0, unit)
    finite = np.abs(log_lift[np.isfinite(log_lift)])
    reach = float(finite.max()) if finite.size and finite.max() > 0 else 1.0
    figure = _heat_map(
        np.where(np.isneginf(log_lift), -reach, log_lift).T,
        y_labels,
        s_labels,
        scale=diverging(),
        span=(-reach, reach),
        hover="log-lift = %{customdata[2]}<br>%{customdata[0]}<br>s: %{customdata[1]}",
        titles=(_with_more("secret s", left_out), ""),
        percent=False,
        height=height,
        shown=[[_number(value, unit) for value in row] for row in log_lift.T],
    )
    never = np.argwhere(np.isneginf(log_lift.T))
    cross = {"symbol": "x-thin", "size": 9, "line": {"width": 2, "color": colour("paper")}}
    rows_of, columns = never.T.tolist()
    figure["data"].append(scatter("markers", columns, rows_of, marker=cross, hoverinfo="skip"))
    return figure


def _with_more(axis: str, left_out: int) -> str:
    return f"{axis}; {left_out:,} more not shown" if left_out else axis


def _number(value: float, unit: str) -> str:
    if np.isneginf(value):
        return "−∞: never together"
    return f"{value:+.3f} {unit}".replace("-", "−")


def _heat_map(
    z: FloatArray,
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    *,
    scale: list[list[float | str]],
    span: tuple[float, float],
    hover: str,
    titles: tuple[str, str],
    percent: bool | None,
    height: int,
    shown: list[list[str]] | None = None,
    dense: bool = False,
) -> Figure:
    # characters of a row's name that are shown; the hover has them all
    row_names = labels.distinct(list(row_labels), 16)
    column_names = labels.distinct(list(column_labels), 16 if len(column_labels) > 3 else 20)
    row_full = [labels.full(label) for label in row_labels]
    column_full = [labels.full(label) for label in column_labels]
    detail = [
        [
            [row, column] if shown is None else [row, column, shown[i][j]]
            for j, column in enumerate(column_full)
        ]
        for i, row in enumerate(row_full)
    ]
    # most rows or columns with lines between cells: among more, lines would hide the cells
    gap = 1 if max(len(row_names), len(column_names)) <= 80 else 0
    upright = len(column_names) > 3
    bottom = margin_for(column_names, 44, 112, 5.2) + 12 if upright else 46
    return {
        "data": [
            {
                "type": "heatmap",
                "z": rows(z),
                "customdata": detail,
                "colorscale": scale,
                "zmin": span[0],
                "zmax": span[1],
                "xgap": gap,
                "ygap": gap,
                "hovertemplate": f"{hover}<extra></extra>",
                "showscale": percent is not None,
                "colorbar": _colour_bar(span, percent=bool(percent)),
            }
        ],
        "layout": layout(
            height,
            (margin_for(row_names, 40, 128) + 18, 8, 8, bottom),
            xaxis=label_axis(
                column_names, ACROSS, title_text=titles[0], tickangle=-55 if upright else 0
            )
            | {"title": near(titles[0])},
            yaxis=label_axis(row_names, height - 8 - bottom)
            | {"range": [len(row_names) - 0.5, -0.5], "title": near(titles[1])},
            **(WITHOUT_NAMES if dense and upright else {}),
        ),
    }


def near(title: str) -> dict[str, object]:
    """Return an axis title close to the axis' labels."""
    return {"text": title, "standoff": 4, "font": {"size": 12, "color": colour("muted")}}


def _colour_bar(span: tuple[float, float], *, percent: bool) -> dict[str, object]:
    """Return the legend of the colors."""
    at = ticks(*span, 5)
    return {
        "thickness": 10,
        "len": 1,
        "outlinewidth": 0,
        "tickfont": {"size": 11, "color": colour("muted")},
        "xpad": 6,
        "tickvals": at,
        "ticktext": texts(at, percent=percent),
    }
