"""Every page for those who see it badly, do not see it, or have a keyboard and no mouse."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from pages.ui.style import glossary
from tests.browser import waiting
from tests.browser.test_compare_live import QUICK, link

PAGES = {
    "explore": "?eps=1",
    "compare": link(QUICK),
    "lift": "lift",
    "mechanisms": "mechanisms",
    "frontiers": "frontiers?notion=lip&by=watchdog&steps=2",
    "robust": "robust?x=race&n=300",
    "confusability": "confusability",
    "release": "release",
    "data": "data",
    "learn": "learn",
    "papers": "papers",
    "papers errata": "papers?show=errata",
    "learn exercises": "learn?topic=exercises",
}

CHARTLESS = ("release", "learn exercises", "frontiers")
"""Pages that show no chart, or none before something is asked for."""

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
"""axe-core as a package ships it."""

GRAVE = """
async () => (await axe.run(document, {resultTypes: ["violations"]})).violations
  .filter(rule => ["serious", "critical"].includes(rule.impact))
  .flatMap(rule => rule.nodes
    .filter(node => !(["list", "listitem"].includes(rule.id)
      && document.querySelector(node.target[0])?.closest("[data-testid=stSidebarNavItems]")))
    .map(node =>
      [rule.id, node.target.join(" "), (node.any[0] ?? node.all[0] ?? node.none[0]).message]))
"""
"""What axe-core finds of grave impact: rule, element and what is wrong with it.

Streamlit's own list of pages has groups as <div> within <ul>: no page of ours can change that.
"""

BUSY = ("Improving", "Improving", "Computing", "Estimating the time")


def at_rest(page):
    page.locator("[data-testid=stMainBlockContainer] h1").first.wait_for()
    waiting.settle(page, busy=BUSY, rest=20)


def opened(profile, address, path, width, height):
    """Open a page in a window as high as itself, so that nothing is out of sight."""
    page = profile.new_page()
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="light")
    page.set_default_timeout(waiting.PATIENCE)
    page.goto(f"{address}/{path}")
    at_rest(page)
    high = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": width, "height": high + 40})
    at_rest(page)
    return page


@pytest.fixture(scope="module", params=PAGES)
def desk(request, profile, address):
    page = opened(profile, address, PAGES[request.param], 1440, 900)
    yield request.param, page
    page.close()


@pytest.fixture(scope="module", params=PAGES)
def phone(request, profile, address):
    page = opened(profile, address, PAGES[request.param], 390, 844)
    yield request.param, page
    page.close()


DARK = """
dark => (getComputedStyle(document.querySelector("[data-testid=stApp]"))
  .backgroundColor.match(/\\d+/g).map(Number)[0] < 128) === dark
