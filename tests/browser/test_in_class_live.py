"""What a class needs, in a real Chromium: the projector view, the link's code, 60 s more."""

import io
import re
from urllib.parse import urlsplit

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

from tests.browser import waiting
from tests.browser.test_compare_live import QUICK as QUICK_COLUMNS
from tests.browser.test_compare_live import link

QUICK = "?mech=watchdog"
CHARTS = ("frontier", "lifts", "mechanism", "confusability_before", "confusability_after")
LEGIBLE = 18.0
"""Least pixels of text that the last row of a class can read."""

SEEN = """
() => {
  const shown = [...document.querySelectorAll("[data-testid=stMain] .lsc-frame")]
    .filter(one => one.getBoundingClientRect().width > 0);
  const [frame] = shown;
  const texts = [...frame.querySelectorAll("svg text")].filter(one => one.textContent.trim());
  const box = frame.querySelector("svg.main-svg").getBoundingClientRect();
  const bar = document.querySelector(".lsc-projector").getBoundingClientRect();
  return {
    charts: shown.map(one => one.dataset.chart),
    least: Math.min(...texts.flatMap(one => [one, ...one.querySelectorAll("tspan")])
      .map(one => parseFloat(getComputedStyle(one).fontSize))),
    axis: [...frame.querySelectorAll(".xtick text, .ytick text, .xtitle, .ytitle")]
      .map(one => parseFloat(getComputedStyle(one).fontSize)),
    inks: [...new Set(texts.map(one => getComputedStyle(one).fill))],
    paper: getComputedStyle(document.querySelector("[data-testid=stMain]")).backgroundColor,
    above: box.bottom <= bar.top,
    wide: box.right <= innerWidth && box.width > 0.9 * innerWidth,
    folded: !!document.querySelector("[data-testid=stExpandSidebarButton]"),
    heading: parseFloat(getComputedStyle(document.querySelector("h1")).fontSize),
  };
}
"""


BOARD = """
() => {
  const frames = [...document.querySelectorAll(".lsc-frame[data-projected=board]")];
  const bar = document.querySelector(".lsc-projector").getBoundingClientRect();
  const whole = (one) => {
    const { top, left, right, bottom } = one.getBoundingClientRect();
    return top >= 0 && left >= 0 && right > left && right <= innerWidth && bottom <= bar.top;
  };
  const drawn = frames.flatMap(one => [one.querySelector("svg.main-svg"),
    ...[...one.querySelectorAll("svg text")].filter(text => text.textContent.trim())]);
  const said = ["h1", ".st-key-finding", ".st-key-strip", ".st-key-eps", ".st-key-lam"]
    .map(one => document.querySelector(one)).filter(one => one.getBoundingClientRect().right > 0);
  return {
    charts: frames.map(one => one.dataset.chart).sort(),
    cut: [...drawn, ...said].filter(one => !whole(one)).map(one => one.outerHTML.slice(0, 160)),
    said: said.length,
    least: Math.min(...drawn.filter(one => one.tagName === "text")
      .flatMap(one => [one, ...one.querySelectorAll("tspan")])
      .map(one => parseFloat(getComputedStyle(one).fontSize))),
    scrolled: frames.some(one => one.querySelector(".legend .scrollbar[height]:not([height='0'])")),
  };
}
"""


def settle(page):
    waiting.settle(page, busy=["Computing", "Improving"])


def at(page, number, chart=None):
    """Wait until a chart is on screen, and in the address where its name is given."""
    page.wait_for_function(
        "number => document.querySelector('.lsc-projector-text')"
        "?.textContent.startsWith(`${number} of `)",
        arg=number,
    )
    if chart is not None:
        page.wait_for_url(re.compile(rf"projector={chart}(&|$)"))
    at_rest(page)


def at_rest(page):
    """Wait until no work is under way and the chart on screen is drawn."""
    page.locator(".lsc-frame[data-projected] svg.main-svg").first.wait_for()
    settle(page)


@pytest.mark.parametrize("dark", [False, True])
def test_every_chart_is_alone_large_and_legible_from_the_back_row(visit, dark):
    page = visit(f"{QUICK}&projector=frontier", width=1280, height=720, dark=dark)
    page.locator(".st-key-frontier .lsc-ring").wait_for()
    at(page, 2)
    names = []
    while True:
        seen = page.evaluate(SEEN)
        (name,) = seen["charts"]
        names.append(name)
        assert seen["least"] >= LEGIBLE, name
        assert all(size >= LEGIBLE for size in seen["axis"]), name
        assert seen["paper"] == ("rgb(0, 0, 0)" if dark else "rgb(255, 255, 255)")
        assert ("rgb(255, 255, 255)" if dark else "rgb(0, 0, 0)") in seen["inks"]
        assert seen["above"], name
        assert seen["wide"], name
        assert seen["folded"]
        assert seen["heading"] >= LEGIBLE
        if page.locator(".lsc-projector-on").is_disabled():
            break
        page.keyboard.press("ArrowRight")
        at(page, len(names) + 2)
    assert set(CHARTS) < set(names)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("dark", [False, True])
