"""What is pinned for comparison: in the session while it is used, in the address of every page.

Of uploads the address has hashes and file names; `pages.ui.work.visits` finds what is still held.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.errors import CoreError
from core.scenario import Project, Scenario
from core.scenario.project import FILE, KEY
from core.scenario.url import within_reach
from core.wording import number_of
from pages.ui.frame import address, state
from pages.ui.frame.address import PageQuery
from pages.ui.style.labels import markdown
from pages.ui.work import visits
from pages.ui.work.visits import steps

URL = PageQuery("project")
"""The keys of the columns in the address."""

SHOWN = 4
"""Columns that the Compare page shows; a project may hold more."""


_MESSAGE = "_pinned_message"
"""The last pin's message, until it is shown."""

_NOW = "_project"

_OPEN = "_project_open"
"""The columns that the Compare page shows where nothing is pinned."""


def restore() -> None:
    """Set the session to what the address says; call it after `state.restore`."""
    query = URL.read()
    if query is None:
        publish()
        return
    project = None
    if query.get(KEY):
        project, notices = Project.from_query(query)
        for sentence in notices:
            URL.tell(sentence)
        for place, scenario in enumerate(project.scenarios):
            near, sentences = within_reach(scenario, state.scenario())
            project = project.asking(place, near)
            for sentence in sentences:
                URL.tell(f"Column {place + 1}: {sentence}")
        visits.recover(scenario.data.source for scenario in project.scenarios)
    st.session_state[_NOW] = project


def now() -> Project | None:
    """Return what is pinned; None where nothing is."""
    pinned: Project | None = st.session_state.get(_NOW)
    return pinned


def notices() -> tuple[str, ...]:
    """Return what was wrong with the columns in the address."""
    return URL.notices()


def publish() -> None:
    """Write what is pinned to the address."""
    project = now()
    URL.publish({KEY: [], FILE: []} if project is None else project.to_query())


def change(project: Project | None) -> None:
    """Change the project; the step can be undone."""
    if project == now():
        return
    own = steps(now())
    own.past.append(now())
    del own.past[:-50]
    own.future.clear()
    _take(project)


def undo() -> None:
    """Undo the last step."""
    own = steps(now())
    if own.past:
        own.future.append(now())
        _take(own.past.pop())


def redo() -> None:
    """Redo a step that was undone."""
    own = steps(now())
    if own.future:
        own.past.append(now())
        _take(own.future.pop())


def can_undo() -> bool:
    """Return whether there is a step to undo."""
    return bool(steps(now()).past)


def can_redo() -> bool:
    """Return whether there is a step to redo."""
    return bool(steps(now()).future)


def tell_open(project: Project | None) -> None:
    """Record the columns on the Compare page while nothing is pinned; None elsewhere."""
    st.session_state[_OPEN] = project


def add(scenario: Scenario) -> str:
    """Pin a question (on Compare with the columns on screen); return its name and place."""
    project = now()
    if project is None and address.page() == "compare":
        project = st.session_state.get(_OPEN)
    if project is not None and scenario in project.scenarios:
        name = project.names[project.scenarios.index(scenario)]
        if now() is None:
            return f"This question is already a column: {name}."
        return f"This question is already pinned as {name}."
    longer = Project((scenario,)) if project is None else project.with_column(scenario)
    change(longer)
    place = len(longer)
    behind = f", behind the {SHOWN} shown" if place > SHOWN else ""
    return f"Pinned to Compare as {longer.names[-1]}, column {place}{behind}."


@st.fragment
def button(question: Callable[[], Scenario] = state.scenario, *, lacking: str = "") -> None:
    """Show the button that pins the page's question; only this runs again when it is used.

    `lacking`: why the page has none.
    """
    project = now()
    st.button(
        "Pin to Compare",
        icon=":material/push_pin:",
        key="pin",
        on_click=_pin,
        args=(question,),
        width="stretch",
        disabled=bool(lacking),
        help=lacking or _explained(project),
    )
    message = st.session_state.pop(_MESSAGE, None)
    # not in the callback: what a fragment's shows takes the sidebar's place
    if message is not None:
        st.toast(markdown(message), icon=":material/push_pin:")
    publish()


def _explained(project: Project | None) -> str:
    if project is None:
        return "Adds this question to the Compare page, where its answer stands next to others."
    names = markdown(", ".join(project.names))
    return f"{number_of(len(project), 'column')} on the Compare page: {names}."


def _pin(question: Callable[[], Scenario]) -> None:
    st.session_state[_MESSAGE] = add(question())


def _take(project: Project | None) -> None:
    if project is not None:
        project = project.with_files(_titles(project))
    st.session_state[_NOW] = project
    steps(project)  # a page that is reloaded next finds them by what is pinned


def _titles(project: Project) -> dict[str, str]:
    """Return the names of a project's uploaded files, by source, of those in this session."""
    titles = {}
    for source in {scenario.data.source for scenario in project.scenarios}:
        if source.startswith("upload:"):
            try:
                titles[source] = visits.sources().title(source)
            except CoreError:
                continue  # the project may know its name
    return titles
