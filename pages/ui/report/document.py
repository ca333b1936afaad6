"""A self-contained HTML file of headings, paragraphs, tables, formulas as MathML and charts."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import plotly

from core.catalogued import Catalogued
from core.records.certificate import PACKAGE_VERSION, code_hash
from core.scenario.data_url import Query
from pages.ui.serving import programs
from pages.ui.style.base import LIGHT, MARKERS, Figure

NAMELESS = (
    "Symbols that the question leaves out are not named here, because reports get passed on. Leave "
    "them out again to get the same answer."
)
"""A report's note on names that it withholds."""

NONE = "–"
"""Stands where there is nothing."""

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[A-Za-z]|\d+(?:\.\d+)?|\.\d+|\S")
"""A command, a letter, a number or a sign; spaces mean nothing."""

LETTERS = {
    "alpha": "α",
    "beta": "β",
    "chi": "χ",
    "delta": "δ",
    "varepsilon": "ε",
    "lambda": "λ",
    "Gamma": "Γ",
    "Lambda": "Λ",
    "Psi": "Ψ",
}
"""Commands that are letters."""

SIGNS = {
    "le": "≤",
    "ge": "≥",
    "ne": "≠",
    "neq": "≠",
    "mid": "|",
    "Vert": "‖",
    "lVert": "‖",
    "rVert": "‖",
    "cdot": "·",
    "in": "∈",
    "to": "→",
    "dots": "…",
    "propto": "∝",
    "sim": "∼",
    "iff": "⟺",
    "exists": "∃",
    "subseteq": "⊆",
    "subsetneq": "⊊",
    "{": "{",
    "}": "}",
}
"""Commands that are operators or relations."""

LARGE = {"sum": "∑", "prod": "∏"}
"""Operators whose limits are written below and above."""

NAMED = ("max", "min", "log")
"""Operators that are written as words; limits of the first two are written below."""

SPACES = {
    "!": "-0.17em",
    ",": "0.17em",
    ";": "0.28em",
    " ": "0.25em",
    "quad": "1em",
    "qquad": "2em",
}
"""Commands that are spaces, and their widths."""

BRACKETS = "()[]|"
"""Signs that MathML makes as tall as their row, and TeX does not."""

IGNORED = ("Bigl", "Bigr", "bigl", "bigr", "textstyle")
"""Commands that only change a size."""


def mathml(formula: str) -> str:
    r"""Return a formula as a MathML element that stands on a line of its own."""
    reader = _Reader(formula)
    content = reader.row(None)
    return f'<math display="block">{content}</math>'


class _Reader:
    """Reads a formula from left to right."""

    def __init__(self, formula: str) -> None:
        self._formula = formula
        self._texts: list[str] = []
        plain = re.sub(r"\\text\{([^}]*)\}", self._keep, formula)
        self._tokens: list[str] = TOKEN.findall(plain)
        self._at = 0

    def _keep(self, match: re.Match[str]) -> str:
        """Keep a text with its spaces, and put a mark in its place."""
        self._texts.append(match[1])
        return r"\TEXT "

    def row(self, end: str | None) -> str:
        """Read up to a token, which is taken too, as one row."""
        return f"<mrow>{''.join(self.parts(end))}</mrow>"

    def parts(self, *ends: str | None) -> list[str]:
        """Read elements up to one of some tokens, which is taken too; None is the formula's end."""
        elements: list[str] = []
        while self._at < len(self._tokens):
            if self._tokens[self._at] in ends:
                self._at += 1
                return elements
            elements.append(self._scripted())
        if None not in ends:
            raise ValueError(f"The formula {self._formula!r} ends too early.")
        return elements

    def _next(self) -> str:
        if self._at == len(self._tokens):
            raise ValueError(f"The formula {self._formula!r} ends too early.")
        self._at += 1
        return self._tokens[self._at - 1]

    def _scripted(self) -> str:
        """Read an element with what is written below and above it."""
        token = self._tokens[self._at]
        base = self._element()
        below = above = ""
        while self._at < len(self._tokens) and self._tokens[self._at] in "_^'":
            mark = self._next()
            if mark == "'":
                above += "<mo>′</mo>"
            elif mark == "_":
                below = self._element()
            else:
                above += self._element()
        above = f"<mrow>{above}</mrow>" if above else ""
        limits = token[1:] in LARGE or token[1:] in ("max", "min")
        low, high = ("munder", "mover") if limits else ("msub", "msup")
        if below and above:
            both = "munderover" if limits else "msubsup"
            return f"<{both}>{base}{below}{above}</{both}>"
        if below:
            return f"<{low}>{base}{below}</{low}>"
        return f"<{high}>{base}{above}</{high}>" if above else base

    def _element(self) -> str:
        """Read a group, a command, a letter, a number or a sign."""
        token = self._next()
        if token == "{":
            return self.row("}")
        if token.startswith("\\"):
            return self._command(token[1:])
        if token.isalpha():
            return f"<mi>{token}</mi>"
        if token[-1].isdigit():
            return f"<mn>{token}</mn>"
        if token in BRACKETS:
            return f'<mo stretchy="false">{token}</mo>'
        return f"<mo>{escape('−' if token == '-' else token)}</mo>"

    def _command(self, name: str) -> str:
        if name in LETTERS:
            return f"<mi>{LETTERS[name]}</mi>"
        if name in SIGNS:
            return f"<mo>{escape(SIGNS[name])}</mo>"
        if name in LARGE:
            return f"<mo>{LARGE[name]}</mo>"
        if name in NAMED:
            return f"<mi>{name}</mi>"
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"></mspace>'
        if name in IGNORED:
            if name == "textstyle":
                return self._scripted()
            return self._element().replace(' stretchy="false"', "")
        if name == "TEXT":
            return f"<mtext>{escape(self._texts.pop(0)).replace(' ', '&#160;')}</mtext>"
        if name in ("frac", "tfrac"):
            return f"<mfrac>{self._argument()}{self._argument()}</mfrac>"
        if name == "hat":
            return f'<mover accent="true">{self._element()}<mo>^</mo></mover>'
        if name == "mathrm":
            return f'<mi mathvariant="normal">{"".join(self._letters())}</mi>'
        if name == "begin":
            return self._cases()
        raise ValueError(f"The formula {self._formula!r} has an unknown command: {name}.")

    def _argument(self) -> str:
        """Read an argument of a fraction: a group, or one digit."""
        token = self._next()
        self._at -= 1
        if token[0].isdigit() and len(token) > 1:
            self._tokens[self._at : self._at + 1] = [token[0], token[1:]]
        return self._element()

    def _letters(self) -> list[str]:
        """Read a group as plain letters."""
        if self._next() != "{":
            raise ValueError(f"The formula {self._formula!r} needs braces after \\mathrm.")
        letters = []
        while (token := self._next()) != "}":
            letters.append(escape(token))
        return letters

    def _cases(self) -> str:
        """Read cases: rows of two columns behind a brace."""
        self._letters()
        rows, cells = [], []
        while True:
            cells.append("".join(self.parts("&", "\\\\", "\\end")))
            ended = self._tokens[self._at - 1]
            if ended != "&":
                rows.append("".join(f"<mtd><mrow>{cell}</mrow></mtd>" for cell in cells))
                cells = []
            if ended == "\\end":
                self._letters()
                table = "".join(f"<mtr>{row}</mtr>" for row in rows)
                return f'<mrow><mo>{{</mo><mtable columnalign="left">{table}</mtable></mrow>'


