"""Memory of an idle dashboard with one page open, compared with other checkouts of it.

Run with `python -m benchmarks.memory [FOLDER …]` (about two minutes a folder, in a headless
Chromium; Linux only). Each folder is a checkout; without one it is this. A process counts with
its proportional share of what it shares with others, so the figures of a row add up.
"""

from __future__ import annotations

import argparse
import os
import re
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.chromium import find
from tests.browser.served import ARGUMENTS, ROOT, served

SECONDS = 90.0
"""Seconds until the second look: longer than an idle worker lives."""

FIRST = 25.0
"""Seconds after which the page is complete, and its workers are still there."""


def main() -> None:
    """Print a row for each checkout and look."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, default=[ROOT], metavar="FOLDER")
    parser.add_argument("--link", default="", help="what follows the address, such as ?eps=1")
    options = parser.parse_args()
    print("| checkout | seconds open | server, MB | workers, MB | all, MB | ratio |")
    print("|---|---|---|---|---|---|")
    first: dict[float, float] = {}
    for folder in (path.resolve() for path in options.folders):
        for seconds, (server, workers) in look(folder, options.link).items():
            total = server + sum(workers)
            listed = " + ".join(f"{worker:.0f}" for worker in workers) or "none"
            ratio = total / first.setdefault(seconds, total)
            print(
                f"| {folder.name} | {seconds:.0f} | {server:.0f} | {listed} "
                f"| {total:.0f} | {ratio:.2f} |"
            )


def look(folder: Path, link: str) -> dict[float, tuple[float, list[float]]]:
    """Return what the server and each worker hold, in MB, after so many seconds with a page."""
    memory = {}
    with served(folder / "app.py", folder) as address, sync_playwright() as playwright:
        process = next(child for child in descendants(os.getpid()) if "streamlit" in command(child))
        browser = playwright.chromium.launch(executable_path=find(), args=[*ARGUMENTS])
        browser.new_page().goto(f"{address}/{link}")
        passed = 0.0
        for seconds in (FIRST, SECONDS):
            time.sleep(seconds - passed)
            passed = seconds
            workers = [share(child) for child in descendants(process)]
            memory[seconds] = (share(process), workers)
        browser.close()
    return memory


def share(process: int) -> float:
    """Return the proportional set size of a process in MB."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text()
    size = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    assert size is not None
    return int(size.group(1)) / 1024


def command(process: int) -> str:
    """Return how a process was started."""
    return Path(f"/proc/{process}/cmdline").read_text()


def descendants(process: int) -> list[int]:
    """Return the processes that a process and those below it have started."""
    children = Path(f"/proc/{process}/task").glob("*/children")
    own = [int(word) for path in children for word in _words(path)]
    return own + [below for child in own for below in descendants(child)]


def _words(path: Path) -> list[str]:
    """Return the words of a file about a thread; none where the thread has ended meanwhile."""
    try:
        return path.read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return []


if __name__ == "__main__":
    main()
