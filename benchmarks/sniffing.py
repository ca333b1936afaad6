"""Find the layout of text files: our own guess beside DuckDB, CleverCSV and pandas.

`python -m benchmarks.sniffing [--files 60]` writes tables of each kind with a known delimiter and
number of columns, and counts by whom both are found; "asked" is where ours asks instead.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd

from core.data.options import AS_IT_IS
from core.data.readers.dialect import DELIMITERS
from core.data.readers.text import find_layout
from core.errors import CoreError, ReadingError

Rng = random.Random

CELLS: dict[str, Callable[[Rng], str]] = {
    "words": lambda rng: rng.choice(["nurse", "clerk", "a", "b", "Süd"]),
    "decimal commas": lambda rng: f"{rng.randint(0, 999)},{rng.randint(0, 99)}",
    "marks of thousands": lambda rng: f"{rng.randint(10**6, 10**9):,}",
    "commas in prose": lambda rng: rng.choice(["well, yes", "no; thanks, I am fine", "tall", "x"]),
    "dates and times": lambda rng: f"{rng.randint(1, 28):02}.03.2024 {rng.randint(0, 23):02}:59",
    "line breaks in quotes": lambda rng: rng.choice(["line\nbreak", "one", "two, three\nfour"]),
    "vertical bars": lambda rng: rng.choice(["a|b", "c", "d|e|f"]),
    "apostrophes": lambda rng: rng.choice(["O'Brien", "it's", "d'accord", "x"]),
    "quotes": lambda rng: rng.choice(['say "hi"', '"q"', "y"]),
    "blanks": lambda rng: rng.choice(["", "a"]),
}
"""What one column of a table of each kind has; the others have words or numbers with commas."""

ABOVE = {
    "a note above the header": "Source: the office, 2024\n",
    "two titles above the header": "Report on pay\nby region; revised\n\n",
    "comments above the header": "# made by hand, 2024\n# for x; y\n",
}

BELOW = {"notes below": "\nSource: the office\n* revised\n"}

DIALECTS: dict[str, dict[str, Any]] = {
    "quoted by apostrophes": {"quotechar": "'", "quoting": csv.QUOTE_ALL},
    "quotes behind backslashes": {
        "doublequote": False,
        "escapechar": "\\",
        "quoting": csv.QUOTE_ALL,
    },
}

KINDS = (
    *CELLS,
    "short records",
    "one or two records",
    "trailing delimiters",
    *ABOVE,
    *BELOW,
    *DIALECTS,
)

OTHERS = ("words", "decimal commas", "marks of thousands")

Found = tuple[str, int]
"""A delimiter, and a number of columns."""


def written(kind: str, rng: Rng) -> tuple[bytes, Found]:
    """Return a file of a kind, with its delimiter and its number of columns."""
    delimiter, width = rng.choice([*DELIMITERS]), rng.randint(2, 5)
    columns = [CELLS[kind]] if kind in CELLS else []
    columns += [CELLS[rng.choice(OTHERS)] for _ in range(width - len(columns))]
    rng.shuffle(columns)
    records = rng.choice([1, 2] if kind == "one or two records" else [3, 20, 60])
    text = io.StringIO(newline="")
    end = rng.choice(["\n", "\r\n"])
    more = DIALECTS.get(kind, {})
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, **more)
    writer.writerow([f"c{i}" for i in range(width)])
    for i in range(records):
        row = [cell(rng) for cell in columns]
        writer.writerow(row[:-1] if kind == "short records" and i % 7 == 3 else row)
    body = text.getvalue()
    if kind == "trailing delimiters":
        body = body.replace(end, delimiter + end)
    return (ABOVE.get(kind, "") + body + BELOW.get(kind, "")).encode(), (delimiter, width)


def ours(path: Path) -> Found | None:
    """Return what our own guess finds; None where it asks."""
    try:
        layout = find_layout(path, path.name, AS_IT_IS)
    except ReadingError as error:
        return None if error.choices else ("", 0)
    except CoreError:
        return "", 0
    return layout.delimiter, layout.width - len(layout.columns.unnamed)


def clever(path: Path) -> Found:
    """Return what CleverCSV finds, which is not among our requirements."""
    if find_spec("clevercsv") is None:
        return "not installed", 0
    clevercsv = import_module("clevercsv")
    text = path.read_text()
    found = clevercsv.Detector().detect(text)
    if found is None:
        return "", 0
    rows = [row for row in clevercsv.reader(text.splitlines(), found) if any(row)]
    return found.delimiter, len(rows[0]) if rows else 0


def of_pandas(path: Path) -> Found:
    """Return the number of columns that pandas finds; it does not say by which delimiter."""
    try:
        return "", pd.read_csv(path, sep=None, engine="python").shape[1]
    except (ValueError, csv.Error):
        return "", 0


def sniffed(path: Path) -> Found:
    """Return what DuckDB finds."""
    asked = "SELECT Delimiter, len(Columns) FROM sniff_csv(?)"
    try:
        with duckdb.connect() as connection:
            rows = connection.execute(asked, [str(path)]).fetchall()
    except duckdb.Error:
        return "", 0
    delimiter, width = rows[0]
    return delimiter, width


def compare(kind: str, files: int) -> Counter[str]:
    """Return how many files of a kind each way reads right."""
    rng, right = random.Random(f"7 {kind}"), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        for _ in range(files):
            content, known = written(kind, rng)
            path.write_bytes(content)
            own = ours(path)
            right["ours"] += own == known
            right["asked"] += own is None
            right["DuckDB"] += sniffed(path) == known
            right["CleverCSV"] += clever(path) == known
            right["pandas"] += of_pandas(path)[1] == known[1]
    return right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=60)
    files = parser.parse_args().files
    ways = ("ours", "asked", "DuckDB", "CleverCSV", "pandas")
    print(f"| of {files} files with | {' | '.join(ways)} |\n|---|{'---|' * len(ways)}")
    for kind in KINDS:
        right = compare(kind, files)
        print(f"| {kind} | {' | '.join(str(right[way]) for way in ways)} |", flush=True)


if __name__ == "__main__":
    main()
