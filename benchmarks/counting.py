"""Count S × X in a generated Parquet file: DuckDB through `core` against pandas' crosstab.

`python -m benchmarks.counting [--rows 20000000]`. Each counts in its own process, so that its peak
memory is measured alone; both must find the same table.
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

LEVELS = (15, 16)
"""Levels of S and of X, as of occupation and education in Adult."""

CHUNK = 1_000_000
"""Rows that are generated at a time."""

WAYS = {"core": "`core.data.count` (DuckDB)", "pandas": "`pandas.crosstab`"}
"""What is compared."""


def generate(path: Path, rows: int) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(LEVELS[0] * LEVELS[1]))
    s_names = pa.array([f"occupation {i:02}" for i in range(LEVELS[0])])
    x_names = pa.array([f"education {i:02}" for i in range(LEVELS[1])])
    schema = pa.schema([("s", pa.string()), ("x", pa.string()), ("noise", pa.float32())])
    with parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, CHUNK):
            size = min(CHUNK, rows - start)
            cell = rng.choice(len(weights), size, p=weights)
            s = s_names.take(pa.array(cell // LEVELS[1]))
            x = x_names.take(pa.array(cell % LEVELS[1]))
            writer.write_table(pa.table([s, x, rng.random(size, np.float32)], schema=schema))


def count_with(way: str, path: Path) -> dict[str, object]:
    """Count in this process: seconds, peak memory before and after in MB, and the table."""
    if way == "core":
        from core.data import DataSpec, Sources, count

        sources = Sources()
        before, started = peak_mb(), time.perf_counter()
        table = count(DataSpec(sources.add_file(path), ("s",), ("x",)), sources).joint
        seconds = time.perf_counter() - started
        cells = np.rint(table.p * table.n).astype(int).tolist()
    else:
        import pandas as pd

        before, started = peak_mb(), time.perf_counter()
        frame = pd.read_parquet(path, columns=["s", "x"])
        cells = pd.crosstab(frame["s"], frame["x"]).to_numpy().tolist()
        seconds = time.perf_counter() - started
    return {"seconds": seconds, "before": before, "peak": peak_mb(), "cells": cells}


def peak_mb() -> float:
    """Return the peak memory of this process in MB, from Linux's /proc.

    `resource.getrusage` also counts the parent's memory at the fork.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("the kernel gives no VmHWM")


def measure(way: str, path: Path) -> dict[str, object]:
    """Run one way in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.counting", "--way", way, "--file", str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def report(rows: int) -> str:
    """Return the comparison as a Markdown table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.parquet"
        generate(path, rows)
        size = path.stat().st_size / 2**20
        results = {way: measure(way, path) for way in WAYS}
    assert results["core"]["cells"] == results["pandas"]["cells"], "the two disagree"
    ratio = results["pandas"]["seconds"] / results["core"]["seconds"]
    less = results["pandas"]["peak"] / results["core"]["peak"]
    lines = [
        f"Counting {rows:,} rows ({size:,.0f} MB of Parquet), {LEVELS[0]} × {LEVELS[1]} levels:",
        "",
        "| | seconds | peak memory, MB | of it before the count, MB |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {title} | {results[way]['seconds']:.2f} | {results[way]['peak']:,.0f} "
        f"| {results[way]['before']:,.0f} |"
        for way, title in WAYS.items()
    ]
    lines.append(f"| ratio | {ratio:.1f} × faster | {less:.1f} × less | |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.way:
        print(json.dumps(count_with(chosen.way, chosen.file)))
    else:
        print(report(chosen.rows))


if __name__ == "__main__":
    main()
