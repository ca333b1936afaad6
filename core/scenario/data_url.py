"""A scenario's data as a part of a URL's query, and back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from core.data.catalogue import BUNDLED
from core.data.left_out import LeftOut
from core.data.options import ReadOptions
from core.data.spec import MISSING_KINDS, MOST_RECORDS, Binning, DataSpec, Filter, Merge
from core.errors import CoreError
from core.scenario.json_text import read_json
from core.scenario.levels_url import Query as Query
from core.scenario.levels_url import cut as cut
from core.scenario.levels_url import levels_from_query, levels_to_query

JOINTS = ("random:", "matrix:", "example:")
"""Prefixes of sources that are joints, without columns to name."""

DATA_KEYS = (
    *("data", "s", "x", "t", "sx", "bins", "missing", "rare", "rare_s", "only", "merge"),
    *("read", "level", "rare_of", "without"),
)
"""URL keys of the data."""


def _plain(source: str) -> DataSpec:
    """Return the data of a link that names this source and nothing else."""
    if source.startswith(JOINTS):
        return DataSpec(source, (), ())
    for entry in BUNDLED:
        if entry.id == source:
            return DataSpec(source, entry.secret, entry.released)
    return DataSpec(source)


def data_to_query(data: DataSpec) -> Query:
    """Return data as a part of a query; defaults of its source are left out.

    Examples
    --------
    >>> data_to_query(DataSpec(secret=("race",), merges=(Merge(("race",), ("Black", "Other")),)))
    {'s': ['race'], 'merge': ['[["race"], "Black", "Other"]']}
    """
    plain = _plain(data.source)
    query: Query = {}
    if data.source != DataSpec().source:
        query["data"] = [data.source]
    if data.secret != plain.secret:
        query["s"] = list(data.secret) or [""]
    if data.released != plain.released:
        query["x"] = list(data.released) or [""]
    if data.task:
        query["t"] = list(data.task)
    if data.secret_released:
        query["sx"] = ["1"]
    if data.binnings:
        query["bins"] = [_binning_text(binning) for binning in data.binnings]
    if data.missing != plain.missing:
        query["missing"] = [data.missing]
    if data.rare_below != plain.rare_below:
        query["rare"] = [str(data.rare_below)]
    if data.rare_below_s != plain.rare_below_s:
        query["rare_s"] = [str(data.rare_below_s)]
    if data.filters:
        query["only"] = [_filter_text(kept) for kept in data.filters]
    if data.merges:
        query["merge"] = [_merge_text(merge) for merge in data.merges]
    if data.left_out:
        query["without"] = [_merge_text(one) for one in data.left_out]
    if data.read != plain.read:
        query["read"] = [json.dumps(data.read.to_dict(), ensure_ascii=False)]
    query |= levels_to_query(data)
    return query


def data_from_query(query: Query, notices: list[str]) -> DataSpec:
    """Read data from a query; a sentence for each value that is not used is added to `notices`.

    Examples
    --------
    >>> data_from_query({"data": ["german_credit"], "rare": ["10"]}, []).rare_below
    10
    """
    plain = _plain(query.get("data", [DataSpec().source])[-1])
    rare = {}
    for key in ("rare", "rare_s"):
        asked = query.get(key, ["0"])[-1]
        if (
            not asked.isdecimal()
            or len(asked) > len(str(MOST_RECORDS))
            or int(asked) > MOST_RECORDS
        ):
            notices.append(
                f"The link has {key}={cut(asked)}, which is no whole number in "
                f"[0, {MOST_RECORDS:g}]; 0 is used."
            )
            asked = "0"
        rare[key] = int(asked)
    missing = query.get("missing", [plain.missing])[-1]
    if missing not in MISSING_KINDS:
        notices.append(f"The link has missing={cut(missing)}, which is not known; level is used.")
        missing = plain.missing
    binnings = _binnings(query.get("bins", []), notices)
    hierarchies, rare_levels = levels_from_query(query, binnings, notices)
    return DataSpec(
        source=plain.source,
        secret=_names(query.get("s"), plain.secret),
        released=_names(query.get("x"), plain.released),
        secret_released=query.get("sx", ["0"])[-1] in ("1", "true", "True"),
        binnings=binnings,
        missing=missing,
        rare_below=rare["rare"],
        rare_below_s=rare["rare_s"],
        filters=_filters(query.get("only", []), notices),
        task=_names(query.get("t"), ()),
        merges=_merges(query.get("merge", []), notices),
        read=_read(query.get("read", []), notices),
        hierarchies=hierarchies,
        rare_levels=rare_levels,
        left_out=_left_out(query.get("without", []), notices),
    )


def _read(texts: Sequence[str], notices: list[str]) -> ReadOptions:
    """Read how a file is read, from JSON; what is none is ignored with a notice."""
    for text in texts[-1:]:
        try:
            return ReadOptions.from_dict(read_json(text, "It"))
        except CoreError as error:
            notices.append(f"The link has read={cut(text)}, which is ignored. {error}")
    return ReadOptions()


def _names(values: Sequence[str] | None, default: tuple[str, ...]) -> tuple[str, ...]:
    return default if values is None else tuple(value for value in values if value)


def _binning_text(binning: Binning) -> str:
    if binning.kind == "edges":
        return f"{binning.column}:edges:{','.join(map(text_of, binning.edges))}"
    return f"{binning.column}:{binning.kind}:{binning.count}"


def _binnings(texts: Sequence[str], notices: list[str]) -> tuple[Binning, ...]:
    found: dict[str, Binning] = {}
    for text in texts:
        column, _, rest = text.rpartition(":")
        column, _, kind = column.rpartition(":")
        with _ignoring("bins", text, "COLUMN:KIND:NUMBER", notices):
            found[column] = _binning(column, kind, rest)
    return tuple(found.values())


def _binning(column: str, kind: str, rest: str) -> Binning:
    """Read a binning; raise a ValueError (`InvalidInputError` is one) if it is none."""
    if not column:
        raise ValueError
    if kind == "edges":
        return Binning(column, kind, edges=tuple(map(float, rest.split(","))))
    return Binning(column, kind, int(rest))


def _filter_text(kept: Filter) -> str:
    what: list[Any] = [[kept.low, kept.high]] if kept.is_range else list(kept.levels)
    return json.dumps([kept.column, *what], ensure_ascii=False)


def _filters(texts: Sequence[str], notices: list[str]) -> tuple[Filter, ...]:
    found = []
    for text in texts:
        form = '["COLUMN", "LEVEL", …] or ["COLUMN", [LOW, HIGH]]'
        with _ignoring("only", text, form, notices):
            found.append(_filter(_parsed(text)))
    return tuple(found)


def _parsed(text: str, what: str = "The filter") -> Any:
    """Read JSON; raise a ValueError that is no CoreError if it is none."""
    try:
        return read_json(text, what)
    except CoreError as error:
        raise ValueError from error


def _filter(parts: Any) -> Filter:
    """Read a filter; raise a TypeError, ValueError or OverflowError if it is none."""
    if not isinstance(parts, list):
        raise TypeError
    column, *what = parts
    if len(what) == 1 and isinstance(what[0], list):
        low, high = (None if bound is None else float(bound) for bound in what[0])
        if low is None and high is None:
            raise ValueError
        return Filter(str(column), low=low, high=high)
    if not all(isinstance(text, str | int | float) for text in (column, *what)):
        raise TypeError
    return Filter(str(column), tuple(map(str, what)))


def _merge_text(merge: Merge | LeftOut) -> str:
    return json.dumps([list(merge.columns), *merge.names], ensure_ascii=False)


def _left_out(texts: Sequence[str], notices: list[str]) -> tuple[LeftOut, ...]:
    found: list[LeftOut] = []
    for text in texts:
        with _ignoring("without", text, '[["COLUMN", …], "SYMBOL", …]', notices):
            found.append(LeftOut(*_symbols(_parsed(text, "What is left out"))))
    return tuple(found)


def _merges(texts: Sequence[str], notices: list[str]) -> tuple[Merge, ...]:
    found: list[Merge] = []
    for text in texts:
        with _ignoring("merge", text, '[["COLUMN", …], "SYMBOL", "SYMBOL", …]', notices):
            merge = Merge(*_symbols(_parsed(text, "The merge")))
            found = list(DataSpec(merges=(*found, merge)).merges)
    return tuple(found)


@contextmanager
def _ignoring(key: str, text: str, form: str, notices: list[str]) -> Iterator[None]:
    """Note why a value of a link is ignored, where it cannot be read."""
    try:
        yield
    except (ValueError, TypeError, OverflowError) as error:
        reason = error if isinstance(error, CoreError) else f"It must be {form}."
        notices.append(f"The link has {key}={cut(text)}, which is ignored. {reason}")


def _symbols(parts: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read columns and symbols; raise a TypeError or ValueError if there are none."""
    columns, *names = parts
    if not isinstance(parts, list) or not isinstance(columns, list):
        raise TypeError
    if not all(isinstance(text, str) for text in (*columns, *names)):
        raise TypeError
    return tuple(columns), tuple(names)


def text_of(value: Any) -> str:
    """Return a value as a link has it: numbers in the fewest digits that say them.

    Examples
    --------
    >>> text_of(0.5), text_of(1 / 3), text_of("lip")
    ('0.5', '0.3333333333333333', 'lip')
    """
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
