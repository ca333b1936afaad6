"""Tables and matrices: their cells, and the pages of those that are too long."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from core.measures.leakage import Leakage
from core.release.confusability import ConfusabilityGraph
from core.scenario.context import file_part
from core.validation import FloatArray, IntArray
from pages.ui.parts import exports
from pages.ui.style import glossary
from pages.ui.style.labels import markdown
from pages.ui.work import context

ROWS = 60
"""Rows that a chart shows at once: more have no room for their names."""

COLUMNS = 80
"""Columns that a matrix shows: more would be too thin to see."""


def page(weight: FloatArray, things: str, key: str) -> IntArray:
    """Return the rows to show, the largest of weight (n,) first; of a long list, pick the page."""
    return rows(weight, first_row(len(weight), things, key))


def first_row(count: int, things: str, key: str) -> int:
    """Show the picker of the page of a long list; return the place of the first row to show."""
    if count <= ROWS:
        return 0
    starts = list(range(0, count, ROWS))
    wanted = st.session_state.get(key)
    if wanted is not None and wanted not in starts:
        st.session_state[key] = starts[-1]
    start = st.select_slider(
        f"{count:,} {things}",
        starts,
        format_func=lambda first: f"{first + 1:,} to {min(first + ROWS, count):,}",
        key=key,
        persist_state="session",
    )
    return int(start)


def rows(weight: FloatArray, first: int) -> IntArray:
    """Return the rows of a page of a long list, the largest of weight (n,) first; all of a short.

    A list that ends before `first` has its last page shown.
    """
    count = len(weight)
    if count <= ROWS:
        return np.arange(count)
    order: IntArray = np.argsort(-weight, kind="stable")
    first = min(first, (count - 1) // ROWS * ROWS)
    return order[first : first + ROWS]


WIDTHS = {
    "figure": 210,
    "number": 84,
    "cluster": 150,
    "mechanism": 150,
    "note": 420,
}
"""Pixels of columns: a phone keeps one of figures in sight, at most 60% of the table's width."""

MOST_LINES = 5
"""Lines of a cell that are shown: a double click and the CSV show the rest."""

PROGRAM = re.compile(r"\w+")
"""The name of a column as programs read it."""

SPELLED = {
    "min_lift": "Ψ",
    "max_lift": "Λ",
    "eps": "ε",
    "lambda": "λ",
    "nmi": "NMI",
    "lip": "LIP",
    "ldp": "LDP",
    "radius_s": "rad_s",
}
"""How such names spell symbols and acronyms."""

NONE = "–"
"""Shown where there is no number."""


def sheet(
    frame: pd.DataFrame,
    key: str,
    *,
    most: int = 420,
    wrapped: Mapping[str, int] | None = None,
    most_lines: int = MOST_LINES,
    **more: Any,
) -> None:
    """Show a table with its CSV and Parquet; symbols in its heads are explained there and below."""
    several = lines(frame, wrapped or {}, most_lines)
    # pixels: 35 for a line, 20 for each further one, and 66 where the browser breaks long texts
    row = 35 if several == 1 else max(66, 35 + 20 * (several - 1))
    heads = [_spelled(str(column)) for column in frame.columns]
    more["column_config"] = _with_help(frame, more.get("column_config", {}))
    st.dataframe(
        readable(frame),
        hide_index=True,
        height=min(most, 38 + row * max(len(frame), 1)),
        row_height=row,
        placeholder=NONE,
        **more,
    )
    _files(frame, key, heads)


def read(frame: pd.DataFrame, key: str, shown: pd.DataFrame | None = None) -> None:
    """Show a table of sentences as text of the page's own, every cell whole, with its files.

    A column without a word is in the files alone.
    """
    if shown is None:
        shown = frame.map(markdown)
    shown = shown.loc[:, (shown != "").any()]
    with st.container(key=f"read_{key}"):
        st.table(shown.reset_index(drop=True), border="horizontal", hide_index=True)
        _files(frame, key, [_spelled(str(column)) for column in shown.columns])


def _files(frame: pd.DataFrame, key: str, heads: Sequence[str]) -> None:
    """Show what the signs in a table's heads mean, and the buttons that save the table."""
    about = context.shown()
    name = "-".join(part for part in ("liftscope", key, file_part(about)) if part)
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center"):
        if explanation := glossary.explanation(*heads):
            st.caption("columns", help=explanation, width="content")
        for label, mime, make in (
            ("CSV", "text/csv", lambda: exports.csv_bytes(frame)),
            ("Parquet", "application/octet-stream", lambda: exports.parquet_bytes(frame, about)),
        ):
            kind = label.lower()
            exports.button(
                label,
                f"{name}.{kind}",
                mime,
                make,
                f"{key}_{kind}",
                width="content",
                type="tertiary",
                icon=":material/download:",
            )


def _with_help(frame: pd.DataFrame, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of columns, with what the signs in their heads mean."""
    configured: dict[str, Any] = dict(settings)
    for column in map(str, frame.columns):
        own = dict(configured.get(column, {}))
        parts = [own.get("help"), glossary.explanation(_spelled(column))]
        if text := "\n\n".join(part for part in parts if part):
            configured[column] = own | {"help": text}
    return configured


def _spelled(name: str) -> str:
    """Return the name of a column with the signs that names for programs spell out."""
    if not PROGRAM.fullmatch(name):
        return name
    for word, sign in SPELLED.items():
        name = re.sub(rf"(?<![a-z]){word}(?![a-z])", sign, name)
    return re.sub(r"_(?!s\b)", " ", name)


def lines(frame: pd.DataFrame, wrapped: Mapping[str, int], most_lines: int = MOST_LINES) -> int:
    """Return how many lines the rows of a table have."""
    needed = [
        # pixels that a letter takes, and that a cell keeps free at its sides
        math.ceil(6.6 * len(text) / (pixels - 18))
        for column, pixels in wrapped.items()
        for text in frame[column]
    ]
    return min(most_lines, max(needed, default=1) or 1)


def readable(frame: pd.DataFrame) -> pd.DataFrame | Styler:
    """Return a table whose infinite numbers are shown as ∞ and −∞, and still sort as numbers."""
    fractions = [column for column, kind in frame.dtypes.items() if kind.kind == "f"]
    if not np.isinf(frame[fractions].to_numpy(dtype=np.float64)).any():
        return frame
    # `number` is called only with the numbers of `subset`
    written = cast("Callable[[object], str]", number)
    return frame.reset_index(drop=True).style.format(written, subset=fractions)


def lifts(leak: Leakage) -> pd.DataFrame:
    """Return the probability and the extreme log-lifts of each symbol of a release."""
    return pd.DataFrame(
        {
            "symbol": leak.labels,
            "probability": leak.joint_sy.sum(axis=0),
            "log_min_lift_nats": leak.log_min_lift,
            "log_max_lift_nats": leak.log_max_lift,
        }
    )


def graph(confusability: ConfusabilityGraph) -> pd.DataFrame:
    """Return the nodes of a confusability graph, and how many others each is joined to."""
    return pd.DataFrame(
        {
            "release": confusability.names,
            "probability": confusability.mass,
            "possible_secrets": confusability.possible,
            "looks_like": [
                sum(node in edge for edge in confusability.edges)
                for node in range(len(confusability.names))
            ],
        }
    )


def number(value: float) -> str:
    """Write a number as tables do, ∞ included."""
    if np.isnan(value):
        return ""
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.2g}" if 0 < abs(value) < 1e-3 else f"{value:.4f}".rstrip("0").rstrip(".")
    return text.replace("-", "−")
