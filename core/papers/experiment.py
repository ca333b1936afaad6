"""What an experiment is: its definition, its draws, and what it finds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.clock import Stopwatch
from core.papers.printed import marks_of
from core.papers.results import Beyond, Experiment, Mark, Panel, Series, Verdict
from core.validation import FloatArray

QUICKER = 20
"""A quick run takes this part of the draws."""

LEAST = 5
"""Fewest draws of a quick run: fewer have no standard error to speak of."""


@dataclass(frozen=True)
class Setting:
    """How an experiment is run.

    Attributes
    ----------
    number : int
        The experiment's own number, part of the seeds of its draws.
    seed : int
        Seed of the run.
    quick : bool
        Whether fewer draws and small panels are enough.
    report : callable
        Is called with (steps done, steps in all).
    """

    number: int
    seed: int = 0
    quick: bool = False
    report: Callable[[Any], None] = lambda _: None

    def count(self, full: int) -> int:
        """Return the number of draws: all, or a twentieth in a quick run.

        Examples
        --------
        >>> Setting(1).count(1000), Setting(1, quick=True).count(1000)
        (1000, 50)
        """
        return max(min(LEAST, full), full // QUICKER) if self.quick else full

    def rng(self, i: int) -> np.random.Generator:
        """Return the random generator of draw i, which depends on seed, experiment and i alone."""
        return np.random.default_rng([self.seed, self.number, i])

    def uniform(self, count: int, n_s: int, n_x: int, start: int = 0) -> FloatArray:
        """Draw joints P(s, x) with i.i.d. uniform entries, normalised, shape (count, n_s, n_x).

        They are the draws `start`, `start` + 1, ….

        Examples
        --------
        >>> Setting(1).uniform(2, 3, 4).sum(axis=(1, 2))
        array([1., 1.])
        """
        drawn = np.stack([self.rng(start + i).random((n_s, n_x)) for i in range(count)])
        result: FloatArray = drawn / drawn.sum(axis=(1, 2), keepdims=True)
        return result

    def dirichlet(self, count: int, n_s: int, n_x: int) -> FloatArray:
        """Draw joints of the Jeffreys prior, Dirichlet(½), shape (count, n_s, n_x)."""
        drawn = [self.rng(i).dirichlet(np.full(n_s * n_x, 0.5)) for i in range(count)]
        return np.stack(drawn).reshape(count, n_s, n_x)


@dataclass(frozen=True)
class Findings:
    """What an experiment finds; the fields are those of `Experiment`.

    Its marks are those beside those of the printed data, which `Definition.perform` adds.
    """

    draws: int
    panels: tuple[Panel, ...]
    series: tuple[Series, ...]
    verdicts: tuple[Verdict, ...]
    marks: tuple[Mark, ...] = ()
    beyond: tuple[Beyond, ...] = ()
    notes: tuple[str, ...] = ()
    scenario: dict[str, Any] | None = None


@dataclass(frozen=True)
class Definition:
    """An experiment before it is run.

    Attributes
    ----------
    key : str
        Its key, which begins with its paper's.
    number : int
        Its number in the seeds of its draws; no other experiment has it.
    place, title, claim : str
        As in `Experiment`.
    run : callable
        Takes a `Setting` and returns `Findings`.
    seconds : float
        About how long a full run takes, on one core.
    """

    key: str
    number: int
    place: str
    title: str
    claim: str
    run: Callable[[Setting], Findings]
    seconds: float

    @property
    def paper(self) -> str:
        """Key of the paper."""
        return self.key.partition("_")[0]

    def perform(
        self, seed: int = 0, *, quick: bool = False, report: Callable[[Any], None] = lambda _: None
    ) -> Experiment:
        """Run it.

        Parameters
        ----------
        seed, quick, report
            As in `Setting`.
        """
        taken = Stopwatch()
        found = self.run(Setting(self.number, seed, quick, report))
        few = found.draws if quick else 0
        return Experiment(
            self.key,
            self.paper,
            self.place,
            self.title,
            self.claim,
            found.draws,
            found.panels,
            found.series,
            (*found.marks, *marks_of(self.key)),
            tuple(replace(one, few=one.few or few) for one in found.verdicts),
            found.beyond,
            found.notes,
            found.scenario,
            round(taken.seconds, 2),
        )


def mean_of(draws: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the means over the first axis and their standard errors; NaN of a single draw.

    Examples
    --------
    >>> mean, error = mean_of(np.array([[1.0], [3.0]]))
    >>> mean, error
    (array([2.]), array([1.]))
    """
    count = len(draws)
    mean = draws.mean(axis=0)
    if count < 2:
        return mean, np.full_like(mean, math.nan)
    return mean, draws.std(axis=0, ddof=1) / math.sqrt(count)


def line(name: str, x: FloatArray, draws: FloatArray, panel: int = 0, **more: Any) -> Series:
    """Return the series of the means of draws, shape (n_draws, len(x)), with standard errors."""
    mean, error = mean_of(draws)
    return Series(name, numbers(x), numbers(mean), numbers(error), panel, **more)


def numbers(values: Any) -> tuple[float, ...]:
    """Return an array as a tuple of Python's numbers."""
    return tuple(float(one) for one in np.asarray(values, dtype=np.float64).ravel())
