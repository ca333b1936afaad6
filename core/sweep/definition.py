"""A sweep: its scenarios, draws and measures; as a value and JSON."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np

from core import validation
from core.codec import VERSION, json_object, listed, plain_json, read_json, without_version
from core.data.joints import drawn
from core.data.spec import DataSpec
from core.errors import InvalidInputError
from core.notions.entry import NotionEntry
from core.notions.numbers import Numbers
from core.scenario import DOMAINS, Result, Scenario
from core.scenario.purpose import Promise
from core.studies.side_by_side import entries, level_title, levels, most
from core.validation import shown
from core.wording import free_name, number_of

FIGURES = {
    "kept": "Share kept",
    "utility": "Utility",
    "information": "I(X;Y)",
    "nmi": "X kept, I(X;Y)/H(X)",
    "upper_bound": "Upper bound on the utility",
    "gap": "Bound less utility",
    "most": "Upper bound on X kept",
    "outputs": "Outputs",
    "achieved": "Level achieved of the notion",
}
"""Measures of an answer other than levels, by key, with their titles."""

SLOW = ("robust", "side_channels")
"""Families of notions whose levels are measured only where they are named."""

PREFIX = "level_"
"""A level's key is this and the key of its notion."""


def level_keys(families: Iterable[str] | None = None) -> tuple[str, ...]:
    """Return the keys of all levels, or of those of some families of notions."""
    allowed = None if families is None else set(families)
    return tuple(
        f"{PREFIX}{entry.key}" for entry in entries() if allowed is None or entry.family in allowed
    )


MEASURES: tuple[str, ...] = (
    *FIGURES,
    *(key for key in level_keys() if key not in level_keys(SLOW)),
)
"""What is measured by default."""


def checked_measures(keys: Iterable[str]) -> tuple[str, ...]:
    """Return keys of measures, each once, in the order of the catalogue."""
    known = (*FIGURES, *level_keys())
    wanted = list(keys)
    for key in wanted:
        if key not in known:
            raise InvalidInputError(
                f"There is no measure {shown(key)}; choose one of {', '.join(known)}."
            )
    if not wanted:
        raise InvalidInputError("measures must name at least one measure.")
    return tuple(key for key in known if key in wanted)


def measure_title(key: str, numbers: Numbers) -> str:
    """Return the name of a measure, with the numbers that it depends on."""
    if key in FIGURES:
        return FIGURES[key]
    return level_title(key.removeprefix(PREFIX), numbers)


def measured_notions(keys: Sequence[str]) -> tuple[NotionEntry, ...]:
    """Return the notions whose levels are among some measures."""
    return tuple(entry for entry in entries() if f"{PREFIX}{entry.key}" in keys)


def measured_values(result: Result, keys: Sequence[str], numbers: Numbers) -> dict[str, float]:
    """Return measures of an answer, by key; NaN where one is not defined for it."""
    mechanism = result.mechanism
    figures = {
        "kept": mechanism.kept,
        "utility": mechanism.utility,
        "information": mechanism.information,
        "nmi": mechanism.nmi,
        "upper_bound": mechanism.upper_bound,
        "gap": mechanism.gap,
        "most": most(result),
        "outputs": float(mechanism.n_y),
        "achieved": math.nan if mechanism.audit is None else mechanism.audit.achieved,
    }
    chosen = [entry.key for entry in measured_notions(keys)]
    reached = levels(result.joint, mechanism.kernel, numbers, keys=chosen)
    values = figures | {f"{PREFIX}{key}": value for key, value in reached.items()}
    return {key: float(values[key]) for key in keys}


