"""Ways to a page: a deep link to a fresh server, and the menu with another click behind it."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from pages.ui.frame.site import BAR, PAGES
from tests.browser.served import served
from tests.browser.waiting import PATIENCE, more, settle


def test_the_first_deep_link_of_a_server_has_the_menu_and_keeps_its_question(browser):
    with served() as address:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(PATIENCE)
        page.goto(f"{address}/lift?eps=1.5")
        page.get_by_role("heading", name="Lift, symbol by symbol").wait_for()
        for _, title, _ in PAGES[:BAR]:
            page.get_by_role("link", name=title, exact=False).first.wait_for()
        more(page).click()
        for _, title, _ in PAGES[BAR:]:
            page.get_by_test_id("stTopNavDropdownLink").filter(has_text=title).wait_for()
        assert page.locator("[data-testid='stSidebarNav']").count() == 0
        page.get_by_text("1.50", exact=True).first.wait_for()
        assert "eps=1.5" in page.url
        page.close()


@pytest.mark.parametrize("pause", [0, 80])
def test_a_click_right_after_the_menus_costs_no_slider_its_value(visit, pause):
    page = visit("?mech=subset_merging&x=race&n=300")
    page.locator(".st-key-frontier .lsc-plot[data-drawn]").wait_for(state="attached")
    page.evaluate(
        """pause => {
          const release = e => (e.getAttribute("href") || "").endsWith("release");
          [...document.querySelectorAll("a")].find(release).click();
          setTimeout(() => document.querySelector(".st-key-pin button")?.click(), pause);
        }""",
        pause,
    )
    page.wait_for_url(re.compile(r"/release\?.*x=race.*n=300"))
    page.locator(".st-key-release_plan").wait_for()
    request = parse_qs(urlsplit(page.url).query)
    request.pop("col", None)  # pinned or not
    assert request == {"mech": ["subset_merging"], "x": ["race"], "n": ["300"]}
    assert "1.00" in page.locator(".st-key-eps").inner_text()


@pytest.mark.parametrize("pause", [0, 40, 200])
def test_two_clicks_on_the_menu_cost_no_slider_its_value(visit, pause):
    page = visit("?mech=subset_merging&x=race&n=300&eps=1.5")
    page.locator(".st-key-frontier .lsc-plot[data-drawn]").wait_for(state="attached")
    page.evaluate(
        """pause => {
          const release = [...document.querySelectorAll("a")]
            .find(e => (e.getAttribute("href") || "").endsWith("release"));
          release.click();
          setTimeout(() => release.click(), pause);
        }""",
        pause,
    )
    page.wait_for_url(re.compile(r"/release\?.*x=race.*n=300"))
    page.locator(".st-key-release_plan").wait_for()
    settle(page)
    request = parse_qs(urlsplit(page.url).query)
    assert request == {"mech": ["subset_merging"], "x": ["race"], "n": ["300"], "eps": ["1.5"]}
    assert "1.50" in page.locator(".st-key-eps").inner_text()
