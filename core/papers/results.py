"""What an experiment of a paper found, as values and JSON, and what the paper says in numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InvalidInputError
from core.papers.verdicts import Outcome, Relation, Rule, Value, explained, outcome
from core.validation import FloatArray, shown

PAPERS = {
    "lift": "Zarrabian, Ding, Sadeghi: On the Lift, Related Privacy Measures, and Applications to "
    "Privacy–Utility Trade-offs, Entropy 2023",
    "alip": "Zarrabian, Ding, Sadeghi: Asymmetric Local Information Privacy and the Watchdog "
    "Mechanism, ITW 2022",
    "rldp": "Lopuhaä-Zwakenberg, Goseling: Mechanisms for Robust Local Differential Privacy, "
    "Entropy 2024",
    "funnel": "Lopuhaä-Zwakenberg, Tong, Škorić: Data Sanitisation Protocols for the Privacy "
    "Funnel with Differential Privacy Guarantees, 2020",
    "nonstochastic": "Ding, Farokhi: Developing Non-Stochastic Privacy-Preserving Policies Using "
    "Agglomerative Clustering, 2019",
}
"""The papers by key."""


@dataclass(frozen=True)
class Panel:
    """One part of a figure, with axes of its own; `x_names` are of x = 0, 1, …, if any."""

    title: str
    x_title: str
    y_title: str
    log_y: bool = False
    x_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Series:
    """A line, or bars, of our numbers, with standard errors; a y may be NaN.

    `kind` is "line", "points", "bars" or "boxes", which have five y at each x: the least, the three
    quartiles and the largest. `beyond`: the paper has no such line.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    error: tuple[float, ...] = ()
    panel: int = 0
    kind: str = "line"
    beyond: bool = False


@dataclass(frozen=True)
class Mark:
    """A value that the paper gives for a figure: a line if x or y is NaN, of its panel if both."""

    x: float
    y: float
    text: str
    panel: int = 0
    place: str = ""


@dataclass(frozen=True)
class Verdict:
    """A claim in the paper with the numbers that decide it.

    Attributes
    ----------
    rule : {"NUM", "ORD", "EXT", "ERR", "NO"}
        How it is decided; see `core.papers.verdicts.RULES`.
    claim : str
        What the paper says, in words.
    place : str
        Where, such as "Figure 2(a)".
    values : tuple of Value
        Published values next to ours.
    cause : str
        Why the paper differs, in one sentence, where known; `docs/errata.md` derives it. It is
        shown only where the numbers differ.
    few : int
        Number of draws, or samples, of a quick run, which may be too few to decide; else 0.

    Raises
    ------
    InvalidInputError
        If a rule that compares with the paper gets a value without a published one, or no value,
        or "NO" gets one, or has no cause; or the number of draws is negative.

    Examples
    --------
    >>> verdict = Verdict("NUM", "NMI is 0.52", "Figure 2", (Value("mean", 0.52, 0.52),))
    >>> verdict.outcome, verdict.reason
    ('reproduced', '')
    """

    rule: Rule
    claim: str
    place: str
    values: tuple[Value, ...]
    cause: str = ""
    few: int = 0

    def __post_init__(self) -> None:
        if self.few < 0:
            raise InvalidInputError(
                f"The number of draws must be at least 0, got {self.few}: {self.claim}"
            )
        if self.rule not in ("ORD", "NO") and any(value.printed is None for value in self.values):
            raise InvalidInputError(
                f"A verdict by {self.rule} needs published values: {self.claim}"
            )
        outcome(self.rule, self.values)  # refuses other rules, and values where there must be none
        if self.rule == "NO" and not self.cause:
            raise InvalidInputError(f"A claim that cannot be checked must say why: {self.claim}")

    @property
    def outcome(self) -> Outcome:
        """The verdict, computed from the values."""
        return outcome(self.rule, self.values, self.few)

    @property
    def reason(self) -> str:
        """Why it differs or cannot be checked; empty where it is reproduced."""
        if self.outcome == "cannot be checked":
            return self.cause
        why = explained(self.rule, self.values, self.few)
        cause = "" if self.outcome == "cannot be decided" else self.cause
        return f"{why} {cause}".strip() if why else ""


@dataclass(frozen=True)
class Beyond:
    """What we reach beyond the paper: a sentence without its number, the number, its error.

    `error`: 0 for a single case. `bound`: a proven upper bound on what can be reached; equal to the
    value for a proven optimum. `printed_method`: what the paper's own method gives there.
    """

    text: str
    value: float
    error: float = 0.0
    bound: float | None = None
    printed_method: float | None = None


