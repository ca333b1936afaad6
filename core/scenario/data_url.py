"""A scenario's data as a part of a URL's query, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from core.codec import read_json
from core.data.catalogue import BUNDLED
from core.data.hierarchies import MOST_RECORDS, Hierarchy, RareLevels, check_apart
from core.data.options import ReadOptions
from core.data.spec import MISSING_KINDS, Binning, DataSpec, Filter, LeftOut, Merge
from core.errors import CoreError

Read = TypeVar("Read")

Query = dict[str, list[str]]
"""Values by key of a URL's query, where a key may occur more than once."""


def cut(text: str) -> str:
    """Return as much of a link's value as a notice repeats."""
    return text if len(text) <= 80 else f"{text[:79]}…"


JOINTS = ("random:", "matrix:", "example:")
"""Prefixes of sources that are joints, without columns to name."""

DATA_KEYS = (
    *("data", "s", "x", "t", "sx", "bins", "missing", "rare", "rare_s", "only", "merge"),
    *("read", "level", "rare_of", "without", "k"),
)
"""URL keys of the data."""

FORMS = {
    "bins": "COLUMN:KIND:NUMBER",
    "only": '["COLUMN", "LEVEL", …] or ["COLUMN", [LOW, HIGH]]',
    "merge": '[["COLUMN", …], "SYMBOL", "SYMBOL", …]',
    "without": '[["COLUMN", …], "SYMBOL", …]',
    "level": '["COLUMN", "KIND", LEVEL, [STEP or ROW, …]]',
    "rare_of": '["COLUMN", RECORDS]',
}
"""What a value must be, by its key."""


def _plain(source: str) -> DataSpec:
    """Return the data of a link that names this source and nothing else."""
    if source.startswith(JOINTS):
        return DataSpec(source, (), ())
    for entry in BUNDLED:
        if entry.id == source:
            return DataSpec(source, entry.secret, entry.released)
    return DataSpec(source)


def data_to_query(data: DataSpec) -> Query:
    """Return data as a part of a query; defaults of its source are left out."""
    plain = _plain(data.source)
    query = {
        "data": [data.source] if data.source != DataSpec().source else [],
        "s": list(data.secret) or [""] if data.secret != plain.secret else [],
        "x": list(data.released) or [""] if data.released != plain.released else [],
        "t": list(data.task),
        "k": list(data.known),
        "sx": ["1"] if data.secret_released else [],
        "bins": [_binning_text(binning) for binning in data.binnings],
        "missing": [data.missing] if data.missing != plain.missing else [],
        "rare": [str(data.rare_below)] if data.rare_below else [],
        "rare_s": [str(data.rare_below_s)] if data.rare_below_s else [],
        "only": [_text(_filter_parts(chosen)) for chosen in data.filters],
        "merge": [_text([list(merge.columns), *merge.names]) for merge in data.merges],
        "without": [_text([list(gone.columns), *gone.names]) for gone in data.left_out],
        "read": [_text(data.read.to_dict())] if data.read != plain.read else [],
        "level": [_text(_level_parts(hierarchy)) for hierarchy in data.hierarchies],
        "rare_of": [_text([group.column, group.below]) for group in data.rare_levels],
    }
    return {key: values for key, values in query.items() if values}


def data_from_query(query: Query, notices: list[str]) -> DataSpec:
    """Read data from a query; a sentence for each value that is not used is added to `notices`."""
    plain = _plain(query.get("data", [DataSpec().source])[-1])
    rare = {}
    for key in ("rare", "rare_s"):
        limit = query.get(key, ["0"])[-1]
        if (
            not limit.isdecimal()
            or len(limit) > len(str(MOST_RECORDS))
            or int(limit) > MOST_RECORDS
        ):
            notices.append(
                f"The link has {key}={cut(limit)}, which is not a whole number in "
                f"[0, {MOST_RECORDS:g}]; 0 is used."
            )
            limit = "0"
        rare[key] = int(limit)
    missing = query.get("missing", [plain.missing])[-1]
    if missing not in MISSING_KINDS:
        notices.append(
            f"The link has missing={cut(missing)}, which is not known; missing=level is used."
        )
        missing = plain.missing
    binnings = {binning.column: binning for binning in _each("bins", query, _binning, notices)}
    merges: tuple[Merge, ...] = ()
    for text in query.get("merge", []):
        with ignoring("merge", text, notices):
            merges = DataSpec(merges=(*merges, Merge(*_symbols(text)))).merges
    last = {"read": query.get("read", [])[-1:]}
    hierarchies, rare_levels = _levels(query, tuple(binnings), notices)
    return DataSpec(
        source=plain.source,
        secret=_names(query.get("s"), plain.secret),
        released=_names(query.get("x"), plain.released),
        secret_released=query.get("sx", ["0"])[-1] in ("1", "true", "True"),
        binnings=tuple(binnings.values()),
        missing=missing,
        rare_below=rare["rare"],
        rare_below_s=rare["rare_s"],
        filters=_each("only", query, _filter, notices),
        task=_names(query.get("t"), ()),
        known=_names(query.get("k"), ()),
        merges=merges,
        read=next(iter(_each("read", last, _read, notices)), ReadOptions()),
        hierarchies=hierarchies,
        rare_levels=rare_levels,
        left_out=_each("without", query, _left_out, notices),
    )


