"""The command `liftscope`: the dashboard, or one of the commands of `python -m core`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from core.__main__ import run as core_command

ROOT = Path(__file__).parents[2]
"""The folder that holds `pages`: the project, or what packages are installed in."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Open the dashboard with any `--server.…` options given, or run a command of `core`."""
    options = sys.argv[1:] if arguments is None else list(arguments)
    if options and not options[0].startswith("--server."):
        return core_command(options)
    from click.exceptions import Abort
    from streamlit.web import cli

    with suppress(Abort):  # Ctrl-C, which is how the dashboard is ended
        cli.main(["run", str(application()), *options], standalone_mode=False)
    return 0


def application() -> Path:
    installed = find_spec("liftscope")
    if installed is not None and installed.submodule_search_locations:
        return Path(installed.submodule_search_locations[0]) / "app.py"
    return ROOT / "app.py"
