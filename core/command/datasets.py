"""The command `python -m core datasets`: the data sets that ship with the project."""

from __future__ import annotations

import argparse
from typing import Any

from core.command.parsing import add_command
from core.data.catalogue import BUNDLED


def add(commands: Any) -> None:
    """Add the command to those of a parser."""
    add_command(commands, "datasets", run, summary="list the bundled data sets")


def run(_options: argparse.Namespace) -> int:
    """Print a line for each set: its key, number of records, title and licence."""
    rows = [(entry.id, f"{entry.rows:,}", entry.title, entry.licence) for entry in BUNDLED]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    for name, count, title, licence in rows:
        print(f"{name:<{widths[0]}}  {count:>{widths[1]}}  {title:<{widths[2]}}  {licence}")
    return 0
