"""The command `python -m core release`: apply a mechanism to the records of a file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from core.command.common import (
    REPORTED,
    add_command,
    add_reading,
    check_apart,
    read_text,
    say,
    tell_reading,
    with_reading,
)
from core.data import Sources
from core.data.counts.cells import JOINED
from core.data.counts.report import several
from core.errors import InvalidInputError
from core.records.applying import columns_of
from core.records.certificate import Release, certificate, write_release
from core.records.design import (
    CHOSEN,
    COLUMNS,
    LEAVE_OUT,
    OWNERS,
    REFUSE,
    Designed,
    Plan,
    designed,
    named_file,
    records_file,
)
from core.records.draws import Draw, Keyed, Seeded
from core.records.fields import beside_of
from core.records.files import checked_kind, replacing
from core.records.for_each import ResultForEach
from core.release.attack import Attack
from core.release.file_words import attack_sentence, file_sentences, warnings
from core.scenario import Scenario
from core.wording import first_of, listed, number_of, percent

EXAMPLE = """\
example:
  $ cat people.csv
  sex,job,town
  f,nurse,A
  f,nurse,B
  f,clerk,A
  m,clerk,A
  m,clerk,B
  m,nurse,A
  $ cat scenario.json
  {"data": {"secret": ["sex"], "released": ["job"]},
   "notion": "lip", "eps": 0.2, "mechanism": "optimal"}
  $ python -m core release scenario.json people.csv released.csv \\
      --keep town --certificate certificate.json \\
      --seed 271441318069823450964175937726450817362

The scenario names no data, so the mechanism is made for people.csv. Anyone who knows the seed can
undo the release: draw your own of at least 128 bits, and keep it secret. A seed below 2^64 can be
guessed, so a certificate with such a seed guarantees nothing."""
"""The end of `release --help`; a test runs it."""

NAMED = (
    ("--keep", "columns to write next to Y; the certificate reports what they reveal"),
    (
        "--known",
        "columns that are not written but that readers know from elsewhere; the certificate "
        "reports what they reveal",
    ),
    (
        "--randomize",
        "columns to randomize separately next to X: the scenario's ε then covers all of them "
        "together, and a search divides it",
    ),
)
"""The options that name other columns than S and X, and which these are."""


def add(commands: Any) -> None:
    parser = add_command(
        commands,
        "release",
        run,
        summary="apply a scenario's mechanism to the records of a file",
        description="Write the records of IN to OUT with Y instead of X. IN is any readable file "
        "(docs/data.md); OUT ends in .csv, .tsv or .parquet, whatever IN is. Nothing "
        "is written unless everything succeeds.",
        example=EXAMPLE,
    )
    parser.add_argument("scenario", type=Path, help="a scenario's JSON file")
    parser.add_argument(
        "records", type=Path, metavar="IN", help="the records, or a bundled set's key"
    )
    parser.add_argument("released", type=Path, metavar="OUT", help="the output file")
    add_reading(parser)
    parser.add_argument("--seed", metavar="N", help="a secret whole number, up to 2^256")
    parser.add_argument(
        "--key",
        type=Path,
        metavar="FILE",
        help="instead of a seed: a file of at least 16 secret random bytes, so that the same "
        "mechanism gives a record the same answer until its values change; needs --id",
    )
    parser.add_argument(
        "--id", metavar="COLUMN", help="the column with a unique id for each record"
    )
    parser.add_argument(
        "--design",
        type=Path,
        metavar="FILE",
        help="the records that the mechanism is made for, if not those of the scenario",
    )
    text = "; ".join(f"{name}: {meaning}" for name, meaning in COLUMNS.items() if name != CHOSEN)
    text = f"all columns at once, instead of --keep (the default is {Plan.columns}): {text}"
    named: dict[str, Any] = {"nargs": "+", "action": "extend", "default": [], "metavar": "NAME"}
    for option, which in NAMED:
        parser.add_argument(option, **named, help=which)
    parser.add_argument(
        "--for-each",
        type=int,
        default=0,
        metavar="N",
        help="use a separate mechanism for each value of the columns that others know (the data's "
        '"known" in the scenario) if at least N records have it; the other values share one',
    )
    parser.add_argument("--columns", default=Plan.columns, metavar="WHAT", help=text)
    parser.add_argument(
        "--unknown",
        default=REFUSE,
        metavar="WHAT",
        help=f"records with a missing value, or one unknown to the mechanism: {REFUSE} (the "
        f"default), {LEAVE_OUT}, or the symbol of X to treat them as",
    )
    parser.add_argument(
        "--certificate", type=Path, metavar="FILE", help="write the certificate, as JSON"
    )


def run(options: argparse.Namespace) -> int:
    """Apply the mechanism; progress and the summary go to standard error."""
    draw, options.records = _draw(options), records_file(options.records)
    kind = checked_kind(options.released)
    text = with_reading(read_text(options.scenario, "scenario"), options.read)
    named = named_file(Scenario.from_json(text).data.source)
    read = [options.scenario, options.records, options.design, options.key, named]
    check_apart(read, [options.released, options.certificate])
    named_columns = options.keep, options.known, options.randomize
    keep, known, randomize = (tuple(dict.fromkeys(names)) for names in named_columns)
    columns = keep, known, randomize, options.for_each
    plan = Plan(draw, options.columns, options.unknown, *columns)
    before = _stamp(options.records)
    design = designed(text, options.records, Sources(databases=True), options.design)
    tell_reading(design.upload)
    if design.upload.table.most > 1:
        say(several(design.upload.table.most))
    targets = [path for path in (options.released, options.certificate) if path is not None]
    with replacing(targets) as (fresh, *proof):
        release = write_release(
            *(design.result, design.upload, fresh, kind, plan),
            same=design.same,
            progress=_Progress(design.upload.rows),
        )
        if _stamp(options.records) != before:
            raise InvalidInputError(
                f"{options.records} changed while it was read. Run the command again."
            )
        for path in proof:
            body = certificate(release, fresh)
            content = json.dumps(body, indent=1, ensure_ascii=False)
            path.write_text(content + "\n", encoding="utf-8")
    _summary(design, release, options)
    _beside(release, None if options.certificate is None else body["beside"])
    if isinstance(draw, Seeded) and draw.guessable:
        say("The seed is small enough to guess: use it for tests only.")
    return 0


def _beside(release: Release, counted: dict[str, Any] | None) -> None:
    """Say what the columns beside Y reveal, as a certificate has it, or that it was not counted."""
    result, plan, applied = release.result, release.plan, release.applied
    secret = JOINED.join(result.scenario.data.secret)
    if counted is None:
        outputs = {applied.column, *(own.column for own in applied.further)}
        names = [*(name for name in applied.written if name not in outputs), *plan.known]
        if names and plan.columns != OWNERS and applied.cells is not None:
            columns = first_of(list(map(repr, dict.fromkeys(names))), 4)
            say(f"Add --certificate FILE to count what {columns} may reveal about {secret}.")
        return
    names = [*counted["columns"], *counted["known"]]
    levels = beside_of(counted["together"], counted["records"])
    promised = result.mechanism.notion is not None
    notion = release.whole.build_notion(result.joint) if promised else None
    if against := warnings(levels, secret, notion):
        say(f"What a reader has next to Y {listed(against)}.")
    say(file_sentences(levels, names, secret))
    if counted["attack"]:
        say(attack_sentence(Attack(**counted["attack"]), names, secret))


def _draw(options: argparse.Namespace) -> Draw:
    if (options.seed is None) == (options.key is None):
        raise InvalidInputError("Give a seed (--seed N) or a key (--key FILE), not both.")
    if options.seed is not None:
        if options.id is not None:
            raise InvalidInputError("An id (--id) goes with a key (--key FILE), not with a seed.")
        return Seeded.from_text(options.seed)
    if options.id is None:
        raise InvalidInputError(
            "A key needs the column with a unique id for each record (--id COLUMN)."
        )
    return Keyed.from_file(options.key, options.id)


def _stamp(path: Path) -> tuple[int, int] | None:
    """Return a file's size and time of change; None where there is no file."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns


