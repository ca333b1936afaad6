"""The Frontiers page in a real Chromium: a sweep runs, is cancelled, found again and shared."""

import re

from playwright.sync_api import expect

from tests.browser import waiting

LONG = (
    "frontiers?notion=lip&by=watchdog&by=optimal&on=random&size=15x200&draws=40&steps=2&from=1&to=2"
)
"""80 points that are computed at once, and 80 whose searches take their whole limits."""

QUICK = "frontiers?notion=lip&by=watchdog&by=grr&on=random&size=3x5&draws=6&steps=3"


def begin(page):
    page.locator(".st-key-sweep_start button").click()


def test_a_sweep_is_found_by_a_reload_and_a_second_session_and_each_can_cancel_its_own(visit):
    page = visit(LONG)
    begin(page)
    page.get_by_text(re.compile(r"unfinished: [1-9]\d* of 160 points")).wait_for()
    page.locator(".st-key-frontiers .lsc-plot[data-drawn]").wait_for(state="attached")
    page.reload()
    page.locator(".st-key-sweep_cancel button").wait_for()
    page.get_by_text(re.compile(r"unfinished: \d+ of 160 points")).wait_for()
    other = visit(page.url.rpartition("/")[2])
    other.locator(".st-key-sweep_cancel button").wait_for()
    page.locator(".st-key-sweep_cancel button").click()
    page.get_by_role("button", name="Continue").wait_for()
    page.get_by_text(re.compile(r"unfinished: \d+ of 160 points")).wait_for()
    assert other.locator(".st-key-sweep_cancel button").is_visible()
    other.locator(".st-key-sweep_cancel button").click()
    other.get_by_role("button", name="Continue").wait_for()
    page.locator(".st-key-sweep_steps input").fill("3")
    page.keyboard.press("Enter")
    page.get_by_text("previous: 160 points").wait_for()
    expect(page.locator(".st-key-sweep_start button")).to_contain_text("Run the sweep")


def test_a_list_stays_open_while_a_sweep_is_looked_at(visit):
    # another sweep: the first one goes on for as long as the page that was reloaded may come back
    page = visit(f"{LONG}&first=1000")
    begin(page)
    page.get_by_text(re.compile(r"unfinished: [1-9]\d* of 160 points")).wait_for()
    page.locator(".st-key-frontiers .lsc-plot[data-drawn]").wait_for(state="attached")
    field = page.locator(".st-key-sweep_across input")
    field.scroll_into_view_if_needed()
    field.fill("Level of")
    option = page.get_by_role("option", name="Level of LIP", exact=True)
    option.wait_for()
    for _ in range(3):
        reported = page.locator(".st-key-sweep_cancel_row").inner_text()
        page.wait_for_function(
            "told => document.querySelector('.st-key-sweep_cancel_row').innerText !== told",
            arg=reported,
        )
        assert option.is_visible()
    option.click()
    page.wait_for_url(re.compile(r"across=level_lip"))
    page.locator(".st-key-sweep_cancel button").click()
    page.get_by_role("button", name="Continue").wait_for()


def test_a_sweep_ends_and_its_axes_are_in_the_address(visit):
    page = visit(QUICK)
    begin(page)
    page.get_by_text("All are below").wait_for()
    waiting.settle(page, ["frontiers"])
    serial = page.locator(".st-key-frontiers .lsc-plot").get_attribute("data-drawn")
    field = page.locator(".st-key-sweep_across input")
    waiting.choose(page, field, "Level of LIP", exact=True, typed=True)
    page.wait_for_url(re.compile(r"across=level_lip"))
    waiting.settle(page, ["frontiers"])
    assert page.locator(".st-key-frontiers .lsc-plot").get_attribute("data-drawn") != serial
    page.locator(".st-key-sweep_export button").filter(visible=True).click()
    with page.expect_download() as result:
        page.locator(".st-key-sweep_points_csv button").click()
    lines = result.value.path().read_text("utf-8").splitlines()
    assert len(lines) == 1 + 2 * 3 * 6
    assert lines[0].startswith("point,question,draw,source,notion,mechanism,eps,status")
    again = visit(page.url.rpartition("/")[2])
    again.get_by_text("All are below").wait_for()
    waiting.settle(again, ["frontiers"])
    again.set_viewport_size({"width": 390, "height": 844})
    waiting.settle(again, ["frontiers"])
    wide, seen = again.locator(".st-key-sweep_bars [role=radiogroup]").evaluate(
        "e => [e.scrollWidth, e.clientWidth]"
    )
    assert wide == seen  # on a phone too all three kinds of bars are whole


TOPS = """
() => {
  window.tops = new Set();
  const look = () => {
    const button = document.querySelector(".st-key-sweep_start button");
    if (button) window.tops.add(button.getBoundingClientRect().top);
    requestAnimationFrame(look);
  };
  look();
}
"""


def test_nothing_moves_when_the_time_of_a_sweep_is_known(visit):
    page = visit(QUICK.replace("6", "7"), width=1440, height=900)
    page.get_by_text("estimated from").wait_for()
    waiting.settle(page)
    page.evaluate(TOPS)
    page.locator(".st-key-sweep_steps input").fill("4")
    page.keyboard.press("Enter")
    page.get_by_text("Estimating the time").wait_for()
    page.get_by_text("estimated from").wait_for()
    waiting.settle(page)
    assert len(page.evaluate("[...window.tops]")) == 1
