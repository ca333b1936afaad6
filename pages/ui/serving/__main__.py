"""Serve the dashboard by several processes: `python -m pages.ui.serving --replicas 2`."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence

from core.errors import CoreError
from pages.ui.serving.patches import stop_when_hung_up
from pages.ui.serving.running import Replicas, ending


def main(arguments: Sequence[str] | None = None) -> int:
    """Start servers and their proxy, and keep them until Ctrl-C, SIGTERM or a closed terminal."""
    parser = argparse.ArgumentParser(prog="python -m pages.ui.serving", description=__doc__)
    parser.add_argument("--replicas", type=int, default=2, help="number of servers")
    parser.add_argument("--port", type=int, default=8501)
    parser.add_argument("--address", default="127.0.0.1", help="that the proxy listens on")
    options = parser.parse_args(arguments)
    ended = ending()
    stop_when_hung_up()
    try:
        with Replicas(options.replicas, options.port, options.address) as replicas:
            address = f"http://{options.address}:{options.port}"
            print(f"{options.replicas} servers at {address}; Ctrl-C ends.")
            sys.stdout.flush()
            replicas.watch(ended, lambda message: print(message, file=sys.stderr, flush=True))
    except CoreError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    status = main()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):  # its terminal may be closed
            stream.flush()
    os._exit(status)  # to take a thousand modules apart would take a busy machine seconds
