"""The start panel of Explore, and what each of its links opens."""

from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from core import clock
from core.scenario import Project, evaluate
from core.scenario.presets import PRESETS
from pages.ui.style.units import share
from pages.ui.work import refining
from tests.pages.waiting import PATIENCE

ROOT = Path(__file__).parents[2]


def opened(page, query):
    app = AppTest.from_file(ROOT / f"pages/{page}.py", default_timeout=PATIENCE)
    for key, values in query.items():
        app.query_params[key] = values
    return app.run()


def panel(app):
    (found,) = (one for one in app.expander if one.label == "Start with an example")
    return found


def test_the_panel_is_open_on_the_bare_landing_page_and_holds_every_link():
    app = opened("explore", {})
    assert panel(app).proto.expanded
    said = " ".join(one.value for one in panel(app).markdown)
    assert said.count("](") == len(PRESETS)
    assert all(f"]({one.link})" in said for one in PRESETS)
    app.slider(key="eps").set_value(0.5).run()
    assert panel(app).proto.expanded


def test_the_panel_is_closed_where_a_link_asks_a_question_of_its_own():
    assert not panel(opened("explore", {"mech": ["watchdog"]})).proto.expanded


def first_glance(app):
    return any(refining.GLANCE in one.value for one in app.markdown)


@pytest.mark.usefixtures("sweeps")
@pytest.mark.parametrize("one", PRESETS, ids=lambda one: one.key)
def test_each_link_opens_what_it_promises_without_an_error(one):
    page, _, query = one.link.partition("?")
    with clock.using(clock.Ticking(1e-6)):  # no time limit cuts an answer here
        app = opened(page or "explore", parse_qs(query, keep_blank_values=True))
        assert not app.exception
        assert not app.error
        assert not app.warning
        if page == "confusability":
            assert app.title[0].value == "What can be known for sure"
            return
        if one.key == "funnel_theorem_4":  # another process works on it
            assert any("being worked out" in one.value for one in app.info)
            return
        several = isinstance(one.asked, Project)
        asked = one.asked.scenarios if several else (one.asked,)
        wanted = [share(evaluate(scenario).mechanism.kept) for scenario in asked]
    shown = [metric.value for metric in app.metric]
    if one.key == "rldp_example_3":  # its robust optimum begins with a first glance
        assert first_glance(app)
        del wanted[1]
    assert all(value in shown for value in wanted)
