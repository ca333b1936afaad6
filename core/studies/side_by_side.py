"""Scenarios side by side: an answer each, the levels of every notion, and what differs most."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import ArrayLike

from core.codec import plain_json
from core.data import Sources, count
from core.errors import CoreError, InvalidInputError
from core.joint import Joint
from core.limits import ROUNDING
from core.notions import catalogue as notions
from core.notions.entry import NotionEntry
from core.notions.numbers import Numbers, declared
from core.release.sentences import for_whom, promise_text
from core.scenario import Project, Result, Scenario, answer
from core.wording import percent

SLOW_CELLS = 2_500
"""Least entries of a kernel for which the level of a robust notion takes more than .1 s."""

NATS, PLAIN, SHARE = "nats", "", "share"
"""Units of figures."""

SYMBOLS = {"lam": "λ", "alpha": "α", "beta": "β", "n": "n", "delta": "δ"}
"""Symbols of the numbers that a level depends on."""


@dataclass(frozen=True, eq=False)
class Column:
    """One scenario of a comparison, with its answer, or the reason why it has none."""

    name: str
    scenario: Scenario
    result: Result | None = None
    reason: str = ""
    levels: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Difference:
    """One figure of all columns, NaN where one has none; its unit is "nats", "share" or "".

    The spread is the largest less the smallest, NaN for fewer than two; `relative`, by which rows
    are sorted, is its share of the largest.
    """

    key: str
    title: str
    unit: str
    values: tuple[float, ...]
    spread: float
    relative: float


def reference(scenarios: Sequence[Scenario]) -> Numbers:
    """Return λ, α, β and n for all columns: each that of the first scenario whose notion has it."""
    numbers = Numbers()
    for name in declared():
        if name in ("eps", "bound"):
            continue
        for scenario in scenarios:
            if name in notions.entry(scenario.notion).parameters:
                numbers = replace(numbers, **{name: getattr(scenario, name)})
                break
    return numbers


UNLISTED = ("robust_lip", "robust_alip")
"""Notions that are required of a larger set, so that their levels may be a fifth too high; nor do
the certificates of version 6 before them have their levels."""


def levels(
    joint: Joint,
    kernel: ArrayLike,
    numbers: Numbers | None = None,
    *,
    slow: bool = True,
    keys: Collection[str] | None = None,
) -> dict[str, float]:
    """Return the least ε, or bound, at which each notion holds for a kernel, shape (n_x, n_y)."""
    array = joint.checked_kernel(kernel)
    given = replace(numbers or Numbers(), eps=1.0)
    least = {}
    for entry in entries():
        if (keys is not None and entry.key not in keys) or (
            not slow and is_slow(entry, array.size)
        ):
            continue
        try:
            least[entry.key] = float(entry.make(joint, given).achieved(joint, array))
        except InvalidInputError:  # not defined for such joints, or mechanisms that read S
            least[entry.key] = math.nan
    return least


def entries() -> tuple[NotionEntry, ...]:
    """Return the notions whose levels are listed, and written into every certificate."""
    all_ = notions.ENTRIES + notions.AVERAGES
    return tuple(entry for entry in all_ if not entry.sides and entry.key not in UNLISTED)


def is_slow(entry: NotionEntry, cells: int) -> bool:
    """Say whether a notion's level takes more than .1 s for a kernel of `cells` entries."""
    return entry.kind.of_estimate and cells >= SLOW_CELLS


def level_title(key: str, numbers: Numbers) -> str:
    """Return the name of a notion's level, with the numbers that it depends on."""
    entry = notions.entry(key)
    parts = [
        f"{SYMBOLS.get(name, name)} = {_written(getattr(numbers, name))}"
        for name in entry.parameters
        if name not in ("eps", "bound") and getattr(numbers, name) is not None
    ]
    return ", ".join([entry.level_title or entry.title, *parts])


def _written(value: float) -> str:
    if value == math.inf:
        return "∞"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def compare(project: Project, sources: Sources | None = None) -> tuple[Column, ...]:
    """Answer every column of a project; a column without an answer says why."""
    numbers = reference(project.scenarios)
    columns = []
    for scenario, name, _ in project.columns():
        column = Column(name, scenario)
        try:
            result = answer(scenario, count(scenario.data, sources))
        except CoreError as error:
            columns.append(replace(column, reason=str(error)))
            continue
        least = levels(result.joint, result.mechanism.kernel, numbers)
        columns.append(replace(column, result=result, levels=least))
    return tuple(columns)


def differences(columns: Sequence[Column], numbers: Numbers) -> tuple[Difference, ...]:
    """Return every figure of all columns, the one that differs most first."""
    rows = [
        _difference(key, title, unit, [_figure(key, column.result) for column in columns])
        for key, title, unit in FIGURES
        if key != "nmi" or any(column.scenario.purpose != "information" for column in columns)
    ]
    keys = dict.fromkeys(key for column in columns for key in column.levels)
    rows += [
        _difference(
            key,
            level_title(key, numbers),
            NATS if notions.entry(key).in_nats else PLAIN,
            [column.levels.get(key, math.nan) for column in columns],
        )
        for key in keys
    ]
    defined = [row for row in rows if not all(map(math.isnan, row.values))]
    return tuple(sorted(defined, key=lambda row: (math.isnan(row.relative), -row.relative)))


