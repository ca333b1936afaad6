"""What a click on a point of a chart changes, and what it leaves where it hits none."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core import nonstochastic as ns
from core.joint import Joint
from core.measures.leakage import leakage
from core.release.confusability import component_graph
from pages.ui.chart import BOARD
from pages.ui.confusability import controls as confusability_controls
from pages.ui.explore import frontier_lines
from pages.ui.robust import controls as robust_controls
from tests.pages.waiting import PATIENCE

OCCURS = np.array([[1, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]], dtype=bool)
NOWHERE = (None, {}, {"x": 1.0}, {"at": 0, "key": None}, "magic")
"""What a chart sends where no point was hit, or what a broken browser might."""


def clicked(chart, value, react, **known):
    """Return the session after a click in a chart, of which a function learns."""

    def page(chart, value, react, known):
        import streamlit as st

        from pages.ui.frame import state

        state.restore("robust")
        for key, content in known.items():
            st.session_state[key] = content
        st.session_state[chart] = {"picked": value}
        react()

    app = AppTest.from_function(
        page,
        default_timeout=PATIENCE,
        kwargs={"chart": chart, "value": value, "react": react, "known": known},
    ).run()
    assert not app.exception
    return app


def test_a_point_of_the_robust_frontier_is_a_budget_which_the_link_takes_over():
    point = {"x": 0.3607, "at": 0, "key": ["", "exact"]}  # x in bits
    app = clicked("robust_frontier", point, robust_controls.pick_budget)
    assert app.session_state["eps"] == 0.25
    assert app.query_params["eps"] == "0.25"


def test_a_merge_is_a_step_of_the_way():
    point = {"x": 3, "at": 3, "key": ["step"]}
    result = clicked(BOARD, point, confusability_controls.pick_step)
    assert result.session_state["_confusability_wanted_step"] == 3


def parts():
    joint = Joint.from_counts(OCCURS.astype(int))
    return component_graph(leakage(joint.p, joint.x_labels), joint.s_labels)


@pytest.mark.parametrize(("at", "opened"), [(0, 0), (2, 2), (3, 7), (-1, 7)])
def test_a_part_is_opened_if_it_is_one(at, opened):
    graph = parts()
    assert sorted(graph.parts) == [0, 1, 2]
    known = {"part_before": 7}
    result = clicked(
        BOARD,
        {"x": 0.0, "at": at, "key": ["part", "before"]},
        lambda: confusability_controls.pick_part("before", graph),
        **known,
    )
    assert result.session_state["part_before"] == (graph.parts[opened] if opened < 7 else 7)


@pytest.mark.parametrize("problem", ns.PROBLEMS)
def test_an_offer_sets_a_weight_for_which_the_algorithm_returns_it(problem):
    points = ns.pareto_frontier(OCCURS, problem, "resolution")
    for at, point in enumerate(points):
        result = clicked(
            BOARD,
            {"x": point.leakage, "at": at, "key": ["offer"]},
            lambda: confusability_controls.pick_offer(points),
            weight=-1.0,
            step=2,
        ).session_state
        if point.weights is None:
            assert (result["weight"], result["step"]) == (-1.0, 2)
        else:
            assert "step" not in result
            made = ns.solve(problem, OCCURS, result["weight"], "resolution")
            assert made.partition == point.partition


@pytest.mark.parametrize("value", NOWHERE)
def test_a_click_beside_the_points_changes_nothing(value):
    before = {"weight": 0.5, "part_before": 1, "step": 2}
    for chart, react in (
        (BOARD, frontier_lines.pick),
        ("robust_frontier", robust_controls.pick_budget),
        (BOARD, confusability_controls.pick_step),
        (BOARD, lambda: confusability_controls.pick_part("before", parts())),
        (BOARD, lambda: confusability_controls.pick_offer(())),
    ):
        result = clicked(chart, value, react, **before).session_state
        assert {key: result[key] for key in before} == before
        assert (result["eps"], result["mech"]) == (1.0, "optimal")
        assert "_confusability_wanted_step" not in result
