"""Budgets that are typed: beyond the slider's end, in either unit, and on Compare."""

import math
import re

import pytest

from core.scenario import Scenario
from tests.pages.comparing import QUICK, SMALL, opened, pinned

SCENARIO = Scenario(data=SMALL, mechanism="watchdog")


@pytest.fixture(autouse=True)
def _no_sweeps(sweeps):
    """Hold the work on frontiers: no test here is about them."""
    return sweeps


def field(app, key="typed_eps"):
    """Return the field of a budget that is shown now."""
    (result,) = [item for item in app.number_input if re.fullmatch(rf"{key}_\d+", item.key)]
    return result


def test_a_budget_is_typed_beyond_the_end_of_its_slider_which_follows():
    app = opened("lift", scenario=SCENARIO)
    typed = field(app)
    assert (typed.label, typed.value, typed.max) == ("nats", 1.0, 50.0)
    typed.set_value(20.0).run()
    assert not app.exception
    assert not app.error
    assert app.query_params["eps"] == "20"
    assert app.slider(key="eps").value == app.slider(key="eps").max == 20.0
    app.slider(key="eps").set_value(0.5).run()
    assert field(app).value == 0.5
    assert app.slider(key="eps").max == 8.0


def test_a_slider_that_is_moved_twice_before_the_field_follows_is_not_put_back():
    app = opened("lift", scenario=SCENARIO)
    slider, before = app.slider(key="eps"), field(app)
    before.set_value(before.value)  # what the browser sends of it until the first answer is there
    slider.set_value(0.95).run()
    slider.set_value(0.9).run()
    assert not app.exception
    assert app.query_params["eps"] == "0.9"
    assert app.slider(key="eps").value == field(app).value == 0.9


def test_a_budget_is_typed_in_bits():
    app = opened("lift", scenario=SCENARIO, unit="bits")
    typed = field(app)
    assert (typed.label, typed.value) == ("bits", pytest.approx(1 / math.log(2), abs=1e-6))
    typed.set_value(2.0).run()
    assert not app.exception
    assert app.session_state["eps"] == pytest.approx(2 * math.log(2))
    assert app.query_params["eps"] == "2"


@pytest.mark.parametrize(("unit", "nats"), [("nats", 1e-12), ("bits", 1e-12 * math.log(2))])
def test_a_tiny_budget_is_not_taken_for_0(unit, nats):
    app = opened("lift", scenario=SCENARIO, unit=unit)
    field(app).set_value(1e-12).run()
    assert not app.exception
    assert app.session_state["eps"] == pytest.approx(nats, rel=1e-9)
    assert app.query_params["eps"] == "1e-12"
    assert field(app).value == 1e-12
    again = opened("lift", scenario=SCENARIO, unit=unit, eps="1e-12")
    assert again.session_state["eps"] == app.session_state["eps"]
    assert not again.warning


def test_each_side_of_a_promise_is_typed_and_infinity_is_left_blank():
    request = Scenario(data=SMALL, notion="sides", mechanism="watchdog", eps_u=math.inf)
    app = opened("lift", scenario=request)
    assert field(app, "typed_eps_u").value is None
    field(app, "typed_eps_l").set_value(12.5).run()
    assert not app.exception
    assert app.session_state["eps_l"] == 12.5
    assert app.session_state["eps_u"] == math.inf


def test_a_columns_budget_is_typed():
    app = opened(project=QUICK)
    field(app, "col1_typed_nats").set_value(15.0).run()
    assert not app.exception
    assert [item.eps for item in pinned(app).scenarios] == [1.0, 15.0, 1.0]
    assert app.slider(key="col1_eps_nats").value == 15.0


def test_a_columns_slider_that_is_moved_twice_is_not_put_back():
    app = opened(project=QUICK)
    slider, before = app.slider(key="col1_eps_nats"), field(app, "col1_typed_nats")
    before.set_value(before.value)
    slider.set_value(0.95).run()
    slider.set_value(0.9).run()
    assert [item.eps for item in pinned(app).scenarios] == [1.0, 0.9, 1.0]


def test_a_link_may_ask_for_as_much():
    app = opened("lift", scenario=SCENARIO, eps="50")
    assert not app.warning
    assert not app.error
    assert field(app).value == 50.0
