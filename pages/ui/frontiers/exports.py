"""Downloads of a sweep: points, means and the sweep itself, and the command that repeats it."""

from __future__ import annotations

import io
import json
import math
from typing import Any

import pandas as pd
import streamlit as st
from pyarrow import parquet

from core.scenario.context import METADATA, Context, file_part
from core.scenario.domains import plain_json
from core.sweep import Sweep, differences, summary
from core.sweep.gathered import CODE, KEY, UNFINISHED
from core.sweep.results import COUNTS
from pages.ui.frontiers import query, results
from pages.ui.frontiers.results import Shown
from pages.ui.parts import exports
from pages.ui.work import context, derived


def menu(shown: Shown) -> None:
    """Show the menu of downloads."""
    with st.popover(
        "Export", icon=":material/download:", key="sweep_export", on_change="rerun"
    ) as opened:
        if not opened.open:
            return
        about = context.shown()
        name = file_part(about)
        sweep = shown.sweep
        with st.container(gap="small"):
            st.caption("All points" if shown.whole else "The points so far, unfinished")
            left, right = st.columns(2)
            with left:
                exports.button(
                    "CSV",
                    f"points-{name}.csv",
                    "text/csv",
                    lambda: exports.csv_bytes(points(shown)),
                    "sweep_points_csv",
                )
            with right:
                exports.button(
                    "Parquet",
                    f"points-{name}.parquet",
                    "application/octet-stream",
                    lambda: parquet_bytes(shown, about),
                    "sweep_points_parquet",
                )
            st.caption("Means, quantiles and paired differences of all figures")
            exports.button(
                "JSON",
                f"means-{name}.json",
                "application/json",
                lambda: means_json(shown, about),
                "sweep_means_json",
            )
            st.caption("The sweep, for `python -m core sweep`")
            exports.button(
                "Sweep (JSON)",
                "sweep.json",
                "application/json",
                lambda: definition(sweep).encode(),
                "sweep_definition",
            )
            st.caption(
                "The address of this page is a permalink: it holds the sweep, never the data."
            )


def command(sweep: Sweep) -> None:
    """Show the command that computes the same points."""
    with st.expander("The same from the command line", icon=":material/terminal:"):
        st.code(command_line(sweep), language="bash")
        st.code(definition(sweep), language="json", height=220)
        exports.button(
            "Sweep (JSON)",
            "sweep.json",
            "application/json",
            lambda: definition(sweep).encode(),
            "sweep_command",
            width="content",
            icon=":material/download:",
        )


def command_line(sweep: Sweep) -> str:
    """Return the command that computes a sweep and its means."""
    line = "python -m core sweep sweep.json --out results.parquet --summary means.json"
    field = query.value("apart")
    return f"{line} \\\n  --differences {field}" if field in sweep.varied else line


def definition(sweep: Sweep) -> str:
    """Return a sweep as JSON, with the names of files where it is about uploads.

    The command reads the files that are named.
    """
    text = sweep.to_json()
    for question in sweep.questions:
        source = question.data.source
        if source.startswith("upload:") and source in derived.sources().uploads:
            name = derived.sources().uploads[source].name
            text = text.replace(json.dumps(source), json.dumps(name, ensure_ascii=False))
    return text


def points(shown: Shown) -> pd.DataFrame:
    """Return the points as a table."""
    frame: pd.DataFrame = shown.table.to_pandas()
    return frame


def parquet_bytes(shown: Shown, about: Context) -> bytes:
    """Return the points as a results file; of an unfinished sweep no run takes it for one."""
    said = dict(shown.table.schema.metadata)
    if not shown.whole:
        said = {CODE: said[CODE], UNFINISHED: said[KEY]}
    said[COUNTS] = results.counts(shown.sweep).encode()
    said[METADATA.encode()] = json.dumps(dict(about), ensure_ascii=False).encode()
    buffer = io.BytesIO()
    parquet.write_table(shown.table.replace_schema_metadata(said), buffer)
    return buffer.getvalue()


def means_json(shown: Shown, about: Context) -> bytes:
    """Return the means of all figures with their quantiles, and paired differences, as JSON."""
    sweep, field = shown.sweep, query.value("apart")
    means = summary(shown.table, sweep)
    said: dict[str, Any] = {
        "about": dict(about),
        "sweep": json.loads(definition(sweep)),
        "points": shown.count,
        "of": sweep.size,
        "summary": means,
    }
    if field in sweep.varied:
        said["differences"] = differences(shown.table, sweep, field)
    return json.dumps(_plain(said), indent=1, ensure_ascii=False).encode()


def _plain(value: Any) -> Any:
    """Return a value for JSON: ∞ as "inf", NaN as null."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and math.isnan(value) else plain_json(value)
