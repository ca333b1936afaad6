"""The tour, the menu "Class" and the projector view for those who see them badly."""

import pytest

from tests.browser import waiting
from tests.browser.test_access_live import at_rest, grave


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_grave_in_the_tour(visit, dark):
    page = visit(width=1280, height=720, dark=dark)
    at_rest(page)
    page.locator(".st-key-tour_begin button:visible").click()
    page.locator(".lsc-tour:not([hidden])").wait_for()
    waiting.settle(page)
    assert grave(page) == []


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_grave_in_the_menu_and_the_projector_view(visit, dark):
    page = visit("?mech=watchdog", width=1280, height=720, dark=dark)
    at_rest(page)
    page.locator(".st-key-class_menu button:visible").first.click()
    page.locator("img.lsc-qr").first.wait_for()
    waiting.settle(page)
    assert grave(page) == []
    page.locator(".st-key-projector_open button:visible").first.click()
    page.locator(".lsc-frame[data-projected] svg.main-svg").first.wait_for()
    at_rest(page)
    assert grave(page) == []
    page.locator(".lsc-projector-link").click()
    page.locator(".lsc-projector-sheet svg").wait_for()
    assert grave(page) == []
