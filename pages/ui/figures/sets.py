"""Algorithm 1 as bars: the sets so far, how risky each is, which of them keep the promise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.validation import BoolArray, FloatArray
from pages.ui.style import labels
from pages.ui.style.base import Figure, axis, label_axis, layout, legend, margin_for, note, numbers
from pages.ui.style.palette import colour
from pages.ui.style.units import in_unit

ROW = 26
"""Pixels a set takes."""

ROOM = 22
"""Characters of a set's name that are shown; the hover has more."""


def set_risks(
    names: Sequence[str], risk: FloatArray, fits: BoolArray, reach: float, unit: str = "nats"
) -> Figure:
    """Draw a bar for each set: filled if it keeps the promise, else hatched.

    Parameters
    ----------
    names : sequence of str
        Names of the sets, n of them.
    risk : ndarray
        ω of each in nats, shape (n,), ∞ allowed.
    fits : ndarray of bool
        Whether the notion allows it, shape (n,).
    reach : float
        End of the axis, in nats: it stays while steps go by.
    unit : str
        "nats" or "bits", of all that is shown.
    """
    risk, reach = risk * in_unit(1.0, unit), in_unit(reach, unit)
    short = labels.distinct(list(names), ROOM)
    full = [labels.full(name) for name in names]
    traces = []
    for mask, role, title, pattern in (
        (fits, "after", "keeps the promise", ""),
        (~fits, "before", "not yet", "/"),
    ):
        chosen = np.flatnonzero(mask)
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": title,
                "x": numbers(np.minimum(risk[chosen], reach)),
                "y": [int(i) for i in chosen],
                "customdata": [
                    [full[i], "∞" if np.isinf(risk[i]) else f"{risk[i]:.3f}"] for i in chosen
                ],
                "marker": {
                    "color": colour(role),
                    "pattern": {"shape": pattern, "size": 6, "solidity": 0.35},
                },
                "hovertemplate": "%{customdata[0]}<br>ω = %{customdata[1]} "
                + unit
                + "<extra></extra>",
            }
        )
    return {
        "data": traces,
        "layout": layout(
            int(np.clip(110 + ROW * len(short), 190, 560)),
            (margin_for(short, 60, 150) + 6, 12, 30, 42),
            xaxis=axis(f"risk ω of the set, {unit}", (0, reach * 1.04), nticks=7),
            yaxis=label_axis(short) | {"range": [max(len(short), 1) - 0.5, -0.5]},
            barmode="overlay",
            bargap=0.3,
            showlegend=bool(len(short)),
            legend=legend(),
            annotations=[] if len(short) else [note("No set yet.", 0.5, 0.5)],
        ),
    }
