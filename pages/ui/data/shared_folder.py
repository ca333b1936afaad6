"""Files in the folder that the server's owner opened: read in their place by another process."""

from __future__ import annotations

import streamlit as st

from core.data import DataSpec
from core.data.readers.shared_folder import shared_files
from core.errors import CoreError
from core.jobs import Job
from core.jobs.work import read_shared
from pages.ui.frame import data_controls
from pages.ui.style.labels import markdown, short
from pages.ui.work import derived, progress
from pages.ui.work.long_answer import LongAnswer

READING = 1_800.0
"""Seconds that the reading of a file may take; text is written as Parquet once."""

_WORK = "_shared_work"
_PROBLEM = "_shared_problem"


def offered() -> bool:
    """Say whether there is a file to choose, or something to say about why not."""
    try:
        return bool(shared_files())
    except CoreError:
        return True


def show() -> None:
    """Show the picker of a file, and the progress of its reading."""
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
        help="Those in the folder that this server's owner has opened. Parquet is counted where it "
        "lies, whatever its size; text is first written as Parquet.",
    )
    chosen = st.session_state["shared_file"]
    st.button(
        "Use this file",
        key="shared_use",
        on_click=_begin,
        args=(chosen,),
        disabled=chosen is None or _WORK in st.session_state,
    )
    _follow()
    if problem := st.session_state.get(_PROBLEM):
        st.error(markdown(problem), icon=":material/error:")


def _begin(name: str) -> None:
    """Have another process read a file."""
    st.session_state.pop(_PROBLEM, None)
    folder = derived.sources().counts_file().parent
    work = LongAnswer(
        DataSpec(f"upload:{folder.name}"),
        ("shared file",),
        read_shared,
        lambda: (name, folder),
        READING,
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
                limit=READING,
                key="shared_cancel",
                on_cancel=_cancel,
            )
            return
        data_controls.choose(derived.sources().add_read(found))
    except CoreError as error:
        st.session_state[_PROBLEM] = str(error)
    del st.session_state[_WORK]
    st.rerun()


def _cancel() -> None:
    """End the reading."""
    work, _ = st.session_state.pop(_WORK, (None, None))
    if work is not None:
        work.stop()