def _levels(
    query: Query, bins: tuple[str, ...], notices: list[str]
) -> tuple[tuple[Hierarchy, ...], tuple[RareLevels, ...]]:
    """Read hierarchies and rare levels of single columns, which go together with the bins."""
    hierarchies: tuple[Hierarchy, ...] = ()
    rare_levels: tuple[RareLevels, ...] = ()
    for text in query.get("level", []):
        with ignoring("level", text, notices):
            extended = (*hierarchies, _hierarchy(read_json(text, "It")))
            check_apart(bins, extended, ())
            hierarchies = extended
    for text in query.get("rare_of", []):
        with ignoring("rare_of", text, notices):
            rare = (*rare_levels, _rare(read_json(text, "It")))
            check_apart(bins, hierarchies, rare)
            rare_levels = rare
    return hierarchies, rare_levels


def _each(
    key: str, query: Query, read: Callable[[str], Read], notices: list[str]
) -> tuple[Read, ...]:
    """Read the values of a key, without those that are ignored."""
    result = []
    for text in query.get(key, []):
        with ignoring(key, text, notices):
            result.append(read(text))
    return tuple(result)


def _read(text: str) -> ReadOptions:
    return ReadOptions.from_dict(read_json(text, "It"))


def _names(values: Sequence[str] | None, default: tuple[str, ...]) -> tuple[str, ...]:
    return default if values is None else tuple(value for value in values if value)


def _binning_text(binning: Binning) -> str:
    if binning.kind == "edges":
        return f"{binning.column}:edges:{','.join(map(text_of, binning.edges))}"
    return f"{binning.column}:{binning.kind}:{binning.count}"


def _binning(text: str) -> Binning:
    """Read a binning; raise a ValueError (`InvalidInputError` is one) if it is none."""
    rest, _, number = text.rpartition(":")
    column, _, kind = rest.rpartition(":")
    if not column:
        raise ValueError
    if kind == "edges":
        return Binning(column, kind, edges=tuple(map(float, number.split(","))))
    return Binning(column, kind, int(number))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _parsed(text: str) -> Any:
    try:
        return read_json(text, "It")
    except CoreError as error:
        raise ValueError from error


def _filter_parts(chosen: Filter) -> list[Any]:
    return [chosen.column, *([[chosen.low, chosen.high]] if chosen.is_range else chosen.levels)]


def _filter(text: str) -> Filter:
    """Read a filter; raise a TypeError, ValueError or OverflowError if it is none."""
    parts = _parsed(text)
    if not isinstance(parts, list):
        raise TypeError
    column, *what = parts
    if len(what) == 1 and isinstance(what[0], list):
        low, high = (None if bound is None else float(bound) for bound in what[0])
        if low is None and high is None:
            raise ValueError
        return Filter(str(column), low=low, high=high)
    if not all(isinstance(part, str | int | float) for part in (column, *what)):
        raise TypeError
    return Filter(str(column), tuple(map(str, what)))


def _left_out(text: str) -> LeftOut:
    return LeftOut(*_symbols(text))


def _symbols(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read columns and symbols; raise a TypeError or ValueError if there are none."""
    parts = _parsed(text)
    columns, *names = parts
    if not isinstance(parts, list) or not isinstance(columns, list):
        raise TypeError
    if not all(isinstance(part, str) for part in (*columns, *names)):
        raise TypeError
    return tuple(columns), tuple(names)


def _level_parts(tree: Hierarchy) -> list[Any]:
    """Return a hierarchy as [COLUMN, KIND, LEVEL, STEPS or ROWS, START]."""
    if tree.kind == "table":
        return [tree.column, tree.kind, tree.level, list(map(list, tree.rows))]
    steps = [int(step) if step == int(step) else step for step in tree.steps]
    return [tree.column, tree.kind, tree.level, steps, *([tree.start] if tree.start else [])]


def _hierarchy(parts: Any) -> Hierarchy:
    """Read a hierarchy; raise a TypeError or ValueError if it is none."""
    if not isinstance(parts, list) or not 4 <= len(parts) <= 5:
        raise TypeError
    column, kind, level, what, *start = parts
    name = "rows" if kind == "table" else "steps"
    values = {"column": column, "kind": kind, "level": level, name: what}
    return Hierarchy.from_dict(values | ({"start": start[0]} if start else {}))


def _rare(parts: Any) -> RareLevels:
    """Read a number below which levels are rare; raise a TypeError or ValueError if it is none."""
    if not isinstance(parts, list) or len(parts) != 2:
        raise TypeError
    return RareLevels.from_dict({"column": parts[0], "below": parts[1]})


@contextmanager
def ignoring(key: str, text: str, notices: list[str]) -> Iterator[None]:
    """Note why a value of a link is ignored, where it cannot be read."""
    try:
        yield
    except (ValueError, TypeError, OverflowError) as error:
        reason = error if isinstance(error, CoreError) else f"It must be {FORMS[key]}."
        notices.append(f"The link has {key}={cut(text)}, which is ignored. {reason}")


def text_of(value: Any) -> str:
    """Return a value as a link has it: numbers in the fewest digits that say them."""
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
