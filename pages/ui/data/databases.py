"""Tables of databases and the owner's files: connected to when someone asks, never by a link."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import streamlit as st

from core.data import DataSpec
from core.data.databases.reference import is_reference, parse
from core.data.databases.tables import (
    DatabaseColumn,
    columns_of,
    configured,
    is_open,
    tables_of,
)
from core.data.readers.sources import shared_files
from core.data.tables import FileTable
from core.errors import CoreError
from core.jobs import Job
from core.jobs.work import count_table, read_shared
from pages.ui.frame import data_controls, state
from pages.ui.style.labels import markdown, short
from pages.ui.work import progress, visits
from pages.ui.work.long_answer import LongAnswer, StoppedError

LIMITS = {"read": 1_800.0, "list": 300.0, "count": 600.0}
"""Seconds that work may take: text is written as Parquet once, and Spark's driver may need a minute
to start."""

_WORK = "_shared_work"
_FILE_PROBLEM = "_shared_problem"


def offers_files() -> bool:
    """Say whether there is a file to choose, or something to say about why not."""
    try:
        return bool(shared_files())
    except CoreError:
        return True


def show_files() -> None:
    try:
        names = shared_files()
    except CoreError as error:
        st.error(markdown(str(error)), icon=":material/error:")
        return
    st.selectbox(
        "File",
        names,
        index=None,
        key="shared_file",
        placeholder="Choose a file",
        help="Files in the folder that the owner of this server shares. Parquet files are counted "
        "where they are, whatever their size; text files are converted to Parquet first.",
    )
    chosen = st.session_state["shared_file"]
    st.button(
        "Use this file",
        key="shared_use",
        on_click=_begin_file,
        args=(chosen,),
        disabled=chosen is None or _WORK in st.session_state,
    )
    _follow()
    if problem := st.session_state.get(_FILE_PROBLEM):
        st.error(markdown(problem), icon=":material/error:")


def _begin_file(name: str) -> None:
    st.session_state.pop(_FILE_PROBLEM, None)
    folder = visits.sources().counts_file().parent
    work = LongAnswer(
        DataSpec(f"upload:{folder.name}"),
        ("shared file",),
        read_shared,
        lambda: (name, folder),
        LIMITS["read"],
        keep=False,
    )
    st.session_state[_WORK] = (work, name)


def _follow() -> None:
    """Show the progress of the reading, and put its first question on screen."""
    if _WORK not in st.session_state:
        return
    work, name = st.session_state[_WORK]
    try:
        found = work.ask()
        if isinstance(found, Job):
            progress.follow(
                found,
                f"Reading {markdown(short(name))}",
                limit=LIMITS["read"],
                key="shared_cancel",
                on_cancel=partial(_cancel, _WORK),
            )
            return
        data_controls.choose(visits.sources().add_read(found))
    except CoreError as error:
        st.session_state[_FILE_PROBLEM] = str(error)
    del st.session_state[_WORK]
    st.rerun()


T = TypeVar("T")


_FOUND = "_db_found"
_COUNT = "_db_count"
_PROBLEM = "_db_problem"


def offered() -> bool:
    """Say whether there is anything to choose from, or to say about why not."""
    try:
        return bool(configured())
    except CoreError:
        return True


def asked_for(spec: DataSpec) -> bool:
    """Say whether the data on screen is a table that can be counted here, and is not yet."""
    try:
        return (
            is_reference(spec.source)
            and is_open(spec.source)
            and visits.sources().counts_of(spec.source, spec.columns) is None
        )
    except CoreError:
        return False


def show() -> None:
    """Show the pickers of database, table and columns, Count, and the progress of what runs."""
    try:
        addresses = configured()
    except CoreError as error:
        st.error(markdown(str(error)), icon=":material/error:")
        return
    spec = state.data()
    if asked_for(spec):
        _of_question(spec)
    st.selectbox(
        "Database",
        addresses,
        index=None,
        key="db_address",
        placeholder="Choose a database",
        help="Databases that the owner of this server shares. Only counts leave a database, and "
        "nothing is written to it.",
    )
    address = st.session_state["db_address"]
    source = _table(address) if address in addresses else None
    if source is not None:
        _columns(source)
    _follow_count()
    if problem := st.session_state.get(_PROBLEM):
        st.error(markdown(problem), icon=":material/error:")


def _of_question(spec: DataSpec) -> None:
    """Offer to count what the question on screen asks about: a link counts nothing by itself."""
    title = parse(spec.source).title
    by = " and ".join(spec.columns)
    with st.container(horizontal=True, vertical_alignment="center", key="db_question_row"):
        st.markdown(f"The question on screen is about **{markdown(title)}**.")
        st.button(
            f"Count it by {markdown(by)}",
            key="db_question",
            on_click=_begin,
            args=(spec.source, spec.columns),
            disabled=not spec.columns or _COUNT in st.session_state,
        )


def _table(address: str) -> str | None:
    """Show the picker of a table, listed when its database is first chosen; return the choice."""
    tables = _listed(
        "tables", address, tables_of, f"Listing the tables in {markdown(short(address))}"
    )
    if tables is None:
        return None
    st.selectbox(
        "Table or view",
        tables,
        index=0 if len(tables) == 1 else None,
        format_func=_name,
        key=f"db_table {address}",
        placeholder="Choose a table",
    )
    chosen: str | None = st.session_state[f"db_table {address}"]
    return chosen


def _columns(source: str) -> None:
    """Show the picker of the columns to count by, listed when their table is first chosen."""
    columns: tuple[DatabaseColumn, ...] | None = _listed(
        "columns", source, columns_of, f"Listing the columns of {markdown(_name(source))}"
    )
    if columns is None:
        return
    kinds = {column.name: column.kind for column in columns}
    key = f"db_columns {source}"
    st.multiselect(
        "Columns to count by",
        list(kinds),
        format_func=lambda name: f"{name} ({kinds[name]})",
        key=key,
        # combinations of more columns are nearly single records
        max_selections=8,
        placeholder="Choose the columns for S and X",
        select_all=False,
        help="The database returns the number of records for each combination of their values. "
        "Choosing S and X, bins, missing values and rare levels then takes no further count.",
    )
    st.button(
        "Count",
        type="primary",
        key="db_count",
        on_click=_begin,
        args=(source, tuple(st.session_state[key])),
        disabled=len(st.session_state[key]) < 2 or _COUNT in st.session_state,
    )


def _listed(kind: str, name: str, call: Callable[..., T], what: str) -> T | None:
    """Return a list, once another process has asked for it; else show how far that is."""
    kept: dict[tuple[str, str], Any] = st.session_state.setdefault(_FOUND, {})
    if (kind, name) in kept:
        found: T = kept[kind, name]
        return found
    work = LongAnswer(DataSpec(name), (kind,), call, lambda: (name,), LIMITS["list"], keep=False)
    try:
        answer = work.ask()
    except CoreError as error:
        if isinstance(error, StoppedError):
            st.caption(markdown(str(error)))
        else:
            st.error(markdown(str(error)), icon=":material/error:")
        work.again(f"db_{kind}_again")
        return None
    if isinstance(answer, Job):
        progress.follow(
            answer, what, limit=LIMITS["list"], key=f"db_{kind}_cancel", on_cancel=work.stop
        )
        return None
    kept[kind, name] = answer
    return answer


def _begin(source: str, columns: tuple[str, ...]) -> None:
    st.session_state.pop(_PROBLEM, None)
    path = visits.sources().counts_file()
    work = LongAnswer(
        DataSpec(source, columns, ()),
        ("count", str(path)),
        count_table,
        lambda: (source, columns, path),
        LIMITS["count"],
        keep=False,
    )
    st.session_state[_COUNT] = (work, source)


def _follow_count() -> None:
    """Show the progress of a count, and take its result."""
    if _COUNT not in st.session_state:
        return
    work, source = st.session_state[_COUNT]
    try:
        found = work.ask()
    except CoreError as error:
        del st.session_state[_COUNT]
        st.session_state[_PROBLEM] = str(error)
        st.rerun()
    if isinstance(found, Job):
        progress.follow(
            found,
            f"Counting {markdown(short(_name(source)))} in its database",
            limit=LIMITS["count"],
            key="db_count_cancel",
            on_cancel=partial(_cancel, _COUNT),
        )
        return
    del st.session_state[_COUNT]
    _take(source, found)
    st.rerun()


def _cancel(place: str) -> None:
    """End work: its process ends, and with it the query."""
    work, _ = st.session_state.pop(place, (None, None))
    if work is not None:
        work.stop()


def _take(source: str, counts: FileTable) -> None:
    """Put counts on screen; what was derived from older ones of the same columns is forgotten."""
    visits.sources().add_counts(source, counts)
    visits.visit().forget_answers()
    spec = state.data()
    if spec.source == source and set(spec.columns) <= set(counts.columns):
        return
    try:
        data_controls.choose(source)
    except CoreError as error:
        st.session_state[_PROBLEM] = str(error)


def _name(source: str) -> str:
    """Return the name of a table, with its schema where it is not the usual one."""
    table = parse(source)
    return table.table if table.schema is None else f"{table.schema}.{table.table}"
