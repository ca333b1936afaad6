"""Wait until a page of charts is whole and at rest."""

from __future__ import annotations

from collections.abc import Sequence

from playwright.sync_api import Page

_AT_REST = """
([keys, busy, rest]) => {
  const serials = keys.map(key => {
    const plots = document.querySelectorAll(`.st-key-${key} .lsc-plot`);
    return plots.length === 1 && plots[0]._fullLayout ? plots[0].dataset.drawn : undefined;
  });
  const said = document.body.innerText;
  const drawn = serials.join();
  if (!serials.every(Boolean) || busy.some(words => said.includes(words))) {
    window.lastDrawn = null;
    return false;
  }
  if (window.lastDrawn !== drawn) {
    window.lastDrawn = drawn;
    window.quietSince = performance.now();
  }
  return performance.now() - window.quietSince > rest;
}
"""


def settle(page: Page, keys: Sequence[str], *, busy: Sequence[str] = (), rest: int = 1000) -> None:
    """Wait until each chart stands there once, drawn, and none has changed for a while.

    Streamlit may for a moment show an element twice, the old one and the new: a locator that
    insists on one fails then, which is no fault of the page.

    Parameters
    ----------
    page : Page
        The page.
    keys : sequence of str
        Of the charts.
    busy : sequence of str
        What the page says while it is still at work.
    rest : int
        Milliseconds without a change.
    """
    page.evaluate("window.lastDrawn = null")
    page.wait_for_function(_AT_REST, arg=[list(keys), list(busy), rest])
