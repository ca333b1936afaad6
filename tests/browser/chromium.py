"""Find a Chromium or Chrome for the browser tests."""

import os
import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
"""Commands, first the one without a window: a page costs it a fifth less of a processor."""


def find() -> str | None:
    """Return the path of a browser: one on PATH, else Playwright's own, else None."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() and os.access(own, os.X_OK) else None
