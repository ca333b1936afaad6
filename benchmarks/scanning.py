"""Count a Parquet file on disk: `core` against a plain GROUP BY of DuckDB in the same run.

`python -m benchmarks.scanning [--rows 100000000] [--rounds 3]`. Each counts in its own process, in
turns, and the best of its rounds counts; all must find the same table. The first question about a
file also reads it for its hash and for marks of missing values, later ones do not. Each process
first counts a small table, so that what happens once in a process is not measured.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.counting import LEVELS, generate

WAYS = {
    "plain": "DuckDB, `SELECT s, x, count(*) … GROUP BY s, x`",
    "again": "`core.data.count`, a later question",
    "first": "`Sources.add_file` and `core.data.count`, the first question",
}
"""What is compared."""


def count_with(way: str, path: Path) -> dict[str, object]:
    """Count in this process: seconds by the clock and of CPU, and the table."""
    import duckdb

    from core.data import DataSpec, Sources, count

    count(DataSpec())  # what a process does once: libraries, the first query of each kind
    sources = Sources()
    source = sources.add_file(path) if way == "again" else ""
    started, worked = time.perf_counter(), time.process_time()
    if way == "plain":
        with duckdb.connect() as connection:
            query = "SELECT s, x, count(*) FROM read_parquet(?) GROUP BY s, x ORDER BY s, x"
            rows = connection.execute(query, [str(path)]).fetchall()
        cells = np.array([n for _, _, n in rows]).reshape(LEVELS)
    else:
        source = source or sources.add_file(path)
        joint = count(DataSpec(source, ("s",), ("x",)), sources).joint
        cells = np.rint(joint.p * joint.n).astype(int)
    seconds, cpu = time.perf_counter() - started, time.process_time() - worked
    return {"seconds": seconds, "cpu": cpu, "cells": cells.tolist()}


def measure(way: str, path: Path) -> dict[str, object]:
    """Run one way in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.scanning", "--way", way, "--file", str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def report(rows: int, rounds: int) -> str:
    """Return the comparison as a Markdown table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.parquet"
        generate(path, rows)
        size = path.stat().st_size / 2**20
        turns = [{way: measure(way, path) for way in WAYS} for _ in range(rounds)]
    cells = turns[0]["plain"]["cells"]
    assert all(result["cells"] == cells for turn in turns for result in turn.values()), (
        "they disagree"
    )
    best = {
        way: {unit: min(turn[way][unit] for turn in turns) for unit in ("seconds", "cpu")}
        for way in WAYS
    }
    lines = [
        f"Counting {rows:,} rows ({size:,.0f} MB of Parquet), {LEVELS[0]} × {LEVELS[1]} levels, "
        f"best of {rounds}:",
        "",
        "| | seconds | seconds of CPU | ratio to the plain query, of CPU |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {title} | {best[way]['seconds']:.2f} | {best[way]['cpu']:.2f} "
        f"| {best[way]['cpu'] / best['plain']['cpu']:.2f} |"
        for way, title in WAYS.items()
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.way:
        print(json.dumps(count_with(chosen.way, chosen.file)))
    else:
        print(report(chosen.rows, chosen.rounds))


if __name__ == "__main__":
    main()
