"""The charts of the Compare page, on the same axes, and the frontiers of all columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.errors import CoreError, InvalidInputError
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
from pages.ui.frame import controls, pickers
from pages.ui.style.units import in_unit, level, of_budget, share, to_nats
from pages.ui.work import answers, derived, long_answer, progress, sweeps
from pages.ui.work.long_answer import LongAnswer

PLACE = "lines of columns"
"""Name of the part of the page that waits for frontiers."""


@dataclass(frozen=True, eq=False)
class ColumnLine:
    """A column's frontier, None where it has none or is not ready; `error`: why it failed."""

    column: Answered
    line: Frontier | None = None
    working: bool = False
    error: CoreError | None = None


def begin(scenarios: Sequence[Scenario]) -> None:
    """Begin the missing lines, before the answers: no answer may lie below its own line."""
    swept = [_swept(scenario) for scenario in scenarios if _has_line(scenario)]
    long_answer.await_only(PLACE, [answers.sweep_work(scenario) for scenario in swept])
    for scenario in sorted(swept, key=sweeps.searches):  # what needs no search is there first
        sweeps.job(scenario)


def find(answered: Sequence[Answered]) -> list[ColumnLine]:
    """Return every column's line, or why there is none; finished lines are collected first."""
    swept = [_swept(column.scenario) for column in answered if _has_line(column.scenario)]
    for scenario in sorted(swept, key=sweeps.searches):
        sweeps.job(scenario)
    return [_find(column) for column in answered]


def _find(column: Answered) -> ColumnLine:
    if not _has_line(column.scenario) or isinstance(column.error, InvalidInputError):
        return ColumnLine(column)
    swept = _swept(column.scenario)
    try:
        job = answers.sweeping(swept)
        line = answers.frontier(swept)
    except CoreError as error:
        return ColumnLine(column, error=error)
    return ColumnLine(column, line, working=job is not None)


def _has_line(scenario: Scenario) -> bool:
    """Return whether a question has answers along ε: else its column says why not."""
    return has_budget(scenario) and not pickers.obstacle(scenario.mechanism, scenario)


def _swept(scenario: Scenario) -> Scenario:
    """Return the question with ε = 1: columns that differ only in ε share a line."""
    return replace(scenario, eps=1.0)


def show_work(lines: Sequence[ColumnLine]) -> None:
    """Show the progress of the lines, Cancel, and why lines are missing."""
    waiting = [swept for swept in lines if swept.working]
    missing = [swept for swept in lines if swept.error is not None and swept.column.error is None]
    drawn = [swept.line for swept in lines if swept.line is not None and not swept.working]
    with st.container(key="column_frontier_state"):
        if sentence := sweeps.falling(drawn):
            st.caption(sentence)
        if waiting:
            names = ", ".join(swept.column.name for swept in waiting)
            ready = sum(swept.line is not None and not swept.working for swept in lines)
            every = ready + len(waiting) + len(missing)
            sweeps.follow(_scenarios(waiting), names, ready, every, "column_lines_cancel")
        if missing:
            details = "; ".join(f"{swept.column.name}: {swept.error}" for swept in missing)
            resume = partial(sweeps.each, _scenarios(missing), LongAnswer.resume)
            progress.again(f"Missing: {details}", "column_lines_again", resume)
        if cut := [swept for swept in lines if _left_open(swept)]:
            details = "; ".join(f"{swept.column.name} {_left_open(swept)}" for swept in cut)
            search_on = partial(sweeps.each, _scenarios(cut), LongAnswer.search_on)
            progress.search_on(f"Not proven: {details}.", "column_lines_on", search_on)


def _scenarios(lines: Sequence[ColumnLine]) -> tuple[Scenario, ...]:
    return tuple(_swept(swept.column.scenario) for swept in lines)


def _left_open(swept: ColumnLine) -> str:
    """Return at how many budgets a line lacks a proof or an answer; "" where it is final."""
    if swept.line is None or swept.working:
        return ""
    open_ = sweeps.left_open(swept.line)
    if not open_.any() or not answers.may_sweep_on(_swept(swept.column.scenario)):
        return ""
    return f"at {int(open_.sum())} of {len(open_)} budgets"


