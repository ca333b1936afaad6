"""A Plotly chart that stays where it is while sliders move."""

from pages.ui.chart.component import MadeOf, chart, drawn, follow, old, picked, saving

__all__ = ["MadeOf", "chart", "drawn", "follow", "old", "picked", "saving"]
