"""A server that dies under an open page: the page says so, and goes on with another one."""

import re

import pytest
from playwright.sync_api import expect

from core.errors import InvalidInputError
from pages.ui.serving import running
from pages.ui.serving.running import COOKIE
from tests.browser.waiting import PATIENCE, settle

try:
    running.nginx()
except InvalidInputError:
    MISSING = True
else:
    MISSING = False


@pytest.mark.skipif(MISSING, reason="nginx is not installed: .ci/nginx installs it")
def test_a_page_whose_server_dies_says_so_and_keeps_its_question_and_what_is_pinned(browser):
    (port,) = running.free_ports(1)
    with running.Replicas(2, port) as replicas, browser.new_context() as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        while not all(item.answers() for item in replicas.replicas):
            page.wait_for_timeout(200)
        page.goto(f"http://127.0.0.1:{port}/?mech=watchdog&eps=0.5&notion=lip")
        page.get_by_role("button", name="Pin to Compare").click()
        expect(page).to_have_url(re.compile("col="))
        settle(page)
        (held,) = [item["value"] for item in context.cookies() if item["name"] == COOKIE]
        lost = replicas.replicas[int(held.removeprefix("replica")) - 1].process
        lost.kill()
        lost.wait()
        expect(page.get_by_text("The connection to the server was lost")).to_be_visible()
        settle(page)
        assert re.search(r"eps=0\.5.*col=|col=.*eps=0\.5", page.url)
        slider = page.get_by_role("slider").first
        slider.focus()
        slider.press("ArrowRight")
        expect(page).to_have_url(re.compile(r"eps=0\.55"))
        page.reload()  # a new page: it has lost nothing
        settle(page)
        expect(page.get_by_text("The connection to the server was lost")).to_have_count(0)
        page.get_by_role("link", name="Compare", exact=True).first.click()
        expect(page).to_have_url(re.compile("compare"))
        settle(page)
        assert "col=" in page.url