NAMES = ("X itself", "the release")
"""The names of before and after."""

KEPT = figures.Kept("share kept", "the utility of X itself", "utility", False)
"""What the frontier counts where not all columns ask to keep all of X."""

FRONTIER, LEVELS = "column_frontier", "column_levels"
"""Keys of the charts of all columns."""


def of_column(column: Answered, result: Result, unit: str, far: float) -> list[Drawing]:
    """Return a column's charts of an answer."""
    return [matrix(column, result), lifts(column, result, unit, far), graph(column, result)]


NARROW = {
    "narrower": 240,
    "layout": {
        "margin": {"l": 24, "b": 24},
        "xaxis": {"showticklabels": False},
        "yaxis": {"showticklabels": False},
    },
}
"""Between four columns a matrix, in pixels, has no room for names: it keeps its shape."""


def matrix(column: Answered, result: Result) -> Drawing:
    """Draw a column's P(y | x)."""
    mechanism, rows = result.mechanism, derived.inputs(result)
    return Drawing(
        lambda: matrix_figure(result),
        key=f"matrix_{column.place}",
        title=f"{column.name}: the mechanism",
        alt=f"{column.name}: {mechanism.name}, {number_of(len(rows), 'input')}, "
        f"{number_of(mechanism.n_y, 'output')}.",
        fills=False,
    )


def matrix_figure(result: Result) -> Figure:
    """Return the picture of a column's P(y | x): a column has room for so many symbols."""
    mechanism, rows = result.mechanism, derived.inputs(result)

    def make() -> Figure:
        p_x = result.joint.p.ravel() if len(rows) > result.joint.n_x else result.joint.p_x
        figure = figures.likeliest_matrix(
            mechanism.kernel, p_x, rows, mechanism.y_labels, inputs=30, outputs=40
        )
        figure["layout"]["meta"] = {"low": NARROW}
        return figure

    return _drawn(result, "matrix", make)


