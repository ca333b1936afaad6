"""The Data page: where the data is from, how it is preprocessed, and the joint distribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from core.data import Counted, DataSpec, bundled
from core.data.catalogue import BUNDLED
from core.data.counts.cells import JOINED
from core.data.options import KINDS
from core.data.readers.describe import ColumnInfo
from core.data.spec import Merge
from core.errors import CoreError
from core.validation import FloatArray
from core.wording import number_of
from pages.ui import figures
from pages.ui.data import databases, preprocessing, reading, uploads
from pages.ui.frame import address, data_controls, data_remedies, state, theme
from pages.ui.parts import tables
from pages.ui.parts.cards import still
from pages.ui.parts.key_figures import figure
from pages.ui.style.labels import markdown
from pages.ui.work import context, derived, visits

_LAST = "_last_count"

ALL_COUNTED = "All records are used unchanged."
"""The sentence shown if no record was left out or changed."""


def show() -> None:
    theme.apply()
    address.warn(*state.notices())
    with st.sidebar:
        data_controls.show(known=True)
    spec = state.data()
    state.publish(state.scenario())
    with st.container(key="header"):
        st.title("Data", anchor=False)
    _about(spec)
    with st.expander(
        "Use my own data",
        icon=":material/upload_file:",
        key="own",
        expanded=databases.is_requested(spec),
    ):
        uploads.show(spec)
    reading.show(spec)
    if reading.is_open(spec):
        st.caption("Answer the question above, and the data will be counted.")
        _columns(spec)
        return
    try:
        if not data_controls.is_joint(spec):
            preprocessing.show(spec)
        counted = derived.counted(spec)
    except CoreError as error:
        with st.container(key="remedies"):
            st.error(markdown(str(error)), icon=":material/error:")
            data_remedies.buttons(spec, "way")
        _last()
    else:
        st.session_state[_LAST] = counted
        _strip(counted)
        with context.about(context.of_count(counted.report)):
            _distributions(counted)
    _columns(spec)


def _about(spec: DataSpec) -> None:
    """Say what the data is and where it is from."""
    try:
        title = visits.sources().label(spec.source)
    except CoreError:
        return
    entry = next((entry for entry in BUNDLED if entry.id == spec.source), None)
    if entry is None:
        upload = visits.sources().uploads.get(spec.source)
        about = "" if upload is None else f": {_size(spec)}, {upload.kind}."
        st.markdown(f"**{markdown(title)}**{markdown(about)}")
        return
    st.markdown(f"**{markdown(entry.title)}**: {markdown(entry.about)}")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="origin"):
        st.caption(f"{markdown(entry.source)} · {entry.licence}", width="content")
        with st.popover("source", type="tertiary"):
            st.markdown(
                f"{markdown(entry.source)}. License: {entry.licence}. `core/data/derive.py` "
                "rebuilds the file from the originals and checks their SHA-256:"
            )
            for original in entry.originals:
                st.markdown(f"`{original.member}`")
                st.code(original.sha256, language=None, wrap_lines=True)


def _size(spec: DataSpec) -> str:
    """Say how many records a file has, or how many rows while their meaning is an open question."""
    upload = visits.sources().uploads.get(spec.source)
    if upload is not None and reading.is_open(spec):
        return number_of(visits.sources().upload(spec.source, spec.read.layout).rows, "row")
    try:
        return derived.size(spec)
    except CoreError:
        return "" if upload is None else number_of(upload.rows, "record")


def _last() -> None:
    """Show the charts of what was counted last, marked as such, where nothing can be counted."""
    counted: Counted | None = st.session_state.get(_LAST)
    if counted is None:
        return
    report = counted.report
    st.caption(
        "The charts show the last count: "
        + markdown(f"{report.secret} and {report.released} of {report.title}.")
    )
    with context.about(context.of_count(counted.report)):
        _distributions(counted, faded=True)


def _strip(counted: Counted) -> None:
    """Show the figures of a count in a row, and under it what was left out and why."""
    joint, report = counted.joint, counted.report
    with st.container(horizontal=True, gap="medium", key="strip"):
        records = "none" if report.n_used is None else f"{report.n_used:,}"
        figure("Records n", records, "n")
        figure("Levels of S", f"{joint.n_s:,}", "secret_levels")
        figure("Levels of X", f"{joint.n_x:,}", "released_levels")
        figure("Zero cells", f"{report.zero_cells:,}", "zero_cells")
        figure("Cells", f"{joint.n_s * joint.n_x:,}", "cells")
    sentences = [*report.sentences()]
    if joint.dropped_s or joint.dropped_x:
        names = ", ".join((*joint.dropped_s, *joint.dropped_x)[:8])
        sentences.append(f"Dropped because they never occur: {names}.")
    whole = "The distribution is used unchanged." if joint.n is None else ALL_COUNTED
    for sentence in sentences or [whole]:
        st.caption(markdown(sentence))
    _totals()
    if report.alike:
        st.button(
            "Merge equivalent symbols",
            key="merge_alike",
            icon=":material/call_merge:",
            on_click=_merge_alike,
            args=(report.alike,),
        )


def _totals() -> None:
    """Offer to keep the totals of a pasted table, or to leave them out again."""
    spec = state.data()
    pasted = visits.sources().matrices.get(spec.source)
    if pasted is None or pasted.whole is None:
        return
    with_totals = "totals" in spec.read.kept
    others = tuple(name for name in spec.read.kept if name != "totals")
    st.button(
        "Leave out the totals" if with_totals else "Undo: keep the totals",
        key="keep_totals",
        icon=":material/undo:",
        on_click=state.with_data,
        kwargs={"read": replace(spec.read, kept=others if with_totals else (*others, "totals"))},
    )


def _merge_alike(groups: tuple[tuple[str, tuple[str, ...]], ...]) -> None:
    spec = state.data()
    sides = {JOINED.join(columns): columns for columns in (spec.secret, spec.released)}
    merges = tuple(Merge(sides[title], names) for title, names in groups if title in sides)
    state.with_data(merges=(*spec.merges, *merges))


def _distributions(counted: Counted, *, faded: bool = False) -> None:
    """Show the joint, and beside it its marginals."""
    joint, report = counted.joint, counted.report
    n = None if joint.weighted else joint.n
    axis = "probability" if n is None else "share of records"
    secret = figures.bars(joint.p_s, joint.s_labels, _counts(joint.p_s, n), axis)
    released = figures.bars(joint.p_x, joint.x_labels, _counts(joint.p_x, n), axis)
    # pixels that the frames of two stacked cards take
    beside = secret["layout"]["height"] + released["layout"]["height"] + 150
    left, right = st.columns([3, 2])
    with left:
        still(
            figures.joint_matrix(
                joint.p,
                joint.s_labels,
                joint.x_labels,
                int(np.clip(100 + 24 * joint.n_x, beside, 1_000)),
            ),
            key="joint",
            title="The joint distribution P(s, x)",
            subtitle="The stronger the color, the more often x (row) and the secret (column) "
            "occur together.",
            alt=f"Joint distribution of {number_of(joint.n_s, 'secret')} and "
            f"{number_of(joint.n_x, 'symbol')}.",
            table=lambda: _joint_table(counted),
            faded=faded,
        )
    with right:
        still(
            secret,
            key="marginal_s",
            title="P(s), the secret",
            subtitle=f"{number_of(joint.n_s, 'level')} of {markdown(report.secret)}.",
            alt=f"Shares of the {number_of(joint.n_s, 'level')} of S.",
            table=lambda: _marginal_table(joint.p_s, joint.s_labels, n),
            faded=faded,
        )
        still(
            released,
            key="marginal_x",
            title="P(x), the released data",
            subtitle=f"{number_of(joint.n_x, 'level')} of {markdown(report.released)}.",
            alt=f"Shares of the {number_of(joint.n_x, 'level')} of X.",
            table=lambda: _marginal_table(joint.p_x, joint.x_labels, n),
            faded=faded,
        )


def _counts(shares: FloatArray, n: int | None) -> list[int] | None:
    """Return the numbers of records behind some shares; None where there are no records."""
    return None if n is None else [int(count) for count in np.rint(shares * n)]


def _marginal_table(shares: FloatArray, names: tuple[str, ...], n: int | None) -> pd.DataFrame:
    counts = _counts(shares, n)
    return pd.DataFrame(
        {"level": names, "share": shares} | ({} if counts is None else {"records": counts})
    )


def _joint_table(counted: Counted) -> pd.DataFrame:
    """Return the joint as a table: counts where there are records, else probabilities."""
    joint = counted.joint
    counts = joint.counts
    cells = joint.p.T if counts is None else counts.T.astype(np.int64)
    table = {"x": list(joint.x_labels)}
    for label, column in zip(joint.s_labels, cells.T, strict=True):
        table[_free(label, table)] = column
    table[_free("total", table)] = cells.sum(axis=1)
    return pd.DataFrame(table)


def _free(name: str, names: Mapping[str, object]) -> str:
    """Return an unused column name: a level may have the same name as a column."""
    while name in names:
        name += " "
    return name


def _kind(column: ColumnInfo, chosen: str) -> str:
    """Describe what a column holds: as `chosen`, or as it is."""
    if chosen in ("date", "boolean"):
        return KINDS[chosen]
    if column.identifier:
        return "identifier"
    return "numbers" if column.numeric else "categories"


def _identifiers(names: list[str]) -> str:
    """Return a warning about columns that seem to be identifiers."""
    shown = ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")
    single = len(names) == 1
    return (
        f"{shown} {'seems to be an identifier' if single else 'seem to be identifiers'}: nearly "
        f"every record has its own value, so avoid {'it' if single else 'them'} for S or X."
    )


def _columns(spec: DataSpec) -> None:
    try:
        info = derived.described(spec)
    except CoreError:
        return
    if info is None:
        return
    upload = visits.sources().uploads.get(spec.source)
    titles = {} if upload is None else dict(upload.titles)
    if any(entry.id == spec.source for entry in BUNDLED):
        titles = {column.name: column.title for column in bundled(spec.source).columns}
    frame = pd.DataFrame(
        {
            "column": [column.name for column in info.columns],
            "contents": [titles.get(column.name, "") for column in info.columns],
            "kind": [_kind(column, spec.read.of(column.name).kind) for column in info.columns],
            "levels": [
                f"{'' if column.exact else 'about '}{column.levels:,}" for column in info.columns
            ],
            "missing": [column.missing for column in info.columns],
            "range": [
                f"{column.low:g} to {column.high:g}" if column.numeric else ""
                for column in info.columns
            ],
        }
    )
    if not titles:
        frame = frame.drop(columns="contents")
    with st.container(border=True, key="columns"):
        st.markdown(f"**Columns** of {_size(spec)}")
        for marks in info.marks[:5]:
            st.caption(markdown(marks.sentence()))
        named = [
            column.name
            for column in info.columns
            if column.identifier and not spec.read.of(column.name).kind
        ]
        if named:
            st.caption(markdown(_identifiers(named)))
        tables.sheet(frame, "columns", most=430)
