"""How log Ψ and log Λ spread over many random joints, on one axis."""

from __future__ import annotations

from itertools import pairwise

from core.validation import FloatArray
from pages.ui.figures.histogram import fill, spelt_spans
from pages.ui.style.base import Figure, axis, layout, legend, numbers
from pages.ui.style.palette import colour
from pages.ui.style.ticks import texts, ticks
from pages.ui.style.units import in_unit


def overlay_histogram(
    edges: FloatArray, low: FloatArray, high: FloatArray, unit: str = "nats"
) -> Figure:
    """Draw the shares of log Ψ and log Λ over many random joints on one axis.

    Parameters
    ----------
    edges : ndarray
        Bin edges in nats, shape (k + 1,).
    low, high : ndarray
        Share of symbols in each bin by log Ψ and by log Λ, shape (k,): each sums to 1.
    unit : str
        "nats" or "bits", of all that is shown.
    """
    ends = [in_unit(float(edge), unit) for edge in edges]
    spans = spelt_spans(ends, unit)
    at = ticks(ends[0], ends[-1], 8)
    most = float(max(low.max(), high.max()))
    shares = ticks(0, most * 1.05, 5)
    parts = (
        (low, "before", "log Ψ: how far beliefs fall", "/"),
        (high, "after", "log Λ: how far beliefs rise", ""),
    )
    return {
        "data": [
            {
                "type": "bar",
                "name": title,
                "x": numbers([(a + b) / 2 for a, b in pairwise(ends)]),
                "y": numbers(share),
                "customdata": spans,
                "marker": fill(role, pattern),
                "hovertemplate": f"{title.partition(':')[0]} %{{customdata}}: %{{y:.1%}}"
                "<extra></extra>",
            }
            for share, role, title, pattern in parts
        ],
        "layout": layout(
            300,
            (58, 14, 34, 42),
            xaxis=axis(
                f"log-lift, {unit}",
                (ends[0], ends[-1]),
                tickvals=at,
                ticktext=texts(at),
                zeroline=True,
                zerolinecolor=colour("edge"),
            ),
            yaxis=axis(
                "share of symbols, each colour 100 %",
                (0, most * 1.05),
                tickvals=shares,
                ticktext=texts(shares, percent=True),
            ),
            barmode="overlay",
            bargap=0.06,
            showlegend=True,
            legend=legend(1.02),
        ),
    }
