"""Explore in a real Chromium: what AppTest cannot see."""

import io
import json
import re
import struct
import zlib
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from pages.ui.frame.site import PAGES
from tests.browser import waiting

QUICK = "?mech=subset_merging"
CONTEXT = (
    "Adult (census, training part); S: sex; X: occupation; ALIP, ε = 1 nats, λ = 0.5; "
    "Subset merging"
)
ABOUT = "Adult_census_training_part_S=sex_X=occupation_ALIP_ε=1_nats_λ=0.5_Subset_merging"
CHARTS = ("frontier", "lifts", "mechanism", "confusability_before", "confusability_after")


def drawn(page, key):
    return page.locator(f".st-key-{key} .lsc-plot").get_attribute("data-drawn")


def settle(page):
    """Wait until all charts are drawn and the board is at rest."""
    waiting.settle(page, CHARTS, busy=["Computing"])


def figure(page, label):
    """Return the value of one of the strip's figures."""
    block = page.locator("[data-testid='stMetric']", has_text=label).first
    return block.locator("[data-testid='stMetricValue']").inner_text()


def press(page, key, times):
    slider = page.locator(f".st-key-{key} input[type='range']")
    slider.focus()
    for _ in range(times):
        page.keyboard.press("ArrowLeft")


def menu(page, key, tab):
    """Open a part of a card's menu."""
    page.locator(f".st-key-{key}_more button").first.click()
    page.get_by_role("tab", name=tab).click()


def files(page, key):
    """Open the menu of a card where its chart is saved, and return the row of buttons."""
    menu(page, key, "Save")
    return page.locator(f"[data-saves='{key}']")


def saved(page, button):
    with page.expect_download() as waiting:
        button.click()
    return waiting.value


def test_a_slider_updates_figures_charts_and_url_and_the_url_restores(visit):
    page = visit(QUICK)
    settle(page)
    kept, chart = figure(page, "NMI"), drawn(page, "frontier")
    page.evaluate("document.querySelectorAll('.lsc-plot').forEach(e => { e.mark = 1; })")
    press(page, "eps", 12)
    page.wait_for_url(re.compile(r"eps=0\.4(&|$)"))
    page.wait_for_function(
        "old => document.querySelector('.st-key-frontier .lsc-plot').dataset.drawn !== old",
        arg=chart,
    )
    settle(page)
    now = figure(page, "NMI")
    assert now != kept
    stayed = page.evaluate("[...document.querySelectorAll('.lsc-plot')].every(e => e.mark === 1)")
    assert stayed, "a chart was built anew instead of being drawn into"
    ring = page.locator(".st-key-frontier .lsc-ring").get_attribute("data-now")
    assert ring.split()[0] == "0.4"
    again = visit(page.url.split("/", 3)[3])
    settle(again)
    assert figure(again, "NMI") == now
    assert again.locator(".st-key-eps input[type='range']").input_value() == "0.4"


def test_a_click_on_the_frontier_moves_budget_and_mechanism(visit):
    page = visit(QUICK)
    settle(page)
    place = page.evaluate(
        """() => {
          const plot = document.querySelector('.st-key-frontier .lsc-plot');
          const { xaxis, yaxis } = plot._fullLayout;
          const line = plot.data.findIndex(trace => trace.meta && trace.meta[1] === 'watchdog');
          const at = plot.data[line].x.indexOf(0.5);
          const box = plot.getBoundingClientRect();
          return [box.x + xaxis._offset + xaxis.l2p(0.5),
                  box.y + yaxis._offset + yaxis.l2p(plot.data[line].y[at])];
        }"""
    )
    waiting.click(page, "frontier", place)
    page.wait_for_url(re.compile(r"(?=.*eps=0\.5)(?=.*mech=watchdog)"))
    settle(page)
    assert page.locator(".st-key-eps input[type='range']").input_value() == "0.5"
    assert "Watchdog" in page.locator(".st-key-mech_menu button").first.inner_text()


BOARD = """
() => [...document.querySelectorAll(
  ".lsc-plot, .st-key-finding, .st-key-strip, .st-key-eps, .st-key-lam")]
  .filter(e => !e.closest(".st-key-implied, .st-key-again"))
  .map(e => {
    const b = e.getBoundingClientRect();
    const name = e.closest(".lsc-frame")?.dataset.chart || e.className.match(/st-key-(\\w+)/)[1];
    const whole = b.width > 0 && b.top >= 0 && b.left >= 0 && b.right <= innerWidth
      && b.bottom <= innerHeight;
    return [name, whole, Math.round(b.height)];
  })
"""


