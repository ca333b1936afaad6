"""The report of a page that is not about one answer: Data, Learn, Robust and Confusability."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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

    `address`: of the page, with its own question. `explained`: the entries whose formulas it has.
    `sources`: what makes it, by name.
    """

    sentences: Sequence[str]
    facts: Mapping[str, str]
    pictures: Sequence[Picture]
    tables: Mapping[str, pd.DataFrame]
    address: tuple[str, Mapping[str, list[str]]]
    explained: Sequence[Catalogued] = ()
    sources: Mapping[str, str] = field(default_factory=dict)


PYTHON = "In Python, with core"
"""The name of a source."""


def report(
    title: str,
    scenario: Scenario | None,
    shown: Parts,
    when: datetime | None = None,
    *,
    nameless: bool = False,
) -> str:
    """Return the report of a question that others may see: one HTML file that needs nothing else.

    `scenario`: None for a page without a question. `nameless`: whether what the question leaves out
    has lost its names.
    """
    page = Document(title)
    for sentence in shown.sentences:
        page.text(sentence, "lead")
    page.table(("", ""), list(shown.facts.items()))
    if shown.pictures:
        page.heading("Charts")
    for picture in shown.pictures:
        page.chart(picture.figure, picture.title, picture.alt)
    page.heading("Tables")
    for caption, table in shown.tables.items():
        page.frame(table, caption)
    if shown.explained:
        page.formulas(shown.explained)
    sources = dict(shown.sources)
    if scenario is not None:
        written = json.dumps(json.loads(scenario.to_json()), ensure_ascii=False)
        sources["As a scenario"] = written
    name, query = shown.address
    keys = {} if scenario is None else to_query(scenario)
    page.end(sources, name, keys | dict(query), when, nameless=nameless)
    return page.html()
