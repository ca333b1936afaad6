"""The command `python -m core compare`: the columns of a project, side by side."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from core.command.common import add_command, finishing, put, read_text, say, with_file
from core.data import Sources
from core.scenario import Project
from core.studies.side_by_side import compare, described, reference, table

EXAMPLE = """\
example:
  $ cat project.json
  {"columns": [
    {"name": "LIP", "scenario": {"notion": "lip", "eps": 0.5, "mechanism": "watchdog"}},
    {"name": "LDP", "scenario": {"notion": "ldp", "eps": 0.5, "mechanism": "watchdog"}}
  ]}
  $ python -m core compare project.json"""
"""The end of `compare --help`; a test runs it."""


def add(commands: Any) -> None:
    parser = add_command(
        commands,
        "compare",
        run,
        summary="answer the columns of a project side by side",
        description="Answer every column of a project, and report the level of each notion, "
        "largest difference first.",
        example=EXAMPLE,
    )
    parser.add_argument(
        "project", type=Path, help="a project's JSON file, as the Compare page saves it"
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON")


def run(options: argparse.Namespace) -> int:
    """Print a comparison; return 2, and print why, where a column has no answer."""
    project = Project.from_json(read_text(options.project, "project"))
    sources, called = Sources(databases=True), dict[str, str]()
    for place, scenario in enumerate(project.scenarios):
        project = project.asking(place, with_file(scenario, sources, called=called))
    with finishing("Comparing") as interrupted:
        columns = compare(project, sources)
    numbers = reference(project.scenarios)
    if options.json:
        content = described(project, columns, numbers, called)
        put(json.dumps(content, indent=2, ensure_ascii=False))
    else:
        put(table(columns, numbers))
    for column in columns:
        if column.reason:
            say(f"{column.name}: {column.reason}")
    return interrupted.status(2 if any(column.reason for column in columns) else 0)
