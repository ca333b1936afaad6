"""Summaries of a sweep over its draws: means, standard errors, quantiles, paired differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from core.errors import InvalidInputError
from core.sweep.columns import names
from core.sweep.definition import Sweep
from core.validation import FloatArray, shown

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Probabilities of the quantiles."""


@dataclass(frozen=True)
class Spread:
    """How numbers are spread.

    Attributes
    ----------
    n : int
        How many there are, those that are NaN left out.
    mean : float
        Their mean, ∞ where one is ∞; NaN where there is none.
    error : float
        Standard error of the mean, s/√n with s² = Σ (v − mean)²/(n − 1); NaN where n < 2 or one
        is infinite.
    quantiles : tuple of float
        At `LEVELS`, interpolated between the sorted numbers; NaN where there is none.
    """

    n: int
    mean: float
    error: float
    quantiles: tuple[float, ...]

    @classmethod
    def of(cls, values: FloatArray) -> Spread:
        """Return the spread of numbers, shape (k,).

        Examples
        --------
        >>> Spread.of(np.array([1.0, 2.0, 3.0, np.nan]))
        Spread(n=3, mean=2.0, error=0.5773502691896258, quantiles=(1.1, 1.5, 2.0, 2.5, 2.9))
        """
        known = np.sort(values[~np.isnan(values)])
        n = int(known.size)
        if n == 0:
            return cls(0, math.nan, math.nan, (math.nan,) * len(LEVELS))
        both = np.isneginf(known[0]) and np.isposinf(known[-1])
        mean = math.nan if both else float(known.mean())
        finite = n > 1 and bool(np.isfinite(known).all())
        error = float(known.std(ddof=1)) / math.sqrt(n) if finite else math.nan
        return cls(n, mean, error, tuple(_quantile(known, level) for level in LEVELS))

    def to_dict(self) -> dict[str, float]:
        """Return the numbers by name: n, mean, error, q05, q25, q50, q75 and q95."""
        told = {
            f"q{round(100 * level):02d}": q for level, q in zip(LEVELS, self.quantiles, strict=True)
        }
        return {"n": self.n, "mean": self.mean, "error": self.error, **told}


def _quantile(ordered: FloatArray, level: float) -> float:
    """Return a quantile of sorted numbers, which may be infinite."""
    place = level * (len(ordered) - 1)
    low = int(place)
    below, share = float(ordered[low]), place - low
    above = float(ordered[min(low + 1, len(ordered) - 1)])
    if share == 0 or below == above:
        return below
    return above if math.isinf(above) else below + (above - below) * share


def summary(
    table: Any, sweep: Sweep, measures: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Return the spread over the draws of each measure, for each question.

    Parameters
    ----------
    table : pyarrow.Table
        Points of the sweep, as `Results.table` returns them; some may be missing.
    sweep : Sweep
        The sweep.
    measures : sequence of str, optional
        Which measures; all of the sweep's by default.

    Returns
    -------
    list of dict
        For each question and measure: the question's number and fields, "measure", what
        `Spread.to_dict` says, "none" (how many draws have no such number) and "proven" (how many
        are proven optimal).

    Raises
    ------
    InvalidInputError
        If a measure is none of the sweep's.
    """
    keys = _checked(sweep, measures)
    rows = []
    for question, part in _questions(table, sweep):
        fields = {name: part[name][0].as_py() for name in names(sweep)}
        proven = int(part["proven"].to_numpy().sum())
        for key in keys:
            spread = Spread.of(part[key].to_numpy())
            rows.append(
                {"question": question, **fields, "measure": key, **spread.to_dict()}
                | {"none": part.num_rows - spread.n, "proven": proven}
            )
    return rows


def differences(
    table: Any, sweep: Sweep, field: str, measures: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Return the spread of paired differences: the same draw, questions that differ in one field.

    Each is compared with the question that has the first value of the field.

    Parameters
    ----------
    table, sweep, measures
        As in `summary`.
    field : str
        The field, such as "mechanism".

    Returns
    -------
    list of dict
        For each pair of questions and each measure: the fields, "than" (the first value), what
        `Spread.to_dict` says of the differences, and "above" and "below", the numbers of draws
        where the difference is above and below 0.

    Raises
    ------
    InvalidInputError
        If the field does not vary, or a measure is none of the sweep's.
    """
    keys = _checked(sweep, measures)
    if field not in sweep.varied:
        known = ", ".join(sweep.varied) or "nothing"
        raise InvalidInputError(f"Differences need a field that varies ({known}), got {field!r}.")
    first: dict[tuple[Any, ...], Any] = {}
    rows = []
    for question, part in _questions(table, sweep):
        fields = {name: part[name][0].as_py() for name in names(sweep)}
        others = tuple(value for name, value in fields.items() if name != field)
        base = first.setdefault(others, part)
        if base is part:
            continue
        n_draws = sweep.n_draws
        _, ours, theirs = np.intersect1d(
            part["point"].to_numpy() % n_draws,
            base["point"].to_numpy() % n_draws,
            return_indices=True,
        )
        for key in keys:
            here, there = part[key].to_numpy()[ours], base[key].to_numpy()[theirs]
            with np.errstate(invalid="ignore"):  # ∞ − ∞ is no number
                apart = here - there
            rows.append(
                {"question": question, **fields, "than": base[field][0].as_py()}
                | {"measure": key, **Spread.of(apart).to_dict()}
                | {"above": int((apart > 0).sum()), "below": int((apart < 0).sum())}
            )
    return rows


def as_table(rows: Sequence[dict[str, Any]]) -> Any:
    """Return rows of a summary as an Arrow table."""
    return pa.Table.from_pylist(list(rows))


def _questions(table: Any, sweep: Sweep) -> list[tuple[int, Any]]:
    """Return the points of each question that has some, by its number; they are in order."""
    of = table["question"].to_numpy()
    starts = np.searchsorted(of, np.arange(len(sweep.questions) + 1))
    return [
        (question, table.slice(start, end - start))
        for question, (start, end) in enumerate(pairwise(starts.tolist()))
        if end > start
    ]


def _checked(sweep: Sweep, measures: Sequence[str] | None) -> tuple[str, ...]:
    for key in measures or ():
        if key not in sweep.measures:
            known = ", ".join(sweep.measures)
            raise InvalidInputError(f"The sweep has no measure {shown(key)}; it has {known}.")
    return sweep.measures if measures is None else tuple(measures)
