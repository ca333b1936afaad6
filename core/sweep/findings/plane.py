"""The questions of a sweep in a plane: one figure across, one up, and which no other dominates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.errors import InvalidInputError
from core.scenario import spans
from core.sweep.columns import ALWAYS, names
from core.sweep.definition import Sweep
from core.sweep.findings.front import non_dominated, smaller_is_better
from core.sweep.findings.summary import Spread, summary
from core.sweep.measures import PREFIX
from core.validation import shown

BUDGET = "eps"
"""The axis that is no measure: the budget that is asked for, of which less is better."""

NATS, SHARE, PLAIN = "nats", "share", ""
"""Units of axes."""

ALL = 1 - 1e-9
"""Share from which on "most" says no more than that nothing can keep more than all."""

BOUNDS = {"kept": "most", "utility": "upper_bound"}
"""Measure → the one that bounds it, proven for every mechanism under the same promise."""


@dataclass(frozen=True)
class Mark:
    """One question in the plane.

    Attributes
    ----------
    question : int
        Its number in the sweep.
    fields : dict
        What sets it apart: "notion", "mechanism", "eps" and each field that varies.
    across, up : Spread
        Of the two figures, over the draws.
    bound : float
        Mean of the bound on the figure that goes up; NaN where none is known but that of X itself.
    points, none, proven : int
        Numbers of its points that are computed, without an answer, and proven optimal.
    best : bool
        Whether no other question is better in one mean and at least as good in the other.
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
    """Return what can be on an axis: the budget, and all that is measured.

    Examples
    --------
    >>> axes(Sweep())[:3]
    ('eps', 'kept', 'utility')
    """
    return (BUDGET, *sweep.measures)


def unit_of(axis: str, sweep: Sweep) -> str:
    """Return the unit of an axis: "nats", "share" of one, or "".

    Examples
    --------
    >>> unit_of("level_lip", Sweep()), unit_of("kept", Sweep()), unit_of("outputs", Sweep())
    ('nats', 'share', '')
    """
    if axis in ("kept", "nmi", "most"):
        return SHARE
    if axis.startswith(PREFIX):
        return NATS if spans.in_nats(axis.removeprefix(PREFIX)) else PLAIN
    if axis in (BUDGET, "achieved"):
        asked = {question.notion for question in sweep.questions}
        return NATS if all(map(spans.in_nats, asked)) else PLAIN
    of_purpose = axis in ("utility", "upper_bound", "gap")
    informs = all(question.purpose == "information" for question in sweep.questions)
    return NATS if axis == "information" or (of_purpose and informs) else PLAIN


def marks(table: Any, sweep: Sweep, across: str, up: str) -> tuple[Mark, ...]:
    """Return the questions of a sweep that have points, in order.

    Parameters
    ----------
    table : pyarrow.Table
        Points of the sweep, as `Results.table` returns them; some may be missing.
    sweep : Sweep
        The sweep.
    across, up : str
        As in `axes`.

    Raises
    ------
    InvalidInputError
        If one can be on no axis.

    Examples
    --------
    >>> from core.scenario import Scenario
    >>> from core.sweep import Gathered, counted_data
    >>> from core.sweep.chunks import chunks
    >>> from core.sweep.points import compute
    >>> sweep = Sweep(Scenario(mechanism="watchdog"), (("eps", (0.5, 1.0)),))
    >>> found = Gathered(sweep)
    >>> for chunk in chunks(sweep, counted_data(sweep)):
    ...     found.add(compute(chunk, report=lambda _: None))
    >>> [(one.across.mean, one.best) for one in marks(found.table(), sweep, "eps", "kept")]
    [(0.5, True), (1.0, True)]
    """
    for axis in (across, up):
        if axis not in axes(sweep):
            known = ", ".join(axes(sweep))
            raise InvalidInputError(f"An axis must be one of {known}, got {shown(axis)}.")
    bound = BOUNDS.get(up, "")
    more = (bound, "most") if bound else ()
    wanted = [key for key in dict.fromkeys((across, up, *more)) if key in sweep.measures]
    # one stands in where both axes are the budget: how many points there are must be known
    rows = summary(table, sweep, wanted or sweep.measures[:1])
    found: dict[int, dict[str, dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["question"], {})[row["measure"]] = row
    made = [_mark(number, by, sweep, across, up, bound) for number, by in found.items()]
    kept = non_dominated(
        [_cost(across, one.across.mean) for one in made],
        [-_cost(up, one.up.mean) for one in made],
    )
    return tuple(replace(one, best=bool(best)) for one, best in zip(made, kept, strict=True))


def lines(found: Sequence[Mark]) -> list[list[Mark]]:
    """Return questions that differ in the budget alone together, each group by budget.

    Parameters
    ----------
    found : sequence of Mark
        As `marks` returns them.
    """
    groups: dict[tuple[Any, ...], list[Mark]] = {}
    for one in found:
        groups.setdefault(one.line, []).append(one)
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
    return "most" not in by or by["most"]["mean"] < ALL


def _spread(row: dict[str, Any]) -> Spread:
    quantiles = tuple(row[key] for key in ("q05", "q25", "q50", "q75", "q95"))
    return Spread(row["n"], row["mean"], row["error"], quantiles)


def _cost(axis: str, value: float) -> float:
    """Return a number of which less is better."""
    return value if axis == BUDGET or smaller_is_better(axis) else -value


def _budget(mark: Mark) -> float:
    eps = mark.fields[BUDGET]
    return math.inf if eps is None else float(eps)
