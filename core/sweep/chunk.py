"""A part of a sweep: the work of one worker at one time."""

from __future__ import annotations

from dataclasses import dataclass

from core.data import Counted
from core.data.spec import DataSpec
from core.notions.numbers import Numbers
from core.scenario import Scenario


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some questions, each of which is asked of some draws, or of the question's own data.

    Attributes
    ----------
    number : int
        Its place among the sweep's chunks.
    first : int
        Number of its first question in the sweep.
    questions : tuple of Scenario
        The questions.
    draws : tuple of (int, DataSpec)
        The draws with their numbers; empty where the questions have data of their own.
    n_draws : int
        Number of draws of the sweep: point q·n_draws + d is question q on draw d.
    measures : tuple of str
        What is measured.
    numbers : Numbers
        λ, α, β and n of the levels.
    at_once : bool
        Whether all points are computed together.
    counted : Counted or None
        The questions' data where it is no draw.
    """

    number: int
    first: int
    questions: tuple[Scenario, ...]
    draws: tuple[tuple[int, DataSpec], ...]
    n_draws: int
    measures: tuple[str, ...]
    numbers: Numbers
    at_once: bool
    counted: Counted | None = None

    @property
    def points(self) -> list[int]:
        """Numbers of its points in the sweep."""
        numbers = [number for number, _ in self.draws] or [0]
        return [
            (self.first + place) * self.n_draws + number
            for place in range(len(self.questions))
            for number in numbers
        ]

    @property
    def seconds(self) -> float:
        """Longest time that its searches may take together."""
        return sum(one.time_limit for one in self.questions) * max(1, len(self.draws))
