"""The command `python -m core report`: a question and its answer as one HTML file.

`pages` draws it and is looked up when the command runs: `core` imports nothing of it.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.command.common import (
    add_command,
    add_reading,
    check_apart,
    finishing,
    page_writer,
    read_question,
    read_text,
    say,
)
from core.data import Counted
from core.errors import CoreError
from core.mechanisms import catalogue as mechanisms
from core.mechanisms import fit
from core.notions import catalogue as notions
from core.records.design import named_file
from core.records.files import replacing
from core.scenario import Result, Scenario, evaluate
from core.scenario.purpose import build_purpose
from core.studies.advice import consequences
from core.studies.frontier import Frontier, in_shares, sweep
from core.studies.funnel import budgets, is_funnel

EXAMPLE = """\
example:
  $ cat scenario.json
  {"notion": "lip", "eps": 0.5, "mechanism": "watchdog"}
  $ python -m core report scenario.json report.html --lines none

The file opens without a network and prints cleanly."""
"""The end of `report --help`; a test runs it."""

WRITER = "pages.ui.report.contents.report"
"""What writes reports, in the dashboard's package."""

COMPARED = ("optimal", "subset_random_response", "subset_merging", "watchdog")
"""Mechanisms whose lines are drawn beside the question's own."""


LINES = {"all": "the mechanism's and others'", "own": "the mechanism's", "none": "no line"}
"""Which lines of what is kept along ε are drawn."""


def add(commands: Any) -> None:
    parser = add_command(
        commands,
        "report",
        run,
        summary="write a question and its answer as one HTML file",
        description="Write one HTML file with the question, the answer, interactive charts, "
        "tables, formulas, sources, audit, and the program that computes it.",
        example=EXAMPLE,
    )
    parser.add_argument("scenario", type=Path, help="a scenario's JSON file")
    parser.add_argument("out", type=Path, metavar="OUT.html", help="the output file")
    parser.add_argument("--data", type=Path, metavar="FILE", help="the records of the scenario")
    add_reading(parser)
    parser.add_argument("--unit", choices=("nats", "bits"), default="nats")
    lines = "; ".join(f"{name}: {meaning}" for name, meaning in LINES.items())
    text = f"lines of the share kept at each ε: {lines}"
    parser.add_argument("--lines", choices=tuple(LINES), default="all", help=text)


def run(options: argparse.Namespace) -> int:
    """Write the report; progress goes to standard error."""
    named = named_file(Scenario.from_json(read_text(options.scenario, "scenario")).data.source)
    check_apart([options.scenario, options.data, named], [options.out])
    scenario, sources = read_question(options.scenario, options.data, settings=options.read)
    instead = "`python -m core evaluate` gives the same answer as JSON"
    write = page_writer("A report", WRITER, instead)
    with replacing([options.out]) as (fresh,), finishing("Answering") as interrupted:
        result = evaluate(scenario, sources)
        drawn = () if options.lines == "none" else lines(result, alone=options.lines == "own")
        fresh.write_text(write(result, drawn, consequences(result), options.unit), encoding="utf-8")
    say(f"Written: {str(options.out)!r}.")
    return interrupted.status()


def lines(result: Result, *, alone: bool = False) -> tuple[Frontier, ...]:
    """Return what mechanisms keep along ε, the answer's first, where there is a line."""
    scenario = result.scenario
    if "eps" not in notions.entry(scenario.notion).parameters:
        return ()
    curves = []
    for question in _compared(scenario, alone=alone):
        title = mechanisms.entry(question.mechanism).title
        say(f"Share that {title} keeps along the budget")
        try:
            curves.append(_line(question, result.counted))
        except CoreError as error:
            say(f"{title}: {error}")
    return tuple(curves)


def _compared(scenario: Scenario, *, alone: bool) -> list[Scenario]:
    """Return the questions of the lines."""
    questions = [scenario] if mechanisms.entry(scenario.mechanism).uses_notion else []
    if alone:
        return questions
    beside = COMPARED[:1] if is_funnel(scenario) else COMPARED
    return questions + [
        replace(scenario, mechanism=key)
        for key in beside
        if key != scenario.mechanism and not fit.obstacle(mechanisms.entry(key), scenario.kinds)
    ]


def _line(question: Scenario, counted: Counted) -> Frontier:
    limited = replace(question, time_limit=min(1.5, question.time_limit))
    joint, values, task = counted.joint, counted.x_values, counted.task
    frontier = sweep(limited, joint, budgets(question, joint), values, task)
    if question.purpose == "information":
        return frontier
    return in_shares(frontier, joint, build_purpose(question, joint, values, task))
