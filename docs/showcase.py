"""Take the pictures of README and documents from a served dashboard: `make showcase`.

It writes docs/screenshots: light and dark, on a phone, on a projector, and one drag of a slider.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.browser.chromium import find
from tests.browser.served import ARGUMENTS, served

SHOTS = Path(__file__).parent / "screenshots"

PICTURES = {
    "explore-light": ("", 1440, 900, False),
    "explore-dark": ("", 1440, 900, True),
    "lift": ("lift", 1440, 900, True),
    "confusability": ("confusability", 1440, 900, False),
    "robust": ("robust", 1440, 900, False),
    "explore-phone": ("", 390, 844, False),
    "projector": ("?projector=on", 1280, 720, False),
}
"""Each picture: its page, width and height, and whether it is dark."""

MOST_BYTES = 2_000_000
"""How large the animated picture may be."""

PATIENCE = 300_000
"""Milliseconds that a page may take to settle."""

SETTLED = """
() => document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === 'notRunning'
  && !document.querySelector('[data-testid="stMain"] [data-lsc-working]')
  && !document.querySelector('[data-testid="stSpinner"], [data-testid="stSkeleton"]')
  && !document.querySelector('[data-testid="stProgress"]')
  && document.querySelector('h1, [data-testid="stMain"] p')
"""


@contextmanager
def opened(
    browser: Browser, address: str, path: str, size: tuple[int, int], dark: bool
) -> Iterator[Page]:
    """Open a page in a browser of its own, and wait until nothing moves."""
    width, height = size
    scheme = "dark" if dark else "light"
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, device_scale_factor=1
    )
    with context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{address}/{path}")
        settle(page)
        yield page


def settle(page: Page) -> None:
    """Wait until a page has shown the same for a second."""
    page.wait_for_function(SETTLED)
    before = b""
    for _ in range(60):
        page.wait_for_timeout(1_000)
        page.wait_for_function(SETTLED)
        now = page.screenshot()
        if now == before:
            return
        before = now


def pictures(browser: Browser, address: str) -> None:
    """Write each still picture."""
    for name, (path, width, height, dark) in PICTURES.items():
        with opened(browser, address, path, (width, height), dark) as page:
            save(page.screenshot(), SHOTS / f"{name}.png")
            print(f"{name}.png {(SHOTS / f'{name}.png').stat().st_size:,} bytes")


def save(shot: bytes, path: Path) -> None:
    """Write a picture with 256 colors, which screens of text and charts hardly exceed."""
    with Image.open(io.BytesIO(shot)) as image:
        image.convert("RGB").quantize(256).save(path, optimize=True)


def drag(browser: Browser, address: str) -> None:
    """Write a drag of the budget on Explore, after a first one, as an animated picture."""
    steps = (*range(0, 49, 4), *range(44, -1, -4))
    with opened(browser, address, "", (1280, 720), False) as page:
        slider = page.locator(".st-key-eps input[type='range']")
        thumb = slider.locator("xpath=..").bounding_box()
        assert thumb is not None
        x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        for step in steps:  # frames of these places are fetched
            page.mouse.move(x + step, y)
            page.wait_for_timeout(1_000)
        frames = []
        for step in steps:
            page.mouse.move(x + step, y)
            page.wait_for_timeout(200)
            frames.append(page.screenshot())
        page.mouse.up()
    images = [Image.open(io.BytesIO(shot)).convert("RGB").resize((960, 540)) for shot in frames]
    path = SHOTS / "drag.webp"
    images[0].save(path, save_all=True, append_images=images[1:], duration=200, loop=0, quality=70)
    size = path.stat().st_size
    if size > MOST_BYTES:
        path.unlink()
        raise SystemExit(f"drag.webp has {size:,} bytes; at most {MOST_BYTES:,} are allowed.")
    print(f"drag.webp {size:,} bytes")


def main() -> None:
    """Serve the dashboard and take all pictures."""
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=list(ARGUMENTS))
        try:
            pictures(browser, address)
            drag(browser, address)
        finally:
            browser.close()


if __name__ == "__main__":
    main()
