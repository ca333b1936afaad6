"""A card with a chart that no slider changes."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from pages.ui.chart import chart
from pages.ui.figures import Figure
from pages.ui.parts.cards import card


def still(
    figure: Figure,
    *,
    key: str,
    title: str,
    subtitle: str,
    alt: str,
    table: Callable[[], pd.DataFrame],
    faded: bool = False,
) -> None:
    """Show a figure in a card; the parameters are those of `card` and `chart`."""
    with card(key=key, title=title, subtitle=subtitle, table=table):
        chart(figure, key=key, title=title, alt=alt, faded=faded)
