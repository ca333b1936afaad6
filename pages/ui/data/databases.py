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
from core.data.readers.reading import Upload
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

_FILE, _COUNT = "_shared_work", "_db_count"
"""Where the session has work that was begun, and beside it why the last has no answer."""


def ways() -> dict[str, Callable[[], None]]:
    """Return the ways to such data, by title: where there is a choice, or why not to be said."""
    there = {}
    for title, find, way in (
        ("Database", configured, show),
        ("Server's folder", shared_files, show_files),
    ):
        try:
            offered = bool(find())
        except CoreError:
            offered = True
        if offered:
            there[title] = way
    return there


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
        disabled=chosen is None or _FILE in st.session_state,
    )
    _follow(_FILE, "Reading {}", "shared_cancel")


def _begin_file(name: str) -> None:
    folder = visits.sources().counts_file().parent
    work = LongAnswer(
        DataSpec(f"upload:{folder.name}"),
        ("shared file",),
        read_shared,
        lambda: (name, folder),
        LIMITS["read"],
        keep=False,
    )
    _start(_FILE, work, name, _take_file)


def _take_file(read: Upload) -> None:
    data_controls.choose(visits.sources().add_read(read))


def _start(place: str, work: LongAnswer[Any], name: str, take: Callable[[Any], None]) -> None:
    st.session_state.pop(f"{place}_problem", None)
    st.session_state[place] = (work, name, take)


def _follow(place: str, what: str, key: str) -> None:
    """Show the progress of the work of a place, take its answer, or say why there is none."""
    if place in st.session_state:
        work, name, take = st.session_state[place]
        try:
            answer = work.ask()
            if isinstance(answer, Job):
                doing = what.format(markdown(short(name)))
                progress.follow(
                    answer, doing, limit=work.seconds, key=key, on_cancel=partial(_cancel, place)
                )
                return
            take(answer)
        except CoreError as error:
            st.session_state[f"{place}_problem"] = str(error)
        del st.session_state[place]
        st.rerun()
    if problem := st.session_state.get(f"{place}_problem"):
        st.error(markdown(problem), icon=":material/error:")


T = TypeVar("T")


_LISTED = "_db_listed"


def is_requested(spec: DataSpec) -> bool:
    """Return whether the data on screen is a table that can be counted here, and is not yet."""
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
    if is_requested(spec):
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
    _follow(_COUNT, "Counting {} in its database", "db_count_cancel")


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
    """Return a list that another process requests; until it is there, show the progress."""
    known: dict[tuple[str, str], Any] = st.session_state.setdefault(_LISTED, {})
    if (kind, name) in known:
        earlier: T = known[kind, name]
        return earlier
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
    known[kind, name] = answer
    return answer


def _begin(source: str, columns: tuple[str, ...]) -> None:
    path = visits.sources().counts_file()
    work = LongAnswer(
        DataSpec(source, columns, ()),
        ("count", str(path)),
        count_table,
        lambda: (source, columns, path),
        LIMITS["count"],
        keep=False,
    )
    _start(_COUNT, work, _name(source), partial(_take, source))


def _cancel(place: str) -> None:
    """End work: its process ends, and with it the query."""
    work, *_ = st.session_state.pop(place, (None,))
    if work is not None:
        work.stop()


def _take(source: str, counts: FileTable) -> None:
    """Put counts on screen; what was derived from older ones of the same columns is forgotten."""
    visits.sources().add_counts(source, counts)
    visits.visit().forget_answers()
    spec = state.data()
    if spec.source == source and set(spec.columns) <= set(counts.columns):
        return
    data_controls.choose(source)


def _name(source: str) -> str:
    """Return the name of a table, with its schema where it is not the usual one."""
    table = parse(source)
    return table.table if table.schema is None else f"{table.schema}.{table.table}"
