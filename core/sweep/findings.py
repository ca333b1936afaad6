"""What the results of a sweep show: means over draws, differences, and dominance."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from core.errors import InvalidInputError
from core.limits import CLOSE
from core.scenario import spans
from core.sweep.definition import PREFIX, Sweep
from core.sweep.results import ALWAYS, names
from core.validation import BoolArray, FloatArray, one_of, shown

SMALLER = ("gap", "outputs", "achieved")
"""Measures that should be small, as every level should; all others should be large."""


def smaller_is_better(measure: str) -> bool:
    return measure in SMALLER or measure.startswith(PREFIX)


def non_dominated(costs: ArrayLike, gains: ArrayLike) -> BoolArray:
    """Return which points (k,) no other dominates: costs at most as much and gains at least it."""
    cost, gain = np.asarray(costs, dtype=np.float64), np.asarray(gains, dtype=np.float64)
    if cost.ndim != 1 or cost.shape != gain.shape:
        raise InvalidInputError(
            f"Costs and gains must be lists of one length, got shapes {cost.shape}, {gain.shape}."
        )
    kept = np.zeros(cost.shape, dtype=np.bool_)
    known = np.flatnonzero(~(np.isnan(cost) | np.isnan(gain)))
    order = known[np.lexsort((-gain[known], cost[known]))]  # cheapest first, of those the best
    best, at = -np.inf, np.nan
    for place in order:
        first = np.isnan(at) or gain[place] > best
        if first or (gain[place] == best and cost[place] == at):
            kept[place] = True
            best, at = gain[place], cost[place]
    return kept


def check_axes(measures: Collection[str], cost: str, gain: str) -> None:
    """Check that two measures are among some, that less of one and more of the other is better."""
    for measure in (cost, gain):
        if measure not in measures:
            raise InvalidInputError(f"The sweep has no measure {shown(measure)}.")
    if not smaller_is_better(cost) or smaller_is_better(gain):
        raise InvalidInputError(
            f"A front needs a measure of which less is better and one of which more is, in this "
            f"order, got {cost!r} and {gain!r}."
        )


def front(rows: Sequence[dict[str, Any]], cost: str, gain: str) -> list[dict[str, Any]]:
    """Return the questions of a summary that no other dominates by the means of two measures."""
    means = {(row["question"], row["measure"]): row["mean"] for row in rows}
    check_axes({key for _, key in means}, cost, gain)
    wanted = [row for row in rows if row["measure"] == gain]
    costs = [means[row["question"], cost] for row in wanted]
    kept = non_dominated(costs, [row["mean"] for row in wanted])
    best = [
        row | {"cost": paid} for row, paid, stays in zip(wanted, costs, kept, strict=True) if stays
    ]
    return sorted(best, key=lambda row: (row["cost"], row["question"]))


LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Probabilities of the quantiles."""


@dataclass(frozen=True)
class Spread:
    """How numbers are spread: how many, those that are NaN left out, and their mean.

    The mean is ∞ where a number is, NaN where there is none. The error is s/√n with s² = Σ (v −
    mean)²/(n − 1), NaN where n < 2 or a number is infinite. Quantiles at `LEVELS` are interpolated.
    """

    n: int
    mean: float
    error: float
    quantiles: tuple[float, ...]

    @classmethod
    def of(cls, values: FloatArray) -> Spread:
        """Return the spread of numbers, shape (k,)."""
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
        quantiles = {
            f"q{round(100 * level):02d}": q for level, q in zip(LEVELS, self.quantiles, strict=True)
        }
        return {"n": self.n, "mean": self.mean, "error": self.error, **quantiles}


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
    """Return the spread over the draws of each measure, for each question."""
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
    """Return the spread of differences, draw by draw, from the first value of a field."""
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


BUDGET = "eps"
"""The axis that is no measure: the required budget; less is better."""

NATS, SHARE, PLAIN = "nats", "share", ""
"""Units of axes."""

BOUNDS = {"kept": "most", "utility": "upper_bound"}
"""Measure → the one that bounds it, proven for every mechanism under the same promise."""


