"""The Mechanisms page in a real Chromium: charts drawn, steps, side channels, permalink."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import waiting

QUERY = "mechanisms?s=income&x=sex&x=race&notion=lip&eps=0.3"
CHARTS = ("kernel", "posteriors", "beliefs", "channels", "steps")


def settle(page):
    waiting.settle(page, CHARTS)


def drawn(page, key):
    return page.locator(f".st-key-{key} .lsc-plot").get_attribute("data-drawn")


def wait_for_change(page, key, old):
    page.wait_for_function(
        "([key, old]) => document.querySelector(`.st-key-${key} .lsc-plot`).dataset.drawn !== old",
        arg=[key, old],
    )


def test_switches_and_steps_are_restored_by_the_link(visit):
    page = visit(QUERY)
    settle(page)
    page.get_by_role("button", name="Back").click()
    page.wait_for_url(re.compile("step=10"))
    page.get_by_text("about X", exact=True).click()
    page.wait_for_url(re.compile("about=x"))
    settle(page)
    page.get_by_text("The attacker already knows part of X").click()
    box = page.locator(".st-key-known_sex input")
    box.evaluate("box => box.scrollIntoView({block: 'center'})")  # a list closes when scrolled
    box.click()
    page.get_by_role("option", name="Female", exact=True).click()
    page.wait_for_url(re.compile("known="))
    again = visit(page.url.rpartition("/")[2])
    settle(again)
    again.get_by_text("someone who knows sex = Female").wait_for()
    again.get_by_text("step 10 of 11").wait_for()
    again.get_by_text("P(x | y): one row per output").wait_for()
    assert again.url.rpartition("/")[2] == page.url.rpartition("/")[2]


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)])
def test_every_chart_is_drawn_and_nothing_is_wider_than_the_page(visit, width, dark):
    page = visit(QUERY, width=width, dark=dark)
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_steps_and_side_channels_redraw_their_chart(visit):
    page = visit(QUERY)
    settle(page)
    before = drawn(page, "steps")
    page.get_by_role("button", name="Back").click()
    wait_for_change(page, "steps", before)
    before = drawn(page, "beliefs")
    page.get_by_text("The attacker already knows part of X").click()
    page.locator(".st-key-known_sex input").click()
    page.get_by_role("option", name="Female", exact=True).click()
    page.get_by_text("someone who knows sex = Female").wait_for()
    wait_for_change(page, "beliefs", before)


def test_protection_changes_the_link_which_restores_it(visit):
    page = visit(QUERY)
    settle(page)
    page.get_by_role("button", name="Protect against side channels").click()
    page.wait_for_url(re.compile("notion=srlip"))
    again = visit(page.url.rpartition("/")[2])
    # not the sentence on the proof: a busy machine's search may end before it has a bound
    again.get_by_text("by more than a factor of 1.35").first.wait_for()
    waiting.settle(again, [key for key in CHARTS if key != "steps"])
    for menu, chosen in (("notion", "SRLIP"), ("mech", "Optimal")):
        opener = again.locator(f".st-key-{menu}_menu button").filter(visible=True)
        expect(opener).to_contain_text(chosen)
    assert float(again.get_by_label("nats", exact=True).first.input_value()) == 0.3
    assert again.locator(".st-key-protect").count() == 0
