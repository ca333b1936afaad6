"""The tour of Explore in a real Chromium: an offer, begun by its button, in nobody's way."""

import pytest

from pages.ui.explore.tour import STEPS
from tests.browser import waiting

CHARTS = ("frontier", "lifts", "mechanism", "confusability_before", "confusability_after")
OPEN = ".lsc-tour:not([hidden])"
CHART_BOXES = """
[...document.querySelectorAll(".lsc-plot")].map(e => {
  const b = e.getBoundingClientRect();
  const main = document.querySelector("[data-testid=stMain]");
  return [b.x, b.y + main.scrollTop, b.width, b.height];
})
"""
OVERLAP = """
() => {
  const box = document.querySelector(".lsc-tour").getBoundingClientRect();
  const live = [".lsc-plot", ".st-key-finding", ".st-key-strip"]
    .flatMap(one => [...document.querySelectorAll(one)]);
  return live.some(one => {
    const b = one.getBoundingClientRect();
    return b.width && b.left < box.right && b.right > box.left && b.top < box.bottom
      && b.bottom > box.top;
  });
}
"""


def settle(page):
    waiting.settle(page, CHARTS, busy=["Computing", "Improving"])


def button(page, name):
    return page.locator(f"{OPEN} button", has_text=name)


def begin(page):
    """Begin the tour by its button."""
    page.locator(".st-key-tour_begin button:visible").click()
    page.locator(OPEN).wait_for()


def is_open(page):
    return page.locator(OPEN).count() == 1


@pytest.mark.parametrize("dark", [False, True])
def test_six_steps_move_no_chart_and_cover_nothing_that_a_slider_changes(visit, dark):
    page = visit(width=1280, height=720, dark=dark)
    settle(page)
    begin(page)
    before = page.evaluate(CHART_BOXES)
    for place, step in enumerate(STEPS):
        assert page.locator(f"{OPEN} strong").inner_text() == f"{place + 1} of 6: {step.title}"
        about = page.locator(step.about).first
        assert about.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
        assert not page.evaluate(OVERLAP)
        assert page.evaluate(CHART_BOXES) == before
        button(page, "Done" if place == 5 else "Next").click()
    assert not is_open(page)
    assert page.locator(".st-key-start").evaluate("e => getComputedStyle(e).outlineStyle") == "none"
    assert page.evaluate(CHART_BOXES) == before


def test_it_is_never_shown_unasked_and_again_whenever_asked_for(visit):
    page = visit(width=1280, height=720)
    settle(page)
    assert not is_open(page)
    begin(page)
    button(page, "Skip").click()
    assert not is_open(page)
    begin(page)
    button(page, "Next").click()
    page.keyboard.press("Escape")
    assert not is_open(page)
    page.get_by_role("link", name="Compare").first.click()
    page.get_by_role("heading", name="Compare").wait_for()
    page.get_by_role("link", name="Explore").first.click()
    settle(page)
    assert not is_open(page)


def test_a_reload_in_its_midst_does_not_begin_it_again(visit):
    page = visit(width=1280, height=720)
    settle(page)
    begin(page)
    button(page, "Next").click()
    page.reload()
    settle(page)
    assert not is_open(page)


def test_on_a_phone_it_lies_below_the_sidebar_and_a_slider_is_free(visit):
    page = visit(width=390, height=844)
    settle(page)
    begin(page)
    page.locator("[data-testid=stExpandSidebarButton]").click()
    slider = page.locator(".st-key-eps input[type='range']")
    slider.scroll_into_view_if_needed()
    free = slider.evaluate(
        "e => { const b = e.getBoundingClientRect();"
        " return !document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2)"
        ".closest('.lsc-tour'); }"
    )
    assert free


def test_on_a_phone_it_points_to_what_opens_the_sidebar(visit):
    page = visit(width=390, height=844)
    settle(page)
    begin(page)
    opener = page.locator("[data-testid=stExpandSidebarButton]")
    for step in STEPS[:2]:
        assert page.locator(f"{OPEN} p").inner_text() == step.folded
        assert opener.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
        button(page, "Next").click()
    assert page.locator(f"{OPEN} p").inner_text() == STEPS[2].text
    assert opener.evaluate("e => getComputedStyle(e).outlineStyle") == "none"
