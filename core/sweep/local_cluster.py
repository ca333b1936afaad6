"""A cluster of Dask on this machine, to try sweeps on one: `python -m core.sweep.local_cluster`."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

from core.errors import InvalidInputError


def main(arguments: Sequence[str] | None = None, wait: Callable[[], Any] | None = None) -> int:
    """Start a scheduler and workers on 127.0.0.1, and end them with Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m core.sweep.local_cluster", description=__doc__)
    parser.add_argument("--port", type=int, default=8786)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    try:
        with _cluster(options.port, options.workers) as cluster:
            print(f"{options.workers} workers at {cluster.scheduler_address}; Ctrl-C ends them.")
            sys.stdout.flush()
            (threading.Event().wait if wait is None else wait)()
    except KeyboardInterrupt:
        pass
    except InvalidInputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _cluster(port: int, workers: int) -> Any:
    try:
        from distributed import LocalCluster
    except ImportError as error:
        raise InvalidInputError(
            "A cluster needs Dask, which is not installed: pip install 'liftscope[cluster]'."
        ) from error
    try:
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            scheduler_port=port,
            dashboard_address="127.0.0.1:0",
        )
    except (OSError, RuntimeError) as error:
        raise InvalidInputError(f"No cluster could be started at port {port}: {error}.") from error


if __name__ == "__main__":
    sys.exit(main())
