"""From the release of a slider to the updated page: Explore and Compare beside a trivial app.

Run with `python -m benchmarks.interface` (about two minutes, in a headless Chromium). All pages are
open at the same time and take turns, and ratios are medians over the turns, so that what else the
machine does slows all of them. A page is updated when its main part has changed for the last time;
of Explore it is also told when its figures, and what is in sight of it, have.
On Compare the slider of one of three columns moves: LIP, ALIP and LDP on Adult. Pinning is measured
from the release of the button on Explore until the page says that the question is pinned. Opening
is measured from a click on the page's name until it is at rest: Explore and Compare, one from the
other, each time with the same questions.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.chromium import find
from tests.browser.served import ARGUMENTS, served

TRIVIAL = """\
import streamlit as st

value = st.slider("v", 0.0, 8.0, 1.0, 0.05, key="eps")
st.write(f"The value is {value}")
for chart in range(int(st.query_params.get("charts", 0))):
    bars = [{"type": "bar", "y": [value, chart, 1]}]
    st.plotly_chart({"data": bars, "layout": {"height": 250}}, key=str(chart))
"""
"""With `?charts=6` it has charts of three bars as well, as Streamlit itself draws them."""

WATCH = """() => {
  const main = document.querySelector('[data-testid="stMain"]');
  const watch = (window.watch = { released: null, last: null, changed: new Map() });
  new MutationObserver((records) => {
    if (watch.released === null) return;
    watch.last = performance.now();
    for (const { target } of records) watch.changed.set(target, watch.last);
  }).observe(main, { subtree: true, childList: true, characterData: true, attributes: true });
  document.addEventListener("pointerup", () => {
    watch.released = performance.now(); watch.last = null; watch.changed = new Map();
  }, true);
}"""

QUIET = "() => window.watch.last !== null && performance.now() - window.watch.last > 500"

FIGURES = """() => {
  const { changed, released } = window.watch;
  const isFigure = ([one]) => one.parentElement?.closest("[data-testid=stMetric]");
  return Math.max(...[...changed].filter(isFigure).map(([, at]) => at)) - released;
}"""
"""Milliseconds until the figures above the charts have changed for the last time."""

IN_SIGHT = """() => {
  const { changed, released } = window.watch;
  const seen = [...changed].filter(([one]) => {
    const { top, bottom } = (one.getBoundingClientRect ? one : one.parentElement ?? document.body)
      .getBoundingClientRect();
    return one.isConnected && bottom > 0 && top < window.innerHeight;
  });
  return Math.max(...seen.map(([, at]) => at)) - released;
}"""
"""The same of all that is in the window."""

COMPARE = "compare?col=notion%3Dlip&col=notion%3Dalip&col=notion%3Dldp"
"""Three columns; the slider of the second is moved."""

PIN_WATCH = """() => {
  const pin = (window.pin = { released: null, told: null });
  const told = () => document.querySelectorAll('[data-testid="stToast"]').length;
  let before = 0;
  new MutationObserver(() => {
    if (pin.released !== null && pin.told === null && told() > before) pin.told = performance.now();
  }).observe(document.body, { subtree: true, childList: true });
  document.addEventListener("pointerup", () => {
    before = told(); pin.released = performance.now(); pin.told = null;
  }, true);
}"""


def pinned(page: Page) -> float:
    """Pin the question on screen; return the milliseconds until the page says so."""
    page.evaluate(PIN_WATCH)
    page.locator(".st-key-pin button").first.click()
    page.wait_for_function("() => window.pin.told !== null", timeout=30_000)
    taken = float(page.evaluate("window.pin.told - window.pin.released"))
    page.wait_for_function(
        "() => !document.querySelector('[data-testid=\"stToast\"]')", timeout=30_000
    )
    return taken


NAMES = (
    "trivial one-slider app",
    "Explore",
    "Compare, one column of three",
    "trivial app with one chart",
    "trivial app with six charts",
    "Explore, its figures",
    "Explore, what is in sight",
    "Explore, a question is pinned",
    "Explore is opened",
    "Compare is opened, three columns",
)

PLAIN, EXPLORE, SIX, FIGURED, SEEN, PINNED = 0, 1, 4, 5, 6, 7
"""The places of some of them."""

PINS = 6
"""Questions that are pinned, and times that each page is opened."""

DRAWN = "() => document.querySelector('[data-drawn]')"

IDLE = "() => !document.querySelector('[data-testid=\"stProgress\"]')"


def open_page(page: Page, address: str, ready: str) -> None:
    """Open an app, wait until it is whole, and start to watch it."""
    page.goto(address)
    page.wait_for_selector(ready, timeout=60_000)
    page.wait_for_timeout(3_000)
    page.evaluate(WATCH)


def release(page: Page, place: float, key: str = "eps") -> float:
    """Drag a slider to a place in [0, 1]; return the milliseconds to the updated page."""
    box = page.locator(f".st-key-{key} [role='group']").bounding_box()
    thumb = page.locator(
        f".st-key-{key} [data-testid='stSliderThumbValue'] >> xpath=.."
    ).bounding_box()
    if box is None or thumb is None:
        raise RuntimeError("The slider of ε is not on the page.")
    height = thumb["y"] + thumb["height"] / 2
    page.mouse.move(thumb["x"] + thumb["width"] / 2, height)
    page.mouse.down()
    page.mouse.move(box["x"] + place * box["width"], height, steps=4)
    page.wait_for_timeout(50)
    page.mouse.up()
    page.wait_for_function(QUIET, timeout=30_000)
    return float(page.evaluate("window.watch.last - window.watch.released"))


def opened(page: Page, name: str) -> float:
    """Open another page by its name; return the milliseconds until it is at rest."""
    page.evaluate(
        """() => {
          window.watch.released = null;
          document.addEventListener("click", () => {
            window.watch.released = performance.now();
            window.watch.last = null;
          }, { capture: true, once: true });
        }"""
    )
    page.get_by_role("link", name=name, exact=True).first.click()
    page.wait_for_function(QUIET, timeout=60_000)
    page.wait_for_function(DRAWN, timeout=60_000)
    page.wait_for_function(QUIET, timeout=60_000)
    return float(page.evaluate("window.watch.last - window.watch.released"))


def measure(releases: int) -> list[list[float]]:
    """Return the milliseconds of each of `NAMES`; pages that take turns have as many, in turn."""
    browser_path = find()
    if browser_path is None:
        raise RuntimeError("No Chromium or Chrome was found: install one to run this benchmark.")
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "trivial.py"
        script.write_text(TRIVIAL, encoding="utf-8")
        with served(script) as trivial, served() as explore, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=browser_path, headless=True, args=list(ARGUMENTS)
            )
            pages = []
            for address, ready, key in (
                (trivial, ".st-key-eps", "eps"),
                (explore, "[data-drawn]", "eps"),
                (f"{explore}/{COMPARE}", "[data-drawn]", "col1_eps_nats"),
                (f"{trivial}/?charts=1", ".js-plotly-plot", "eps"),
                (f"{trivial}/?charts=6", ".js-plotly-plot", "eps"),
            ):
                page = browser.new_page(viewport={"width": 1440, "height": 900})
                open_page(page, address, ready)
                page.wait_for_function(IDLE, timeout=120_000)
                pages.append((page, key))
            times: list[list[float]] = [[] for _ in NAMES]
            for turn in range(releases + 2):  # the first two warm up
                place = 0.15 + 0.6 * ((turn * 7) % 11) / 10
                for app, (page, key) in enumerate(pages):
                    page.bring_to_front()
                    taken = release(page, place, key)
                    if turn >= 2:
                        times[app].append(taken)
                        if app == EXPLORE:
                            times[FIGURED].append(float(page.evaluate(FIGURES)))
                            times[SEEN].append(float(page.evaluate(IN_SIGHT)))
            explored = pages[1][0]
            explored.bring_to_front()
            for turn in range(PINS):
                release(explored, 0.05 + turn / (PINS + 1))
                times[PINNED].append(pinned(explored))
            compared = pages[2][0]
            compared.bring_to_front()
            for _ in range(PINS + 1):  # the first of each warms up
                for place, name in ((PINNED + 1, "Explore"), (PINNED + 2, "Compare")):
                    times[place].append(opened(compared, name))
            del times[PINNED + 1][0], times[PINNED + 2][0]
            browser.close()
    return times


def ratio(found: list[list[float]], one: int, other: int) -> float:
    """Return how many times as long one takes as another, by their places in `NAMES`.

    Where they took turns it is the median of each turn's ratio: what else the machine did during a
    turn slowed both. Else it is the ratio of medians.
    """
    if max(one, other) < PINNED:
        turns = zip(found[one], found[other], strict=True)
        return statistics.median(a / b for a, b in turns)
    return statistics.median(found[one]) / statistics.median(found[other])


def table(releases: int = 20) -> list[str]:
    """Return the results as the rows of a Markdown table."""
    found = measure(releases)
    return [
        "| from slider release to updated page | median | 90% within | to trivial | "
        "to trivial with six charts | to Explore |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        *(
            f"| {name} | {statistics.median(one):.0f} ms | "
            f"{statistics.quantiles(one, n=10)[-1]:.0f} ms | {ratio(found, place, PLAIN):.2f} | "
            f"{ratio(found, place, SIX):.2f} | {ratio(found, place, EXPLORE):.2f} |"
            for place, (name, one) in enumerate(zip(NAMES, found, strict=True))
        ),
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--releases", type=int, default=20, help="measured releases per page")
    print("\n".join(table(parser.parse_args().releases)))


if __name__ == "__main__":
    main()
