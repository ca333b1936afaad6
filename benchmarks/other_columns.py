"""What columns beside Y give away, on a large file: seconds and memory.

`python -m benchmarks.other_columns [RECORDS [COLUMNS]]`: a Parquet of made-up records; each column
is counted by itself, and all of them together; then S is guessed from all of them.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from core.data import DataSpec, Sources
from core.records.other_columns import attacked, given_away
from core.scenario import Scenario, evaluate


def made_up(records: int, columns: int) -> pa.Table:
    """Return records of a secret, an X that depends on it, and columns of 2 to 10,000 values."""
    rng = np.random.default_rng(0)
    secret = rng.integers(0, 2, records)
    x = (2 * secret + rng.integers(0, 12, records)) % 14
    table = {
        "sex": pa.array(["f", "m"]).take(pa.array(secret)),
        "job": pa.array([f"job {i}" for i in range(14)]).take(pa.array(x)),
    }
    for place in range(columns):
        size = round(2 * 5000 ** (place / max(columns - 1, 1)))
        values = (secret + rng.integers(0, size, records)) % size
        kinds = pa.array(values) if place % 3 else pa.array([f"value {i}" for i in range(size)])
        table[f"c{place}"] = kinds if place % 3 else kinds.take(pa.array(values))
    return pa.table(table)


def main() -> None:
    """Measure."""
    arguments = sys.argv[1:]
    records = int(arguments[0]) if arguments else 1_000_000
    columns = int(arguments[1]) if arguments[1:] else 12
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "people.parquet")
        parquet.write_table(made_up(records, columns), path)
        sources = Sources()
        key = sources.add_file(path)
        result = evaluate(Scenario(data=DataSpec(key, ("sex",), ("job",))), sources)
        names = [f"c{place}" for place in range(columns)]
        before, cpu, began = _memory(), time.process_time(), time.perf_counter()
        risks = given_away(result, sources.uploads[key].table, [*([name] for name in names), names])
        seconds = time.perf_counter() - began
        print(
            f"{records:,} records of {columns} other columns: {seconds:.1f} s, "
            f"{time.process_time() - cpu:.1f} CPU s, {_memory():,.0f} MB at most ({before:,.0f} MB "
            f"before); all together determine S for {risks[-1].determined:.1%} of records."
        )
        began = time.perf_counter()
        attack = attacked(result, sources.uploads[key].table, names)
        print(
            f"An attack: {time.perf_counter() - began:.1f} s, {_memory():,.0f} MB at most; "
            f"{attack.right:.1%} right, {attack.blind:.1%} without these columns."
        )


def _memory() -> float:
    """Return the most memory that this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
