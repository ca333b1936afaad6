"""The head of a page: its title, the unit, the page's own buttons, Export and Report, in order."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.scenario import Result, Scenario
from core.studies.advice import Consequences, is_sampled
from pages.ui.frame import controls
from pages.ui.parts import exports
from pages.ui.report.contents import report
from pages.ui.style.labels import markdown
from pages.ui.work import answers, derived

ELSEWHERE = "This page does not compute it; the report from Explore includes it."
"""Stands in a report for what only Explore works out."""


def show(page: str, title: str, scenario: Scenario) -> DeltaGenerator:
    """Show a page's head; return the place of the button that makes a report."""
    with st.container(horizontal=True, vertical_alignment="top", key="header"):
        st.title(markdown(title), anchor=False)
        with st.container(horizontal=True, width="content"):
            controls.unit_switch()
            exports.menu(page, scenario)
            return st.container(width="content")


def report_button(place: DeltaGenerator, page: str, result: Result, file: str = "") -> None:
    """Show the button that makes a report of an answer, when it is clicked; see `report`."""
    unit, waiting = controls.unit(), answers.is_refining(result.scenario)
    told = Consequences(
        derived.own_levels(result), ELSEWHERE, ELSEWHERE, ELSEWHERE if is_sampled(result) else None
    )
    with place:
        exports.button(
            "Report",
            "liftscope-report.html",
            "text/html",
            lambda: report(result, (), told, unit, provisional=waiting, file=file).encode("utf-8"),
            f"{page}_report",
            icon=":material/description:",
            width="content",
            help="One HTML file for this question: charts, tables, formulas, sources, audit.",
        )
