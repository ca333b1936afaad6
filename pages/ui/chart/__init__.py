"""A Plotly chart that stays where it is while sliders move."""

from pages.ui.chart.component import MadeOf, chart, old, picked

__all__ = ["MadeOf", "chart", "old", "picked"]