"""


TRANSITIONS = """
async () => {
  const under_way = () => document.getAnimations().filter(one => one instanceof CSSTransition);
  while (under_way().length)
    await Promise.allSettled(under_way().map(one => one.finished));
}
"""
"""Waits until no color is on its way from one to another, as after a press of a button."""


def grave(page):
    page.evaluate(TRANSITIONS)
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE)
    return page.evaluate(GRAVE)


def test_axe_finds_nothing_grave(desk):
    _, page = desk
    result = {}
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_function(DARK, arg=theme == "dark")
        at_rest(page)
        result[theme] = grave(page)
    assert result == {"dark": [], "light": []}


def test_headings_are_in_order(desk):
    _, page = desk
    levels = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(e => Number(e.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_axe_would_find_pale_text(visit):
    page = visit("data")
    at_rest(page)
    page.evaluate(
        """document.querySelector("h1").insertAdjacentHTML(
          "afterend", "<p id='pale' style='color: #ccc; background: #fff'>pale</p>")"""
    )
    assert [rule for rule, *_ in grave(page)] == ["color-contrast"]


CHARTS = """
() => [...document.querySelectorAll(".lsc-plot")].map(plot => {
  const card = plot.closest("[class*='st-key-card_']");
  const reads = card?.querySelector("[class*='_table'] button, [class*='_more'] button");
  return {
    role: plot.getAttribute("role"), name: plot.getAttribute("aria-label"),
    reads: Boolean(reads?.checkVisibility()),
    card: card?.getAttribute("aria-label"), group: card?.getAttribute("role"),
  };
})
"""


def test_every_chart_has_a_spoken_name_and_its_table(desk):
    name, page = desk
    # the test before changed the theme, at which charts are drawn anew
    charts = waiting.settle(page, busy=BUSY, rest=20, look=CHARTS)
    assert bool(charts) == (name not in CHARTLESS)
    for chart in charts:
        assert (chart["role"], chart["group"]) == ("img", "group")
        assert len(chart["name"]) > 20
        assert chart["card"]
        assert chart["reads"], chart
    assert len({chart["name"] for chart in charts}) == len(charts)


FOCUSED = """
() => {
  const now = document.activeElement;
  if (!now || now === document.body) return null;
  const marks = [];
  // the cells of a table are drawn on a canvas: its box is marked
  const first = now.closest("[data-testid=stDataFrame]") ?? now;
  for (let one = first, up = 0; one && up < 5; one = one.parentElement, up += 1) {
    const style = getComputedStyle(one), box = one.getBoundingClientRect();
    if (style.outlineStyle === "solid" && parseFloat(style.outlineWidth) >= 2
        && box.width >= 8 && box.height >= 8) marks.push(style.outlineColor);
  }
  window.reached.add(now);
  // one stop for a group of choices: arrows move within
  const group = now.closest("[data-testid=stButtonGroup]") ?? now.name;
  if (group) window.reached.add(group);
  const key = now.closest("[class*='st-key-']");
  return {
    what: `${now.tagName} ${now.ariaLabel ?? now.innerText ?? ""}`.slice(0, 60), marks,
    key: key ? [...key.classList].find(one => one.startsWith("st-key-")).slice(7) : "",
  };
}
"""

MISSED = """
() => [...document.querySelectorAll("a[href], button, input, summary, select, textarea")]
  .filter(one => !one.disabled && one.tabIndex >= 0 && one.type !== "file"
    && one.checkVisibility({visibilityProperty: true}))
  .filter(one => ![one, one.name, one.closest("[data-testid=stButtonGroup]")]
    .some(each => each && window.reached.has(each)))
  .map(one => one.outerHTML.slice(0, 120))
"""


def walk(page):
    """Go through the page by Tab alone; return what is said of each stop."""
    page.evaluate("window.reached = new Set(); document.activeElement.blur()")
    stops = []
    for _ in range(400):
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUSED)
        if stop is None:
            break
        stops.append(stop)
    else:
        pytest.fail(f"Tab does not leave the page: {stops[-3:]}")
    return stops


def test_tab_reaches_everything_and_is_seen_everywhere(desk):
    _, page = desk
    stops = walk(page)
    assert [stop for stop in stops if not stop["marks"]] == []
    assert {mark for stop in stops for mark in stop["marks"]} == {"rgb(11, 99, 165)"}
    assert page.evaluate(MISSED) == []


def test_pin_table_symbols_and_slider_work_by_keyboard_alone(visit):
    page = visit(f"{PAGES['explore']}&mech=subset_merging")
    at_rest(page)
    waiting.tab_to(page, ".st-key-eps [data-testid=stSlider] [role=group]")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"eps=1\.05"))
    at_rest(page)
    waiting.tab_to(page, ".st-key-pin")
    page.keyboard.press("Enter")
    page.get_by_text("Pinned to Compare as").wait_for()
    waiting.tab_to(page, ".st-key-lifts_more")
    page.keyboard.press("Enter")
    page.locator(".st-key-lifts_csv").wait_for()
    page.keyboard.press("Escape")
    page.locator(".st-key-lifts_csv").wait_for(state="detached")
    waiting.tab_to(page, ".st-key-frontier .lsc-opener")
    page.keyboard.press("Enter")
    meaning = page.locator(".st-key-frontier .lsc-terms")
    expect(meaning).to_be_visible()
    assert "ε\nThe privacy budget" in meaning.inner_text()
    page.keyboard.press("Escape")
    expect(meaning).to_be_hidden()


def test_tabs_work_by_keyboard_alone(visit):
    page = visit("data")
    at_rest(page)
    waiting.tab_to(page, ".st-key-own summary")
    page.keyboard.press("Enter")
    page.get_by_role("tablist").wait_for()
    waiting.tab_to(page, "[role=tablist]")
    page.keyboard.press("ArrowRight")
    chosen = page.get_by_role("tab", selected=True)
    expect(chosen).to_have_text("Paste a matrix")
    outline = "() => getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(outline) == "solid"


def test_an_axis_title_says_what_its_symbols_mean(visit):
    page = visit(PAGES["explore"])
    at_rest(page)
    hint = page.locator(".st-key-frontier .g-xtitle > title")
    text = [f"{term.title}: {term.meaning}" for term in glossary.terms_in(["ε, nats"])]
    assert hint.text_content().split("\n") == text
    over = page.locator(".st-key-frontier .xtitle")
    assert over.evaluate("one => getComputedStyle(one).pointerEvents") == "all"


def test_axe_finds_nothing_grave_on_a_phone(phone):
    _, page = phone
    assert grave(page) == []


WIDER = """
() => {
  const main = document.querySelector("[data-testid=stMain]");
  const inside = one => {  // whether a box between it and the page cuts it off or scrolls it
    for (let up = one.parentElement; up && up !== main; up = up.parentElement)
      if (getComputedStyle(up).overflowX !== "visible"
          && up.getBoundingClientRect().right <= innerWidth + 1) return true;
    return getComputedStyle(one).position === "fixed";
  };
  return {
    scrolls: [document.documentElement, main].map(one => one.scrollWidth - one.clientWidth),
    wider: [...main.querySelectorAll("*")].filter(one => one.checkVisibility() && one.clientHeight)
      .filter(one => one.getBoundingClientRect().right > innerWidth + 1 && !inside(one))
      .map(one => one.outerHTML.slice(0, 120)),
    tables: [...main.querySelectorAll("[data-testid=stDataFrame]")].map(one => {
      const scroller = one.querySelector(".dvn-scroller");
      return [one.getBoundingClientRect().right <= innerWidth,
        scroller.scrollWidth <= scroller.clientWidth
          || getComputedStyle(scroller).overflowX === "auto"];
    }),
  };
}
"""


# a table is drawn a moment after its frame has its place
DRAWN_TABLES = """
() => [...document.querySelectorAll("[data-testid=stMain] [data-testid=stDataFrame]")]
  .every(one => one.querySelector(".dvn-scroller"))
