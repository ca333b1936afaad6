"""Printed values as data: each with its paper, its place and the unit of its last digit."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.papers.results import PAPERS, Mark
from core.papers.verdicts import Relation, Value
from core.validation import FloatArray

FOLDER = Path(__file__).parent / "printed"
"""The data files: one a paper."""


@dataclass(frozen=True, eq=False)
class Printed:
    """A number, or a table of numbers, as it is printed.

    `unit` is one unit of the last digit, or how exactly a figure can be read; `drawn` whether it is
    a mean over the paper's own draws; `relation` whether it is the number or a bound. What is not
    `judged` is only drawn. `marks`: where it stands in figures, by key of the experiment.
    """

    what: str
    place: str
    value: FloatArray
    unit: float
    drawn: bool = False
    relation: Relation = "is"
    judged: bool = True
    marks: tuple[tuple[str, Mark], ...] = field(default=())

    @property
    def number(self) -> float:
        return float(self.value.item())

    def beside(self, ours: float, error: float = 0.0, name: str = "", **more: Any) -> Value:
        """Return the only number beside ours."""
        return self._value(name or self.what, ours, self.number, error, **more)

    def table(self, ours: ArrayLike, errors: ArrayLike = 0.0) -> tuple[Value, ...]:
        """Return every number of a table beside ours, of the same shape."""
        found = np.asarray(ours, dtype=np.float64)
        if found.shape != self.value.shape:
            raise AssertionError(f"{self.what}: {found.shape} beside {self.value.shape}")
        spread = np.broadcast_to(np.asarray(errors, dtype=np.float64), found.shape)
        places = np.ndindex(found.shape)
        names = (f" ({', '.join(str(i + 1) for i in at)})" if at else "" for at in places)
        cells = zip(names, found.flat, self.value.flat, spread.flat, strict=True)
        return tuple(self._value(self.what + name, *cell) for name, *cell in cells)

    def _value(self, name: str, ours: float, printed: float, error: float, **more: Any) -> Value:
        """Return a printed number beside ours, with what is said of all numbers here."""
        here = self.unit, self.drawn, self.relation
        return Value(name, float(ours), float(printed), float(error), *here, **more)


@cache
def printed(paper: str) -> dict[str, Printed]:
    read = json.loads((FOLDER / f"{paper}.json").read_text(encoding="utf-8"))
    return {
        key: Printed(
            **one | {"value": np.asarray(one["value"], np.float64), "marks": tuple(_marked(one))}
        )
        for key, one in read.items()
    }


def marks_of(experiment: str) -> tuple[Mark, ...]:
    """Return what print says in numbers that stand in an experiment's figure."""
    said = (one for paper in PAPERS for one in printed(paper).values())
    return tuple(mark for one in said for key, mark in one.marks if key == experiment)


def _marked(one: dict[str, Any]) -> Iterator[tuple[str, Mark]]:
    """Yield the marks of an entry of a data file, with the key of their experiments.

    A mark is at x and y, numbers or "value"; without y it is a line at x, without x one at y,
    without both of its panel. Of a table each number is marked, or the one that "of" names.
    """
    numbers = np.ravel(one["value"]).tolist()
    for told in one.get("marks", ()):
        panels = told["panel"] if isinstance(told["panel"], list) else [told["panel"]]
        for number in [numbers[told["of"]]] if "of" in told else numbers:
            x, y = (
                float(number if told.get(axis) == "value" else told.get(axis, math.nan))
                for axis in ("x", "y")
            )
            for panel in panels:
                yield told["in"], Mark(x, y, told["text"], panel, one["place"])
