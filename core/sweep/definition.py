"""A sweep: which scenarios are asked, on which draws, and what is measured; as a value and JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np

from core import validation
from core.data.spec import DataSpec
from core.errors import InvalidInputError
from core.scenario import DOMAINS, Scenario
from core.scenario.domains import plain_json
from core.scenario.json_text import read_json
from core.scenario.promise import Promise
from core.sweep.draws import Draws
from core.sweep.measures import MEASURES, checked_measures
from core.validation import shown
from core.wording import number_of

VERSION = 1
"""Version of the JSON form."""

MAX_POINTS = 1_000_000
"""Most points of a sweep: their results are sorted in memory, about a kilobyte each."""

MAX_QUESTIONS = 20_000
"""Most questions of a sweep, each of which is asked of every draw."""

FIELDS = tuple(item.name for item in fields(Scenario))
"""What a sweep may vary: every field of a scenario."""

WORDS = {"data": "data set", "eps": "budget", "also": "further promise"}
"""What the values of a field are called in a sentence; its own name where it is not here."""


@dataclass(frozen=True)
class Sweep:
    """A set of scenarios, each on one data set or on many random joints, and what is measured.

    The questions are all combinations of the cases and of the varied values, each once: values
    that have no effect on an answer, such as λ under LIP, make no further question.

    Attributes
    ----------
    scenario : Scenario
        What all points have in common. Its λ, α, β and n are also those of the measured levels.
    vary : tuple of (str, tuple)
        For each field of a scenario that varies, its values.
    cases : tuple of tuple of (str, object)
        Sets of fields that belong together, such as a notion with its λ; one empty case where
        nothing does.
    draws : Draws or None
        The random joints that take the place of the scenario's data.
    measures : tuple of str
        Keys of what is measured, as in `core.sweep.measures`; all quick ones by default.

    Raises
    ------
    InvalidInputError
        If a field is unknown, varied twice or without values, or there are too many points.

    Examples
    --------
    >>> sweep = Sweep(vary=(("notion", ("lip", "alip")), ("eps", (0.5, 1.0))))
    >>> sweep.size, [question.notion for question in sweep.questions]
    (4, ['lip', 'lip', 'alip', 'alip'])
    >>> Sweep.from_json(sweep.to_json()) == sweep
    True
    """

    scenario: Scenario = field(default_factory=Scenario)
    vary: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    cases: tuple[tuple[tuple[str, Any], ...], ...] = ((),)
    draws: Draws | None = None
    measures: tuple[str, ...] = MEASURES

    def __post_init__(self) -> None:
        object.__setattr__(self, "measures", checked_measures(self.measures))
        if not self.cases:
            raise InvalidInputError("cases must hold one case or more.")
        for name, values in self.vary:
            if name not in FIELDS:
                known = ", ".join(FIELDS)
                raise InvalidInputError(
                    f"vary must name fields of a scenario ({known}), got {name!r}."
                )
            if not values:
                raise InvalidInputError(f"vary has no value of {name!r}: give one or more.")
        names = [name for name, _ in self.vary]
        for name in [*names, *(name for case in self.cases for name, _ in case)]:
            if names.count(name) > 1 or (name in names and name in self.cased):
                raise InvalidInputError(
                    f"{name!r} varies twice: name it once, in vary or in cases."
                )
        if self.draws is not None and "data" in {*names, *self.cased}:
            raise InvalidInputError("A sweep has random joints or several data sets, not both.")
        self._check_size()
        plain = tuple((name, tuple(_plain_number(name, one) for one in v)) for name, v in self.vary)
        object.__setattr__(self, "vary", plain)
        cases = tuple(tuple((n, _plain_number(n, one)) for n, one in case) for case in self.cases)
        object.__setattr__(self, "cases", cases)
        _ = self.questions  # each value is checked by its field

    def _check_size(self) -> None:
        points, questions = self.largest, prod(self._sizes())
        if points > MAX_POINTS:
            raise InvalidInputError(
                f"The sweep has {points:,} points ({self.described}), and at most "
                f"{MAX_POINTS:,} are allowed: take fewer values or draws."
            )
        if questions > MAX_QUESTIONS:
            raise InvalidInputError(
                f"The sweep has {questions:,} questions ({self.described}), and at most "
                f"{MAX_QUESTIONS:,} are allowed: take fewer values."
            )

    def _sizes(self) -> list[int]:
        return [len(self.cases), *(len(values) for _, values in self.vary)]

    @property
    def cased(self) -> tuple[str, ...]:
        """Names of the fields that the cases set."""
        return tuple(dict.fromkeys(name for case in self.cases for name, _ in case))

    @property
    def varied(self) -> tuple[str, ...]:
        """Names of the fields that differ between questions, in the order of a scenario's."""
        names = {*self.cased, *(name for name, _ in self.vary)}
        return tuple(name for name in FIELDS if name in names)

    @property
    def largest(self) -> int:
        """Number of points, with questions that turn out to be the same."""
        return prod(self._sizes()) * self.n_draws

    @property
    def n_draws(self) -> int:
        """Number of joints of which each question is asked; 1 where there are no draws."""
        return 1 if self.draws is None else self.draws.count

    @property
    def size(self) -> int:
        """Number of points."""
        return len(self.questions) * self.n_draws

    @property
    def described(self) -> str:
        """The size as a product in words."""
        parts = [number_of(len(self.cases), "case")] if len(self.cases) > 1 else []
        parts += [number_of(len(values), WORDS.get(name, name)) for name, values in self.vary]
        if self.draws is not None:
            parts.append(number_of(self.n_draws, "draw"))
        return " × ".join(parts) or "1 question"

    @cached_property
    def questions(self) -> tuple[Scenario, ...]:
        """The questions, each once; a case changes slowest, the last varied field fastest.

        Where there are draws, their data stands for any of them.
        """
        names = [name for name, _ in self.vary]
        base = self.scenario
        if self.draws is not None:
            base = replace(base, data=self.draws.spec(0))
        found: dict[Scenario, Scenario] = {}
        for case in self.cases:
            for values in product(*(values for _, values in self.vary)):
                asked = _replaced(base, dict(case) | dict(zip(names, values, strict=True)))
                found.setdefault(_plain(asked), asked)
        return tuple(found.values())

    def to_json(self) -> str:
        """Return the sweep as JSON, which `from_json` reads back to an equal one."""
        written: dict[str, Any] = {
            "version": VERSION,
            "scenario": json.loads(self.scenario.to_json()),
        }
        if self.vary:
            written["vary"] = {
                name: [_written(name, value) for value in values] for name, values in self.vary
            }
        if self.cases != ((),):
            written["cases"] = [
                {name: _written(name, value) for name, value in case} for case in self.cases
            ]
        if self.draws is not None:
            written["random"] = self.draws.to_dict()
        written["measures"] = list(self.measures)
        return json.dumps(written, indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Sweep:
        """Read a sweep from JSON; what is left out takes its default.

        The values of a number may be a list, or {"from": …, "to": …, "count": …} for a grid.

        Raises
        ------
        InvalidInputError
            If the text is no JSON object, an entry is unknown or a value is outside its domain.
        """
        values = read_json(text, "The sweep")
        if not isinstance(values, dict):
            raise InvalidInputError("The sweep must be a JSON object.")
        version = values.pop("version", VERSION)
        if isinstance(version, bool) or version != VERSION:
            raise InvalidInputError(f"The sweep's version must be {VERSION}, got {shown(version)}.")
        parts: dict[str, Any] = {}
        if "scenario" in values:
            parts["scenario"] = Scenario.from_json(json.dumps(values.pop("scenario")))
        if "vary" in values:
            varied = _object(values.pop("vary"), "vary")
            parts["vary"] = tuple((name, _values(name, one)) for name, one in varied.items())
        if "cases" in values:
            cases = json_list(values.pop("cases"), "cases")
            parts["cases"] = tuple(
                tuple((name, _read(name, one)) for name, one in _object(case, "A case").items())
                for case in cases
            )
        if values.get("random") is not None:
            parts["draws"] = Draws.from_dict(values["random"])
        values.pop("random", None)
        if "measures" in values:
            parts["measures"] = tuple(json_list(values.pop("measures"), "measures"))
        if values:
            raise InvalidInputError(f"The sweep has an unknown entry {shown(next(iter(values)))}.")
        return cls(**parts)

    def content_hash(self) -> str:
        """Return a hash of the definition: results are kept under it."""
        canonical = json.dumps(json.loads(self.to_json()), sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()


def json_list(value: Any, name: str) -> list[Any]:
    """Return a JSON list.

    Raises
    ------
    InvalidInputError
        If it is none.
    """
    if not isinstance(value, list):
        raise InvalidInputError(f"{name} must be a list, got {shown(value)}.")
    return value


def _object(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInputError(f"{name} must be a JSON object, got {shown(value)}.")
    return value


def _values(name: str, value: Any) -> tuple[Any, ...]:
    """Return the values of a field from a list or a grid."""
    if isinstance(value, dict) and set(value) == {"from", "to", "count"}:
        count = validation.whole(value["count"], f"The count of {name}", low=1, high=MAX_QUESTIONS)
        low, high = (validation.number(value[end], f"{name}'s {end}") for end in ("from", "to"))
        return tuple(np.linspace(low, high, count).tolist())
    return tuple(_read(name, one) for one in json_list(value, f"The values of {name}"))


def _read(name: str, value: Any) -> Any:
    """Return a field's value from its JSON form."""
    if name == "data":
        return DataSpec.from_dict(value)
    if name == "also":
        return tuple(map(Promise.from_dict, json_list(value, "also")))
    if name == "table" and isinstance(value, list):
        return tuple(tuple(row) if isinstance(row, list) else row for row in value)
    return value


def _plain_number(name: str, value: Any) -> Any:
    """Return a number as a float or an int, so that equal sweeps are written alike."""
    domain = DOMAINS.get(name)
    if domain is None or value is None:
        return value
    number = validation.number(value, name, low=domain.low, high=domain.high)
    return int(number) if domain.whole and number == int(number) else number


def _written(name: str, value: Any) -> Any:
    """Return the JSON form of a field's value."""
    if name == "also":
        return [plain_json(promise.to_dict()) for promise in value]
    if name == "data":
        return json.loads(Scenario(data=value).to_json())["data"]
    return plain_json(value)


def _replaced(base: Scenario, changes: Mapping[str, Any]) -> Scenario:
    try:
        return replace(base, **changes)
    except TypeError as error:
        raise InvalidInputError(f"A value of the sweep cannot be used: {error}.") from error


def _plain(question: Scenario) -> Scenario:
    """Return a question with the default in place of each number that has no effect."""
    unused: Iterable[str] = question.without_effect()
    default = Scenario()
    return replace(question, **{name: getattr(default, name) for name in unused})
