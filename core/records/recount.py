"""Count a file again, and its levels, with code that shares nothing with the release.

It uses Python's csv module, Arrow's reader and dictionaries, and sums over pairs by definition.
"""

from __future__ import annotations

import bisect
import csv
import datetime
import decimal
import math
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import fsum, inf, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from core.data.hierarchies import Hierarchy
from core.data.spec import DataSpec, Filter
from core.errors import InvalidInputError
from core.records.design import stand_in
from core.records.fields import kept_levels
from core.texts import as_level, number, stripped
from core.validation import FloatArray, IntArray

BLANKS = {"?", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null", "none", "-", "--", "."}
"""Texts, in lower case, that mean a missing number."""

MISSING = "(missing)"
"""The level of a missing value."""

UNKNOWN = -1
"""Index of the symbol of a record whose value the certificate does not list."""

NO_NUMBER = object()
"""The level of a text that is no number, in a column of numbers with bins."""

SEPARATORS = (",", "\t", ";", "|")
"""Possible separators of the fields of a text file."""


@dataclass(frozen=True, eq=False)
class Recount:
    """The records of a file, by a certificate's symbols; `filtered` are left out by the scenario.

    Shapes: rows of the kernel, places in S (−1 where it is not known) and places in the file of the
    records to release (n,); cells (n_s, n_x), None where the file has no S. `weights`: as cells,
    sums of sampling weights in place of numbers of records, where the scenario has any.
    """

    records: int
    filtered: int
    unknown: int  # those of the others that have no row of the kernel
    rows: IntArray
    secrets: IntArray
    places: IntArray
    cells: FloatArray | None
    weights: FloatArray | None


@dataclass(frozen=True, eq=False)
class Column:
    """A column's distinct values, and the index of each record's value, shape (n,)."""

    values: Sequence[Any]
    index: IntArray
    single: bool = False  # whether it holds numbers of single precision

    def short(self) -> Column:
        """Return it with the digits that its numbers are written with: 0.1 of single precision."""
        if not self.single:
            return self
        values = [None if value is None else float(str(np.float32(value))) for value in self.values]
        return replace(self, values=values)


def recount(
    body: Mapping[str, Any], spec: DataSpec, path: Path, names: Sequence[str] | None = None
) -> Recount:
    """Count a file by a certificate's symbols."""
    design = body["design"]
    secret, released = design["coding"]
    needed = [*released["columns"], *(chosen.column for chosen in spec.filters)]
    pairs = spec.secret_released
    reads_s = bool(body["mechanism"]["reads_s"])
    needs_s = pairs or reads_s or spec.without(tuple(secret["columns"]))
    sampling = spec.read.sampling
    wanted = [*needed, *secret["columns"], *([sampling] if sampling else ())]
    columns, size = read_columns(path, wanted, names)
    for name in needed + (secret["columns"] if needs_s else []):
        if name not in columns:
            raise InvalidInputError(f"{path.name} has no column {name!r}, which the release read.")
    marked = set(design["marked"])
    included = np.ones(size, dtype=bool)
    for chosen in spec.filters:
        column = columns[chosen.column]
        column = column.short() if chosen.low is None and chosen.high is None else column
        passing = [_passes(value, chosen, chosen.column in marked) for value in column.values]
        included &= np.array(passing, dtype=bool)[column.index]
    keep = spec.missing == "level"
    coarser = {hierarchy.column: hierarchy for hierarchy in spec.hierarchies}
    x = _symbols(released, columns, size, marked, keep, coarser)
    has_s = all(name in columns for name in secret["columns"])
    s = _symbols(secret, columns, size, marked, keep, coarser) if has_s else np.full(size, UNKNOWN)
    for side, symbols in ((secret, s), (released, x)):
        gone = spec.without(tuple(side["columns"]))
        included &= ~np.array([*(symbol["label"] in gone for symbol in side["symbols"]), False])[
            symbols
        ]
    place_s = _places([symbol["label"] for symbol in secret["symbols"]], design["s"])[s]
    inputs = body["mechanism"]["inputs"]
    if pairs:
        own = [symbol["label"] for symbol in released["symbols"]]
        table = [_places([f"{a['label']} · {b}" for b in own], inputs) for a in secret["symbols"]]
        place_x = np.array([*table, np.full(len(own) + 1, UNKNOWN)])[s, x]
    else:
        place_x = _places([symbol["label"] for symbol in released["symbols"]], inputs)[x]
    rows = place_x
    if reads_s:
        known = (place_s >= 0) & (place_x >= 0)
        rows = np.where(known, place_s * len(inputs) + place_x, UNKNOWN)
    unknown = int((included & (rows < 0)).sum())
    rows = _with_fallback(rows, place_s, body)
    cells = weights = None
    if has_s:
        whole = included & (place_s >= 0) & (place_x >= 0)
        cells = np.zeros((len(design["s"]), len(inputs)))
        np.add.at(cells, (place_s[whole], place_x[whole]), 1)
        weights = np.zeros_like(cells)
        values = _weights(columns.get(sampling), size)
        np.add.at(weights, (place_s[whole], place_x[whole]), values[whole])
    places = np.flatnonzero(included & (rows >= 0))
    filtered = int((~included).sum())
    known = rows[places], place_s[places], places
    return Recount(size, filtered, unknown, *known, cells, weights)


def _weights(column: Column | None, size: int) -> FloatArray:
    """Return the weight of each record by a column of sampling weights; 1 each without one."""
    if column is None:
        return np.ones(size)
    values = np.array([_number(value) or 0.0 for value in column.values])
    result: FloatArray = values[column.index]
    return result


def texts_of(path: Path, name: str, names: Sequence[str] | None = None) -> list[str | None]:
    """Return a column's values as text, None where one is missing; arguments as `recount`."""
    columns, _ = read_columns(path, [name], names)
    if name not in columns:
        raise InvalidInputError(f"{path.name} has no column {name!r}, which the release read.")
    texts = [
        stripped(value) or None if isinstance(value, str) else _text(value)
        for value in columns[name].short().values
    ]
    return [texts[place] for place in columns[name].index.tolist()]


def most_of_one(path: Path, name: str, names: Sequence[str] | None) -> int:
    """Return how many records have the most frequent value of a column; arguments as `recount`."""
    columns, _ = read_columns(path, [name], names)
    if name not in columns:
        raise InvalidInputError(f"{path.name} has no column {name!r}, which identifies persons.")
    column = columns[name].short()
    times = np.bincount(column.index, minlength=len(column.values))
    each: Counter[str | None] = Counter()
    for value, n in zip(column.values, times.tolist(), strict=True):
        each[_text(value)] += n
    return max(each.values(), default=0)


def _with_fallback(rows: IntArray, place_s: IntArray, body: Mapping[str, Any]) -> IntArray:
    """Return rows, unknown ones as those of the symbol that they were taken for, if any."""
    inputs, symbol = body["mechanism"]["inputs"], stand_in(body["unknown"]["treatment"])
    if symbol is None or symbol not in inputs:
        return rows
    instead = np.full_like(rows, inputs.index(symbol))
    if body["mechanism"]["reads_s"]:
        instead = np.where(place_s >= 0, place_s * len(inputs) + instead, UNKNOWN)
    return np.where(rows >= 0, rows, instead)


def _places(labels: Sequence[str], names: Sequence[str]) -> IntArray:
    place = {name: i for i, name in enumerate(names)}
    return np.array([*(place.get(label, UNKNOWN) for label in labels), UNKNOWN], dtype=np.int64)


def _symbols(
    coding: Mapping[str, Any],
    columns: Mapping[str, Column],
    size: int,
    marked: set[str],
    keep_missing: bool,
    hierarchies: Mapping[str, Hierarchy],
) -> IntArray:
    """Return the symbol of each record, `UNKNOWN` where it has none."""
    levels = []
    for name, edges in zip(coding["columns"], coding["edges"], strict=True):
        column = columns[name].short() if edges is None else columns[name]
        own = [_level(value, edges, name in marked) for value in column.values]
        levels.append([_coarser(level, hierarchies.get(name)) for level in own])
    groups = coding.get("groups") or [None] * len(levels)
    for place, group in enumerate(groups):
        if group is not None:
            counted = kept_levels(coding, place)
            levels[place] = [
                level
                if level in counted or level is NO_NUMBER or (level is None and not keep_missing)
                else group
                for level in levels[place]
            ]
    known = {
        tuple(symbol["levels"]): i
        for i, symbol in enumerate(coding["symbols"])
        if not symbol["rare"]
    }
    rare = next((i for i, symbol in enumerate(coding["symbols"]) if symbol["rare"]), UNKNOWN)
    index = [columns[name].index for name in coding["columns"]]
    seen: dict[tuple[int, ...], int] = {}
    symbols = np.empty(size, dtype=np.int64)
    for record, places in enumerate(zip(*(places_of.tolist() for places_of in index), strict=True)):
        if places not in seen:
            key = tuple(values[place] for values, place in zip(levels, places, strict=True))
            countable = all(
                part is not NO_NUMBER and (keep_missing or part is not None) for part in key
            )
            seen[places] = known.get(key, rare if countable else UNKNOWN)
        symbols[record] = seen[places]
    return symbols


def _coarser(level: Any, hierarchy: Hierarchy | None) -> Any:
    """Return a level at the scenario's level of its hierarchy; `NO_NUMBER` where it has none."""
    if hierarchy is None or hierarchy.level == 0 or not isinstance(level, str):
        return level
    if hierarchy.kind == "prefix":
        return level[: round(hierarchy.steps[hierarchy.level - 1])] + "*"
    if hierarchy.kind == "table":
        coarser = [row[hierarchy.level] for row in hierarchy.rows if row[0] == level]
        return coarser[0] if coarser else NO_NUMBER
    return level


def _level(value: Any, edges: Sequence[float] | None, marked: bool) -> Any:
    """Return a value's level: text, the index of a bin, None if missing, or `NO_NUMBER`."""
    text = _text(value)
    if text is None or (marked and isinstance(value, str) and text.lower() in BLANKS):
        return None
    if edges is None:
        return text
    parsed = _number(value)
    if parsed is None and isinstance(value, str) and text.lower() not in BLANKS:
        return NO_NUMBER
    if parsed is None or math.isnan(parsed):
        return None
    if parsed < edges[0]:
        return 0
    if parsed > edges[-1]:
        return len(edges)
    return min(max(bisect.bisect_right(edges, parsed), 1), len(edges) - 1)


_PLAIN = {chr(code) for code in range(32, 127)} - set("\\'\"")
"""Characters that DuckDB writes as they are in the text of bytes."""


def _text(value: Any) -> str | None:
    """Return a value as the text of its level; None where it is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        return as_level(value) or None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return "".join(chr(b) if chr(b) in _PLAIN else f"\\x{b:02X}" for b in value)
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    if isinstance(value, float):
        return repr(value + 0.0).removesuffix(".0")
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return short_time(str(value.astimezone(datetime.UTC).replace(tzinfo=None))) + "+00"
    if isinstance(value, datetime.datetime | datetime.time):
        return short_time(str(value))
    return str(value)


def short_time(text: str) -> str:
    """Return the text of a time without zeros at the end of its seconds."""
    return _ZEROS.sub(r"\1", text)


_ZEROS = re.compile(r"(\.\d*[1-9])0+(?=\D|$)|\.0+(?=\D|$)")
"""Zeros at the end of a part of a second, or all of it."""


def _number(value: Any) -> float | None:
    """Return a value as a number or NaN, None where it is neither."""
    if not isinstance(value, str):
        return float(value) if isinstance(value, int | float | decimal.Decimal) else None
    return number(value)


def _passes(value: Any, chosen: Filter, marked: bool) -> bool:
    low, high = chosen.low, chosen.high
    blank = marked and isinstance(value, str) and as_level(value).lower() in BLANKS
    if low is None and high is None:
        kept = map(as_level, chosen.levels)
        return (MISSING if blank else _text(value) or MISSING) in kept
    parsed = None if blank else _number(value)
    return parsed is not None and (
        (low is None or parsed >= low) and (high is None or parsed <= high)
    )


def read_columns(
    path: Path, names: Sequence[str], called: Sequence[str] | None = None
) -> tuple[dict[str, Column], int]:
    """Return those of the named columns that a file has, and its number of records."""
    with _readable(path) as is_parquet:
        return _of_parquet(path, set(names), called) if is_parquet else _of_text(path, set(names))


@contextmanager
def _readable(path: Path) -> Iterator[bool]:
    """Say whether a file is Parquet; errors of reading it get one sentence."""
    try:
        with path.open("rb") as file:
            yield file.read(4) == b"PAR1"
    except (OSError, ValueError, pa.ArrowException, csv.Error) as error:
        if isinstance(error, InvalidInputError):
            raise
        why = next(iter(str(error).splitlines()), type(error).__name__).rstrip(".")
        raise InvalidInputError(
            f"{str(path)!r} cannot be read as Parquet or as text in UTF-8: {why}."
        ) from error


def _of_parquet(
    path: Path, names: set[str], called: Sequence[str] | None
) -> tuple[dict[str, Column], int]:
    with parquet.ParquetFile(path) as file:
        columns = {}
        have = file.schema_arrow.names
        for written, name in zip(have, called or [title.strip() for title in have], strict=True):
            if name in names:
                table = file.read(columns=[written])
                values = table.column(0).combine_chunks()
                if pa.types.is_nested(values.type):
                    raise InvalidInputError(
                        f"Column {name!r} of {path.name} is nested: it cannot be recounted."
                    )
                values = _encodable(values)
                if not pa.types.is_dictionary(values.type):
                    values = values.dictionary_encode(null_encoding="encode")
                index = values.indices.fill_null(len(values.dictionary)).to_numpy()
                kind = values.dictionary.type
                single = pa.types.is_float32(kind) or pa.types.is_float16(kind)
                columns[name] = Column([*_of_python(values.dictionary), None], index, single)
        return columns, file.metadata.num_rows


def _encodable(values: Any) -> Any:
    """Return Arrow values in a type that Arrow encodes, durations as the numbers they are."""
    if isinstance(values.type, pa.BaseExtensionType):
        values = values.storage
    kind = values.type
    if pa.types.is_duration(kind):
        return values.cast(pa.int64())
    if pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
        return values.cast(pa.decimal128(kind.precision, kind.scale))
    return values.cast(pa.binary()) if pa.types.is_binary_view(kind) else values  # null is not b""


def _of_python(values: Any) -> list[Any]:
    """Return Arrow values as Python's; times of day finer than those as texts."""
    if pa.types.is_time64(values.type):
        try:
            values.cast(pa.time64("us"))
        except pa.ArrowInvalid:
            texts = values.cast(pa.string()).to_pylist()
            return [None if time is None else short_time(time) for time in texts]
    plain: list[Any] = values.to_pylist()
    return plain


def _of_text(path: Path, names: set[str]) -> tuple[dict[str, Column], int]:
    """Read a text file, with the separator of `_separator`."""
    rows = _rows(path, _separator(path, names))
    header = [name.strip() for name in next(rows, [])]
    places = [(name, header.index(name)) for name in sorted(names) if name in header]
    tables: list[dict[str, int]] = [{} for _ in places]
    index = [array("q") for _ in places]
    size = 0
    for row in rows:
        size += 1
        if len(row) != len(header):
            raise InvalidInputError(
                f"Record {size:,} of {path.name} has {len(row)} fields, but its "
                f"header has {len(header)}."
            )
        for (_, place), table, places_of in zip(places, tables, index, strict=True):
            places_of.append(table.setdefault(row[place], len(table)))
    columns = {
        name: Column(list(table), np.array(places_of, dtype=np.int64))
        for (name, _), table, places_of in zip(places, tables, index, strict=True)
    }
    return columns, size


def _separator(path: Path, names: set[str]) -> str:
    """Return the separator that yields the most of the names, then the most fields."""

    def score(separator: str) -> tuple[int, int]:
        header = [name.strip() for name in next(_rows(path, separator), [])]
        return len(names.intersection(header)), len(header)

    return max(SEPARATORS, key=score)


def header_of(path: Path, names: Sequence[str]) -> list[str]:
    """Return all columns of a file; arguments and errors as `read_columns`."""
    with _readable(path) as is_parquet:
        if is_parquet:
            return [name.strip() for name in parquet.read_schema(path).names]
        return [name.strip() for name in next(_rows(path, _separator(path, set(names))), [])]


def _rows(path: Path, separator: str) -> Iterator[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.reader(file, delimiter=separator):
            if len(row) > 1 or "".join(row).strip():
                yield row


def plain_levels(joint_sy: Sequence[Sequence[float]]) -> dict[str, float]:
    """Return the levels of P(s, y), (n_s, n_y), that have a closed formula, by the notion's key."""
    p_s = [fsum(row) for row in joint_sy]
    columns = [column for column in zip(*joint_sy, strict=True) if fsum(column) > 0]
    lowest, highest, ratio, l1, chi2, kl, guess = inf, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0
    information, distance, squares, leakage, guessing = [], [], [], [], []
    for column in columns:
        p_y = fsum(column)
        lifts = [p / (s * p_y) for p, s in zip(column, p_s, strict=True)]
        lowest, highest = min(lowest, *lifts), max(highest, *lifts)
        ratio = max(ratio, max(lifts) / min(lifts) if min(lifts) > 0 else inf)
        away = fsum(s * abs(lift - 1) for s, lift in zip(p_s, lifts, strict=True))
        square = fsum(s * (lift - 1) ** 2 for s, lift in zip(p_s, lifts, strict=True))
        divergence = fsum(s * k * log(k) for s, k in zip(p_s, lifts, strict=True) if k > 0)
        l1, chi2, kl = max(l1, away), max(chi2, square), max(kl, divergence)
        guess = max(guess, max(column) / p_y)
        information.append(p_y * divergence)
        distance.append(p_y * away / 2)
        squares.append(p_y * square)
        leakage.append(p_y * max(lifts))
        guessing.append(max(column))
    low = -log(lowest) if lowest > 0 else inf
    return {
        "lip": max(low, log(highest), 0.0),
        "ldp": log(ratio) if ratio < inf else inf,
        "pml": max(log(highest), 0.0),
        "min_lift": max(low, 0.0),
        "l1_upper": log(1 + l1),
        "chi2_upper": log(1 + sqrt(chi2)),
        "kl": max(kl, 0.0),
        "guess": guess,
        "average_mi": max(fsum(information), 0.0),
        "average_tv": fsum(distance),
        "average_chi2": fsum(squares),
        "average_leakage": max(log(fsum(leakage)), 0.0),
        "average_guess": fsum(guessing),
    }


def released(cells: FloatArray, kernel: FloatArray, reads_s: bool) -> list[list[float]]:
    """Return P(s, y) of counts (n_s, n_x) under a kernel, without secrets that no record has."""
    masses = []
    for terms in _terms(cells, kernel, reads_s):
        outputs: list[list[float]] = [[] for _ in range(kernel.shape[1])]
        for _, y, p in terms:
            outputs[y].append(p)
        masses.append([fsum(parts) for parts in outputs])
    return [own for s, own in enumerate(masses) if cells[s].any()]


def _terms(
    cells: FloatArray, kernel: FloatArray, reads_s: bool
) -> Iterator[Iterator[tuple[int, int, float]]]:
    """Yield for each secret its x, y and P(s, x, y), where this is above 0."""
    total = float(cells.sum())
    n_s, n_x = cells.shape
    leads = [np.flatnonzero(row).tolist() for row in kernel]
    for s in range(n_s):
        yield (
            (x, y, float(cells[s, x]) / total * float(kernel[row, y]))
            for x in range(n_x)
            if cells[s, x]
            for row in [s * n_x + x if reads_s else x]
            for y in leads[row]
        )


def kept_information(cells: FloatArray, kernel: FloatArray, reads_s: bool) -> float:
    """Return I(X;Y) in nats by the definition; arguments as `released`."""
    terms: dict[tuple[int, int], list[float]] = {}
    for of_s in _terms(cells, kernel, reads_s):
        for x, y, p in of_s:
            terms.setdefault((x, y), []).append(p)
    pairs = {place: fsum(parts) for place, parts in terms.items()}
    of_x: list[list[float]] = [[] for _ in range(cells.shape[1])]
    of_y: list[list[float]] = [[] for _ in range(kernel.shape[1])]
    for (x, y), p in pairs.items():
        of_x[x].append(p)
        of_y[y].append(p)
    p_x, p_y = [fsum(parts) for parts in of_x], [fsum(parts) for parts in of_y]
    return fsum(p * log(p / (p_x[x] * p_y[y])) for (x, y), p in pairs.items() if p > 0)
