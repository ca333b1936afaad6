"""The command `python -m core reproduce`: the papers' experiments, with a verdict on each claim."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from core.clock import Stopwatch
from core.command.common import UNFINISHED, add_command, page_writer, say
from core.errors import InvalidInputError
from core.papers.catalogue import EXPERIMENTS, chosen
from core.papers.results import Run
from core.papers.running import run
from core.records.files import replacing
from core.wording import number_of, printable

EXAMPLE = """example:
  $ python -m core reproduce --quick --only lift_1 --out reproduced

The folder keeps every finished experiment; run the same command again to continue."""
"""The end of `reproduce --help`; a test runs it."""

WRITER = "pages.ui.report.papers.page"
"""What writes the page, in the dashboard's package."""

SIGNS = {
    "reproduced": "ok",
    "differs": "DIFFERS",
    "error in the paper": "ERRATUM",
    "cannot be checked": "-",
    "cannot be decided": "?",
}
"""What the table says of a verdict."""


def add(commands: Any) -> None:
    known = ", ".join(experiment.key for experiment in EXPERIMENTS)
    parser = add_command(
        commands,
        "reproduce",
        run_command,
        summary="rerun the papers' experiments, with a verdict on each claim",
        description="Rerun every figure, table and example of the five papers, and report for "
        "each published claim whether it is reproduced, differs or is an error in the "
        "paper.",
        example=EXAMPLE,
    )
    parser.add_argument("--quick", action="store_true", help="fewer draws: usually a twentieth")
    parser.add_argument("--only", nargs="+", metavar="KEY", default=[], help=f"some of {known}")
    parser.add_argument("--seed", type=int, default=0, help="seed of all draws (default: 0)")
    parser.add_argument("--jobs", type=int, default=1, help="how many run at once (default: 1)")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="write results.json and results.html here"
    )


def run_command(options: argparse.Namespace) -> int:
    """Run the experiments; progress goes to standard error. Return 3 where one has failed."""
    plan = chosen(options.only)
    if options.jobs < 1:
        raise InvalidInputError(f"--jobs must be at least 1, got {options.jobs}.")
    if options.seed < 0:
        raise InvalidInputError(f"--seed must be at least 0, got {options.seed}.")
    instead = "without --out the same verdicts go to the terminal"
    write = page_writer("The page", WRITER, instead) if options.out is not None else None
    seconds = sum(experiment.seconds for experiment in plan)
    if not options.quick and seconds > 60:
        say(f"{number_of(len(plan), 'experiment')}, about {seconds / 60:.0f} minutes on one core.")
    progress = _Progress()
    try:
        result = run(
            plan,
            options.out,
            seed=options.seed,
            quick=options.quick,
            jobs=options.jobs,
            report=progress,
        )
    except KeyboardInterrupt:
        if options.out is None:
            say("Stopped. Without --out nothing is kept.")
        else:
            done = f"{len(progress.ended)} of {number_of(len(plan), 'experiment')}"
            say(
                f"Stopped: {done} kept in {str(options.out)!r}; run the same command again to "
                "continue."
            )
        return UNFINISHED
    print(printable(table(result)))
    if options.out is not None and write is not None:
        paths = [options.out / "results.json", options.out / "results.html"]
        with replacing(paths) as (data, page):
            data.write_text(result.to_json(), encoding="utf-8")
            page.write_text(write(result), encoding="utf-8")
        say(f"Written: {str(paths[0])!r} and {str(paths[1])!r}.")
    lost = {experiment.key for experiment in plan} - {
        experiment.key for experiment in result.experiments
    }
    return UNFINISHED if lost else 0


def table(result: Run) -> str:
    """Return the verdicts as lines of text, and their number by outcome."""
    lines, counts = [], Counter[str]()
    for experiment in result.experiments:
        lines.append(f"{experiment.key}  {experiment.place}: {experiment.title}")
        for verdict in experiment.verdicts:
            counts[verdict.outcome] += 1
            lines.append(f"  {SIGNS[verdict.outcome]:8} {verdict.claim} [{verdict.rule}]")
            if verdict.reason:
                lines.append(f"           {verdict.reason}")
        lines += [f"  beyond   {more.text}: {more.value:.4g}" for more in experiment.beyond]
    summary = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    lines.append(f"{counts.total()} claims" + (f": {summary}" if summary else ""))
    if result.quick and counts["cannot be decided"]:
        lines.append("?: too few draws to decide; a run without --quick uses twenty times as many.")
    return "\n".join(lines)


class _Progress:
    """Says on standard error what experiments are at, each not too often."""

    def __init__(self) -> None:
        self._taken, self._last = Stopwatch(), dict[str, float]()
        self.ended = set[str]()

    def __call__(self, key: str, words: str) -> None:
        if words.startswith(("done", "kept from")):
            self.ended.add(key)
        now = self._taken.seconds
        if " of " not in words or now - self._last.get(key, -5.0) >= 5.0:
            self._last[key] = now
            say(f"{key}: {words}")
