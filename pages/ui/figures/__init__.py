"""Arrays → Plotly figures, as plain data; nothing here knows Streamlit."""

from pages.ui.figures.bars import bars, beliefs, levels, set_risks, symbol_lifts
from pages.ui.figures.curves import Curve, Side, curves
from pages.ui.figures.frontier import (
    BAND,
    OF_X,
    Budget,
    Kept,
    Line,
    SweptAxis,
    SweptLine,
    frontier,
    is_below_mixture,
    is_open,
    swept,
)
from pages.ui.figures.graph import Offers, confusability, merges, range_matrix, trade_off
from pages.ui.figures.histogram import lift_histogram, overlay_histogram
from pages.ui.figures.implications import Level, implications, repeats
from pages.ui.figures.matrix import (
    joint_matrix,
    likeliest_matrix,
    log_lift_matrix,
    mechanism_matrix,
    posterior_matrix,
)
from pages.ui.figures.papers import legend_rows, paper_panel
from pages.ui.figures.robust import (
    BoxPlot,
    before_after,
    beta_lines,
    boxes,
    intervals,
    levels_at,
    robust_frontier,
)
from pages.ui.style.base import Figure

__all__ = [
    "BAND",
    "OF_X",
    "BoxPlot",
    "Budget",
    "Curve",
    "Figure",
    "Kept",
    "Level",
    "Line",
    "Offers",
    "Side",
    "SweptAxis",
    "SweptLine",
    "bars",
    "before_after",
    "beliefs",
    "beta_lines",
    "boxes",
    "confusability",
    "curves",
    "frontier",
    "implications",
    "intervals",
    "is_below_mixture",
    "is_open",
    "joint_matrix",
    "legend_rows",
    "levels",
    "levels_at",
    "lift_histogram",
    "likeliest_matrix",
    "log_lift_matrix",
    "mechanism_matrix",
    "merges",
    "overlay_histogram",
    "paper_panel",
    "posterior_matrix",
    "range_matrix",
    "repeats",
    "robust_frontier",
    "set_risks",
    "swept",
    "symbol_lifts",
    "trade_off",
]
