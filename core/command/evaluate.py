"""The command `python -m core evaluate`: the answer to a scenario, as JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from core.command.common import add_command, add_reading, finishing, put, read_question
from core.data import Sources
from core.records.fields import plain_beside
from core.records.other_columns import given_away_there
from core.release.file_words import keeps
from core.scenario import Result, evaluate
from core.studies.side_by_side import describe

EXAMPLE = """\
examples:
  $ cat scenario.json
  {"notion": "lip", "eps": 0.5, "mechanism": "watchdog"}
  $ python -m core evaluate scenario.json
  $ cat people.csv
  sex,job,town
  f,nurse,A
  f,clerk,B
  f,nurse,A
  m,clerk,A
  m,clerk,B
  m,nurse,B
  $ cat own.json
  {"data": {"source": "people.csv", "secret": ["sex"], "released": ["job"]},
   "notion": "ldp", "eps": 1}
  $ python -m core evaluate own.json
  $ python -m core evaluate own.json --keep town

--keep adds what these columns reveal about S next to Y, each alone and all together, as
"beside"; a database counts records by each, and only these counts leave it. Ctrl-C ends the
search with the best mechanism so far and the bound that is proven: that answer is printed, and
the exit status is 3."""
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
    parser.add_argument(
        "--keep",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="columns that would be released next to Y: report what they reveal about S",
    )


def run(options: argparse.Namespace) -> int:
    called: dict[str, str] = {}
    scenario, sources = read_question(options.scenario, options.data, called, options.read)
    with finishing("Answering") as interrupted:
        answer = evaluate(scenario, sources)
    beside = _beside(answer, sources, tuple(dict.fromkeys(options.keep)))
    put(json.dumps(describe(answer, called) | beside, indent=2, ensure_ascii=False))
    return interrupted.status()


def _beside(result: Result, sources: Sources, names: tuple[str, ...]) -> dict[str, Any]:
    """Return what columns reveal beside Y, as a certificate has it; empty for none."""
    if not names:
        return {}
    singly = [(name,) for name in names] if len(names) > 1 else []
    *each, together = given_away_there(result, sources, [*singly, names])
    return {
        "beside": {
            "columns": names,
            "records": together.records,
            "holds": keeps(together, result.mechanism.notion),
            "each": {name: plain_beside(levels) for name, levels in zip(names, each, strict=False)},
            "together": plain_beside(together),
        }
    }
