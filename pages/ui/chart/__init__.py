"""A Plotly chart that stays where it is while sliders move."""

from pages.ui.chart.component import chart, old, picked

__all__ = ["chart", "old", "picked"]
