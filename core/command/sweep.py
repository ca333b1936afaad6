"""The command `python -m core sweep`: many scenarios, on data or on random joints."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyarrow import parquet

from core.clock import Stopwatch
from core.codec import plain_json
from core.command.common import (
    REPORTED,
    UNFINISHED,
    add_command,
    check_apart,
    read_text,
    say,
    with_file,
)
from core.data import DataSpec, Sources
from core.errors import InvalidInputError
from core.jobs import Pool
from core.records.design import named_file
from core.records.files import check_name, replacing
from core.scenario import Scenario
from core.sweep import (
    PoolWorkers,
    Results,
    Sweep,
    Workers,
    counted_data,
    counts_hash,
    differences,
    run,
    summary,
)
from core.sweep.cluster import VARIABLE, ClusterLostError, ClusterWorkers, address_of
from core.sweep.findings import as_table, check_axes, front
from core.wording import number_of

EXAMPLE = """\
example:
  $ cat sweep.json
  {"scenario": {"notion": "alip", "lam": 0.6},
   "vary": {"mechanism": ["watchdog", "subset_merging"],
            "eps": {"from": 0.5, "to": 4, "count": 8}},
   "random": {"law": "uniform", "n_s": 5, "n_x": 17, "draws": 20, "seed": 1}}
  $ python -m core sweep sweep.json --out results.parquet --summary means.json \\
      --differences mechanism

