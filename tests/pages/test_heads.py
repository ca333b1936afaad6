"""The heads of pages: the unit first, then the page's own buttons, Export and Report last."""

import html
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.scenario import Scenario
from pages.ui.parts import exports
from tests.pages.waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("no_lines")

PAGES = Path(__file__).parents[2] / "pages"


def blocks(block):
    yield block
    for part in block.children.values():
        if hasattr(part, "children"):
            yield from blocks(part)


def labels(block):
    """Yield what the buttons, switches and menus of a block say, in order."""
    for _, part in sorted(block.children.items()):
        if part.type == "popover":
            yield part.proto.popover.label
        elif hasattr(part, "children"):
            yield from labels(part)
        elif label := getattr(part.proto, "label", ""):
            yield label


def head(app):
    """Return the block of a page's head."""
    (result,) = (
        item for item in blocks(app.main) if str(getattr(item.proto, "id", "")).endswith("-header")
    )
    return result


def lacking(app):
    """Return the reasons on Export and Report where a page has nothing to save."""
    (menu,) = (
        item.proto.popover
        for item in blocks(head(app))
        if item.type == "popover"
        if item.proto.popover.label == "Export"
    )
    report = next(item for item in app.get("download_button") if item.proto.label == "Report")
    return [part.help for part in (menu, report.proto) if part.disabled]


def opened(page, **query):
    app = AppTest.from_file(PAGES / f"{page}.py", default_timeout=PATIENCE)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


UNITLESS = ("data", "learn", "papers")
"""Pages whose numbers have no unit to choose."""


@pytest.mark.parametrize("page", sorted(path.stem for path in PAGES.glob("*.py")))
def test_a_head_has_its_buttons_in_one_order_and_the_sidebar_begins_with_pin(page):
    app = opened(page)
    assert not app.exception
    first, *rest = labels(head(app))
    assert (first == "Unit") == (page not in UNITLESS)
    assert rest[-2:] == ["Export", "Report"] or [first, *rest] == ["Export", "Report"]
    assert not {"Export", "Report"}.intersection(rest[:-2])
    assert app.sidebar.button[0].label == "Pin to Compare"
    assert lacking(app) == (
        ["There are no points yet: run a sweep, or open a file."] * 2 if page == "frontiers" else []
    )


@pytest.mark.parametrize(
    ("page", "query", "charts", "words"),
    [
        ("data", {}, 3, "All records are used as read."),
        ("learn", {}, 1, "What it does not guarantee"),
        ("learn", {"topic": "exercises"}, 0, "The results of a medical test"),
        ("learn", {"topic": "glossary"}, 0, "lift"),
        ("papers", {}, 1, "How verdicts are reached"),
        ("papers", {}, 1, "1,000 draws, 0.1 s."),
        ("papers", {"show": "errata"}, 1, "All errors found"),
    ],
)
def test_the_report_of_a_page_has_its_charts_and_its_address(
    page, query, charts, words, monkeypatch
):
    made = []
    monkeypatch.setattr(exports, "report", lambda make, _key, **_more: made.append(make))
    assert not opened(page, **query).exception
    content = html.unescape(made[-1]())
    assert content.count('class="chart"') == charts
    assert words.lower() in content.lower()
    assert f"/{page}" in content


def test_topics_without_a_question_say_so_on_pin():
    app = opened("learn", topic="exercises")
    pin = app.button(key="pin")
    assert (pin.disabled, pin.help) == (True, "Exercises: there is no question to pin.")
    assert lacking(app) == []


@pytest.mark.parametrize("topic", ["lift", "ldp"])
def test_a_lessons_example_is_pinned_with_its_numbers(topic):
    app = opened("learn", topic=topic, ill="0.5")
    app.button(key="pin").click().run()
    assert not app.exception
    (scenario,) = app.session_state["_project"].scenarios
    assert scenario.data.source.startswith("matrix:" if topic == "lift" else "example:")
    assert scenario.notion == ("ldp" if topic == "ldp" else Scenario().notion)
