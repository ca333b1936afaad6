"""The report of a page that says what data leaves possible: Robust and Confusability."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

import pandas as pd

from core.catalogued import Catalogued
from core.scenario import Scenario
from core.scenario.url import to_query
from pages.ui.report.comparison import Picture, written
from pages.ui.report.document import NAMELESS, Document


@dataclass(frozen=True, eq=False)
class Parts:
    """What the page shows: sentences, facts by name, charts, tables by title; what makes them.

    `explained`: the entries whose formulas it has. `address`: of the page, with its own question.
    """

    said: Sequence[str]
    facts: Mapping[str, str]
    pictures: Sequence[Picture]
    tables: Mapping[str, pd.DataFrame]
    explained: Sequence[Catalogued]
    program: str
    address: tuple[str, Mapping[str, list[str]]]


def report(
    title: str,
    scenario: Scenario,
    shown: Parts,
    when: datetime | None = None,
    *,
    nameless: bool = False,
) -> str:
    """Return the report of a question that others may see: one HTML file that needs nothing else.

    `nameless`: whether what the question leaves out has lost its names.
    """
    page = Document(title)
    for sentence in shown.said:
        page.text(sentence, "lead")
    page.table(("", ""), list(shown.facts.items()))
    page.heading("Charts")
    for picture in shown.pictures:
        page.chart(picture.figure, picture.title, picture.alt)
    page.heading("Tables")
    for caption, table in shown.tables.items():
        page.table(
            tuple(map(str, table.columns)),
            [tuple(map(written, row)) for row in table.itertuples(index=False)],
            caption,
        )
    page.heading("Formulas and sources")
    for entry in shown.explained:
        page.formula(entry.title, entry.meaning, entry.formula, entry.source)
    page.heading("Reproduce")
    if nameless:
        page.text(NAMELESS)
    page.text("In Python, with core:")
    page.code(shown.program)
    page.text("As a scenario:")
    page.code(json.dumps(json.loads(scenario.to_json()), ensure_ascii=False))
    name, query = shown.address
    link = urlencode(to_query(scenario) | dict(query), doseq=True)
    page.text(f"As the end of the dashboard's address: /{name}{'?' * bool(link)}{link}")
    page.made(when)
    return page.html()
