"""Printed values as data: each with its paper, its place and the unit of its last digit."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

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
    """

    what: str
    place: str
    value: FloatArray
    unit: float
    drawn: bool = False
    relation: Relation = "is"

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
        )
        for key, one in read.items()
    }
