"""Actions on all columns: undo, redo, match, save, open; and the files that they miss."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.errors import CoreError, SolverError
from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.scenario import Project
from core.scenario.presets import on_data
from core.wording import file_called, listed
from pages.ui.compare import drop, matching, query
from pages.ui.compare.columns import Answered
from pages.ui.frame import data_remedies, pins, state
from pages.ui.parts import copy_link
from pages.ui.style.labels import markdown
from pages.ui.work import answers, visits
from pages.ui.work.long_answer import StoppedError
from pages.ui.work.store import is_private

_PROBLEM = "_project_problem"

HASHED = (
    "The link and the project name your file by its SHA-256 hash. Anyone who guesses the file can "
    "confirm the guess, so share them only with people who have the file. A report does not "
    "contain the hash."
)
"""Stands below what identifies a user's file."""


def show() -> None:
    """Show the buttons of the page's head."""
    project = query.project()
    full = len(project) >= pins.SHOWN
    st.button(
        "Column",
        icon=":material/add:",
        key="add_question",
        on_click=lambda: pins.change(query.project().with_column(state.scenario())),
        disabled=full,
        help=f"The page shows {pins.SHOWN} columns. Remove one to add another."
        if full
        else "Adds the question above as a column, to edit there.",
    )
    st.button(
        "Undo", icon=":material/undo:", key="undo", on_click=pins.undo, disabled=not pins.can_undo()
    )
    st.button(
        "Redo", icon=":material/redo:", key="redo", on_click=pins.redo, disabled=not pins.can_redo()
    )
    with st.popover(
        "Match", icon=":material/balance:", key=matching.MENU, on_change="rerun"
    ) as opened:
        if opened.open:
            matching.controls_of_match()
    with st.popover(
        "Project", icon=":material/folder_open:", key="project", on_change="rerun"
    ) as opened:
        if opened.open:
            _project()


def _project() -> None:
    """Show the buttons that save, link to, open, extend and reset the columns."""
    project = query.project().with_files({})
    st.download_button(
        "Save as JSON",
        data=lambda: project.to_json().encode("utf-8"),
        file_name="project.json",
        mime="application/json",
        key="project_save",
        on_click="ignore",
        icon=":material/save:",
        width="stretch",
    )
    copy_link.button("copy_link")
    if any(is_private(scenario.data) for scenario in project.scenarios):
        st.caption("The link holds the questions, never the data: others need the file.")
    if any(scenario.data.hashed for scenario in project.scenarios):
        st.caption(HASHED)
    st.file_uploader(
        "Open a project, or drop it on the page",
        type=["json"],
        key="project_file",
        on_change=_open,
        help="Replaces the columns; Undo restores them. `python -m core compare` reads the same "
        "file.",
    )
    if problem := st.session_state.get(_PROBLEM):
        st.error(markdown(problem))
    st.button(
        "Start over: LIP, ALIP, RLDP",
        key="start_over",
        on_click=pins.change,
        args=(None,),
        disabled=query.is_standard(),
        icon=":material/restart_alt:",
        width="stretch",
    )


def _open() -> None:
    """Show the columns of a chosen file."""
    st.session_state.pop(_PROBLEM, None)
    file = st.session_state.get("project_file")
    if file is None:
        return
    content = file.getvalue() if file.size <= drop.MOST_BYTES else b""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = None
    if problem := _problem(drop.Dropped(file.name, file.size, text)):
        st.session_state[_PROBLEM] = problem


def opened_by_drop() -> None:
    """Show the columns of a file that was dropped on the page."""
    file = drop.dropped()
    if file is None:
        return
    problem = _problem(file)
    if problem:
        st.toast(markdown(problem), icon=":material/error:")
    else:
        st.toast(
            markdown(f"Opened {file_called(file.name)}. Undo restores the previous columns."),
            icon=":material/folder_open:",
        )


def _problem(file: drop.Dropped) -> str:
    """Show the columns of a file; if it has an error, change nothing and return the error."""
    name = file_called(file.name)
    if file.size > drop.MOST_BYTES:
        return f"{name} is too large to be a project."
    if file.text is None:
        return f"{name} is not UTF-8 text, so it is not a project."
    try:
        project = Project.from_json(file.text)
        visits.recover(scenario.data.source for scenario in project.scenarios)
        pins.change(project)
    except CoreError as error:
        return f"{name}: {error}"
    return ""


def missing_files() -> None:
    """Name the files and matrices that columns ask about and that are missing; take files."""
    project = query.project()
    missing = [
        source
        for source in dict.fromkeys(scenario.data.source for scenario in project.scenarios)
        if not _is_here(source)
    ]
    if not missing:
        return
    names = [_called(project, source) for source in missing]
    with st.container(border=True, key="missing_files"):
        st.markdown(
            f"{markdown(listed(names))} {'is' if len(names) == 1 else 'are'} not in this session. "
            f"Upload {'it' if len(names) == 1 else 'them'} to restore the columns that use "
            f"{'it' if len(names) == 1 else 'them'}."
        )
        data_remedies.missing_file(missing)
        if not any(source.startswith("upload:") for source in missing):
            st.caption("Paste the matrix on the Data page.")


def _is_here(source: str) -> bool:
    own = visits.sources()
    if source.startswith("upload:"):
        return source in own.uploads
    return not source.startswith("matrix:") or source in own.matrices


def _called(project: Project, source: str) -> str:
    kind, _, rest = source.partition(":")
    if kind == "matrix":
        return f"The pasted matrix {rest[:12]}…"
    return project.file_of(source) or f"The uploaded file {rest[:12]}…"


def ask_of_this_data() -> None:
    """Ask all columns of the data on screen."""
    pins.change(on_data(query.project(), state.data()))


def bring_front() -> None:
    """Move the first column that is not shown to the front."""
    pins.change(query.project().moved(pins.SHOWN, 0))


def remedy(column: Answered) -> None:
    """Offer what has an answer where a column has none: another mechanism, or the work again."""
    scenario, place = column.scenario, column.place
    kind = notions.entry(scenario.notion).kind
    chosen = mechanisms.entry(scenario.mechanism)
    if scenario.data.known:
        st.button(
            "Without the known columns",
            key=f"remedy_{place}_known",
            on_click=query.ask,
            args=(place,),
            kwargs={"data": replace(scenario.data, known=())},
        )
    data = scenario.data
    without = not (data.secret_released or data.releases_secret)
    if without and kind.of_estimate and scenario.notion == "rldp":
        st.button(
            "RLDP for S – X – Y",
            key=f"remedy_{place}_markov",
            on_click=query.ask,
            args=(place,),
            kwargs={"notion": "robust_ldp", "mechanism": "optimal"},
        )
        st.button(
            "Also release S",
            key=f"remedy_{place}_pair",
            on_click=query.ask,
            args=(place,),
            kwargs={"data": replace(scenario.data, secret_released=True)},
        )
    elif chosen.uses_notion and not chosen.works_under(request := scenario.kinds[0]):
        for entry in [
            entry
            for entry in mechanisms.CATALOGUE.values()
            if entry.uses_notion and entry.works_under(request)
        ][:2]:
            st.button(
                entry.title,
                key=f"remedy_{place}_{entry.key}",
                on_click=query.ask,
                args=(place,),
                kwargs={"mechanism": entry.key},
            )
    elif isinstance(column.error, StoppedError | SolverError):
        answers.answer_work(scenario).again(f"remedy_{place}_again")
