"""What only a browser can tell of the look: text that stands out, titles beside their switches."""

import re

import pytest
from playwright.sync_api import expect

from docs import icons
from pages.ui.frame.site import BAR, PAGES
from tests.browser import waiting

LEAST = 4.5
"""Contrast that text of this size needs (WCAG 2, level AA)."""

CONTRAST = """
element => {
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  let behind = element;
  while (parts(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
  const [a, b] = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor]
    .map(text => light(parts(text))).sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}
"""


@pytest.mark.parametrize("dark", [False, True])
def test_text_on_blue_can_be_read(visit, dark):
    page = visit("robust?x=race&n=300", dark=dark)
    button = page.locator(".st-key-draws_start button p")
    chip = page.locator(".st-key-data_secret [data-tag] [title]")
    for result in (button, chip):
        result.wait_for(state="attached")
        assert result.evaluate(CONTRAST) >= LEAST


BOXES = """
() => [".st-key-header h1", ".st-key-explore_export"].map(
  one => document.querySelector(one).getBoundingClientRect().toJSON())
"""


@pytest.mark.parametrize("width", [1280, 1440])
def test_a_long_title_leaves_the_switches_beside_it(visit, width):
    page = visit("?s=education&x=native-country&mech=watchdog", width=width)
    page.locator(".st-key-explore_export").wait_for()
    waiting.settle(page)
    heading, switch = page.evaluate(BOXES)  # both in one look: the header may still be laid out
    assert switch["top"] < heading["bottom"]
    assert switch["left"] > heading["right"] - 1
    assert switch["right"] <= width


def test_every_page_is_in_the_bar_or_its_menu_which_marks_the_one_that_is_open(visit):
    page = visit("lift", width=1280, height=720)
    menu = waiting.more(page)
    expect(menu).to_be_in_viewport()
    expect(menu).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")
    for _, title, _ in PAGES[:BAR]:
        expect(page.get_by_role("link", name=title, exact=True).first).to_be_in_viewport()
    menu.click()
    listed = page.get_by_test_id("stTopNavDropdownLink").all_inner_texts()  # icon, then title
    assert [item.split("\n")[-1] for item in listed] == [title for _, title, _ in PAGES[BAR:]]
    page.keyboard.press("Escape")
    waiting.go_to(page, "Data")
    expect(menu).to_have_css("background-color", "rgba(0, 0, 0, 0)")


def test_an_address_without_a_page_says_so_and_its_links_keep_the_question(visit):
    page = visit("mechanism?eps=0.5&mech=watchdog")
    page.get_by_role("heading", name="No page at this address").wait_for()
    assert page.get_by_text("There is no page mechanism.").is_visible()
    assert page.get_by_test_id("stDialog").count() == 0
    page.get_by_test_id("stMain").get_by_role("link", name="Explore").click()
    page.wait_for_url(re.compile(r"(?=.*eps=0\.5)(?=.*mech=watchdog)"))
    page.locator(".st-key-strip").wait_for()
    assert page.locator(".st-key-eps input[type='range']").input_value() == "0.5"


@pytest.mark.parametrize("name", ["explore", "Explore"])
def test_the_landing_page_is_also_found_by_its_name(visit, name):
    page = visit(f"{name}?eps=0.5&mech=watchdog")
    page.locator(".st-key-strip").wait_for()
    page.wait_for_url(re.compile(r"[0-9]/\?(?=.*eps=0\.5)(?=.*mech=watchdog)"))
    assert page.get_by_test_id("stDialog").count() == 0
    assert page.locator(".st-key-eps input[type='range']").input_value() == "0.5"


SHEET = """
() => {
  window.removed = 0;
  const sheet = [...document.querySelectorAll("style")]
    .find(one => one.textContent.includes("What the theme cannot say"));
  new MutationObserver(() => { window.removed += !sheet.isConnected; })
    .observe(document, {childList: true, subtree: true});
  return sheet !== undefined;
}
"""