HERE = Path(__file__).parent

MOST_ROWS = 60
"""Rows of a table that are written."""

ALL_DIGITS = 1e9
"""Whole numbers below it are written with all digits."""


class Document:
    """A report under way: each method adds a part, `html` returns the whole."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._parts: list[str] = []
        self._figures: list[str] = []

    def heading(self, text: str) -> None:
        self._parts.append(f"<h2>{escape(text)}</h2>")

    def text(self, text: str, kind: str = "") -> None:
        """Add a paragraph; its kind is the class of its style."""
        marked = f' class="{kind}"' if kind else ""
        self._parts.append(f"<p{marked}>{escape(text)}</p>")

    def formulas(self, entries: Iterable[Catalogued]) -> None:
        """Add definitions: what each is, its formula, and where it is from."""
        self.heading("Formulas and sources")
        self._parts += [
            f'<div class="formula"><p><b>{escape(entry.title)}</b>. {escape(entry.meaning)}</p>'
            f'{mathml(entry.formula)}<p class="source">{escape(entry.source)}</p></div>'
            for entry in entries
        ]

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> None:
        """Add a table of texts; of a long one the first rows, and how many more there are."""
        lines = list(rows)
        title = f"<caption>{escape(caption)}</caption>" if caption else ""
        first = "".join(f"<th>{escape(name)}</th>" for name in head)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>"
            for line in lines[:MOST_ROWS]
        )
        self._parts.append(
            f'<div class="wide"><table>{title}<thead><tr>{first}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>"
        )
        if len(lines) > MOST_ROWS:
            self.text(f"{len(lines) - MOST_ROWS:,} more rows omitted.", "source")

    def frame(self, table: pd.DataFrame, caption: str = "") -> None:
        """Add a table of the page's own."""
        rows = [tuple(map(written, row)) for row in table.itertuples(index=False)]
        self.table(tuple(map(str, table.columns)), rows, caption)

    def chart(self, figure: Figure, title: str, alt: str) -> None:
        """Add a chart, made by `pages.ui.figures`."""
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

    def end(
        self,
        sources: Mapping[str, str],
        page: str,
        query: Query,
        when: datetime | None,
        *,
        nameless: bool,
    ) -> None:
        """Add what makes the report again, by name and as a page's address; when it was made.

        `sources`: code by its name. `nameless`: the names of symbols are withheld.
        """
        self.heading("Reproduce")
        if nameless:
            self.text(NAMELESS)
        for name, source in sources.items():
            self.text(f"{name}:")
            self._parts.append(f"<pre>{escape(source)}</pre>")
        link = urlencode(query, doseq=True)
        self.text(f"As the end of the dashboard's address: /{page}{'?' * bool(link)}{link}")
        time = (when or datetime.now(UTC)).strftime("%Y-%m-%d %H:%M UTC")
        self.text(
            f"Made {time} by Liftscope {PACKAGE_VERSION} (code {code_hash()[:12]}), Python "
            f"{platform.python_version()}, NumPy {np.__version__}, Plotly {plotly.__version__}.",
            "source",
        )

    def html(self) -> str:
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


def written(value: object) -> str:
    """Return a cell as text."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if not isinstance(value, float):
        return str(value)
    if value.is_integer() and abs(value) < ALL_DIGITS:
        return f"{value:.0f}".replace("-", "−")
    return NONE if np.isnan(value) else f"{value:.4g}".replace("inf", "∞").replace("-", "−")


@cache
def _plotly() -> str:
    return programs.PLOTLY_FILE.read_text(encoding="utf-8").replace("</script", "<\\/script")


def _coloured(figure: dict[str, Any]) -> str:
    """Return a figure as JSON that may stand in a script, in the colors of the light theme."""
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
