"""The Pareto frontier: what each mechanism or notion keeps of X, along the budget ε."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.validation import FloatArray
from pages.ui import labels
from pages.ui.figures.base import Figure, axis, layout, note, numbers
from pages.ui.palette import DASHES, SERIES, SYMBOLS, colour

HEIGHT = 330


@dataclass(frozen=True, eq=False)
class Line:
    """One curve of the frontier.

    Attributes
    ----------
    place : int
        Its place among the lines compared: of its colour, dash and symbol.
    key : tuple of str
        Notion and mechanism; a click on the line tells it.
    title : str
        Its name in the legend.
    eps, nmi, utility : ndarray
        Budget in nats, I(X;Y)/H(X), and I(X;Y) in the unit shown, shape (k,).
    """

    place: int
    key: tuple[str, str]
    title: str
    eps: FloatArray
    nmi: FloatArray
    utility: FloatArray


def frontier(
    lines: Sequence[Line], *, eps: float, nmi: float, unit: str, limit: float, current: int
) -> Figure:
    """Draw utility against ε, a line each.

    The current point is in `layout.meta.now`: the chart in the browser lays a ring over the
    figure, which takes no time, where Plotly would draw all of it again for a moved shape.

    Parameters
    ----------
    lines : sequence of Line
        What to compare.
    eps, nmi : float
        The current point.
    unit : str
        Unit of `Line.utility`, for the hover.
    limit : float
        End of the ε axis.
    current : int
        Place of the line that the current point is on, −1 if on none.
    """
    traces = [_curve(line, unit, strong=line.place == current) for line in lines]
    return {
        "data": traces,
        "layout": layout(
            HEIGHT,
            (52, 14, 34, 42),
            xaxis=axis("privacy budget ε, in nats: less is more private", (0, limit), dtick=1),
            yaxis=axis("kept of X, I(X;Y)/H(X)", (-0.03, 1.05), tickformat=".0%", dtick=0.25),
            showlegend=True,
            legend={
                "orientation": "h",
                "x": 0,
                "y": 1.02,
                "yanchor": "bottom",
                "font": {"size": 11.5, "color": colour("ink")},
                "itemclick": False,
                "itemdoubleclick": False,
            },
            meta={"now": numbers([eps, nmi])},
            annotations=[]
            if lines
            else [note("Nothing to compare: this mechanism has no budget.", 0.5, 0.5)],
            hoverdistance=24,
        ),
    }


def _curve(line: Line, unit: str, *, strong: bool) -> dict[str, object]:
    ink = colour(SERIES[line.place % len(SERIES)])
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": labels.text(line.title),
        "x": numbers(line.eps),
        "y": numbers(line.nmi),
        "customdata": numbers(line.utility),
        "meta": list(line.key),
        "line": {
            "color": ink,
            "width": 2.6 if strong else 1.7,
            "dash": DASHES[line.place % len(DASHES)],
        },
        "marker": {
            "color": ink,
            "size": 6 if strong else 5,
            "symbol": SYMBOLS[line.place % len(SYMBOLS)],
        },
        "hovertemplate": "ε = %{x:.2f}<br>keeps %{y:.1%} of X<br>"
        f"I(X;Y) = %{{customdata:.3f}} {unit}"
        f"<extra>{labels.text(line.title)}</extra>",
    }
