"""The heads of pages: the unit first, then the page's own buttons, Export and Report last."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

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


@pytest.mark.parametrize(
    ("page", "last"),
    [
        ("explore", ["Export", "Report"]),
        ("compare", ["Export", "Report"]),
        ("lift", ["Export", "Report"]),
        ("mechanisms", ["Export", "Report"]),
        ("release", ["Export", "Report"]),
        ("confusability", ["Export", "Report"]),
        ("robust", ["Export", "Report"]),
        ("frontiers", []),
    ],
)
def test_a_head_has_its_buttons_in_one_order(page, last):
    app = AppTest.from_file(PAGES / f"{page}.py", default_timeout=PATIENCE).run()
    assert not app.exception
    (head,) = (
        item for item in blocks(app.main) if str(getattr(item.proto, "id", "")).endswith("-header")
    )
    first, *rest = labels(head)
    assert first == "Unit"
    assert rest[len(rest) - len(last) :] == last
    assert not {"Export", "Report"}.intersection(rest[: len(rest) - len(last)])
