"""What the commands of `python -m core` have in common: adding a parser, and reading text files."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.errors import InvalidInputError


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
