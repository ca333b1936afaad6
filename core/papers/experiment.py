"""What an experiment is: its definition, its draws, what it finds, and what is made of draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.clock import Stopwatch
from core.limits import CLOSE
from core.papers.results import Beyond, Experiment, Mark, Panel, Printed, Series, Verdict, marks_of
from core.papers.verdicts import Relation, Value
from core.validation import FloatArray


@dataclass(frozen=True)
class Setting:
    """How an experiment is run; `number` is its own, part of the seeds of its draws."""

    number: int
    seed: int = 0
    quick: bool = False
    report: Callable[[Any], None] = lambda _: None

    def count(self, full: int) -> int:
        """Return the number of draws: all, or a twentieth in a quick run."""
        # fewer than five draws have no standard error to speak of
        return max(min(5, full), full // 20) if self.quick else full

    def rng(self, i: int) -> np.random.Generator:
        """Return the random generator of draw i, which depends on seed, experiment and i alone."""
        return np.random.default_rng([self.seed, self.number, i])

    def uniform(self, count: int, n_s: int, n_x: int, start: int = 0) -> FloatArray:
        """Draw joints `start`, … with i.i.d. uniform entries, normalized, (count, n_s, n_x)."""
        drawn = np.stack([self.rng(start + i).random((n_s, n_x)) for i in range(count)])
        result: FloatArray = drawn / drawn.sum(axis=(1, 2), keepdims=True)
        return result

    def dirichlet(self, count: int, n_s: int, n_x: int) -> FloatArray:
        """Draw joints of the Jeffreys prior, Dirichlet(½), shape (count, n_s, n_x)."""
        drawn = [self.rng(i).dirichlet(np.full(n_s * n_x, 0.5)) for i in range(count)]
        return np.stack(drawn).reshape(count, n_s, n_x)


@dataclass(frozen=True)
class Findings:
    """What an experiment finds, as in `Experiment`; the published data's marks are added later."""

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
    """An experiment before it is run; no other has its `number`, and `seconds` is on one core."""

    key: str
    number: int
    place: str
    title: str
    claim: str
    run: Callable[[Setting], Findings]
    seconds: float

    @property
    def paper(self) -> str:
        return self.key.partition("_")[0]

    def perform(
        self, seed: int = 0, *, quick: bool = False, report: Callable[[Any], None] = lambda _: None
    ) -> Experiment:
        clock = Stopwatch()
        findings = self.run(Setting(self.number, seed, quick, report))
        few = findings.draws if quick else 0
        own: dict[str, Any] = vars(findings) | {
            "marks": (*findings.marks, *marks_of(self.key)),
            "verdicts": tuple(
                replace(verdict, few=verdict.few or few) for verdict in findings.verdicts
            ),
            "seconds": round(clock.seconds, 2),
        }
        return Experiment(self.key, self.paper, self.place, self.title, self.claim, **own)


def mean_of(draws: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the means over the first axis and their standard errors; NaN of a single draw."""
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
    return tuple(float(value) for value in np.asarray(values, dtype=np.float64).ravel())


def at_eps(grid: FloatArray) -> tuple[str, ...]:
    """Return the names of the points of a grid of ε."""
    return tuple(f"ε = {eps:g}" for eps in grid.tolist())


def ordered(
    claim: str,
    place: str,
    above: FloatArray,
    below: FloatArray,
    at: Sequence[str],
    cause: str = "",
    *,
    weak: bool = False,
) -> Verdict:
    """Return the verdict that means over draws (n_draws, k) are `above` others at all k points."""
    apart = above - below
    mean, error = mean_of(apart)
    if weak:
        error = np.where((apart >= -CLOSE).all(axis=0), 0.0, error)
    values = zip(at, numbers(mean), numbers(error), strict=True)
    relation: Relation = "at least" if weak else "is"
    return Verdict(
        "ORD",
        claim,
        place,
        tuple(Value(name, m, error=e, relation=relation) for name, m, e in values),
        cause,
    )


def mean_beside(printed: Printed, draws: FloatArray, **more: Any) -> Value:
    """Return the mean of draws, shape (n_draws,), beside a published number."""
    mean, error = mean_of(draws)
    return printed.beside(float(mean), float(error), **more)


def lines(named: Mapping[str, FloatArray], x: FloatArray, panel: int = 0) -> tuple[Series, ...]:
    """Return the series of several methods' draws, each of shape (n_draws, len(x))."""
    return tuple(line(name, x, draws, panel) for name, draws in named.items())


def panelled(names: Iterable[str], drawn: FloatArray, x: FloatArray) -> tuple[Series, ...]:
    """Return the series of draws (n_panels, n_names, n_draws, len(x)) in panels 0, 1, …."""
    known = tuple(names)
    return tuple(
        series
        for panel, of in enumerate(drawn)
        for series in lines(dict(zip(known, of, strict=True)), x, panel)
    )


def question(source: str, notion: str, eps: float, mechanism: str, **more: Any) -> dict[str, Any]:
    """Return a question to open in the dashboard, as `Scenario.to_dict` gives it."""
    data = {"source": source}
    return {"data": data, "notion": notion, "eps": eps, "mechanism": mechanism, **more}
