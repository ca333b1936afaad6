"""Several scenarios side by side: the level each reaches of every notion, and how they differ."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from numpy.typing import ArrayLike

from core.data import Sources, count
from core.errors import CoreError, InvalidInputError
from core.joint import Joint
from core.limits import ROUNDING
from core.notions import catalogue as notions
from core.notions.entry import NotionEntry
from core.notions.numbers import Numbers, declared
from core.scenario import Project, Result, Scenario, answer

SAME = 1e-9
"""Difference up to which two figures are the same: a thousand times the audit's slack."""

SLOW_CELLS = 2_500
"""Least entries of a kernel for which the level of a robust notion takes more than .1 s."""

NATS, PLAIN, SHARE = "nats", "", "share"
"""Units of figures."""

SYMBOLS = {"lam": "λ", "alpha": "α", "beta": "β", "n": "n", "delta": "δ"}
"""Symbols of the numbers that a level depends on."""


@dataclass(frozen=True, eq=False)
class Column:
    """One scenario of a comparison, with its answer.

    Attributes
    ----------
    name : str
        Name of the column.
    scenario : Scenario
        The question.
    result : Result or None
        Its answer.
    reason : str
        Why there is no answer; empty where there is one.
    levels : mapping
        The level it reaches of each notion, as `levels` returns them.
    """

    name: str
    scenario: Scenario
    result: Result | None = None
    reason: str = ""
    levels: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Difference:
    """One figure of all columns.

    Attributes
    ----------
    key, title : str
        Key and name of the figure.
    unit : str
        "nats", "share" or "" for a plain number.
    values : tuple of float
        One for each column; NaN where it has none.
    spread : float
        The largest less the smallest, ∞ where only the largest is infinite; NaN where fewer than
        two columns have the figure.
    relative : float
        The spread as a share of the largest, in [0, 1]: rows are sorted by it.
    """

    key: str
    title: str
    unit: str
    values: tuple[float, ...]
    spread: float
    relative: float


def reference(scenarios: Sequence[Scenario]) -> Numbers:
    """Return the λ, α, β and n at which the levels of all columns are computed.

    Each is that of the first scenario whose notion has it.

    Parameters
    ----------
    scenarios : sequence of Scenario
        The columns.

    Examples
    --------
    >>> reference([Scenario(notion="lip", lam=0.9), Scenario(notion="alip", lam=0.3)]).lam
    0.3
    """
    found = Numbers()
    for name in declared():
        if name in ("eps", "bound"):
            continue
        for scenario in scenarios:
            if name in notions.entry(scenario.notion).parameters:
                found = replace(found, **{name: getattr(scenario, name)})
                break
    return found


def levels(
    joint: Joint,
    kernel: ArrayLike,
    numbers: Numbers | None = None,
    *,
    slow: bool = True,
    keys: Collection[str] | None = None,
) -> dict[str, float]:
    """Return the least ε, or bound, at which each notion of the catalogue holds for a kernel.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : array_like
        P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).
    numbers : Numbers, optional
        λ, α, β and n of those notions that have them; the defaults where not given.
    slow : bool
        Whether to compute the slow ones (`is_slow`) too.
    keys : collection of str, optional
        Keys of the notions that are asked for; all where not given.

    Returns
    -------
    levels : dict
        By the notion's key, in nats or, where its entry says so, as a plain number. NaN
        where a notion is not defined for such a joint or kernel.

    Examples
    --------
    >>> found = levels(Joint.from_counts([[3, 1], [1, 3]]), [[1, 0], [0, 1]])
    >>> round(found["ldp"], 4), found["guess"], found["rldp"]
    (1.0986, 0.75, nan)
    """
    array = joint.checked_kernel(kernel)
    asked = replace(numbers or Numbers(), eps=1.0)
    found = {}
    for entry in entries():
        if (keys is not None and entry.key not in keys) or (
            not slow and is_slow(entry, array.size)
        ):
            continue
        try:
            found[entry.key] = float(entry.make(joint, asked).achieved(joint, array))
        except InvalidInputError:  # not defined for such joints, or mechanisms that read S
            found[entry.key] = math.nan
    return found


def entries() -> tuple[NotionEntry, ...]:
    """Return the notions whose levels are compared."""
    return tuple(entry for entry in notions.ENTRIES + notions.AVERAGES if not entry.sides)


def is_slow(entry: NotionEntry, cells: int) -> bool:
    """Say whether a notion's level takes more than .1 s for a kernel of `cells` entries."""
    return entry.kind.of_estimate and cells >= SLOW_CELLS


