"""The data of a scenario: a source, its columns and their treatment, as a value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from core import validation
from core.codec import json_object, listed
from core.data.hierarchies import MOST_RECORDS, Hierarchy, RareLevels, check_apart
from core.data.options import ReadOptions
from core.errors import InvalidInputError
from core.limits import MAX_BINS
from core.validation import shown


@dataclass(frozen=True)
class LeftOut:
    """Symbols of S or of X whose records are left out.

    A filter keeps values of one column; this is about symbols: bins, groups of rare levels, levels
    of several columns together.

    `columns`: the columns of S or of X, all of them; without effect where other columns are chosen.
    `names`: names of the symbols, as they are before any are merged; those that no record has are
    listed in the count's report.
    """

    columns: tuple[str, ...]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        check_symbols(self, least=1, what="left out")


def check_symbols(symbols: Any, *, least: int, what: str) -> None:
    """Check the columns and names of symbols, and make tuples of them, each name once."""
    columns, names = tuple(symbols.columns), tuple(dict.fromkeys(symbols.names))
    object.__setattr__(symbols, "columns", columns)
    object.__setattr__(symbols, "names", names)
    if not columns:
        raise InvalidInputError(f"Symbols that are {what} must be of a column, got none.")
    if len(names) < least:
        needed = "one symbol" if least == 1 else "two symbols"
        raise InvalidInputError(
            f"At least {needed} of {shown(' and '.join(columns))} must be named to be {what}, "
            f"got {len(names) or 'none'}."
        )


BIN_KINDS = ("width", "quantile", "edges")
"""Ways to cut a numeric column: equal width, equal counts, edges by hand."""

MISSING_KINDS = ("level", "drop")
"""Treatments of missing values: a level, or the record is left out."""


LATER = ("merges", "read", "hierarchies", "rare_levels", "left_out", "known")
"""Fields of a spec that came after the first scenarios were kept: left out where empty."""


@dataclass(frozen=True)
class Binning:
    """How a numeric column becomes levels.

    Attributes
    ----------
    column : str
        The column.
    kind : str
        "width" (equal width), "quantile" (equal counts) or "edges" (by hand).
    count : int
        Number of bins, for "width" and "quantile".
    edges : tuple of float
        All bin edges in increasing order, for "edges"; else empty. Numbers below the first edge
        are a further level, and so are those above the last.

    Raises
    ------
    InvalidInputError
        If the kind is unknown, the count out of range or the edges are not increasing.
    """

    column: str
    kind: str = "quantile"
    count: int = 8
    edges: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        validation.one_of(self.kind, BIN_KINDS, "A binning's kind")
        count = validation.whole(self.count, "The number of bins", low=1, high=MAX_BINS)
        edges = tuple(map(float, self.edges)) if self.kind == "edges" else ()
        if self.kind == "edges":
            _check_edges(self.column, edges)
        object.__setattr__(self, "count", count)
        object.__setattr__(self, "edges", edges)


def _check_edges(column: str, edges: tuple[float, ...]) -> None:
    values = np.asarray(edges, dtype=np.float64)
    if not 2 <= values.size <= MAX_BINS + 1:
        raise InvalidInputError(
            f"The bin edges of {shown(column)} must be 2 to {MAX_BINS + 1} numbers, "
            f"got {values.size}."
        )
    if not np.isfinite(values).all() or (values[1:] <= values[:-1]).any():
        text = ", ".join(f"{value:g}" for value in values)
        raise InvalidInputError(
            f"The bin edges of {shown(column)} must be finite and increasing, got {text}."
        )


@dataclass(frozen=True)
class Filter:
    """A filter of records by the levels of a column, or by a range of its numbers.

    Attributes
    ----------
    column : str
        The column.
    levels : tuple of str
        The levels to keep, where there is no range.
    low, high : float or None
        The least and the greatest number to keep; None leaves a side open. Where one is given,
        records without a number are left out.

    Raises
    ------
    InvalidInputError
        If there are levels and a range, a bound is not finite or the range is empty.

    Examples
    --------
    >>> Filter("age", low=18, high=65).is_range, Filter("sex", ("Female",)).is_range
    (True, False)
    """

    column: str
    levels: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(map(str, self.levels)))
        for bound, side, name in ((self.low, "low", "least"), (self.high, "high", "greatest")):
            if bound is not None:
                what = f"The {name} number of {shown(self.column)} to keep"
                value = validation.number(bound, what)
                object.__setattr__(self, side, value)
                if not math.isfinite(value):
                    raise InvalidInputError(
                        f"The {name} number of {shown(self.column)} to keep must be finite, "
                        f"got {bound}."
                    )
        if self.is_range and self.levels:
            raise InvalidInputError(
                f"The filter on {shown(self.column)} has levels and a range: give one of them."
            )
        if self.low is not None and self.high is not None and self.low > self.high:
            raise InvalidInputError(
                f"The range of {shown(self.column)} to keep must not be empty, got "
                f"{self.low:g} to {self.high:g}."
            )

    @property
    def is_range(self) -> bool:
        """Whether it is a range of numbers, not a set of levels."""
        return self.low is not None or self.high is not None


@dataclass(frozen=True)
class Merge:
    """Symbols of S or of X that become one.

    Attributes
    ----------
    columns : tuple of str
        The columns of S or of X, all of them; without effect where other columns are chosen.
    names : tuple of str
        Names of the symbols, as they are without it; those that no record has are listed in the
        count's report.

    Raises
    ------
    InvalidInputError
        If there is no column, or fewer than two different names.

    Examples
    --------
    >>> Merge(("workclass",), ("Local-gov", "State-gov")).title
    'Local-gov or State-gov'
    """

    columns: tuple[str, ...]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        check_symbols(self, least=2, what="merged")

    @property
    def title(self) -> str:
        """What the symbols are called together."""
        return " or ".join(self.names)


HASHED = ("upload", "matrix")
"""Kinds of sources that are named by the SHA-256 of what a user gave."""

WITHHELD = "not disclosed"
"""Stands in a source for such a hash, by which a guess of the whole content could be tested."""


@dataclass(frozen=True)
class DataSpec:
    """A data set's name, its columns and how they become symbols; not the data itself.

    Attributes
    ----------
    source : str
        "adult" or another bundled set's id; "upload:SHA256" of a file; "matrix:SHA256" of a
        pasted joint; "random:LAW:N_SxN_X:SEED" with LAW uniform, dirichlet0.5 or dirichlet1;
        "example:ID" of a paper; "ENGINE://ADDRESS#TABLE" of a database.
    secret, released : tuple of str
        The columns of S and of X; several are joined. Without effect for sources that are joints.
    secret_released : bool
        Whether S is released too: X = (S, U).
    binnings : tuple of Binning
        How numeric columns are cut into bins.
    missing : str
        Treatment of missing values: "level" (they are a level) or "drop" (the record is left out).
    rare_below : int
        Levels of X with fewer records than this are grouped into one; 0 groups none.
    rare_below_s : int
        The same for S; the two are independent.
    filters : tuple of Filter
        Only records that pass all filters are counted.
    task : tuple of str
        The columns of a task T, to be predicted from X; several are joined. Empty for no task.
    merges : tuple of Merge
        Symbols that become one, after bins and rare levels are made.
    read : ReadOptions
        How the file's characters become values.
    hierarchies : tuple of Hierarchy
        Columns whose values are made coarser, each at one level of its hierarchy.
    rare_levels : tuple of RareLevels
        Columns whose rare levels become one, each by itself, before columns are joined.
    left_out : tuple of LeftOut
        Symbols whose records are left out, after bins and rare levels are made of all records.
    known : tuple of str
        The columns K that others know of each record: the promise is to hold given each of their
        values. Empty for none.

    Raises
    ------
    InvalidInputError
        If a value is outside its domain.

    Examples
    --------
    >>> spec = DataSpec(released=("age",), binnings=(Binning("age", "width", 5),))
    >>> DataSpec.from_dict(spec.to_dict()) == spec
    True
    """

    source: str = "adult"
    secret: tuple[str, ...] = ("sex",)
    released: tuple[str, ...] = ("occupation",)
    secret_released: bool = False
    binnings: tuple[Binning, ...] = ()
    missing: str = "level"
    rare_below: int = 0
    rare_below_s: int = 0
    filters: tuple[Filter, ...] = ()
    task: tuple[str, ...] = ()
    merges: tuple[Merge, ...] = ()
    read: ReadOptions = field(default_factory=ReadOptions)
    hierarchies: tuple[Hierarchy, ...] = ()
    rare_levels: tuple[RareLevels, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    known: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        validation.one_of(self.missing, MISSING_KINDS, "missing")
        validation.whole(self.rare_below, "rare_below", low=0, high=MOST_RECORDS)
        validation.whole(self.rare_below_s, "rare_below_s", low=0, high=MOST_RECORDS)
        if not isinstance(self.secret_released, bool):
            raise InvalidInputError(
                f"secret_released must be true or false, got {shown(self.secret_released)}."
            )
        cut = [binning.column for binning in self.binnings]
        for column in cut:
            if cut.count(column) > 1:
                raise InvalidInputError(f"Column {shown(column)} has more than one binning.")
        check_apart(tuple(cut), self.hierarchies, self.rare_levels)
        seen: set[tuple[tuple[str, ...], str]] = set()
        for merge in self.merges:
            for name in merge.names:
                if (merge.columns, name) in seen:
                    of = shown(" and ".join(merge.columns))
                    raise InvalidInputError(f"{shown(name)} of {of} is merged more than once.")
                seen.add((merge.columns, name))

    @property
    def releases_secret(self) -> bool:
        """Whether X is S itself: both are the same columns.

        Examples
        --------
        >>> DataSpec(secret=("race",), released=("race",)).releases_secret
        True
        """
        return set(self.secret) == set(self.released) != set()

    @property
    def beside_secret(self) -> DataSpec:
        """The same data with U as X: what is released beside S, for (S, U).

        Columns of S are none of U, for they are in the pair already; with X = S nothing else is.
        What others know and what they predict play no part.

        Examples
        --------
        >>> DataSpec(secret=("race",), released=("race", "education")).beside_secret.released
        ('education',)
        """
        others = tuple(column for column in self.released if column not in self.secret)
        u = others or self.released
        return replace(self, released=u, secret_released=False, task=(), known=())

    def merged(self, columns: tuple[str, ...]) -> tuple[Merge, ...]:
        """Return the symbols of these columns that become one.

        Examples
        --------
        >>> DataSpec().merged(("sex",))
        ()
        """
        return tuple(merge for merge in self.merges if merge.columns == columns)

    def without(self, columns: tuple[str, ...]) -> frozenset[str]:
        """Return the names of the symbols of these columns whose records are left out.

        Examples
        --------
        >>> DataSpec(left_out=(LeftOut(("sex",), ("Male",)),)).without(("sex",))
        frozenset({'Male'})
        """
        return frozenset(
            name for gone in self.left_out if gone.columns == columns for name in gone.names
        )

    @property
    def hashed(self) -> str:
        """The SHA-256 in its source, where a user's file or matrix is named by it; else ""."""
        kind, _, rest = self.source.partition(":")
        return rest if kind in HASHED else ""

    def undisclosed(self, stands: str = WITHHELD) -> DataSpec:
        """Return it as others may see it: without the SHA-256 of a user's file or matrix.

        Examples
        --------
        >>> DataSpec("upload:12ab").undisclosed().source, DataSpec().undisclosed().source
        ('upload:not disclosed', 'adult')
        """
        kind = self.source.partition(":")[0]
        return replace(self, source=f"{kind}:{stands}") if self.hashed else self

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are read, each once: of S, X, T and K, and those that are filtered."""
        filtered = (chosen.column for chosen in self.filters)
        named = (*self.secret, *self.released, *self.task, *self.known, *filtered)
        return tuple(dict.fromkeys(named))

    @property
    def treated(self) -> tuple[str, ...]:
        """The columns of S, X and K, each once: of these values become coarser, fewer or bins."""
        return tuple(dict.fromkeys((*self.secret, *self.released, *self.known)))

    def to_dict(self) -> dict[str, Any]:
        """Return its JSON form, without those of `LATER` that are empty.

        So a question that does not use them has the hash that it had before there were such.
        """
        values = asdict(self) | {"read": self.read.to_dict()}
        return {name: value for name, value in values.items() if value or name not in LATER}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> DataSpec:
        """Read a spec from its JSON form, that of `to_dict`."""
        parts = json_object(values, cls, "The data")
        for name in ("secret", "released", "task", "known"):
            if name in parts:
                named = _texts(parts[name], name)
                parts[name] = tuple(column for column in named if column)  # "" names none
        if "source" in parts and not isinstance(parts["source"], str):
            raise InvalidInputError(f"source must be a text, got {shown(parts['source'])}.")
        if "binnings" in parts:
            parts["binnings"] = tuple(map(_binning, listed(parts["binnings"], "binnings")))
        if "filters" in parts:
            parts["filters"] = tuple(map(_filter, listed(parts["filters"], "filters")))
        if "read" in parts:
            parts["read"] = ReadOptions.from_dict(parts["read"])
        for name, kind in (("hierarchies", Hierarchy), ("rare_levels", RareLevels)):
            if name in parts:
                parts[name] = tuple(map(kind.from_dict, listed(parts[name], name)))
        if "merges" in parts:
            parts["merges"] = _symbols(parts["merges"], "merges", Merge, "A merge")
        if "left_out" in parts:
            parts["left_out"] = _symbols(parts["left_out"], "left_out", LeftOut, "What is left out")
        return cls(**parts)


def _binning(values: Any) -> Binning:
    parts = json_object(values, Binning, "A binning")
    if "column" not in parts:
        raise InvalidInputError("A binning must name its column.")
    edges = listed(parts.get("edges", ()), "edges")
    parts["edges"] = tuple(validation.number(edge, "A bin edge") for edge in edges)
    return Binning(**parts | {"column": _text(parts["column"], "A binning's column")})


def _filter(values: Any) -> Filter:
    parts = json_object(values, Filter, "A filter")
    if "column" not in parts or len(parts) == 1:
        raise InvalidInputError("A filter must name its column and its levels or its range.")
    for name in ("low", "high"):
        if parts.get(name) is not None:
            parts[name] = validation.number(parts[name], f"A filter's {name}")
    if "levels" in parts:
        parts["levels"] = _texts(parts["levels"], "levels")
    return Filter(**parts | {"column": _text(parts["column"], "A filter's column")})


def _symbols(
    values: Any, name: str, kind: type[Merge | LeftOut], what: str
) -> tuple[Merge | LeftOut, ...]:
    result = []
    for entry in listed(values, name):
        parts = json_object(entry, kind, what)
        if len(parts) < 2:
            raise InvalidInputError(f"{what} must name its columns and its symbols.")
        result.append(kind(_texts(parts["columns"], "columns"), _texts(parts["names"], "names")))
    return tuple(result)


def _texts(values: Any, name: str) -> tuple[str, ...]:
    return tuple(_text(value, f"Each of {name}") for value in listed(values, name))


def _text(value: Any, name: str) -> str:
    """Return a column or a level as text; a level may be given as a number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidInputError(f"{name} must be a text, got {shown(value)}.")
    return str(value)
