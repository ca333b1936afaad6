"""A scheduler of Dask and its workers on this machine, as processes of their own."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[3]

PATIENCE = 600.0
"""Seconds after which a test is given up, however busy the machine is."""


def until(true, process=None):
    """Wait until a call returns something true, and return that."""
    deadline = time.monotonic() + PATIENCE
    while not (result := true()):
        assert time.monotonic() < deadline
        assert process is None or process.poll() is None
        time.sleep(0.005)
    return result


def start(log, program, *arguments, path=ROOT, failures=3):
    """Start a program of Dask in a folder, from which it imports."""
    environment = os.environ | {
        "PYTHONPATH": str(path),
        "OPENBLAS_NUM_THREADS": "1",
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(failures),
    }
    with log.open("w") as sink:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{program}", *arguments],
            env=environment,
            cwd=path,
            stdout=sink,
            stderr=sink,
        )


def logged(log, text, process):
    """Wait until a program's log has a text, and return the rest of its line."""

    def rest():
        _, result, after = log.read_text().partition(text)
        return after.partition("\n")[0].strip() if result and "\n" in after else ""

    return until(rest, process)


@contextmanager
def scheduler(folder, failures=3):
    """Yield the address of a scheduler, and its process."""
    log = folder / "scheduler.log"
    options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    process = start(log, "scheduler", *options, failures=failures)
    try:
        yield logged(log, "Scheduler at:", process), process
    finally:
        end(process)


@contextmanager
def workers(folder, address, count=2, path=ROOT):
    """Yield workers of a scheduler, each a process of one thread."""
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
    logs = [folder / f"worker-{path.name}-{number}.log" for number in range(count)]
    made = [start(log, "worker", address, *options, path=path) for log in logs]
    try:
        for log, process in zip(logs, made, strict=True):
            logged(log, "Registered to:", process)
        yield made
    finally:
        for process in made:
            end(process)


def end(process):
    """End a program and wait for it."""
    process.kill()
    process.wait()
