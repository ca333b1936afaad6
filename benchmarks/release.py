"""Apply a mechanism to a file of records, beside reading and writing the same file.

`python -m benchmarks.release [--rows 10000000]`. Each way runs in its own process, so that its
peak memory is measured alone; times are CPU seconds of all threads in one run, so that ratios hold
on a shared machine. Reading and writing is done by Arrow, with the same batches.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.counting import CHUNK, LEVELS, generate, peak_mb

WAYS = {
    "copy": "read and write (Arrow)",
    "seed": "release, by a seed",
    "key": "release, by a key and ids",
}
"""What is compared."""

KINDS = ("parquet", "csv")
"""Kinds of files."""


def prepare(folder: Path, rows: int, kind: str) -> Path:
    """Write records of S, X, a number and an id."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    plain, path = folder / "plain.parquet", folder / f"records.{kind}"
    generate(plain, rows)
    writer, place = None, 0
    with parquet.ParquetFile(plain) as file:
        for batch in file.iter_batches(CHUNK // 4):
            ids = pa.array(range(place, place + batch.num_rows))
            place += batch.num_rows
            batch = pa.RecordBatch.from_arrays([*batch.columns, ids], ["s", "x", "noise", "id"])
            if writer is None:
                make = parquet.ParquetWriter if kind == "parquet" else csv.CSVWriter
                writer = make(path, batch.schema)
            writer.write_batch(batch)
    assert writer is not None
    writer.close()
    plain.unlink()
    return path


def copy(path: Path, target: Path) -> None:
    """Read all records and write them."""
    from pyarrow import csv, parquet

    if path.suffix == ".parquet":
        file = parquet.ParquetFile(path, pre_buffer=False)
        with file, parquet.ParquetWriter(target, file.schema_arrow) as writer:
            for batch in file.iter_batches(1 << 17, use_threads=False):
                writer.write_batch(batch)
        return
    with csv.open_csv(path) as reader, csv.CSVWriter(target, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def run(way: str, path: Path) -> dict[str, float]:
    """Do one of the ways in this process: CPU seconds, and peak memory in MB."""
    target = path.with_name(f"out{path.suffix}")
    if way == "copy":
        started = time.process_time()
        copy(path, target)
        return {"seconds": time.process_time() - started, "all": 0.0, "peak": peak_mb()}
    import pandas  # noqa: F401  # which Arrow imports for its first array: no part of a release

    from core.data import DataSpec, Sources
    from core.records.applying import apply
    from core.records.design import Plan
    from core.records.draws import Keyed, Seeded
    from core.scenario import Scenario, evaluate

    begun = time.process_time()
    sources = Sources()
    key = sources.add_file(path)
    spec = DataSpec(key, ("s",), ("x",))
    result = evaluate(Scenario(data=spec, notion="lip", eps=1.0, mechanism="watchdog"), sources)
    draw = Seeded(1 << 200) if way == "seed" else Keyed(b"0123456789abcdef", "id")
    started = time.process_time()
    apply(result, sources.uploads[key].table, target, Plan(draw, "replaced"))
    ended = time.process_time()
    return {"seconds": ended - started, "all": ended - begun, "peak": peak_mb()}


def report(rows: int) -> str:
    """Return the comparison as a Markdown table."""
    lines = [
        f"Releasing {rows:,} records of four columns, {LEVELS[0]} × {LEVELS[1]} levels:",
        "",
        "| file | | CPU seconds | ratio | with opening and counting | ratio | peak memory, MB |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            path = prepare(Path(folder), rows, kind)
            results = {way: measure(way, path) for way in WAYS}
        plain = results["copy"]["seconds"]
        for way, title in WAYS.items():
            result = results[way]
            whole = result["all"] or result["seconds"]
            lines.append(
                f"| {kind} | {title} | {result['seconds']:.2f} | {result['seconds'] / plain:.2f} "
                f"| {whole:.2f} | {whole / plain:.2f} | {result['peak']:,.0f} |"
            )
    return "\n".join(lines)


def measure(way: str, path: Path) -> dict[str, float]:
    """Run one way in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.release", "--way", way, "--file", str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.way:
        print(json.dumps(run(chosen.way, chosen.file)))
    else:
        print(report(chosen.rows))


if __name__ == "__main__":
    main()
