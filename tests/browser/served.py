"""A dashboard on a free port of this machine, for as long as a test or a benchmark needs it."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--font-render-hinting=none",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""How Chromium is started: headless in a container, silent, with letters as wide as on screens."""

PATIENCE = 600.0
"""Seconds that a server may take to answer."""


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as result:
        result.bind(("127.0.0.1", 0))
        return int(result.getsockname()[1])


@contextmanager
def served(script: Path = ROOT / "app.py", folder: Path = ROOT) -> Iterator[str]:
    """Serve a Streamlit script, started in a folder, and yield its address."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port)]
    options = ["--server.headless", "true", "--browser.gatherUsageStats", "false"]
    more = ["--server.address", "127.0.0.1", "--server.fileWatcherType", "none"]
    with subprocess.Popen(
        command + options + more,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            _wait(f"{address}/_stcore/health", server)
            yield address
        finally:
            server.terminate()


def _wait(health: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(health, timeout=60):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise RuntimeError(f"The dashboard did not start within {PATIENCE:.0f} seconds.")
