"""Bars: how likely each secret was before an output, and is after it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.validation import FloatArray
from pages.ui.style import labels
from pages.ui.style.base import Figure, label_axis, layout, legend, margin_for, numbers
from pages.ui.style.palette import colour
from pages.ui.style.ticks import round_share, ticked

ROW = 40
"""Pixels that a secret's two bars take."""

ROOM = 20
"""Characters of a name that are shown; the hover has more."""


def beliefs(
    prior: FloatArray, posterior: FloatArray, s_labels: Sequence[str], most: float = 1.0
) -> Figure:
    """Draw two bars for each secret: P(s) hatched, P(s | y) filled.

    Parameters
    ----------
    prior, posterior : ndarray
        Shape (n_s,), each sums to 1.
    s_labels : sequence of str
        Names of the secrets.
    most : float
        The largest belief after any output: the axis is the same for all of them.
    """
    end = round_share(most)
    short = labels.distinct(list(s_labels), ROOM)
    full = [labels.full(name) for name in s_labels]
    change = np.divide(posterior, prior, out=np.ones_like(prior), where=prior > 0)
    said = [f"×{value:.3g}" if value > 0 else "ruled out" for value in change]
    place = list(range(len(short)))
    common = {"type": "bar", "orientation": "h", "y": place}
    return {
        "data": [
            common
            | {
                "name": "before",
                "x": numbers(prior),
                "customdata": full,
                "marker": {
                    "color": colour("before"),
                    "pattern": {"shape": "/", "size": 6, "solidity": 0.35},
                },
                "hovertemplate": "%{customdata}<br>before: %{x:.2%}<extra></extra>",
            },
            common
            | {
                "name": "after this output",
                "x": numbers(posterior),
                "customdata": list(zip(full, said, strict=True)),
                "marker": {"color": colour("after")},
                "hovertemplate": "%{customdata[0]}<br>after: %{x:.2%}, %{customdata[1]}"
                "<extra></extra>",
            },
        ],
        "layout": layout(
            int(np.clip(90 + ROW * len(short), 170, 620)),
            (margin_for(short, 40, 150) + 6, 12, 28, 42),
            xaxis=ticked("probability of the secret", 0, 1.02 * end, percent=True),
            yaxis=label_axis(short) | {"range": [len(short) - 0.5, -0.5]},
            barmode="group",
            bargap=0.3,
            showlegend=True,
            legend=legend() | {"traceorder": "normal"},
        ),
    }
