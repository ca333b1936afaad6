"""The command `python -m core evaluate`: the answer to a scenario, as JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from core.command.common import add_command, add_reading, finishing, put, read_question
from core.scenario import evaluate
from core.studies.side_by_side import describe

EXAMPLE = """\
examples:
  $ cat scenario.json
  {"notion": "lip", "eps": 0.5, "mechanism": "watchdog"}
  $ python -m core evaluate scenario.json
  $ cat people.csv
  sex,job
  f,nurse
  f,clerk
  f,nurse
  m,clerk
  m,clerk
  m,nurse
  $ cat own.json
  {"data": {"source": "people.csv", "secret": ["sex"], "released": ["job"]},
   "notion": "ldp", "eps": 1}
  $ python -m core evaluate own.json

Ctrl-C ends the search with the best mechanism so far and the bound that is proven: that answer is
printed, and the exit status is 3."""
"""The end of `evaluate --help`; a test runs it."""


def add(commands: Any) -> None:
    parser = add_command(
        commands,
        "evaluate",
        run,
        summary="answer a scenario, as JSON",
        description="Print a scenario's mechanism, the share it keeps, its proof and its levels, "
        "as JSON.",
        example=EXAMPLE,
    )
    parser.add_argument("scenario", type=Path, help="a scenario's JSON file")
    parser.add_argument("--data", type=Path, metavar="FILE", help="the records of the scenario")
    add_reading(parser)


def run(options: argparse.Namespace) -> int:
    called: dict[str, str] = {}
    scenario, sources = read_question(options.scenario, options.data, called, options.read)
    with finishing("Answering") as interrupted:
        answer = evaluate(scenario, sources)
    put(json.dumps(describe(answer, called), indent=2, ensure_ascii=False))
    return interrupted.status()
