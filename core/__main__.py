"""Answer, compare, sweep and report scenarios, release files, verify releases, redo the papers."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence

from core.errors import CoreError, unwritten
from core.wording import printable


class Ending:
    """What a request to end does: it interrupts, and is remembered."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self, *_: object) -> None:
        """Interrupt whatever is going on."""
        self.asked = True
        raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None, ending: Ending | None = None) -> int:
    """Run one command and return its exit code.

    An error is one sentence on standard error and code 2; an interrupt is code 3, also where a
    library made an error of its own of it.
    """
    try:
        options = _parser().parse_args(arguments)
        return int(options.run(options))
    except KeyboardInterrupt:
        return _stopped()
    except BrokenPipeError:
        raise
    except Exception as error:
        if ending is not None and ending.asked:
            return _stopped()
        if not isinstance(error, CoreError):
            raise
        print(printable(str(error)), file=sys.stderr)
        return 2


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command as a process of its own: a request to end it is an interrupt.

    A reader of the output who has seen enough, such as `head`, ends it without a word; output that
    cannot be written, as on a full disk, is one sentence and code 2.
    """
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


def _parser() -> argparse.ArgumentParser:
    """Return the parser of all commands, in the order in which `--help` lists them.

    To import them takes seconds: an interrupt is already heard of then.
    """
    from core.command import compare, datasets, evaluate, release, report, reproduce, sweep, verify

    parser = argparse.ArgumentParser(prog="python -m core", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for command in (evaluate, compare, release, verify, report, sweep, reproduce, datasets):
        command.add(commands)
    return parser


def _stopped() -> int:
    print("Stopped: nothing was written, and the same command does it again.", file=sys.stderr)
    return 3


if __name__ == "__main__":
    sys.exit(run())
