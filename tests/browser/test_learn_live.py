"""The Learn page in Chromium: every topic, the table that is dragged, and what its links open."""

import re
from urllib.parse import urljoin

import pytest
from playwright.sync_api import expect

from core.learning import LESSONS, defaults
from core.learning.lessons import opens
from pages.ui.learn.query import TOPICS
from tests.browser import waiting

NOW = ".lsc-drag"
ALREADY = re.compile(r"“ill” is 3 times as likely")


DRAWN = """
() => ["katex-mathml math", "katex-html[aria-hidden=true]", "lsc-plot", "lsc-plot[data-drawn]"]
  .map(one => document.querySelectorAll(`.${one}`).length)
"""

FORMULA = ".katex-mathml math"
ALL_DRAWN = "[...document.querySelectorAll('.lsc-plot')].every(one => one.dataset.drawn)"


def test_every_topic_is_turned_to_and_shown_with_its_charts_and_formulas(visit):
    page = visit("learn")
    for topic, title in TOPICS.items():
        page.get_by_role("heading", name=f"Learn: {title}", exact=True).wait_for()
        page.wait_for_function(ALL_DRAWN)
        if topic not in ("exercises", "glossary"):
            page.locator(FORMULA).first.wait_for(state="attached")
        # KaTeX draws for the eye and holds MathML for screen readers
        spoken, seen, charts, drawn = waiting.settle(page, look=DRAWN)
        if topic not in ("exercises", "glossary"):
            assert spoken == seen > 0, topic
            assert charts == drawn > 0, topic
        if topic != tuple(TOPICS)[-1]:
            page.locator(".st-key-learn_on button").click()


def test_a_lesson_begins_at_its_top(visit):
    page = visit("learn")
    scrolled = "document.querySelector('[data-testid=stMain]').scrollTop"
    page.locator(".st-key-learn_on button").scroll_into_view_if_needed()
    assert page.evaluate(scrolled) > 100
    page.locator(".st-key-learn_on button").click()
    title = tuple(TOPICS.values())[1]
    page.get_by_role("heading", name=f"Learn: {title}", exact=True).wait_for()
    page.wait_for_function(f"{scrolled} === 0")


FOCUSED = "one => document.activeElement === one"
FRAME = "one => getComputedStyle(one).outlineStyle"


def handle(page, name):
    return page.get_by_role("slider", name=re.compile(f"^{re.escape(name)}")).first


def test_a_border_is_dragged_and_the_words_the_slider_and_the_address_follow(visit):
    page = visit("learn")
    page.get_by_text(ALREADY).wait_for()
    waiting.settle(page, ["learn_lift"])
    box = page.locator(NOW).bounding_box()
    grip = page.locator(f"{NOW} [role=slider]").nth(0)
    knob = grip.locator(".lsc-knob").bounding_box()
    start = (knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, start[1], steps=5)
    expect(grip).to_have_attribute("aria-valuenow", "0.5")
    bars = "document.querySelector('.st-key-learn_lift .lsc-plot').data[0].x"
    before = page.evaluate(bars)
    expect(page.locator(".st-key-learn_ill")).to_contain_text("0.50")  # the button is still down
    expect(page.get_by_text(ALREADY)).to_have_count(0)
    page.wait_for_function(f"before => String({bars}) !== before", arg=str(before))
    page.mouse.up()
    page.wait_for_url(re.compile(r"ill=0\.5"))
    for key in ("learn_try", "learn_said", "learn_lift"):
        expect(page.locator(f".st-key-{key}").first).to_have_css("opacity", "1")
    # what was dragged keeps the focus and has no frame; a key moves it on and brings the frame
    assert grip.evaluate(FOCUSED)
    assert grip.evaluate(FRAME) == "none"
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"ill=0\.51"))
    assert grip.evaluate(FRAME) == "solid"


def test_a_border_that_the_keyboard_comes_to_has_a_frame(visit):
    page = visit("learn")
    waiting.settle(page, ["learn_lift"])
    grip = page.locator(f"{NOW} [role=slider]").nth(1)
    page.locator(f"{NOW} [role=slider]").nth(0).focus()
    page.keyboard.press("Tab")
    assert grip.evaluate(FOCUSED)
    assert grip.evaluate(FRAME) == "solid"
    grip.locator(".lsc-knob").click()
    assert grip.evaluate(FRAME) == "none"
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    assert grip.evaluate(FOCUSED)
    assert grip.evaluate(FRAME) == "solid"


