"""The Frontiers page opens a results file: an upload, or a file in the server's folder."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.data.readers.shared_folder import shared_file, shared_files
from core.errors import CoreError, InvalidInputError
from core.limits import MAX_UPLOAD_MB
from core.sweep.results import Opened, opened
from core.validation import shown
from core.wording import file_called, number_of
from pages.ui.frame import state
from pages.ui.frontiers import asked, query, results
from pages.ui.style.labels import markdown
from pages.ui.work import own_data

FILE, FOLDER = "sweep_file", "sweep_folder"
"""Keys of the upload, and of the picker of a file in the server's folder."""

ENDS = (".parquet", ".pq")
"""Ends of the names of results files."""

_TOLD = "_sweep_opened"
_FRESH = "_sweep_just_opened"


def show() -> None:
    """Show the ways to open a results file, and what came of the last one."""
    with st.expander("Open results from a file", icon=":material/folder_open:"):
        st.file_uploader(
            f"Parquet of `python -m core sweep`, or of this page's export, up to {MAX_UPLOAD_MB} "
            "MB",
            type=[end[1:] for end in ENDS],
            key=FILE,
            on_change=_take_upload,
            help="The page asks for the file's sweep, shows its points, and can go on with one "
            "that is unfinished.",
        )
        _folder()
        good, told = st.session_state.get(_TOLD, (True, ""))
        if told and good:
            st.caption(markdown(told))
        elif told:
            st.error(markdown(told), icon=":material/error:")


def refresh() -> None:
    """Run the whole page again where a file has just changed what the sidebar shows."""
    if st.session_state.pop(_FRESH, False):
        st.rerun()


def _folder() -> None:
    """Show the results files in the folder that the server's owner opened."""
    try:
        names = [name for name in shared_files() if name.lower().endswith(ENDS)]
    except CoreError as error:
        st.error(markdown(str(error)), icon=":material/error:")
        return
    if not names:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "File in the server's folder",
            names,
            index=None,
            key=FOLDER,
            placeholder="Choose a file",
        )
        chosen = st.session_state[FOLDER]
        st.button("Open", key="sweep_open", on_click=_take_shared, disabled=chosen is None)


def _take_upload() -> None:
    """Open the uploaded file."""
    file = st.session_state[FILE]
    st.session_state.pop(_TOLD, None)
    if file is not None:
        _take(file.name, file.getvalue)


def _take_shared() -> None:
    """Open the chosen file of the server's folder."""
    name = st.session_state[FOLDER]

    def content() -> bytes:
        path = shared_file(name)
        try:
            if path.stat().st_size > MAX_UPLOAD_MB * 1_000_000:
                raise InvalidInputError(
                    f"{shown(name)} has more than {MAX_UPLOAD_MB} MB, which is the most that is "
                    "opened here."
                )
            return path.read_bytes()
        except OSError as error:
            raise InvalidInputError(f"{shown(name)} cannot be read.") from error

    _take(name, content)


def _take(name: str, content: Callable[[], bytes]) -> None:
    """Show the points of a file and ask for its sweep, or say why not."""
    try:
        found = opened(content(), name, asked.MOST_POINTS)
        _ask(found, name)
        results.take(found.gathered)
    except CoreError as error:
        st.session_state[_TOLD] = (False, str(error))
        return
    points, sweep = found.gathered.count, found.gathered.sweep
    st.session_state[_TOLD] = (
        True,
        f"{file_called(name)}: {points:,} of {number_of(sweep.size, 'point')}, {sweep.described}.",
    )
    st.session_state[_FRESH] = True


def _ask(found: Opened, name: str) -> None:
    """Bring the controls to what a file's sweep asks.

    Raises
    ------
    InvalidInputError
        If the page cannot ask it, or its data is not here or has other records.
    """
    sweep = found.gathered.sweep
    if sweep.draws is None:
        own_data.recover(question.data.source for question in sweep.questions)
    if found.counts != results.counts(sweep):  # which says what data is not here
        raise InvalidInputError(
            f"{shown(name)} has the results of other records: the data has changed since."
        )
    chosen = asked.form_of(sweep, state.scenario())
    if chosen is None or not query.take(chosen[0]):
        raise InvalidInputError(
            f"{shown(name)} has the results of another sweep than this page can ask for: "
            f"{sweep.described}."
        )
    state.adopt(chosen[1])
