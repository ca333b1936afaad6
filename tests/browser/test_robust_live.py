"""The Robust page in a real Chromium: long work runs, can be cancelled, and its charts come."""

import re

import pytest

pytestmark = pytest.mark.browser


def test_designs_follow_a_slider_and_a_study_can_be_cancelled_and_finished(visit):
    page = visit("?mech=subset_merging&x=race&n=300")
    page.locator(".st-key-frontier .lsc-plot[data-drawn]").wait_for(state="attached")
    page.get_by_role("link", name="Robust").click()
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
    assert "Draws that break the promise" in page.locator(".st-key-card_robust_boxes").inner_text()
