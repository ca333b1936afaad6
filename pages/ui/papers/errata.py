"""Errors in print: a false statement as a world whose numbers can be moved, and every error."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.learning.settings import Values
from core.papers.worlds import World, world
from pages.ui.papers import query, results, worlds
from pages.ui.parts import tables
from pages.ui.report.papers import NAMES
from pages.ui.style.labels import markdown
from pages.ui.work import context


def show() -> None:
    """Show a statement that is false as a world, and all errors that were found."""
    one = world(query.world())
    with st.container(horizontal=True, key="header"):
        st.title(f"Error in print: {markdown(one.title)}", anchor=False)
    with st.container(key="finding"):
        st.markdown(f"Print says: {markdown(one.statement)}")
    _live(one)
    _listed()


@st.fragment
def _live(one: World) -> None:
    """Show a world, which alone runs again when a slider is released."""
    beside, told = st.columns([3, 2])
    with told:
        with st.container(border=True, key=f"papers_try_{one.key}"):
            for name in one.settings:
                query.slider(name)
        said = st.container()
    now = query.values()
    with beside, context.about({"world": one.title} | _shown(one, now)):
        worlds.show(one, now)
        with st.container(key="papers_formulas"):
            st.markdown(f"Print: $\\quad {one.printed}$")
            st.markdown(f"What holds: $\\quad {one.holds}$")
    with said:
        sentences = one.words(worlds.found(one, now))
        st.markdown("\n".join(f"- {markdown(sentence)}" for sentence in sentences))
        opens = one.opens(now)
        st.link_button(f"Open it in {opens.title}", opens.link, icon=":material/open_in_new:")
    query.publish()


def _shown(one: World, now: Values) -> dict[str, str]:
    return {key: f"{now[key]:g}" for key in one.settings}


def _listed() -> None:
    """Show every claim of the shipped run that came out as an error in print."""
    st.header("Every error that was found", anchor=False)
    run = results.full_run()
    rows = [
        {
            "paper": NAMES[one.paper],
            "place": said.place,
            "claim": said.claim,
            "what is wrong": said.reason,
        }
        for one in (run.experiments if run is not None else ())
        for said in one.verdicts
        if said.outcome == "error in print"
    ]
    if rows:
        shown = [
            {
                "place": f"{markdown(row['paper'])} {markdown(row['place'])}",
                "claim": markdown(row["claim"]),
                "what is wrong": markdown(row["what is wrong"]),
            }
            for row in rows
        ]
        tables.read(pd.DataFrame(rows), "papers_errata", pd.DataFrame(shown))
    else:
        st.info(
            "No result of a full run comes with this version: each experiment says what is wrong "
            "when it is run, and docs/errata.md has the derivations.",
            icon=":material/hourglass_empty:",
        )
