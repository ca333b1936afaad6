"""The Confusability page: what merging releases hides, keeps and costs, step by step."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.data import Counted
from core.errors import CoreError, SolverError
from core.jobs import Job
from core.nonstochastic import Clustering, singletons
from core.release.sentences import knowable
from core.scenario import Scenario
from pages.ui.confusability import charts, controls
from pages.ui.frame import controls as common
from pages.ui.frame import data_controls, page_frame, state, theme
from pages.ui.parts import exports
from pages.ui.style.labels import markdown
from pages.ui.work import context, derived, long_answer, progress


def show() -> None:
    theme.apply()
    with st.sidebar:
        data_controls.show()
    for sentence in state.notices():
        st.warning(markdown(sentence), icon=":material/link_off:")
    told = st.container()
    with st.container(horizontal=True, vertical_alignment="top", key="header"):
        st.title("What can be known for sure", anchor=False)
        with st.container(horizontal=True, width="content"):
            controls.examples()
            common.unit_switch()
    _live(told)


@st.fragment
@page_frame.whole
def _live(told: DeltaGenerator) -> None:
    """Show all that changes with a control; only this runs again when one is used."""
    page_frame.reserve([told])
    scenario = state.scenario()
    state.publish(scenario)
    try:
        counted = derived.counted(scenario.data)
    except CoreError as error:
        _tell(told)
        st.error(markdown(str(error)))
        return
    context.tell_about(context.of_count(counted.report))  # no promise is asked here
    st.markdown(
        f"Only which pairs of {markdown(counted.report.secret)} and "
        f"{markdown(counted.report.released)} occur together matters here, not how often.",
        help="Two releases are confusable if they share a possible secret. Merging releases until "
        "all are confusable hides the secret at the cost of detail.",
    )
    controls.question(scenario)
    scenario = state.scenario()
    found = _found(scenario, told)
    if found is not None:
        _answered(scenario, found, counted, told)


def _found(scenario: Scenario, told: DeltaGenerator) -> Clustering | None:
    """Return the clustering; None where it is under way, was stopped or failed, which is shown."""
    problem = controls.URL.now("problem")
    try:
        found = charts.clustering(problem, scenario)
    except long_answer.StoppedError:
        st.info("Cancelled. Nothing is merged.", icon=":material/cancel:")
        charts.clustering_work(problem, scenario).again("clustering_again")
        return None
    except CoreError as error:
        _tell(told)
        st.error(markdown(str(error)))
        if isinstance(error, SolverError):  # the work died or took too long
            charts.clustering_work(problem, scenario).again("clustering_again")
        return None
    if isinstance(found, Job):
        work = charts.clustering_work(problem, scenario)
        progress.follow(
            found,
            "Merging",
            limit=charts.LIMIT,
            key="cancel_clustering",
            on_cancel=work.stop,
        )
        return None
    return found


def _answered(
    scenario: Scenario, found: Clustering, counted: Counted, told: DeltaGenerator
) -> None:
    """Show what is merged, step by step, and what that tells and keeps."""
    problem = controls.URL.now("problem")
    stop = len(found.path) - 1
    way = (scenario.data, problem, scenario.utility, scenario.weight)
    step = controls.settle_step(way, stop, len(found.steps) - 1)
    controls.publish(stop)
    _tell(told)
    data = scenario.data
    shown = charts.ShownPath(
        scenario=scenario,
        problem=problem,
        found=found,
        step=step,
        before=charts.released(data, singletons(counted.joint.n_x)),
        after=charts.released(data, found.steps[step].clusters),
    )
    if shown.before.reduction == 0:
        _nothing_ruled_out(counted.report.secret)
    with st.container(key="finding"):
        st.markdown(markdown(knowable(shown.after, counted.report.secret, common.unit())))
    charts.measures(shown, common.unit())
    _leave(shown)
    charts.graphs(shown)
    left, right = st.columns(2)
    with left:
        charts.way(shown, common.unit())
    with right:
        charts.offers(shown, common.unit())
    left, right = st.columns(2)
    with left:
        charts.table(shown)
    with right:
        charts.clusters(shown)


def _tell(told: DeltaGenerator) -> None:
    for sentence in controls.URL.notices():
        told.warning(markdown(sentence), icon=":material/link_off:")


def _nothing_ruled_out(secret: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.info(
            f"Every value of {markdown(secret)} occurs with every release: nothing can be ruled "
            "out, so there is nothing to merge. Data with more levels rules out more.",
            icon=":material/info:",
        )
        controls.load("Load heart disease: age × cholesterol", controls.HEART, "suited")


def _leave(shown: charts.ShownPath) -> None:
    """Show the buttons that use the release on all pages or export it."""
    with st.container(horizontal=True, key="leave"):
        controls.adopt(shown.scenario)
        with st.popover(
            "Export", icon=":material/download:", key="range_export", on_change="rerun"
        ) as opened:
            if opened.open:
                made = shown.after.mechanism
                exports.downloads(made, made.x_labels, controls.adopted(shown.scenario), "range")
