"""The Pareto frontier: what each mechanism or notion keeps of X, along the budget ε."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.validation import FloatArray
from pages.ui.style import labels
from pages.ui.style.base import Figure, axis, layout, legend, note, numbers
from pages.ui.style.palette import DASHES, SERIES, SYMBOLS, colour
from pages.ui.style.ticks import ticked

HEIGHT = 330


@dataclass(frozen=True, eq=False)
class Line:
    """One curve of the frontier.

    Attributes
    ----------
    place : int
        Its place among the lines compared; it sets colour, dash and symbol.
    key : tuple of str
        Notion and mechanism; a click on the line returns it.
    title : str
        Its name in the legend.
    eps, nmi, utility : ndarray
        Budget in the unit shown, share kept (I(X;Y)/H(X) by default), and utility in its unit,
        shape (k,).
    most : ndarray, optional
        Upper bound on the share that any mechanism keeps, shape (k,): a band up to it is drawn
        where it is above `nmi`.
    faded : bool
        Whether it is for the last settings, while that for the present ones is worked out.
    points : bool
        Whether they are answers to another promise, each at what it tells of S: drawn as points,
        not as a line.
    between : tuple of ndarray, optional
        Budgets, and what no mechanism exceeds at each, shape (j,) each: between the budgets of the
        line that is more than the straight line from one value of `most` to the next.
    mixture : ndarray, optional
        What mixtures of the line's mechanisms keep, shape (k,): dotted where that is more.
    """

    place: int
    key: tuple[str, str]
    title: str
    eps: FloatArray
    nmi: FloatArray
    utility: FloatArray
    most: FloatArray | None = None
    faded: bool = False
    points: bool = False
    between: tuple[FloatArray, FloatArray] | None = None
    mixture: FloatArray | None = None


@dataclass(frozen=True)
class Kept:
    """What the vertical axis counts.

    Attributes
    ----------
    axis : str
        Its title.
    of : str
        What it is a share of, in a few words.
    value : str
        The name of `Line.utility`.
    in_nats : bool
        Whether that is information, in the unit shown.
    """

    axis: str
    of: str
    value: str
    in_nats: bool = True


@dataclass(frozen=True)
class Budget:
    """What the horizontal axis counts.

    Attributes
    ----------
    symbol : str
        The symbol of a point's budget.
    axis : str
        The axis' title without its unit.
    unit : str
        "" where it has none.
    digits : str
        Plotly's format of a point's budget.
    """

    symbol: str
    axis: str
    unit: str
    digits: str = ".3~g"


OF_X = Kept("kept of X, I(X;Y)/H(X)", "X", "I(X;Y)")
"""The share of H(X)."""

BAND = 0.001
"""Least height of a band, as a share, that can be seen."""

PERCENT: dict[str, object] = {
    "tickvals": [0, 0.25, 0.5, 0.75, 1],
    "ticktext": ["0 %", "25 %", "50 %", "75 %", "100 %"],
}
"""Ticks of the share that is kept, written as shares are everywhere."""

PALE = 0.3
"""Opacity of lines of the last settings."""

NO_BUDGET = "Nothing to compare: this mechanism has no budget."
"""What an empty chart says."""


def frontier(
    lines: Sequence[Line],
    *,
    eps: float,
    nmi: float,
    unit: str,
    limit: float,
    current: int,
    empty: str = NO_BUDGET,
    kept: Kept = OF_X,
    budget: Budget | None = None,
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
        Unit of `Line.eps` and `Line.utility`, of `eps` and of `limit`.
    limit : float
        End of the ε axis.
    current : int
        Place of the line that the current point is on, −1 if on none.
    empty : str
        What is said where there is no line.
    kept : Kept
        What the vertical axis counts.
    budget : Budget, optional
        What the horizontal axis counts: ε, where not given.
    """
    along = budget or Budget("ε", "privacy budget ε", unit, ".2f")
    title = f"{along.axis}{f', in {along.unit}' if along.unit else ''}: less is more private"
    across = (
        axis(title, (0, limit), dtick=1) if budget is None else ticked(title, 0.0, limit * 1.02)
    )
    traces = [band for line in lines if (band := _band(line)) is not None]
    traces += [_mixtures(line) for line in lines if is_below_mixture(line)]
    traces += [_curve(line, kept, along, unit, strong=line.place == current) for line in lines]
    return {
        "data": traces,
        "layout": layout(
            HEIGHT,
            (52, 14, 34, 42),
            xaxis=across,
            yaxis=axis(kept.axis, (-0.03, 1.05), **PERCENT),
            showlegend=True,
            legend=legend(1.02),
            meta={"now": numbers([eps, nmi])},
            annotations=[] if lines else [note(empty, 0.5, 0.5)],
            hoverdistance=24,
        ),
    }


def _curve(line: Line, kept: Kept, along: Budget, unit: str, *, strong: bool) -> dict[str, object]:
    ink = colour(SERIES[line.place % len(SERIES)])
    return {
        "type": "scatter",
        "opacity": PALE if line.faded else 1.0,
        "mode": "markers" if line.points else "lines+markers",
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
        "hovertemplate": f"{along.symbol} = %{{x:{along.digits}}}<br>"
        f"keeps %{{y:.1%}} of {kept.of}<br>"
        f"{kept.value} = %{{customdata:.3f}} {unit if kept.in_nats else ''}"
        f"<extra>{labels.text(line.title)}</extra>",
    }


def _mixtures(line: Line) -> dict[str, object]:
    """Return the dotted line of what mixtures keep."""
    return {
        "type": "scatter",
        "mode": "lines",
        "opacity": PALE if line.faded else 1.0,
        "name": f"{labels.text(line.title)}: mixture of two points",
        "x": numbers(line.eps),
        "y": numbers(line.nmi if line.mixture is None else line.mixture),
        "line": {
            "color": colour(SERIES[line.place % len(SERIES)]),
            "width": 1.2,
            "dash": "dot",
        },
        "hoverinfo": "skip",
        "showlegend": False,
    }


def is_open(line: Line) -> bool:
    """Say whether a band is drawn above a line: whether more may be kept than it keeps."""
    edges = _edges(line)
    return edges is not None and not line.faded and bool((edges[2] - edges[1] > BAND).any())


def is_below_mixture(line: Line) -> bool:
    """Say whether mixtures of a line's mechanisms keep more than the line: they are drawn then."""
    return line.mixture is not None and bool(np.nanmax(line.mixture - line.nmi, initial=0.0) > BAND)


def _edges(line: Line) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Return budgets, what is kept at each and what is proven to be the most; None if nothing is.

    Between the budgets of a line that is what lies on the straight line from one to the next.
    """
    if line.between is None:
        return None if line.most is None else (line.eps, line.nmi, line.most)
    at, most = line.between
    known = np.isfinite(line.nmi)
    if not known.any():
        return None
    return at, np.interp(at, line.eps[known], line.nmi[known]), most


def _band(line: Line) -> dict[str, object] | None:
    """Return the band between a line and its bound; None where there is none to see."""
    edges = _edges(line)
    if not is_open(line) or edges is None:
        return None
    eps, low, high = edges
    there_and_back = np.concatenate([eps, eps[::-1]])
    return {
        "type": "scatter",
        "mode": "lines",
        "fill": "toself",
        "name": f"{labels.text(line.title)}: up to what is proven",
        "x": numbers(there_and_back),
        "y": numbers(np.concatenate([low, high[::-1]])),
        "line": {"width": 0},
        "fillcolor": colour(SERIES[line.place % len(SERIES)]),
        "opacity": 0.16,
        "hoverinfo": "skip",
        "showlegend": False,
    }