@dataclass(frozen=True)
class Experiment:
    """An experiment of a paper, as it came out.

    Attributes
    ----------
    key, paper, place, title : str
        Its key, its paper's key in `PAPERS`, figure or table, and a short title.
    claim : str
        What the paper says, in words.
    draws : int
        Number of random draws; 0 where there is nothing random.
    panels, series, marks
        The figure: its panels, our numbers, and what can be read in the paper.
    verdicts : tuple of Verdict
        What came out of each claim.
    beyond : tuple of Beyond
        What we reach beyond the paper.
    notes : tuple of str
        What else is to be known, such as a guess where the paper is silent.
    scenario : dict or None
        A question to open in the dashboard, as `Scenario.to_dict` gives it.
    seconds : float
        How long it took.
    date, machine : str
        On which day, and on what machine, it ran where it was run again; else those of its run.

    Examples
    --------
    >>> experiment = Experiment("lift_1", "lift", "Figure 1", "Ranges", "…", 1, (), (), (), ())
    >>> Experiment.from_dict(experiment.to_dict()) == experiment
    True
    """

    key: str
    paper: str
    place: str
    title: str
    claim: str
    draws: int
    panels: tuple[Panel, ...]
    series: tuple[Series, ...]
    marks: tuple[Mark, ...]
    verdicts: tuple[Verdict, ...]
    beyond: tuple[Beyond, ...] = ()
    notes: tuple[str, ...] = ()
    scenario: dict[str, Any] | None = None
    seconds: float = 0.0
    date: str = ""
    machine: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, with the outcome and reason of each verdict for other readers."""
        written: dict[str, Any] = _written(self)
        for entry, verdict in zip(written["verdicts"], self.verdicts, strict=True):
            entry["outcome"], entry["reason"] = verdict.outcome, verdict.reason
        return written

    @classmethod
    def from_dict(cls, values: Any) -> Experiment:
        """Read the JSON form; outcomes are computed anew."""
        result: Experiment = _read(cls, values)
        return result


@dataclass(frozen=True)
class Run:
    """The experiments of one run.

    Attributes
    ----------
    version, date, machine : str
        Version of the program, day of the run, and its cores and processor.
    seed : int
        Seed of all draws.
    quick : bool
        Whether fewer draws were taken.
    experiments : tuple of Experiment
        Those that ran.
    missing : tuple of str
        Keys of those that did not.

    Examples
    --------
    >>> run = Run("0.1.0", "2026-01-01", "2 cores", 0, True, (), ("lift_1",))
    >>> Run.from_json(run.to_json()) == run
    True
    """

    version: str
    date: str
    machine: str
    seed: int
    quick: bool
    experiments: tuple[Experiment, ...]
    missing: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return the JSON text."""
        written = _written(self) | {
            "experiments": [experiment.to_dict() for experiment in self.experiments]
        }
        return json.dumps(written, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    def renewed(self, later: Run) -> Run:
        """Return the run with the experiments of a later one, which report their day and machine.

        Raises
        ------
        InvalidInputError
            If the later run is of another version, seed or number of draws.

        Examples
        --------
        >>> first = Run("0.1.0", "2026-01-01", "2 cores", 0, True, (), ("lift_1", "lift_2"))
        >>> later = Experiment("lift_2", "lift", "Figure 2", "", "…", 1, (), (), (), ())
        >>> run = first.renewed(Run("0.1.0", "2026-01-02", "2 cores", 0, True, (later,)))
        >>> run.missing, run.date, run.experiments[0].date
        (('lift_1',), '2026-01-01', '2026-01-02')
        """
        for what in ("version", "seed", "quick"):
            own, other = getattr(self, what), getattr(later, what)
            if own != other:
                raise InvalidInputError(f"The {what} must be {shown(own)}, got {shown(other)}.")
        fresh = {
            experiment.key: replace(experiment, date=later.date, machine=later.machine)
            for experiment in later.experiments
        }
        earlier = {experiment.key: experiment for experiment in self.experiments}
        return replace(
            self,
            experiments=tuple((earlier | fresh).values()),
            missing=tuple(key for key in self.missing if key not in fresh),
        )

    @classmethod
    def from_json(cls, text: str) -> Run:
        """Read the JSON text.

        Raises
        ------
        InvalidInputError
            If it is no JSON or has not this form.
        """
        try:
            values = json.loads(text)
        except ValueError as error:
            raise InvalidInputError(f"The results are not valid JSON: {error}.") from error
        result: Run = _read(cls, values)
        return result


def _written(value: Any) -> Any:
    """Return a value for JSON: ∞ as "inf", NaN as null, numbers with nine digits."""
    if is_dataclass(value):
        return {item.name: _written(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {name: _written(entry) for name, entry in value.items()}
    if isinstance(value, tuple | list):
        return [_written(entry) for entry in value]
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return float(f"{value:.9g}") if math.isfinite(value) else str(value)
    return value


def _read(kind: Any, value: Any) -> Any:
    """Return a value of a type from its JSON form."""
    if is_dataclass(kind):
        if not isinstance(value, Mapping):
            raise InvalidInputError(f"A result must be a JSON object, got {shown(value)}.")
        hints = get_type_hints(kind)
        try:
            return kind(  # type: ignore[operator]  # is_dataclass allows instances too
                **{name: _read(hint, value[name]) for name, hint in hints.items()}
            )
        except KeyError as error:
            raise InvalidInputError(f"A result lacks {error}.") from error
    if get_origin(kind) is tuple:
        if not isinstance(value, list):
            raise InvalidInputError(f"A result must have a list, got {shown(value)}.")
        return tuple(_read(get_args(kind)[0], item) for item in value)
    if get_origin(kind) is UnionType:
        return None if value is None else _read(get_args(kind)[0], value)
    if kind is float and value is None:
        return math.nan
    if kind is float and value in ("inf", "-inf"):
        return float(value)
    if get_origin(kind) is Literal:
        fits = value in get_args(kind)
    else:
        allowed: Any = {float: (int, float), dict: Mapping}.get(get_origin(kind) or kind, kind)
        fits = isinstance(value, allowed) and (kind is bool or not isinstance(value, bool))
    if not fits:
        raise InvalidInputError(f"A result must have {_type_name(kind)}, got {shown(value)}.")
    return float(value) if kind is float else value


def _type_name(kind: Any) -> str:
    """Return what a type is called in JSON."""
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(repr, get_args(kind)))
    names = {float: "a number", int: "a whole number", bool: "true or false", str: "a text"}
    return names.get(kind, "an object")


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

    def table(
        self, ours: ArrayLike, errors: ArrayLike = 0.0, names: Iterable[str] = ()
    ) -> tuple[Value, ...]:
        """Return every number of a table next to ours, of the same shape, named or by its place."""
        values = np.asarray(ours, dtype=np.float64)
        if values.shape != self.value.shape:
            raise AssertionError(f"{self.what}: {values.shape} beside {self.value.shape}")
        spread = np.broadcast_to(np.asarray(errors, dtype=np.float64), values.shape)
        places = (", ".join(str(i + 1) for i in at) for at in np.ndindex(values.shape))
        named = tuple(names) or (f"{self.what} ({at})" if at else self.what for at in places)
        cells = zip(named, values.flat, self.value.flat, spread.flat, strict=True)
        return tuple(self._value(*cell) for cell in cells)

    def _value(self, name: str, ours: float, printed: float, error: float, **more: Any) -> Value:
        """Return a published number next to ours, with what holds for all numbers here."""
        here = self.unit, self.drawn, self.relation
        return Value(name, float(ours), float(printed), float(error), *here, **more)


@cache
def printed(paper: str) -> dict[str, Printed]:
    read = json.loads((FOLDER / f"{paper}.json").read_text(encoding="utf-8"))
    return {
        key: Printed(
            **entry
            | {"value": np.asarray(entry["value"], np.float64), "marks": tuple(_marked(entry))}
        )
        for key, entry in read.items()
    }


def marks_of(experiment: str) -> tuple[Mark, ...]:
    """Return what the paper says in numbers that stand in an experiment's figure."""
    entries = (entry for paper in PAPERS for entry in printed(paper).values())
    return tuple(mark for entry in entries for key, mark in entry.marks if key == experiment)


def _marked(entry: dict[str, Any]) -> Iterator[tuple[str, Mark]]:
    """Yield the marks of an entry of a data file, with the key of their experiments.

    A mark is at x and y, numbers or "value"; without y it is a line at x, without x one at y,
    without both of its panel. Of a table each number is marked, or the one that "of" names.
    """
    numbers = np.ravel(entry["value"]).tolist()
    for mark in entry.get("marks", ()):
        panels = mark["panel"] if isinstance(mark["panel"], list) else [mark["panel"]]
        for number in [numbers[mark["of"]]] if "of" in mark else numbers:
            x, y = (
                float(number if mark.get(axis) == "value" else mark.get(axis, math.nan))
                for axis in ("x", "y")
            )
            for panel in panels:
                yield mark["in"], Mark(x, y, mark["text"], panel, entry["place"])
