"""The Confusability page through Streamlit's own test harness."""

import html
import re
import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core import clock
from core import nonstochastic as ns
from core.data import DataSpec, count
from core.release.confusability import range_release
from core.release.sentences import knowable
from core.scenario import DOMAINS, Scenario
from pages.ui.confusability import board, charts
from pages.ui.parts import exports
from pages.ui.style.labels import markdown
from pages.ui.work import long_answer
from tests.core.jobs import calls
from tests.pages import sent
from tests.pages.sent import working
from tests.pages.test_explore import ROOT, figures
from tests.pages.waiting import PATIENCE, busy, finished

HEART = {"data": "heart_hungarian", "s": "age", "x": "chol", "missing": "drop"}


@pytest.fixture(scope="module")
def heart():
    return count(DataSpec("heart_hungarian", ("age",), ("chol",), missing="drop"))


def opened(page="pages/confusability.py", **query):
    app = AppTest.from_file(ROOT / page, default_timeout=PATIENCE)
    for key, value in ({"unit": "bits"} | query).items():
        app.query_params[key] = value
    return app.run()


def texts(app):
    return sent.texts(app)


def test_it_opens_with_the_scenarios_own_data():
    app = opened()
    assert not app.exception
    assert not app.error
    joint = count(DataSpec()).joint
    result = ns.solve("anonymity", joint.p > 0, Scenario().weight)
    request = range_release(joint, result.partition)
    assert markdown(knowable(request, "sex")) in texts(app)
    assert figures(app)["k-anonymity"] == str(request.anonymity) == "2"
    assert figures(app)["NMI"] == f"{100 * request.mechanism.nmi:.1f}%"
    assert app.number_input(key="weight").value == Scenario().weight


@pytest.mark.parametrize("problem", ns.PROBLEMS)
@pytest.mark.parametrize("utility", ns.UTILITIES)
def test_each_problem_shows_what_its_algorithm_finds(heart, problem, utility):
    app = opened(**HEART, problem=problem, keep=utility, weight="0.01")
    assert not app.exception
    assert not app.error
    occurs = heart.joint.p > 0
    result = ns.solve(problem, occurs, 0.01, utility, heart.x_values)
    shown = figures(app)
    assert (
        shown["Known for certain, bits"]
        == f"{ns.maximin_information(occurs, result.partition):.2f}"
    )
    assert shown["k-anonymity"] == str(ns.anonymity(occurs, result.partition))
    kept = "Resolution, bits" if utility == "resolution" else "Largest distortion"
    assert float(shown[kept]) == pytest.approx(abs(result.utility), rel=0.01, abs=0.005)
    assert app.slider(key="step").value == len(result.path) - 1
    assert app.slider(key="step").max == len(result.steps) - 1


def test_the_slider_goes_through_the_merges(heart):
    app = opened(**HEART)
    app.slider(key="step").set_value(2).run()
    assert not app.exception
    step = ns.solve("anonymity", heart.joint.p > 0, 0.5).steps[2]
    assert figures(app)["Most ruled out L₀, bits"] == f"{step.leakage:.2f}"
    app.number_input(key="weight").set_value(0.2).run()
    result = ns.solve("anonymity", heart.joint.p > 0, 0.2)
    assert app.slider(key="step").value == len(result.path) - 1


def test_the_report_has_the_sentences_charts_and_tables_of_the_page(monkeypatch):
    made = []
    monkeypatch.setattr(exports, "report", lambda make, _, **_more: made.append(make))
    app = opened(**HEART, problem="anonymity", weight="0.2", step="1")
    assert not app.exception
    content = made[-1]()  # when it is clicked, outside of the page's run
    assert html.escape(sent.answer(app)["sentences"][0]) in content
    for text in (*figures(app).values(), "1 of ", "The clusters", "Merge by merge"):
        assert html.escape(text) in content
    assert content.count('class="chart"') == 4
    address = re.search(r"/confusability\?([^<]*)", html.unescape(content))[1]
    query = dict(item.split("=") for item in address.split("&"))
    assert query["step"] == "1"
    assert figures(opened(**query)) == figures(app)


