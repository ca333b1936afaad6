"""The Confusability page: what merging releases hides, keeps and costs, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.data import Counted
from core.errors import CoreError, SolverError
from core.jobs import Job
from core.nonstochastic import Clustering, singletons
from core.nonstochastic import catalogue as ranges
from core.records.left_out import for_others
from core.scenario import Scenario
from core.scenario.snippet import snippet
from pages.ui.chart import Drawing, board
from pages.ui.confusability import charts, controls
from pages.ui.frame import address, data_controls, following, page_frame, state, theme
from pages.ui.frame import controls as common
from pages.ui.parts import exports
from pages.ui.report.comparison import Picture
from pages.ui.report.parts import PYTHON, Parts, report
from pages.ui.style.labels import markdown
from pages.ui.work import context, derived, long_answer, progress, visits
from pages.ui.work.frames import Frame, Offer

BELOW = "range_below"
"""Key of what does not follow the slider."""

TITLE = "What can be known for sure"
"""The page's title."""

NOTHING_MERGED = "There is no merged release yet."
"""Why there is nothing to export."""

EXPLAINED = ("maximin_information", "anonymity", "max_uncertainty_reduction")
"""The measures whose formulas a report has."""


def show() -> None:
    theme.apply()
    with st.sidebar:
        data_controls.show()
    address.warn(*state.notices())
    with st.container(gap=None):  # the title is as high as elsewhere
        notices = st.container(key="notices")
        files = page_frame.head(TITLE, controls.examples)
    _live(notices, files)


@st.fragment
@page_frame.whole
def _live(notices: DeltaGenerator, files: DeltaGenerator) -> None:
    """Show all that changes with a control; only this runs again when one is used."""
    page_frame.reserve([notices, files])
    scenario = state.scenario()
    state.publish(scenario)
    try:
        counted = derived.counted(scenario.data)
    except CoreError as error:
        address.warn(*controls.URL.notices(), place=notices)
        page_frame.show_remedies(scenario, error)
        with files:
            exports.no_files("range", NOTHING_MERGED)
        return
    context.tell_about(context.of_count(counted.report))  # this page has no privacy notion
    controls.question(scenario)
    scenario = state.scenario()
    clustering = _clustering(scenario, notices)
    if clustering is None:
        with files:
            exports.no_files("range", NOTHING_MERGED)
        return
    shown, drawn = _answered(scenario, clustering, counted, notices)
    with files:
        _files(shown, drawn)


def _clustering(scenario: Scenario, notices: DeltaGenerator) -> Clustering | None:
    """Return the clustering; None where it is under way, was stopped or failed, which is shown."""
    problem = controls.URL.now("problem")
    try:
        clustering = charts.clustering(problem, scenario)
    except long_answer.StoppedError:
        st.info("Canceled. Nothing is merged.", icon=":material/cancel:")
        charts.clustering_work(problem, scenario).again("clustering_again")
        return None
    except CoreError as error:
        address.warn(*controls.URL.notices(), place=notices)
        st.error(markdown(str(error)))
        if isinstance(error, SolverError):  # the work died or took too long
            charts.clustering_work(problem, scenario).again("clustering_again")
        return None
    if isinstance(clustering, Job):
        work = charts.clustering_work(problem, scenario)
        progress.follow(
            clustering,
            "Merging",
            limit=work.seconds,
            key="cancel_clustering",
            on_cancel=work.stop,
        )
        return None
    return clustering


def _answered(
    scenario: Scenario, clustering: Clustering, counted: Counted, notices: DeltaGenerator
) -> tuple[charts.ShownPath, list[Drawing]]:
    """Show what is merged, step by step, and what that reveals and keeps; return it."""
    problem = controls.URL.now("problem")
    stop = len(clustering.path) - 1
    way = (scenario.data, problem, scenario.utility, scenario.weight)
    step = controls.settle_step(way, stop, len(clustering.steps) - 1)
    controls.publish(stop)
    address.warn(*controls.URL.notices(), place=notices)
    data = scenario.data
    first = charts.released(data, singletons(counted.joint.n_x))
    shown = charts.at(charts.ShownPath(scenario, problem, clustering, 0, first, first), step)
    if shown.before.reduction == 0:
        _nothing_ruled_out(counted.report.secret)
    unit = common.unit()
    answer = st.container()
    _leave(shown)
    view = charts.graphs(shown, unit)
    left, right = st.columns(2)
    with left:
        charts.way(shown, unit)
    with right:
        offered = charts.offers(shown, unit)
    with st.container(key=BELOW):
        left, right = st.columns(2)
        with left:
            charts.table(shown)
        with right:
            charts.clusters(shown)
    drawn = [charts.before(shown, view), *charts.drawn(shown, view, offered.lines)]
    with answer:
        board(
            {"": charts.explained(shown, unit)},
            [drawing.sent() for drawing in drawn],
            _sliders(shown, view),
            partial(charts.picked, shown, view, offered),
        )
    return shown, drawn


