"""The answers of all columns, each as soon as it is there, and the figures and table of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from core.errors import CoreError
from core.jobs import Job
from core.notions.numbers import Numbers
from core.scenario import Result, Scenario
from core.studies.side_by_side import (
    NATS,
    Column,
    Difference,
    differences,
    entries,
    is_slow,
    levels,
)
from core.validation import FloatArray
from core.wording import fixed
from pages.ui.compare import query
from pages.ui.figures.frontier import OF_X, Kept, Line, frontier
from pages.ui.parts import copy_link, tables
from pages.ui.style import labels
from pages.ui.style.base import (
    DASHES,
    ENDLESS,
    SERIES,
    SYMBOLS,
    Figure,
    axis,
    colour,
    layout,
    legend,
    margin_for,
    numbers,
    texts,
    ticked,
    ticks,
)
from pages.ui.style.units import in_unit
from pages.ui.work import answers, derived, long_answer
from pages.ui.work.long_answer import LongAnswer

FLAT = 0.005
"""Share below its top from which a line counts as risen."""

LEAST_WIDE = 0.25
"""Least ε up to which axes that fit the lines reach."""

Span = tuple[tuple[float, float], tuple[float, float]]
"""The ends of an axis along and of one up."""


@dataclass(frozen=True)
class Point:
    """The current point of a column; its `mark` sets color and symbol, `kept` is a share.

    `has_budget`: whether ε, in the unit shown, has an effect; else `unit` is empty.
    """

    mark: int
    title: str
    eps: float
    kept: float
    has_budget: bool = True
    unit: str = "nats"


def column_frontiers(
    lines: Sequence[Line],
    points: Sequence[Point],
    *,
    unit: str,
    limit: float,
    empty: str,
    kept: Kept = OF_X,
    fit: Span | None = None,
) -> Figure:
    """Draw the frontiers of columns, and the current point of each; `fit`: what the axes span."""
    nothing = "" if points else empty
    figure = frontier(
        lines, eps=0, nmi=0, unit=unit, limit=limit, current=-1, empty=nothing, kept=kept
    )
    shown = figure["layout"]
    shown["meta"] = {"tail": len(points)}
    shown["dragmode"] = "zoom"
    shown["legend"]["itemsizing"] = "constant"  # marks of current settings are large
    if fit is not None:
        (left, right), (low, high) = fit
        along, up = (shown[name]["title"]["text"] for name in ("xaxis", "yaxis"))
        shown["xaxis"] = ticked(along, left, right)
        shown["yaxis"] = ticked(up, low, high, percent=True)
    for name in ("xaxis", "yaxis"):
        shown[name]["fixedrange"] = False
    drawn = {line.place for line in lines}
    figure["data"] += [
        _point(point, kept, limit, alone=point.mark not in drawn)
        if point.has_budget
        else _level(point, kept, limit)
        for point in points
    ]
    return figure


def fitted(lines: Sequence[Line], points: Sequence[Point], limit: float) -> Span | None:
    """Return what axes span that fit the lines: up to where none rises any more; None for none.

    Every current point is within them, or at the end of the whole axis, `limit`. Quick estimates,
    which may lie far below, count where there is no other line.
    """
    ends, heights = [], [point.kept for point in points]
    lines = [line for line in lines if not line.faded] or lines
    for line in lines:
        known = np.isfinite(line.nmi)
        if known.any():
            most = float(line.nmi[known].max())
            ends.append(float(line.eps[known & (line.nmi >= most - FLAT)].min()))
    ends += [point.eps for point in points if point.has_budget]
    if not ends:
        return None
    right = min(max(1.12 * max(ends), LEAST_WIDE), limit)
    for line in lines:
        heights += line.nmi[np.isfinite(line.nmi) & (line.eps <= right)].tolist()
    low, high = min(heights), max(heights)
    room = max(0.08 * (high - low), 0.01)
    return (-0.02 * right, right), (max(low - room, -0.03), min(high + room, 1.05))


def _point(point: Point, kept: Kept, limit: float, *, alone: bool) -> dict[str, object]:
    """Return the marker of a current point; one beyond the whole axis is drawn at its end."""
    ink = colour(SERIES[point.mark % len(SERIES)])
    return {
        "type": "scatter",
        "mode": "markers",
        "name": labels.text(point.title),
        "x": numbers([min(point.eps, limit)]),
        "y": numbers([point.kept]),
        "marker": {
            "symbol": SYMBOLS[point.mark % len(SYMBOLS)],
            "size": 14,
            "color": colour("paper"),
            "line": {"width": 3, "color": ink},
        },
        "cliponaxis": False,
        "showlegend": alone,
        "hovertemplate": f"now: ε = {point.eps:.3g} {point.unit}<br>keeps %{{y:.1%}} of {kept.of}"
        f"<extra>{labels.text(point.title)}</extra>",
    }


def _level(point: Point, kept: Kept, limit: float) -> dict[str, object]:
    """Return the line of a column that has no ε: it keeps the same at every ε."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": labels.text(point.title),
        "x": numbers([0.0, limit]),
        "y": numbers([point.kept, point.kept]),
        "line": {
            "color": colour(SERIES[point.mark % len(SERIES)]),
            "width": 1.7,
            "dash": DASHES[point.mark % len(DASHES)],
        },
        "showlegend": True,
        "hovertemplate": f"has no ε<br>keeps %{{y:.1%}} of {kept.of}"
        f"<extra>{labels.text(point.title)}</extra>",
    }


