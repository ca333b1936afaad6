"""Bars: the share of each level or bin, and the privacy level by what is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.validation import FloatArray
from core.wording import number_of
from pages.ui.style import labels
from pages.ui.style.base import Figure, label_axis, layout, margin_for, numbers
from pages.ui.style.palette import colour
from pages.ui.style.ticks import ticked

ROW = 24
"""Pixels a bar takes."""

ROOM = 20
"""Characters of a name that are shown; the hover has more."""


def bars(
    shares: FloatArray, names: Sequence[str], counts: Sequence[int] | None, title: str
) -> Figure:
    """Draw a bar for each level, in their order, from top to bottom.

    Parameters
    ----------
    shares : ndarray
        Share of each level, shape (n,).
    names : sequence of str
        Names of the levels.
    counts : sequence of int or None
        Records of each level, for the hover; None where the data has no records.
    title : str
        Of the axis of shares.
    """
    short = labels.distinct(list(names), ROOM)
    full = [labels.full(name) for name in names]
    records = (
        [""] * len(full)
        if counts is None
        else [f"<br>{number_of(count, 'record')}" for count in counts]
    )
    height = int(np.clip(70 + ROW * len(short), 150, max(460, min(70 + 13 * len(short), 720))))
    return {
        "data": [
            {
                "type": "bar",
                "orientation": "h",
                "x": numbers(shares),
                "y": list(range(len(short))),
                "customdata": list(zip(full, records, strict=True)),
                "marker": {"color": colour("after")},
                "hovertemplate": "%{customdata[0]}<br>%{x:.2%}%{customdata[1]}<extra></extra>",
            }
        ],
        "layout": layout(
            height,
            (margin_for(short, 40, 150) + 6, 12, 8, 42),
            xaxis=ticked(title, 0, float(shares.max()) * 1.05, percent=True),
            yaxis=label_axis(short, height - 50) | {"range": [len(short) - 0.5, -0.5]},
            bargap=0.25,
        ),
    }


def levels(names: Sequence[str], reached: FloatArray, unit: str) -> Figure:
    """Draw a bar for each set of known attributes: the level against those who know them.

    Parameters
    ----------
    names : sequence of str
        What is known, n names.
    reached : ndarray
        Levels in the unit, shape (n,); a bar of ∞ ends with the axis and is labelled ∞.
    unit : str
        "nats" or "bits".
    """
    finite = reached[np.isfinite(reached)]
    reach = 1.1 * float(max(finite.max(initial=0.0), 0.4))
    endless = np.isinf(reached).tolist()
    said = [
        "∞" if infinite else f"{value:.3f}"
        for infinite, value in zip(endless, reached, strict=True)
    ]
    short = [
        f"{name}: {value}"
        for name, value in zip(labels.distinct(list(names), 24), said, strict=True)
    ]
    detail = [[labels.full(name), value] for name, value in zip(names, said, strict=True)]
    return {
        "data": [
            {
                "type": "bar",
                "orientation": "h",
                "x": numbers(np.minimum(reached, reach)),
                "y": list(range(len(short))),
                "customdata": detail,
                "marker": {
                    "color": [colour("before" if infinite else "after") for infinite in endless],
                    "pattern": {
                        "shape": ["/" if infinite else "" for infinite in endless],
                        "size": 6,
                        "solidity": 0.35,
                    },
                },
                "hovertemplate": "knows %{customdata[0]}<br>level %{customdata[1]} "
                f"{unit}<extra></extra>",
            }
        ],
        "layout": layout(
            int(np.clip(90 + 30 * len(short), 170, 620)),
            (margin_for(short, 60, 200) + 6, 12, 8, 42),
            xaxis=ticked(f"level, {unit}", 0, reach),
            yaxis=label_axis(short) | {"range": [len(short) - 0.5, -0.5]},
            bargap=0.3,
        ),
    }
