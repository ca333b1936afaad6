"""Files of SPSS, Stata and SAS: value labels are levels, and user-missing values are missing."""

from __future__ import annotations

import mmap
import re
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute, parquet

from core.data.options import ENCODINGS, ReadOptions, Repair, repaired
from core.data.readers.names import Columns, name_columns
from core.data.tables import check_records
from core.errors import InvalidInputError, ReadingError, choice
from core.limits import AT_ONCE, MAX_CELL, MAX_UPLOAD_MB, MEGABYTE
from core.validation import shown
from core.wording import first_of

_HELD = MAX_UPLOAD_MB * MEGABYTE
"""Bytes that are held at once, where records have long texts."""

_HEAD = 600
"""First bytes that say what a file is."""

_SPSS, _STATA, _SAS = "SPSS", "Stata", "SAS"

_STARTS = (
    (re.compile(rb"\$FL[23]@\(#\)"), _SPSS, "read_sav"),
    (re.compile(rb".{400,500}SPSSPORT", re.DOTALL), _SPSS, "read_por"),
    (re.compile(rb"<stata_dta>|[\x69-\x73][\x01\x02]\x01\x00"), _STATA, "read_dta"),
    (re.compile(rb"\x00{12}\xc2\xea\x81\x60\xb3\x14\x11\xcf"), _SAS, "read_sas7bdat"),
    (re.compile(rb"HEADER RECORD\*{7}LIB(?:RARY|V8 ) "), _SAS, "read_xport"),
)
"""First bytes of each kind of file, and what reads it in pyreadstat."""

_ORIGINS = {_SPSS: "1582-10-14", _STATA: "1960-01-01", _SAS: "1960-01-01"}
"""Where each program begins to count time."""

_CLOCK, _DATE, _MOMENT = pa.string(), pa.date32(), pa.timestamp("ms")

_SECONDS, _DAYS = (1_000, "ms"), (1, "D")

_MOMENTS = {
    _SPSS: (
        (r"(?:[AEJS]?DATE|QYR|MOYR|WKYR)", _DATE, _SECONDS),
        (r"(?:DATETIME|YMDHMS)", _MOMENT, _SECONDS),
        (r"D?TIME", _CLOCK, _SECONDS),
    ),
    _STATA: (
        (r"%-?t?d.*", _DATE, _DAYS),
        (r"%-?t[cC].*", _MOMENT, (1, "ms")),
        (r"%-?tm.*", _DATE, (1, "M")),
        (r"%-?tq.*", _DATE, (3, "M")),
        (r"%-?th.*", _DATE, (6, "M")),
    ),
    _SAS: (
        (r"DATE|(?:MMDDYY|DDMMYY|YYMMDD)[BCDNPS]?|WEEKDAT[EX]|.*8601DA|MONYY|YYQ", _DATE, _DAYS),
        (r"(?:DATETIME|DATEAMPM|MDYAMPM|.*8601DT|DTDATE)", _MOMENT, _SECONDS),
        (r"(?:TIME|HHMM|TOD|TIMEAMPM|.*8601TM)", _CLOCK, _SECONDS),
    ),
}
"""Formats of dates and times, without a width, what they become, and the unit that they count."""


def labelled_kind(head: bytes) -> str:
    """Return the program whose file begins with these bytes; "" for any other file."""
    return next((kind for start, kind, _ in _STARTS if start.match(head)), "")


Written = tuple[Columns, tuple[Repair, ...], str, tuple[tuple[str, str], ...]]
"""Columns, repairs, the column that weighs records, "" for none, and what columns are."""


