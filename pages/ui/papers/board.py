"""The Papers page's content: an experiment with its figure and its verdicts, or the errata."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.papers.catalogue import entry
from core.papers.experiment import Definition
from core.papers.results import PAPERS, Experiment
from core.papers.worlds import WORLDS, world
from core.wording import number_of
from pages.ui.frame import state, theme
from pages.ui.papers import cards, errata, links, query, results
from pages.ui.report.papers import NAMES
from pages.ui.style.labels import markdown
from pages.ui.work import context, progress

SLOW = 60.0
"""Seconds of a full run from which on it is said to take long."""


def show() -> None:
    """Show the page."""
    theme.apply()
    for sentence in (*state.notices(), *query.URL.notices()):
        st.warning(markdown(sentence), icon=":material/link_off:")
    state.publish(state.scenario())
    _pickers()
    if query.shown() == query.ERRATA:
        errata.show()
        return
    query.publish()
    _experiment(entry(query.shown()))


def _pickers() -> None:
    """Show the list of papers and, of a paper, its figures and tables, in the sidebar."""
    st.session_state.setdefault(query.PAPER, query.paper())
    with st.sidebar:
        st.radio(
            "Paper",
            query.choices(),
            format_func=lambda key: "Errors in print" if key == query.ERRATA else NAMES[key],
            key=query.PAPER,
            on_change=query.pick_paper,
        )
        if query.shown() == query.ERRATA:
            st.session_state.setdefault(query.STATEMENT, query.world())
            st.radio(
                "Statement",
                [one.key for one in WORLDS],
                format_func=lambda key: world(key).title,
                key=query.STATEMENT,
                on_change=query.pick_world,
            )
        else:
            st.session_state.setdefault(query.EXPERIMENT, query.shown())
            st.radio(
                "Figure or table",
                query.of_paper(query.paper()),
                format_func=lambda key: f"{entry(key).place}: {entry(key).title}",
                key=query.EXPERIMENT,
                on_change=query.pick_experiment,
            )


def _experiment(one: Definition) -> None:
    with st.container(horizontal=True, key="header"):
        st.title(markdown(f"{NAMES[one.paper]} {one.place}: {one.title}"), anchor=False)
    with st.container(key="finding"):
        st.markdown(f"{markdown(one.claim)}  \n:small[{markdown(PAPERS[one.paper])}]")
    found = _found(one)
    if found is None:
        return
    with context.about({"paper": f"{NAMES[one.paper]} {one.place}"}):
        cards.badges(found)
        cards.figure(found)
        cards.verdicts(found)
        cards.beyond(found)
    for note in found.notes:
        st.caption(markdown(note))
    _ways(found)


def _found(one: Definition) -> Experiment | None:
    """Return what came out, of a run here or of the one that comes with the program."""
    chosen = query.run()
    kept, run = results.of_full_run(one.key), results.full_run()
    buttons = st.container(horizontal=True, key="papers_again")
    made: dict[str, Any] | None = None
    ended = False
    if chosen:
        work = results.again(one.key, quick=chosen == "quick")
        made = progress.awaited(
            work, work.ask, f"{one.place} again", seconds=results.LIMIT, key="papers_run"
        )
        ended = made is not None or not work.is_begun
    with buttons:
        # while a run is under way the full one is on screen anyway, and Cancel ends it
        _buttons(one, back=kept is not None and ended)
    if made is not None:
        found = Experiment.from_dict(made)
        how = "with fewer draws" if chosen == "quick" else "in full"
        st.caption(f"Run here, {how}: {_drawn(found)}{found.seconds:.1f} s.")
        return found
    if kept is not None and run is not None:
        day, machine = kept.date or run.date, kept.machine or run.machine
        st.caption(
            markdown(
                f"From the full run that comes with version {run.version}: {day}, {machine}, "
                f"seed {run.seed}; {_drawn(kept)}{kept.seconds:.1f} s."
            )
        )
        return kept
    if not chosen:
        st.info(
            "No result of a full run comes with this version: run it here.",
            icon=":material/hourglass_empty:",
        )
    return None


def _drawn(found: Experiment) -> str:
    """Return how many draws there were, for a list; empty where nothing is random."""
    return f"{number_of(found.draws, 'draw')}, " if found.draws else ""


def _buttons(one: Definition, *, back: bool) -> None:
    """Show the buttons that run an experiment here, and the one back to what is shipped, if any."""
    for how, label, share in (("quick", "Run a quick version", 0.05), ("full", "Run it", 1.0)):
        st.button(
            label,
            icon=":material/play_arrow:",
            key=f"papers_{how}",
            on_click=_start,
            args=(one, how),
            help=f"About {max(1.0, share * one.seconds):.0f} s of one core"
            + (", with fewer draws." if how == "quick" else "."),
        )
    if back:
        st.button(
            "Back to the full run",
            icon=":material/undo:",
            key="papers_shipped",
            type="tertiary",
            on_click=query.run_as,
            args=("",),
        )


def _start(one: Definition, how: str) -> None:
    """Run an experiment here; what was cancelled or failed begins again."""
    query.run_as(how)
    results.again(one.key, quick=how == "quick").resume()


def _ways(found: Experiment) -> None:
    """Show the links that ask the experiment's question anew."""
    ways = links.ways(found)
    if not ways:
        return
    with st.container(horizontal=True, key="papers_ways"):
        for said, link in ways:
            st.link_button(said, link, icon=":material/open_in_new:")
