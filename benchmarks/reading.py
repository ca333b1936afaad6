"""Read and count a long text file, compared with other checkouts of this one.

`python -m benchmarks.reading [--rows 10000000] [--rounds 3] [FOLDER …]`. Each folder is a checkout;
without one it is this. They take turns, each in a process of its own, and the ratio is that of the
CPU seconds to the first folder's: other work on the machine counts less so. With `--wide` it says
how long this checkout takes for a table of ten thousand columns in each kind of file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv as arrow_csv

ROOT = Path(__file__).parents[1]

LEVELS = {"sex": 2, "occupation": 15, "education": 16, "hours": 99}
"""Columns of the file, and how many levels each has."""

AT_ONCE = 1_000_000
"""Rows that are written together."""

WIDE = 10_000
"""Columns of the widest table."""

MEASURED = """
import json, os, sys, time
from pathlib import Path
from core.data import DataSpec, Sources, count
path, parts = Path(sys.argv[1]), []
sources = Sources()
def used():
    own = os.times()
    return own.user + own.system + own.children_user + own.children_system
start = time.perf_counter()
source = sources.add_file(path)
read = used()
n = count(DataSpec(source, ("sex",), ("occupation",)), sources).joint.n
done = used()
print()  # behind a progress bar of DuckDB, which older checkouts draw
print(json.dumps([read, done - read, time.perf_counter() - start, n]))
"""
"""Prints CPU seconds of reading, with all imports, and of counting; seconds of both; records."""


def written(path: Path, rows: int) -> None:
    """Write a file of records."""
    rng = np.random.default_rng(7)
    schema = pa.schema([(name, pa.string()) for name in LEVELS])
    names = {
        name: pa.array([f"{name} {i}" if size < 50 else str(i) for i in range(size)])
        for name, size in LEVELS.items()
    }
    with arrow_csv.CSVWriter(path, schema) as writer:
        for start in range(0, rows, AT_ONCE):
            size = min(AT_ONCE, rows - start)
            columns = [names[name].take(rng.integers(0, LEVELS[name], size)) for name in LEVELS]
            writer.write_table(pa.table(columns, schema=schema))


def measured(folder: Path, path: Path, rows: int) -> tuple[float, float, float]:
    """Return CPU seconds of reading and of counting by a checkout, and seconds of both."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(path)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        stdout=subprocess.PIPE,
        check=True,
    )
    reading, counting, seconds, n = json.loads(done.stdout.splitlines()[-1])
    assert n == rows
    return reading, counting, seconds


def compare(folders: list[Path], rows: int, rounds: int) -> None:
    """Print a row for each checkout."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "people.csv"
        written(path, rows)
        size = path.stat().st_size / 1e6
        times: dict[Path, list[tuple[float, float, float]]] = {folder: [] for folder in folders}
        for _ in range(rounds):
            for folder in folders:
                times[folder].append(measured(folder, path, rows))
    print(f"{rows:,} records, {size:,.0f} MB, medians of {rounds}:\n")
    print("| checkout | reading, CPU s | counting, CPU s | both, s | ratio of CPU |")
    print("|---|---|---|---|---|")
    first = 0.0
    for folder, runs in times.items():
        reading, counting, seconds = (median(part) for part in zip(*runs, strict=True))
        first = first or reading + counting
        ratio = (reading + counting) / first
        print(f"| {folder.name} | {reading:.1f} | {counting:.1f} | {seconds:.1f} | {ratio:.2f} |")


def wide() -> None:
    """Print for each kind of file what becomes of a table of too many columns, and how soon."""
    from core.data import Sources
    from core.errors import CoreError
    from tests.core.data.readers.books import cell, ods, row

    cells = np.arange(3 * WIDE).reshape(3, WIDE)
    frame = pd.DataFrame(cells, columns=[f"c{i}" for i in range(WIDE)])
    print("| kind | MB | seconds | sentence |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        for kind in ("csv", "parquet", "xlsx", "ods"):
            path = Path(scratch) / f"wide.{kind}"
            match kind:
                case "csv":
                    frame.to_csv(path, index=False)
                case "parquet":
                    frame.to_parquet(path)
                case "xlsx":
                    frame.to_excel(path, index=False)
                case _:
                    rows = [frame.columns, *map(tuple, cells)]
                    sheet = "".join(row(*(cell(str(value)) for value in line)) for line in rows)
                    path.write_bytes(ods({"a": sheet}))
            start = time.perf_counter()
            try:
                Sources().add_file(path)
                outcome = "it opens"
            except CoreError as error:
                outcome = str(error)
            seconds = time.perf_counter() - start
            print(f"| {kind} | {path.stat().st_size / 1e6:.1f} | {seconds:.2f} | {outcome} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, default=[ROOT], metavar="FOLDER")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--wide", action="store_true")
    options = parser.parse_args()
    if options.wide:
        wide()
    else:
        compare([folder.resolve() for folder in options.folders], options.rows, options.rounds)


if __name__ == "__main__":
    main()