def write_labelled(path: Path, name: str, target: Path, read: ReadOptions) -> Written:
    """Write a file's records to a Parquet file, part by part.

    The readers are written in C, and a damaged file may end the process: see `apart`.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    kind, reader = next((kind, reader) for start, kind, reader in _STARTS if start.match(head))
    try:
        return _Labelled(path, name, kind, reader, read).write(target)
    except (InvalidInputError, MemoryError, OSError):
        raise
    except Exception as error:  # the readers raise errors of many types
        if "memory" in str(error):
            raise MemoryError from error
        if "encoding" not in str(error) and not isinstance(error, UnicodeError):
            raise damaged(name, kind) from error
        ways = [encoding for encoding in ("windows-1252", "utf-8") if encoding != read.encoding]
        raise ReadingError(
            f"{name} has text in another encoding than it declares: choose its encoding.",
            [choice(f"Read it as {ENCODINGS[encoding]}", encoding=encoding) for encoding in ways],
        ) from error


def damaged(name: str, kind: str) -> InvalidInputError:
    """Return the error of a file that its reader cannot read, or that ends it."""
    return InvalidInputError(
        f"{name} is a damaged or incomplete {kind} file: bring the whole file, or save it as CSV."
    )


@dataclass(frozen=True)
class _Variable:
    """A column: how its values become an Arrow array of one type, whatever they are.

    `labels`: of values, by the value. `missing`: values and ranges that are missing, of SPSS.
    `unit`: what a date counts, None where it is none. `short`: whether a number has 32 bits.
    """

    name: str
    type: pa.DataType
    unit: tuple[int, str] | None
    labels: Mapping[Any, str]
    missing: tuple[tuple[Any, Any], ...]
    is_text: bool
    short: bool


class _Labelled:
    """A file of one of the three programs that is being read."""

    def __init__(self, path: Path, name: str, kind: str, reader: str, read: ReadOptions) -> None:
        self._path, self._name, self._kind, self._reader = path, name, kind, reader
        # its import takes a tenth of a second, and few files need it
        self._call: Callable[..., Any] = getattr(import_module("pyreadstat"), reader)
        self._options: dict[str, Any] = {"disable_datetime_conversion": True}
        if read.encoding and reader != "read_por":
            self._options["encoding"] = read.encoding
        if reader not in ("read_xport", "read_por"):
            self._options["user_missing"] = True
        self._keeps, self._codes = "missing" in read.kept, "labels" in read.kept
        self._missing: Counter[str] = Counter()
        self._has_words = kind == _SPSS  # for what is missing: codes, or labels of .a to .z

    def write(self, target: Path) -> Written:
        """Write all records."""
        _, about = self._call(self._path, metadataonly=True, **self._options)
        columns = name_columns(about.column_names, self._name)
        check_records(self._name, about.number_rows or 0, len(columns.names))
        variables = [self._variable(name, about) for name in about.column_names]
        schema = pa.schema([(f"c{i}", variable.type) for i, variable in enumerate(variables)])
        with parquet.ParquetWriter(target, schema) as writer:
            for values in self._parts(about.variable_storage_width):
                arrays = [self._array(variable, values[variable.name]) for variable in variables]
                writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
        weigher = _weigher(self._path) if self._reader == "read_sav" else ""
        places = [name.lower() for name in about.column_names]
        weigher = columns.names[places.index(weigher)] if weigher in places else ""
        pairs = zip(columns.names, about.column_labels, strict=True)
        titles = tuple((name, label.strip()) for name, label in pairs if label and label.strip())
        return columns, (*columns.repairs, *self._repairs(variables)), weigher, titles

    def _parts(self, widths: Mapping[str, int]) -> Iterator[dict[str, list[Any]]]:
        """Yield the values of all columns, some records at a time; `widths`: their most bytes.

        The width of texts that Stata keeps elsewhere, once for many records, is 0. They are taken
        for the longest that are allowed, then for as long as those of the last records are.
        """
        columns, plain = len(widths), sum(widths.values())
        elsewhere = [name for name, width in widths.items() if not width]
        long, size, start = MAX_CELL * len(elsewhere), AT_ONCE, 0
        while True:
            size = max(1, min(size, AT_ONCE // columns, _HELD // max(plain + long, 1)))
            values, _ = self._call(
                self._path, row_offset=start, row_limit=size, output_format="dict", **self._options
            )
            count = len(next(iter(values.values())))
            start += count
            check_records(self._name, start, columns)  # a file may not say how many it has
            if count:
                yield values
            if count < size:
                return
            size *= 2
            texts = (text for name in elsewhere for text in values[name] if isinstance(text, str))
            long = -(-sum(map(len, texts)) // count)

    def _variable(self, name: str, about: Any) -> _Variable:
        """Return how a column is read, by what the file says of it and not by its values."""
        stored = about.readstat_variable_types[name]
        is_text = stored == "string"
        ranges = () if self._keeps else about.missing_ranges.get(name, ())
        missing = tuple((span["lo"], span["hi"]) for span in ranges)
        declared = {} if self._codes else about.variable_value_labels.get(name, {})
        self._has_words |= not is_text and any(isinstance(code, str) for code in declared)
        labels = {
            code: label.strip()
            for code, label in declared.items()
            if label.strip()
            and (self._keeps or is_text or not isinstance(code, str))
            and not _is_within(code, missing)
        }
        kind, unit = (pa.string() if is_text or labels else pa.float64()), None
        if not (is_text or labels):
            form = str(about.original_variable_types[name] or "")
            form = form if self._kind == _STATA else form.rstrip("0123456789.")
            for pattern, moment, counted in _MOMENTS[self._kind]:
                if re.fullmatch(pattern, form):
                    kind, unit = moment, counted
        return _Variable(name, kind, unit, _distinct(labels), missing, is_text, stored == "float")

    def _array(self, variable: _Variable, values: list[Any]) -> pa.Array:
        """Return a part of a column, and count the values that the file calls missing."""
        if pa.types.is_string(variable.type):
            words = _Words(variable)
            array = pa.array([words[value] for value in values], pa.string())
        else:
            array = _numbers(values, variable.short)
            for low, high in variable.missing:
                is_missing = compute.and_(
                    compute.greater_equal(array, low), compute.less_equal(array, high)
                )
                array = compute.if_else(is_missing, pa.scalar(None, pa.float64()), array)
            if variable.unit is not None:
                array = self._moments(variable, array)
        if count := array.null_count - values.count(None):
            self._missing[variable.name] += count
        return array

    def _moments(self, variable: _Variable, numbers: pa.Array) -> pa.Array:
        """Return dates or times that are stored as numbers."""
        times, unit = variable.unit or _DAYS
        there = numbers.is_valid().to_numpy(zero_copy_only=False)
        counted = np.nan_to_num(numbers.to_numpy(zero_copy_only=False))
        if (np.abs(counted) > _MOST_YEARS / times * _A_YEAR[unit]).any():
            raise InvalidInputError(
                f"Column {shown(variable.name)} of {self._name} holds dates, and one of them is "
                "thousands of years away: save it as a number first."
            )
        start = np.datetime64(_ORIGINS[self._kind]).astype(f"datetime64[{unit}]")
        counted = np.round(counted * times).astype("int64")
        moments = start + counted.astype(f"timedelta64[{unit}]")
        to = "D" if variable.type == _DATE else "ms"
        return pa.array(moments.astype(f"datetime64[{to}]"), variable.type, mask=~there)

    def _repairs(self, variables: list[_Variable]) -> Iterator[Repair]:
        """Say what labels and missing values became."""
        labelled = [shown(variable.name) for variable in variables if variable.labels]
        if labelled:
            of = "column" if len(labelled) == 1 else "columns"
            yield repaired(
                f"Labels replace the values in {of} {first_of(labelled)}.", kept=("labels",)
            )
        if self._missing:
            counts = self._missing.most_common()
            parts = [f"{number} of {shown(name)}" for name, number in counts]
            undo = {"kept": ("missing",)} if self._has_words and not self._keeps else {}
            yield repaired(
                f"Values that the file declares missing are missing: {first_of(parts)}.", **undo
            )


_A_YEAR = {"ms": 31_557_600_000.0, "D": 365.25, "M": 12.0}
"""How many of each unit a year has."""

_MOST_YEARS = 8_500
"""Years before or after the origin within which dates lie: others are mistakes."""


class _Words(dict[Any, str | None]):
    """The text of each value of a column: its label, else its code; None for a missing one."""

    def __init__(self, variable: _Variable) -> None:
        super().__init__(variable.labels)
        self._variable, self._labels = variable, set(variable.labels.values())
        self[None] = None

    def __missing__(self, code: Any) -> str | None:
        text = self[code] = self._text(code)
        return text

    def _text(self, code: Any) -> str | None:
        variable = self._variable
        if _is_within(code, variable.missing):
            return None
        if isinstance(code, str) and not variable.is_text:
            return None  # one of Stata's and SAS's missing values, without a label
        if variable.unit is not None:
            return f"{code // 3600:02.0f}:{code // 60 % 60:02.0f}:{code % 60 // 1:02.0f}"
        text = _code(code)
        return f"{text} ({text})" if text in self._labels else text


def _code(value: Any) -> str:
    """Return a code as a text: 1.0 is 1."""
    if isinstance(value, str):
        return value
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _is_within(code: Any, missing: Sequence[tuple[Any, Any]]) -> bool:
    """Say whether a value is within one of some ranges of missing ones."""
    return any(
        low <= code <= high
        for low, high in missing
        if isinstance(low, str) == isinstance(code, str)
    )


def _numbers(values: list[Any], short: bool) -> pa.Array:
    """Return numbers, with None in place of Stata's and SAS's missing values.

    `short`: whether they have 32 bits; then 0.1 is what is shown as 0.1.
    """
    try:
        array = pa.array(values, pa.float64())
    except (pa.ArrowException, TypeError):
        plain = [None if isinstance(value, str) else value for value in values]
        array = pa.array(plain, pa.float64())
    if not short:
        return array
    encoded = array.dictionary_encode()
    exact = [float(str(np.float32(value))) for value in encoded.dictionary.to_pylist()]
    return pa.array(exact, pa.float64()).take(encoded.indices)


def _distinct(labels: Mapping[Any, str]) -> dict[Any, str]:
    """Return labels, with the code where several values have the same one."""
    often = Counter(labels.values())
    return {
        code: f"{label} ({_code(code)})" if often[label] > 1 else label
        for code, label in labels.items()
    }


def _weigher(path: Path) -> str:
    """Return the variable that SPSS weighs records by, in lower case; "" for none.

    pyreadstat does not. The head says the place of the variable, where long texts take several.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        order = "<" if content[64:68] in (b"\2\0\0\0", b"\3\0\0\0") else ">"
        (left,) = struct.unpack_from(f"{order}i", content, 76)
        place, name = 176, b""
        while left > 0:
            kind, _, is_labelled, missing = struct.unpack_from(f"{order}4i", content, place)
            if kind != 2:
                return ""  # there are fewer variables
            name = content[place + 24 : place + 32].strip()
            place += 32
            if is_labelled == 1:
                (length,) = struct.unpack_from(f"{order}I", content, place)
                place += 4 + (length + 3) // 4 * 4
            place += 8 * abs(missing)
            left -= 1
        if not name:
            return ""
        known = content.find(struct.pack(f"{order}3i", 7, 13, 1), place)  # long names
        if known >= 0:
            (length,) = struct.unpack_from(f"{order}I", content, known + 12)
            pairs = content[known + 16 : known + 16 + length].split(b"\t")
            name = dict(pair.split(b"=", 1) for pair in pairs if b"=" in pair).get(name, name)
        return name.decode("utf-8", "replace").lower()
