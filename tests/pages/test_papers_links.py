"""Every link of the Papers and the Learn page opens the state that it names."""

from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from core.learning import LESSONS, defaults
from core.learning.lessons import opens
from core.papers.worlds import SETTINGS, WORLDS
from core.scenario import Scenario
from core.scenario.url import LISTS
from pages.ui.frame import state
from pages.ui.papers import board, query
from tests.pages.waiting import PATIENCE

PAGE = Path(__file__).parents[2] / "pages" / "papers.py"

SHIPPED = query.full_run()

PAGES = {"": "explore", "compare": "compare", "frontiers": "frontiers"}
PAGES |= {"confusability": "confusability", "robust": "robust"}
"""A link's path → the page's file."""

WAYS = [(item, text, link) for item in SHIPPED.experiments for text, link in board.ways_on(item)]
"""Every link of every experiment."""

DEFAULTS = {key: item.default for key, item in SETTINGS.items()}


def followed(link):
    """Return the page that a link opens."""
    path, _, request = link.removeprefix("./").partition("?")
    app = AppTest.from_file(PAGE.with_name(f"{PAGES[path]}.py"), default_timeout=PATIENCE)
    for key, values in parse_qs(request).items():
        app.query_params[key] = values
    return app.run()


def scenario_of(app):
    """Return the question that a page has in its session."""
    result = {name: app.session_state[key] for key, name in state.WIDGETS.items()}
    result |= {name: app.session_state[f"_{name}"] for name in LISTS.values()}
    return Scenario(data=app.session_state["_data"], n=app.session_state["_n"], **result)


@pytest.mark.usefixtures("solves", "sweeps")
@pytest.mark.parametrize(
    ("entry", "label", "link"),
    WAYS,
    ids=[f"{item.key} {text.split()[-1]}" for item, text, _ in WAYS],
)
def test_every_link_of_an_experiment_opens_the_state_that_it_names(entry, label, link):
    app = followed(link)
    assert not app.exception
    assert not app.warning
    request = board.scenario(entry)
    if label.endswith("Compare"):
        assert app.session_state["_project"] == board.beside(request)
        assert app.session_state["_project"].scenarios[0] == request
    elif label.endswith("Confusability"):
        assert app.session_state["_data"] == request.data
    else:
        assert scenario_of(app) == request
    if label.endswith("Frontiers"):
        assert app.session_state["sweep_promise"] == [request.notion]
        best = board.BEST.get(request.notion, "optimal")
        assert app.session_state["sweep_by"] == list(dict.fromkeys([request.mechanism, best]))


@pytest.mark.usefixtures("solves", "sweeps")
@pytest.mark.parametrize("world", WORLDS, ids=lambda item: item.key)
def test_every_link_of_a_world_opens_the_state_that_it_names(world):
    opens = world.opens(DEFAULTS)
    app = followed(opens.link)
    assert not app.exception
    assert not app.warning
    assert scenario_of(app) == opens.scenario


@pytest.mark.usefixtures("solves", "sweeps")
@pytest.mark.parametrize("lesson", LESSONS[1:], ids=lambda item: item.key)
def test_every_link_of_a_lesson_opens_the_state_that_it_names(lesson):
    result = opens(lesson.key, defaults())
    app = followed(result.link)
    assert not app.exception
    assert not app.error
    assert not app.warning
    assert app.session_state["_data"] == result.scenario.data


def test_every_experiment_whose_data_are_known_has_its_links():
    without = [item.key for item in SHIPPED.experiments if not board.ways_on(item)]
    # of those, the paper's data are lost
    assert without == ["nonstochastic_examples"]
    for item in SHIPPED.experiments:
        pages = [text.split()[-1] for text, _ in board.ways_on(item)]
        if item.paper == "nonstochastic":
            assert pages in ([], ["Confusability"])
        else:
            assert pages == ["Explore", "Compare", "Frontiers"]
