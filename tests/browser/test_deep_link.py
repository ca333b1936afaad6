"""The first page that a fresh server is asked for may be any page."""

from pages.ui.frame.site import PAGES
from tests.browser.served import served
from tests.browser.waiting import PATIENCE


def test_the_first_deep_link_of_a_server_has_the_menu_and_keeps_its_question(browser):
    with served() as address:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(PATIENCE)
        page.goto(f"{address}/lift?eps=1.5")
        page.get_by_role("heading", name="Lift, symbol by symbol").wait_for()
        for _, title, _ in PAGES:
            page.get_by_role("link", name=title, exact=False).first.wait_for()
        assert page.locator("[data-testid='stSidebarNav']").count() == 0
        page.get_by_text("1.50", exact=True).first.wait_for()
        assert "eps=1.5" in page.url
        page.close()
