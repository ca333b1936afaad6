"""What a sweep found: the questions in a plane, their table, and paired differences."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.sweep import Sweep, differences
from core.sweep.findings import (
    BUDGET,
    NATS,
    SHARE,
    Mark,
    axes,
    lines,
    marks,
    smaller_is_better,
    unit_of,
)
from core.validation import FloatArray
from core.wording import number_of
from pages.ui import figures
from pages.ui.chart import chart
from pages.ui.frame import controls as common
from pages.ui.frontiers import controls, query
from pages.ui.frontiers.results import Shown
from pages.ui.parts import tables
from pages.ui.parts.cards import card
from pages.ui.report.comparison import Picture
from pages.ui.style.units import in_unit
from pages.ui.work import visits

MOST_LINES = 25
"""Most lines of the chart: more are indistinguishable."""


QUANTILES = ("5%", "25%", "median", "75%", "95%")
"""Names of the quantiles."""


NAMES = st.column_config.TextColumn(width=225)
"""The column of mechanisms: as wide as the longest name."""

FORMULA = (
    r"Mean of n draws: $\bar v = \frac1n \sum_i v_i$; its standard error: "
    r"$\sqrt{\frac{1}{n(n-1)} \sum_i (v_i - \bar v)^2}$.",
    "Circled: no other setting is better on both axes, or better on one and equal on the other.",
)
"""What the chart's formulas say."""


EACH, APART = "Each question", "Paired differences"
"""Titles of the tables."""


def show(shown: Shown) -> tuple[list[Picture], dict[str, pd.DataFrame]]:
    """Show the points; return the chart, if these can be drawn, and the tables by their titles."""
    sweep, unit = shown.sweep, common.unit()
    across, up = controls.chosen_axes(sweep)
    for axis in (across, up):
        if axis not in axes(sweep):
            st.info(f"{controls.name_of(axis)} was not measured: choose another axis.")
            return [], {}
    every = marks(shown.table, sweep, across, up)
    groups = lines(every)
    drawn = _chart(sweep, groups, across, up, unit)
    _left_out(every, groups)
    st.subheader(EACH, anchor=False)
    table = _table(sweep, groups, across, up, unit)
    tables.sheet(table, "sweep_means", most=480, column_config={"mechanism": NAMES})
    apart = _apart(shown, up, unit)
    return [drawn], {EACH: table} | ({} if apart is None else {APART: apart})


def _chart(sweep: Sweep, groups: list[list[Mark]], across: str, up: str, unit: str) -> Picture:
    drawn = [_line(sweep, group, across, up, unit) for group in groups[:MOST_LINES]]
    ringed = sum(mark.best for group in groups for mark in group)
    subtitle = "Circled: no other setting is better on both axes."
    if any(mark.bound > mark.up.mean for group in groups for mark in group):
        subtitle += " Tick: the proven upper bound."
    if sweep.draws is not None:
        subtitle = f"Means over {number_of(sweep.draws.count, 'draw')}. {subtitle}"
    beside = "budget ε" if across == BUDGET else _short(across, sweep)
    picture = Picture(
        figures.swept(drawn, _axis(across, sweep, unit), _axis(up, sweep, unit)),
        f"{_short(up, sweep)} against {beside}",
        f"{number_of(sum(map(len, groups)), 'setting')} in {number_of(len(groups), 'line')}; "
        f"{ringed} circled.",
    )
    with card(
        key="frontiers",
        title=picture.title,
        subtitle=subtitle,
        table=lambda: _table(sweep, groups, across, up, unit),
        formulas=FORMULA,
    ):
        chart(picture.figure, key="frontiers", title="Frontiers", alt=picture.alt)
    return picture


def _left_out(every: tuple[Mark, ...], groups: list[list[Mark]]) -> None:
    """Say what the chart does not show."""
    notes = []
    if len(groups) > MOST_LINES:
        notes.append(f"Only the first {MOST_LINES} of {len(groups)} lines are shown.")
    none = sum(mark.none for mark in every)
    if none:
        notes.append(f"{number_of(none, 'point')} without an answer; the exports give the reasons.")
    gone = sum(
        not (math.isfinite(mark.across.mean) and math.isfinite(mark.up.mean)) for mark in every
    )
    if gone:
        notes.append(f"{number_of(gone, 'setting')} without a finite mean: see the table.")
    if notes:
        st.caption(" ".join(notes))


def _line(sweep: Sweep, group: list[Mark], across: str, up: str, unit: str) -> figures.SweptLine:
    wide, high = _scale(across, sweep, unit), _scale(up, sweep, unit)
    return figures.SweptLine(
        title=title(sweep, group[0]),
        across=np.array([mark.across.mean for mark in group]) * wide,
        up=np.array([mark.up.mean for mark in group]) * high,
        across_bars=_bars([mark.across for mark in group], wide, sweep),
        up_bars=_bars([mark.up for mark in group], high, sweep),
        bound=np.array([mark.bound for mark in group]) * high,
        best=np.array([mark.best for mark in group]),
        hover=tuple(_hover(mark, _scale(BUDGET, sweep, unit)) for mark in group),
    )


def _bars(spreads: list[Any], scale: float, sweep: Sweep) -> tuple[FloatArray, FloatArray]:
    """Return how far bars reach below and above means."""
    means = np.array([spread.mean for spread in spreads])
    kind = query.value("bars")
    if sweep.draws is None or kind == query.NO_BARS:
        nothing = np.full(len(spreads), np.nan)
        return nothing, nothing
    if kind == query.ERRORS:
        reach = 2.0 * np.array([spread.error for spread in spreads]) * scale
        return reach, reach
    with np.errstate(invalid="ignore"):  # ∞ − ∞ is no number
        below = (means - np.array([spread.quantiles[0] for spread in spreads])) * scale
        above = (np.array([spread.quantiles[-1] for spread in spreads]) - means) * scale
    return np.maximum(below, 0.0), np.maximum(above, 0.0)


