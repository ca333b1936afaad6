"""Compare in a real Chromium: its first change leaves every element of the columns in place."""

import re

import pytest

from tests.browser.test_compare_live import eps, press, settle

WATCH = """() => {
  window.slider = document.querySelector(".st-key-col1_eps_nats input[type='range']");
  window.mostHeads = 0;
  const count = () => {
    const heads = document.querySelectorAll(".lsc-head b").length;
    window.mostHeads = Math.max(window.mostHeads, heads);
  };
  new MutationObserver(count).observe(document.body, { childList: true, subtree: true });
}"""


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1280, 720)])
def test_the_first_change_of_a_column_leaves_the_slider_where_it_is(visit, width, height):
    page = visit("compare?data=random%3Auniform%3A2x2%3A0&s=&x=", width=width, height=height)
    settle(page, 3)
    main = page.get_by_test_id("stMain")
    main.evaluate("one => { one.scrollTop = 300; }")
    press(page, "col1_eps_nats", 0)
    before = page.locator(".st-key-col1_eps_nats").bounding_box()
    page.evaluate(WATCH)
    page.keyboard.press("ArrowRight")
    page.locator(".st-key-reading").wait_for(state="detached")  # it stood above the columns
    page.wait_for_url(re.compile(r"eps%3D1\.05"))
    settle(page, 3)
    assert page.evaluate("window.slider.isConnected")  # the same element, not one in its place
    assert page.evaluate("document.activeElement === window.slider")
    assert page.evaluate("window.mostHeads") == 3  # at no time were the columns there twice
    after = page.locator(".st-key-col1_eps_nats").bounding_box()
    assert after["y"] == pytest.approx(before["y"], abs=1)


def test_presses_while_the_first_one_pins_the_columns_are_all_taken(visit):
    page = visit("compare?data=random%3Auniform%3A2x2%3A0&s=&x=")
    settle(page, 3)
    press(page, "col1_eps_nats", 1)
    page.locator(".st-key-reading").wait_for(state="detached")  # in the run that pins them
    press(page, "col1_eps_nats", 2)
    press(page, "col1_lam", 2, "ArrowLeft")
    page.wait_for_url(lambda url: "eps%3D1.15" in url and "lam%3D0.4" in url)
    settle(page, 3)
    assert eps(page, 1) == 1.15
    assert page.locator(".st-key-col1_lam input[type='range']").input_value() == "0.4"
    assert "(0.46, 0.69)-ALIP" in page.locator(".st-key-column_figures_1").inner_text()


PLACE = """() => {
  const slider = document.querySelector(".st-key-col1_eps_nats input[type='range']");
  const [all, row] = [".st-key-column_sliders_1", ".st-key-row_col1_eps"]
    .map(one => slider.closest(one));
  return [...all.children].findIndex(one => one.contains(row));
}"""


def test_a_run_of_the_columns_alone_leaves_the_sliders_in_their_place(visit):
    """Else the next run of the page draws others there, and the browser may show it half-way."""
    page = visit("compare?data=random%3Auniform%3A2x2%3A0&s=&x=")
    settle(page, 3)
    press(page, "col1_eps_nats", 1)
    page.wait_for_url(re.compile(r"eps%3D1\.05"))
    settle(page, 3)  # the whole page ran: its columns were pinned
    before = page.evaluate(PLACE)
    press(page, "col1_eps_nats", 1)
    page.wait_for_url(re.compile(r"eps%3D1\.1(%|&|$)"))
    settle(page, 3)
    assert page.evaluate(PLACE) == before
