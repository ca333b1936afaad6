"""Every page for those who see it badly, do not see it, or have a keyboard and no mouse."""

from __future__ import annotations

from importlib.resources import files

import pytest

from tests.browser import waiting

PAGES = {
    "explore": "?eps=1",
    "compare": "compare",
    "lift": "lift",
    "mechanisms": "mechanisms",
    "robust": "robust?x=race&n=300",
    "confusability": "confusability",
    "release": "release",
    "data": "data",
}

CHARTLESS = ("release",)
"""Pages that show tables and no chart."""

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
"""axe-core as a package ships it."""

GRAVE = """
async () => (await axe.run(document, {resultTypes: ["violations"]})).violations
  .filter(rule => ["serious", "critical"].includes(rule.impact))
  .flatMap(rule => rule.nodes.map(node =>
    [rule.id, node.target.join(" "), (node.any[0] ?? node.all[0] ?? node.none[0]).message]))
"""
"""What axe-core finds of grave impact: rule, element and what is wrong with it."""

BUSY = ("being worked out", "Looking for better", "lines are ready")


def at_rest(page):
    page.locator("[data-testid=stMainBlockContainer] h1").first.wait_for()
    waiting.settle(page, busy=BUSY, rest=20)


def opened(browser, address, path, width, height):
    """Open a page in a window as high as itself, so that nothing is out of sight."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme="light")
    page = context.new_page()
    page.set_default_timeout(waiting.PATIENCE)
    page.goto(f"{address}/{path}")
    at_rest(page)
    high = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": width, "height": high + 40})
    at_rest(page)
    return page


@pytest.fixture(scope="module", params=PAGES)
def desk(request, browser, address):
    page = opened(browser, address, PAGES[request.param], 1440, 900)
    yield request.param, page
    page.context.close()


@pytest.fixture(scope="module", params=PAGES)
def phone(request, browser, address):
    page = opened(browser, address, PAGES[request.param], 390, 844)
    yield request.param, page
    page.context.close()


DARK = """
dark => (getComputedStyle(document.querySelector("[data-testid=stApp]"))
  .backgroundColor.match(/\\d+/g).map(Number)[0] < 128) === dark
"""


def grave(page):
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE)
    return page.evaluate(GRAVE)


def test_axe_finds_nothing_grave(desk):
    _, page = desk
    found = {}
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_function(DARK, arg=theme == "dark")
        at_rest(page)
        found[theme] = grave(page)
    assert found == {"dark": [], "light": []}


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
  const buttons = [...(card?.querySelectorAll("button") ?? [])]
    .filter(one => one.checkVisibility()).map(one => one.innerText.split("\\n")[0].trim());
  return {
    role: plot.getAttribute("role"), name: plot.getAttribute("aria-label"), buttons,
    card: card?.getAttribute("aria-label"), group: card?.getAttribute("role"),
  };
})
"""


def test_every_chart_has_a_spoken_name_and_its_table(desk):
    name, page = desk
    charts = page.evaluate(CHARTS)
    assert bool(charts) == (name not in CHARTLESS)
    for chart in charts:
        assert (chart["role"], chart["group"]) == ("img", "group")
        assert len(chart["name"]) > 20
        assert chart["card"]
        assert "table" in chart["buttons"], chart
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
