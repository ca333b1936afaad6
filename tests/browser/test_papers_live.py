"""The Papers page in Chromium: an experiment run live, the errata, and what the links open."""

import re
from urllib.parse import urljoin

import pytest
from playwright.sync_api import expect

from core.learning.lessons import Opens
from core.papers.catalogue import EXPERIMENTS, entry
from core.papers.worlds import SETTINGS, WORLDS
from pages.ui.papers import board
from tests.browser import waiting

PAPERS = tuple({item.paper: item.key for item in reversed(EXPERIMENTS)}.values())
"""The first experiment of each paper."""


@pytest.mark.parametrize("key", PAPERS)
def test_an_experiment_of_each_paper_is_shown_with_its_claim(visit, key):
    page = visit(f"papers?show={key}")
    page.get_by_role("heading", name=entry(key).title).wait_for()
    expect(page.get_by_text(entry(key).claim).first).to_be_visible()
    waiting.settle(page)


def test_an_experiment_is_run_here_and_its_figure_and_verdicts_are_drawn(visit):
    page = visit("papers?show=lift_1")
    page.get_by_role("button", name="Run a quick version").click()
    page.get_by_text("Run here with").wait_for()
    waiting.settle(page, ["papers_panel_0"])
    page.locator(".st-key-papers_verdicts").wait_for()
    expect(page.get_by_text("reproduced").first).to_be_visible()
    page.wait_for_url(re.compile(r"run=quick"))
    page.reload()
    page.get_by_text("Run here with").wait_for()
    page.get_by_role("button", name="Back to the full run").click()
    page.get_by_text("From the full run shipped with").wait_for()
    page.wait_for_url(lambda url: "run=" not in url)


FITS = """
key => {
  const box = document.querySelector(`.st-key-read_${key}`).getBoundingClientRect();
  const cells = [...document.querySelectorAll(`.st-key-read_${key} td`)];
  return cells.every(one => {
    const { left, right } = one.getBoundingClientRect();
    return left >= box.left - 1 && right <= box.right + 1 && one.scrollWidth <= one.clientWidth + 1;
  });
}
"""


@pytest.mark.parametrize(
    ("path", "key"), [("rldp_examples", "papers_claims"), ("errata", "papers_errata")]
)
def test_every_cell_of_a_table_of_claims_is_whole_on_screen(visit, path, key):
    page = visit(f"papers?show={path}", width=390, height=720)
    page.locator(f".st-key-read_{key} td").first.wait_for()
    for width in (390, 1280, 1440):
        page.set_viewport_size({"width": width, "height": 720})
        waiting.settle(page)
        assert page.evaluate(FITS, key)


def test_each_link_of_an_experiment_is_of_its_question_and_opens_it(visit, address):
    result = entry("lift_2").perform(quick=True)
    request = board.scenario(result)
    page = visit("papers?show=lift_2")
    page.get_by_role("button", name="Run a quick version").click()
    for way in ("explore", "frontiers", "compare"):
        title = f"Open {'one draw' if way == 'explore' else 'it'} in {way.capitalize()}"
        opener = page.get_by_role("link", name=title)
        opener.wait_for()
        link = Opens(request).link if way == "explore" else getattr(board, way)(request)
        assert opener.get_attribute("href") == link
    page.goto(urljoin(f"{address}/papers", link))
    page.locator("[data-testid=stMainBlockContainer] h1").first.wait_for()
    chosen = page.get_by_role("link", name="Compare", exact=False).first
    expect(chosen).to_have_attribute("aria-current", "page")
    waiting.settle(page, busy=("Improving",))
    assert "subset_merging" in page.url
    assert page.locator("[data-testid=stAlertContentError]").count() == 0
    assert page.locator("[data-testid=stAlertContentWarning]").count() == 0


@pytest.mark.parametrize("world", WORLDS[::3], ids=lambda item: item.key)
def test_a_world_is_drawn_moved_by_its_slider_and_names_its_question(visit, world):
    page = visit(f"papers?show=errata&world={world.key}", width=1280, height=720)
    page.get_by_role("heading", name=f"{world.kind}: {world.title}").wait_for()
    waiting.settle(page, [f"papers_{world.key}"])
    expect(page.locator(".st-key-papers_formulas .katex-mathml math")).to_have_count(2)
    key = world.settings[-1]
    slider = page.locator(f".st-key-papers_{key} input[type=range]")
    slider.focus()
    page.keyboard.press("Home")
    page.wait_for_url(re.compile(rf"(?=.*[?&]{key}=)"))
    setting = SETTINGS[key]
    values = {name: each.default for name, each in SETTINGS.items()}
    values[key] = (setting.choices or (setting.low,))[0]
    opener = page.get_by_role("link", name=re.compile("^Open it in "))
    expect(opener).to_have_attribute("href", world.opens(values).link)
    waiting.settle(page, [f"papers_{world.key}"])
    page.reload()
    page.get_by_role("heading", name=f"{world.kind}: {world.title}").wait_for()
    expect(opener).to_have_attribute("href", world.opens(values).link)


def test_the_worlds_of_the_errata_are_picked_and_gone_back_to(visit):
    page = visit("papers?show=errata")
    waiting.settle(page, ["papers_proposition"])
    expect(page.get_by_text("above the paper's bound of 0.119")).to_be_visible()
    slider = page.locator(".st-key-papers_secrets input[type=range]")
    slider.focus()
    page.keyboard.press("Home")
    page.wait_for_url(re.compile(r"secrets=2\b"))
    expect(page.get_by_text("not above the paper's bound of 0.475")).to_be_visible()
    page.get_by_text("[Funnel] Theorem 4", exact=True).first.click()
    page.wait_for_url(re.compile(r"world=theorem"))
    waiting.settle(page, ["papers_theorem"])
    reported = page.locator(".st-key-papers_told_b input[type=range]")
    reported.focus()
    page.keyboard.press("Home")
    page.wait_for_url(re.compile(r"told_b=0\.5"))
    expect(page.get_by_text("which holds here")).to_be_visible()
    page.get_by_text("[Lift] Proposition 1(2)", exact=True).first.click()
    waiting.settle(page, ["papers_proposition"])
    expect(page.get_by_text("not above the paper's bound of 0.475")).to_be_visible()


def test_the_link_of_a_paper_without_probabilities_opens_its_data_in_confusability(visit, address):
    page = visit("papers?show=nonstochastic_8")
    opener = page.get_by_role("link", name="Open it in Confusability")
    opener.wait_for()
    page.goto(urljoin(f"{address}/papers", opener.get_attribute("href")))
    page.locator("[data-testid=stMainBlockContainer] h1").first.wait_for()
    waiting.more(page).click()
    chosen = page.get_by_test_id("stTopNavDropdownLink").filter(has_text="Confusability")
    expect(chosen).to_have_attribute("aria-current", "page")
    page.keyboard.press("Escape")
    waiting.settle(page, busy=("Improving",))
    assert "data=heart_hungarian" in page.url
    assert page.locator("[data-testid=stAlertContentWarning]").count() == 0