def test_a_board_is_shown_whole_and_legible_from_the_back_row(visit, dark):
    page = visit(f"{QUICK}&projector=on", width=1280, height=720, dark=dark)
    for width, height in ((1280, 720), (1440, 900), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        at(page, 1)
        waiting.settle(page, CHARTS)
        seen = page.evaluate(BOARD)
        assert seen["charts"] == sorted(CHARTS)
        assert (seen["said"], seen["cut"], seen["scrolled"]) == (3, [], False), (width, height)
        assert seen["least"] >= LEGIBLE
    expect(page.locator(".lsc-projector-text")).to_have_text("1 of 8: All charts together")


def test_a_board_beside_its_sliders_is_whole(visit):
    page = visit(f"{QUICK}&projector=on", width=1280, height=720)
    at(page, 1)
    page.locator("[data-testid=stExpandSidebarButton]").click()
    page.wait_for_function("document.querySelector('.st-key-board').offsetWidth < 1000")
    waiting.settle(page, CHARTS)
    seen = page.evaluate(BOARD)
    assert (seen["said"], seen["cut"], seen["scrolled"]) == (5, [], False)
    assert seen["least"] > 12  # on the page 11


def test_arrow_keys_and_buttons_turn_the_charts_and_a_reload_keeps_the_place(visit):
    page = visit(f"{QUICK}&projector=on", width=1280, height=720)
    at(page, 1)
    assert page.locator(".lsc-projector-back").is_disabled()
    page.keyboard.press("ArrowLeft")  # there is none before the first
    page.keyboard.press("ArrowRight")
    at(page, 2, "frontier")
    page.locator(".lsc-projector-on").click()
    at(page, 3, "lifts")
    page.locator(".lsc-projector-back").click()
    at(page, 2, "frontier")
    page.keyboard.press("PageDown")  # as a presenter's remote control does
    at(page, 3, "lifts")
    page.reload()
    at(page, 3, "lifts")
    assert page.evaluate(SEEN)["charts"] == ["lifts"]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    at(page, 1, "board")


def test_a_slider_keeps_its_keys_and_the_chart_stays(visit):
    page = visit(f"{QUICK}&projector=lifts", width=1280, height=720)
    at(page, 3)
    page.locator("[data-testid=stExpandSidebarButton]").click()
    slider = page.locator(".st-key-eps input[type='range']")
    slider.scroll_into_view_if_needed()
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"(?=.*eps=1\.05)(?=.*projector=lifts)"))
    at(page, 3)
    assert page.evaluate(SEEN)["charts"] == ["lifts"]


def test_escape_leaves_the_page_as_it_was(visit):
    page = visit(QUICK, width=1280, height=720)
    waiting.settle(page, CHARTS, busy=["Computing"])
    boxes = (
        "[...document.querySelectorAll('.lsc-frame')].map(e => {"
        " const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })"
    )
    before = page.evaluate(boxes)
    page.locator(".st-key-class_menu button:visible").first.click()
    page.locator(".st-key-projector_open button:visible").first.click()
    at(page, 1, "on")
    page.keyboard.press("Escape")
    page.locator(".lsc-projector").wait_for(state="detached")
    page.wait_for_url(lambda url: "projector" not in url)
    waiting.settle(page, CHARTS, busy=["Computing"])
    page.wait_for_function(
        f"before => JSON.stringify({boxes}) === JSON.stringify(before)", arg=before
    )
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.xtick text')).fontSize") == "11px"
    )


def test_a_chart_that_is_not_on_the_page_is_told(visit):
    page = visit(f"{QUICK}&projector=no_such_chart", width=1280, height=720)
    page.get_by_text("The link has projector=no_such_chart, which is no chart of this").wait_for()
    at_rest(page)
    assert page.evaluate(BOARD)["charts"] == sorted(CHARTS)


def test_before_a_class_each_column_has_its_name_beside_the_others(visit):
    page = visit(link(QUICK_COLUMNS) + "&projector=on", width=1280, height=720)
    waiting.settle(page, ["column_frontier"])
    names = page.locator(".lsc-head b")
    assert names.all_inner_texts() == list(QUICK_COLUMNS.names)
    boxes = [name.bounding_box() for name in names.all()]
    assert len({box["y"] for box in boxes}) == 1
    assert all(box["height"] >= LEGIBLE for box in boxes)
    expect(page.get_by_role("button", name="Edit")).to_have_count(0)