class _Progress:
    """Writes on standard error how many records are done, at most `REPORTED` times."""

    def __init__(self, records: int) -> None:
        self._records = records
        self._reported = 0

    def __call__(self, done: int) -> None:
        tenth = REPORTED * done // self._records
        if tenth > self._reported and done < self._records:
            self._reported = tenth
            say(f"{done:,} of {number_of(self._records, 'record')}")


def _summary(design: Designed, release: Release, options: argparse.Namespace) -> None:
    applied, result = release.applied, release.result
    mechanism = result.mechanism
    title = design.result.counted.report.title
    whose = "" if design.same else f" (made for {title})"
    say(
        f"{mechanism.name}{whose}: {number_of(applied.released, 'record')} of "
        f"{applied.records:,} in {str(options.released)!r}, Y in {columns_of(applied)}."
    )
    for column in release.columns if applied.further else ():
        kept = percent(column.result.mechanism.kept)
        eps = column.result.scenario.eps
        say(f"{column.applied.column!r}: ε = {eps:.4g}, which keeps {kept} of its information.")
    if isinstance(result, ResultForEach):
        known = JOINED.join(result.scenario.data.known)
        groups = number_of(len(result.values), "group")
        say(
            f"A mechanism for each of {groups} of {known!r}: together they keep "
            f"{percent(mechanism.kept)} of the information in X."
        )
    if applied.filtered:
        say(f"{number_of(applied.filtered, 'record')} left out by the scenario's filters.")
    for name, count in applied.unknown[:REPORTED]:
        what = "left out" if options.unknown == LEAVE_OUT else f"taken as {options.unknown!r}"
        say(f"{number_of(count, 'record')} with the unknown value {name!r}: {what}.")
    if applied.unknown[REPORTED:]:
        say(f"{number_of(len(applied.unknown) - REPORTED, 'other unknown value')} likewise.")
