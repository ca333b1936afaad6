"""The examples of Explore, and what each of their links opens."""

from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from core import clock
from core.scenario import Project, evaluate
from core.scenario.presets import PRESETS
from pages.ui.style.labels import markdown
from pages.ui.style.units import share
from tests.pages.sent import answers, key_figures, texts
from tests.pages.waiting import PATIENCE

ROOT = Path(__file__).parents[2]


def opened(page, query):
    app = AppTest.from_file(ROOT / f"pages/{page}.py", default_timeout=PATIENCE)
    for key, values in query.items():
        app.query_params[key] = values
    return app.run()


def page_text(app):
    return " ".join(texts(app))


@pytest.mark.parametrize("query", [{}, {"mech": ["watchdog"]}])
def test_every_example_is_a_question_that_one_button_opens(query):
    app = opened("explore", query)
    assert not app.exception
    assert all(item.title.endswith("?") for item in PRESETS)
    assert all(f"]({item.link})" in page_text(app) for item in PRESETS)
    assert all(markdown(item.source) in page_text(app) for item in PRESETS)


def first_glance(app):
    figures = [answer for key, answer in answers(app).items() if key.startswith("figures_")]
    return any(answer["badge"][0] == "quick estimate, not final" for answer in figures)


@pytest.mark.usefixtures("sweeps")
@pytest.mark.parametrize("preset", PRESETS, ids=lambda item: item.key)
def test_each_link_opens_what_it_promises_without_an_error(preset):
    page, _, query = preset.link.partition("?")
    with clock.using(clock.Ticking(1e-6)):  # no time limit cuts an answer here
        app = opened(page or "explore", parse_qs(query, keep_blank_values=True))
        assert not app.exception
        assert not app.error
        assert not app.warning
        if page == "confusability":
            assert app.title[0].value == "What can be known for sure"
            return
        if preset.key == "funnel_theorem_4":  # another process works on it
            assert any("Computing" in item.value for item in app.info)
            return
        several = isinstance(preset.request, Project)
        request = preset.request.scenarios if several else (preset.request,)
        wanted = [share(evaluate(scenario).mechanism.kept) for scenario in request]
    shown = [item.value for item in key_figures(app)]
    if preset.key == "rldp_example_3":  # its robust optimum begins with a first glance
        assert first_glance(app)
        del wanted[1]
    assert all(value in shown for value in wanted)