def test_a_change_of_page_keeps_the_style_sheet(visit):
    page = visit("?mech=watchdog")
    waiting.settle(page)
    assert page.evaluate(SHEET)
    for name in ("Lift", "Compare", "Lift"):
        waiting.go_to(page, name)
        page.wait_for_url(f"**/{name.lower()}*")
        waiting.settle(page)
    assert page.evaluate("window.removed") == 0


def test_the_title_of_the_data_page_is_as_large_as_those_of_the_others(visit):
    sizes = []
    for path in ("data", "release"):
        page = visit(path)
        heading = page.locator("[data-testid=stMain] h1")
        heading.wait_for()
        waiting.settle(page)
        sizes.append(heading.evaluate("e => getComputedStyle(e).fontSize"))
    assert sizes[0] == sizes[1]


def test_on_a_phone_what_wraps_beside_a_cards_title_stands_close_below_it(visit):
    page = visit("lift?mech=watchdog", width=390, height=844)
    waiting.settle(page, ["symbols"])
    formulas, table = (
        page.locator(f".st-key-symbols_{name}").bounding_box() for name in ("formulas", "table")
    )
    title = page.locator(".st-key-card_symbols strong").first.bounding_box()
    assert formulas["y"] == table["y"]  # none of them alone in a line
    assert title["y"] + title["height"] - 2 <= table["y"] < title["y"] + title["height"] + 8


def test_the_titles_of_pages_stand_equally_high(visit):
    tops = {}
    for path in ("lift", "confusability", "robust"):
        page = visit(path, width=1280, height=720)
        waiting.settle(page)
        tops[path] = page.locator("[data-testid=stMain] h1").bounding_box()["y"]
    assert len(set(tops.values())) == 1, tops


TOPS = """
() => [...document.querySelectorAll("[data-testid=stMain] [data-testid=stMetric]")]
  .map(one => Math.round(one.getBoundingClientRect().top))
"""


def test_no_figure_of_confusability_stands_alone_in_a_row(visit):
    page = visit("confusability", width=1280, height=720)
    for width, height in ((1280, 720), (1440, 900), (1600, 900)):
        page.set_viewport_size({"width": width, "height": height})
        waiting.settle(page, ["range_graph_after"])
        tops = page.evaluate(TOPS)
        rows = [tops.count(top) for top in sorted(set(tops))]
        assert sum(rows) >= 6, rows
        assert min(rows) > 1, (width, rows)


LOADED = """
() => document.fonts.ready.then(
  fonts => [...fonts].filter(one => one.status === "loaded").map(one => one.family))
"""


def test_headlines_have_a_font_of_their_letters_alone(visit):
    page = visit("compare")
    waiting.settle(page)
    loaded = page.evaluate(LOADED)  # Source Serif, whole, is as heavy as the icons
    assert "Liftscope Serif" in loaded
    assert "Source Serif" not in loaded


