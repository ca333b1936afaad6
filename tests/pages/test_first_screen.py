"""At most 60 words of prose stand above and beside the first chart of each page."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core import clock
from core.papers.catalogue import EXPERIMENTS
from core.papers.worlds import WORLDS
from pages.ui.learn.query import TOPICS
from pages.ui.papers.query import ERRATA
from tests.pages import sent
from tests.pages.test_heads import lacking
from tests.pages.waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("no_lines")

PAGES = Path(__file__).parents[2] / "pages"
NAMES = sorted(path.stem for path in PAGES.glob("*.py"))
MOST = 60

IMPROVING = "Quick estimate. Improving…"

CHARTS = {"bidi_component", "dataframe", "arrow_data_frame", "table", "arrow_table"}
CLICK_AWAY = {"popover", "expander"}
PROSE = {"markdown", "caption", "info", "warning", "error", "success"}
LABEL = re.compile(r"^\*\*[^*]*\*\*|:[a-z]+-badge\[[^\]]*\]")
"""The title of a card, or a badge."""


def above(block, texts):
    """Add a block's prose above its first chart to texts; return whether there is a chart."""
    if block.proto is not None and str(getattr(block.proto, "id", "")).endswith("-columns_rows"):
        return True  # Release's table of columns, each with a switch
    beside = []
    for _, part in sorted(block.children.items()):
        if part.type == "column":
            beside.append(part)
        elif hasattr(part, "children"):
            if part.type not in CLICK_AWAY and above(part, texts):
                return True
        elif part.type in CHARTS:
            return True
        elif part.type in PROSE:
            texts.append(part.value)
    rows = [(above(column, mine := []), mine) for column in beside]
    has_chart = any(charted for charted, _ in rows)
    for charted, mine in rows:
        if charted or not has_chart:  # words beside a chart are what it shows, in words
            texts += mine
    return has_chart


def words(texts):
    """Return how many words texts have besides labels."""
    return sum(len(re.findall(r"\S*\w\S*", LABEL.sub("", text))) for text in texts)


def opened(page, **query):
    """Return a page, run once."""
    app = AppTest.from_file(PAGES / f"{page}.py", default_timeout=PATIENCE)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def first_screen(app):
    """Return the prose of a page's first screen; Compare's lines of figures are no sentences."""
    texts = []
    above(app.main, texts)
    lines = [line for item in sent.answers(app).values() for line in item["sentences"]]
    return texts + [line for line in lines if line.endswith((".", "…"))]


@pytest.mark.parametrize("page", NAMES)
def test_a_page_opens_with_few_words(page):
    texts = first_screen(opened(page))
    assert words(texts) <= MOST, texts


@pytest.mark.parametrize("topic", TOPICS)
def test_a_lesson_opens_with_few_words(topic):
    texts = first_screen(opened("learn", topic=topic))
    assert words(texts) <= MOST, texts


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.key)
def test_an_error_of_a_paper_opens_with_few_words(world):
    texts = first_screen(opened("papers", show=ERRATA, world=world.key))
    assert any(text.startswith("The paper says: ") for text in texts)
    assert words(texts) <= MOST, texts


@pytest.mark.parametrize("page", sorted(set(NAMES) - {"learn", "papers"}))
def test_a_page_with_an_error_says_it_in_few_words(page):
    app = opened(page, s="nope")
    errors = {error.value for error in app.main.error}
    assert any("has no column 'nope'" in text for text in errors)
    texts = errors | set(first_screen(app))
    assert words(texts) <= MOST, texts
    assert any(button.label.startswith("Use ") for button in app.main.button)  # what to do instead
    assert lacking(app)  # why there is no report
    assert not any("nope" in text.value for text in app.sidebar.markdown)  # once is enough
    labels = [title.value for title in app.title] + [button.label for button in app.button]
    assert not any("nope" in label for label in labels), labels


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.key)
def test_an_experiment_opens_with_few_words(experiment):
    texts = first_screen(opened("papers", show=experiment.key))
    assert words(texts) <= MOST, texts


@pytest.mark.usefixtures("sweeps", "solves")
@pytest.mark.parametrize("page", ["explore", "lift", "mechanisms"])
def test_a_quick_estimate_says_so_in_few_words(page):
    with clock.using(clock.Ticking(1000.0)):  # every time limit is over at its first reading
        app = opened(page, data="random:uniform:3x6:1", notion="lip", eps="0.5")
    texts = set(first_screen(app)) | {text for text in sent.texts(app) if IMPROVING in text}
    assert any(IMPROVING in text for text in texts)
    assert words(texts) <= MOST, texts
