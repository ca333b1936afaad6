"""The trade-off of a clustering: what can be known of S against what is kept of X."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.nonstochastic import FrontierPoint
from core.wording import number_of
from pages.ui.style import labels
from pages.ui.style.base import Figure, axis, layout, legend, note, numbers
from pages.ui.style.palette import DASHES, SERIES, SYMBOLS, colour
from pages.ui.style.units import of_bits

HEIGHT = 300


@dataclass(frozen=True)
class Offers:
    """One curve: the trade-offs that one method offers.

    Attributes
    ----------
    title : str
        Its name in the legend.
    points : tuple of FrontierPoint
        Its non-dominated partitions, in order of leakage.
    pick : str or None
        What a click on a point returns besides the point's place; None: nothing.
    """

    title: str
    points: tuple[FrontierPoint, ...]
    pick: str | None = None


def trade_off(
    lines: Sequence[Offers],
    *,
    leakage: float,
    utility: float,
    most: float,
    titles: tuple[str, str],
    distortion: bool,
    unit: str = "bits",
) -> Figure:
    """Draw what is kept against what leaks; `layout.meta.now` is the partition on screen.

    Parameters
    ----------
    lines : sequence of Offers
        What to compare.
    leakage, utility : float
        The present partition's, in bits.
    most : float
        End of the axis of leakage, that of X itself, in bits.
    titles : (str, str)
        Of the axes of leakage and of what is kept.
    distortion : bool
        Whether the utility is minus a distortion: then the axis counts down to 0.
    unit : {"nats", "bits"}
        What information is drawn in.
    """
    most, leakage = of_bits(most, unit), of_bits(leakage, unit)
    scale = 1.0 if distortion else of_bits(1.0, unit)
    losses = [-point.utility * scale for line in lines for point in line.points]
    losses.append(-utility * scale)
    low, high = (0.0, max(losses)) if distortion else (0.0, -min(losses))
    room = 0.06 * (high - low) or 0.5
    shown = -utility if distortion else utility * scale
    return {
        "data": [_curve(line, place, distortion, unit) for place, line in enumerate(lines)],
        "layout": layout(
            HEIGHT,
            (56, 14, 34, 42),
            xaxis=axis(titles[0], (-0.04 * (most or 1), 1.06 * (most or 1)), nticks=7),
            yaxis=axis(
                titles[1], (high + room, low - room) if distortion else (low - room, high + room)
            ),
            showlegend=True,
            legend=legend(1.02),
            meta={"now": numbers([leakage, shown])},
            annotations=[] if lines else [note("No trade-off yet.", 0.5, 0.5)],
            hoverdistance=24,
        ),
    }


def _curve(line: Offers, place: int, distortion: bool, unit: str) -> dict[str, object]:
    ink = colour(SERIES[place % len(SERIES)])
    kept = "largest distortion %{y:.4g}" if distortion else f"keeps %{{y:.2f}} {unit} at worst"
    trace: dict[str, object] = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": labels.text(line.title),
        "x": numbers([of_bits(point.leakage, unit) for point in line.points]),
        "y": numbers(
            [
                -point.utility if distortion else of_bits(point.utility, unit)
                for point in line.points
            ]
        ),
        "customdata": [_weights(point) for point in line.points],
        "line": {
            "color": ink,
            "width": 2.4 if line.pick else 1.7,
            "dash": DASHES[place % len(DASHES)],
            "shape": "hv",
        },
        "marker": {"color": ink, "size": 8, "symbol": SYMBOLS[place % len(SYMBOLS)]},
        "hovertemplate": f"leaks %{{x:.2f}} {unit}<br>{kept}<br>%{{customdata}}"
        f"<extra>{labels.text(line.title)}</extra>",
    }
    if line.pick is not None:
        trace["meta"] = [line.pick]
    return trace


def _weights(point: FrontierPoint) -> str:
    clusters = number_of(len(point.partition), "cluster")
    if point.weights is None:
        return clusters
    low, high = point.weights
    if high == float("inf"):
        return f"{clusters}; λ from {low:.4g}" if low else f"{clusters}; any λ"
    return f"{clusters}; λ from {low:.4g} to {high:.4g}"