def level_title(key: str, numbers: Numbers) -> str:
    """Return the name of a notion's level, with the numbers that it depends on.

    Examples
    --------
    >>> level_title("alip", Numbers(lam=0.25)), level_title("average_mi", Numbers())
    ('ALIP, λ = 0.25', 'I(S;Y)')
    """
    entry = notions.entry(key)
    told = [
        f"{SYMBOLS.get(name, name)} = {_written(getattr(numbers, name))}"
        for name in entry.parameters
        if name not in ("eps", "bound") and getattr(numbers, name) is not None
    ]
    return ", ".join([entry.level_title or entry.title, *told])


def _written(value: float) -> str:
    if value == math.inf:
        return "∞"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def compare(project: Project, sources: Sources | None = None) -> tuple[Column, ...]:
    """Answer every column of a project; a column without an answer says why.

    Parameters
    ----------
    project : Project
        The columns.
    sources : Sources, optional
        The session's uploads, where a column is about one.

    Examples
    --------
    >>> watchdogs = [Scenario(notion=key, mechanism="watchdog") for key in ("lip", "rldp")]
    >>> lip, rldp = compare(Project(tuple(watchdogs)))
    >>> round(lip.levels["lip"], 4), rldp.result is None
    (0.716, True)
    """
    numbers = reference(project.scenarios)
    found = []
    for scenario, name, _ in project.columns():
        column = Column(name, scenario)
        try:
            result = answer(scenario, count(scenario.data, sources))
        except CoreError as error:
            found.append(replace(column, reason=str(error)))
            continue
        told = levels(result.joint, result.mechanism.kernel, numbers)
        found.append(replace(column, result=result, levels=told))
    return tuple(found)


def differences(columns: Sequence[Column], numbers: Numbers) -> tuple[Difference, ...]:
    """Return every figure of all columns, the one that differs most first.

    Parameters
    ----------
    columns : sequence of Column
        The columns.
    numbers : Numbers
        The λ, α, β and n of their levels.

    Examples
    --------
    >>> project = Project(tuple(Scenario(eps=eps, mechanism="watchdog") for eps in (0.2, 2.0)))
    >>> rows = differences(compare(project), reference(project.scenarios))
    >>> rows[0].relative >= rows[-1].relative
    True
    """
    rows = [
        _difference(key, title, unit, [_figure(key, column.result) for column in columns])
        for key, title, unit in FIGURES
        if key != "nmi" or any(column.scenario.purpose != "information" for column in columns)
    ]
    keys = dict.fromkeys(key for column in columns for key in column.levels)
    rows += [
        _difference(
            key,
            level_title(key, numbers),
            NATS if notions.entry(key).in_nats else PLAIN,
            [column.levels.get(key, math.nan) for column in columns],
        )
        for key in keys
    ]
    told = [row for row in rows if not all(map(math.isnan, row.values))]
    return tuple(sorted(told, key=lambda row: (math.isnan(row.relative), -row.relative)))


FIGURES = (
    ("kept", "Kept of what was asked for", SHARE),
    ("information", "I(X;Y)", NATS),
    ("nmi", "Kept of X, I(X;Y)/H(X)", SHARE),
    ("most", "Most that could be kept", SHARE),
    ("outputs", "Outputs", PLAIN),
)
"""Figures of an answer other than levels of notions: key, title and unit."""


def most(result: Result) -> float:
    """Return the proven upper bound on `kept` of any mechanism under the same notion.

    Examples
    --------
    >>> from core.scenario import Scenario, evaluate
    >>> round(most(evaluate(Scenario())), 4)
    0.9194
    """
    made = result.mechanism
    return made.purpose.share(result.joint, made.upper_bound)


def _figure(key: str, result: Result | None) -> float:
    if result is None:
        return math.nan
    made = result.mechanism
    if key == "most":
        return most(result)
    return float(made.n_y if key == "outputs" else getattr(made, key))


def _difference(key: str, title: str, unit: str, values: Sequence[float]) -> Difference:
    known = [value for value in values if not math.isnan(value)]
    spread = relative = math.nan
    if len(known) > 1:
        low, high = min(known), max(known)
        spread = 0.0 if high == low else high - low
        largest = max(abs(low), abs(high))
        apart = spread > max(SAME, ROUNDING * largest if math.isfinite(largest) else 0.0)
        relative = 0.0 if not apart else 1.0 if math.isinf(spread) else min(1.0, spread / largest)
    return Difference(key, title, unit, tuple(values), spread, relative)
