"""From the release of a slider to the updated page: Explore and Compare beside a trivial app.

Run with `python -m benchmarks.interface` (about two minutes, in a headless Chromium). All pages are
open at the same time and take turns, and ratios are medians over the turns, so that what else the
machine does slows all of them. A page is updated when its main part has changed for the last time;
of Explore it is also told when its figures, and what is in sight of it, have.
On Compare the slider of one of three columns moves: LIP, ALIP and LDP on Adult. Pinning is measured
from the release of the button on Explore until the page says that the question is pinned. Opening
is measured from a click on the page's name until it is at rest: Explore and Compare, one from the
other, each time with the same questions.

`--drag` measures Explore under the finger instead, at 15 symbols and at 42: from a move of the
pointer, its button down, until the sentence, figures, histogram and mechanism of the place under it
are painted, and until all charts are; how long the page's main thread worked for a move; and how
many places a second are drawn while the pointer moves without a stop.

`--frames` counts the bytes of all frames of the default question's slider of ε, as they are sent.

`--first` measures a newcomer's first page instead, over a line of 400 kB/s and 150 ms, nothing
cached: seconds until the sentence of the answer and the first chart are there, and what was sent.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from playwright.sync_api import CDPSession, Page, sync_playwright

from core.data import count
from core.scenario import Scenario, answer
from pages.ui.explore import frames as explore_frames
from pages.ui.frame import controls
from pages.ui.serving import offers
from pages.ui.work import ahead, answers, frames
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
    delay = float(page.evaluate("window.pin.told - window.pin.released"))
    page.wait_for_function(
        "() => !document.querySelector('[data-testid=\"stToast\"]')", timeout=30_000
    )
    return delay


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
                    delay = release(page, place, key)
                    if turn >= 2:
                        times[app].append(delay)
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


DRAGS = {
    "15 symbols": "?s=sex&x=occupation&mech=subset_merging",
    "42 symbols": "?s=sex&x=native-country&mech=subset_merging",
}
"""Questions whose slider is dragged."""

FOLLOW = """() => {
  const live = (window.live = { moved: null, answered: [], painted: [], places: 0 });
  const board = document.querySelector(".st-key-board_charts");
  const plots = (names) => [...board.querySelectorAll(names.map((one) => `${one} .lsc-plot`))];
  const whole = (names) => plots(names).every((one) => one.dataset.requested === one.dataset.drawn);
  const looked = (names, drawn) => {
    let last = null;
    return () => {
      const answer = document.querySelector("[data-lsc-live]");
      const place = answer?.dataset.place;
      if (!place || place === last || answer.hasAttribute("data-lsc-working")) return;
      if (!whole(names)) return;
      last = place;
      drawn();
    };
  };
  const since = () => live.moved === null ? [] : [performance.now() - live.moved];
  const looks = [
    looked([".st-key-lifts", ".st-key-mechanism"], () => live.answered.push(...since())),
    looked([""], () => {
      live.painted.push(...since());
      live.places += 1;
      live.moved = null;
    }),
  ];
  const look = () => {
    for (const one of looks) one();
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
"""Look at each picture that the browser paints whether the place under the pointer is on it."""


@dataclass(frozen=True)
class Drag:
    """Milliseconds of each move to the answer and to all charts, of work, and places a second."""

    answered: list[float]
    painted: list[float]
    work: float
    speed: float


def worked(line: CDPSession) -> float:
    """Return the milliseconds that a page's main thread has worked so far."""
    metrics = line.send("Performance.getMetrics")["metrics"]
    return 1000 * float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))


def dragged(page: Page, moves: int = 40) -> Drag:
    """Drag the slider of ε: move by move, then without a stop."""
    thumb = page.locator(".st-key-eps input[type='range'] >> xpath=..").bounding_box()
    if thumb is None:
        raise RuntimeError("The slider of ε is not on the page.")
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    line = page.context.new_cdp_session(page)
    line.send("Performance.enable")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 3, y)
    page.wait_for_timeout(2_000)  # the first frames come
    page.evaluate(FOLLOW)
    page.wait_for_timeout(200)
    began = worked(line)
    for move in range(moves):
        page.evaluate("() => { window.live.moved = performance.now(); }")
        page.mouse.move(x + 6 + 3 * (move % 20), y)
        page.wait_for_timeout(400)
    work = (worked(line) - began) / moves
    answered, painted = page.evaluate("[window.live.answered, window.live.painted]")
    before, began = page.evaluate("[window.live.places, performance.now()]")
    for step in range(150):
        page.mouse.move(x + 4 + 60 * abs((step % 60) / 30 - 1), y)
        page.wait_for_timeout(16)
    after, ended = page.evaluate("[window.live.places, performance.now()]")
    page.mouse.up()
    return Drag(answered, painted, work, 1000 * (after - before) / (ended - began))


