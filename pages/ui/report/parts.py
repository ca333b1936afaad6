"""The report of a page that says what data leaves possible: Robust and Confusability."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import pandas as pd

from core.catalogued import Catalogued
from core.scenario import Scenario
from core.scenario.url import to_query
from pages.ui.report.comparison import Picture
from pages.ui.report.document import Document


@dataclass(frozen=True, eq=False)
class Parts:
    """What the page shows: sentences, facts by name, charts, tables by title; what makes them.

    `explained`: the entries whose formulas it has. `address`: of the page, with its own question.
    """

    sentences: Sequence[str]
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
    for sentence in shown.sentences:
        page.text(sentence, "lead")
    page.table(("", ""), list(shown.facts.items()))
    page.heading("Charts")
    for picture in shown.pictures:
        page.chart(picture.figure, picture.title, picture.alt)
    page.heading("Tables")
    for caption, table in shown.tables.items():
        page.frame(table, caption)
    page.formulas(shown.explained)
    written = json.dumps(json.loads(scenario.to_json()), ensure_ascii=False)
    sources = {"In Python, with core": shown.program, "As a scenario": written}
    name, query = shown.address
    page.end(sources, name, to_query(scenario) | dict(query), when, nameless=nameless)
    return page.html()
