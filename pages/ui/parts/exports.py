"""What can be downloaded: tables, mechanisms, scenarios, as bytes that are safe to open."""

from __future__ import annotations

import csv
import io
import json
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import streamlit as st
from pyarrow import parquet

from core.errors import CoreError
from core.mechanisms import Mechanism
from core.scenario import Scenario
from core.scenario.context import METADATA, Context, file_part
from core.scenario.snippet import notebook, snippet
from core.spreadsheets import safe_cell
from core.utilities import Information
from pages.ui.style.labels import markdown
from pages.ui.work import answers, context, derived, refining, visits

HASHED = (
    "The address and the scenario name your file by its SHA-256 hash. Anyone who guesses the file "
    "can confirm the guess, so share them only with people who have the file. Program, notebook, "
    "report and certificate do not contain the hash."
)
"""Stands below what identifies a user's file."""


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """Write a table as CSV with a header and without an index, every cell safe."""
    lines = [_line([str(column) for column in frame.columns])]
    lines += [_line(row) for row in frame.itertuples(index=False)]
    return "".join(lines).encode("utf-8")


def _line(cells: Iterable[object]) -> str:
    """Write a row; cells with a carriage return are quoted too, since it may end a line."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow([safe_cell(cell) for cell in cells])
    return text.getvalue().removesuffix("\r\n") + "\n"


def kernel_table(mechanism: Mechanism, inputs: Sequence[str]) -> pd.DataFrame:
    """Return P(y | x), (n, n_y), as a table: a row for each input, a column for each output."""
    columns = {label: mechanism.kernel[:, y] for y, label in enumerate(mechanism.y_labels)}
    return pd.DataFrame({"x": list(inputs)} | columns)


def parquet_bytes(frame: pd.DataFrame, about: Context) -> bytes:
    """Write a table as Parquet; its metadata "liftscope" says as JSON what it is about."""
    plain = frame.copy()
    plain.columns = [str(column) for column in frame.columns]
    for column, kind in plain.dtypes.items():
        if kind.kind == "O" and len({type(value) for value in plain[column]}) > 1:
            plain[column] = [None if pd.isna(value) else str(value) for value in plain[column]]
    table = pa.Table.from_pandas(plain, preserve_index=False)
    buffer = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata({METADATA: json.dumps(dict(about))}), buffer)
    return buffer.getvalue()


def mechanism_json(
    mechanism: Mechanism, inputs: Sequence[str], about: Context | None = None
) -> bytes:
    """Write a mechanism as JSON: its kernel, names, utility, bound, status and context."""
    content = {
        "about": dict(about or {}),
        "name": mechanism.name,
        "notion": None if mechanism.notion is None else str(mechanism.notion),
        "inputs": list(inputs),
        "x_labels": mechanism.x_labels,
        "y_labels": mechanism.y_labels,
        "kernel": [],
        "utility_nats": mechanism.information,
        "nmi": mechanism.nmi,
        **_of_purpose(mechanism),
        "solver": mechanism.solver,
        "status": mechanism.status,
        "audited": mechanism.audit is not None and mechanism.audit.holds,
    }
    # a row a line: all numbers as values at once take 30 bytes each
    rows = ",\n  ".join(json.dumps(row.tolist()) for row in mechanism.kernel)
    text = json.dumps(content, indent=1, ensure_ascii=False)
    return text.replace('\n "kernel": []', f'\n "kernel": [\n  {rows}\n ]', 1).encode("utf-8")


def _of_purpose(mechanism: Mechanism) -> dict[str, object]:
    """Return bound and gap; where the purpose is not I(X;Y), its title, unit and value too."""
    if isinstance(mechanism.purpose, Information):
        return {"upper_bound_nats": mechanism.upper_bound, "gap_nats": mechanism.gap}
    return {
        "purpose": mechanism.purpose.title,
        "purpose_unit": mechanism.purpose.unit,
        "purpose_value": mechanism.utility,
        "purpose_upper_bound": mechanism.upper_bound,
        "purpose_gap": mechanism.gap,
    }


def mechanism_npz(
    mechanism: Mechanism, inputs: Sequence[str], about: Context | None = None
) -> bytes:
    """Write a mechanism's kernel, names and context (JSON) as a NumPy archive, without pickles."""
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        about=np.array(json.dumps(dict(about or {})), dtype=np.str_),
        kernel=mechanism.kernel,
        inputs=np.array(inputs, dtype=np.str_),
        x_labels=np.array(mechanism.x_labels, dtype=np.str_),
        y_labels=np.array(mechanism.y_labels, dtype=np.str_),
    )
    return buffer.getvalue()


def button(
    label: str, name: str, mime: str, make: Callable[[], bytes], key: str, **more: Any
) -> None:
    """Show a download button; the file is made when it is clicked, from what its visit has then."""
    own = weakref.ref(visits.visit())

    def content() -> bytes:
        with visits.ahead_for(own):  # it runs outside of the visit
            return make()

    st.download_button(
        label,
        data=content,
        file_name=name,
        mime=mime,
        key=key,
        on_click="ignore",
        **({"width": "stretch"} | more),
    )


