"""What `make test` asks of a real Chromium: pages open and draw, follow a slider, and come back."""

import re

import pytest

from tests.browser import waiting
from tests.browser.test_compare_live import QUICK as COLUMNS
from tests.browser.test_compare_live import eps, heads, link, press
from tests.browser.test_explore_live import figure, saved

pytestmark = pytest.mark.smoke

QUICK = "mech=subset_merging"

DRAWN = {
    "explore": "frontier",
    "lift": "loglift",
    "mechanisms": "kernel",
    "robust": "robust_levels",
    "confusability": "merges",
    "papers": "papers_panel_0",
    "learn": "learn_lift",
    "data": "joint",
}
"""A chart of each page that shows some at once."""


@pytest.fixture
def patience():
    """Milliseconds that a wait may take here: a case has 60 s."""
    return 45_000


def drawn(page, key):
    """Wait for a chart."""
    page.locator(f".st-key-{key} .lsc-plot[data-drawn]").first.wait_for(state="attached")


@pytest.mark.parametrize("path", DRAWN)
def test_a_page_opens_and_draws(visit, path):
    page = visit(f"{'' if path == 'explore' else path}?{QUICK}")
    drawn(page, DRAWN[path])
    assert page.get_by_role("heading", level=1).first.inner_text()
    assert page.locator(".stException").count() == 0


@pytest.mark.parametrize(
    ("path", "heading"),
    [("frontiers", "Many questions at once"), ("release", "Release the records")],
)
def test_a_page_opens(visit, path, heading):
    page = visit(f"{path}?{QUICK}")
    page.get_by_role("heading", name=heading).wait_for()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    assert page.locator(".stException").count() == 0


def test_a_slider_moves_figures_chart_and_address(visit):
    page = visit(f"?{QUICK}")
    drawn(page, "frontier")
    before = figure(page, "NMI")
    press(page, "eps", 2, "ArrowLeft")
    page.wait_for_url(re.compile(r"eps=0\.9(&|$)"))
    page.locator(".st-key-frontier .lsc-ring[data-now^='0.9 ']").wait_for(state="attached")
    page.wait_for_function(
        """old => [...document.querySelectorAll("[data-testid=stMetric]")]
          .filter(metric => metric.innerText.includes("NMI"))
          .every(metric => !metric.innerText.includes(old))""",
        arg=before,
    )


def test_back_and_a_reload_keep_the_question(visit):
    page = visit(f"?{QUICK}&eps=0.5")
    drawn(page, "frontier")
    kept = figure(page, "NMI")
    waiting.go_to(page, "Lift")
    drawn(page, "loglift")
    page.go_back()
    drawn(page, "frontier")
    page.reload()
    drawn(page, "frontier")
    page.get_by_text(kept, exact=True).first.wait_for()
    assert page.locator(".st-key-eps input[type='range']").input_value() == "0.5"


def test_an_upload_is_asked_about(visit):
    page = visit("data")
    page.locator(".st-key-own summary").click()
    page.locator(".st-key-own_file input[type='file']").set_input_files(
        {
            "name": "people.csv",
            "mimeType": "text/csv",
            "buffer": b"sex,job\n" + b"f,a\nm,b\nf,b\nm,a\nf,a\n" * 8,
        }
    )
    page.wait_for_url(re.compile("upload"))
    drawn(page, "joint")
    page.get_by_text("people.csv").first.wait_for()


def test_columns_of_compare_move_by_themselves(visit):
    page = visit(link(COLUMNS))
    assert heads(page, 3) == list(COLUMNS.names)
    drawn(page, "column_frontier")
    press(page, "col1_eps_nats", 1)
    page.wait_for_url(re.compile(r"eps%3D1\.05"))
    assert [eps(page, place) for place in range(3)] == [1.0, 1.05, 1.0]


def test_a_report_is_saved_whole(visit, tmp_path):
    page = visit(f"?{QUICK}")
    drawn(page, "frontier")
    kept = figure(page, "NMI")
    target = tmp_path / "report.html"
    saved(page, page.locator(".st-key-explore_report button").first).save_as(target)
    report = page.context.new_page()
    report.goto(target.as_uri())
    report.locator(".chart .main-svg").first.wait_for(state="attached")
    assert kept in report.inner_text("main")
    report.close()