@dataclass(frozen=True)
class Draws:
    """Random joints P(s, x) of one size, under a law as in `core.data.joints`.

    Each joint's own seed follows from `seed` and from its number.
    """

    count: int
    n_s: int
    n_x: int
    law: str = "uniform"
    seed: int = 0

    def __post_init__(self) -> None:
        for name, low, high in (
            ("count", 1, 10**12),
            ("n_s", 1, None),
            ("n_x", 1, None),
            ("seed", 0, 2**63 - 1),
        ):
            what = f"The draws' {name}"
            value = validation.whole(getattr(self, name), what, low=low, high=high)
            object.__setattr__(self, name, value)
        if not isinstance(self.law, str):
            raise InvalidInputError(f"The law of draws must be a text, got {shown(self.law)}.")
        drawn(f"{self.law}:{self.n_s}x{self.n_x}:0")  # checks law and size

    def spec(self, number: int) -> DataSpec:
        """Return the data of a draw, on which a scenario can be answered by itself."""
        (word,) = np.random.SeedSequence([self.seed, number]).generate_state(1, np.uint64)
        return DataSpec(f"random:{self.law}:{self.n_s}x{self.n_x}:{int(word) >> 1}", (), ())

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            ("draws" if name == "count" else name): value for name, value in asdict(self).items()
        }

    @classmethod
    def from_dict(cls, values: Any) -> Draws:
        """Read the JSON form: {"draws": 1000, "n_s": 5, "n_x": 17, "law": "uniform", "seed": 0}."""
        known = {("draws" if item.name == "count" else item.name) for item in fields(cls)}
        json_object(values, known, "random")
        for name in ("draws", "n_s", "n_x"):
            if name not in values:
                raise InvalidInputError(f"random must have an entry {name!r}.")
        return cls(
            **{("count" if name == "draws" else name): value for name, value in values.items()}
        )


MAX_POINTS = 1_000_000
"""Most points of a sweep: their results are sorted in memory, about a kilobyte each."""

MAX_QUESTIONS = 20_000
"""Most questions of a sweep, each answered on every draw."""

FIELDS = tuple(item.name for item in fields(Scenario))
"""What a sweep may vary: every field of a scenario."""

