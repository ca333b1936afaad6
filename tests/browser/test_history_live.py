"""Back and Forward in a real Chromium: one entry for each control that was moved in a row."""

import re

from tests.browser import waiting
from tests.browser.test_compare_live import QUICK as COLUMNS
from tests.browser.test_compare_live import eps as eps_of
from tests.browser.test_compare_live import link, press
from tests.browser.test_compare_live import settle as settle_columns

QUICK = "?mech=watchdog"


def settle(page):
    waiting.settle(page, ["frontier"], busy=["Computing"])


def entries(page):
    return page.evaluate("history.length")


def shown(page, **numbers):
    """Wait until the address has these numbers, and no others, and the sliders show them."""
    page.wait_for_function(
        """wanted => {
          const asked = new URLSearchParams(location.search);
          return ["eps", "lam"].every(key => asked.get(key) === (wanted[key] || null));
        }""",
        arg=numbers,
    )
    settle(page)
    for key, default in (("eps", 1.0), ("lam", 0.5)):
        value = page.locator(f".st-key-{key} input[type='range']").input_value()
        assert float(value) == float(numbers.get(key, default))


def test_a_slider_moved_several_times_is_one_step_back(visit):
    page = visit(QUICK)
    settle(page)
    before = entries(page)
    for at in ("1.05", "1.1", "1.15"):  # one at a time: each is an address that the server writes
        press(page, "eps", 1)
        shown(page, eps=at)
    assert entries(page) == before + 1
    press(page, "lam", 1)
    shown(page, eps="1.15", lam="0.55")
    press(page, "lam", 1)
    shown(page, eps="1.15", lam="0.6")
    press(page, "eps", 1)
    shown(page, eps="1.2", lam="0.6")
    assert entries(page) == before + 3
    page.go_back()
    shown(page, eps="1.15", lam="0.6")
    page.go_back()
    shown(page, eps="1.15")
    page.go_back()
    shown(page)
    page.go_forward()
    shown(page, eps="1.15")
    press(page, "eps", 1)  # after Back or Forward a move is a step of its own
    shown(page, eps="1.2")
    page.go_back()
    shown(page, eps="1.15")


def test_another_page_is_one_step_back(visit):
    page = visit(f"{QUICK}&eps=1.05")
    settle(page)
    before = entries(page)
    waiting.go_to(page, "Frontiers")
    page.wait_for_url(re.compile(r"/frontiers\?.*eps=1\.05.*promise="))
    waiting.settle(page)
    assert entries(page) == before + 1
    page.go_back()
    page.wait_for_url(lambda url: "frontiers" not in url)
    shown(page, eps="1.05")


def test_what_is_picked_is_a_step_each_time(visit):
    page = visit(f"{QUICK}&data=german_credit&s=credit&x=purpose")
    settle(page)
    before = entries(page)
    for bits in ("bits", "nats"):
        page.get_by_role("radio", name=bits).first.click()
        page.wait_for_url(re.compile("unit=bits" if bits == "bits" else "^(?!.*unit=)"))
        settle(page)
    assert entries(page) == before + 2


def test_a_columns_slider_is_one_step_back_and_another_columns_another(visit):
    page = visit(link(COLUMNS))
    settle_columns(page, 3)
    before = entries(page)
    for place, eps in ((0, "1.05"), (0, "1.1"), (1, "1.05")):
        press(page, f"col{place}_eps_nats", 1)
        page.wait_for_function(
            "([place, eps]) => new URLSearchParams(new URLSearchParams(location.search)"
            ".getAll('col')[place]).get('eps') === eps",
            arg=[place, eps],
        )
        settle_columns(page, 3)
    assert entries(page) == before + 2
    page.go_back()
    page.wait_for_function("!location.search.includes('eps%3D1.05')")
    settle_columns(page, 3)
    assert [eps_of(page, place) for place in range(3)] == [1.1, 1.0, 1.0]
    page.go_back()
    page.wait_for_function("!location.search.includes('eps%3D1.1')")
    settle_columns(page, 3)
    assert [eps_of(page, place) for place in range(3)] == [1.0, 1.0, 1.0]
