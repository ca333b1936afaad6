"""The style sheets: what a browser can apply quickly."""

import re

import pytest

from core.jobs.pool import ROOT

SHEETS = sorted((ROOT / "pages").rglob("*.css"))
LEFT = r":has\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
"""A :has() with what is in its brackets."""


def selectors(text):
    """Return the selectors of a sheet, those of a list apart."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    for result in re.findall(r"([^{};]+)\{", text):
        outside = re.sub(LEFT, " :has", result)
        yield from (item.strip() for item in re.sub(r"\([^()]*\)", "()", outside).split(","))


def test_the_selectors_of_a_sheet_are_found():
    text = (
        "/* a:has(b) * */ p:has(> :is(i, b)) > *, a { x: y } @media print { u:has(+ i) b { x: y } }"
    )
    assert [*selectors(text)] == ["p :has > *", "a", "@media print", "u :has b"]


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_what_follows_has_is_found_by_its_tag_or_class(sheet):
    """Chromium looks at all elements again for each that a chart adds, where it is not."""
    text = sheet.read_text(encoding="utf-8")
    assert text.count("{") == text.count("}")
    for item in selectors(text):
        place = item.rfind(":has")
        last = re.split(r"[\s>+~]+", item[place:].removeprefix(":has"))[-1] if place >= 0 else ""
        assert last == "" or re.match(r"[.\w:]", last), item


def test_blocks_with_charts_in_them_have_no_has():
    """Each text that a chart measures would have the browser look into all blocks around it."""
    text = (ROOT / "pages/ui/frame/look.css").read_text(encoding="utf-8")
    subjects = [part.split()[-1] for item in selectors(text) for part in item.split(":has")[:-1]]
    assert "div" in subjects
    for item in subjects:
        assert not re.search("stColumn|stHorizontalBlock|stVerticalBlock|stMain", item), item