def drag_table() -> list[str]:
    """Return what `--drag` measures as the rows of a Markdown table."""
    rows = [
        "| Explore, its slider dragged | moves | answer, histogram, mechanism | 90% within | "
        "all charts | 90% within | main thread, ms a move | places a second |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    with served() as explore, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find(), headless=True, args=list(ARGUMENTS)
        )
        for name, query in DRAGS.items():
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            open_page(page, f"{explore}/{query}", "[data-drawn]")
            page.wait_for_function(IDLE, timeout=120_000)
            page.wait_for_timeout(5_000)
            drag = dragged(page)
            times = [
                f"{time:.0f} ms"
                for values in (drag.answered, drag.painted)
                for time in (statistics.median(values), statistics.quantiles(values, n=10)[-1])
            ]
            rows.append(
                f"| {name} | {len(drag.painted)} | {' | '.join(times)} | "
                f"{drag.work:.0f} | {drag.speed:.0f} |"
            )
            page.close()
        browser.close()
    return rows


def frames_row() -> str:
    """Return what `--frames` counts."""
    request = Scenario()
    counted = count(request.data)
    places = tuple(controls.places(request))
    for place in places:
        item = ahead.at(request, "eps", place)
        answers.take(replace(answer(item, counted), scenario=item), counted)
    make = partial(explore_frames.frame, unit="nats", lines=True)
    offered = frames.Offer((ahead.wherever(request, "eps"),), places, make)
    near, had, sent, requests = places.index(request.eps), list[str](), 0, 0
    while len(had) < len(places):
        content = frames.answer(offered, {"near": str(near), "had": ".".join(had)})
        had += json.loads(content)["frames"]
        sent += len(offers.packed(content))
        requests += 1
    return f"{len(had)} frames in {requests} requests: {sent / 1e3:.0f} kB"


def first_table(visits: int = 5) -> list[str]:
    """Return what `--first` measures as the rows of a Markdown table."""
    answers, charts, sent = [], [], []
    with served() as explore, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find(), headless=True, args=list(ARGUMENTS)
        )
        for visit in range(visits + 1):  # the first warms the server up
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            page = context.new_page()
            line = context.new_cdp_session(page)
            line.send("Network.enable")
            line.send(
                "Network.emulateNetworkConditions",
                {
                    "offline": False,
                    "latency": 150,
                    "downloadThroughput": 400_000,
                    "uploadThroughput": 400_000,
                },
            )
            total = [0.0]
            line.on(
                "Network.loadingFinished",
                lambda event, total=total: total.append(event["encodedDataLength"]),
            )
            began = time.perf_counter()
            page.goto(explore, wait_until="commit")
            page.wait_for_selector(".st-key-finding p", timeout=120_000)
            answered = time.perf_counter() - began
            page.wait_for_selector("[data-drawn]", timeout=120_000)
            if visit:
                answers.append(answered)
                charts.append(time.perf_counter() - began)
                page.wait_for_timeout(3_000)
                sent.append(sum(total) / 1e6)
            context.close()
        browser.close()
    return [
        "| first page over 400 kB/s and 150 ms | median | most |",
        "| --- | ---: | ---: |",
        *(
            f"| {name} | {statistics.median(values):.1f} {unit} | {max(values):.1f} {unit} |"
            for name, values, unit in (
                ("sentence of the answer", answers, "s"),
                ("first chart", charts, "s"),
                ("sent", sent, "MB"),
            )
        ),
    ]


def ratio(times: list[list[float]], first: int, second: int) -> float:
    """Return how many times as long one takes as another, by their places in `NAMES`.

    Where they took turns it is the median of each turn's ratio: what else the machine did during a
    turn slowed both. Else it is the ratio of medians.
    """
    if max(first, second) < PINNED:
        turns = zip(times[first], times[second], strict=True)
        return statistics.median(a / b for a, b in turns)
    return statistics.median(times[first]) / statistics.median(times[second])


def table(releases: int = 20) -> list[str]:
    """Return the results as the rows of a Markdown table."""
    times = measure(releases)
    return [
        "| from slider release to updated page | median | 90% within | to trivial | "
        "to trivial with six charts | to Explore |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        *(
            f"| {name} | {statistics.median(values):.0f} ms | "
            f"{statistics.quantiles(values, n=10)[-1]:.0f} ms | {ratio(times, place, PLAIN):.2f} | "
            f"{ratio(times, place, SIX):.2f} | {ratio(times, place, EXPLORE):.2f} |"
            for place, (name, values) in enumerate(zip(NAMES, times, strict=True))
        ),
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--releases", type=int, default=20, help="measured releases per page")
    parser.add_argument("--drag", action="store_true", help="measure while the slider is dragged")
    parser.add_argument("--frames", action="store_true", help="count the bytes of frames")
    parser.add_argument("--first", action="store_true", help="measure a newcomer's first page")
    chosen = parser.parse_args()
    if chosen.frames:
        lines = [frames_row()]
    elif chosen.drag:
        lines = drag_table()
    else:
        lines = first_table() if chosen.first else table(chosen.releases)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
