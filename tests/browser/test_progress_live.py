"""Work under way in a real Chromium, shown by a page as small as can be."""

from playwright.sync_api import expect

from tests.browser.served import served

PAGE = """
import streamlit as st

from core.jobs import Job
from pages.ui.work import progress

place = st.container()
job = Job(600.0)
job.start(lambda: None)


@st.fragment
def live():
    moved = st.slider("moved", 0, 9, key="moved")
    with place:
        st.write(f"moved to {moved}")
        progress.follow(job, "Working", limit=600.0, key="cancel")


live()
"""
"""As on Explore: a part, run again when a slider moves, writes to a place that the page made."""


def test_work_is_shown_once_however_often_a_slider_moves(browser, tmp_path):
    script = tmp_path / "page.py"
    script.write_text(PAGE)
    with served(script) as address:
        page = browser.new_page()
        page.goto(address)
        page.locator(".st-key-cancel_row").wait_for()
        for place in (1, 2, 3):
            page.locator(".st-key-moved input[type='range']").press("ArrowRight")
            expect(page.get_by_text(f"moved to {place}")).to_be_visible()
            page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
            assert page.locator(".st-key-cancel_row").count() == 1
        page.close()