def column_levels(
    titles: Sequence[str],
    columns: Sequence[tuple[int, str, FloatArray]],
    unit: str,
    *,
    spelt: Sequence[str],
) -> Figure:
    """Draw the level that each column reaches of every notion: rows are notions.

    A column is its mark, which sets color and symbol, its name, and its levels.
    """
    every = np.concatenate([levels for _, _, levels in columns]) if columns else np.zeros(0)
    finite = every[np.isfinite(every)]
    reach = float(max(finite.max(initial=0.0), 0.1))
    endless = bool(np.isinf(every).any())
    at = ticks(0.0, reach, 6)
    names = [labels.short(title, 24) for title in titles]
    return {
        "data": [_marks(mark, name, levels, reach, unit, spelt) for mark, name, levels in columns],
        "layout": layout(
            max(18 * len(titles) + 78, 160),
            (margin_for(names, 60, 172, 5.2), 14, 34, 42),
            xaxis=axis(
                f"level reached, {unit}",
                (-0.05 * reach, (ENDLESS + 0.06 if endless else 1.06) * reach),
                tickvals=[*at, *([ENDLESS * reach] if endless else [])],
                ticktext=[*texts(at), *(["∞"] if endless else [])],
            ),
            yaxis=axis(
                "",
                (len(titles) - 0.5, -0.5),
                tickvals=list(range(len(titles))),
                ticktext=names,
            ),
            showlegend=True,
            legend=legend(1.01),
        ),
    }


def _marks(
    mark: int, name: str, levels: FloatArray, reach: float, unit: str, spelt: Sequence[str]
) -> dict[str, object]:
    shown = np.where(np.isinf(levels), ENDLESS * reach, levels)
    written = [fixed(value, 4) for value in levels]
    ink = colour(SERIES[mark % len(SERIES)])
    return {
        "type": "scatter",
        "mode": "markers",
        "name": labels.text(name),
        "x": numbers(shown),
        "y": list(range(len(levels))),
        "customdata": [
            [labels.full(title), value] for title, value in zip(spelt, written, strict=True)
        ],
        "marker": {
            "symbol": f"{SYMBOLS[mark % len(SYMBOLS)]}-open",
            "size": 9,
            "color": ink,
            "line": {"width": 2, "color": ink},
        },
        "cliponaxis": False,
        "hovertemplate": f"%{{customdata[0]}}<br>%{{customdata[1]}} {unit}"
        f"<extra>{labels.text(name)}</extra>",
    }


RESERVED = ("figure", "difference")
"""Headings of the table: a column of the page with such a name has “(column)” added to it."""


def table(compared: Sequence[Column], numbers: Numbers, unit: str) -> pd.DataFrame:
    """Return every figure of all columns, and how far they differ: a row for each figure."""
    rows = differences(compared, numbers)

    def scaled(row: Difference, value: float) -> float:
        return round(in_unit(value, unit) if row.unit == NATS else value, 6)

    return pd.DataFrame(
        {
            "figure": [_named(row, unit) for row in rows],
            "difference": [scaled(row, row.spread) for row in rows],
        }
        | {
            name: np.array([scaled(row, row.values[place]) for row in rows])
            for place, name in enumerate(_headings(compared))
        }
    )


def _headings(compared: Sequence[Column]) -> list[str]:
    return [
        f"{column.name} (column)" if column.name in RESERVED else column.name for column in compared
    ]


def show(frame: pd.DataFrame) -> None:
    """Show the table of all figures, and the button that copies it."""
    if frame.empty:
        st.caption("No column has an answer.")
        return
    tables.sheet(
        frame,
        "differences",
        most=400,
        column_config={
            "figure": st.column_config.TextColumn(
                "figure", width=tables.WIDTHS["figure"], pinned=True
            ),
            "difference": st.column_config.NumberColumn(
                "difference",
                width=tables.WIDTHS["number"],
                help="The largest value minus the smallest. Rows are sorted by this difference "
                "relative to the largest value.",
            ),
            **{
                name: st.column_config.NumberColumn(name, width=tables.WIDTHS["number"])
                for name in frame.columns[len(RESERVED) :]
            },
        },
    )
    with st.container(width=180, key="differences_copied"):
        copy_link.of_table("differences_copy", frame.to_csv(sep="\t", index=False))


def _named(row: Difference, unit: str) -> str:
    """Return what a figure is called, with its unit where it has one."""
    written = unit if row.unit == NATS else row.unit
    return f"{row.title}, {written}" if written else row.title


