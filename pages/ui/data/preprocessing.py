"""Preprocessing: filters, bins, missing values, rare levels, symbols merged or left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from core.data import Binning, DataSpec, Filter
from core.data.readers.describe import ColumnInfo, TableInfo
from core.errors import CoreError
from core.limits import MAX_BINS
from core.validation import shown
from core.wording import listed, number_of
from pages.ui import figures
from pages.ui.data import hierarchies
from pages.ui.frame import data_remedies, state
from pages.ui.parts.cards import still
from pages.ui.style.labels import markdown, plain_short, spoken
from pages.ui.work import derived

_CHOSEN = "_filter_column"
_FILTER_PROBLEM = "_filter_problem"


def show_filters(spec: DataSpec, info: TableInfo) -> None:
    with st.expander(
        _title(spec), icon=":material/filter_alt:", key="filters", expanded=bool(spec.filters)
    ):
        columns = {column.name: column for column in info.columns}
        for i, condition in enumerate(spec.filters):
            _row(spec, condition, i, columns.get(condition.column))
        filtered = {condition.column for condition in spec.filters}
        chosen = st.session_state.get(_CHOSEN)
        if chosen in columns and chosen not in filtered:
            _row(spec, Filter(chosen), len(spec.filters), columns[chosen])
        free = [name for name in columns if name not in filtered | {chosen}]
        st.session_state["filter_add"] = None
        st.selectbox(
            "Keep only records with certain values of",
            free,
            key="filter_add",
            placeholder="Choose a column",
            on_change=_choose,
            args=(columns,),
        )


def _title(spec: DataSpec) -> str:
    if not spec.filters:
        return "Keep only some records"
    names = ", ".join(condition.column for condition in spec.filters)
    return f"Only some records are kept, by {markdown(names)}"


def _choose(columns: dict[str, ColumnInfo]) -> None:
    """Begin a filter: of numbers with their whole range, of others once values are chosen."""
    name = st.session_state["filter_add"]
    column = columns.get(name)
    if column is None:
        return
    st.session_state[_CHOSEN] = name
    if column.numeric:
        _put(Filter(name, low=column.low, high=column.high), len(state.data().filters))


def _row(spec: DataSpec, condition: Filter, place: int, column: ColumnInfo | None) -> None:
    """Show one filter, and the button that takes it away."""
    key = f"filter{place}"
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{key}_row"):
        if condition.is_range:
            _range(condition, place, key)
        elif column is None:
            st.markdown(f"This data has no column **{markdown(condition.column)}**.")
        else:
            _levels(spec, condition, place, key)
        st.button(
            "",
            icon=":material/close:",
            key=f"{key}_away",
            help=f"Remove the filter on {markdown(condition.column)}",
            on_click=_remove,
            args=(place,),
        )
    where, problem = st.session_state.get(_FILTER_PROBLEM, (None, ""))
    if where == place:
        st.error(markdown(problem), icon=":material/error:")
        low, high = (st.session_state[f"{key}_{end}"] for end in ("low", "high"))
        with st.container(horizontal=True):
            if low is not None and high is not None and high < low:
                st.button(
                    f"Keep {high:g} to {low:g}",
                    key=f"{key}_swapped",
                    on_click=_instead_of_filter,
                    args=(replace(condition, low=high, high=low), place),
                )
            st.button(
                "Keep the previous range",
                key=f"{key}_former",
                on_click=_instead_of_filter,
                args=(condition, place),
            )


def _levels(spec: DataSpec, condition: Filter, place: int, key: str) -> None:
    try:
        levels = derived.column_levels(spec, condition.column)
    except CoreError as error:
        st.error(markdown(str(error)), icon=":material/error:")
        return
    counts = dict(zip(levels.labels, levels.counts, strict=True))
    st.session_state[key] = list(condition.levels)
    st.multiselect(
        f"{spoken(condition.column)}: values to keep",
        [*counts, *(level for level in condition.levels if level not in counts)],
        format_func=lambda level: f"{level} ({counts[level]:,})" if level in counts else level,
        key=key,
        on_change=_take_levels,
        args=(condition, place, key),
        placeholder="All are kept until you choose",
        help="Each with its number of records."
        + (f" {levels.left_out:,} rarer values are not listed." if levels.left_out else ""),
    )


def _range(condition: Filter, place: int, key: str) -> None:
    if st.session_state.get(_FILTER_PROBLEM, (None,))[0] != place:
        st.session_state[f"{key}_low"], st.session_state[f"{key}_high"] = (
            condition.low,
            condition.high,
        )
    for end, word in (("low", "from"), ("high", "to")):
        st.number_input(
            f"{spoken(condition.column)}, {word}",
            value=None,
            key=f"{key}_{end}",
            format="%g",
            step=1.0,
            placeholder="no bound",
            on_change=_take_range,
            args=(condition, place, key),
            width=150,
        )


def _take_levels(condition: Filter, place: int, key: str) -> None:
    levels = tuple(st.session_state[key])
    st.session_state[_CHOSEN] = condition.column
    if levels:
        _put(replace(condition, levels=levels), place)
    else:
        _put(None, place)


def _take_range(condition: Filter, place: int, key: str) -> None:
    """Apply a range; an empty one changes nothing and shows an error, one without ends is none."""
    st.session_state.pop(_FILTER_PROBLEM, None)
    low, high = (st.session_state[f"{key}_{end}"] for end in ("low", "high"))
    try:
        _put(
            None if low is None and high is None else replace(condition, low=low, high=high), place
        )
    except CoreError as error:
        st.session_state[_FILTER_PROBLEM] = (place, str(error))


def _instead_of_filter(condition: Filter, place: int) -> None:
    """Apply the filter of a remedy, and clear the error."""
    st.session_state.pop(_FILTER_PROBLEM, None)
    _put(condition, place)


def _remove(place: int) -> None:
    st.session_state.pop(_FILTER_PROBLEM, None)
    st.session_state.pop(_CHOSEN, None)
    _put(None, place)


def _put(condition: Filter | None, place: int) -> None:
    filters = list(state.data().filters)
    filters[place : place + 1] = [] if condition is None else [condition]
    state.with_data(filters=tuple(filters))


KINDS = {
    "none": "as is",
    "quantile": "equal counts",
    "width": "equal width",
    "edges": "custom",
}
"""Ways to treat a numeric column, and what they are called."""

_PROBLEM = "_edges_problem"


def show(spec: DataSpec) -> None:
    """Show the controls of missing values, rare levels, filters, and each numeric column used."""
    left, right = st.columns(2)
    with left:
        st.session_state["treat_missing"] = spec.missing
        st.segmented_control(
            "Missing values",
            ["level", "drop"],
            format_func={"level": "a level of their own", "drop": "left out"}.__getitem__,
            key="treat_missing",
            required=True,
            on_change=lambda: state.with_data(missing=st.session_state["treat_missing"]),
        )
    with right:
        secret, released = st.columns(2)
        with released:
            _rare("X", "rare_below", spec)
        with secret:
            _rare("S", "rare_below_s", spec)
    info = derived.described(spec)
    if info is None:
        return
    show_filters(spec, info)
    hierarchies.show(spec, info)
    _merges(spec)
    _left_out(spec)
    used = spec.treated
    for i, column in enumerate(info.columns):
        if column.numeric and column.name in used:
            _bins(spec, column, f"bins{i}")


def _rare(of: str, name: str, spec: DataSpec) -> None:
    """Show the control that groups rare levels of S or X; `name` is its field of the data."""
    key = name.replace("rare_below", "treat_rare")
    st.session_state[key] = getattr(spec, name)

    def grouped() -> None:
        state.with_data(**{name: int(st.session_state[key] or 0)})

    st.number_input(
        f"Group levels of {of} with fewer records than",
        min_value=0,
        step=10,
        key=key,
        on_change=grouped,
        help=f"They become one level of {of}. 0 groups none.",
    )


def _merges(spec: DataSpec) -> None:
    """Name the symbols that were merged, each group with a button that takes them apart."""
    for i, merge in enumerate(spec.merges):
        names = ", ".join(map(plain_short, merge.names))
        undo = ("Separate them", "call_split", "apart")
        _undone(spec, "merges", i, f"{names} are one symbol.", undo)


def _left_out(spec: DataSpec) -> None:
    """Name the symbols that are left out, with a button that takes them back."""
    for i, group in enumerate(spec.left_out):
        names, is_one = listed([plain_short(name) for name in group.names]), len(group.names) == 1
        undo = ("Restore it" if is_one else "Restore them", "undo", "back")
        _undone(spec, "left_out", i, f"{names} {'is' if is_one else 'are'} left out.", undo)


def _undone(spec: DataSpec, field: str, place: int, words: str, undo: tuple[str, str, str]) -> None:
    """Show what is done to a group of symbols, if of S or X, and the button that undoes it."""
    groups = getattr(spec, field)
    columns, (label, icon, name) = groups[place].columns, undo
    if columns not in (spec.secret, spec.released):
        return
    key = f"{field.removesuffix('s')}{place}"
    with st.container(horizontal=True, vertical_alignment="center", key=key):
        st.markdown(markdown(f"{' and '.join(columns)}: {words}"), width="content")
        st.button(
            label,
            key=f"{key}_{name}",
            icon=f":material/{icon}:",
            on_click=state.with_data,
            kwargs={field: groups[:place] + groups[place + 1 :]},
        )


def _bins(spec: DataSpec, column: ColumnInfo, key: str) -> None:
    """Show how one numeric column is binned, with a preview."""
    binning = next((cut for cut in spec.binnings if cut.column == column.name), None)
    keys = {part: f"{key}_{part}" for part in ("kind", "count", "edges")}
    st.session_state[keys["kind"]] = binning.kind if binning else "none"
    with st.container(key=key):
        controls, picture = st.columns(2)
        with controls:
            st.markdown(
                f"**{markdown(column.name)}** from {column.low:g} to {column.high:g}, "
                f"{'' if column.exact else 'about '}{number_of(column.levels, 'level')}"
            )
            st.segmented_control(
                "Cut into bins",
                list(KINDS),
                format_func=KINDS.__getitem__,
                key=keys["kind"],
                required=True,
                on_change=_choose_kind,
                args=(column, keys),
            )
            if binning and binning.kind == "edges":
                _edges(binning, keys)
            elif binning:
                st.session_state[keys["count"]] = binning.count
                st.number_input(
                    "Number of bins",
                    1,
                    MAX_BINS,
                    key=keys["count"],
                    on_change=lambda: _set(
                        replace(binning, count=int(st.session_state[keys["count"]]))
                    ),
                )
        if binning:
            with picture:
                _preview(spec, binning, f"{key}_chart")


def _choose_kind(column: ColumnInfo, keys: dict[str, str]) -> None:
    kind = st.session_state[keys["kind"]]
    st.session_state.pop(_PROBLEM, None)
    if kind == "none":
        others = tuple(cut for cut in state.data().binnings if cut.column != column.name)
        state.with_data(binnings=others)
    elif kind == "edges":
        low, high = column.low or 0.0, column.high or 0.0
        ends = np.linspace(low, high, 4) if low < high else [0, 1]
        _set(Binning(column.name, "edges", edges=tuple(float(f"{end:.4g}") for end in ends)))
    else:
        _set(Binning(column.name, kind))


def _edges(binning: Binning, keys: dict[str, str]) -> None:
    sentence = st.session_state.get(_PROBLEM)
    if sentence is None:
        st.session_state[keys["edges"]] = ", ".join(f"{edge:g}" for edge in binning.edges)
    st.text_input(
        "Edges, in increasing order",
        key=keys["edges"],
        on_change=_take_edges,
        args=(binning, keys),
        help="Each bin includes its lower edge; the last one also includes its upper edge. Values "
        "below the first edge and above the last get their own bins.",
    )
    if sentence is not None:
        st.error(markdown(sentence), icon=":material/error:")
        with st.container(horizontal=True):
            for key, label, instead in (
                ("former", "Keep the previous edges", binning),
                ("width", "Cut into equal widths", Binning(binning.column, "width")),
            ):
                st.button(label, key=f"{keys['edges']}_{key}", on_click=_instead, args=(instead,))


def _instead(binning: Binning) -> None:
    """Apply the binning of a remedy, and clear the error."""
    st.session_state.pop(_PROBLEM, None)
    _set(binning)


def _take_edges(binning: Binning, keys: dict[str, str]) -> None:
    """Apply the typed edges; anything but a list of numbers changes nothing and shows an error."""
    st.session_state.pop(_PROBLEM, None)
    what = f"The bin edges of {shown(binning.column)}"
    try:
        edges = hierarchies.numbers_in(st.session_state[keys["edges"]], what)
        _set(replace(binning, edges=edges))
    except CoreError as error:
        st.session_state[_PROBLEM] = str(error)


def _set(binning: Binning) -> None:
    state.set_data(data_remedies.binned(state.data(), binning))


def _preview(spec: DataSpec, binning: Binning, key: str) -> None:
    try:
        preview = derived.previewed(spec, binning)
    except CoreError as error:
        st.error(markdown(str(error)), icon=":material/error:")
        return
    names, counts = zip(*preview.shown(), strict=True)
    shares = np.array(counts) / max(sum(counts), 1)
    still(
        figures.bars(shares, names, counts, "share of records"),
        key=key,
        title="Preview",
        subtitle=f"{number_of(len(names), 'bin')}; "
        f"{number_of(preview.missing, 'record')} {'has' if preview.missing == 1 else 'have'} "
        "no number.",
        alt=f"Share of records in each of {number_of(len(names), 'bin')}.",
        table=lambda: pd.DataFrame({"bin": names, "records": counts}),
    )
