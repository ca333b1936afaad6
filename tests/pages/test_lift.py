"""The Lift page through Streamlit's own test harness."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.data.spec import DataSpec
from core.release.posteriors import averages, exposure
from core.scenario import Scenario, evaluate
from pages.ui import lift as board
from tests.pages import sent
from tests.pages.waiting import PATIENCE

PAGE = Path(__file__).parents[2] / "pages" / "lift.py"
SCENARIO = Scenario(mechanism="subset_merging", eps=0.5)


@pytest.fixture(scope="module")
def result():
    return evaluate(SCENARIO)


def opened(**query):
    app = AppTest.from_file(PAGE, default_timeout=PATIENCE)
    for key, value in ({"mech": "subset_merging", "eps": "0.5"} | query).items():
        app.query_params[key] = value
    return app.run()


def page_text(app):
    return " ".join(sent.texts(app)).replace("\\", "")


def test_high_risk_symbols_are_listed_with_their_reason(result):
    app = opened()
    assert not app.exception
    answer = exposure(result.before, SCENARIO.build_notion(result.joint), result.joint.s_labels)
    table = app.dataframe[0].value
    assert len(table) == result.joint.n_x
    assert set(table.loc[table["high-risk"], "symbol"]) == {
        label for label, risky in zip(answer.labels, answer.risky, strict=True) if risky
    }
    assert set(table["why"]) == set(answer.why)
    assert f"{answer.risky.sum()} of {result.joint.n_x} symbols, covering" in page_text(app)


def test_the_release_has_no_high_risk_symbol():
    app = opened()
    app.segmented_control(key="lift_of").set_value("the release").run()
    assert not app.exception
    assert not app.dataframe[0].value["high-risk"].any()


def test_averages_follow_the_slider_of_alpha(result):
    app = opened()
    app.select_slider(key="measure_alpha").set_value(np.inf).run()
    table = app.dataframe[1].value.set_index("measure")
    before = averages(result.before, np.inf)
    assert table.loc["Sibson mutual information, α = ∞", "X itself"] == f"{before['sibson'][0]:.4f}"
    after = averages(result.after, np.inf)
    assert table.loc["Mutual information", "the release"] == (
        f"{after['mutual_information'][0]:.4f}"
    )


def test_a_promise_of_order_alpha_sets_the_order_of_the_averages():
    app = opened(notion="alpha", alpha="5")
    assert not app.exception
    table = app.dataframe[1].value
    assert table["measure"].str.contains("α = 5").any()


def test_what_a_link_has_wrong_is_told():
    app = opened(lam="7")
    assert not app.exception
    assert "lam" in app.warning[0].value


def test_an_error_is_one_sentence():
    app = opened(data="example:nonesuch")
    assert not app.exception
    assert "nonesuch" in app.error[0].value


@pytest.mark.parametrize("query", [{"eps": "0"}, {"eps": "8"}, {"notion": "ldp"}, {"mech": "oue"}])
def test_extremes_have_an_answer(query):
    app = opened(**query)
    assert not app.exception
    assert not app.error


@pytest.mark.parametrize("alpha", ["0.5", "1", "3"])
def test_a_robust_promise_bounds_no_single_symbol_and_its_order_is_not_that_of_measures(alpha):
    app = opened(notion="rldp", sx="1", x="race", mech="secret_rr", alpha=alpha)
    assert not app.exception
    assert not app.error
    assert "0.5-RLDP does not bound each symbol separately" in page_text(app)
    assert app.dataframe[1].value["measure"].str.contains("α = 2").any()
    assert app.select_slider(key="measure_alpha").value == 2.0


@pytest.mark.parametrize(
    "query", [{"notion": "average_mi", "eps": "0.05"}, {"also": '{"notion":"pml","eps":0.3}'}]
)
def test_a_promise_that_is_not_one_bound_on_each_symbol_judges_none(query, monkeypatch):
    figure: list[dict] = []
    real = board.figures.symbol_lifts
    monkeypatch.setattr(
        board.figures, "symbol_lifts", lambda *a, **k: figure.append(real(*a, **k)) or figure[-1]
    )
    app = opened(mech="constant", **query)
    assert not app.exception
    assert "does not bound each symbol separately" in page_text(app)
    names = {trace.get("name") for trace in figure[-1]["data"]}
    assert "not evaluated alone under this notion" in names
    assert "is within the budget on its own" not in names
    assert "High-risk" not in sent.charts(app)["symbols"]["alt"]
    assert set(app.dataframe[0].value["why"].str.partition(":")[0]) == {"not evaluated"}


def test_a_robust_promise_without_the_secret_released_is_one_sentence():
    app = opened(notion="rldp", mech="identity")
    assert not app.exception
    assert "also release S" in app.error[0].value


@pytest.mark.parametrize("of_x", [True, False])
def test_a_frame_is_what_the_page_shows_at_rest_at_its_place(of_x):
    app = opened(eps="0.7", x="race")
    app.segmented_control(key="lift_of").set_value("X itself" if of_x else "the release").run()
    request = replace(SCENARIO, eps=0.7, data=DataSpec(released=("race",)))
    outcome = board.frame([evaluate(request)], board.View(of_x, 0, "nats"))
    charts = sent.charts(app)
    assert set(outcome["charts"]) == {"loglift", "symbols"}
    for key, part in outcome["charts"].items():
        assert part == {name: charts[key][name] for name in part}
    reported, shown = outcome["answers"][""], sent.answer(app)
    assert reported == {name: shown[name] for name in reported}
    assert not outcome["open"]


def test_every_slider_of_the_promise_is_followed():
    app = opened(notion="alip", lam="0.4")
    assert [(item["slider"], item["now"]) for item in sent.sliders(app)] == [
        ("eps", "0.50"),
        ("lam", "0.40"),
    ]
    assert {tuple(item["charts"]) for item in sent.sliders(app)} == {("loglift", "symbols")}
