"""Wait until a page of charts is whole and at rest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from pages.ui.frame.site import BAR, PAGES

PATIENCE = 120_000
"""Milliseconds after which a wait is given up."""

REST = 60
"""Frames without a change after which a page is at rest.

Counted in frames, not seconds: on a busy machine a browser may draw nothing for a while.
"""

_AT_REST = """
([keys, busy, gone, rest, look]) => {
  const serials = keys.map(key => {
    const plots = document.querySelectorAll(`.st-key-${key} .lsc-plot`);
    if (plots.length !== 1 || !plots[0]._fullLayout) return undefined;
    const { requested, drawn } = plots[0].dataset;
    return requested === drawn ? drawn : undefined;
  });
  const app = document.querySelector("[data-testid=stApp]");
  const running = app?.dataset.testScriptState !== "notRunning";
  const working = gone.some(key => document.querySelector(`.st-key-${key}`));
  // Streamlit fetches what draws a table when the first one is shown
  const tables = [...document.querySelectorAll("[data-testid=stDataFrame]")]
    .every(one => !one.checkVisibility() || one.querySelector(".dvn-scroller"));
  const styled = document.querySelector(".stEvent style") !== null;
  const drawn = serials.join();
  const whole = styled && tables && serials.every(Boolean);
  if (!whole || running || working || window.lastDrawn !== drawn) {
    window.lastDrawn = drawn;
    window.framesAtRest = 0;
    return false;
  }
  window.framesAtRest += 1;
  if (window.framesAtRest <= rest) return false;
  // a browser lays the whole page out to tell its text: not in each frame
  const said = busy.length ? document.body.innerText : "";
  if (busy.some(words => said.includes(words))) {
    window.framesAtRest = 0;
    return false;
  }
  return look ? eval(look)() : true;
}
"""


def settle(
    page: Page,
    keys: Sequence[str] = (),
    *,
    busy: Sequence[str] = (),
    gone: Sequence[str] = (),
    rest: int = REST,
    look: str = "",
) -> Any:
    """Wait until each chart stands there once, drawn, and none has changed for a while.

    Without its style sheet, which a script of Streamlit's own adds that a browser may get last, a
    page is not at rest either, nor with a table that is not drawn. Streamlit may for a moment show
    an element twice, the old one and the new: a locator that insists on one fails then, which is no
    fault of the page.

    Parameters
    ----------
    page : Page
        The page.
    keys : sequence of str
        Of the charts.
    busy : sequence of str
        What the page says while it is still at work.
    gone : sequence of str
        Keys of what it shows while it is.
    rest : int
        Frames without a change, and without a run of the page's script.
    look : str
        A function of JavaScript that is called in the moment in which the page is at rest.

    Returns
    -------
    object
        What `look` returned.
    """
    page.evaluate("window.lastDrawn = null")
    result = page.wait_for_function(_AT_REST, arg=[list(keys), list(busy), list(gone), rest, look])
    return result.json_value()


def go_to(page: Page, title: str) -> None:
    """Open another page by the bar, or by its menu where it stands there."""
    bar = [name for _, name, _ in PAGES[:BAR]]
    if title in bar:
        page.get_by_role("link", name=title, exact=True).first.click()
    else:
        more(page).click()
        page.get_by_test_id("stTopNavDropdownLink").filter(has_text=title).click()


def more(page: Page) -> Locator:
    """Return the bar's menu, and not one that says how many more, by which the bar is measured."""
    return page.get_by_test_id("stTopNavSection").filter(has_text=re.compile("^More$"))


def click(page: Page, key: str, at: tuple[float, float]) -> None:
    """Click at a point of a chart, as soon as the chart has noticed the mouse there."""
    page.mouse.move(at[0] - 3, at[1])
    page.mouse.move(*at)
    page.locator(f".st-key-{key} .hoverlayer .hovertext").first.wait_for(state="attached")
    page.mouse.click(*at)


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until what has the focus is within an element."""
    page.locator(selector).first.wait_for()
    page.evaluate("document.activeElement.blur()")
    for _ in range(400):
        page.keyboard.press("Tab")
        if page.evaluate("one => Boolean(document.activeElement.closest(one))", selector):
            return
    pytest.fail(f"Tab never comes to {selector}.")


def choose(
    page: Page, field: Locator, name: str, *, exact: bool = False, typed: bool = False
) -> None:
    """Choose an option of a picker, given the field that it is typed into.

    The list closes while the page scrolls: so the field is scrolled to first, and an arrow key
    opens a list that has closed; in an open one it does no harm. A long list draws only the
    options near those in sight, and draws them anew while it is scrolled: a click on one further
    down may meet another one, so its name is typed, which leaves few.
    """
    field.scroll_into_view_if_needed()
    settle(page)
    if typed:
        field.fill(name)
    else:
        field.click()
        field.press("ArrowDown")
    page.get_by_role("option", name=name, exact=exact).click()
