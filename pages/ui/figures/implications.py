"""What a promise implies on the data at hand, as a diagram; and the levels of repeated draws."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.validation import FloatArray
from core.wording import fixed
from pages.ui.figures.bars import rows
from pages.ui.style import labels
from pages.ui.style.base import (
    Figure,
    axis,
    colour,
    layout,
    numbers,
    scatter,
    ticked,
)

COLUMNS = (7.0, 52.0, 88.0)
"""Positions of the promise, levels of single outputs and averages, of 100 across."""

HALF = (6.8, 9.6, 11.0)
"""Half the width of a box in each of them."""


EDGES = ((13.8, 42.0), (61.6, 76.6))
"""Ends of the arrows between them."""


@dataclass(frozen=True)
class Level:
    """One box of the diagram: the level that the promise implies, and the release's own.

    `average`: title, implied level and own level of the average that follows, if any.
    """

    title: str
    implied: str
    own: str
    average: tuple[str, str, str] | None = None


def implications(promise: str, levels: Sequence[Level]) -> Figure:
    """Draw what a promise implies: arrows to every level, numbers on the arrows."""
    middle = (len(levels) - 1) / 2
    # most letters of a line of the first box
    name = textwrap.wrap(promise, 9, break_on_hyphens=False)
    own = _Boxes()
    own.add(f"<b>{'<br>'.join(map(labels.text, name))}</b>", COLUMNS[0], middle, HALF[0])
    own.half_row = min(0.2 + 0.18 * len(name), 0.5 * len(levels))
    boxes, arrows = _Boxes(), _Arrows()
    for row, level in enumerate(levels):
        arrows.add(level.implied, 0.62, (EDGES[0][0], middle), (EDGES[0][1], row))
        boxes.add(_titled(level.title, level.own), COLUMNS[1], row, HALF[1])
        if level.average is not None:
            title, implied, here = level.average
            arrows.add(implied, 0.45, (EDGES[1][0], row), (EDGES[1][1], row))
            boxes.add(_titled(title, here), COLUMNS[2], row, HALF[2])
    return {
        "data": [
            arrows.lines(),
            boxes.frames("paper", "edge", 1.0),
            own.frames("allowed", "after", 1.4),
            _texts([*own.places, *boxes.places], "ink"),
            _texts(arrows.places, "after"),
        ],
        "layout": layout(
            46 * len(levels) + 16,
            (4, 4, 8, 8),
            xaxis=axis("", (0, 100), visible=False),
            yaxis=axis("", (len(levels) - 0.5, -0.5), visible=False),
            meta={"explained": True, "projected": {"one_line": True}},
        ),
    }


def _titled(title: str, own: str) -> str:
    return f'{labels.text(title)}<br><span style="font-size:10px">here {labels.text(own)}</span>'


Place = tuple[float, float, str]
"""The words of the diagram, and where they are drawn."""


@dataclass
class _Boxes:
    """Boxes with words in them: one line around all of them, which Plotly draws at once."""

    places: list[Place] = field(default_factory=list)
    halves: list[float] = field(default_factory=list)
    half_row: float = 0.38

    def add(self, words: str, x: float, y: float, half: float) -> None:
        self.places.append((x, y, words))
        self.halves.append(half)

    def frames(self, fill: str, edge: str, width: float) -> dict[str, object]:
        around: list[tuple[float | None, float | None]] = []
        for (x, y, _), half in zip(self.places, self.halves, strict=True):
            corners = ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
            around += [(x + half * i, y + self.half_row * j) for i, j in corners]
            around.append((None, None))
        return scatter(
            "lines",
            [x for x, _ in around],
            [y for _, y in around],
            fill="toself",
            fillcolor=colour(fill),
            line={"color": colour(edge), "width": width},
            hoverinfo="skip",
        )


@dataclass
class _Arrows:
    """Arrows with a number on each, for which its line leaves room."""

    places: list[Place] = field(default_factory=list)
    x: list[float | None] = field(default_factory=list)
    y: list[float | None] = field(default_factory=list)

    def add(
        self, words: str, at: float, start: tuple[float, float], end: tuple[float, float]
    ) -> None:
        along = (abs(high - low) for low, high in zip(start, end, strict=True))
        # half of what a number on an arrow takes, of 100 across and in rows
        gap = min(half / way for half, way in zip((4.0, 0.3), along, strict=True) if way)
        for many, low, high in ((self.x, start[0], end[0]), (self.y, start[1], end[1])):
            many += [low + t * (high - low) for t in (0.0, at - gap)]
            many += [None, *(low + t * (high - low) for t in (at + gap, 1.0)), None]
        x, y = (low + at * (high - low) for low, high in zip(start, end, strict=True))
        self.places.append((x, y, labels.text(words)))

    def lines(self) -> dict[str, object]:
        return scatter(
            "lines+markers",
            self.x,
            self.y,
            line={"color": colour("muted"), "width": 1.1},
            marker={
                "symbol": "arrow",
                "angleref": "previous",
                "color": colour("muted"),
                "size": [0, 0, 0, 0, 8, 0] * len(self.places),
                "line": {"width": 0},
                "opacity": 1,
            },
            hoverinfo="skip",
        )


def _texts(places: Sequence[Place], role: str) -> dict[str, object]:
    return scatter(
        "text",
        [x for x, _, _ in places],
        [y for _, y, _ in places],
        text=[words for _, _, words in places],
        textfont={"size": 11.5, "color": colour(role)},
        cliponaxis=False,
        hoverinfo="skip",
    )


ROLES = {"LIP": "after", "LDP": "before"}
"""Colors of the levels reported for every release; the level of the chosen notion is purple."""


def repeats(draws: Sequence[int], levels: Mapping[str, FloatArray], unit: str) -> Figure:
    """Draw the levels (k,) of notions after several draws; a bar of ∞ ends with the axis."""
    both = np.concatenate(list(levels.values()))
    reach = 1.15 * float(max(both[np.isfinite(both)].max(initial=0.0), 0.4))
    names = [f"{k} draw{'s' * (k > 1)}" for k in draws]
    return {
        "data": [
            _bars(name, values, ROLES.get(name, "purple"), reach, unit)
            for name, values in levels.items()
        ],
        "layout": rows(
            names,
            90 + 22 * len(levels) * len(names),
            (50, 90, 30, 42),
            ticked(f"level, {unit}", 0, 1.15 * reach),
            tall=300,
            barmode="group",
            bargap=0.3,
            showlegend=True,
        ),
    }


def _bars(name: str, values: FloatArray, role: str, reach: float, unit: str) -> dict[str, object]:
    texts = [fixed(value, 3) for value in values.tolist()]
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "x": numbers(np.minimum(values, reach)),
        "y": list(range(len(values))),
        "text": texts,
        "textposition": "outside",
        "textfont": {"size": 12, "color": colour("ink")},
        "cliponaxis": False,
        "customdata": texts,
        "marker": {
            "color": colour(role),
            "pattern": {"shape": ["/" if text == "∞" else "" for text in texts], "solidity": 0.35},
        },
        "hovertemplate": f"{name}: %{{customdata}} {unit}<extra></extra>",
    }