def _hover(mark: Mark, scale: float) -> str:
    eps = mark.fields[BUDGET]
    budget = "no budget" if eps is None else f"ε = {eps * scale:.4g}"
    answers = mark.points - mark.none
    return f"{budget}; {number_of(answers, 'answer')}, {mark.proven} proven optimal"


def title(sweep: Sweep, mark: Mark) -> str:
    """Return the name of a question's line: what sets it apart from other lines."""
    questions, names = sweep.questions, []
    for name, value in mark.fields.items():
        if name == BUDGET or len({getattr(question, name) for question in questions}) < 2:
            continue
        names.append(_named(name, value))
    return ", ".join(names) or mechanisms.entry(mark.fields["mechanism"]).title


def _named(name: str, value: Any) -> str:
    if name == "mechanism":
        return mechanisms.entry(value).title
    if name == "notion":
        return notions.entry(value).title
    if name == "data":
        return visits.sources().title(json.loads(value)["source"])
    return str(value)


def _table(sweep: Sweep, groups: list[list[Mark]], across: str, up: str, unit: str) -> pd.DataFrame:
    rows = []
    for mark in (mark for group in groups for mark in group):
        row = _begun(mark.fields, sweep, unit)
        high = _scale(up, sweep, unit)
        row[_head(up, sweep, unit)] = mark.up.mean * high
        if sweep.draws is not None:
            row["± error"] = mark.up.error * high
            named = zip(QUANTILES, mark.up.quantiles, strict=True)
            row |= {name: quantile * high for name, quantile in named}
        row["at most"] = mark.bound * high
        if across not in (BUDGET, up):
            wide = _scale(across, sweep, unit)
            row[_head(across, sweep, unit)] = mark.across.mean * wide
            if sweep.draws is not None:
                row["± error across"] = mark.across.error * wide
        row["circled"] = mark.best
        row["proven"] = mark.proven
        row["points"] = mark.points
        rows.append(row)
    return pd.DataFrame(rows)


def _begun(fields: dict[str, Any], sweep: Sweep, unit: str) -> dict[str, Any]:
    """Return the first cells of a row: its question."""
    row = {
        name: _named(name, fields[name])
        for name in ("notion", "mechanism", "data")
        if name in fields
    }
    eps = fields[BUDGET]
    return row | {_eps(sweep, unit): math.nan if eps is None else eps * _scale(BUDGET, sweep, unit)}


def _apart(shown: Shown, up: str, unit: str) -> pd.DataFrame | None:
    """Show how far results are apart in pairs, and return the table; None where there is none."""
    sweep = shown.sweep
    if up == BUDGET:
        return None
    st.subheader(APART, anchor=False)
    name = controls.field(sweep)
    if name is None:
        st.caption("There is nothing to compare: only the draw varies.")
        return None
    rows = differences(shown.table, sweep, name, [up])
    if not rows:
        st.caption("No two finished points differ only in this.")
        return None
    other = "budget" if name == BUDGET else name
    draw = "" if sweep.draws is None else ", on the same draw"
    st.caption(
        f"{_short(up, sweep)}: each setting minus the same one with the {other} in the column "
        f"“minus”{draw}."
    )
    table = _differences(rows, sweep, name, up, unit)
    tables.sheet(table, "sweep_apart", column_config={"mechanism": NAMES})
    return table


def _differences(
    rows: list[dict[str, Any]], sweep: Sweep, field: str, up: str, unit: str
) -> pd.DataFrame:
    scale, lines = _scale(up, sweep, unit), []
    for row in rows:
        line = _begun(row, sweep, unit)
        than = row["than"]
        if field == BUDGET:
            than = "no budget" if than is None else f"{than * _scale(BUDGET, sweep, unit):.4g}"
        else:
            than = _named(field, than)
        line |= {"minus": than, "difference": row["mean"] * scale}
        if sweep.draws is not None:
            line |= {
                "standard error": row["error"] * scale,
                "5%": row["q05"] * scale,
                "median": row["q50"] * scale,
                "95%": row["q95"] * scale,
                "draws above": row["above"],
                "draws below": row["below"],
            }
        lines.append(line)
    return pd.DataFrame(lines)


def _axis(axis: str, sweep: Sweep, unit: str) -> figures.SweptAxis:
    better = "less" if axis == BUDGET or smaller_is_better(axis) else "more"
    label = f"{_head(axis, sweep, unit)}: {better} is better"
    return figures.SweptAxis(label, _short(axis, sweep), unit_of(axis, sweep) == SHARE)


def _head(axis: str, sweep: Sweep, unit: str) -> str:
    nats = unit_of(axis, sweep) == NATS
    return f"{_short(axis, sweep)}, {unit}" if nats else _short(axis, sweep)


def _short(axis: str, sweep: Sweep) -> str:
    return "Budget ε" if axis == BUDGET else controls.name_of(axis, sweep)


def _eps(sweep: Sweep, unit: str) -> str:
    return f"ε, {unit}" if unit_of(BUDGET, sweep) == NATS else "ε"


def _scale(axis: str, sweep: Sweep, unit: str) -> float:
    return in_unit(1.0, unit) if unit_of(axis, sweep) == NATS else 1.0
