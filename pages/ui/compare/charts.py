"""The charts of the Compare page, on the same axes, and the frontiers of all columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from core.errors import CoreError
from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.notions.numbers import Numbers
from core.release import histogram as lift
from core.scenario import DOMAINS, Result, Scenario, spans
from core.studies.frontier import Frontier
from core.studies.matching import has_budget
from core.studies.side_by_side import Column, entries, level_title
from core.wording import listed, number_of
from pages.ui import figures
from pages.ui.chart import BOARD, Drawing, picked
from pages.ui.compare import columns, query
from pages.ui.compare.columns import Answered
from pages.ui.figures import Figure
from pages.ui.frame import controls
from pages.ui.style.units import in_unit, level, of_budget, share, to_nats
from pages.ui.work import answers, derived, long_answer, progress, sweeps

PLACE = "lines of columns"
"""Name of the part of the page that waits for frontiers."""


@dataclass(frozen=True, eq=False)
class ColumnLine:
    """A column's frontier, None if it has no ε or is not ready; `error`: why there is none."""

    column: Answered
    line: Frontier | None = None
    working: bool = False
    error: CoreError | None = None


def begin(asked: Sequence[Scenario]) -> None:
    """Begin the missing lines, before answers are looked for: none may be below its own line."""
    swept = [_swept(one) for one in asked if has_budget(one)]
    long_answer.await_only(PLACE, [answers.sweep_work(one) for one in swept])
    for one in swept:
        sweeps.job(one)


def find(found: Sequence[Answered]) -> list[ColumnLine]:
    """Return every column's line, or why there is none; those that have ended are taken first."""
    for column in found:
        if has_budget(column.scenario):
            sweeps.job(_swept(column.scenario))
    return [_find(column) for column in found]


def _find(column: Answered) -> ColumnLine:
    if not has_budget(column.scenario):
        return ColumnLine(column)
    asked = _swept(column.scenario)
    try:
        job = answers.sweeping(asked)
        line = answers.frontier(asked)
    except CoreError as error:
        return ColumnLine(column, error=error)
    return ColumnLine(column, line, working=job is not None)


def _swept(scenario: Scenario) -> Scenario:
    """Return the question with ε = 1: columns that differ only in ε share a line."""
    return replace(scenario, eps=1.0)


def show_work(found: Sequence[ColumnLine]) -> None:
    """Show the progress of the lines, Cancel, and why lines are missing."""
    waiting = [one for one in found if one.working]
    missing = [one for one in found if one.error is not None and one.column.error is None]
    with st.container(key="column_frontier_state"):
        if waiting:
            names = ", ".join(one.column.name for one in waiting)
            ready = sum(one.line is not None and not one.working for one in found)
            every = ready + len(waiting) + len(missing)
            sweeps.follow(_asked(waiting), names, ready, every, "column_lines_cancel")
        if missing:
            told = "; ".join(f"{one.column.name}: {one.error}" for one in missing)
            said = f"Missing: {told}"
            progress.again(said, "column_lines_again", sweeps.resume, _asked(missing))
        if cut := [one for one in found if _left_open(one)]:
            told = "; ".join(f"{one.column.name} {_left_open(one)}" for one in cut)
            said = f"Not proven: {told}."
            progress.search_on(said, "column_lines_on", sweeps.search_on, _asked(cut))


def _asked(found: Sequence[ColumnLine]) -> tuple[Scenario, ...]:
    return tuple(_swept(one.column.scenario) for one in found)


def _left_open(one: ColumnLine) -> str:
    """Say at how many budgets time left a line without proof or answer; "" where it is final."""
    if one.line is None or one.working:
        return ""
    open_ = sweeps.left_open(one.line)
    if not open_.any() or not answers.may_sweep_on(_swept(one.column.scenario)):
        return ""
    return f"at {int(open_.sum())} of {len(open_)} budgets"


NAMES = ("X itself", "the release")
"""The names of before and after."""

KEPT = figures.Kept("share of the target kept", "the target", "utility", False)
"""What the frontier counts where not all columns ask to keep all of X."""

FRONTIER, LEVELS = "column_frontier", "column_levels"
"""Keys of the charts of all columns."""


def of_column(one: Answered, result: Result, unit: str, far: float) -> list[Drawing]:
    """Return a column's charts of an answer."""
    return [matrix(one, result), lifts(one, result, unit, far), graph(one, result)]


