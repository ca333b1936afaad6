"""The report of a comparison: columns side by side, their charts, and what differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import pandas as pd

from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.records.left_out import for_others
from core.release.sentences import caution_of, finding, for_whom, promise_text, question
from core.scenario import Project, Scenario
from core.studies.side_by_side import Column, most
from pages.ui.figures import Figure
from pages.ui.report.document import NONE, Document
from pages.ui.style.units import level, most_share, share
from pages.ui.work import refining


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
    page.table(("", *names), _rows(columns, unit))
    page.heading("What differs")
    whose = for_whom(*(column.scenario for column in columns))
    page.frame(
        table,
        f"Largest relative difference first{'; levels of Y alone' * bool(whose)}{whose}",
    )
    page.heading("Charts")
    for picture in pictures:
        page.chart(picture.figure, picture.title, picture.alt)
    page.formulas(map(notions.entry, dict.fromkeys(column.scenario.notion for column in columns)))
    public = replace(project, scenarios=tuple(map(_public, project.scenarios)), files=())
    command = "As a project, for the Compare page or python -m core compare project.json"
    specs = [scenario.data for scenario in project.scenarios]
    page.end(
        {command: public.to_json()},
        "compare",
        public.to_query(),
        when,
        nameless=any(spec.left_out and spec.hashed for spec in specs),
    )
    return page.html()


def _public(scenario: Scenario) -> Scenario:
    return replace(scenario, data=for_others(scenario.data))


def _rows(columns: Sequence[Column], unit: str) -> list[tuple[str, ...]]:
    """Return what each column asks and reaches: a row for each figure."""
    rows: dict[str, list[str]] = {}
    for place, column in enumerate(columns):
        for name, value in _of(column, unit).items():
            rows.setdefault(name, [NONE] * len(columns))[place] = value
    return [(name, *values) for name, values in rows.items()]


def _of(column: Column, unit: str) -> dict[str, str]:
    values = {"Mechanism": mechanisms.entry(column.scenario.mechanism).title}
    result = column.result
    if result is None:
        return values
    mechanism, about = result.mechanism, result.counted.report
    return values | {
        "Privacy notion": NONE
        if mechanism.notion is None
        else promise_text(mechanism.notion, unit),
        "Data": f"{about.title}: {about.size}",
        "Kept": share(mechanism.kept),
        "Kept at most": most_share(most(result)),
        f"I(X;Y), {unit}": level(mechanism.information, unit),
        f"I(S;Y), {unit}": level(result.after.averages["mutual_information"], unit, 4),
        "Proof": f"{mechanism.status}, gap {mechanism.gap:.2g}",
        "Audit": NONE
        if mechanism.audit is None
        else "kept"
        if mechanism.audit.holds
        else "not kept",
    }