def report(
    make: Callable[[], str],
    key: str,
    name: str = "liftscope-report.html",
    help: str = "One HTML file for this question: charts, tables, formulas, sources, audit.",
    lacking: str = "",
) -> None:
    """Show the button of a report, made when it is clicked; `lacking`: why there is none."""
    button(
        "Report",
        name,
        "text/html",
        lambda: make().encode("utf-8"),
        key,
        icon=":material/description:",
        width="content",
        help=lacking or help,
        disabled=bool(lacking),
    )


def files(
    key: str,
    contents: Callable[[], None],
    make: Callable[[], str],
    *,
    lacking: str = "",
    **more: str,
) -> None:
    """Show the menu "Export" and the button "Report"; `lacking`: why a page has neither yet."""
    opened(key, contents, lacking=lacking)
    report(make, f"{key}_report", lacking=lacking, **more)


def no_files(key: str, why: str) -> None:
    """Show that a page has nothing to export or to report, and why."""
    files(key, lambda: None, str, lacking=why)


def of_tables(key: str, tables: Mapping[str, Callable[[], pd.DataFrame]], about: Context) -> None:
    """Show the downloads of tables, by their titles; `about`: what they are about."""
    with st.container(gap="small"):
        for place, (title, table) in enumerate(tables.items()):
            name = f"{key}-{place + 1}-{file_part(about)}".rstrip("-")
            st.caption(markdown(title))
            files: Sequence[tuple[str, str, Callable[[], bytes]]] = (
                ("CSV", "text/csv", partial(_csv, table)),
                ("Parquet", "application/octet-stream", partial(_parquet, table, about)),
            )
            for column, (label, mime, make) in zip(st.columns(2), files, strict=True):
                with column:
                    kind = label.lower()
                    button(label, f"{name}.{kind}", mime, make, f"{key}_{place}_{kind}_file")


def _csv(table: Callable[[], pd.DataFrame]) -> bytes:
    return csv_bytes(table())


def _parquet(table: Callable[[], pd.DataFrame], about: Context) -> bytes:
    return parquet_bytes(table(), about)


OF_PAGE = "One HTML file of this page: sentences, charts, tables."
"""What the report of a page is that is not about one answer."""


def menu(key: str, scenario: Scenario) -> None:
    """Show the menu of downloads of a scenario's result."""
    opened(key, lambda: contents(key, scenario))


def opened(key: str, contents: Callable[[], None], *, lacking: str = "") -> None:
    """Show the menu "Export", with its contents once it is open; `lacking`: why it has none."""
    with st.popover(
        "Export",
        icon=":material/download:",
        key=f"{key}_export",
        on_change="rerun",
        disabled=bool(lacking),
        help=lacking or None,
    ) as export:
        if export.open:
            contents()


def contents(key: str, scenario: Scenario) -> None:
    """Show the downloads of a scenario's result, or why there is none."""
    try:
        result = answers.evaluate(scenario)
    except CoreError as error:
        st.error(markdown(str(error)))
        return
    waiting = answers.is_refining(scenario)
    downloads(result.mechanism, derived.inputs(result), result.scenario, key, provisional=waiting)


def downloads(
    mechanism: Mechanism,
    inputs: Sequence[str],
    scenario: Scenario,
    key: str,
    *,
    about: Context | None = None,
    program: str = "",
    provisional: bool = False,
) -> None:
    """Show the downloads of a mechanism and its question; `provisional` ones say that they are.

    `about`: what the mechanism is about; `program`: what makes it; both by default the scenario's.
    """
    about = context.of(scenario) if about is None else about
    name = file_part(about)
    with st.container(gap="small"):
        if provisional:
            about = dict(about) | {"provisional": refining.PROVISIONAL}
            st.caption(refining.PROVISIONAL)
        st.caption("The mechanism P(y | x)")
        files: Sequence[tuple[str, str, Callable[[], bytes]]] = (
            ("CSV", "text/csv", lambda: csv_bytes(kernel_table(mechanism, inputs))),
            ("JSON", "application/json", lambda: mechanism_json(mechanism, inputs, about)),
            ("NPZ", "application/octet-stream", lambda: mechanism_npz(mechanism, inputs, about)),
        )
        for column, (label, mime, make) in zip(st.columns(3), files, strict=True):
            with column:
                button(label, f"mechanism-{name}.{label.lower()}", mime, make, f"{key}_{label}")
        _of_question(scenario, name, key, program or snippet(scenario))


def _of_question(scenario: Scenario, name: str, key: str, program: str) -> None:
    st.caption("The question")
    button(
        "Scenario (JSON)",
        f"scenario-{name}.json",
        "application/json",
        lambda: scenario.to_json().encode("utf-8"),
        f"{key}_scenario",
    )
    st.caption("The same in Python, with `core`")
    button(
        "Notebook (.ipynb)",
        f"scenario-{name}.ipynb",
        "application/x-ipynb+json",
        lambda: notebook(scenario, program).encode("utf-8"),
        f"{key}_notebook",
    )
    st.code(program, language="python", height=220)
    st.caption("The address of this page is a permalink: it holds the question, never the data.")
    if scenario.data.hashed:
        st.caption(HASHED)
