"""The lower cards of Explore in a report: what is implied, several draws, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.release.own_levels import Redrawn
from core.release.reach import Implication
from core.scenario import Result
from core.studies.consequences import Consequences, is_open
from core.studies.frontier import Frontier
from core.wording import number_of
from pages.ui.report import implied, next_steps, repeats
from pages.ui.report.document import Document
from pages.ui.style.units import level

NOT_READY = "This was still being worked out, or had failed, when the report was made."
"""Stands in place of what was not on the screen yet."""


@dataclass(frozen=True, eq=False)
class OnScreen:
    """What the lower cards show beside what is read off the answer and its lines.

    Attributes
    ----------
    told : Consequences
        What follows from the answer.
    second : str
        What a second release keeps, or why there is none; "" where it is not asked for.
    what_if : sequence of str
        What would be kept with a symbol less, where that is asked for.
    """

    told: Consequences
    second: str = ""
    what_if: Sequence[str] = ()


def add(
    page: Document, result: Result, lines: Sequence[Frontier], shown: OnScreen, unit: str
) -> None:
    """Add the three cards to a report.

    Parameters
    ----------
    page : Document
        The report.
    result : Result
        The answer.
    lines : sequence of Frontier
        What mechanisms keep along ε.
    shown : OnScreen
        What the cards show.
    unit : str
        "nats" or "bits".
    """
    told = shown.told
    page.heading(implied.TITLE)
    if isinstance(told.implied, str):
        page.text(told.implied)
    else:
        _implied(page, result, told.implied, told.own, unit)
    page.heading(repeats.TITLE)
    if isinstance(told.redrawn, str):
        page.text(told.redrawn)
    else:
        _repeated(page, result, told.redrawn, unit)
    if shown.second:
        page.text(shown.second)
    _next(page, result, lines, shown, unit)


def _implied(
    page: Document,
    result: Result,
    found: Mapping[str, Implication],
    own: Mapping[str, float],
    unit: str,
) -> None:
    page.chart(
        implied.diagram(result, found, own, unit),
        "On arrows: the largest level that a mechanism under the promise can have on this data; "
        "in boxes: the level of this release",
        implied.described(result, found, unit),
    )
    page.text(implied.sentence(found, unit))
    if any(map(is_open, found.values())):
        page.text(implied.OPEN, "source")
    page.table(
        ("Level or average", "implied", "this release", ""),
        [
            (
                name,
                implied.said(key, found, unit),
                implied.written(key, own[key], unit),
                "" if key in implied.PLAIN else unit,
            )
            for key, name in implied.NAMES.items()
        ],
    )


def _repeated(page: Document, result: Result, found: tuple[Redrawn, ...], unit: str) -> None:
    asked = repeats.asked(result.scenario, result.scenario.build_notion(result.joint))
    page.chart(
        repeats.bars(found, unit, asked),
        "The level after several independent draws for the same record",
        repeats.described(found, unit, asked),
    )
    page.text(repeats.advice(found, unit, asked))
    page.table(
        ("Draws", f"LIP, {unit}", "at most", f"LDP, {unit}", "at most", "promise kept"),
        [
            (
                number_of(one.k, "draw"),
                level(one.lip.level, unit, 4),
                level(one.lip.at_most, unit, 4),
                level(one.ldp.level, unit, 4),
                level(one.ldp.at_most, unit, 4),
                "yes" if one.kept else "no" if one.asked.exact else "not proven",
            )
            for one in found
        ],
    )


def _next(
    page: Document, result: Result, lines: Sequence[Frontier], shown: OnScreen, unit: str
) -> None:
    asked, worst, found = result.scenario, next_steps.costliest(result), shown.told.realised
    key = asked.notion, asked.mechanism
    own = next((line for line in lines if (line.notion, line.mechanism) == key), None)
    said = list(next_steps.of_line(result, own, unit))
    if worst is not None:
        said.append(next_steps.of_symbol(result, *worst))
    if isinstance(found, str):
        said.append(f"What the promise is worth at the truth: {found}")
    elif found is not None:
        said.append(next_steps.of_records(result.joint, found, unit))
    said += shown.what_if
    if said:
        page.heading(next_steps.TITLE)
    for sentence in said:
        page.text(sentence)
