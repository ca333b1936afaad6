"""The report of the Robust page: a sample, what it leaves possible, and designs at the truth."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import pandas as pd

from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.scenario import Scenario
from core.scenario.url import to_query
from pages.ui.report.comparison import Picture
from pages.ui.report.document import Document

EXPLAINED = ("non_robust", "robust_optimal", "polyopt")
"""The designs whose formulas it has."""


@dataclass(frozen=True, eq=False)
class Parts:
    """What the page shows: sentences, facts by name, charts, tables by title; what makes them."""

    sentences: Sequence[str]
    facts: Mapping[str, str]
    pictures: Sequence[Picture]
    tables: Mapping[str, pd.DataFrame]
    program: str


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
    page.formulas((notions.entry("rldp"), *map(mechanisms.entry, EXPLAINED)))
    written = json.dumps(json.loads(scenario.to_json()), ensure_ascii=False)
    sources = {"In Python, with core": shown.program, "As a scenario": written}
    page.end(sources, "robust", to_query(scenario), when, nameless=nameless)
    return page.html()
