"""A served dashboard and a Chromium that reports what goes wrong on a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from tests.browser.chromium import find
from tests.browser.served import ARGUMENTS, served
from tests.browser.waiting import PATIENCE

expect.set_options(timeout=PATIENCE)  # its own five seconds fail on a busy machine

PROBES = ("_stcore/host-config", "_stcore/health")
"""What Streamlit asks for below a deep link before it finds its root: each answers 404."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder: what needs Chromium is run apart."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    with served() as result:
        yield result


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = find()
    if path is None:
        pytest.fail("No Chromium or Chrome was found: install one to run the browser tests.")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=path, headless=True, args=list(ARGUMENTS)
        )
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def profile(browser: Browser) -> Iterator[BrowserContext]:
    """Keep what a browser has fetched and compiled from one test to the next, and nothing else."""
    with browser.new_context(accept_downloads=True) as kept:
        yield kept


@pytest.fixture
def patience() -> float:
    """Milliseconds after which a wait of a page is given up."""
    return PATIENCE


@pytest.fixture
def visit(
    browser: Browser, profile: BrowserContext, address: str, patience: float
) -> Iterator[Callable[..., Page]]:
    """Open pages of the dashboard; fail if one of them logs an error or asks another host.

    The first one is opened in the kept profile, without its cookies; each further one by another
    browser.
    """
    wrong: list[str] = []
    before = profile.pages
    others: list[BrowserContext] = []
    pages: list[Page] = []

    def note(message: ConsoleMessage) -> None:
        probe = any(part in message.location.get("url", "") for part in PROBES)
        if message.type == "error" and not probe:
            wrong.append(f"{message.text} at {message.location.get('url')}")

    def opened(path: str = "", *, width: int = 1440, height: int = 900, dark: bool = False) -> Page:
        context = profile
        if pages:
            others.append(context := browser.new_context(accept_downloads=True))
        context.set_default_timeout(patience)  # of tabs that the page opens, too
        page = context.new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.on("console", note)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((address, "data:", "blob:"))
                else wrong.append(f"asked for {request.url}")
            ),
        )
        page.goto(f"{address}/{path}")
        return page

    yield opened
    blank = profile.new_page()
    for page in profile.pages:
        if page not in (*before, blank):
            page.close()
    forget(blank, address)
    blank.close()
    for context in others:
        context.close()
    assert not wrong, wrong


def forget(page: Page, address: str) -> None:
    """Clear what a page's browser has kept of the dashboard, but for what it has fetched."""
    page.context.clear_cookies()
    page.context.clear_permissions()
    request = {"origin": address, "storageTypes": "local_storage,indexeddb"}
    page.context.new_cdp_session(page).send("Storage.clearDataForOrigin", request)