WORDS = {"data": "data set", "eps": "budget", "also": "additional notion"}
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
        Keys of what is measured, as in `core.sweep.definition`; all quick ones by default.

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
            raise InvalidInputError("cases must hold at least one case.")
        for name, values in self.vary:
            if name not in FIELDS:
                known = ", ".join(FIELDS)
                raise InvalidInputError(
                    f"vary must name fields of a scenario ({known}), got {name!r}."
                )
            if not values:
                raise InvalidInputError(f"vary has no value of {name!r}: give at least one.")
        names = [name for name, _ in self.vary]
        for name in [*names, *(name for case in self.cases for name, _ in case)]:
            if names.count(name) > 1 or (name in names and name in self.cased):
                raise InvalidInputError(
                    f"{name!r} varies twice: name it once, in vary or in cases."
                )
        if self.draws is not None and "data" in {*names, *self.cased}:
            raise InvalidInputError("A sweep has random joints or several data sets, not both.")
        self._check_size()
        plain = tuple(
            (name, tuple(_plain_number(name, value) for value in v)) for name, v in self.vary
        )
        object.__setattr__(self, "vary", plain)
        cases = tuple(
            tuple((n, _plain_number(n, value)) for n, value in case) for case in self.cases
        )
        object.__setattr__(self, "cases", cases)
        _ = self.questions  # each value is checked by its field

    def _check_size(self) -> None:
        points, questions = self.largest, prod(self._sizes())
        if points > MAX_POINTS:
            raise InvalidInputError(
                f"The sweep has {points:,} points ({self.described}), but at most {MAX_POINTS:,} "
                "are allowed: choose fewer values or draws."
            )
        if questions > MAX_QUESTIONS:
            raise InvalidInputError(
                f"The sweep has {questions:,} questions ({self.described}), but at most "
                f"{MAX_QUESTIONS:,} are allowed: choose fewer values."
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
        """Number of joints on which each question is answered; 1 where there are no draws."""
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
        distinct: dict[Scenario, Scenario] = {}
        for case in self.cases:
            for values in product(*(values for _, values in self.vary)):
                question = _replaced(base, dict(case) | dict(zip(names, values, strict=True)))
                distinct.setdefault(_plain(question), question)
        return tuple(distinct.values())

    def about(self, sources: Mapping[str, str]) -> Sweep:
        """Return it with other sources in place of those that are named."""
        return self.on(lambda spec: replace(spec, source=sources.get(spec.source, spec.source)))

    def on(self, change: Callable[[DataSpec], DataSpec]) -> Sweep:
        """Return it with other data in place of all that it names."""

        def other(name: str, value: Any) -> Any:
            return change(value) if name == "data" else value

        return replace(
            self,
            scenario=replace(self.scenario, data=change(self.scenario.data)),
            vary=tuple(
                (name, tuple(other(name, value) for value in some)) for name, some in self.vary
            ),
            cases=tuple(tuple((name, other(name, value)) for name, value in c) for c in self.cases),
        )

    def undisclosed(self, called: Mapping[str, str] | None = None) -> Sweep:
        """Return it as others may see it: without the SHA-256 of a user's file or matrix.

        Parameters
        ----------
        called : mapping, optional
            What the sources are called instead; one that is not named is "not disclosed".

        Examples
        --------
        >>> sweep = Sweep(Scenario(DataSpec("upload:12ab")))
        >>> sweep.undisclosed({"upload:12ab": "people.csv"}).scenario.data.source
        'people.csv'
        """
        varied = [value for name, values in self.vary if name == "data" for value in values]
        cased = [value for case in self.cases for name, value in case if name == "data"]
        names: dict[str, str] = {}
        for spec in (self.scenario.data, *varied, *cased):
            if spec.hashed and spec.source not in names:
                name = (called or {}).get(spec.source, spec.undisclosed().source)
                names[spec.source] = free_name(name, lambda text: text in names.values())
        return self.about(names)

    def to_json(self) -> str:
        """Return the sweep as JSON, which `from_json` reads back to an equal one."""
        written: dict[str, Any] = {
            "version": VERSION,
            "scenario": self.scenario.to_dict(),
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
        values = without_version(read_json(text, "The sweep"), "The sweep")
        parts: dict[str, Any] = {}
        if "scenario" in values:
            parts["scenario"] = Scenario.from_dict(values.pop("scenario"))
        if "vary" in values:
            varied = json_object(values.pop("vary"), None, "vary")
            parts["vary"] = tuple((name, _values(name, value)) for name, value in varied.items())
        if "cases" in values:
            cases = [
                json_object(case, None, "A case") for case in listed(values.pop("cases"), "cases")
            ]
            parts["cases"] = tuple(
                tuple((name, _read(name, value)) for name, value in case.items()) for case in cases
            )
        if values.get("random") is not None:
            parts["draws"] = Draws.from_dict(values["random"])
        values.pop("random", None)
        if "measures" in values:
            parts["measures"] = listed(values.pop("measures"), "measures")
        json_object(values, (), "The sweep")
        return cls(**parts)

    def content_hash(self) -> str:
        """Return a hash of the definition: results are kept under it."""
        canonical = json.dumps(json.loads(self.to_json()), sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()


def _values(name: str, value: Any) -> tuple[Any, ...]:
    if isinstance(value, dict) and set(value) == {"from", "to", "count"}:
        count = validation.whole(value["count"], f"The count of {name}", low=1, high=MAX_QUESTIONS)
        low, high = (validation.number(value[end], f"{name}'s {end}") for end in ("from", "to"))
        return tuple(np.linspace(low, high, count).tolist())
    return tuple(_read(name, item) for item in listed(value, f"The values of {name}"))


def _read(name: str, value: Any) -> Any:
    if name == "data":
        return DataSpec.from_dict(value)
    if name == "also":
        return tuple(map(Promise.from_dict, listed(value, "also")))
    if name == "table" and isinstance(value, list):
        return tuple(tuple(row) if isinstance(row, list) else row for row in value)
    return value


def _plain_number(name: str, value: Any) -> Any:
    """Return a number as a float or an int, so equal sweeps are written alike."""
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
        return Scenario(data=value).to_dict()["data"]
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
