"""Compare in a real Chromium: what is pinned survives, sessions are apart, files move machines."""

import json
import re

import pytest

from core.data.spec import DataSpec
from core.scenario import Project, Scenario
from tests.browser import waiting
from tests.browser.test_explore_live import saved

SMALL = DataSpec("random:uniform:3x5:0", (), ())
QUICK = Project(
    tuple(Scenario(data=SMALL, notion=key) for key in ("lip", "alip", "ldp")),
    ("first", "second", "third"),
)
CSV = "sex,job\n" + "f,a\nm,b\nf,b\nm,a\nf,a\n" * 8


def link(project, page="compare"):
    from urllib.parse import urlencode

    return f"{page}?{urlencode(project.to_query(), doseq=True)}"


def heads(page, count):
    """Return the columns' names once there are so many."""
    page.wait_for_function("n => document.querySelectorAll('.lsc-head b').length === n", arg=count)
    return page.locator(".lsc-head b").all_inner_texts()


def kept(page):
    return page.locator(
        "[class*='st-key-column_figures_'] [data-testid=stMetricValue]"
    ).all_inner_texts()


def settle(page, columns):
    waiting.settle(
        page,
        (
            "column_frontier",
            "column_levels",
            *(f"{key}_{i}" for key in ("matrix", "lifts", "graph") for i in range(columns)),
        ),
        busy=["lines are ready", "Looking for better"],
    )


def press(page, key, times, arrow="ArrowRight"):
    slider = page.locator(f".st-key-{key} input[type='range']")
    slider.focus()
    for _ in range(times):
        page.keyboard.press(arrow)


def eps(page, place):
    slider = page.locator(f".st-key-col{place}_eps_nats input[type='range']")
    return float(slider.input_value())


def test_a_column_moves_by_itself_and_reload_back_and_forward_keep_it(visit):
    page = visit(link(QUICK))
    settle(page, 3)
    before = kept(page)
    press(page, "col1_eps_nats", 10)
    page.wait_for_url(re.compile(r"eps%3D1\.5"))
    settle(page, 3)
    after = kept(page)
    assert (after[0], after[2]) == (before[0], before[2])
    assert after[1] != before[1]
    page.reload()
    settle(page, 3)
    assert heads(page, 3) == list(QUICK.names)
    assert kept(page) == after
    page.go_back()
    page.wait_for_function("() => !location.search.includes('eps%3D1.5')", timeout=waiting.PATIENCE)
    settle(page, 3)
    page.go_forward()
    page.wait_for_url(re.compile(r"eps%3D1\.5"))
    settle(page, 3)
    assert kept(page) == after


def test_a_columns_promise_and_mechanism_are_chosen_from_families(visit):
    page = visit(link(QUICK))
    settle(page, 3)
    page.locator(".st-key-col1_notion_menu button").first.click()
    menu = page.get_by_test_id("stPopoverBody")
    for family in ("Bounds on the lift", "On guesses of the secret"):
        menu.get_by_text(family, exact=True).wait_for()
    menu.get_by_text("Min-lift", exact=True).click()
    page.wait_for_url(re.compile("min_lift"))
    page.keyboard.press("Escape")
    page.locator(".st-key-col1_mech_menu button").first.click()
    menu.get_by_text("Merging by what occurs together", exact=True).wait_for()
    menu.get_by_text("Watchdog", exact=True).click()
    page.wait_for_url(re.compile("mech%3Dwatchdog"))
    page.keyboard.press("Escape")
    settle(page, 3)
    assert heads(page, 3) == list(QUICK.names)
    shown = [page.locator(f".st-key-col1_{kind}_menu button") for kind in ("notion", "mech")]
    assert [one.first.inner_text().split("\n")[0] for one in shown] == [
        "Promise: Min-lift",
        "Mechanism: Watchdog",
    ]