def _sliders(shown: charts.ShownPath, view: charts.View) -> list[dict[str, Any]]:
    """Return what a browser needs to follow the slider of the merges: see live.js."""
    scenario, places = shown.scenario, tuple(range(len(shown.clustering.steps)))
    offered = Offer(
        (scenario,),
        places,
        partial(frame, view=view),
        drawn_with=(shown.problem, view),
        name=controls.STEP,
        owner=visits.owner(scenario.data),
        find=lambda _, step: charts.at(shown, step),
    )
    slider = following.slider_message(
        offered,
        controls.STEP,
        [str(place) for place in places],
        str(shown.step),
        charts=[charts.AFTER, charts.MERGES, charts.TRADE_OFF],
        behind=[charts.PART, BELOW],
    )
    return [slider] if len(places) > 1 else []


def frame(paths: Sequence[charts.ShownPath], view: charts.View) -> Frame:
    """Return what the page shows after another number of merges."""
    (shown,) = paths
    with context.about(context.of_count(derived.counted(shown.scenario.data).report)):
        return charts.at_step(shown, view)


def _nothing_ruled_out(secret: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.info(
            f"Every value of {markdown(secret)} occurs with every release: nothing can be ruled "
            "out, so there is nothing to merge. Data with more levels rules out more.",
            icon=":material/info:",
        )
        controls.load("Load heart disease: age × cholesterol", controls.HEART, "suited")


def _leave(shown: charts.ShownPath) -> None:
    """Show the slider of the merges, and what uses the release on all pages."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="leave"):
        controls.step(shown.clustering)
        controls.adopt(shown.scenario)


def _files(shown: charts.ShownPath, drawn: Sequence[Drawing]) -> None:
    """Show the menu of downloads of the release, and the button of a report."""
    mechanism = shown.after.mechanism
    own = controls.address(len(shown.clustering.path) - 1)
    exports.files(
        "range",
        lambda: exports.downloads(
            mechanism, mechanism.x_labels, controls.adopted(shown.scenario), "range"
        ),
        partial(_report, shown, drawn, common.unit(), own),
    )


def _report(
    shown: charts.ShownPath,
    drawn: Sequence[Drawing],
    unit: str,
    own: Mapping[str, list[str]],
) -> str:
    """Return the report of the release after the merges on screen; `own`: see `Parts.address`."""
    scenario, answer = shown.scenario, charts.answer(shown, unit)
    public = replace(scenario, data=for_others(scenario.data))
    algorithm = ranges.entry(shown.problem, ranges.ALGORITHM)
    way = {
        "How to merge": algorithm.title,
        "λ": f"{scenario.weight:g}",
        "Merges done": f"{shown.step} of {len(shown.clustering.steps) - 1}",
    }
    content = Parts(
        sentences=answer["sentences"],
        facts=dict(context.of_count(derived.counted(scenario.data).report))
        | way
        | {label: value for label, value, _ in answer["figures"]},
        pictures=[Picture(item.figure(), item.title, item.alt) for item in drawn],
        tables={
            charts.TITLES[charts.MERGES]: charts.way_table(shown.clustering, unit),
            "The clusters": charts.clusters_table(shown),
        },
        explained=[algorithm, *map(ranges.entry, EXPLAINED)],
        sources={PYTHON: snippet(replace(public, mechanism=f"merge_{shown.problem}"))},
        address=("confusability", own),
    )
    return report(TITLE, public, content, nameless=public != scenario)