PART = "column"
"""How the names of the parts of the page begin that wait for a column's answer."""


_LAST = "_compare_last"


@dataclass(frozen=True, eq=False)
class Answered:
    """A column, its `place` from the first (from 0), its mark, and the state of its answer.

    `working`: a first or better answer is on its way. `old`: the last question's, if there is
    no answer.
    """

    place: int
    name: str
    note: str
    scenario: Scenario
    result: Result | None = None
    error: CoreError | None = None
    working: bool = False
    old: Result | None = None
    mark: int = 0


def part(place: int) -> str:
    """Return the part of the page that waits for a column's answer."""
    return f"{PART} {place}"


def is_first() -> bool:
    """Return whether the session has had no column's answer yet."""
    return not st.session_state.get(_LAST)


def answered() -> list[Answered]:
    """Return every column that is shown, with the state of its answer."""
    shown = query.shown()
    long_answer.await_nowhere(PART, [part(place) for place in range(len(shown))])
    states = [_answered(place, *column) for place, column in enumerate(shown)]
    return [replace(column, mark=mark) for column, mark in zip(states, query.marks(), strict=True)]


def result_of(place: int) -> Result:
    """Return a column's answer."""
    with long_answer.within(part(place)):
        return answers.evaluate(query.shown()[place][0])


def _answered(place: int, scenario: Scenario, name: str, note: str) -> Answered:
    last: dict[int, Result] = st.session_state.setdefault(_LAST, {})
    with long_answer.within(part(place)):
        try:
            result = answers.evaluate(scenario)
        except answers.UnfinishedError as error:
            old = last.get(place)
            return Answered(place, name, note, scenario, error=error, working=True, old=old)
        except CoreError as error:
            return Answered(place, name, note, scenario, error=error, old=last.get(place))
        working = answers.is_refining(scenario)
    last[place] = result
    return Answered(place, name, note, scenario, result, working=working)


def is_stopped(column: Answered) -> bool:
    """Return whether this session stopped the work on a better answer than the one on screen."""
    with long_answer.within(part(column.place)):
        try:
            answers.refining(column.scenario)
        except long_answer.StoppedError:
            return True
        except CoreError:
            return False
    return False


def stop(column: Answered) -> None:
    """Stop the work on a column's answer."""
    answers.answer_work(column.scenario).stop()


def columns(shown: Sequence[Answered], numbers: Numbers) -> tuple[Column, ...]:
    """Return the answers with their levels, as `core.studies` compares them."""
    compared = []
    for column in shown:
        with long_answer.within(part(column.place)):
            reached = {} if column.result is None else _levels(column.result, numbers)
        compared.append(
            Column(column.name, column.scenario, column.result, str(column.error or ""), reached)
        )
    return tuple(compared)


def quickly(shown: Sequence[Answered], numbers: Numbers) -> tuple[Column, ...] | None:
    """Return what `columns` does, asking for no work; None where that would take long."""
    if any(column.result is not None and _has_slow(column.result) for column in shown):
        return None
    return tuple(
        Column(
            column.name,
            column.scenario,
            column.result,
            "",
            {} if column.result is None else _quick(column.result, numbers),
        )
        for column in shown
    )


def waiting_levels(shown: Sequence[Answered], numbers: Numbers) -> list[Job[dict[str, float]]]:
    """Return the jobs at work on levels that take long."""
    jobs = []
    for column in shown:
        if column.result is not None and _has_slow(column.result):
            with long_answer.within(part(column.place)):
                try:
                    job = _slow(column.result, numbers).ask()
                except CoreError:
                    continue  # the level is shown as not known
            if isinstance(job, Job):
                jobs.append(job)
    return jobs


def _levels(result: Result, numbers: Numbers) -> Mapping[str, float]:
    """Return a release's level of every notion: the quick ones at once, the others when ready."""
    quick = _quick(result, numbers)
    if not _has_slow(result):
        long_answer.await_only("levels", ())
        return quick
    work = _slow(result, numbers)
    long_answer.await_only("levels", [work])
    try:
        reached = work.ask()
    except CoreError:
        return quick
    return quick if isinstance(reached, Job) else reached


def _quick(result: Result, numbers: Numbers) -> dict[str, float]:
    data, mechanism = result.scenario.data, result.mechanism
    reached: dict[str, float] = derived.kept(
        data,
        ("quick levels", result.content_id, repr(numbers)),
        lambda: levels(result.joint, mechanism.kernel, numbers, slow=False),
    )
    return reached


def _has_slow(result: Result) -> bool:
    cells = result.mechanism.kernel.size
    return any(is_slow(entry, cells) for entry in entries())


def _slow(result: Result, numbers: Numbers) -> LongAnswer[dict[str, float]]:
    return LongAnswer(
        result.scenario.data,
        ("levels", result.content_id, repr(numbers)),
        levels,
        lambda: (result.joint, result.mechanism.kernel, numbers),
    )
