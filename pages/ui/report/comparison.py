"""The report of a comparison: columns side by side, their charts, and what differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlencode

import numpy as np
import pandas as pd

from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.records.left_out import for_others
from core.release.sentences import caution_of, finding, promise_text, question
from core.scenario import Project, Scenario
from core.studies.side_by_side import Column, most
from pages.ui.figures import Figure
from pages.ui.report.document import NAMELESS, Document
from pages.ui.style.units import level, share
from pages.ui.work import refining

NONE = "–"


@dataclass(frozen=True, eq=False)
class Picture:
    """A chart of a report: its figure, its title, and what it shows in words."""

    figure: Figure
    title: str
    alt: str


def report(
    project: Project,
    columns: Sequence[Column],
    table: pd.DataFrame,
    pictures: Sequence[Picture],
    unit: str = "nats",
    when: datetime | None = None,
    *,
    provisional: Sequence[str] = (),
) -> str:
    """Return the report: one HTML file; `table` has the columns' figures and how far they differ.

    `provisional`: names of columns whose answers are still being improved.
    """
    names = [column.name for column in columns]
    page = Document(f"Compare: {', '.join(names)}")
    if provisional:
        page.text(f"{', '.join(provisional)}: {refining.PROVISIONAL}", "lead")
    for column, note in zip(columns, project.notes, strict=False):
        page.heading(column.name)
        page.text(question(column.scenario))
        if column.result is None:
            page.text(column.reason or "No answer yet.", "source")
        else:
            waiting = column.name in provisional
            page.text(finding(column.result, unit, provisional=waiting), "lead")
            if few := caution_of(column.result):
                page.text(few, "source")
        if note:
            page.text(note, "source")
    page.heading("Side by side")
    page.table(("", *names), _asked(columns, unit))
    page.heading("What differs")
    page.table(
        tuple(map(str, table.columns)),
        [tuple(map(_written, row)) for row in table.itertuples(index=False)],
        "Largest relative difference first",
    )
    page.heading("Charts")
    for one in pictures:
        page.chart(one.figure, one.title, one.alt)
    page.heading("Formulas and sources")
    entries = {one.scenario.notion: notions.entry(one.scenario.notion) for one in columns}
    for entry in entries.values():
        page.formula(entry.title, entry.meaning, entry.formula, entry.source)
    page.heading("Reproduce")
    if any(one.data.left_out and one.data.hashed for one in project.scenarios):
        page.text(NAMELESS)
    public = replace(project, scenarios=tuple(map(_public, project.scenarios)), files=())
    page.text("As a project, for the Compare page or python -m core compare project.json:")
    page.code(public.to_json())
    link = urlencode(public.to_query(), doseq=True)
    page.text(f"As the end of the dashboard's address: /compare?{link}")
    page.made(when)
    return page.html()


def _public(scenario: Scenario) -> Scenario:
    return replace(scenario, data=for_others(scenario.data))


def _asked(columns: Sequence[Column], unit: str) -> list[tuple[str, ...]]:
    """Return what each column asks and reaches: a row for each figure."""
    found: dict[str, list[str]] = {}
    for place, column in enumerate(columns):
        for name, value in _of(column, unit).items():
            found.setdefault(name, [NONE] * len(columns))[place] = value
    return [(name, *values) for name, values in found.items()]


def _of(column: Column, unit: str) -> dict[str, str]:
    told = {"Mechanism": mechanisms.entry(column.scenario.mechanism).title}
    result = column.result
    if result is None:
        return told
    made, about = result.mechanism, result.counted.report
    return told | {
        "Privacy notion": NONE if made.notion is None else promise_text(made.notion, unit),
        "Data": f"{about.title}: {about.size}",
        "Kept": share(made.kept),
        "Kept at most": share(most(result)),
        f"I(X;Y), {unit}": level(made.information, unit),
        f"I(S;Y), {unit}": level(result.after.averages["mutual_information"], unit, 4),
        "Proof": f"{made.status}, gap {made.gap:.2g}",
        "Audit": NONE if made.audit is None else "kept" if made.audit.holds else "not kept",
    }


def _written(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    if np.isnan(value):
        return NONE
    return f"{value:.4g}".replace("inf", "∞").replace("-", "−")
