"""What a promise implies on the data at hand, as a diagram; and the levels of repeated draws."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.validation import FloatArray
from pages.ui.style import labels
from pages.ui.style.base import Figure, axis, label_axis, layout, legend, margin_for, numbers
from pages.ui.style.palette import colour
from pages.ui.style.ticks import ticked

ROW = 46
"""Pixels from one level of the diagram to the next."""

COLUMNS = (7.0, 52.0, 88.0)
"""Positions of the promise, levels of single outputs and averages, of 100 across."""

EDGES = ((13.0, 42.0), (61.0, 77.0))
"""Ends of the arrows between them."""

LETTERS = 9
"""Most letters of a line of the first box."""

AT = (0.62, 0.45)
"""Position of the number on each arrow, from 0 to 1."""


@dataclass(frozen=True)
class Level:
    """One box of the diagram.

    Attributes
    ----------
    title : str
        Of the notion or measure.
    implied : str
        The level that the promise implies, as written on the arrow.
    own : str
        The release's own level.
    average : tuple of str or None
        Title, implied level and own level of the average that follows; None: there is none.
    """

    title: str
    implied: str
    own: str
    average: tuple[str, str, str] | None = None


def implications(promise: str, levels: Sequence[Level]) -> Figure:
    """Draw what a promise implies: arrows to every level, numbers on the arrows.

    Parameters
    ----------
    promise : str
        Name of the promise.
    levels : sequence of Level
        From top to bottom.
    """
    middle = (len(levels) - 1) / 2
    name = textwrap.wrap(promise, LETTERS, break_on_hyphens=False)
    marks = [_box(name, "", COLUMNS[0], middle, strong=True)]
    for row, level in enumerate(levels):
        ends = (EDGES[0][0], middle, EDGES[0][1], row)
        marks += [_arrow(*ends), _number(level.implied, AT[0], *ends)]
        marks.append(_box([level.title], level.own, COLUMNS[1], row))
        if level.average is not None:
            title, implied, own = level.average
            ends = (EDGES[1][0], row, EDGES[1][1], row)
            marks += [_arrow(*ends), _number(implied, AT[1], *ends)]
            marks.append(_box([title], own, COLUMNS[2], row))
    return {
        "data": [
            {
                "type": "scatter",
                "mode": "markers",
                "x": [COLUMNS[0]],
                "y": [middle],
                "marker": {"opacity": 0},
                "hoverinfo": "skip",
            }
        ],
        "layout": layout(
            ROW * len(levels) + 16,
            (4, 4, 8, 8),
            xaxis=axis("", (0, 100), visible=False),
            yaxis=axis("", (len(levels) - 0.5, -0.5), visible=False),
            annotations=marks,
            meta={"explained": True, "projected": {"one_line": True}},
        ),
    }


def _box(
    title: Sequence[str], own: str, x: float, y: float, *, strong: bool = False
) -> dict[str, object]:
    words = "<br>".join(labels.text(line) for line in title)
    if own:
        words += f'<br><span style="font-size:10px">here {labels.text(own)}</span>'
    return {
        "text": f"<b>{words}</b>" if strong else words,
        "x": x,
        "y": y,
        "xref": "x",
        "yref": "y",
        "showarrow": False,
        "align": "center",
        "bgcolor": colour("allowed" if strong else "paper"),
        "bordercolor": colour("after" if strong else "edge"),
        "borderwidth": 1.4 if strong else 1,
        "borderpad": 3,
        "font": {"size": 11.5, "color": colour("ink")},
    }


def _arrow(x0: float, y0: float, x1: float, y1: float) -> dict[str, object]:
    return {
        "text": "",
        "x": x1,
        "y": y1,
        "ax": x0,
        "ay": y0,
        "xref": "x",
        "yref": "y",
        "axref": "x",
        "ayref": "y",
        "showarrow": True,
        "arrowhead": 2,
        "arrowsize": 0.9,
        "arrowwidth": 1.1,
        "arrowcolor": colour("muted"),
    }


def _number(words: str, at: float, x0: float, y0: float, x1: float, y1: float) -> dict[str, object]:
    return {
        "text": labels.text(words),
        "x": x0 + at * (x1 - x0),
        "y": y0 + at * (y1 - y0),
        "xref": "x",
        "yref": "y",
        "showarrow": False,
        "bgcolor": colour("paper"),
        "borderpad": 1,
        "font": {"size": 11.5, "color": colour("after")},
    }


ROLES = {"LIP": "after", "LDP": "before"}
"""Colours of the levels that are told of every release; a promise's own is purple."""


def repeats(draws: Sequence[int], levels: Mapping[str, FloatArray], unit: str) -> Figure:
    """Draw the levels of notions after several draws; a bar of ∞ ends with the axis.

    Parameters
    ----------
    draws : sequence of int
        Numbers of draws, k of them.
    levels : mapping
        Levels in the unit by the notion's name, LIP and LDP among them, shape (k,) each.
    unit : str
        "nats" or "bits".
    """
    both = np.concatenate(list(levels.values()))
    reach = 1.15 * float(max(both[np.isfinite(both)].max(initial=0.0), 0.4))
    names = [f"{k} draw{'s' * (k > 1)}" for k in draws]
    return {
        "data": [
            _bars(name, values, ROLES.get(name, "purple"), reach, unit)
            for name, values in levels.items()
        ],
        "layout": layout(
            90 + 22 * len(levels) * len(names),
            (margin_for(names, 50, 90), 12, 30, 42),
            xaxis=ticked(f"level, {unit}", 0, 1.15 * reach),
            yaxis=label_axis(names, 300) | {"range": [len(names) - 0.5, -0.5]},
            barmode="group",
            bargap=0.3,
            showlegend=True,
            legend=legend(1.02) | {"traceorder": "normal"},
        ),
    }


def _bars(name: str, values: FloatArray, role: str, reach: float, unit: str) -> dict[str, object]:
    said = ["∞" if np.isinf(value) else f"{value:.3f}" for value in values.tolist()]
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "x": numbers(np.minimum(values, reach)),
        "y": list(range(len(values))),
        "text": said,
        "textposition": "outside",
        "textfont": {"size": 12, "color": colour("ink")},
        "cliponaxis": False,
        "customdata": said,
        "marker": {
            "color": colour(role),
            "pattern": {"shape": ["/" if text == "∞" else "" for text in said], "solidity": 0.35},
        },
        "hovertemplate": f"{name}: %{{customdata}} {unit}<extra></extra>",
    }
