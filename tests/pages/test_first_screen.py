"""At most 60 words of prose stand above and beside the first chart of each page."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.papers.catalogue import EXPERIMENTS
from tests.pages import sent
from tests.pages.waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("no_lines")

PAGES = Path(__file__).parents[2] / "pages"
MOST = 60

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


def first_screen(page, **query):
    """Return the prose of a page's first screen."""
    app = AppTest.from_file(PAGES / f"{page}.py", default_timeout=PATIENCE)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    texts = []
    above(app.main, texts)
    answer = sent.answer(app)
    return texts + ([] if answer is None else answer["said"])


@pytest.mark.parametrize("page", sorted(path.stem for path in PAGES.glob("*.py")))
def test_a_page_opens_with_few_words(page):
    texts = first_screen(page)
    assert words(texts) <= MOST, texts


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.key)
def test_an_experiment_opens_with_few_words(experiment):
    texts = first_screen("papers", show=experiment.key)
    assert words(texts) <= MOST, texts
