"""Explore's board follows a slider while its button is down, by frames of the server."""

import re

from tests.browser import waiting

QUICK = "?mech=subset_merging"
CHARTS = ("frontier", "lifts", "mechanism", "confusability_before", "confusability_after")

SHOWN = """
() => {
  const answer = document.querySelector("[data-lsc-live]")
    || document.querySelector(".st-key-answer");
  const all = (one) => [...answer.querySelectorAll(one)].map(e => e.innerText.trim());
  const data = key => document.querySelector(`.st-key-${key} .lsc-plot`).data
    .map(({ x, y, z }) => ({ x, y, z }));
  return {
    said: answer.querySelector(".st-key-finding p").firstChild.textContent.trim(),
    figures: all(".st-key-strip [data-testid=stMetricValue]"),
    ring: document.querySelector(".st-key-frontier .lsc-ring").dataset.now,
    bars: data("lifts"),
    kernel: data("mechanism"),
    graph: data("confusability_after"),
  };
}
"""
FOLLOWS = """
label => {
  const copy = document.querySelector("[data-lsc-live]");
  const drawn = [...document.querySelectorAll(".st-key-board_charts .lsc-plot")]
    .every(one => one.dataset.asked === one.dataset.drawn);
  return copy && copy.dataset.place === label && !copy.hasAttribute("data-lsc-working") && drawn;
}
"""


def settle(page):
    waiting.settle(page, CHARTS, busy=["lines are ready"])


def test_while_the_button_is_down_the_board_shows_the_place_under_it(visit):
    page = visit(QUICK)
    settle(page)
    before = page.evaluate(SHOWN)
    slider = page.locator(".st-key-eps input[type='range']")
    thumb = slider.locator("xpath=..").bounding_box()
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    labels = set()
    for step in (8, 16, 24):
        page.mouse.move(x + step, y)
        label = slider.get_attribute("aria-valuetext")
        page.wait_for_function(FOLLOWS, arg=label)
        labels.add(label)
    assert len(labels) > 1
    assert "eps=" not in page.url
    under = page.evaluate(SHOWN)
    assert under["ring"] != before["ring"]
    assert under["bars"] != before["bars"]
    page.mouse.up()
    page.wait_for_url(re.compile(r"eps="))
    settle(page)
    page.wait_for_function("!document.querySelector('[data-lsc-live]')")
    assert page.evaluate(SHOWN) == under
    other = visit(f"{QUICK}&eps={label}")
    settle(other)
    assert other.evaluate(SHOWN) == under
