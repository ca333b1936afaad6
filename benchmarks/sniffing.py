"""Find the delimiter of text files: our own guess against DuckDB's `sniff_csv`.

`python -m benchmarks.sniffing [--files 60]` writes tables of each kind with a known delimiter and
number of columns, and counts by whom both are found. "Sniffer first" takes what DuckDB found where
that is a delimiter we read, more than one column and no skipped line, else our own guess.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import duckdb

from core.data.readers.text import DELIMITERS, find_layout
from core.errors import CoreError

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
    "comments above the header": "# made by hand, 2024\n# for x; y\n",
}

KINDS = (*CELLS, "short records", "one or two records", *ABOVE)

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
    writer = csv.writer(text, delimiter=delimiter, lineterminator=rng.choice(["\n", "\r\n"]))
    writer.writerow([f"c{i}" for i in range(width)])
    for i in range(records):
        row = [cell(rng) for cell in columns]
        writer.writerow(row[:-1] if kind == "short records" and i % 7 == 3 else row)
    return (ABOVE.get(kind, "") + text.getvalue()).encode(), (delimiter, width)


def ours(path: Path) -> Found:
    """Return what our own guess finds."""
    try:
        layout = find_layout(path, path.name, None)
    except CoreError:
        return "", 0
    return layout.delimiter, len(layout.columns)


def sniffed(path: Path) -> tuple[Found, int]:
    """Return what DuckDB finds, and how many lines it skips."""
    asked = "SELECT Delimiter, len(Columns), SkipRows FROM sniff_csv(?)"
    try:
        with duckdb.connect() as connection:
            rows = connection.execute(asked, [str(path)]).fetchall()
    except duckdb.Error:
        return ("", 0), 0
    delimiter, width, skipped = rows[0]
    return (delimiter, width), skipped


def compare(kind: str, files: int) -> Counter[str]:
    """Return how many files of a kind each way reads right."""
    rng, right = random.Random(f"7 {kind}"), Counter({"ours": 0, "sniffer": 0, "first": 0})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        for _ in range(files):
            content, known = written(kind, rng)
            path.write_bytes(content)
            own, (found, skipped) = ours(path), sniffed(path)
            plain = found[0] in DELIMITERS and found[1] > 1 and not skipped
            right["ours"] += own == known
            right["sniffer"] += found == known
            right["first"] += (found if plain else own) == known
    return right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=60)
    files = parser.parse_args().files
    print(f"| of {files} files with | ours | DuckDB's sniffer | sniffer first |\n|---|---|---|---|")
    for kind in KINDS:
        right = compare(kind, files)
        print(f"| {kind} | {right['ours']} | {right['sniffer']} | {right['first']} |", flush=True)


if __name__ == "__main__":
    main()
