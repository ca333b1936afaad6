"""Answer, compare and report scenarios, release files and verify releases."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence

from core.command import compare, datasets, evaluate, release, report, verify
from core.errors import CoreError

COMMANDS = (evaluate, compare, release, verify, report, datasets)
"""The modules of the commands, in the order in which `--help` lists them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    An error is one sentence on standard error and code 2; an interrupt is code 3.
    """
    parser = argparse.ArgumentParser(prog="python -m core", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for command in COMMANDS:
        command.add(commands)
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except CoreError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped: nothing was written, and the same command does it again.", file=sys.stderr)
        return 3


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command as a process of its own: a request to end it is an interrupt."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return main(arguments)


if __name__ == "__main__":
    sys.exit(run())
