"""Find the layout of text files: our own guess beside DuckDB, CleverCSV and pandas.

`python -m benchmarks.sniffing [--files 60]` writes tables of each kind with a known delimiter and
number of columns, and counts by whom both are found; "asked" is where ours asks instead.

`python -m benchmarks.sniffing FOLDER CLEAN` reads files that people published and holds names and
cells against clean versions of the same names: CSV in UTF-8, with names `col_0`, `col_1`, … where
the file has none. Names that a file leaves empty or repeats may be any. "by a click" is where the
right table is among what ours offers in its place.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
from pyarrow import parquet

from core.data.options import AS_IT_IS, ReadOptions
from core.data.readers.dialect import DELIMITERS
from core.data.readers.reading import Upload, read_bytes
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

JOINED = ", "
"""A delimiter with a blank."""

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
    "a blank behind each comma",
    "two rows of names",
    "no names",
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
    if kind == "a blank behind each comma":
        return _blanks(rng, width), (JOINED, width)
    columns = [CELLS[kind]] if kind in CELLS else []
    columns += [CELLS[rng.choice(OTHERS)] for _ in range(width - len(columns))]
    rng.shuffle(columns)
    records = rng.choice([1, 2] if kind == "one or two records" else [3, 20, 60])
    text = io.StringIO(newline="")
    end = rng.choice(["\n", "\r\n"])
    more = DIALECTS.get(kind, {})
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, **more)
    if kind == "two rows of names":
        writer.writerow([f"group {i // 2}" if i % 2 == 0 else "" for i in range(width)])
    if kind != "no names":
        writer.writerow([f"c{i}" for i in range(width)])
    for i in range(records):
        row = [cell(rng) for cell in columns]
        writer.writerow(row[:-1] if kind == "short records" and i % 7 == 3 else row)
    body = text.getvalue()
    if kind == "trailing delimiters":
        body = body.replace(end, delimiter + end)
    return (ABOVE.get(kind, "") + body + BELOW.get(kind, "")).encode(), (delimiter, width)


def _blanks(rng: Rng, width: int) -> bytes:
    """Return a file with a blank behind each comma; what has a comma itself is in quotes."""
    kinds = [CELLS[rng.choice((*OTHERS, "commas in prose"))] for _ in range(width)]
    rows = [[cell(rng) for cell in kinds] for _ in range(rng.choice([3, 20, 60]))]
    lines = [[f'"{text}"' if "," in text else text for text in row] for row in rows]
    lines.insert(0, [f"c{i}" for i in range(width)])
    return "".join(JOINED.join(line) + "\n" for line in lines).encode()


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
    dialect = clevercsv.Detector().detect(text)
    if dialect is None:
        return "", 0
    rows = [row for row in clevercsv.reader(text.splitlines(), dialect) if any(row)]
    return dialect.delimiter, len(rows[0]) if rows else 0


def of_pandas(path: Path) -> Found:
    """Return the number of columns that pandas finds; it does not say by which delimiter."""
    try:
        return "", pd.read_csv(path, sep=None, engine="python").shape[1]
    except (ValueError, csv.Error):
        return "", 0


def sniffed(path: Path) -> Found:
    """Return what DuckDB finds."""
    query = "SELECT Delimiter, len(Columns) FROM sniff_csv(?)"
    try:
        with duckdb.connect() as connection:
            rows = connection.execute(query, [str(path)]).fetchall()
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
            plain = known[0].strip(" "), known[1]  # no one else calls the blank a delimiter
            right["DuckDB"] += sniffed(path) == plain
            right["CleverCSV"] += clever(path) == plain
            right["pandas"] += of_pandas(path)[1] == known[1]
    return right


Table = tuple[list[str], list[list[str]]]
"""Names and rows of texts."""

SNIFFED = 100_000
"""First characters by which CleverCSV finds the dialect: its time grows with them."""

UNNAMED = re.compile(r"col_\d+")
"""Names in a clean version of a file that has none."""


def _cell(value: Any) -> str:
    """Return a cell as it is compared: numbers by value, texts without blanks at their ends."""
    text = " ".join(str("" if value is None else value).replace("·", " ").split())
    try:
        return repr(float(text))
    except ValueError:
        return text


def _whole(names: Sequence[Any], rows: Sequence[Sequence[Any]]) -> Table:
    """Return a table without empty rows and columns."""
    texts = [row for row in ([_cell(value) for value in row] for row in rows) if any(row)]
    width = max([len(names), *map(len, texts)])
    titles = [*map(_cell, names), *[""] * (width - len(names))]
    texts = [row + [""] * (width - len(row)) for row in texts]
    used = [i for i in range(width) if any(row[i] for row in texts)]
    return [titles[i] for i in used], [[row[i] for i in used] for row in texts]


def same(table: Table, clean: Table) -> bool:
    """Say whether two tables have the same cells, and the same names where the clean one has."""
    often = Counter(clean[0])
    named = all(
        own == name
        or not name
        or UNNAMED.fullmatch(name)
        or own.startswith(f"{name} (")
        or (often[name] > 1 and own.startswith(name))
        for own, name in zip(table[0], clean[0], strict=False)
    )
    return table[1] == clean[1] and named


def clean_table(path: Path) -> Table:
    """Return the clean version of a file."""
    text = path.read_bytes().decode("utf-8-sig", "replace")
    rows = [*csv.reader(io.StringIO(text, newline=""))] or [[]]  # where there is no record at all
    return _whole(rows[0], rows[1:])


def _of_upload(upload: Upload) -> Table:
    columns = parquet.read_table(upload.table.paths[0]).columns[: len(upload.table.columns)]
    rows = zip(*(column.to_pylist() for column in columns), strict=True)
    return _whole(upload.table.columns, list(rows))


def of_ours(content: bytes, name: str, clean: Table) -> str:
    """Return how we read a file: one of `VERDICTS`."""

    def ways(read: ReadOptions, left: int) -> Iterator[tuple[bool, Table]]:
        """Yield what a file may be read as, at once (True) or by clicks, at most so many."""
        with tempfile.TemporaryDirectory() as folder:
            try:
                upload = read_bytes(content, name, Path(folder), read)
            except CoreError as error:
                choices = [choice.options for choice in getattr(error, "choices", ())]
            else:
                yield left == CLICKS, _of_upload(upload)
                choices = [hint.options for hint in upload.hints]
                choices += [repair.undo for repair in upload.repairs if repair.undo]
        for options in choices if left else ():
            yield from ways(replace(read, **dict(options)), left - 1)

    at_once = None
    for first, table in ways(AS_IT_IS, CLICKS):
        at_once = True if first else at_once
        if same(table, clean):
            return "right" if first else "by a click"
    return "refused" if at_once is None else "otherwise"


CLICKS = 2
"""Most questions that are answered for one file."""

VERDICTS = ("right", "by a click", "refused", "otherwise")


def table_of_pandas(path: Path) -> Table:
    """Return a file as pandas reads it."""
    frame = pd.read_csv(path, sep=None, engine="python", dtype=str, keep_default_na=False)
    return _whole(list(frame.columns), frame.to_numpy().tolist())


def table_of_duckdb(path: Path) -> Table:
    """Return a file as DuckDB reads it."""
    with duckdb.connect() as connection:
        cursor = connection.execute("SELECT * FROM read_csv(?, all_varchar = true)", [str(path)])
        return _whole([column[0] for column in cursor.description], cursor.fetchall())


def table_of_clever(path: Path) -> Table:
    """Return a file as CleverCSV reads it, the first row for the names."""
    clevercsv = import_module("clevercsv")
    text = path.read_text(encoding="utf-8")
    dialect = clevercsv.Detector().detect(text[:SNIFFED])
    names, *rows = clevercsv.reader(io.StringIO(text, newline=""), dialect)
    return _whole(names, rows)


def _read_by(read: Callable[[Path], Table], path: Path) -> Table | None:
    """Return a file as another reader reads it; None where that refuses it."""
    try:
        return read(path)
    except Exception:  # of each reader's own types
        return None


def hold(files: Path, clean: Path) -> None:
    """Print how many files of a folder each way reads as their clean versions are."""
    others = {"CleverCSV": table_of_clever, "DuckDB": table_of_duckdb, "pandas": table_of_pandas}
    if find_spec("clevercsv") is None:
        del others["CleverCSV"]
        print("CleverCSV is not installed, and is left out.\n")
    count = {way: Counter[str]() for way in ("ours", *others)}
    paths = sorted(path for path in files.iterdir() if (clean / path.name).is_file())
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "table.csv"
        for path in paths:
            content, expected = path.read_bytes(), clean_table(clean / path.name)
            count["ours"][of_ours(content, path.name, expected)] += 1
            try:
                plain.write_text(content.decode("utf-8-sig"), encoding="utf-8", newline="")
            except UnicodeDecodeError:  # only the layout is compared
                plain.write_text(content.decode("latin-1"), encoding="utf-8", newline="")
            for way, read in others.items():
                table = _read_by(read, plain)
                if table is None:
                    verdict = "refused"
                else:
                    verdict = "right" if same(table, expected) else "otherwise"
                count[way][verdict] += 1
    print(f"| {len(paths)} files | {' | '.join(VERDICTS)} |\n|---|{'---|' * len(VERDICTS)}")
    for way, tally in count.items():
        print(f"| {way} | {' | '.join(str(tally[verdict]) for verdict in VERDICTS)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="files as they were published")
    parser.add_argument("clean", type=Path, nargs="?", help="their clean versions")
    parser.add_argument("--files", type=int, default=60)
    options = parser.parse_args()
    if (options.folder is None) != (options.clean is None):
        parser.error("give the folder of clean versions too")
    if options.folder is not None:
        hold(options.folder, options.clean)
        return
    ways = ("ours", "asked", "DuckDB", "CleverCSV", "pandas")
    if find_spec("clevercsv") is None:
        ways = tuple(way for way in ways if way != "CleverCSV")
        print("CleverCSV is not installed, and is left out.\n")
    print(f"| of {options.files} files with | {' | '.join(ways)} |\n|---|{'---|' * len(ways)}")
    for kind in KINDS:
        right = compare(kind, options.files)
        print(f"| {kind} | {' | '.join(str(right[way]) for way in ways)} |", flush=True)


if __name__ == "__main__":
    main()