def matrix(one: Answered, result: Result) -> Drawing:
    """Draw a column's P(y | x)."""
    made, rows = result.mechanism, derived.inputs(result)
    return Drawing(
        lambda: matrix_figure(result),
        key=f"matrix_{one.place}",
        title=f"{one.name}: the mechanism",
        alt=f"{one.name}: {made.name}, {number_of(len(rows), 'input')}, "
        f"{number_of(made.n_y, 'output')}.",
        fills=False,
    )


def matrix_figure(result: Result) -> Figure:
    """Return the picture of a column's P(y | x): a column has room for so many symbols."""
    made, rows = result.mechanism, derived.inputs(result)

    def make() -> Figure:
        p_x = result.joint.p.ravel() if len(rows) > result.joint.n_x else result.joint.p_x
        return figures.likeliest_matrix(
            made.kernel, p_x, rows, made.y_labels, inputs=30, outputs=40
        )

    return _drawn(result, "matrix", make)


def lifts(one: Answered, result: Result, unit: str, far: float) -> Drawing:
    """Draw a column's histograms of log-lift, as far out as those of all columns go."""
    return Drawing(
        lambda: lifts_figure(result, unit, far),
        key=f"lifts_{one.place}",
        title=f"{one.name}: lift: how far beliefs shift",
        alt=f"{one.name}: histograms of log-lift before and after; the release has LIP level "
        f"{level(result.after.achieved['lip'], unit)} {unit}.",
        fills=False,
    )


def lifts_figure(result: Result, unit: str, far: float) -> Figure:
    """Return the picture of a column's log-lifts, on axes that reach this far."""

    def make() -> Figure:
        before, after = derived.lift_histograms(result, far)
        promised = None if result.mechanism.notion is None else derived.budgets(result.scenario)
        why = lift.no_limits(result.mechanism.notion)
        return figures.lift_histogram(
            before, after, promised, NAMES, unit, unshaded=why, narrow=True
        )

    asked = repr((result.scenario.notion, result.scenario.numbers))
    return _drawn(result, "lifts", make, unit, far, asked)


def graph(one: Answered, result: Result) -> Drawing:
    """Draw a column's confusability graph."""
    found = derived.confusability_after(result)
    return Drawing(
        lambda: graph_figure(result),
        key=f"graph_{one.place}",
        title=f"{one.name}: confusability graph",
        alt=f"{one.name}: confusability graph of the release, "
        f"{number_of(len(found.names), 'symbol')}, {number_of(found.components, 'part')}.",
        fills=False,
    )


def graph_figure(result: Result) -> Figure:
    """Return the picture of a column's confusability graph."""
    found = derived.confusability_after(result)
    return _drawn(result, "graph", lambda: figures.confusability(found, NAMES[1], "after"))


AXES = "column_axes"
"""Key of the switch between axes that fit the lines and whole ones."""

FIT, WHOLE = "Fit", "Whole"
"""What it offers."""


def axes() -> None:
    """Show the switch of the frontier's axes."""
    st.segmented_control(
        "Axes",
        [FIT, WHOLE],
        default=FIT,
        required=True,
        key=AXES,
        label_visibility="collapsed",
        persist_state="session",
    )


def is_whole() -> bool:
    """Say whether the frontier's axes are whole ones."""
    return bool(st.session_state.get(AXES, FIT) == WHOLE)


def frontier(lines: Sequence[ColumnLine], unit: str, *, whole: bool) -> Drawing:
    """Draw the frontiers of all columns with their current points."""
    figure, points = frontier_figure(lines, unit, whole=whole)
    told = "; ".join(f"{point.title} {point.kept:.0%} at ε {point.eps:.3g}" for point in points)
    return Drawing(
        lambda: figure,
        key=FRONTIER,
        title="Cost of privacy",
        alt=f"Share kept at each ε, one line per column. Now: {told or 'no answers'}.",
        pickable=True,
        fills=False,
    )


def tell_axes(lines: Sequence[ColumnLine], unit: str) -> None:
    """Say what the frontier's axes span, where they fit the lines."""
    figure, points = frontier_figure(lines, unit, whole=False)
    if not is_whole() and points:
        (_, right), (low, high) = (figure["layout"][name]["range"] for name in ("xaxis", "yaxis"))
        limit = in_unit(DOMAINS["eps"].end, unit)
        beyond = [f"{p.title} (ε = {p.eps:.3g})" for p in points if p.has_budget and p.eps > limit]
        further = f" Beyond them: {listed(beyond)}, marked at the end." if beyond else ""
        with st.container(key="column_axes_said"):
            st.caption(
                f"The axes fit the lines: 0 to {right:.2g}, {share(max(low, 0.0))} to "
                f"{share(min(high, 1.0))}.{further} Drag to zoom; double-click to reset."
            )


