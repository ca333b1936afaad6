"""What the Papers page shows besides the scenario: an experiment, its run, or the errata."""

from __future__ import annotations

from functools import cache
from typing import Any

import streamlit as st

from core.data.spec import DataSpec
from core.papers.catalogue import EXPERIMENTS, entry
from core.papers.experiment import Definition
from core.papers.results import PAPERS, Experiment, Run
from core.papers.running import perform, shipped
from core.papers.worlds import SETTINGS, WORLDS
from core.papers.worlds import world as find_world
from pages.ui.frame.address import PageQuery, Query, Value, one_of
from pages.ui.frame.numbers import Numbers
from pages.ui.report.papers import NAMES
from pages.ui.work.long_answer import STUDY, LongAnswer


@cache
def full_run() -> Run | None:
    """Return the full run that comes with the program, if it has one."""
    return shipped()


def of_full_run(key: str) -> Experiment | None:
    """Return an experiment of the run that comes with the program; None where it has none."""
    run = full_run()
    if run is None:
        return None
    return next((experiment for experiment in run.experiments if experiment.key == key), None)


def again(key: str, *, quick: bool) -> LongAnswer[dict[str, Any]]:
    """Return the work of running an experiment here."""
    entry(key)
    how = "quick" if quick else "full"
    return LongAnswer(DataSpec(), ("paper", key, how), perform, lambda: (key, 0, quick), STUDY)


SHOW = "show"
"""The URL's key of what is shown: an experiment's key, or `ERRATA`."""

ERRATA = "errata"
"""Shown in place of an experiment: the errors in the papers."""

FIRST = EXPERIMENTS[0].key


def titled(definition: Definition) -> str:
    """Return the full title of an experiment."""
    return f"{NAMES[definition.paper]} {definition.place}: {definition.title}"


RUN = "run"
"""The URL's key of how the experiment on screen was run here."""

HOW = ("quick", "full")
"""Its values."""

WORLD = "world"
"""The URL's key of the statement that is shown as a world."""

URL = PageQuery(
    "papers",
    Value(
        SHOW,
        FIRST,
        one_of({ERRATA, *(definition.key for definition in EXPERIMENTS)}),
        "_papers_show",
        instead=f"{titled(EXPERIMENTS[0])} is shown",
    ),
)

NUMBERS = Numbers("papers", URL, SETTINGS)

PAPER, EXPERIMENT, STATEMENT = "papers_paper", "papers_experiment", "papers_world"
"""Keys of the widgets that choose a paper, and an experiment or a false statement of it."""

_WORLD = "_papers_world"


def restore() -> None:
    """Set the session to what the URL says; unknown values fall back with a notice."""
    query = URL.restore()
    if query is not None:
        go(shown())
        _restore_run(query.get(RUN, [""])[-1])
        _restore_world(query)
        NUMBERS.restore(query)


def _restore_world(query: dict[str, list[str]]) -> None:
    """Restore the statement that is shown as a world: the first with a number in the link."""
    statement = query.get(WORLD, [""])[-1]
    if statement and statement not in {claim.key for claim in WORLDS}:
        URL.refuse(WORLD, statement, "is not known", f"{WORLDS[0].title} is shown")
        statement = WORLDS[0].key
    having = (claim.key for claim in WORLDS if set(claim.settings) & query.keys())
    go_world(statement or next(having, WORLDS[0].key))


def world() -> str:
    return str(st.session_state.get(_WORLD, WORLDS[0].key))


def go_world(key: str) -> None:
    st.session_state[_WORLD] = st.session_state[STATEMENT] = key


def pick_world() -> None:
    go_world(str(st.session_state[STATEMENT]))


def _restore_run(how: str) -> None:
    """Take how the experiment on screen was run here; a link begins no work, it finds it again."""
    run_as("")
    if not how or shown() == ERRATA:
        return
    if how not in HOW:
        instead = "showing the run shipped with the program"
        URL.refuse(RUN, how, f"is not {' or '.join(HOW)}", instead)
    elif again(shown(), quick=how == HOW[0]).is_begun:
        run_as(how)
    else:
        URL.tell("The run in this link is no longer kept. Run it again to see it.")


def run() -> str:
    """Return how the experiment on screen was run here; "" where what is shipped is shown."""
    return str(st.session_state.get(_run_key(), ""))


def run_as(how: str) -> None:
    """Show a run made here of the experiment on screen; what is shipped with ""."""
    st.session_state[_run_key()] = how


def _run_key() -> str:
    return f"_papers_run_{shown()}"


def shown() -> str:
    """Return the key of the experiment on screen, or `ERRATA`."""
    return str(URL.now(SHOW))


def paper() -> str:
    """Return the key of the paper on screen, or `ERRATA`."""
    return shown() if shown() == ERRATA else shown().partition("_")[0]


def of_paper(key: str) -> list[str]:
    return [definition.key for definition in EXPERIMENTS if definition.paper == key]


def choices() -> list[str]:
    """Return the papers that have experiments, and the errata."""
    return [*(key for key in PAPERS if of_paper(key)), ERRATA]


def go(key: str) -> None:
    URL.set(SHOW, key)
    st.session_state[PAPER] = paper()
    if key != ERRATA:
        st.session_state[EXPERIMENT] = key


def pick_paper() -> None:
    """Show the first experiment of the paper that was picked."""
    key = str(st.session_state[PAPER])
    go(key if key == ERRATA else of_paper(key)[0])


def pick_experiment() -> None:
    go(str(st.session_state[EXPERIMENT]))


def wanted() -> Query:
    """Return what the URL says of what is shown; what is the default is left out."""
    wanted = URL.wanted()
    if shown() != ERRATA:
        wanted[RUN] = [run()] if run() else []
    else:
        wanted[WORLD] = [world()] if world() != WORLDS[0].key else []
        wanted |= NUMBERS.wanted(find_world(world()).settings)
    return wanted


def publish() -> None:
    """Write what is shown to the URL."""
    URL.publish(wanted())
