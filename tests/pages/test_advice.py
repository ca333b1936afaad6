"""The advice below Explore's charts, worked out by another route."""

from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.data import count
from core.data.spec import DataSpec
from core.notions.robust_markov import RobustLDP, RobustPML, ball_around
from core.scenario import Scenario, answer, evaluate
from core.scenario.url import to_query
from core.studies.advice import lost_by_symbol, realised_levels
from core.studies.frontier import sweep
from core.studies.what_if import variants
from tests.pages.sent import figures
from tests.pages.waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("no_lines")

ROOT = Path(__file__).parents[2]
DATA = DataSpec("german_credit", ("credit",), ("purpose",))
SCENARIO = Scenario(data=DATA, notion="lip", eps=0.5, mechanism="subset_merging")


def advised(scenario):
    return bullets(opened(scenario))


def opened(scenario):
    app = AppTest.from_file(ROOT / "pages/explore.py", default_timeout=PATIENCE)
    for key, values in to_query(scenario).items():
        app.query_params[key] = values
    app.run()
    assert not app.exception
    return app


def bullets(app):
    text = [item.value for item in app.markdown if ":small[" in item.value]
    return " ".join(item for item in text if item.startswith("- :small[")).replace("\\", "")


@pytest.mark.usefixtures("sweeps")
def test_it_is_read_off_the_line_the_mechanism_and_the_records():
    text = advised(SCENARIO)
    result = evaluate(SCENARIO)
    joint, kernel = result.joint, result.mechanism.kernel
    given = joint.p_x[:, None] * kernel
    inputs = -np.log(given / given.sum(axis=0), where=given > 0, out=np.zeros_like(given))
    lost = (given * inputs).sum(axis=1)
    share = 100 * lost.max() / (joint_entropy(joint) - result.mechanism.information)
    assert f"costs most: {share:.1f}% of the lost information." in text
    most = RobustLDP(0.0, ball_around(joint)).achieved(joint, kernel)
    levels = realised_levels(joint, kernel)
    assert "1,000 records do not determine the truth" in text
    assert "With probability 95%, this release's levels at the truth, in nats" in text
    lip = result.after.achieved["lip"]
    assert f"LIP {lip:.3f} at the estimate, {levels['lip'].least:.3f} to " in text
    assert f"εₗ {levels['min_lift'].at_estimate:.3f} at the estimate" in text
    assert f"εᵤ {levels['pml'].at_estimate:.3f} at the estimate" in text
    assert f"LDP {result.after.achieved['ldp']:.3f} at the estimate, at most {most:.3f}." in text
    coarse = RobustPML(0.0, ball_around(joint)).achieved(joint, kernel)  # a certificate's level
    assert coarse > levels["pml"].most
    assert "A certificate bounds PML, which is εᵤ, more coarsely" in text
    assert f"(robust?{urlencode(to_query(SCENARIO), doseq=True)})" in text


def joint_entropy(joint):
    return float(-(joint.p_x * np.log(joint.p_x)).sum())


@pytest.mark.usefixtures("sweeps")
def test_nothing_is_advised_where_nothing_is_lost_and_no_line_is_ready():
    identity = Scenario(data=DataSpec("example:symmetric", (), ()), mechanism="identity")
    assert advised(identity) == ""


@pytest.mark.usefixtures("sweeps")
def test_a_line_that_never_keeps_enough_says_so():
    request = Scenario(
        data=DataSpec("example:parity", (), ()), notion="lip", mechanism="subset_merging"
    )
    assert "No ε on the line is known to keep 90%." in advised(request)


@pytest.mark.usefixtures("sweeps")
def test_the_least_budget_is_one_that_keeps_enough():
    message = advised(SCENARIO)
    text = message.split("ε = ")[1].split()[0]
    joint = evaluate(SCENARIO).joint
    (kept,) = sweep(SCENARIO, joint, [float(text)]).nmi
    assert kept >= 0.9
    assert f"keeps {100 * kept:.1f}%" in message


@pytest.mark.usefixtures("sweeps")
def test_the_last_half_nat_is_between_two_points_of_the_line():
    request = replace(SCENARIO, eps=1.0)
    text, joint = advised(request), evaluate(request).joint
    low, high = (float(part.split()[0]) for part in text.split("From ε = ")[1].split(" to ")[:2])
    assert high - low == pytest.approx(0.5)
    first, second = sweep(SCENARIO, joint, [low, high]).nmi
    assert f"the mechanism keeps {100 * (second - first):.1f} percentage points more." in text
    assert "costs most" not in text  # all of X is kept


