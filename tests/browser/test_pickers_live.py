"""The pickers in a real Chromium: by keyboard, on a narrow screen, and what a choice changes."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import waiting

QUICK = "?mech=subset_merging&notion=lip"


def opener(page, name):
    """Return the button of a picker: Streamlit makes one for wide screens and one for phones."""
    return page.locator(f".st-key-{name}_menu button").filter(visible=True)


def menu(page, name):
    """Open a picker's menu by keyboard."""
    button = opener(page, name)
    button.wait_for()
    waiting.settle(page)
    button.focus()
    page.keyboard.press("Enter")
    page.get_by_role("radiogroup").first.wait_for()


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_a_promise_is_chosen_by_keyboard_alone(visit, width, height):
    page = visit(QUICK, width=width, height=height)
    if width < 700:
        waiting.settle(page)  # while the page starts, the sidebar may be folded anew
        page.locator("[data-testid=stExpandSidebarButton]").click()
    menu(page, "notion")
    chosen = page.get_by_role("radio", name="LIP", exact=True)
    expect(chosen).to_be_checked()
    waiting.settle(page)  # the menu is moved to its place when it is open
    box = page.locator("[data-testid=stPopoverBody]").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(chosen).to_be_focused()
    page.keyboard.press("ArrowDown")
    assert "notion=lip" in page.url  # an arrow moves and chooses nothing
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"^(?!.*notion=)"))  # ALIP, the default, is not in the link
    page.locator("[data-testid=stPopoverBody]").wait_for(state="detached")
    expect(opener(page, "notion")).to_contain_text("ALIP")
    expect(opener(page, "notion")).to_be_focused()


def test_escape_leads_back_to_the_button_and_changes_nothing(visit):
    page = visit(QUICK)
    menu(page, "notion")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Escape")
    page.locator("[data-testid=stPopoverBody]").wait_for(state="detached")
    expect(opener(page, "notion")).to_be_focused()
    assert "notion=lip" in page.url


def test_a_word_leaves_the_promises_that_have_it_and_enter_takes_the_only_one(visit):
    page = visit(QUICK)
    menu(page, "notion")
    page.keyboard.type("maximal leakage")  # at once: the options may come after it
    left = page.locator("[data-testid=stPopoverBody] input[type=radio]").filter(visible=True)
    page.wait_for_function(
        """() => [...document.querySelectorAll("[data-testid=stPopoverBody] label")]
          .filter(one => one.querySelector("[type=radio]") && one.getClientRects().length)
          .length < 5"""
    )
    page.get_by_role("searchbox").fill("no such promise")
    expect(
        page.get_by_role("status").filter(has_text="No option matches these words")
    ).to_be_visible()
    page.locator("[data-testid=stPopoverBody] input[type=radio]").first.wait_for(state="attached")
    expect(left).to_have_count(0)


def test_the_first_letters_of_a_promise_find_it(visit):
    page = visit(QUICK)
    menu(page, "notion")
    page.get_by_role("radio", name="LIP", exact=True).wait_for()
    page.get_by_role("searchbox").fill("pml")
    expect(page.get_by_role("radio", name="LIP", exact=True)).to_be_hidden()
    expect(page.get_by_text("Pointwise maximal leakage", exact=True)).to_be_visible()


def test_options_that_come_after_a_word_are_looked_through_too(visit):
    page = visit(QUICK)
    menu(page, "notion")
    page.get_by_role("radio", name="LIP", exact=True).wait_for()
    page.get_by_role("searchbox").fill("no such promise")
    options = page.locator("[data-testid=stPopoverBody] input[type=radio]")
    left = options.filter(visible=True)
    expect(left).to_have_count(0)
    before = options.count()
    page.locator("[data-testid=stPopoverBody] [data-testid=stElementContainer]").filter(
        has=page.locator("input[type=radio]")
    ).first.evaluate(
        """group => {
          const late = group.cloneNode(true);
          for (const part of [late, ...late.querySelectorAll("*")]) part.style.display = "";
          group.after(late);
        }"""
    )
    assert options.count() > before
    expect(left).to_have_count(0)


def test_what_does_not_apply_comes_last_with_its_reason(visit):
    page = visit(QUICK)
    menu(page, "mech")
    groups = page.locator("[data-testid=stPopoverBody] [role=radiogroup]")
    expect(groups.last).to_contain_text("Not under LIP: it works only under RLDP.")
    for group in groups.all()[:-1]:
        assert "Not under LIP" not in group.inner_text()


def test_a_mechanism_that_does_not_work_says_so_in_the_menu(visit):
    page = visit(QUICK)
    menu(page, "mech")
    page.get_by_text("Not under LIP: it works only under RLDP.").first.wait_for()
    chosen = page.get_by_role("radio", name="Subset merging", exact=True)
    expect(chosen).to_be_checked()
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(chosen).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"mech=watchdog_uniform"))


def test_a_decimal_comma_is_a_point_in_a_budget(visit):
    page = visit("lift?data=heart_hungarian&s=sex&x=cp&notion=lip&mech=watchdog")
    waiting.settle(page)
    field = page.get_by_label("nats", exact=True).first
    field.click()
    page.keyboard.press("Control+A")
    page.keyboard.type("0,7")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("eps=0.7"))
    assert field.input_value() == "0.7"


def test_a_promise_of_another_family_stays_when_a_budget_is_typed(visit):
    page = visit("?data=heart_hungarian&s=sex&x=cp&mech=watchdog")
    menu(page, "notion")
    chosen = page.get_by_role("radio", name="Pointwise maximal leakage", exact=True)
    chosen.locator("xpath=ancestor::label").click()
    page.wait_for_url(re.compile("notion=pml"))
    page.locator("[data-testid=stPopoverBody]").wait_for(state="detached")
    waiting.settle(page)
    page.get_by_label("nats", exact=True).first.click()
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("eps=3"))
    waiting.settle(page)
    assert "notion=pml" in page.url
    expect(opener(page, "notion")).to_contain_text("Pointwise maximal leakage")


def test_letters_in_a_budget_are_refused_with_what_it_takes(visit):
    page = visit("lift?data=heart_hungarian&s=sex&x=cp&notion=lip&mech=watchdog")
    waiting.settle(page)
    field = page.get_by_label("nats", exact=True).first
    field.click()
    page.keyboard.type("inf")
    text = field.evaluate("field => field.validationMessage")
    assert text == "Type a number from 0 to 50."
    assert field.input_value() == "1"
    page.keyboard.press("Control+A")
    page.keyboard.type("2e-1")
    assert field.evaluate("field => field.validationMessage") == ""
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("eps=0.2"))


@pytest.mark.parametrize("dark", [False, True])
def test_options_that_scroll_are_hidden_by_the_field_that_looks_for_them(visit, dark):
    page = visit(QUICK, width=1280, height=720, dark=dark)
    menu(page, "notion")
    colours = page.evaluate(
        """
        () => [".lsc-look", "[data-testid=stPopoverBody]"].map(
          one => getComputedStyle(document.querySelector(one)).backgroundColor)
        """
    )
    assert colours[0] == colours[1]
    assert colours[0] != "rgba(0, 0, 0, 0)"
