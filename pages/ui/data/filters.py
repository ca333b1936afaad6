"""Filters: only records with some values, or a range, of a column are kept."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.data import DataSpec, Filter
from core.data.readers.describe import ColumnInfo, TableInfo
from core.errors import CoreError
from pages.ui.frame import state
from pages.ui.style.labels import markdown, spoken
from pages.ui.work import derived

_CHOSEN = "_filter_column"
_PROBLEM = "_filter_problem"


def show(spec: DataSpec, info: TableInfo) -> None:
    """Show each filter of the data, and the picker of a column for another one."""
    with st.expander(
        _title(spec), icon=":material/filter_alt:", key="filters", expanded=bool(spec.filters)
    ):
        columns = {column.name: column for column in info.columns}
        for i, kept in enumerate(spec.filters):
            _row(spec, kept, i, columns.get(kept.column))
        taken = {kept.column for kept in spec.filters}
        chosen = st.session_state.get(_CHOSEN)
        if chosen in columns and chosen not in taken:
            _row(spec, Filter(chosen), len(spec.filters), columns[chosen])
        free = [name for name in columns if name not in taken | {chosen}]
        st.session_state["filter_add"] = None
        st.selectbox(
            "Keep only records with some values of",
            free,
            key="filter_add",
            placeholder="Choose a column",
            on_change=_choose,
            args=(columns,),
        )


def _title(spec: DataSpec) -> str:
    if not spec.filters:
        return "Keep only some records"
    names = ", ".join(kept.column for kept in spec.filters)
    return f"Only some records are kept: by {markdown(names)}"


def _choose(columns: dict[str, ColumnInfo]) -> None:
    """Begin a filter: of numbers with their whole range, of others once values are chosen."""
    name = st.session_state["filter_add"]
    column = columns.get(name)
    if column is None:
        return
    st.session_state[_CHOSEN] = name
    if column.numeric:
        _put(Filter(name, low=column.low, high=column.high), len(state.data().filters))


def _row(spec: DataSpec, kept: Filter, place: int, column: ColumnInfo | None) -> None:
    """Show one filter, and the button that takes it away."""
    key = f"filter{place}"
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{key}_row"):
        if kept.is_range:
            _range(kept, place, key)
        elif column is None:
            st.markdown(f"**{markdown(kept.column)}** is no column of this data.")
        else:
            _levels(spec, kept, place, key)
        st.button(
            "",
            icon=":material/close:",
            key=f"{key}_away",
            help=f"Remove the filter of {markdown(kept.column)}",
            on_click=_remove,
            args=(place,),
        )
    where, problem = st.session_state.get(_PROBLEM, (None, ""))
    if where == place:
        st.error(markdown(problem), icon=":material/error:")
        low, high = (st.session_state[f"{key}_{end}"] for end in ("low", "high"))
        with st.container(horizontal=True):
            if low is not None and high is not None and high < low:
                st.button(
                    f"Keep {high:g} to {low:g}",
                    key=f"{key}_swapped",
                    on_click=_instead,
                    args=(replace(kept, low=high, high=low), place),
                )
            st.button(
                "Keep the former range",
                key=f"{key}_former",
                on_click=_instead,
                args=(kept, place),
            )


def _levels(spec: DataSpec, kept: Filter, place: int, key: str) -> None:
    try:
        found = derived.column_levels(spec, kept.column)
    except CoreError as error:
        st.error(markdown(str(error)), icon=":material/error:")
        return
    counts = dict(zip(found.labels, found.counts, strict=True))
    st.session_state[key] = list(kept.levels)
    st.multiselect(
        f"{spoken(kept.column)}: values to keep",
        [*counts, *(level for level in kept.levels if level not in counts)],
        format_func=lambda level: f"{level} ({counts[level]:,})" if level in counts else level,
        key=key,
        on_change=_take_levels,
        args=(kept, place, key),
        placeholder="All are kept until you choose",
        help="Each with its number of records."
        + (f" {found.left_out:,} rarer values are not listed." if found.left_out else ""),
    )


def _range(kept: Filter, place: int, key: str) -> None:
    if st.session_state.get(_PROBLEM, (None,))[0] != place:
        st.session_state[f"{key}_low"], st.session_state[f"{key}_high"] = kept.low, kept.high
    for end, word in (("low", "from"), ("high", "to")):
        st.number_input(
            f"{spoken(kept.column)}, {word}",
            value=None,
            key=f"{key}_{end}",
            format="%g",
            step=1.0,
            placeholder="no bound",
            on_change=_take_range,
            args=(kept, place, key),
            width=150,
        )


def _take_levels(kept: Filter, place: int, key: str) -> None:
    levels = tuple(st.session_state[key])
    st.session_state[_CHOSEN] = kept.column
    if levels:
        _put(replace(kept, levels=levels), place)
    else:
        _put(None, place)


def _take_range(kept: Filter, place: int, key: str) -> None:
    """Take over a range; an empty one is an error and changes nothing, one without ends is none."""
    st.session_state.pop(_PROBLEM, None)
    low, high = (st.session_state[f"{key}_{end}"] for end in ("low", "high"))
    try:
        _put(None if low is None and high is None else replace(kept, low=low, high=high), place)
    except CoreError as error:
        st.session_state[_PROBLEM] = (place, str(error))


def _instead(kept: Filter, place: int) -> None:
    """Take the filter of a remedy, and clear the error."""
    st.session_state.pop(_PROBLEM, None)
    _put(kept, place)


def _remove(place: int) -> None:
    st.session_state.pop(_PROBLEM, None)
    st.session_state.pop(_CHOSEN, None)
    _put(None, place)


def _put(kept: Filter | None, place: int) -> None:
    """Put a filter in its place, or remove the one that is there."""
    filters = list(state.data().filters)
    filters[place : place + 1] = [] if kept is None else [kept]
    state.with_data(filters=tuple(filters))
