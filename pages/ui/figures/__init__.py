"""Arrays → Plotly figures, as plain data; nothing here knows Streamlit."""

from pages.ui.figures.bars import bars
from pages.ui.figures.base import Figure
from pages.ui.figures.frontier import Line, frontier
from pages.ui.figures.graph import confusability
from pages.ui.figures.histogram import lift_histogram, overlay_histogram
from pages.ui.figures.matrix import joint_matrix, log_lift_matrix, mechanism_matrix
from pages.ui.figures.symbols import symbol_lifts

__all__ = [
    "Figure",
    "Line",
    "bars",
    "confusability",
    "frontier",
    "joint_matrix",
    "lift_histogram",
    "log_lift_matrix",
    "mechanism_matrix",
    "overlay_histogram",
    "symbol_lifts",
]
