"""What the commands of `python -m core` have in common: adding a parser, and reading text files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.data import Sources
from core.data.readers.reading import Upload
from core.errors import InvalidInputError
from core.records.design import named_file
from core.scenario import Scenario
from core.wording import printable


def add_command(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    summary: str,
    description: str | None = None,
    example: str | None = None,
) -> argparse.ArgumentParser:
    """Add a command to those of a parser, and return its own parser.

    Parameters
    ----------
    commands : object
        The result of `ArgumentParser.add_subparsers`.
    name : str
        Name of the command.
    run : callable
        Takes the parsed arguments and returns the exit code.
    summary : str
        One line for the list of commands.
    description, example : str, optional
        Start and end of the command's help; the example keeps its line breaks.

    Examples
    --------
    >>> parser = argparse.ArgumentParser()
    >>> _ = add_command(parser.add_subparsers(), "count", lambda _: 0, summary="count records")
    >>> options = parser.parse_args(["count"])
    >>> options.run(options)
    0
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=example,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def read_text(path: Path, kind: str) -> str:
    """Return the text of a small file; `kind` names the file in the error's sentence."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or no possible path
        raise InvalidInputError(
            f"The {kind} file {str(path)!r} cannot be read: {error}."
        ) from error


def check_apart(read: Iterable[Path | None], written: Iterable[Path | None]) -> None:
    """Raise if a file to be written is one that is read, or is written twice.

    Parameters
    ----------
    read, written : iterable of Path or None
        The files; None stands for an option that is not given.

    Raises
    ------
    InvalidInputError
        If a file is used twice.

    Examples
    --------
    >>> check_apart([Path("in.csv"), None], [Path("out.csv"), None])
    >>> check_apart([Path("in.csv")], [Path("./in.csv")])
    Traceback (most recent call last):
        ...
    core.errors.InvalidInputError: 'in.csv' is used twice: write to another file.
    """
    places = {path.resolve() for path in read if path is not None}
    for path in written:
        if path is None:
            continue
        if path.resolve() in places:
            raise InvalidInputError(f"{str(path)!r} is used twice: write to another file.")
        places.add(path.resolve())


def tell_sheets(upload: Upload) -> None:
    """Say on standard error which sheet of a workbook is read, where it has others."""
    if upload.sheets is not None and (said := upload.sheets.said()):
        print(printable(f"{upload.name}: {said}"), file=sys.stderr)


def read_question(path: Path, data: Path | None = None) -> tuple[Scenario, Sources]:
    """Read a scenario's file, and the file of records that it is about, if it is about one.

    Parameters
    ----------
    path : Path
        The scenario's JSON.
    data : Path, optional
        The records, in place of the scenario's own data.

    Raises
    ------
    InvalidInputError
        If a file cannot be read, or the scenario is about another one.
    """
    scenario, sources = Scenario.from_json(read_text(path, "scenario")), Sources(databases=True)
    return with_file(scenario, sources, data), sources


def with_file(scenario: Scenario, sources: Sources, data: Path | None = None) -> Scenario:
    """Return a scenario about the file that it names, or that is given, which is read.

    Parameters
    ----------
    scenario : Scenario
        The scenario; one that is about no file is returned as it is, unless one is given.
    sources : Sources
        Keeps the file.
    data : Path, optional
        The records, in place of the scenario's own data.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, or the scenario is about another one.
    """
    source = scenario.data.source
    path = named_file(source) if data is None else data
    if path is None:
        return scenario
    read = scenario.data.read
    known = set(sources.uploads)
    key = sources.add_file(path, read.delimiter or None, read.encoding)
    if key not in known:
        tell_sheets(sources.uploads[key])
    if source.startswith("upload:") and source != key:
        raise InvalidInputError(
            f"The scenario is about the file {source[7:19]}…, and {path.name} is {key[7:19]}…: it "
            "is another file or has changed."
        )
    return replace(scenario, data=replace(scenario.data, source=key))
