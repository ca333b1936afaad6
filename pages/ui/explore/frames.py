"""What Explore's board says and shows, at rest and at each place of its sliders (`work.frames`).

The slider of ε has its frames at once, another one only once it is touched: most never are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from core.notions import catalogue as notions
from core.scenario import Result, Scenario
from pages.ui.chart import board
from pages.ui.explore import charts, frontier_lines
from pages.ui.frame import controls, following
from pages.ui.style.base import numbers
from pages.ui.work.frames import Frame

UNLIKE_ROBUST = (
    "Explore treats the data as the estimate P̂. The Robust page treats it as the truth P* and "
    "draws a sample for the estimate, so numbers there may differ."
)
"""Why the Robust page and this one differ under RLDP."""


def notes(scenario: Scenario) -> tuple[str, ...]:
    """Return what Explore says below an answer to a question."""
    return (UNLIKE_ROBUST,) if notions.entry(scenario.notion).kind.of_estimate else ()


def frame(results: Sequence[Result], unit: str, *, lines: bool) -> Frame:
    """Return what the board shows of an answer; `lines`: along those of its frontier."""
    (result,) = results
    note = partial(_words, result, unit)
    changes = following.frame(result, note, lambda _: charts.at_place(result, unit))
    if lines and (here := charts.ring(result, unit)):
        changes["charts"]["frontier"] = {"now": numbers(here)}
    return changes


def _words(result: Result, unit: str, provisional: bool) -> Frame:
    return following.frame_of(result, unit, *notes(result.scenario), provisional=provisional)


def answered(result: Result, unit: str) -> Frame:
    """Return what the board says of the answer on screen, with what its signs mean."""
    return following.answered(result, unit, *notes(result.scenario))


def show(scenario: Scenario, answer: Frame | None, parts: Iterable[bytes]) -> None:
    """Show an answer and charts, and have them follow sliders while they move; call it last."""
    followed = following.sliders(scenario, partial(_followed, scenario))
    board({"": answer}, parts, followed, frontier_lines.pick)


def _followed(scenario: Scenario, name: str) -> dict[str, Any]:
    unit, lines = controls.unit(), name == "eps"
    return following.slider(
        name,
        scenario,
        partial(frame, unit=unit, lines=lines),
        unit,
        charts=["lifts", "mechanism", f"confusability_{charts.ROLES[1]}", "frontier"],
        behind=["answer_state"],
    )
