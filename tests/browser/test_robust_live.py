"""The Robust page in a real Chromium: long work runs, can be cancelled, and its charts come."""

import re

import pytest

from tests.browser import waiting


def test_designs_follow_a_slider_and_a_study_can_be_cancelled_and_finished(visit):
    page = visit("?mech=subset_merging&x=race&n=300")
    page.locator(".st-key-frontier .lsc-plot[data-drawn]").wait_for(state="attached")
    waiting.go_to(page, "Robust")
    page.wait_for_url(re.compile(r"robust.*x=race.*n=300"))
    chart = page.locator(".st-key-robust_levels .lsc-plot")
    chart.and_(page.locator("[data-drawn]")).wait_for(state="attached")
    assert "Non-robust optimum" in page.locator(".st-key-card_robust_levels").inner_text()
    slider = page.locator(".st-key-eps input[type='range']")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile(r"robust.*eps=0\.95(&|$)"))
    page.get_by_text("stale: for ε = 1").wait_for(state="detached")
    page.locator(".st-key-betas_start button").click()
    page.locator(".st-key-betas_cancel button").click()
    page.locator(".st-key-betas_cancel").wait_for(state="detached")
    assert page.locator(".st-key-betas_start button").is_enabled()
    page.locator(".st-key-draws_start button").click()
    boxes = page.locator(".st-key-robust_boxes .lsc-plot[data-drawn]")
    boxes.wait_for(state="attached")
    assert "Draws that exceed the budget" in page.locator(".st-key-card_robust_boxes").inner_text()


CARDS = ("intervals", "robust_levels", "robust_matrix_0", "robust_matrix_1")


def settle(page):
    """Wait until all charts are drawn, each once, no work is under way and nothing moves."""
    waiting.settle(page, CARDS, gone=["designs_cancel"], rest=2 * waiting.REST)


@pytest.mark.parametrize(
    ("slider", "key", "link", "shown"),
    [
        ("eps", "ArrowLeft", r"eps=0\.8(&|$)", "0.8"),
        ("beta", "ArrowLeft", r"beta=0\.046(&|$)", "0.046"),
        ("records", "ArrowRight", r"n=30000(&|$)", "30,000"),  # by 1,000, 3,000 and 10,000
    ],
)
def test_four_quick_presses_all_count(visit, slider, key, link, shown):
    page = visit("robust?x=race&n=300")
    settle(page)
    page.evaluate("document.querySelectorAll('.lsc-plot').forEach(e => { e.mark = 1; })")
    page.locator(f".st-key-{slider} input[type='range']").focus()
    for _ in range(4):
        page.keyboard.press(key)
    page.wait_for_url(re.compile(link))
    settle(page)
    assert re.search(link, page.url)
    assert shown in page.locator(f".st-key-{slider}").inner_text().replace("0.80", "0.8")
    anew = page.evaluate(
        """[...document.querySelectorAll(".lsc-plot")].filter(e => e.mark !== 1).map(
             e => e.closest("[class*='st-key-']").className)"""
    )
    assert not anew, f"charts were built anew instead of being drawn into: {anew}"