@pytest.mark.parametrize("dark", [False, True])
def test_the_answer_its_charts_and_the_sliders_are_in_one_window(visit, dark):
    page = visit(width=1280, height=720, dark=dark)
    for size in ((1280, 720), (1440, 900), (1920, 1080), (1280, 600)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        settle(page)
        shown = page.evaluate(BOARD)
        assert {name for name, _, _ in shown} == {*CHARTS, "finding", "strip", "eps", "lam"}
        assert all(whole for _, whole, _ in shown), (size, shown)
        assert all(height >= 120 for name, _, height in shown if name in CHARTS), (size, shown)


def test_words_of_two_columns_leave_the_charts_their_height(visit):
    """The first chart was 123 pixels high, its axes 87; then half of the lower ones was cut off."""
    page = visit("?s=race&s=sex&x=occupation&x=native-country", width=1280, height=720)
    page.wait_for_selector("[data-drawn]")
    heights = page.evaluate(
        """() => [...document.querySelectorAll(
             ".st-key-board_charts :is(.st-key-frontier, .st-key-lifts, .st-key-mechanism)"
           )].map(e => e.getBoundingClientRect().height)"""
    )
    assert len(heights) == 3
    assert min(heights) >= 150, heights
    page.locator(
        ".st-key-search_minute button >> visible=true"
    ).first.wait_for()  # then no work is shown above them
    below = waiting.settle(
        page,
        gone=["cancel_refining"],
        look="() => Math.max(...[...document.querySelectorAll('.st-key-board_charts .lsc-plot')]"
        ".map(e => e.getBoundingClientRect().bottom)) - innerHeight",
    )
    assert below <= 0, below


def test_in_a_hand_the_charts_stand_below_the_sentence(visit):
    page = visit(QUICK, width=390, height=844)
    settle(page)
    tops = [
        page.locator(item).first.bounding_box()["y"]
        for item in (".st-key-finding", *(f".st-key-{key} .lsc-plot" for key in CHARTS[:4]))
    ]
    assert tops == sorted(tops)


def test_charts_and_page_stay_in_place_while_a_slider_moves(visit):
    page = visit(QUICK)
    settle(page)
    boxes = (
        "[...document.querySelectorAll('.lsc-plot')].map(e => {"
        " const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })"
    )
    axes = (
        "[...document.querySelectorAll('.lsc-plot')].slice(0, 2).map(e =>"
        " [e.layout.xaxis.range, e.layout.yaxis.range])"
    )
    before = page.evaluate(boxes), page.evaluate(axes)
    press(page, "eps", 6)
    page.wait_for_url(re.compile(r"eps=0\.7"))
    settle(page)
    assert (page.evaluate(boxes), page.evaluate(axes)) == before


def test_a_bad_link_is_told_and_mended(visit):
    page = visit("?eps=99&mech=magic")
    page.get_by_text("The link has eps=99").wait_for()
    page.get_by_text("The link has mech=magic").wait_for()
    page.wait_for_url(lambda url: "eps=99" not in url and "magic" not in url)


def test_labels_with_markup_show_as_text(visit):
    page = visit("data")
    rows = "\n".join(
        f"{s},{x}"
        for s, x, count in (
            ("f", "<b>bold</b>", 9),
            ("m", "<b>bold</b>", 2),
            ("f", "<img src=x onerror=alert(1)>", 3),
            ("m", "<img src=x onerror=alert(1)>", 8),
            ("f", "$x$ **y** [z](w)", 5),
            ("m", "$x$ **y** [z](w)", 4),
        )
        for _ in range(count)
    )
    page.locator("input[type='file']").set_input_files(
        {"name": "people.csv", "mimeType": "text/csv", "buffer": f"s,x\n{rows}\n".encode()}
    )
    page.wait_for_url(re.compile("upload"))
    page.get_by_role("link", name="Explore").first.click()
    page.get_by_role("heading", name="give away").wait_for()
    settle(page)
    ticks = page.locator(".st-key-mechanism .ytick text").all_text_contents()
    assert "<b>bold</b>" in ticks
    assert any(tick.startswith("<img src") for tick in ticks)
    assert page.locator(".lsc-plot b, .lsc-plot a[href], .lsc-plot img").count() == 0
    assert "people" not in page.url
    assert "bold" not in page.url


@pytest.mark.parametrize("kind", ["PNG", "SVG", "HTML"])
def test_a_chart_is_saved(visit, kind):
    page = visit(QUICK)
    settle(page)
    result = saved(page, files(page, "frontier").get_by_role("button", name=kind))
    assert result.suggested_filename == f"liftscope-frontier-{ABOUT}.{kind.lower()}"
    with open(result.path(), "rb") as file:
        content = file.read()
    if kind == "PNG":
        assert content.startswith(b"\x89PNG\r\n\x1a\n")
        assert int.from_bytes(content[16:20], "big") == 1800
        assert text_of(content) == f"Cost of privacy. {CONTEXT}"
    elif kind == "SVG":
        assert f"<desc>Cost of privacy. {CONTEXT}</desc>" in content.decode()
        assert content.lstrip().startswith(b"<svg")
        assert "S: sex; X: occupation" in "".join(ElementTree.fromstring(content).itertext())
    else:
        alone = page.context.new_page()
        alone.set_content(content.decode(), wait_until="load")
        alone.locator("#chart .main-svg").first.wait_for(state="attached")
        assert alone.evaluate("document.getElementById('chart').data.length") >= 2
        assert b"http://127" not in content


def test_pictures_are_saved_at_the_size_asked_for_and_others_are_refused(visit):
    page = visit(QUICK)
    settle(page)
    bar = files(page, "frontier")
    bar.get_by_role("button", name="Size").click()
    width, height = (bar.get_by_label(side, exact=False) for side in ("Width", "Height"))
    width.fill("1501")
    height.fill("333")
    for place in ("frontier", "mechanism"):  # it is asked for once, for all charts
        if place != "frontier":
            page.keyboard.press("Escape")
            files(page, place)
        buttons = page.locator(f"[data-saves='{place}']")
        png = saved(page, buttons.get_by_role("button", name="PNG"))
        with open(png.path(), "rb") as file:
            header = file.read(24)
        assert struct.unpack(">II", header[16:]) == (1501, 333)
        svg = saved(page, buttons.get_by_role("button", name="SVG"))
        drawn = ElementTree.parse(svg.path()).getroot()
        assert (drawn.get("width"), drawn.get("height")) == ("1501", "333")
    page.keyboard.press("Escape")
    files(page, "frontier").get_by_role("button", name="Size").click()
    width.fill("9001")
    reported = bar.get_by_role("alert")
    made = []

    def noted(download):
        made.append(download)

    page.on("download", noted)
    for wrong in ("9001", "0", "99999"):
        width.fill(wrong)
        for kind in ("PNG", "SVG", "HTML"):
            bar.get_by_role("button", name=kind).click()
        text = "The width of a saved picture must be from 200 to 8000 pixels."
        assert reported.inner_text().strip() == text
    width.fill("1502")
    assert reported.inner_text() == ""
    again = saved(page, bar.get_by_role("button", name="SVG"))
    assert ElementTree.parse(again.path()).getroot().get("width") == "1502"
    assert len(made) == 1


def test_a_saved_picture_is_about_what_it_shows_after_a_slider_moved(visit):
    page = visit(QUICK)
    settle(page)
    press(page, "eps", 12)
    page.wait_for_url(re.compile(r"eps=0\.4(&|$)"))
    settle(page)
    result = saved(page, files(page, "mechanism").get_by_role("button", name="SVG"))
    assert "ALIP, ε = 0.4 nats, λ = 0.5" in ElementTree.parse(result.path()).getroot()[1].text


def text_of(png):
    """Return the text "Description" of a PNG, whose chunks' checksums are all checked."""
    place, result = 8, None
    while place < len(png):
        (size,) = struct.unpack(">I", png[place : place + 4])
        body = png[place + 4 : place + 8 + size]
        assert zlib.crc32(body) == struct.unpack(">I", png[place + 8 + size : place + 12 + size])[0]
        if body.startswith(b"iTXtDescription\0"):
            result = body.split(b"\0", 5)[-1].decode()
        place += 12 + size
    return result


def test_tables_mechanism_and_scenario_download_and_parse(visit):
    page = visit(QUICK)
    settle(page)
    page.get_by_role("button", name="Export").click()
    mechanism = {}
    for label in ("CSV", "JSON", "NPZ"):
        with open(
            saved(page, page.locator(f".st-key-explore_{label} button")).path(), "rb"
        ) as file:
            mechanism[label] = file.read()
    assert json.loads(mechanism["JSON"])["about"]["notion"] == "ALIP, ε = 1 nats, λ = 0.5"
    kernel = np.array(json.loads(mechanism["JSON"])["kernel"])
    np.testing.assert_allclose(kernel.sum(axis=1), 1)
    with np.load(io.BytesIO(mechanism["NPZ"])) as archive:
        np.testing.assert_array_equal(archive["kernel"], kernel)
        assert json.loads(str(archive["about"]))["X"] == "occupation"
    table = pd.read_csv(io.BytesIO(mechanism["CSV"]))
    np.testing.assert_allclose(table.drop(columns="x").to_numpy(), kernel)
    with open(saved(page, page.locator(".st-key-explore_scenario button")).path()) as file:
        assert json.load(file)["mechanism"] == "subset_merging"
    with open(saved(page, page.locator(".st-key-explore_notebook button")).path()) as file:
        assert json.load(file)["nbformat"] == 4
    page.get_by_text("from core import mechanisms as m").wait_for()


def test_a_table_stands_behind_a_chart_and_is_saved(visit):
    page = visit(QUICK)
    settle(page)
    menu(page, "lifts", "Table")
    result = saved(page, page.locator(".st-key-lifts_csv button"))
    table = pd.read_csv(result.path())
    assert set(table["when"]) == {"before", "after"}
    assert np.isneginf(table.loc[table["symbol"] == "Armed-Forces", "log_min_lift_nats"]).any()


def test_a_cards_menu_opens_at_its_top(visit):
    page = visit(QUICK, width=1280, height=720)
    settle(page)
    page.locator(".st-key-frontier_more button").first.click()
    body = page.get_by_test_id("stPopoverBody")
    body.locator("[data-testid=stDataFrame] .dvn-scroller").wait_for()
    page.wait_for_function("document.activeElement.closest('[data-testid=stPopoverBody]')")
    assert body.evaluate("e => e.scrollTop") == 0


def test_formulas_and_their_source_are_one_click_away(visit):
    page = visit(QUICK)
    settle(page)
    menu(page, "lifts", "Formulas")
    page.locator(".katex").first.wait_for()
    page.locator("[data-testid=stPopoverBody]").get_by_text("[Lift]").first.wait_for()


def test_charts_take_the_colours_of_the_theme(visit):
    colours = {}
    for dark in (False, True):
        page = visit(QUICK, dark=dark)
        settle(page)
        colours[dark] = page.evaluate(
            # a band, where a search was cut short on a busy machine, has no color of its own
            """document.querySelector('.st-key-frontier .lsc-plot').data
                 .find(trace => trace.line?.color).line.color"""
        )
    assert colours == {False: "#0b63a5", True: "#6db7ee"}


def test_charts_have_a_name_for_those_who_do_not_see_them(visit):
    page = visit(QUICK)
    settle(page)
    plots = page.locator(".lsc-plot")
    plots.nth(6).wait_for()  # what is implied and what several draws tell come last
    names = plots.evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")
    assert all(len(name) > 20 for name in names)
    assert len(set(names)) == 7


def test_a_link_of_the_start_panel_opens_its_question_in_a_tab_of_its_own(visit):
    page = visit()
    page.locator(".st-key-start button").first.click()
    examples = page.get_by_test_id("stPopoverBody")
    link = examples.locator("a", has_text="Why is the bound on min-lift")
    link.wait_for()
    with page.context.expect_page() as opening:
        link.click()
    other = opening.value
    first = other.locator(".st-key-column_figures_0", has_text=re.compile(r"8(4\.9|5\.0)%"))
    first.wait_for()
    assert "/compare?" in other.url
    links = examples.locator("a")
    assert links.count() == 8
    paths = links.evaluate_all("links => links.map(e => new URL(e.href).pathname)")
    assert set(paths) <= {"/", *(f"/{name}" for name, _, _ in PAGES[1:])}  # the first is at "/"
    other.goto(links.filter(has_text="predict income").evaluate("e => e.href"))
    other.locator(".st-key-frontier .lsc-plot[data-drawn]").wait_for(state="attached")
    assert other.get_by_role("dialog").count() == 0
    other.close()


def test_pinning_leaves_the_sidebar_where_it_is(visit):
    page = visit("?mech=watchdog")
    settle(page)
    places = """() => [...document.querySelectorAll(
        "[data-testid=stSidebarUserContent] :is(.stMarkdown, .stButton, .stSelectbox, .stSlider)"
    )].map(e => { const box = e.getBoundingClientRect(); return [box.x, box.y, box.height]; })"""
    before = page.evaluate(places)
    assert len(before) > 5
    page.locator(".st-key-pin button").first.click()
    page.get_by_text("Pinned to Compare as").first.wait_for()
    settle(page)
    assert page.evaluate(places) == before


def test_what_if_the_costliest_symbol_were_merged_opens_that_question_and_back_returns(visit):
    page = visit("?data=german_credit&s=credit&x=purpose&notion=lip&eps=0.5&mech=watchdog")
    page.locator(".st-key-what_if label").first.click()
    page.locator(".st-key-what_if_1_open button").first.wait_for()
    text = page.locator(".st-key-what_if_0_row p").first.inner_text()
    kept = re.search(r": ([0-9.]+%) would be kept", text).group(1)
    page.locator(".st-key-what_if_0_open button").first.click()
    page.wait_for_url(re.compile("merge="))
    assert "data=german_credit" in page.url
    page.locator("h1", has_text="Does publishing purpose give away credit?").wait_for()
    page.locator("[data-testid=stMetricValue]", has_text=kept).first.wait_for()
    page.go_back()
    page.wait_for_url(re.compile("^(?!.*merge=)"))
    page.locator("h1", has_text="Does publishing purpose give away credit?").wait_for()