def frontier_figure(
    lines: Sequence[ColumnLine], unit: str, *, whole: bool
) -> tuple[Figure, list[columns.Point]]:
    """Return the picture of the frontiers of all columns, and their current points."""
    scale = in_unit(1.0, unit)
    plain = all(one.column.scenario.purpose == "information" for one in lines)
    drawn = [
        figures.Line(
            place=one.column.mark,
            key=("column", str(one.column.place)),
            title=one.column.name,
            eps=one.line.eps * in_unit(1.0, of_budget(one.column.scenario.notion, unit)),
            nmi=one.line.nmi,
            utility=one.line.utility * (scale if plain else 1.0),
            most=one.line.most_nmi
            if mechanisms.entry(one.column.scenario.mechanism).optimum
            else None,
        )
        for one in lines
        if one.line is not None
    ]
    points = [
        columns.Point(
            one.column.mark,
            one.column.name,
            in_unit(one.column.scenario.eps, of_budget(one.column.scenario.notion, unit)),
            one.column.result.mechanism.kept,
            has_budget=has_budget(one.column.scenario),
            unit=unit if spans.in_nats(one.column.scenario.notion) else "",
        )
        for one in lines
        if one.column.result is not None
    ]
    limit = in_unit(DOMAINS["eps"].end, unit)
    figure = columns.column_frontiers(
        drawn,
        points,
        unit=unit,
        limit=limit,
        empty="No column has an answer yet.",
        fit=None if whole else columns.fitted(drawn, points, limit),
        **({} if plain else {"kept": KEPT}),
    )
    return figure, points


def pick() -> None:
    """Move a column's ε to the point of its line that was clicked."""
    found = picked(BOARD)
    if found is None or len(found["key"]) != 2:
        return
    place = int(found["key"][1])
    if place < len(query.shown()):
        shown = of_budget(query.shown()[place][0].notion, controls.unit())
        eps = to_nats(float(found["x"]), shown)
        query.ask(place, eps=min(eps, DOMAINS["eps"].high))


def levels(told: Sequence[Column], marks: Sequence[int], numbers: Numbers, unit: str) -> Drawing:
    """Draw what each column reaches of every notion, in nats or bits."""
    return Drawing(
        lambda: levels_figure(told, marks, numbers, unit),
        key=LEVELS,
        title="Level of every privacy notion",
        alt="; ".join(
            f"{column.name} reaches LIP {level(column.levels['lip'], unit)} and LDP "
            f"{level(column.levels['ldp'], unit)} {unit}"
            for column in told
            if column.result is not None
        )
        or "No column has an answer yet.",
        fills=False,
    )


def levels_figure(
    told: Sequence[Column], marks: Sequence[int], numbers: Numbers, unit: str
) -> Figure:
    """Return the picture of what each column reaches of every notion."""
    keys = [
        entry.key
        for entry in entries()
        if entry.in_nats
        and any(not np.isnan(column.levels.get(entry.key, np.nan)) for column in told)
    ]
    return columns.column_levels(
        [level_title(key, Numbers()).split(",")[0] for key in keys],
        [
            (
                mark,
                column.name,
                np.array([in_unit(column.levels.get(key, np.nan), unit) for key in keys]),
            )
            for mark, column in zip(marks, told, strict=True)
            if column.result is not None
        ],
        unit,
        spelt=[level_title(key, numbers) for key in keys],
    )


def levels_table(told: Sequence[Column], numbers: Numbers) -> pd.DataFrame:
    """Return every level of all columns in full."""
    keys = [entry.key for entry in entries()]
    return pd.DataFrame(
        {
            "notion": [level_title(key, numbers) for key in keys],
            "unit": ["nats" if notions.entry(key).in_nats else "" for key in keys],
        }
        | {
            f"{column.name} ({place + 1})": [column.levels.get(key, np.nan) for key in keys]
            for place, column in enumerate(told)
        }
    )


def reach(found: Sequence[Answered]) -> float:
    """Return how far the axes of log-lift go: as far as the widest of the columns' data."""
    shown = [one.result or one.old for one in found]
    return max((derived.reach(result) for result in shown if result is not None), default=0.0)


def _drawn(result: Result, kind: str, make: Callable[[], Figure], *more: object) -> Figure:
    """Return a figure of an answer, made once for each answer, not each time a slider moves."""
    key = (f"{kind} of column", result.content_id, *map(repr, more))
    return derived.kept(result.scenario.data, key, make)