def test_its_own_measures_follow_the_unit():
    high = str(DOMAINS["weight"].high)
    app = opened(data="example:parity", s="", x="", weight=high, unit="nats")
    before = figures(app)
    assert before["Known for certain, nats"] == "0.69"
    assert "0.69 nats of" in " ".join(texts(app)).replace("\\", "")
    app.segmented_control(key="unit").set_value("bits").run()
    assert figures(app)["Known for certain, bits"] == "1.00"
    assert "1.00 bits of" in " ".join(texts(app)).replace("\\", "")
    assert {name.replace("nats", "bits") for name in before} == set(figures(app))


def test_a_permalink_opens_its_step_and_view(heart):
    app = opened(**HEART, problem="anonymity", weight="0.2", step="1", view="secret")
    assert not app.exception
    assert not app.warning
    assert app.slider(key="step").value == 1
    assert app.segmented_control(key="view").value == "secret"
    step = ns.solve("anonymity", heart.joint.p > 0, 0.2).steps[1]
    assert figures(app)["Most ruled out L₀, bits"] == f"{step.leakage:.2f}"


def test_what_a_link_has_wrong_is_told_and_falls_back(heart):
    app = opened(**HEART, problem="<b>best</b>", view="upside", step="-1", weight="-1", keep="all")
    assert not app.exception
    reported = " ".join(warning.value for warning in app.warning)
    for part in ("problem=<b>best</b>", "view=upside", "step=-1", "weight=-1", "keep=all"):
        assert markdown(part) in reported
    assert "<b>" not in reported
    assert app.selectbox(key="problem").value == "anonymity"
    assert app.number_input(key="weight").value == 0.5
    stop = len(ns.solve("anonymity", heart.joint.p > 0, 0.5).path) - 1
    assert app.slider(key="step").value == stop


def test_a_step_beyond_the_last_merge_is_told():
    app = opened(**HEART, step="99")
    assert not app.exception
    assert (
        markdown("step=99, but there are 20 merges; showing the last one") in app.warning[0].value
    )
    assert app.slider(key="step").value == 20


def test_distortion_of_names_is_one_sentence():
    app = opened(keep="distortion")
    assert not app.exception
    assert "Distortion needs a numeric X" in app.error[0].value
    assert "occupation" in app.error[0].value
    assert sent.answer(app) is None


def test_a_column_that_is_not_there_is_one_sentence():
    app = opened(s="no such column")
    assert not app.exception
    assert "no such column" in app.error[0].value


def test_data_that_rules_nothing_out_offers_some_that_does():
    app = opened(data="example:symmetric", s="", x="")
    assert not app.exception
    assert "nothing can be ruled out" in app.info[0].value
    app.button(key="load_suited").click().run()
    assert not app.exception
    assert not app.info
    assert "1.00" in [figure.delta.split()[-1] for figure in sent.key_figures(app)]
    assert app.selectbox(key="data_source").value == "heart_hungarian"


@pytest.mark.parametrize(
    ("problem", "weight", "known"),
    [
        ("anonymity", 0.0, "0.00"),
        ("maximin", 0.0, "0.00"),
        ("reduction", 0.0, "0.00"),
        ("anonymity", DOMAINS["weight"].high, "1.00"),
        ("maximin", DOMAINS["weight"].high, "1.00"),
        ("reduction", DOMAINS["weight"].high, "0.00"),
    ],
)
def test_the_ends_of_the_weight_have_an_answer(problem, weight, known):
    app = opened(data="example:parity", s="", x="", problem=problem, weight=str(weight))
    assert not app.exception
    assert not app.error
    assert figures(app)["Known for certain, bits"] == known


def test_a_single_merge_has_a_slider_and_no_merge_has_none():
    assert opened(data="example:symmetric", s="", x="").slider == []
    app = opened(data="example:symmetric", s="", x="")
    assert "There is nothing to merge: a single step." in [text.value for text in app.caption]