SIZED = """
() => {
  const frame = document.querySelector(".lsc-frame[data-projected]");
  const { height } = frame.querySelector(".plotly .draglayer").getBoundingClientRect();
  return {
    high: frame.querySelector("svg.main-svg").getBoundingClientRect().height,
    drawn: height,
    rows: frame.querySelectorAll(".ytick").length,
  };
}
"""


def test_a_chart_of_three_columns_has_most_of_the_height_and_all_its_names(visit):
    page = visit("compare?projector=column_levels", width=1280, height=720)
    at(page, 2)
    levels = page.evaluate(SIZED)
    names = page.locator("[data-projected] .lsc-plot").evaluate("e => e.data[0].y.length")
    assert levels["rows"] == names > 15
    page.keyboard.press("ArrowRight")
    at(page, 3, "matrix_0")
    matrix = page.evaluate(SIZED)
    assert matrix["high"] > 0.7 * 720
    assert matrix["drawn"] > 0.4 * 720
    assert matrix["rows"] == 15  # occupations
    for place in (4, 5, 6):
        page.keyboard.press("ArrowRight")
        at(page, place)
    words = ", ".join(f"[data-projected] .{one}" for one in ("ytick", "y2tick", "annotation-text"))
    assert page.evaluate(APART, words)


def test_a_page_without_charts_says_that_it_is_shown_as_it_is(visit):
    page = visit("learn?topic=glossary&projector=on", width=1280, height=720)
    waiting.settle(page)
    text = page.locator(".lsc-projector-text")
    expect(text).to_have_text("No chart here: the page is shown as it is.")
    expect(page.get_by_text("meaning").first).to_be_visible()


def test_the_code_on_screen_opens_the_question_on_screen(visit):
    page = visit("?mech=watchdog&eps=0.5&projector=lifts", width=1280, height=720, dark=True)
    at(page, 3)
    page.locator(".lsc-projector-link").click()
    page.locator(".lsc-projector-sheet svg").wait_for()
    picture = Image.open(io.BytesIO(page.screenshot()))
    (code,) = zxingcpp.read_barcodes(picture)
    assert code.text == page.url.replace("&projector=lifts", "")
    page.keyboard.press("Escape")
    page.locator(".lsc-projector-sheet").wait_for(state="hidden")
    at(page, 3)
    parts = urlsplit(code.text)
    student = visit(f"{parts.path.lstrip('/')}?{parts.query}", width=390, height=844)
    waiting.settle(student, CHARTS, busy=["Computing"])
    assert (
        student.locator(".st-key-frontier .lsc-ring").get_attribute("data-now").startswith("0.5 ")
    )
    assert student.locator(".lsc-projector").count() == 0


def test_a_search_that_was_cut_off_is_given_60_seconds_and_may_be_cancelled(visit):
    # ε = 0.6 is no point of the frontier's grid: where it is, the frontier may prove the optimum,
    # and the button goes, as it should
    page = visit("?data=random:uniform:10x150:1&notion=lip&eps=0.6&limit=0.1")
    button = page.locator(".st-key-search_minute button:visible").first
    button.wait_for()
    waiting.settle(page, gone=["cancel_refining"])
    assert button.inner_text().splitlines()[-1] == "Search 60 s more"
    button.click()
    cancel = page.locator(".st-key-cancel_refining button:visible").first
    cancel.wait_for()
    page.wait_for_function("!document.querySelector('.st-key-search_minute')")
    cancel.click()
    page.get_by_text("Canceled. The last answer remains.").first.wait_for()
    waiting.settle(page, gone=["cancel_refining"])
    assert page.locator(".st-key-refine_again button:visible").count() == 1


TEXTS = """
part => [...document.querySelectorAll(`.lsc-frame[data-projected] ${part}`)]
  .map(one => one.textContent)
"""

LEAST = """
() => Math.min(...[...document.querySelectorAll(".lsc-frame[data-projected] .textpoint tspan")]
  .map(one => parseFloat(getComputedStyle(one).fontSize)))
"""

APART = """
part => {
  const line = 4;  // pixels above and below a text's letters that belong to its box
  const boxes = [...document.querySelectorAll(part)].map(one => one.getBoundingClientRect());
  return boxes.length > 1 && boxes.every((one, i) => boxes.slice(i + 1).every(other =>
    one.bottom - line < other.top || other.bottom - line < one.top
    || one.right < other.left || other.right < one.left));
}
"""


