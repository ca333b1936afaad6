"""What the Papers page shows beside the scenario: an experiment, or the errata, in the URL."""

from __future__ import annotations

import streamlit as st

from core.errors import InvalidInputError
from core.learning.settings import Setting, written
from core.papers.catalogue import EXPERIMENTS
from core.papers.results import PAPERS
from core.papers.worlds import SETTINGS, WORLDS
from core.papers.worlds import world as find_world
from core.scenario.data_url import cut
from pages.ui.frame.page_query import PageQuery
from pages.ui.papers import results
from pages.ui.parts.number_slider import number_slider

SHOW = "show"
"""The URL's key of what is shown: an experiment's key, or `ERRATA`."""

ERRATA = "errata"
"""What is shown in place of an experiment: the errors in print."""

FIRST = EXPERIMENTS[0].key

RUN = "run"
"""The URL's key of how the experiment on screen was run here."""

HOW = ("quick", "full")
"""Its values."""

WORLD = "world"
"""The URL's key of the statement that is shown as a world."""

URL = PageQuery("papers", (SHOW, RUN, WORLD, *SETTINGS))
"""The page's keys in the URL."""

PAPER, EXPERIMENT, STATEMENT = "papers_paper", "papers_experiment", "papers_world"
"""Keys of the widgets that choose a paper, and an experiment or a false statement of it."""

_NOW = "_papers_show"
_WORLD = "_papers_world"
_VALUES = "_papers_values"


def restore() -> None:
    """Bring the session to what the URL says; what is not known falls back with a notice."""
    query = URL.read()
    if query is None:
        return
    asked = query.get(SHOW, [FIRST])[-1]
    if asked != ERRATA and asked not in {one.key for one in EXPERIMENTS}:
        URL.tell(f"The link has {SHOW}={cut(asked)}, which is not known; {FIRST} is shown.")
        asked = FIRST
    go(asked)
    _restore_run(query.get(RUN, [""])[-1])
    _restore_world(query)
    found = {key: one.default for key, one in SETTINGS.items()}
    for key in SETTINGS:
        if key in query:
            found[key] = _number(SETTINGS[key], query[key][-1])
    st.session_state[_VALUES] = found
    for key, value in found.items():
        st.session_state[widget(key)] = value


def _restore_world(query: dict[str, list[str]]) -> None:
    """Take the statement that is shown as a world: the first that has a number of the link."""
    asked = query.get(WORLD, [""])[-1]
    if asked and asked not in {one.key for one in WORLDS}:
        URL.tell(
            f"The link has {WORLD}={cut(asked)}, which is not known; {WORLDS[0].title} is shown."
        )
        asked = WORLDS[0].key
    having = (one.key for one in WORLDS if set(one.settings) & query.keys())
    go_world(asked or next(having, WORLDS[0].key))


def world() -> str:
    """Return the key of the statement that is shown as a world."""
    return str(st.session_state.get(_WORLD, WORLDS[0].key))


def go_world(key: str) -> None:
    """Show a statement as a world."""
    st.session_state[_WORLD] = st.session_state[STATEMENT] = key


def pick_world() -> None:
    """Show the statement that was picked."""
    go_world(str(st.session_state[STATEMENT]))


def _restore_run(how: str) -> None:
    """Take how the experiment on screen was run here; a link begins no work, it finds it again."""
    run_as("")
    if not how or shown() == ERRATA:
        return
    if how not in HOW:
        URL.tell(
            f"The link has {RUN}={cut(how)}, which is not {' or '.join(HOW)}; the run that comes "
            "with the program is shown."
        )
    elif results.again(shown(), quick=how == HOW[0]).is_begun:
        run_as(how)
    else:
        URL.tell(
            "The link shows a run made on this page, which is no longer kept: run it again to "
            "see it."
        )


def run() -> str:
    """Return how the experiment on screen was run here; "" where what is shipped is shown."""
    return str(st.session_state.get(_run_key(), ""))


def run_as(how: str) -> None:
    """Show a run made here of the experiment on screen; what is shipped with ""."""
    st.session_state[_run_key()] = how


def _run_key() -> str:
    return f"_papers_run_{shown()}"


def _number(setting: Setting, text: str) -> float:
    """Return a number of the link, or the default with a notice."""
    try:
        return setting.read(text)
    except InvalidInputError as error:
        said = f"{str(error)[:-1]}; {written(setting.default)} is used."
        URL.tell(f"The link is not as it should be: {said}")
        return setting.default


def widget(key: str) -> str:
    """Return the key of a number's widget."""
    return f"papers_{key}"


def shown() -> str:
    """Return the key of the experiment on screen, or `ERRATA`."""
    return str(st.session_state.get(_NOW, FIRST))


def paper() -> str:
    """Return the key of the paper on screen, or `ERRATA`."""
    return shown() if shown() == ERRATA else shown().partition("_")[0]


def of_paper(key: str) -> list[str]:
    """Return the keys of a paper's experiments."""
    return [one.key for one in EXPERIMENTS if one.paper == key]


def choices() -> list[str]:
    """Return the papers that have experiments, and the errata."""
    return [*(key for key in PAPERS if of_paper(key)), ERRATA]


def go(asked: str) -> None:
    """Show an experiment, or the errata."""
    st.session_state[_NOW] = asked
    st.session_state[PAPER] = paper()
    if asked != ERRATA:
        st.session_state[EXPERIMENT] = asked


def pick_paper() -> None:
    """Show the first experiment of the paper that was picked."""
    key = str(st.session_state[PAPER])
    go(key if key == ERRATA else of_paper(key)[0])


def pick_experiment() -> None:
    """Show the experiment that was picked."""
    go(str(st.session_state[EXPERIMENT]))


def values() -> dict[str, float]:
    """Return the numbers of the errata's worlds."""
    plain = {key: one.default for key, one in SETTINGS.items()}
    found: dict[str, float] = st.session_state.setdefault(_VALUES, plain)
    return found


def slider(key: str) -> None:
    """Show the slider of a number of the errata's worlds, and take it."""
    setting, name = SETTINGS[key], widget(key)
    if st.session_state.get(name) is None:
        st.session_state[name] = values()[key]
    number_slider(setting, name)
    values()[key] = float(st.session_state[name])


def publish() -> None:
    """Write what is shown to the URL; what is the default is left out."""
    wanted = {} if shown() == FIRST else {SHOW: [shown()]}
    if shown() != ERRATA:
        wanted[RUN] = [run()] if run() else []
    else:
        wanted[WORLD] = [world()] if world() != WORLDS[0].key else []
        for key in find_world(world()).settings:
            if values()[key] != SETTINGS[key].default:
                wanted[key] = [written(values()[key])]
    URL.publish(wanted)
