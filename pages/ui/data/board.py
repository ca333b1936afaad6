"""The Data page: where the data is from, how it is preprocessed, and the joint distribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from core.records.left_out import for_others
from core.validation import FloatArray
from core.wording import number_of
from pages.ui import figures
from pages.ui.data import databases, preprocessing, reading, uploads
from pages.ui.frame import address, data_controls, data_remedies, page_frame, state, theme
from pages.ui.parts import exports, tables
from pages.ui.parts.cards import Still, still
from pages.ui.parts.key_figures import figure
from pages.ui.report.comparison import Picture
from pages.ui.report.parts import Parts, report
from pages.ui.style.labels import markdown
from pages.ui.work import context, derived, visits

_LAST = "_last_count"

NOT_COUNTED = "The data is not counted yet."
"""Why there is nothing to export."""

ALL_COUNTED = "All records are used as read."
"""The sentence shown if no record was left out or changed after the file was read."""


def show() -> None:
    theme.apply()
    address.warn(*state.notices())
    with st.sidebar:
        data_controls.show(known=True)
    spec = state.data()
    state.publish(state.scenario())
    files = page_frame.head("Data", units=False)
    _about(spec)
    with st.expander(
        "Use my own data",
        icon=":material/upload_file:",
        key="own",
        expanded=databases.is_requested(spec),
    ):
        uploads.show(spec)
    reading.show(spec)
    if questions := reading.open_questions(spec):
        them = "question" if len(questions) == 1 else "questions"
        st.caption(f"Answer the {them} above, and the data will be counted.")
        with files:
            exports.no_files("data", NOT_COUNTED)
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
        with files:
            exports.no_files("data", NOT_COUNTED)
        _last()
    else:
        st.session_state[_LAST] = counted
        _strip(counted)
        with context.about(context.of_count(counted.report)):
            drawn = _distributions(counted)
        with files:
            _files(counted, drawn)
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
    if upload is not None and reading.open_questions(spec):
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
    count = counted.report
    st.caption(
        "The charts show the last count: "
        + markdown(f"{count.secret} and {count.released} of {count.title}.")
    )
    with context.about(context.of_count(counted.report)):
        _distributions(counted, faded=True)


def _figures(counted: Counted) -> list[tuple[str, str, str]]:
    """Return the figures of a count: label, value, and the term that explains it."""
    joint, count = counted.joint, counted.report
    return [
        ("Records n", "none" if count.n_used is None else f"{count.n_used:,}", "n"),
        ("Levels of S", f"{joint.n_s:,}", "secret_levels"),
        ("Levels of X", f"{joint.n_x:,}", "released_levels"),
        ("Zero cells", f"{count.zero_cells:,}", "zero_cells"),
        ("Cells", f"{joint.n_s * joint.n_x:,}", "cells"),
    ]


def _sentences(counted: Counted) -> list[str]:
    """Return what was left out and why, or that nothing was."""
    joint, sentences = counted.joint, [*counted.report.sentences()]
    if joint.dropped_s or joint.dropped_x:
        names = ", ".join((*joint.dropped_s, *joint.dropped_x)[:8])
        sentences.append(f"Dropped because they never occur: {names}.")
    whole = "The distribution is used unchanged." if joint.n is None else ALL_COUNTED
    return sentences or [whole]


def _strip(counted: Counted) -> None:
    """Show the figures of a count in a row, and under it what was left out and why."""
    with st.container(horizontal=True, gap="medium", key="strip"):
        for label, value, term in _figures(counted):
            figure(label, value, term)
    for sentence in _sentences(counted):
        st.caption(markdown(sentence))
    _totals()
    if counted.report.alike:
        st.button(
            "Merge equivalent symbols",
            key="merge_alike",
            icon=":material/call_merge:",
            on_click=_merge_alike,
            args=(counted.report.alike,),
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


def _files(counted: Counted, drawn: Sequence[Still]) -> None:
    """Show the menu of the tables of a count, and the button of a report of it."""
    about, scenario = context.of_count(counted.report), state.scenario()

    def make() -> str:
        public = replace(scenario, data=for_others(scenario.data))
        parts = Parts(
            sentences=_sentences(counted),
            facts=dict(about) | {label: value for label, value, _ in _figures(counted)},
            pictures=[Picture(item.figure, item.title, item.alt) for item in drawn],
            tables={item.title: item.table() for item in drawn},
            address=("data", {}),
        )
        return report(f"Data: {counted.report.title}", public, parts, nameless=public != scenario)

    exports.files(
        "data",
        lambda: exports.of_tables("data", {item.title: item.table for item in drawn}, about),
        make,
        help=exports.OF_PAGE,
    )


def _distributions(counted: Counted, *, faded: bool = False) -> Sequence[Still]:
    """Show the joint, and beside it its marginals; return them."""
    joint, count = counted.joint, counted.report
    n = None if joint.weighted else joint.n
    axis = "probability" if n is None else "share of records"
    secret = figures.bars(joint.p_s, joint.s_labels, _counts(joint.p_s, n), axis)
    released = figures.bars(joint.p_x, joint.x_labels, _counts(joint.p_x, n), axis)
    # pixels that the frames of two stacked cards take
    beside = secret["layout"]["height"] + released["layout"]["height"] + 150
    left, right = st.columns([3, 2])
    with left:
        both = still(
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
        first = still(
            secret,
            key="marginal_s",
            title="P(s), the secret",
            subtitle=f"{number_of(joint.n_s, 'level')} of {markdown(count.secret)}.",
            alt=f"Shares of the {number_of(joint.n_s, 'level')} of S.",
            table=lambda: _marginal_table(joint.p_s, joint.s_labels, n),
            faded=faded,
        )
        second = still(
            released,
            key="marginal_x",
            title="P(x), the released data",
            subtitle=f"{number_of(joint.n_x, 'level')} of {markdown(count.released)}.",
            alt=f"Shares of the {number_of(joint.n_x, 'level')} of X.",
            table=lambda: _marginal_table(joint.p_x, joint.x_labels, n),
            faded=faded,
        )
    return both, first, second


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
