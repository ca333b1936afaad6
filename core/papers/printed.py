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

    Attributes
    ----------
    what, place : str
        What it is, and where it is printed.
    value : ndarray
        The numbers, of any shape.
    unit : float
        One unit of the last digit; of a value read from a figure or said as "about", how exactly
        it can be known.
    drawn : bool
        Whether it is a mean over the paper's own random draws.
    relation : {"is", "at most", "at least"}
        Whether print says that a number is this one, or that it is so bounded in all cases.
    judged : bool
        Whether a verdict compares it with ours; a time of print's machine is only drawn.
    marks : tuple of (str, Mark)
        Where it stands in figures: key of the experiment, and mark.
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
        """The only number."""
        return float(self.value.item())

    def beside(self, ours: float, error: float = 0.0, name: str = "", **more: Any) -> Value:
        """Return the only number beside ours."""
        told = name or self.what
        return Value(
            told,
            float(ours),
            self.number,
            float(error),
            self.unit,
            self.drawn,
            self.relation,
            **more,
        )

    def table(self, ours: ArrayLike, errors: ArrayLike = 0.0) -> tuple[Value, ...]:
        """Return every number of a table beside ours, of the same shape."""
        found = np.asarray(ours, dtype=np.float64)
        if found.shape != self.value.shape:
            raise AssertionError(f"{self.what}: {found.shape} beside {self.value.shape}")
        spread = np.broadcast_to(np.asarray(errors, dtype=np.float64), found.shape)
        places = np.ndindex(found.shape)
        return tuple(
            Value(
                f"{self.what} ({', '.join(str(i + 1) for i in at)})" if at else self.what,
                float(found[at]),
                float(self.value[at]),
                float(spread[at]),
                self.unit,
                self.drawn,
                self.relation,
            )
            for at in places
        )


@cache
def printed(paper: str) -> dict[str, Printed]:
    """Return the printed values of a paper by key.

    Examples
    --------
    >>> one = printed("lift")["merging"]
    >>> one.number, one.unit, one.place
    (0.52, 0.01, '§IV-B, Figure 2(a)')
    """
    read = json.loads((FOLDER / f"{paper}.json").read_text(encoding="utf-8"))
    return {
        key: Printed(
            one["what"],
            one["place"],
            np.asarray(one["value"], dtype=np.float64),
            one["unit"],
            one.get("drawn", False),
            one.get("relation", "is"),
            one.get("judged", True),
            tuple(_marked(one)),
        )
        for key, one in read.items()
    }


def marks_of(experiment: str) -> tuple[Mark, ...]:
    """Return what print says in numbers that stand in an experiment's figure.

    Parameters
    ----------
    experiment : str
        Key of the experiment.

    Examples
    --------
    >>> [(one.x, one.y, one.text) for one in marks_of("lift_3")]
    [(2.0, 0.94, '0.94 at λ = 0.5'), (1.0, nan, 'λ = 0.65 keeps more than λ = 0.5 above ε = 1')]
    """
    said = (one for paper in PAPERS for one in printed(paper).values())
    return tuple(mark for one in said for key, mark in one.marks if key == experiment)


def _marked(one: dict[str, Any]) -> Iterator[tuple[str, Mark]]:
    """Yield the marks of an entry of a data file, with the key of their experiments.

    A mark is at x and y: a number, or "value" for the printed one. What has no y is a line at x,
    what has no x one at y; what has neither belongs to its panel as a whole. Of a table each number
    is marked, or the one that "of" names.
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
