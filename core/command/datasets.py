"""The command `python -m core datasets`: the data sets that ship with the project."""

from __future__ import annotations

import argparse
import json
from typing import Any

from core.command.common import add_command, put
from core.data.catalogue import BUNDLED

EXAMPLE = """\
examples:
  $ python -m core datasets
  $ python -m core datasets --json

A scenario names a data set by its key, which is in the first column:
{"data": {"source": "adult", "secret": ["sex"], "released": ["occupation"]}}."""
"""The end of `datasets --help`; a test runs it."""


def add(commands: Any) -> None:
    parser = add_command(
        commands,
        "datasets",
        run,
        summary="list the bundled data sets",
        description="List the data sets that ship with the project: key, records, title, license.",
        example=EXAMPLE,
    )
    parser.add_argument("--json", action="store_true", help="print them as JSON, with columns")


def run(options: argparse.Namespace) -> int:
    """Print a line for each set: its key, number of records, title and license."""
    if options.json:
        sets = [
            {
                "source": entry.id,
                "records": entry.rows,
                "title": entry.title,
                "licence": entry.licence,
                "columns": list(entry.column_names),
            }
            for entry in BUNDLED
        ]
        put(json.dumps(sets, indent=2, ensure_ascii=False))
        return 0
    rows = [(entry.id, f"{entry.rows:,}", entry.title, entry.licence) for entry in BUNDLED]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    for name, count, title, licence in rows:
        put(f"{name:<{widths[0]}}  {count:>{widths[1]}}  {title:<{widths[2]}}  {licence}")
    return 0
