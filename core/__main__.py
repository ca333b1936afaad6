"""Answer, compare, sweep and report scenarios; release and verify files; rerun the papers."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

from core.errors import CoreError, ReadingError, unwritten
from core.wording import printable

COMMANDS = (
    "evaluate",
    "compare",
    "release",
    "verify",
    "report",
    "sweep",
    "reproduce",
    "datasets",
)
"""In the order in which `--help` lists them; each has its module, imported when needed."""


class Ending:
    """What a request to end does: it interrupts, and is remembered."""

    def __init__(self) -> None:
        self.requested = False

    def __call__(self, *_: object) -> None:
        self.requested = True
        raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None, ending: Ending | None = None) -> int:
    """Run one command and return its exit code: 2 after an error, 3 after an interrupt."""
    try:
        words = sys.argv[1:] if arguments is None else list(arguments)
        options = _parser(words).parse_args(words)
        return int(options.run(options))
    except KeyboardInterrupt:
        return _stopped()
    except BrokenPipeError:
        raise
    except Exception as error:
        if ending is not None and ending.requested:
            return _stopped()
        if not isinstance(error, CoreError):
            raise
        print(printable(str(error)), file=sys.stderr)
        for choice in error.choices if isinstance(error, ReadingError) else ():
            print(printable(f"  {choice.setting}   {choice.label}"), file=sys.stderr)
        return 2


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command as a process of its own; a reader who closes the output early is no error."""
    ending = Ending()
    signal.signal(signal.SIGINT, ending)
    signal.signal(signal.SIGTERM, ending)
    try:
        code = main(arguments, ending)
    except BrokenPipeError:
        code = 1
    except SystemExit as ended:  # the parser's: after its help 0, after a wrong option 2
        code = ended.code if isinstance(ended.code, int) else 2
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = 1
    except OSError as error:
        if code in (0, 3):
            print(unwritten(error), file=sys.stderr)
        code = 2
    else:
        return code
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left to be written
    return code


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of the requested command, or of all commands where none is named."""
    named = tuple(arguments[:1])
    parser = argparse.ArgumentParser(prog="python -m core", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in named if named and named[0] in COMMANDS else COMMANDS:
        import_module(f"core.command.{name}").add(commands)
    return parser


def _stopped() -> int:
    print("Stopped: nothing was written. Run the same command again.", file=sys.stderr)
    return 3


if __name__ == "__main__":
    sys.exit(run())
