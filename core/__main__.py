"""The command line: `python -m core evaluate scenario.json`, `python -m core datasets`."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.data import catalogue
from core.errors import CoreError, InvalidInputError
from core.scenario import Result, Scenario, evaluate


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, or 2 with one sentence on standard error."""
    parser = argparse.ArgumentParser(prog="python -m core", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("evaluate", help="answer a scenario, as JSON")
    one.add_argument("scenario", type=Path, help="a scenario's JSON file")
    commands.add_parser("datasets", help="list the bundled data sets")
    options = parser.parse_args(arguments)
    try:
        if options.command == "evaluate":
            text = json.dumps(_answer(_read(options.scenario)), indent=2, ensure_ascii=False)
        else:
            text = _datasets()
    except CoreError as error:
        print(error, file=sys.stderr)
        return 2
    print(text)
    return 0


def _read(path: Path) -> Scenario:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or no possible path
        raise InvalidInputError(
            f"The scenario file {str(path)!r} cannot be read: {error}."
        ) from error
    return Scenario.from_json(text)


def _answer(scenario: Scenario) -> dict[str, Any]:
    return describe(evaluate(scenario))


def describe(result: Result) -> dict[str, Any]:
    """Return an answer as plain values for JSON; an infinite level is written "inf"."""
    mechanism = result.mechanism
    return {
        "scenario": json.loads(result.scenario.to_json()),
        "n": result.joint.n,
        "mechanism": {
            "name": mechanism.name,
            "inputs": mechanism.x_labels,
            "outputs": mechanism.y_labels,
            "kernel": mechanism.kernel.tolist(),
            "utility": mechanism.utility,
            "kept": mechanism.kept,
            "information": mechanism.information,
            "nmi": mechanism.nmi,
            "upper_bound": mechanism.upper_bound,
            "gap": mechanism.gap,
            "solver": mechanism.solver,
            "status": mechanism.status,
            "notes": mechanism.notes,
        },
        "audit": None
        if mechanism.audit is None
        else {
            "asked": str(mechanism.notion),
            "achieved": _finite(mechanism.audit.achieved),
            "holds": mechanism.audit.holds,
        },
        "before": {key: _finite(value) for key, value in result.before.achieved.items()},
        "after": {key: _finite(value) for key, value in result.after.achieved.items()},
        "seconds": result.seconds,
    }


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else "inf"


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
