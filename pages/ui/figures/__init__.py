"""Arrays → Plotly figures, as plain data; nothing here knows Streamlit."""

from pages.ui.figures.bars import bars, levels
from pages.ui.figures.beliefs import beliefs
from pages.ui.figures.curves import Curve, Side, curves
from pages.ui.figures.frontier import (
    BAND,
    OF_X,
    Budget,
    Kept,
    Line,
    frontier,
    is_below_mixture,
    is_open,
)
from pages.ui.figures.graph import confusability
from pages.ui.figures.histogram import lift_histogram, overlay_histogram
from pages.ui.figures.implications import Level, implications, repeats
from pages.ui.figures.matrix import (
    joint_matrix,
    likeliest_matrix,
    log_lift_matrix,
    mechanism_matrix,
    posterior_matrix,
)
from pages.ui.figures.merges import merges
from pages.ui.figures.papers import legend_rows, paper_panel
from pages.ui.figures.ranges import range_matrix
from pages.ui.figures.robust import (
    BoxPlot,
    before_after,
    beta_lines,
    boxes,
    intervals,
    levels_at,
    robust_frontier,
)
from pages.ui.figures.sets import set_risks
from pages.ui.figures.swept import SweptAxis, SweptLine, swept
from pages.ui.figures.symbols import symbol_lifts
from pages.ui.figures.trade_off import Offers, trade_off
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
