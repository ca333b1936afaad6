"""Work under way in a real Chromium, shown by a page as small as can be."""

import pytest
from playwright.sync_api import expect

from tests.browser.served import served

PAGE = """
import streamlit as st
from streamlit.starlette import App

from core.jobs import Job
from pages.ui.serving import offers, programs
from pages.ui.work import progress


@st.cache_resource
def job():
    found = Job(600.0)
    found.start(lambda: None)
    return found


@st.fragment
def live(place, runs):
    runs.append(1)
    moved = st.slider("moved", 0, 9, key="moved")
    with place:
        st.write(f"moved to {moved}")
        if job().finished:
            st.write(f"over in run {len(runs)}")
        else:
            progress.follow(job(), "Working", limit=600.0, key="cancel")


@st.fragment
def other():
    if st.button("Work"):
        job().note((2, 4))
    if st.button("End"):
        job().succeed(None)


if __name__ == "__main__":
    live(st.container(), st.session_state.setdefault("runs", []))
    other()
else:
    app = App(__file__, routes=[programs.ROUTE, offers.ROUTE])
"""
"""As on Explore: a part, run again when a slider moves, writes to a place that the page made."""


@pytest.fixture
def page(browser, tmp_path):
    script = tmp_path / "page.py"
    script.write_text(PAGE)
    with served(script) as address:
        page = browser.new_page()
        page.goto(address)
        page.locator(".st-key-cancel_row .lsc-work").wait_for()
        yield page
        page.close()


def test_work_is_shown_once_however_often_a_slider_moves(page):
    for place in (1, 2, 3):
        page.locator(".st-key-moved input[type='range']").press("ArrowRight")
        expect(page.get_by_text(f"moved to {place}")).to_be_visible()
        page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
        assert page.locator(".st-key-cancel_row").count() == 1
        assert page.locator(".lsc-work").count() == 1


def test_work_is_followed_without_a_run_and_its_end_runs_the_part_that_shows_it(page):
    bar = page.get_by_role("progressbar")
    expect(page.locator(".lsc-work")).to_contain_text("Working: starting")
    page.get_by_role("button", name="Work").click()
    expect(bar).to_have_attribute("aria-valuenow", "50")
    expect(page.locator(".lsc-work")).to_contain_text("(2 of 4)")
    page.get_by_role("button", name="End").click()
    expect(page.get_by_text("over in run 2")).to_be_visible()
    expect(bar).to_have_count(0)
