"""A Plotly chart that stays where it is while sliders move."""

from pages.ui.chart.component import (
    BOARD,
    Drawing,
    MadeOf,
    board,
    chart,
    old,
    part,
    picked,
    place,
    saving,
    words,
)

__all__ = [
    "BOARD",
    "Drawing",
    "MadeOf",
    "board",
    "chart",
    "old",
    "part",
    "picked",
    "place",
    "saving",
    "words",
]
