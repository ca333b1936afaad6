"""The command `python -m core verify`: check a certificate against the files it describes."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.command.common import add_command, put, read_text, reporting
from core.data.databases.reference import is_reference
from core.records.design import records_file
from core.records.verifying import failed, unproven, verify
from core.wording import number_of, on_one_line

EXAMPLE = """\
examples, after those of `release --help`:
  $ python -m core verify certificate.json released.csv
  $ python -m core verify certificate.json released.csv people.csv \\
      --seed 271441318069823450964175937726450817362

Anyone who has the released file can run the first. The second needs the original: it recomputes
data, levels and draws, and answers the scenario again, within its time limit, to check the proof.
The exit code is 2 if a check fails. It is 3 if the original is given and no check fails, but a
promise depends on something that was not checked, or the proof was not repeated: then give the
data that the mechanism was made for (--design), or the key of the draw (--key)."""
"""The end of `verify --help`; a test runs it."""

MARKS = {True: "holds", False: "FAILS", None: "not checked"}
"""How the outcome of a check is printed."""


def add(commands: Any) -> None:
    parser = add_command(
        commands,
        "verify",
        run,
        summary="check a release's certificate against its files",
        description="Check a certificate's hashes, kernel, counts, levels and notion, and test "
        "that the released outputs are consistent with its kernel.",
        example=EXAMPLE,
    )
    parser.add_argument("certificate", type=Path, help="the certificate's JSON file")
    parser.add_argument("released", type=Path, metavar="RELEASED", help="the released file")
    parser.add_argument(
        "original",
        type=Path,
        nargs="?",
        metavar="ORIGINAL",
        help="the file that was released, or a bundled set's key",
    )
    parser.add_argument("--seed", metavar="N", help="the seed, to repeat every draw")
    parser.add_argument(
        "--key", type=Path, metavar="FILE", help="the key, instead of a seed, to repeat every draw"
    )
    parser.add_argument(
        "--design",
        metavar="FILE",
        help="the records that the mechanism was made for, if not the original or a bundled set: "
        "a file, or a table of a database as the scenario names it",
    )
    parser.add_argument("--json", action="store_true", help="print the checks as JSON")


def run(options: argparse.Namespace) -> int:
    """Print each check; return 2 where one fails, 3 where a promise was not checked."""
    text = read_text(options.certificate, "certificate")
    original = None if options.original is None else records_file(options.original)
    design = options.design
    if design is not None and not is_reference(design):
        design = records_file(Path(design))
    with reporting("Checking"):
        checks = verify(
            text, options.released, original, options.seed, design=design, key=options.key
        )
    if options.json:
        put(json.dumps([asdict(check) for check in checks], indent=2, ensure_ascii=False))
    else:
        for check in checks:
            # a certificate is another's text: in a terminal it could undo lines, or add some
            put(on_one_line(f"{MARKS[check.passed]:<11}  {check.name}: {check.sentence}"))
    wrong = failed(checks)
    if wrong:
        names = ", ".join(check.name for check in wrong)
        print(on_one_line(f"{number_of(len(wrong), 'check')} failed: {names}."), file=sys.stderr)
        return 2
    left = unproven(checks)
    if left:
        names = ", ".join(check.name.removeprefix("promised: ") for check in left)
        print(on_one_line(f"Not everything could be checked: {names}."), file=sys.stderr)
    return 3 if left and original is not None else 0
