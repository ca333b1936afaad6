"""The data of a scenario: a source, its columns and their treatment, as a value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from core import validation
from core.errors import InvalidInputError
from core.limits import MAX_BINS
from core.validation import shown

BIN_KINDS = ("width", "quantile", "edges")
"""Ways to cut a numeric column: equal width, equal counts, edges by hand."""

MISSING_KINDS = ("level", "drop")
"""Treatments of missing values: a level, or the record is left out."""


MOST_RECORDS = 10**15
"""Largest number of records that can be asked for: more than any table has."""


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
        if self.kind not in BIN_KINDS:
            known = ", ".join(map(repr, BIN_KINDS))
            raise InvalidInputError(
                f"A binning's kind must be one of {known}, got {shown(self.kind)}."
            )
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
        given = ", ".join(f"{value:g}" for value in values)
        raise InvalidInputError(
            f"The bin edges of {shown(column)} must be finite and increasing, got {given}."
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
                kept = validation.number(bound, what)
                object.__setattr__(self, side, kept)
                if not math.isfinite(kept):
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
class DataSpec:
    """A data set's name, its columns and how they become symbols; not the data itself.

    Attributes
    ----------
    source : str
        "adult" or another bundled set's id; "upload:SHA256" of a file; "matrix:SHA256" of a
        pasted joint; "random:LAW:N_SxN_X:SEED" with LAW uniform, dirichlet0.5 or dirichlet1;
        "example:ID" of a paper; "ENGINE://ADDRESS#TABLE" of a data base.
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

    Raises
    ------
    InvalidInputError
        If a value is outside its domain.

    Examples
    --------
    >>> import dataclasses
    >>> spec = DataSpec(released=("age",), binnings=(Binning("age", "width", 5),))
    >>> DataSpec.from_dict(dataclasses.asdict(spec)) == spec
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

    def __post_init__(self) -> None:
        if self.missing not in MISSING_KINDS:
            known = " or ".join(map(repr, MISSING_KINDS))
            raise InvalidInputError(f"missing must be {known}, got {shown(self.missing)}.")
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

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are read, each once: of S, X and T, and those that are filtered."""
        filtered = (chosen.column for chosen in self.filters)
        return tuple(dict.fromkeys((*self.secret, *self.released, *self.task, *filtered)))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> DataSpec:
        """Read a spec from its JSON form, that of `dataclasses.asdict`.

        Raises
        ------
        InvalidInputError
            If a name is unknown or a value is outside its domain.
        """
        parts = _known(values, cls, "The data")
        for name in ("secret", "released", "task"):
            if name in parts:
                named = _texts(parts[name], name)
                parts[name] = tuple(column for column in named if column)  # "" names none
        if "source" in parts and not isinstance(parts["source"], str):
            raise InvalidInputError(f"source must be a text, got {shown(parts['source'])}.")
        if "binnings" in parts:
            parts["binnings"] = tuple(map(_binning, _listed(parts["binnings"], "binnings")))
        if "filters" in parts:
            parts["filters"] = tuple(map(_filter, _listed(parts["filters"], "filters")))
        return cls(**parts)


def _binning(values: Any) -> Binning:
    parts = _known(values, Binning, "A binning")
    if "column" not in parts:
        raise InvalidInputError("A binning must name its column.")
    edges = _listed(parts.get("edges", ()), "edges")
    parts["edges"] = tuple(validation.number(edge, "A bin edge") for edge in edges)
    return Binning(**parts | {"column": _text(parts["column"], "A binning's column")})


def _filter(values: Any) -> Filter:
    parts = _known(values, Filter, "A filter")
    if "column" not in parts or len(parts) == 1:
        raise InvalidInputError("A filter must name its column and its levels or its range.")
    for name in ("low", "high"):
        if parts.get(name) is not None:
            parts[name] = validation.number(parts[name], f"A filter's {name}")
    if "levels" in parts:
        parts["levels"] = _texts(parts["levels"], "levels")
    return Filter(**parts | {"column": _text(parts["column"], "A filter's column")})


def _known(values: Any, kind: type, name: str) -> dict[str, Any]:
    """Return a JSON object as a dictionary, all of whose entries are fields of `kind`."""
    if not isinstance(values, Mapping):
        raise InvalidInputError(f"{name} must be a JSON object, got {shown(values)}.")
    known = {item.name for item in fields(kind)}
    for entry in values:
        if entry not in known:
            raise InvalidInputError(f"{name} has an unknown entry {shown(entry)}.")
    return dict(values)


def _listed(values: Any, name: str) -> list[Any]:
    if not isinstance(values, list | tuple):
        raise InvalidInputError(f"{name} must be a list, got {shown(values)}.")
    return list(values)


def _texts(values: Any, name: str) -> tuple[str, ...]:
    return tuple(_text(value, f"Each of {name}") for value in _listed(values, name))


def _text(value: Any, name: str) -> str:
    """Return a column or a level as text; a level may be given as a number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidInputError(f"{name} must be a text, got {shown(value)}.")
    return str(value)
