"""The command `python -m core evaluate`: the answer to a scenario, as JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from core.command.parsing import add_command, read_text
from core.scenario import Scenario, evaluate
from core.studies.columns_table import describe


def add(commands: Any) -> None:
    """Add the command to those of a parser."""
    parser = add_command(commands, "evaluate", run, summary="answer a scenario, as JSON")
    parser.add_argument("scenario", type=Path, help="a scenario's JSON file")


def run(options: argparse.Namespace) -> int:
    """Print the answer."""
    scenario = Scenario.from_json(read_text(options.scenario, "scenario"))
    print(json.dumps(describe(evaluate(scenario)), indent=2, ensure_ascii=False))
    return 0