def test_a_border_moves_by_arrow_keys_and_follows_the_slider(visit):
    page = visit("learn?hit=0.8")
    grip = page.locator(f"{NOW} [role=slider]").nth(1)
    expect(grip).to_have_attribute("aria-valuenow", "0.8")
    expect(grip).to_have_attribute("aria-valuetext", "80%")
    grip.focus()
    page.keyboard.press("ArrowUp")
    page.wait_for_url(re.compile(r"hit=0\.81"))
    page.keyboard.press("End")
    page.wait_for_url(re.compile(r"hit=1\b"))
    expect(page.get_by_text("ruled out").first).to_be_visible()
    waiting.settle(page, ["learn_lift"])
    slider = page.locator(".st-key-learn_hit input[type=range]")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile(r"hit=0\.99"))
    expect(grip).to_have_attribute("aria-valuenow", "0.99")


def test_no_step_of_a_fast_hand_on_the_arrow_keys_is_lost(visit):
    page = visit("learn")
    waiting.settle(page, ["learn_lift"])
    grip = page.locator(f"{NOW} [role=slider]").nth(0)
    grip.focus()
    for step in range(1, 16):
        page.keyboard.press("ArrowRight")
        expect(grip).to_have_attribute("aria-valuenow", f"{(20 + step) / 100:g}")
        page.evaluate("() => new Promise(requestAnimationFrame)")  # the server answers between
    page.wait_for_url(re.compile(r"ill=0\.35"))
    waiting.settle(page, ["learn_lift"])
    expect(grip).to_have_attribute("aria-valuenow", "0.35")
    expect(page.locator(".st-key-learn_ill")).to_contain_text("0.35")


def test_a_held_arrow_key_is_followed(visit):
    page = visit("learn?alarm=0.5")
    waiting.settle(page, ["learn_lift"])
    grip = page.locator(f"{NOW} [role=slider]").nth(2)
    grip.focus()
    for _ in range(7):
        page.keyboard.down("ArrowDown")
    expect(grip).to_have_attribute("aria-valuenow", "0.43")
    page.wait_for_url(re.compile(r"alarm=0\.43"))  # the key is still down
    expect(page.locator(".st-key-learn_alarm")).to_contain_text("0.43")
    page.keyboard.up("ArrowDown")


def test_what_has_not_followed_the_table_is_marked(visit):
    page = visit("learn")
    waiting.settle(page, ["learn_lift"])
    page.evaluate("WebSocket.prototype.send = () => {}")  # as if the server were busy
    grip = page.locator(f"{NOW} [role=slider]").nth(0)
    grip.focus()
    page.keyboard.press("ArrowRight")
    for key in ("learn_try", "learn_said"):
        expect(page.locator(f".st-key-{key}").first).to_have_css("opacity", "0.5")


BARS = """
() => {
  const [before, after] = document.querySelector(".st-key-learn_lift .lsc-plot").data;
  return { prior: before.x, belief: after.x, changes: after.customdata.map(one => one[1]) };
}
"""

HELD = """
() => {
  const send = WebSocket.prototype.send;
  window.held = [];
  WebSocket.prototype.send = function (message) {
    window.held.push(() => send.call(this, message));
  };
  window.letGo = () => {
    WebSocket.prototype.send = send;
    window.held.forEach(one => one());
  };
}
"""


@pytest.mark.parametrize(("seen", "change"), [("positive", "×1.92"), ("negative", "ruled out")])
def test_bars_move_with_a_border_before_the_server_knows_and_are_as_it_draws_them(
    visit, seen, change
):
    page = visit("learn?alarm=0.4")
    waiting.settle(page, ["learn_lift"])
    page.locator(".st-key-learn_seen button", has_text=seen).click()
    page.locator(f".st-key-learn_lift .lsc-plot[aria-label^='After {seen}:']").wait_for()
    waiting.settle(page, ["learn_lift"])
    page.evaluate(HELD)
    page.locator(f"{NOW} [role=slider]").nth(1).focus()
    page.keyboard.press("End")  # every ill person tests positive: 1 / (0.2 + 0.8 · 0.4) = 1.92
    page.wait_for_function(f"change => ({BARS})().changes[0] === change", arg=change)
    moved = page.evaluate(BARS)
    page.evaluate("window.letGo()")
    page.wait_for_url(re.compile(r"hit=1\b"))
    waiting.settle(page, ["learn_lift"])
    drawn = page.evaluate(BARS)
    assert moved["changes"] == drawn["changes"]
    for bars in ("prior", "belief"):
        assert moved[bars] == pytest.approx(drawn[bars], abs=1e-5)  # as sent