def test_every_row_and_node_has_its_name_and_boxes_stay_apart(visit):
    page = visit(f"{QUICK}&projector=mechanism", width=1280, height=720)
    at(page, 4)
    occupations = set(page.evaluate(TEXTS, ".ytick text"))
    assert len(occupations) == 15
    page.keyboard.press("ArrowRight")
    at(page, 5, "confusability_before")
    names = page.evaluate(TEXTS, ".annotation-text")
    assert {"Machine-op-inspct", "Transport-moving", "Handlers-cleaners"} < set(names)
    assert page.evaluate(APART, ".lsc-frame[data-projected] .annotation-text")
    page.keyboard.press("ArrowRight")
    at(page, 6, "confusability_after")
    page.keyboard.press("ArrowRight")
    at(page, 7, "implied")
    assert "LDP here 0.529" in page.evaluate(TEXTS, ".textpoint text")
    assert page.evaluate(APART, ".lsc-frame[data-projected] .textpoint text")
    assert page.evaluate(LEAST) >= 18


def test_the_menu_is_whole_in_a_window_of_720_pixels(visit):
    page = visit(QUICK, width=1280, height=720)
    settle(page)
    page.locator(".st-key-class_menu button:visible").first.click()
    page.locator(".st-key-class_menu_code img").wait_for()
    page.locator("[data-testid=stPopoverBody]").get_by_text("other machines cannot").wait_for()
    settle(page)
    low, whole, seen = page.locator("[data-testid=stPopoverBody]").evaluate(
        "e => [e.getBoundingClientRect().bottom, e.scrollHeight, e.clientHeight]"
    )
    assert low <= 720
    assert whole <= seen  # nothing of it has to be scrolled for


def test_in_a_hand_the_bar_names_the_chart_above_its_buttons(visit):
    page = visit(f"{QUICK}&projector=lifts", width=390, height=844)
    at(page, 2)
    bar = page.locator(".lsc-projector").bounding_box()
    text = page.locator(".lsc-projector-text").bounding_box()
    assert text["width"] > 0.9 * 390
    assert bar["y"] <= text["y"]
    for button in page.locator(".lsc-projector button").all():
        box = button.bounding_box()
        assert box["y"] >= text["y"] + text["height"]
        assert box["y"] + box["height"] <= 844
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 390
    chart = page.locator(".lsc-frame[data-projected] svg.main-svg").first.bounding_box()
    assert chart["y"] + chart["height"] <= bar["y"]


FOLDS = """
() => {
  window.unfolded = 0;
  const look = () => {
    window.unfolded += Boolean(document.querySelector("[data-testid=stSidebarCollapseButton]"));
    requestAnimationFrame(look);
  };
  look();
}
"""


def test_the_view_goes_on_on_another_page_and_a_reload_and_leaves_the_sidebar_as_it_was(visit):
    query = "?data=heart_hungarian&s=sex&x=cp&mech=watchdog&projector=lifts"
    page = visit(query, width=1280, height=720)
    unfold = page.locator("[data-testid=stExpandSidebarButton]")
    at(page, 3, "lifts")
    page.evaluate(FOLDS)
    waiting.go_to(page, "Lift")
    page.wait_for_url(re.compile(r"/lift\?.*projector=on"))
    at(page, 1)  # the chart of the page before is none of this one's
    expect(page.locator(".lsc-projector-text")).not_to_contain_text("The link has")
    unfold.wait_for()
    assert page.evaluate("window.unfolded") == 0
    page.reload()
    at(page, 1)
    unfold.wait_for()
    page.keyboard.press("Escape")
    page.locator(".lsc-projector").wait_for(state="detached")
    unfold.wait_for(state="detached")
    page.locator("[data-testid=stSidebarCollapseButton] button").wait_for(state="attached")
    waiting.settle(page)
    assert page.url.count("projector") == unfold.count() == 0


def test_a_page_that_goes_in_the_view_leaves_the_sidebar_open_for_the_next_visit(visit):
    page = visit("learn?projector=on", width=1280, height=720)
    unfold = page.locator("[data-testid=stExpandSidebarButton]")
    unfold.wait_for()
    page.goto(page.url.split("?")[0])
    page.locator("[data-testid=stSidebarCollapseButton] button").wait_for(state="attached")
    waiting.settle(page)
    assert unfold.count() == 0


LONGER = """
() => {
  const said = document.querySelector(".st-key-board .st-key-finding p");
  said.after(Object.assign(document.createElement("p"), { textContent: "Repaired. ".repeat(40) }));
}
"""
ROOM = """
() => {
  const box = (one) => document.querySelector(one).getBoundingClientRect();
  const { top, bottom } = box(".lsc-frame[data-projected] svg.main-svg");
  return [top, box(".lsc-projector").top - bottom];
}
"""


def test_a_chart_makes_room_where_the_answer_under_a_slider_is_longer(visit):
    page = visit(f"{QUICK}&projector=frontier", width=1280, height=720)
    at(page, 2)
    top, room = page.evaluate(ROOM)
    page.evaluate(LONGER)  # as a frame with another sentence does
    page.wait_for_timeout(1_000)
    lower, left = page.evaluate(ROOM)
    assert lower > top + 40
    assert left == room > 0