"""


def test_a_phone_page_does_not_scroll_sideways_and_its_tables_do(phone):
    _, page = phone
    page.wait_for_function(DRAWN_TABLES)
    result = page.evaluate(WIDER)
    assert result["scrolls"] == [0, 0]
    assert result["wider"] == []
    assert all(fits and scrolls for fits, scrolls in result["tables"])


SMALL = """
() => [...document.querySelectorAll("a[href], button, summary, input")]
  .filter(one => one.checkVisibility({visibilityProperty: true}) && !one.disabled
    && one.type !== "file" && one.dataset.testid !== "stSkipToContent"
    && getComputedStyle(one).display !== "inline")  // a link within a line of text
  .map(one => [one, ["checkbox", "radio"].includes(one.type) ? one.closest("label")
    : one.tagName === "INPUT" ? one.parentElement : one])
  .map(([one, target]) => [one, target.getBoundingClientRect()])
  .map(([one, box]) => {  // the thumb of a slider is small, what may be touched around it is not
    if (one.type !== "range") return [one, box];
    const around = getComputedStyle(one.parentElement.parentElement, "::before");
    return [one, {width: parseFloat(around.width), height: parseFloat(around.height)}];
  })
  .filter(([, box]) => box.width && Math.min(box.width, box.height) < 23.5)
  .map(([one, box]) => `${Math.round(box.width)} × ${Math.round(box.height)} `
    + one.outerHTML.slice(0, 90))
"""


def test_a_finger_finds_everything_on_a_phone(phone):
    _, page = phone
    assert page.evaluate(SMALL) == []


UNCOVERED = """
key => {
  const value = document.querySelector(`${key} [data-testid=stMetricValue]`);
  const box = value.getBoundingClientRect();
  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return value.contains(top) && value.innerText;
}
"""


@pytest.mark.parametrize("dark", [False, True])
def test_on_a_phone_the_sidebar_does_not_cover_what_a_slider_changes(visit, dark):
    page = visit("?mech=subset_merging&eps=0.5", width=390, height=844, dark=dark)
    at_rest(page)
    page.locator("[data-testid=stExpandSidebarButton]").click()
    slider = page.locator(".st-key-eps input[type='range']")
    slider.scroll_into_view_if_needed()
    at_rest(page)
    before = page.wait_for_function(UNCOVERED, arg=".st-key-strip").json_value()
    slider.focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"eps=0\.8"))
    at_rest(page)
    after = page.wait_for_function(UNCOVERED, arg=".st-key-strip").json_value()
    assert after != before
    box = slider.locator("xpath=../..").bounding_box()
    assert 0 <= box["y"] <= 844 - box["height"]
    assert page.evaluate(SMALL) == []
    assert grave(page) == []