def test_all_pages_stand_in_two_columns_above_the_sliders_of_a_phone(visit):
    page = visit("data", width=390, height=844)
    page.get_by_test_id("stExpandSidebarButton").click()
    links = page.get_by_test_id("stSidebarNavLink")
    expect(links).to_have_count(len(PAGES))
    page.wait_for_function(  # once the sidebar is open
        "rows => new Set([...document.querySelectorAll('[data-testid=stSidebarNavLink]')]"
        ".map(link => link.getBoundingClientRect().top)).size === rows",
        arg=-(-BAR // 2) + -(-(len(PAGES) - BAR) // 2),
    )
    links.filter(has_text="Learn").click()
    expect(page.locator("[data-testid=stSidebar][data-collapsed=true]")).to_have_count(1)
    expect(page.get_by_role("heading", name="Learn: Lift")).to_be_visible()


WIDTHS = """
async names => {
  await document.fonts.load("24px 'Material Symbols Rounded'");
  const one = document.createElement("span");
  one.style.cssText = "position: absolute; font: 24px/1 'Material Symbols Rounded'";
  document.body.append(one);
  return names.filter(name => {
    one.textContent = name;
    return Math.abs(one.getBoundingClientRect().width - 24) > 0.5;
  });
}
"""


def test_the_small_font_draws_each_of_its_icons_and_the_large_one_stays_away(visit):
    names = (icons.ROOT / "static" / "icons.txt").read_text(encoding="utf-8").split()
    page = visit("learn?topic=glossary")
    waiting.settle(page)
    assert page.evaluate(WIDTHS, names) == []
    assert page.evaluate(WIDTHS, ["no_such_icon"]) == ["no_such_icon"]
    loaded = "performance.getEntriesByType('resource').map(one => one.name)"
    fonts = [name for name in page.evaluate(loaded) if name.endswith(".woff2")]
    assert fonts
    assert not [name for name in fonts if "MaterialSymbols" in name]


EDGES = """
() => [...document.querySelectorAll("[data-testid=stRadioOption]:not([data-selected])")]
  .map(one => one.querySelector("div > div"))
  .map(circle => [getComputedStyle(circle).borderColor,
    getComputedStyle(document.querySelector("[data-testid=stSidebar]")).backgroundColor])[0]
"""


def luminance(colour):
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(c * weight for c, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


@pytest.mark.parametrize("dark", [False, True])
def test_the_circle_of_what_is_not_chosen_is_seen(visit, dark):
    page = visit("learn", dark=dark)
    page.get_by_test_id("stRadioOption").nth(1).wait_for()
    waiting.settle(page)
    low, high = sorted(map(luminance, page.evaluate(EDGES)))
    assert (high + 0.05) / (low + 0.05) >= 3  # WCAG 2, level AA, of what is no text


def test_texts_of_a_table_of_claims_are_as_wide_as_its_columns(visit):
    page = visit("papers", width=1920, height=1080)
    page.locator(".st-key-read_papers_claims td").first.wait_for()
    waiting.settle(page)
    free = page.evaluate(
        """
        [...document.querySelectorAll(".st-key-read_papers_claims td")]
          .map(cell => [cell, cell.firstElementChild.getBoundingClientRect()])
          .filter(([_, text]) => text.height > 30)
          .map(([cell, text]) => cell.clientWidth - text.width)
        """
    )
    assert free  # of what takes more than a line
    assert max(free) <= 24  # the space at the sides of a cell


def test_titles_of_cards_beside_each_other_are_in_one_line_and_a_table_of_clusters_is_whole(visit):
    page = visit("confusability", width=1265, height=720)  # 1280 with a scroll bar of 15
    waiting.settle(page, ["range_graph_after"])
    tops = [
        page.locator(f".st-key-card_{key} strong").first.bounding_box()["y"]
        for key in ("range_table", "clusters")
    ]
    assert abs(tops[0] - tops[1]) <= 1
    wide, seen = page.locator(".st-key-card_clusters .dvn-scroller").evaluate(
        "e => [e.scrollWidth, e.clientWidth]"
    )
    assert wide <= seen


def test_cards_of_robust_end_in_one_line_and_its_fields_begin_in_one(visit):
    page = visit("robust?x=race&n=300", width=1920, height=1080)
    page.locator(".st-key-card_robust_levels").wait_for()
    waiting.settle(page, ["intervals", "robust_levels"])
    ends = [
        box["y"] + box["height"]
        for box in (
            page.locator(f".st-key-card_{key}").bounding_box()
            for key in ("intervals", "robust_levels")
        )
    ]
    assert abs(ends[0] - ends[1]) <= 1
    tops = [
        page.locator(f".st-key-robust_{key} [data-testid=stWidgetLabel]").bounding_box()["y"]
        for key in ("fresh", "draws")
    ]
    assert abs(tops[0] - tops[1]) <= 1


def test_what_streamlit_shows_until_a_script_is_there_is_not_drawn_over_the_name(visit):
    page = visit("learn")
    waiting.settle(page)
    for key in ("menus", "history"):
        shown = page.locator(f".st-key-{key}").evaluate(
            """
            place => {
              place.appendChild(document.createElement("div")).style.height = "40px";
              const { height } = place.getBoundingClientRect();
              return [height, place.scrollHeight, getComputedStyle(place).overflowY];
            }
            """
        )
        assert shown == [0, 40, "hidden"]
