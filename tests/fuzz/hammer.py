"""Move sliders in a browser before the first answer is there, and see that each page comes to rest.

Run with `python -m tests.fuzz.hammer [--visits 200] [--minutes 30] [--loops 2] [--seed SEED]`. Each
visit is a line, printed as it ends: those of pages that log an error, that never come to rest, or
that rest at another place than their sliders say what was wrong.
"""

from __future__ import annotations

import argparse
import random
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import parse_qs, urlencode, urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Page,
    TimeoutError,
    sync_playwright,
)

from core.scenario.url import from_query
from tests.browser.chromium import find
from tests.browser.served import ARGUMENTS, served

PROMISES = ("alip", "lip", "ldp", "sides", "rldp")
MECHANISMS = ("optimal", "subset_merging", "watchdog", "subset_random_response")
COLUMNS = (("sex", "occupation"), ("race", "education"), ("relationship", "workclass"))

KEYS = ("ArrowRight", "ArrowLeft", "PageUp", "PageDown", "Home", "End")

SLIDERS = "[data-testid=stSidebar] input[type=range]:not([disabled])"

NUMBERS = ("eps", "lam", "alpha", "beta", "eps_l", "eps_u")
"""Keys of sliders whose values the address holds under the same name, in nats."""

PATIENCE = 120_000
"""Milliseconds after which a page counts as one that never comes to rest."""

AT_REST = """
(keys) => {
  const app = document.querySelector("[data-testid=stApp]");
  const now = keys.map(key => document.querySelector(`.st-key-${key} input[type=range]`)
    ?.getAttribute("aria-valuetext")).join() + location.search;
  const calm = app?.dataset.testScriptState === "notRunning" && window.lastSeen === now
    && document.querySelector(".st-key-finding p, [data-testid=stMain] [data-testid=stAlert]")
    && !document.querySelector("[data-lsc-live]");
  window.lastSeen = now;
  window.calmFor = calm ? (window.calmFor || 0) + 1 : 0;
  return window.calmFor > 60;
}
"""


def question(chance: random.Random) -> str:
    """Return the query of a random question."""
    s, x = chance.choice(COLUMNS)
    request = {"s": s, "x": x, "notion": chance.choice(PROMISES), "mech": chance.choice(MECHANISMS)}
    pair = {"sx": "1"} if request["notion"] == "rldp" else {}  # it is about S released with U
    return urlencode(request | pair | {"eps": f"{chance.uniform(0.1, 3):.2f}"})


def move(page: Page, chance: random.Random) -> list[str]:
    """Move two to six sliders, with pauses of up to 0.3 seconds; return what was done."""
    done = []
    for _ in range(chance.randint(2, 6)):
        all_of_them = page.locator(SLIDERS)
        slider = all_of_them.nth(chance.randrange(all_of_them.count()))
        key = chance.choice(KEYS)
        slider.press(key)
        done.append(f"{slider.get_attribute('aria-label')}: {key}")
        page.wait_for_timeout(chance.uniform(0, 300))
    return done


def rests_elsewhere(page: Page) -> list[str]:
    """Return the sliders that stand at another place than the address."""
    request, _ = from_query(parse_qs(urlsplit(page.url).query))
    result = []
    for key in NUMBERS:
        slider = page.locator(f".st-key-{key} input[type=range]:not([disabled])")
        if slider.count() == 0:
            continue
        text = slider.get_attribute("aria-valuetext") or ""
        shown = float("inf") if text == "∞" else float(text)
        if abs(getattr(request, key) - shown) > 0.005 and getattr(request, key) != shown:
            result.append(f"{key} is {text}, the address has {getattr(request, key):g}")
    return result


def visit(browser: Browser | BrowserContext, address: str, chance: random.Random) -> list[str]:
    """Make one visit; return what was wrong."""
    request, wrong, done = question(chance), list[str](), list[str]()
    page = browser.new_page()
    try:
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on(
            "console",
            lambda message: (
                wrong.append(f"logged: {message.text}") if message.type == "error" else None
            ),
        )
        page.goto(f"{address}/?{request}")
        page.locator(SLIDERS).first.wait_for()
        done = move(page, chance)
        page.wait_for_function(AT_REST, arg=list(NUMBERS))
        wrong += rests_elsewhere(page)
    except TimeoutError:
        wrong.append("never came to rest")
    except Error as error:
        wrong.append(f"failed: {error}")
    finally:
        page.close()
    return [f"?{request} {done}: {item[:300]}" for item in dict.fromkeys(wrong)]


@contextmanager
def loops(number: int) -> Iterator[None]:
    """Keep cores busy meanwhile."""
    with ExitStack() as busy:
        for _ in range(number):
            item = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            busy.callback(item.kill)
        yield


def hammer(
    browser: BrowserContext, address: str, places: range, end: float, chance: random.Random
) -> tuple[int, int]:
    """Make visits until the end, a line each; return how many, and in how many something was wrong.

    They share a browser's memory: else each would load Plotly again.
    """
    made = faulty = 0
    for place in places:
        if time.monotonic() > end:
            break
        began = time.monotonic()
        wrong = visit(browser, address, chance)
        made += 1
        faulty += bool(wrong)
        print(f"{place + 1:4} {time.monotonic() - began:6.1f} s  ", *wrong or ["ok"], flush=True)
    return made, faulty


def main() -> int:
    """Make visits, half of them beside busy loops; return 1 where something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=60.0, help="after which it ends anyway")
    parser.add_argument("--loops", type=int, default=2, help="busy loops beside every second half")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    given = parser.parse_args()
    chance = random.Random(given.seed)
    print(f"seed {given.seed}", flush=True)
    half, began = given.visits - given.visits // 2, time.monotonic()
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=list(ARGUMENTS))
        context = browser.new_context()
        ends = began + 30 * given.minutes, began + 60 * given.minutes
        quiet = hammer(context, address, range(half), ends[0], chance)
        with loops(given.loops):
            busy = hammer(context, address, range(half, given.visits), ends[1], chance)
        browser.close()
    made, faulty = quiet[0] + busy[0], quiet[1] + busy[1]
    print(f"{made} visits in {time.monotonic() - began:.0f} s, {faulty} with faults.")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