def lifts(column: Answered, result: Result, unit: str, far: float) -> Drawing:
    """Draw a column's histograms of log-lift, as far out as those of all columns go."""
    return Drawing(
        lambda: lifts_figure(result, unit, far),
        key=f"lifts_{column.place}",
        title=f"{column.name}: lift: how far beliefs shift",
        alt=f"{column.name}: histograms of log-lift before and after; the release has LIP level "
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

    notion = repr((result.scenario.notion, result.scenario.numbers))
    return _drawn(result, "lifts", make, unit, far, notion)


def graph(column: Answered, result: Result) -> Drawing:
    """Draw a column's confusability graph."""
    relation = derived.confusability_after(result)
    return Drawing(
        lambda: graph_figure(result),
        key=f"graph_{column.place}",
        title=f"{column.name}: confusability graph",
        alt=f"{column.name}: confusability graph of the release, "
        f"{number_of(len(relation.names), 'symbol')}, {number_of(relation.components, 'part')}.",
        fills=False,
    )


def graph_figure(result: Result) -> Figure:
    """Return the picture of a column's confusability graph."""
    relation = derived.confusability_after(result)
    return _drawn(
        result,
        "graph",
        # pixels in a card beside two others in a window of 1280; a narrower one has no names
        lambda: figures.confusability(relation, NAMES[1], "after", width=260),
    )


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
    """Return whether the frontier's axes are whole ones."""
    return bool(st.session_state.get(AXES, FIT) == WHOLE)


def frontier(lines: Sequence[ColumnLine], unit: str, *, whole: bool) -> Drawing:
    """Draw the frontiers of all columns with their current points."""
    figure, points = frontier_figure(lines, unit, whole=whole)
    current = "; ".join(f"{point.title} {point.kept:.0%} at ε {point.eps:.3g}" for point in points)
    return Drawing(
        lambda: figure,
        key=FRONTIER,
        title="Cost of privacy",
        alt=f"Share kept at each ε, one line per column. Now: {current or 'no answers'}.",
        pickable=True,
        fills=False,
    )


def tell_axes(lines: Sequence[ColumnLine], unit: str) -> None:
    """Say what the frontier's axes span where they fit the lines."""
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
    plain = all(swept.column.scenario.purpose == "information" for swept in lines)
    drawn = [
        figures.Line(
            place=swept.column.mark,
            key=("column", str(swept.column.place)),
            title=swept.column.name,
            eps=swept.line.eps * in_unit(1.0, of_budget(swept.column.scenario.notion, unit)),
            nmi=swept.line.nmi,
            utility=swept.line.utility * (scale if plain else 1.0),
            most=swept.line.most_nmi
            if mechanisms.entry(swept.column.scenario.mechanism).optimum
            else None,
            faded=answers.is_glimpse(_swept(swept.column.scenario)),
        )
        for swept in lines
        if swept.line is not None
    ]
    points = [
        columns.Point(
            swept.column.mark,
            swept.column.name,
            in_unit(swept.column.scenario.eps, of_budget(swept.column.scenario.notion, unit)),
            swept.column.result.mechanism.kept,
            has_budget=has_budget(swept.column.scenario),
            unit=unit if spans.in_nats(swept.column.scenario.notion) else "",
        )
        for swept in lines
        if swept.column.result is not None
    ]
    limit = in_unit(DOMAINS["eps"].end, unit)
    figure = columns.column_frontiers(
        drawn,
        points,
        unit=unit,
        limit=limit,
        empty="No column has an answer.",
        fit=None if whole else columns.fitted(drawn, points, limit),
        **({} if plain else {"kept": KEPT}),
    )
    return figure, points


def pick() -> None:
    """Move a column's ε to the point of its line that was clicked."""
    point = picked(BOARD)
    if point is None or len(point["key"]) != 2:
        return
    place = int(point["key"][1])
    if place < len(query.shown()):
        shown = of_budget(query.shown()[place][0].notion, controls.unit())
        eps = to_nats(float(point["x"]), shown)
        query.ask(place, eps=min(eps, DOMAINS["eps"].high))


def levels(
    compared: Sequence[Column], marks: Sequence[int], numbers: Numbers, unit: str
) -> Drawing:
    """Draw each column's level of every notion, in nats or bits."""
    return Drawing(
        lambda: levels_figure(compared, marks, numbers, unit),
        key=LEVELS,
        title="Level of every privacy notion",
        alt="; ".join(
            f"{column.name} reaches LIP {level(column.levels['lip'], unit)} and LDP "
            f"{level(column.levels['ldp'], unit)} {unit}"
            for column in compared
            if column.result is not None
        )
        or "No column has an answer.",
        fills=False,
    )


def levels_figure(
    compared: Sequence[Column], marks: Sequence[int], numbers: Numbers, unit: str
) -> Figure:
    """Return the picture of each column's level of every notion."""
    keys = [
        entry.key
        for entry in entries()
        if entry.in_nats
        and any(not np.isnan(column.levels.get(entry.key, np.nan)) for column in compared)
    ]
    return columns.column_levels(
        [notions.entry(key).level_title or notions.entry(key).title for key in keys],
        [
            (
                mark,
                column.name,
                np.array([in_unit(column.levels.get(key, np.nan), unit) for key in keys]),
            )
            for mark, column in zip(marks, compared, strict=True)
            if column.result is not None
        ],
        unit,
        spelt=[level_title(key, numbers) for key in keys],
    )


def levels_table(compared: Sequence[Column], numbers: Numbers) -> pd.DataFrame:
    """Return every level of all columns in full."""
    keys = [entry.key for entry in entries()]
    return pd.DataFrame(
        {
            "notion": [level_title(key, numbers) for key in keys],
            "unit": ["nats" if notions.entry(key).in_nats else "" for key in keys],
        }
        | {
            f"{column.name} ({place + 1})": [column.levels.get(key, np.nan) for key in keys]
            for place, column in enumerate(compared)
        }
    )


def reach(answered: Sequence[Answered]) -> float:
    """Return how far the axes of log-lift go: as far as the widest of the columns' data."""
    shown = [column.result or column.old for column in answered]
    return max((derived.reach(result) for result in shown if result is not None), default=0.0)


def _drawn(result: Result, kind: str, make: Callable[[], Figure], *more: object) -> Figure:
    """Return a figure of an answer, made once for each answer, not each time a slider moves."""
    key = (f"{kind} of column", result.content_id, *map(repr, more))
    return derived.kept(result.scenario.data, key, make)