def test_the_quantisation_becomes_the_mechanism_of_every_page():
    app = opened(weight="0.3")
    app.button(key="adopt").click().run()
    assert app.session_state["mech"] == "merge_anonymity"
    assert app.button(key="adopt").disabled
    explore = opened("pages/explore.py", mech="merge_anonymity", weight="0.3")
    assert not explore.exception
    assert figures(explore)["NMI"] == figures(app)["NMI"]
    explore.number_input(key="weight").set_value(0.0).run()
    assert not explore.exception
    joint = count(DataSpec()).joint
    merged = range_release(joint, ns.solve("anonymity", joint.p > 0, 0.0).partition)
    assert figures(explore)["NMI"] == f"{100 * merged.mechanism.nmi:.1f}%"


def test_the_dual_view_and_an_open_part_are_drawn():
    app = opened(**HEART, view="secret")
    assert not app.exception
    app.segmented_control(key="view").set_value("released").run()
    app.selectbox(key="part_before").set_value(1).run()
    assert not app.exception
    assert app.selectbox(key="part_before").value == 1


def test_baselines_can_be_left_out():
    app = opened(data="example:parity", s="", x="")
    app.toggle(key="rivals").set_value(False).run()
    assert not app.exception
    assert np.isfinite(float(figures(app)["Resolution, bits"]))


@pytest.mark.usefixtures("afresh")
def test_cancelled_work_can_be_started_again_and_others_are_not_hit(monkeypatch):
    slow = replace(charts.algorithm("anonymity"), slow_from=0, sweep_slow_from=0)
    monkeypatch.setattr(charts, "algorithm", lambda _: slow)
    request = HEART | {"weight": "0.123"}
    with busy(long_answer.WORKERS):
        mine, other = opened(**request), opened(**request)
        assert sent.answer(mine) is None
        mine.button(key="cancel_clustering").click().run()
    assert not mine.exception
    assert "Canceled" in mine.info[0].value
    assert sent.answer(mine) is None
    finished(other, lambda: sent.answer(other))
    mine.button(key="clustering_again").click().run()
    finished(mine, lambda: sent.answer(mine))
    assert figures(mine)["k-anonymity"] == figures(other)["k-anonymity"]


@pytest.mark.usefixtures("afresh")
def test_work_that_takes_too_long_is_told_where_its_picture_would_be(monkeypatch):
    with clock.using(time.monotonic):
        with monkeypatch.context() as endless:
            endless.setattr(charts, "pareto_frontier", calls.hang)
            endless.setattr(charts, "LongAnswer", partial(charts.LongAnswer, seconds=0.1))
            app = opened(**HEART, problem="reduction")
            finished(app, lambda: "trade_offs_again" in {button.key for button in app.button})
        assert any("its time limit" in caption.value for caption in app.caption)
        assert figures(app)["k-anonymity"]
        app.button(key="trade_offs_again").click().run()
        finished(app, lambda: not working(app))
        assert "trade_offs_again" not in {button.key for button in app.button}


def test_a_frame_is_what_the_page_shows_at_rest_at_its_step():
    problem = "anonymity"
    app = opened(**HEART, problem=problem, weight="0.2", step="3", view="secret")
    assert not app.exception
    (slider,) = sent.sliders(app)
    assert (slider["slider"], slider["now"]) == ("step", "3")
    data = DataSpec("heart_hungarian", ("age",), ("chol",), missing="drop")
    scenario = Scenario(data, weight=0.2)
    result = charts.clustering(problem, scenario)
    assert slider["labels"] == [str(step) for step in range(len(result.steps))]
    first = charts.released(data, ns.singletons(153))
    path = charts.ShownPath(scenario, problem, result, 0, first, first)
    view = charts.View("secret", None, None, "bits")
    item, other = (board.frame([charts.at(path, step)], view) for step in (3, 4))
    assert set(item["charts"]) == set(slider["charts"])
    assert item["answers"] != other["answers"]
    assert item["charts"]["merges"] != other["charts"]["merges"]
    reported, shown = item["answers"][""], sent.answer(app)
    assert reported == {name: shown[name] for name in reported}
    for key, part in item["charts"].items():
        chart = sent.charts(app)[key]
        assert part == {name: chart[name] for name in part}, key
