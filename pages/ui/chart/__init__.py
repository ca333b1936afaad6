"""A Plotly chart that stays where it is while sliders move."""

from pages.ui.chart.component import (
    BOARD,
    MadeOf,
    board,
    chart,
    drawn,
    old,
    part,
    picked,
    place,
    saving,
)

__all__ = [
    "BOARD",
    "MadeOf",
    "board",
    "chart",
    "drawn",
    "old",
    "part",
    "picked",
    "place",
    "saving",
]
