"""Coarser levels: a slider walks a column's hierarchy, a table says what each level costs."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from core.data import DataSpec, Hierarchy, RareLevels, TableInfo
from core.data.hierarchies import read_rows
from core.data.readers.describe import ColumnInfo
from core.data.treatment.generalise import at_level
from core.errors import CoreError, InvalidInputError
from core.validation import shown
from pages.ui.frame import state
from pages.ui.parts import tables
from pages.ui.style.labels import markdown
from pages.ui.style.units import in_unit
from pages.ui.work import derived

KINDS = {"prefix": "first characters", "interval": "intervals", "table": "a table of parents"}
"""Kinds of hierarchies, and what they are called."""

_PROBLEM = "_hierarchy_problem"


def show(spec: DataSpec, info: TableInfo) -> None:
    """Show each hierarchy, the picker of a column for another one, and rare levels by column."""
    used = spec.treated
    columns = {column.name: column for column in info.columns if column.name in used}
    coarse = [hierarchy.column for hierarchy in spec.hierarchies]
    coarse += [rare.column for rare in spec.rare_levels]
    title = "Coarser levels"
    if coarse:
        title += f" of {markdown(', '.join(dict.fromkeys(coarse)))}"
    with st.expander(
        title, icon=":material/account_tree:", key="hierarchies", expanded=bool(coarse)
    ):
        for i, hierarchy in enumerate(spec.hierarchies):
            if hierarchy.column in used:
                _hierarchy(spec, hierarchy, f"hierarchy{i}", columns.get(hierarchy.column))
        changed = {hierarchy.column for hierarchy in spec.hierarchies} | {
            cut.column for cut in spec.binnings
        }
        free = [name for name in columns if name not in changed]
        st.session_state["hierarchy_add"] = None
        st.selectbox(
            "Generalize",
            free,
            key="hierarchy_add",
            placeholder="Choose a column",
            on_change=_add,
            args=(columns,),
            help="Its values become coarser level by level: first characters, intervals of "
            "numbers, or parents from your own table.",
        )
        _rare_levels(spec, list(used))


def _add(columns: dict[str, ColumnInfo]) -> None:
    """Begin a hierarchy: intervals of a column of numbers, first characters of another."""
    column = columns.get(st.session_state["hierarchy_add"])
    if column is None:
        return
    _put(_first(column))


def _first(column: ColumnInfo, kind: str = "") -> Hierarchy:
    """Return a hierarchy to begin with."""
    if (kind or ("interval" if column.numeric else "prefix")) == "prefix":
        # characters that the levels of a new hierarchy of prefixes keep
        return Hierarchy(column.name, "prefix", 1, steps=(3, 2, 1))
    steps = derived.interval_steps(state.data(), column.name)
    return Hierarchy(column.name, "interval", 1, steps=steps)


def _put(hierarchy: Hierarchy) -> None:
    st.session_state.pop(_PROBLEM, None)
    spec = state.data()
    others = {other.column: other for other in spec.hierarchies}
    rare = spec.rare_levels
    if hierarchy.kind == "interval":
        rare = tuple(level for level in rare if level.column != hierarchy.column)
    hierarchies = tuple((others | {hierarchy.column: hierarchy}).values())
    state.with_data(hierarchies=hierarchies, rare_levels=rare)


def _remove(column: str) -> None:
    st.session_state.pop(_PROBLEM, None)
    hierarchies = state.data().hierarchies
    state.with_data(hierarchies=tuple(other for other in hierarchies if other.column != column))


def _hierarchy(spec: DataSpec, hierarchy: Hierarchy, key: str, column: ColumnInfo | None) -> None:
    """Show one hierarchy: its slider, its steps or its table, and what each level costs."""
    with st.container(key=key):
        controls, figures = st.columns([2, 3])
        with controls:
            _kind(hierarchy, key, column)
            _controls(hierarchy, key)
        with figures:
            _figures(spec, hierarchy, key)


def _kind(hierarchy: Hierarchy, key: str, column: ColumnInfo | None) -> None:
    """Show by what the levels of a hierarchy are made, to change it."""
    possible = ["prefix", *(["interval"] if column is not None and column.numeric else [])]
    options = list(dict.fromkeys([*possible, hierarchy.kind]))
    st.session_state[f"{key}_kind"] = hierarchy.kind

    def choose() -> None:
        kind = st.session_state[f"{key}_kind"]
        if column is not None and kind in possible:
            _put(_first(column, kind))

    st.segmented_control(
        f"Levels of {markdown(hierarchy.column)} by",
        options,
        format_func=KINDS.__getitem__,
        key=f"{key}_kind",
        required=True,
        on_change=choose,
    )


def _controls(hierarchy: Hierarchy, key: str) -> None:
    name = markdown(hierarchy.column)
    st.session_state[f"{key}_level"] = hierarchy.level
    st.slider(
        f"Level of {name}",
        0,
        hierarchy.height,
        key=f"{key}_level",
        on_change=lambda: _move(hierarchy.column, int(st.session_state[f"{key}_level"])),
        help="0 leaves the values as they are; each higher level is coarser.",
    )
    if hierarchy.kind != "table":
        if (st.session_state.get(_PROBLEM) or ("",))[0] != hierarchy.column:
            st.session_state[f"{key}_steps"] = ", ".join(f"{step:g}" for step in hierarchy.steps)
        st.text_input(
            "Characters kept at each level"
            if hierarchy.kind == "prefix"
            else "Interval width at each level",
            key=f"{key}_steps",
            on_change=_take_steps,
            args=(hierarchy, f"{key}_steps"),
            help="Separate with commas. "
            + (
                "Fewer at each level."
                if hierarchy.kind == "prefix"
                else "Each a multiple of the previous one; one interval begins at "
                f"{hierarchy.start:g}."
            ),
        )
    st.file_uploader(
        "Table of parents (CSV)",
        type=["csv"],
        key=f"{key}_table",
        on_change=_take_table,
        args=(hierarchy.column, f"{key}_table"),
        help="No header. Each row lists a value, its parent, its grandparent, and so on.",
    )
    where, problem = st.session_state.get(_PROBLEM) or ("", "")
    if where == hierarchy.column:
        st.error(markdown(problem), icon=":material/error:")
    st.button(
        f"Use {name} as it is",
        key=f"{key}_away",
        icon=":material/close:",
        on_click=_remove,
        args=(hierarchy.column,),
    )


def _move(column: str, level: int) -> None:
    state.with_data(hierarchies=at_level(state.data().hierarchies, column, level))


def _take_steps(hierarchy: Hierarchy, key: str) -> None:
    """Apply the typed steps; invalid ones change nothing and show an error."""
    try:
        steps = numbers_in(st.session_state[key], f"The levels of {shown(hierarchy.column)}")
        _put(replace(hierarchy, steps=steps, level=min(hierarchy.level, len(steps))))
    except CoreError as error:
        st.session_state[_PROBLEM] = (hierarchy.column, str(error))


def numbers_in(text: str, what: str) -> tuple[float, ...]:
    """Return the numbers of a text, separated by commas."""
    try:
        return tuple(float(part) for part in text.replace(";", ",").split(",") if part.strip())
    except ValueError as error:
        raise InvalidInputError(
            f"{what} must be numbers separated by commas, got {shown(text)}."
        ) from error


def _take_table(column: str, key: str) -> None:
    """Apply a table of parents; an invalid one changes nothing and shows an error."""
    file = st.session_state[key]
    if file is None:
        return
    try:
        _put(Hierarchy(column, "table", 1, rows=read_rows(file.getvalue(), file.name)))
    except CoreError as error:
        st.session_state[_PROBLEM] = (column, str(error))


def _figures(spec: DataSpec, hierarchy: Hierarchy, key: str) -> None:
    """Show what each level costs in information and saves in leakage."""
    rows = derived.along_levels(spec, hierarchy.column)
    frame = pd.DataFrame(
        {
            "level": [f"{row.level}{' ◂' * (row.level == hierarchy.level)}" for row in rows],
            "levels of S": [row.n_s for row in rows],
            "levels of X": [row.n_x for row in rows],
            "H(X), bits": [_bits(row.information) for row in rows],
            "I(S;X), bits": [_bits(row.leakage) for row in rows],
            "largest log-lift, bits": [_bits(row.highest) for row in rows],
        }
    )
    tables.sheet(frame, f"{key}_sheet", most=300)
    for row in rows:
        if row.problem:
            st.caption(markdown(f"Level {row.level}: {row.problem}"))


def _bits(nats: float | None) -> float | None:
    return None if nats is None else round(in_unit(nats, "bits"), 4)


def _rare_levels(spec: DataSpec, used: list[str]) -> None:
    """Show, for each column of a side that joins several, the number that makes its levels rare."""
    numbers = {cut.column for cut in spec.binnings}
    numbers |= {hierarchy.column for hierarchy in spec.hierarchies if hierarchy.kind == "interval"}
    below = {rare.column: rare.below for rare in spec.rare_levels}
    joined = [side for side in (spec.secret, spec.released) if len(side) > 1]
    offered = [
        name
        for name in used
        if name not in numbers and (name in below or any(name in side for side in joined))
    ]
    for i, name in enumerate(offered):
        key = f"rare_of{i}"
        st.session_state[key] = below.get(name, 0)
        st.number_input(
            f"Group levels of {markdown(name)} with fewer records than",
            min_value=0,
            step=10,
            key=key,
            on_change=_group,
            args=(name, key),
            help="They become one level of this column before it is joined with others. 0 groups "
            "none.",
        )


def _group(column: str, key: str) -> None:
    others = tuple(other for other in state.data().rare_levels if other.column != column)
    below = int(st.session_state[key] or 0)
    added = (RareLevels(column, below),) if below else ()
    state.with_data(rare_levels=(*others, *added))