FIGURES = (
    ("kept", "Share kept", SHARE),
    ("information", "I(X;Y)", NATS),
    ("nmi", "X kept, I(X;Y)/H(X)", SHARE),
    ("most", "Upper bound on X kept", SHARE),
    ("outputs", "Outputs", PLAIN),
)
"""Figures of an answer other than levels of notions: key, title and unit."""


def most(result: Result) -> float:
    """Return the proven upper bound on `kept` of any mechanism under the same notion."""
    mechanism = result.mechanism
    return mechanism.purpose.share(result.joint, mechanism.upper_bound)


def _figure(key: str, result: Result | None) -> float:
    if result is None:
        return math.nan
    mechanism = result.mechanism
    if key == "most":
        return most(result)
    return float(mechanism.n_y if key == "outputs" else getattr(mechanism, key))


def _difference(key: str, title: str, unit: str, values: Sequence[float]) -> Difference:
    known = [value for value in values if not math.isnan(value)]
    spread = relative = math.nan
    if len(known) > 1:
        low, high = min(known), max(known)
        spread = 0.0 if high == low else high - low
        largest = max(abs(low), abs(high))
        # a thousand times the audit's slack
        apart = spread > max(1e-9, ROUNDING * largest if math.isfinite(largest) else 0.0)
        relative = 0.0 if not apart else 1.0 if math.isinf(spread) else min(1.0, spread / largest)
    return Difference(key, title, unit, tuple(values), spread, relative)


NONE = "–"
"""Printed where there is no figure."""


def describe(result: Result, files: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return an answer as plain values for JSON; an infinite level is "inf"."""
    mechanism, data = result.mechanism, result.scenario.data
    source = (files or {}).get(data.source, data.undisclosed().source)
    return {
        "scenario": replace(result.scenario, data=replace(data, source=source)).to_dict(),
        "n": result.joint.n,
        "mechanism": {
            "name": mechanism.name,
            "inputs": mechanism.x_labels,
            "outputs": mechanism.y_labels,
            "kernel": mechanism.kernel.tolist(),
            "utility": mechanism.utility,
            "kept": mechanism.kept,
            "information": mechanism.information,
            "nmi": mechanism.nmi,
            "upper_bound": mechanism.upper_bound,
            "gap": mechanism.gap,
            "solver": mechanism.solver,
            "status": mechanism.status,
            "notes": mechanism.notes,
        },
        "audit": None
        if mechanism.audit is None
        else {
            "asked": str(mechanism.notion),
            "achieved": plain_json(mechanism.audit.achieved),
            "holds": mechanism.audit.holds,
        },
        "before": plain_json(result.before.achieved),
        "after": plain_json(result.after.achieved),
        "seconds": result.seconds,
    }


def described(
    project: Project,
    columns: Sequence[Column],
    numbers: Numbers,
    files: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return a comparison as plain values for JSON; `files` as in `describe`."""
    return {
        "columns": [
            {
                "name": column.name,
                "note": note,
                "reason": column.reason,
                "levels": plain_json(column.levels),
                "answer": None if column.result is None else describe(column.result, files),
            }
            for column, note in zip(columns, project.notes, strict=True)
        ],
        "differences": [
            {
                "key": row.key,
                "title": row.title,
                "unit": row.unit,
                "values": plain_json(row.values),
                "spread": plain_json(row.spread),
            }
            for row in differences(columns, numbers)
        ],
    }


def table(columns: Sequence[Column], numbers: Numbers) -> str:
    """Return a comparison as text: notions and audits, then the figures that differ most first."""
    rows = [["", *(column.name for column in columns)]]
    rows += [
        [title, *(NONE if column.result is None else tell(column.result) for column in columns)]
        for title, tell in (("notion", _promised), ("proof", _proof), ("audit", _audit))
    ]
    for row in differences(columns, numbers):
        title = f"{row.title}, {row.unit}" if row.unit not in ("", SHARE) else row.title
        rows.append([title, *(written(row, value) for value in row.values)])
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    whose = for_whom(*(column.scenario for column in columns))
    return "\n".join([*lines, f"Levels are of Y alone{whose}."] if whose else lines)


def written(row: Difference, value: float) -> str:
    if math.isnan(value):
        return NONE
    if row.unit == SHARE:
        return percent(value, 1)
    if math.isinf(value):
        return "∞"
    return f"{value:,.0f}" if row.key == "outputs" else f"{value:.4f}"


def _promised(result: Result) -> str:
    notion = result.mechanism.notion
    return "none" if notion is None else promise_text(notion)


def _proof(result: Result) -> str:
    status = result.mechanism.status
    return status if status == "optimal" else f"{status}, gap {result.mechanism.gap:.2g}"


def _audit(result: Result) -> str:
    verdict = result.mechanism.audit
    return NONE if verdict is None else "kept" if verdict.holds else "broken"