def test_the_divider_stands_above_the_sidebars_text(visit):
    page = visit(link(QUICK))
    heads(page, 3)
    text = page.get_by_text("The columns keep the data that they were pinned with.")
    line = page.locator("[data-testid=stSidebar] hr")
    text.wait_for()
    above, below = line.last.bounding_box(), text.bounding_box()
    assert above["y"] + above["height"] <= below["y"]


def test_what_is_pinned_on_explore_is_there_after_a_reload_and_on_compare(visit):
    page = visit("?data=random%3Auniform%3A3x5%3A0&mech=watchdog&notion=ldp")
    page.locator(".st-key-pin button").first.click()
    page.wait_for_url(re.compile("col="))
    page.reload()
    page.locator(".st-key-pin button").first.wait_for()
    page.get_by_role("link", name="Compare").first.click()
    assert heads(page, 1) == ["LDP, Watchdog"]
    assert "col=" in page.url


def test_two_sessions_have_columns_of_their_own(visit):
    one, other = visit(link(QUICK)), visit(link(QUICK))
    settle(one, 3)
    settle(other, 3)
    press(one, "col0_eps_nats", 4)
    one.wait_for_url(re.compile(r"eps%3D1\.2"))
    settle(one, 3)
    assert kept(other) != kept(one)
    assert "eps" not in other.url


def open_project(page, name, content):
    page.locator(".st-key-project button").first.click()
    page.locator(".st-key-project_file input[type='file']").set_input_files(
        {"name": name, "mimeType": "application/json", "buffer": content.encode()}
    )


def test_a_project_made_on_another_machine_is_opened_and_saved_again(visit):
    page = visit("compare?data=random%3Auniform%3A3x5%3A0&s=&x=")
    settle(page, 3)
    open_project(page, "p.json", QUICK.to_json())
    page.wait_for_url(re.compile("name%3Dfirst"))
    settle(page, 3)
    assert heads(page, 3) == list(QUICK.names)
    save = page.locator(".st-key-project_save button")
    if not save.is_visible():  # the menu may have been closed by what it did
        page.locator(".st-key-project button").first.click()
    found = saved(page, save)
    with open(found.path(), encoding="utf-8") as file:
        assert json.load(file) == json.loads(QUICK.to_json())


def test_an_upload_survives_a_reload_and_elsewhere_its_file_is_asked_for(visit):
    page = visit("data")
    page.locator(".st-key-own summary").click()
    page.locator(".st-key-own_file input[type='file']").set_input_files(
        {"name": "people.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    )
    page.wait_for_url(re.compile("upload"))
    page.locator(".st-key-pin button").first.click()
    page.wait_for_url(re.compile("col="))
    page.get_by_role("link", name="Compare").first.click()
    assert heads(page, 1) == ["ALIP"]
    page.locator("[class*='st-key-column_figures_'] [data-testid=stMetricValue]").first.wait_for()
    page.reload()
    page.locator("[class*='st-key-column_figures_'] [data-testid=stMetricValue]").first.wait_for()
    assert page.locator(".st-key-missing_files").count() == 0
    # another browser does not have it, though it knows the address
    other = visit(page.url.split("/", 3)[3])
    other.locator(".st-key-missing_files", has_text="people.csv is not in this session").wait_for()
    other.locator(".st-key-missing_file input[type='file']").set_input_files(
        {"name": "again.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    )
    other.locator("[class*='st-key-column_figures_'] [data-testid=stMetricValue]").first.wait_for()
    assert other.locator(".st-key-missing_files").count() == 0
    assert kept(other) == kept(page)


@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_wider_than_a_phone(visit, dark):
    page = visit(link(QUICK), width=390, height=844, dark=dark)
    settle(page, 3)
    wide = page.evaluate(
        """() => [document.documentElement, document.querySelector('[data-testid=stMain]')]
             .map(e => e.scrollWidth - e.clientWidth)"""
    )
    assert max(wide) <= 0


def test_the_link_is_copied(visit):
    page = visit(link(QUICK))
    heads(page, 3)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(".st-key-project button").first.click()
    page.locator(".lsc-copy").click()
    page.locator(".lsc-copy", has_text="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
