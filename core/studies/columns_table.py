"""Answers as plain values: one as JSON, several side by side as JSON or as a table of text."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from core.notions.numbers import Numbers
from core.release.sentences import promise_text
from core.scenario import Project, Result
from core.studies.side_by_side import SHARE, Column, Difference, differences
from core.wording import percent

NONE = "–"
"""Printed where there is no figure."""


def describe(result: Result) -> dict[str, Any]:
    """Return an answer as plain values for JSON; an infinite level is written "inf".

    Examples
    --------
    >>> from core.scenario import Scenario, evaluate
    >>> plain = describe(evaluate(Scenario()))
    >>> round(plain["mechanism"]["kept"], 4), plain["audit"]["holds"]
    (0.9194, True)
    """
    mechanism = result.mechanism
    return {
        "scenario": json.loads(result.scenario.to_json()),
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
            "achieved": _finite(mechanism.audit.achieved),
            "holds": mechanism.audit.holds,
        },
        "before": {key: _finite(value) for key, value in result.before.achieved.items()},
        "after": {key: _finite(value) for key, value in result.after.achieved.items()},
        "seconds": result.seconds,
    }


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else "inf"


def described(project: Project, columns: Sequence[Column], numbers: Numbers) -> dict[str, Any]:
    """Return a comparison as plain values for JSON.

    Parameters
    ----------
    project : Project
        The question of each column.
    columns : sequence of Column
        Their answers.
    numbers : Numbers
        The λ, α, β and n of the levels.
    """
    return {
        "columns": [
            {
                "name": column.name,
                "note": note,
                "reason": column.reason,
                "levels": _plain(column.levels),
                "answer": None if column.result is None else describe(column.result),
            }
            for column, note in zip(columns, project.notes, strict=True)
        ],
        "differences": [
            {
                "key": row.key,
                "title": row.title,
                "unit": row.unit,
                "values": [_or_none(value) for value in row.values],
                "spread": _or_none(row.spread),
            }
            for row in differences(columns, numbers)
        ],
    }


def table(columns: Sequence[Column], numbers: Numbers) -> str:
    """Return a comparison as a table of text: promises and audits, then the figures.

    The figures that differ most come first.

    Parameters
    ----------
    columns : sequence of Column
        The answers.
    numbers : Numbers
        The λ, α, β and n of the levels.
    """
    rows = [["", *(column.name for column in columns)]]
    rows += [
        [title, *(NONE if one.result is None else tell(one.result) for one in columns)]
        for title, tell in (("promise", _promised), ("proof", _proof), ("audit", _audit))
    ]
    for row in differences(columns, numbers):
        title = f"{row.title}, {row.unit}" if row.unit not in ("", SHARE) else row.title
        rows.append([title, *(written(row, value) for value in row.values)])
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def written(row: Difference, value: float) -> str:
    """Return a figure of a comparison as text.

    Examples
    --------
    >>> row = Difference("kept", "Kept", "share", (0.5,), float("nan"), float("nan"))
    >>> written(row, 0.5), written(row, float("nan"))
    ('50.0 %', '–')
    """
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
    made = result.mechanism
    return made.status if made.status == "optimal" else f"{made.status}, gap {made.gap:.2g}"


def _audit(result: Result) -> str:
    verdict = result.mechanism.audit
    return NONE if verdict is None else "kept" if verdict.holds else "broken"


def _plain(levels: Any) -> dict[str, Any]:
    return {key: _or_none(value) for key, value in levels.items()}


def _or_none(value: float) -> float | str | None:
    return None if math.isnan(value) else _finite(value)
