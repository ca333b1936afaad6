"""Answer and compare scenarios, release files and verify releases from the command line."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.command import release, verify
from core.command.release import read_text
from core.data import catalogue
from core.errors import CoreError
from core.scenario import Project, Scenario, evaluate
from core.studies.columns_table import describe, described, table
from core.studies.side_by_side import compare, reference

EXAMPLE = """\
example:
  $ cat project.json
  {"columns": [
    {"name": "LIP", "scenario": {"notion": "lip", "eps": 0.5, "mechanism": "watchdog"}},
    {"name": "LDP", "scenario": {"notion": "ldp", "eps": 0.5, "mechanism": "watchdog"}}
  ]}
  $ python -m core compare project.json"""
"""The end of `compare --help`; a test runs it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    An error is one sentence on standard error and code 2; an interrupt is code 3.
    """
    parser = argparse.ArgumentParser(prog="python -m core", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("evaluate", help="answer a scenario, as JSON")
    one.add_argument("scenario", type=Path, help="a scenario's JSON file")
    several = commands.add_parser(
        "compare",
        help="answer the columns of a project side by side",
        description="Answer every column of a project, and say what each reaches of every notion, "
        "that which differs most first.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    several.add_argument("project", type=Path, help="a project's JSON file, as the page saves it")
    several.add_argument("--json", action="store_true", help="print all of it as JSON")
    release.add(commands)
    verify.add(commands)
    commands.add_parser("datasets", help="list the bundled data sets")
    options = parser.parse_args(arguments)
    try:
        if options.command == "evaluate":
            scenario = Scenario.from_json(read_text(options.scenario, "scenario"))
            text = json.dumps(_answer(scenario), indent=2, ensure_ascii=False)
        elif options.command == "compare":
            return _compare(Project.from_json(read_text(options.project, "project")), options.json)
        elif options.command == "datasets":
            text = _datasets()
        else:
            return int(options.run(options))
    except CoreError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped: nothing was written, and the same command does it again.", file=sys.stderr)
        return 3
    print(text)
    return 0


def _compare(project: Project, as_json: bool) -> int:
    """Print a comparison; return 2, and print why, where a column has no answer."""
    columns = compare(project)
    numbers = reference(project.scenarios)
    if as_json:
        print(json.dumps(described(project, columns, numbers), indent=2, ensure_ascii=False))
    else:
        print(table(columns, numbers))
    for column in columns:
        if column.reason:
            print(f"{column.name}: {column.reason}", file=sys.stderr)
    return 2 if any(column.reason for column in columns) else 0


def _answer(scenario: Scenario) -> dict[str, Any]:
    return describe(evaluate(scenario))


def _datasets() -> str:
    rows = [
        (entry.id, f"{entry.rows:,}", entry.title, entry.licence) for entry in catalogue.BUNDLED
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    return "\n".join(
        f"{name:<{widths[0]}}  {count:>{widths[1]}}  {title:<{widths[2]}}  {licence}"
        for name, count, title, licence in rows
    )


if __name__ == "__main__":
    sys.exit(main())
