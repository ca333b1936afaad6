"""A self-contained HTML file of headings, paragraphs, tables, formulas and Plotly charts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import plotly

from pages.ui.report.mathml import mathml
from pages.ui.style.base import Figure
from pages.ui.style.palette import LIGHT, MARKERS

HERE = Path(__file__).parent

MOST_ROWS = 60
"""Rows of a table that are written."""


class Document:
    """A report under way: each method adds a part, `html` returns the whole.

    Parameters
    ----------
    title : str
        The report's title, as all text not yet escaped.

    Examples
    --------
    >>> report = Document("A & B")
    >>> report.text("One sentence.")
    >>> "<p>One sentence.</p>" in report.html(), "<h1>A &amp; B</h1>" in report.html()
    (True, True)
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._parts: list[str] = []
        self._figures: list[str] = []

    def heading(self, text: str) -> None:
        """Begin a section."""
        self._parts.append(f"<h2>{escape(text)}</h2>")

    def text(self, text: str, kind: str = "") -> None:
        """Add a paragraph; its kind is the class of its style."""
        marked = f' class="{kind}"' if kind else ""
        self._parts.append(f"<p{marked}>{escape(text)}</p>")

    def code(self, text: str) -> None:
        """Add a program or a file, line by line."""
        self._parts.append(f"<pre>{escape(text)}</pre>")

    def formula(self, title: str, meaning: str, formula: str, source: str) -> None:
        """Add a definition: what it is, its formula in LaTeX, and where it is from."""
        self._parts.append(
            f'<div class="formula"><p><b>{escape(title)}</b>. {escape(meaning)}</p>'
            f'{mathml(formula)}<p class="source">{escape(source)}</p></div>'
        )

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> None:
        """Add a table of texts; of a long one the first rows, and how many more there are."""
        lines = list(rows)
        told = f"<caption>{escape(caption)}</caption>" if caption else ""
        first = "".join(f"<th>{escape(one)}</th>" for one in head)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(one)}</td>" for one in line) + "</tr>"
            for line in lines[:MOST_ROWS]
        )
        self._parts.append(
            f'<div class="wide"><table>{told}<thead><tr>{first}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>"
        )
        if len(lines) > MOST_ROWS:
            self.text(f"{len(lines) - MOST_ROWS:,} more rows are left out.", "source")

    def chart(self, figure: Figure, title: str, alt: str) -> None:
        """Add a chart, made by `pages.ui.figures`.

        Parameters
        ----------
        figure : dict
            Its data and layout.
        title : str
            Stands above it.
        alt : str
            What it shows, for those who do not see it.
        """
        layout = dict(figure["layout"])
        now = layout.pop("meta", {}).get("now")
        if now:
            layout["shapes"] = [*layout.get("shapes", ()), *_ring(*now)]
        place, height = len(self._figures), int(layout["height"])
        self._figures.append(_coloured({"data": figure["data"], "layout": layout}))
        self._parts.append(
            f'<figure><figcaption>{escape(title)}</figcaption><div class="chart" role="img" '
            f'id="chart{place}" style="height:{height}px" aria-label="{escape(alt)}"></div>'
            "</figure>"
        )

    def html(self) -> str:
        """Return the file."""
        style = (HERE / "report.css").read_text(encoding="utf-8")
        program = (HERE / "report.js").read_text(encoding="utf-8")
        drawn = ",".join(self._figures)
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
            "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">"
            f"<title>{escape(self._title)}</title><style>{style}</style></head>"
            f"<body><main><h1>{escape(self._title)}</h1>{''.join(self._parts)}</main>"
            f"<script>{_plotly()}</script>"
            f"<script>const FIGURES = [{drawn}];\n{program}</script></body></html>\n"
        )


@cache
def _plotly() -> str:
    """Return Plotly's program, as it is installed."""
    path = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    return path.read_text(encoding="utf-8").replace("</script", "<\\/script")


def _coloured(figure: dict[str, Any]) -> str:
    """Return a figure as JSON that may stand in a script, in the colours of the light theme."""
    text = json.dumps(figure, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    for role, marker in MARKERS.items():
        text = text.replace(marker, LIGHT[role])
    return text.replace("<", "\\u003c")


def _ring(x: float, y: float) -> list[dict[str, Any]]:
    """Return the ring around the current setting, and the line down to its place on the axis."""
    ink = MARKERS["ink"]
    return [
        {
            **{"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper"},
            **{"layer": "below", "line": {"color": ink, "width": 1, "dash": "dash"}},
        },
        {
            **{"type": "circle", "xsizemode": "pixel", "ysizemode": "pixel"},
            **{"xanchor": x, "yanchor": y, "x0": -7, "x1": 7, "y0": -7, "y1": 7},
            "line": {"color": ink, "width": 3},
        },
    ]