def test_a_border_is_dragged_by_a_finger(visit):
    page = visit("learn", width=390, height=800)
    waiting.settle(page, ["learn_lift"])
    touch = page.context.new_cdp_session(page)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    grip = page.locator(f"{NOW} [role=slider]").nth(0)
    knob = grip.locator(".lsc-knob").bounding_box()
    box = page.locator(NOW).bounding_box()
    y = knob["y"] + knob["height"] / 2
    places = [knob["x"] + knob["width"] / 2, box["x"] + box["width"] / 3]
    places.append(box["x"] + box["width"] / 2)
    for kind, x in zip(("touchStart", "touchMove", "touchMove"), places, strict=True):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    expect(grip).to_have_attribute("aria-valuenow", "0.5")
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_url(re.compile(r"ill=0\.5"))
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0


TEXTS = """
() => [...document.querySelectorAll(".lsc-drag text")].filter(one => one.textContent)
  .map(one => parseFloat(getComputedStyle(one).fontSize))
"""


def test_the_labels_of_the_table_are_as_large_as_the_text_of_charts(visit):
    page = visit("learn", width=390, height=720)
    for width in (390, 1280, 1440):
        page.set_viewport_size({"width": width, "height": 720})
        waiting.settle(page, ["learn_lift"])
        sizes = page.evaluate(TEXTS)
        assert len(sizes) >= 6
        assert min(sizes) >= 11.9
        drawn = page.locator(NOW).bounding_box()
        card = page.locator(".st-key-card_learn_table").bounding_box()
        assert drawn["x"] >= card["x"]
        assert drawn["x"] + drawn["width"] <= card["x"] + card["width"]


@pytest.mark.parametrize("dark", [False, True])
def test_the_projector_shows_the_table_large_and_it_is_moved_there(visit, dark):
    page = visit("learn?projector=learn_table", width=1280, height=720, dark=dark)
    page.locator(".lsc-frame[data-projected] .lsc-drag").wait_for()
    waiting.settle(page)
    assert min(page.evaluate(TEXTS)) >= 18
    assert page.locator(".lsc-projector-text").text_content() == "1 of 2: Drag the table"
    drawn = page.locator(NOW).bounding_box()
    bar = page.locator(".lsc-projector").bounding_box()
    assert drawn["width"] > 0.9 * 1280
    assert drawn["y"] + drawn["height"] <= bar["y"]
    ink = "rgb(255, 255, 255)" if dark else "rgb(0, 0, 0)"
    assert page.locator(f"{NOW} text").first.evaluate("one => getComputedStyle(one).fill") == ink
    grip = page.locator(f"{NOW} [role=slider]").nth(0)
    grip.focus()
    page.keyboard.press("ArrowRight")  # it moves the border, not to the next chart
    page.wait_for_url(re.compile(r"(?=.*ill=0\.21)(?=.*projector=learn_table)"))
    page.locator(".lsc-projector-on").click()
    page.wait_for_url(re.compile(r"projector=learn_lift"))


def test_the_link_of_a_lesson_opens_the_page_and_the_state_that_it_names(visit, address):
    item = LESSONS[1]  # of the others' links without a browser
    page = visit(f"learn?topic={item.key}")
    result = opens(item.key, defaults())
    link = page.get_by_role("link", name=f"Open it in {result.title}")
    assert link.get_attribute("href") == result.link
    page.goto(urljoin(f"{address}/learn", result.link))
    page.locator("[data-testid=stMainBlockContainer] h1").first.wait_for()
    chosen = page.get_by_role("link", name=result.title).first
    expect(chosen).to_have_attribute("aria-current", "page")
    waiting.settle(page, busy=("Improving",))
    request = result.link.partition("?")[2].split("&")
    assert all(part in page.url for part in request if not part.startswith("step="))
    assert page.locator("[data-testid=stAlertContentError]").count() == 0
    assert page.locator("[data-testid=stAlertContentWarning]").count() == 0


def test_the_dragged_table_is_asked_about_in_explore(visit):
    page = visit("learn?ill=0.5")
    page.get_by_role("button", name="Open this table in Explore").click()
    page.wait_for_url(re.compile(r"data=matrix"))
    page.locator(".st-key-strip").wait_for()
    expect(page.get_by_role("link", name="Explore").first).to_have_attribute("aria-current", "page")
    waiting.settle(page, ["frontier"], busy=("Improving", "Computing"))
    expect(page.locator(".st-key-strip")).to_contain_text("audit: notion holds")


def test_an_exercise_is_answered_and_the_next_topic_is_one_click_away(visit):
    page = visit("learn?topic=exercises&variant=3")
    answer = page.get_by_label("Answer 1", exact=True)
    answer.fill("34%")
    answer.press("Enter")
    page.get_by_text("Right.", exact=True).wait_for()
    page.locator(".st-key-learn_on button").click()
    page.wait_for_url(re.compile(r"topic=glossary"))
    page.get_by_role("heading", name="Learn: Glossary").wait_for()