"vary" names fields of a scenario; "cases" lists sets of fields that belong together; without
"random" the points use the scenario's data, unless these fields vary it. A stopped sweep continues
with --resume."""
"""The end of `sweep --help`; a test runs it."""


def add(commands: Any) -> None:
    parser = add_command(
        commands,
        "sweep",
        run_command,
        summary="answer many scenarios, on data or on random joints",
        description="Answer every combination of the values in SWEEP, and write the share kept, "
        "its bound and the levels of each to one Parquet file.",
        example=EXAMPLE,
    )
    parser.add_argument("sweep", type=Path, metavar="SWEEP", help="a sweep's JSON file")
    parser.add_argument("--out", type=Path, metavar="FILE.parquet", help="the output file")
    parser.add_argument(
        "--estimate", action="store_true", help="print the size and compute nothing"
    )
    parser.add_argument(
        "--resume", action="store_true", help="continue with the results in FILE.parts"
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="number of processes (default: one per core)"
    )
    parser.add_argument(
        "--scheduler",
        metavar="tcp://HOST:PORT",
        help=f"compute on this Dask cluster; otherwise on that of {VARIABLE}, if set",
    )
    parser.add_argument(
        "--summary", type=Path, metavar="FILE", help="means and quantiles, .json or .parquet"
    )
    parser.add_argument(
        "--differences", metavar="FIELD", help="add paired differences along FIELD to the summary"
    )
    parser.add_argument(
        "--front",
        nargs=2,
        metavar=("COST", "GAIN"),
        help="add the settings that no other setting beats in the means of two measures (JSON "
        "only)",
    )


def run_command(options: argparse.Namespace) -> int:
    """Run a sweep; progress goes to standard error. Return 3 where it ended unfinished."""
    sources = Sources(databases=True)
    requested = Sweep.from_json(read_text(options.sweep, "sweep"))
    _check(options, requested)
    called: dict[str, str] = {}
    sweep = _with_files(requested, sources, called)
    say(f"{number_of(sweep.size, 'point')}: {sweep.described}.")
    if options.estimate:
        seconds = sum(question.time_limit for question in sweep.questions) * sweep.n_draws
        say(f"Searches take at most {seconds:,.0f} s on one processor.")
        return 0
    counted = counted_data(sweep, sources)
    counts = counts_hash(counted)
    with Results(
        sweep, options.out, resume=options.resume, counts=counts, called=called
    ) as results:
        progress = _Progress(sweep.size, results.count)
        try:
            if not results.complete:
                with _workers(options) as workers:
                    ended = run(sweep, results, workers, counted=counted, progress=progress)
                if ended.lost:
                    say(f"{number_of(ended.lost, 'point')} could not be computed: {ended.reason}")
        except (KeyboardInterrupt, ClusterLostError) as error:
            say(str(error) or "Stopped.")
        if not results.complete:
            say(
                f"{results.count:,} of {number_of(sweep.size, 'point')} are kept in "
                f"{str(results.folder)!r}: the same command with --resume continues."
            )
            return UNFINISHED
        say(f"{number_of(sweep.size, 'point')} in {str(options.out)!r}.")
        if options.summary is not None:
            _summarise(results.table(), results.sweep, options)
    return 0


def _check(options: argparse.Namespace, sweep: Sweep) -> None:
    """Raise where the options do not go together, before anything is computed."""
    for path in (options.out, options.summary):
        if path is not None:
            check_name(path)
    sources = {question.data.source for question in sweep.questions}
    check_apart([options.sweep, *map(named_file, sources)], [options.out, options.summary])
    if options.out is None and not options.estimate:
        raise InvalidInputError("Name the output file (--out FILE.parquet).")
    if options.workers is not None and options.workers < 1:
        raise InvalidInputError(f"--workers must be at least 1, got {options.workers}.")
    if options.summary is not None and options.summary.suffix not in (".json", ".parquet"):
        raise InvalidInputError(
            f"A summary ends in .json or .parquet, got {str(options.summary)!r}."
        )
    if options.front is not None and (options.summary is None or options.summary.suffix != ".json"):
        raise InvalidInputError("A front is part of a summary in JSON (--summary FILE.json).")
    if options.front is not None:
        check_axes(sweep.measures, *options.front)
    if options.differences is not None:
        if options.summary is None:
            raise InvalidInputError("Differences are part of a summary (--summary FILE).")
        if options.differences not in sweep.varied:
            known = ", ".join(sweep.varied) or "nothing"
            raise InvalidInputError(
                f"--differences needs a field that varies ({known}), got {options.differences!r}."
            )


def _with_files(sweep: Sweep, sources: Sources, called: dict[str, str]) -> Sweep:
    """Return a sweep with the content's hash in place of each file's name, which `called` takes."""
    requested = {question.data for question in sweep.questions}  # not what random joints stand for

    def read(spec: DataSpec) -> DataSpec:
        return with_file(Scenario(spec), sources, called=called).data if spec in requested else spec

    return sweep.on(read)


@contextmanager
def _workers(options: argparse.Namespace) -> Iterator[Workers]:
    address = address_of(options.scheduler)
    if address is not None:
        with ClusterWorkers(address) as cluster:
            yield cluster
        return
    pool = Pool(options.workers or _processors())
    try:
        yield PoolWorkers(pool)
    finally:
        pool.kill()
        pool.close()


def _processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # pragma: no cover - macOS and Windows


class _Progress:
    """Writes how many points are done, and how long the rest may take."""

    def __init__(self, size: int, before: int) -> None:
        self._size, self._before = size, before
        self._reported, self._last = before, 0.0
        self._taken = Stopwatch()

    def __call__(self, done: int) -> None:
        now = self._taken.seconds
        enough = (done - self._reported) * REPORTED >= self._size or now - self._last > 30.0
        if enough and done < self._size:
            left = now * (self._size - done) / (done - self._before)
            self._reported, self._last = done, now
            say(f"{done:,} of {number_of(self._size, 'point')}, about {left:,.0f} s left")


def _summarise(table: Any, sweep: Sweep, options: argparse.Namespace) -> None:
    """Write means, and differences where they are requested."""
    means = summary(table, sweep)
    best = front(means, *options.front) if options.front else []
    apart = differences(table, sweep, options.differences) if options.differences else []
    with replacing([options.summary]) as (fresh,):
        if options.summary.suffix == ".parquet":
            rows = [{"than": None, **row} for row in means] + apart
            parquet.write_table(as_table(rows), fresh)
        else:
            content = {"summary": means} | ({"differences": apart} if options.differences else {})
            content |= {"front": best} if options.front else {}
            text = json.dumps(plain_json(content), indent=1, ensure_ascii=False)
            fresh.write_text(text + "\n", encoding="utf-8")