@dataclass(frozen=True)
class Mark:
    """One question in the plane: what sets it apart, and its two figures over the draws.

    `bound`: mean bound on the figure that goes up, NaN for none; `none`: its points without answer.
    """

    question: int
    fields: dict[str, Any]
    across: Spread
    up: Spread
    bound: float
    points: int
    none: int
    proven: int
    best: bool = False

    @property
    def line(self) -> tuple[Any, ...]:
        """What it has in common with the questions that differ in the budget alone."""
        return tuple(value for name, value in self.fields.items() if name != BUDGET)


def axes(sweep: Sweep) -> tuple[str, ...]:
    """Return what can be on an axis: the budget, and all that is measured."""
    return (BUDGET, *sweep.measures)


def unit_of(axis: str, sweep: Sweep) -> str:
    """Return the unit of an axis: "nats", "share" of one, or ""."""
    if axis in ("kept", "nmi", "most"):
        return SHARE
    if axis.startswith(PREFIX):
        return NATS if spans.in_nats(axis.removeprefix(PREFIX)) else PLAIN
    if axis in (BUDGET, "achieved"):
        keys = {question.notion for question in sweep.questions}
        return NATS if all(map(spans.in_nats, keys)) else PLAIN
    of_purpose = axis in ("utility", "upper_bound", "gap")
    informs = all(question.purpose == "information" for question in sweep.questions)
    return NATS if axis == "information" or (of_purpose and informs) else PLAIN


def marks(table: Any, sweep: Sweep, across: str, up: str) -> tuple[Mark, ...]:
    """Return the questions of a sweep that have points, in order."""
    for axis in (across, up):
        one_of(axis, axes(sweep), "An axis")
    bound = BOUNDS.get(up, "")
    more = (bound, "most") if bound else ()
    wanted = [key for key in dict.fromkeys((across, up, *more)) if key in sweep.measures]
    # one stands in where both axes are the budget: how many points there are must be known
    rows = summary(table, sweep, wanted or sweep.measures[:1])
    by_question: dict[int, dict[str, dict[str, Any]]] = {}
    for row in rows:
        by_question.setdefault(row["question"], {})[row["measure"]] = row
    points = [_mark(number, by, sweep, across, up, bound) for number, by in by_question.items()]
    kept = non_dominated(
        [_cost(across, point.across.mean) for point in points],
        [-_cost(up, point.up.mean) for point in points],
    )
    return tuple(replace(point, best=bool(best)) for point, best in zip(points, kept, strict=True))


def lines(points: Sequence[Mark]) -> list[list[Mark]]:
    """Return questions that differ in the budget alone together, each group by budget."""
    groups: dict[tuple[Any, ...], list[Mark]] = {}
    for point in points:
        groups.setdefault(point.line, []).append(point)
    return [sorted(group, key=_budget) for group in groups.values()]


def _mark(
    number: int, by: dict[str, dict[str, Any]], sweep: Sweep, across: str, up: str, bound: str
) -> Mark:
    row = next(iter(by.values()))
    fields = {name: row[name] for name in names(sweep)}
    points = row["n"] + row["none"]

    def spread(axis: str) -> Spread:
        if axis != BUDGET:
            return _spread(by[axis])
        eps = math.nan if fields[BUDGET] is None else fields[BUDGET]
        return Spread(points, eps, 0.0, (eps,) * 5)

    least = spread(up)
    return Mark(
        question=number,
        fields={key: fields[key] for key in (*ALWAYS, *sweep.varied) if key in fields},
        across=spread(across),
        up=least,
        bound=by[bound]["mean"] if bound in by and _tells(by) else math.nan,
        points=points,
        none=points - least.n,
        proven=row["proven"],
    )


def _tells(by: dict[str, dict[str, Any]]) -> bool:
    """Say whether the bound is below what X itself gives."""
    return "most" not in by or by["most"]["mean"] < 1 - CLOSE


def _spread(row: dict[str, Any]) -> Spread:
    quantiles = tuple(row[key] for key in ("q05", "q25", "q50", "q75", "q95"))
    return Spread(row["n"], row["mean"], row["error"], quantiles)


def _cost(axis: str, value: float) -> float:
    """Return a cost: less is better."""
    return value if axis == BUDGET or smaller_is_better(axis) else -value


def _budget(mark: Mark) -> float:
    eps = mark.fields[BUDGET]
    return math.inf if eps is None else float(eps)