@pytest.mark.usefixtures("sweeps")
def test_a_half_nat_that_adds_nothing_is_not_told_as_zero_points():
    text = advised(replace(SCENARIO, eps=8.0))
    assert "to 8 nats the mechanism keeps less than 0.1 percentage points more." in text
    assert "keeps 0.0" not in text
    assert "keeps -0.0" not in text


ADULT = Scenario(data=DataSpec("adult", ("sex",), ("workclass",)), notion="lip", eps=0.05)


def do(held, work):
    """Do what is held of a kind of work."""
    while places := [i for i, (_, call, _) in enumerate(held.open) if call is work]:
        held.finish(places[0])


def what_if(app, sweeps):
    """Switch it on, have both answers worked out, and return what stands below the switch."""
    app.toggle(key="what_if").set_value(True).run()
    do(sweeps, answer)
    app.run()
    assert not app.exception
    assert len([item for item in app.button if item.key.endswith("_open")]) == 2
    return [item.value.replace("\\", "") for item in app.markdown if ":small[" in item.value]


def test_it_is_worked_out_what_would_be_kept_with_the_costliest_symbol_merged_or_left_out(sweeps):
    app = opened(ADULT)
    joint, kernel = evaluate(ADULT).joint, evaluate(ADULT).mechanism.kernel
    worst = int(lost_by_symbol(joint, kernel).argmax())
    assert f"“{joint.x_labels[worst]}” costs most" in bullets(app)
    assert not [item for item in app.button if item.key.startswith("what_if")]
    text = " ".join(what_if(app, sweeps))
    made = evaluate(ADULT).mechanism
    assert f"Now {100 * made.kept:.1f}% of X is kept, I(X;Y) = {made.information:.3f} nats" in text
    for item in variants(ADULT, count(ADULT.data), worst):
        result = answer(item.scenario, item.counted())
        assert result.mechanism.status == "optimal"
        kept = f"{100 * result.mechanism.kept:.1f}% would be kept, "
        assert f"{kept}I(X;Y) = {result.mechanism.information:.3f} nats" in text
        assert f"LDP level {result.after.achieved['ldp']:.3f} nats" in text


@pytest.mark.parametrize("place", [0, 1])
def test_it_opens_on_explore_with_the_same_figures(sweeps, place):
    app = opened(ADULT)
    (text,) = [item for item in what_if(app, sweeps) if "would be kept" in item][place : place + 1]
    app.button(key=f"what_if_{place}_open").click().run()
    assert not app.exception
    assert not app.error
    data = app.session_state["_data"]
    assert (data.source, data.secret, data.released) == ("adult", ("sex",), ("workclass",))
    assert bool(data.merges) == (place == 0)
    assert bool(data.left_out) == (place == 1)
    nmi = figures(app)["NMI"]
    assert f"{nmi} would be kept" in text
    assert "_data" in app.session_state
    key = "merge" if place == 0 else "without"
    assert key in app.query_params


@pytest.mark.usefixtures("sweeps")
def test_a_question_without_a_costly_symbol_has_no_switch():
    symmetric = Scenario(data=DataSpec("example:symmetric", (), ()), mechanism="identity")
    for scenario in (symmetric, replace(ADULT, mechanism="identity")):
        assert "what_if" not in [item.key for item in opened(scenario).toggle]


def test_what_takes_longer_is_worked_out_by_another_process(monkeypatch, sweeps):
    from core.studies import advice as studied
    from pages.ui.explore import advice

    monkeypatch.setattr(advice, "IN_PLACE", 0)
    app = opened(SCENARIO)
    assert "records do not determine" not in bullets(app)
    do(sweeps, realised_levels)
    app.run()
    assert "records do not determine" in bullets(app)
    levels = realised_levels(evaluate(SCENARIO).joint, evaluate(SCENARIO).mechanism.kernel)
    assert f"{levels['lip'].least:.3f} to {levels['lip'].most:.3f}" in bullets(app)
    monkeypatch.setattr(studied, "MOST_CELLS", 1)
    assert "records do not determine" not in advised(SCENARIO)
