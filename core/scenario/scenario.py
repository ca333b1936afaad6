"""A scenario: the data, the notion and the mechanism that are asked about; and its answer."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property

import numpy as np

from core.data import Counted, Sources, count
from core.data.counts.report import CountedTask
from core.data.spec import DataSpec
from core.errors import InvalidInputError
from core.joint import Joint
from core.measures.leakage import Leakage, leakage
from core.mechanisms import Mechanism
from core.mechanisms import catalogue as mechanism_catalogue
from core.mechanisms.options import Options, Settings
from core.nonstochastic import UTILITIES
from core.notions import LIP, Intersection, Notion
from core.notions import catalogue as notion_catalogue
from core.notions.numbers import Numbers, declared
from core.scenario.domains import DOMAINS, check_numbers, plain_json
from core.scenario.json_text import read_json
from core.scenario.promise import Promise
from core.scenario.purpose import PurposeChoice, build_purpose, check_purpose
from core.validation import FloatArray, shown

VERSION = 1
"""Version of the JSON form."""


NOTHING = LIP(np.inf)
"""The notion of a mechanism that depends on none: every release satisfies it."""


@dataclass(frozen=True)
class Scenario(PurposeChoice, Settings, Numbers):
    """A question: what releasing X under a notion, by a mechanism, keeps and gives away.

    Attributes
    ----------
    data : DataSpec
        The data set, its columns and how they become symbols.
    notion : str
        Key of the notion, as in `core.notions.catalogue`.
    eps, lam, alpha, beta, n, eps_l, eps_u, bound, delta
        The notion's numbers, as in `Numbers`.
    mechanism : str
        Key of the mechanism, as in `core.mechanisms.catalogue`.
    time_limit, gap, seed, weight, utility
        The mechanism's settings, as in `Settings`; a scenario always has a time limit.
    also : tuple of Promise
        Further notions, which are to hold together with the first.
    purpose, loss, table
        What is to be kept of X, as in `PurposeChoice`.

    Raises
    ------
    InvalidInputError
        If a key is unknown or a number is outside its domain.

    Examples
    --------
    >>> scenario = Scenario(notion="lip", eps=1.0, mechanism="watchdog")
    >>> Scenario.from_json(scenario.to_json()) == scenario
    True
    """

    data: DataSpec = field(default_factory=DataSpec)
    notion: str = "alip"
    mechanism: str = "optimal"
    time_limit: float = field(default=5.0, kw_only=True)
    also: tuple[Promise, ...] = ()

    def __post_init__(self) -> None:
        notion_catalogue.entry(self.notion)
        mechanism_catalogue.entry(self.mechanism)
        if self.utility not in UTILITIES:
            known = " or ".join(map(repr, UTILITIES))
            raise InvalidInputError(f"utility must be {known}, got {shown(self.utility)}.")
        check_numbers(self, DOMAINS)
        if not isinstance(self.also, tuple) or not all(isinstance(p, Promise) for p in self.also):
            raise InvalidInputError(f"also must hold promises, got {shown(self.also)}.")
        object.__setattr__(self, "table", check_purpose(self.purpose, self.loss, self.table))

    def to_json(self) -> str:
        """Return the scenario as JSON, which `from_json` reads back to an equal one."""
        also = [promise.to_dict() for promise in self.also]
        values = asdict(self) | {"data": self.data.to_dict(), "also": also}
        values = {name: plain_json(value) for name, value in values.items()}
        first = ("data", "notion", *declared(), "mechanism")
        ordered = {"version": VERSION} | {name: values[name] for name in first} | values
        return json.dumps(ordered, indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Scenario:
        """Read a scenario from JSON; missing entries take their defaults.

        Raises
        ------
        InvalidInputError
            If the text is no JSON object, a name is unknown or a value is outside its domain.
        """
        values = read_json(text, "The scenario")
        if not isinstance(values, dict):
            raise InvalidInputError("The scenario must be a JSON object.")
        version = values.pop("version", VERSION)
        if isinstance(version, bool) or version != VERSION:
            raise InvalidInputError(
                f"The scenario's version must be {VERSION}, got {shown(version)}."
            )
        known = {item.name for item in fields(cls)}
        for name in values:
            if name not in known:
                raise InvalidInputError(f"The scenario has an unknown entry {shown(name)}.")
        if "data" in values:
            values["data"] = DataSpec.from_dict(values["data"])
        if "also" in values:
            if not isinstance(values["also"], list):
                raise InvalidInputError(f"also must be a list, got {shown(values['also'])}.")
            values["also"] = tuple(map(Promise.from_dict, values["also"]))
        return cls(**values)

    def content_hash(self) -> str:
        """Return a hash of all that affects the answer: equal for equal questions."""
        unused = self.without_effect()
        plain = Scenario()
        same = {name: getattr(plain, name) for name in unused}
        canonical = json.loads(replace(self, **same).to_json())
        return hashlib.sha256(json.dumps(canonical, sort_keys=True).encode()).hexdigest()

    def without_effect(self) -> dict[str, str]:
        """Return, for each field that has no effect on the answer, the reason by its name.

        Examples
        --------
        >>> sorted(Scenario(notion="rldp").without_effect())
        ['bound', 'delta', 'eps_l', 'eps_u', 'lam', 'loss', 'table', 'utility', 'weight']
        """
        notion = notion_catalogue.entry(self.notion)
        mechanism = mechanism_catalogue.entry(self.mechanism)
        reasons = {}
        for name in declared():
            if not mechanism.uses_notion:
                reasons[name] = f"{mechanism.title} does not depend on any budget."
            elif name not in notion.parameters:
                reasons[name] = f"{notion.title} does not depend on it."
            elif name in mechanism.ignored:
                reasons[name] = f"{mechanism.title} keeps its promise for every distribution."
        for name in ("weight", "utility"):
            if name not in mechanism.parameters:
                reasons[name] = f"{mechanism.title} merges no clusters."
        if self.purpose != "distortion":
            reasons["loss"] = reasons["table"] = "Losses count only where a small error is asked."
        elif self.loss != "table":
            reasons["table"] = "The losses are not those of a table."
        if not mechanism.uses_notion and self.also:
            reasons["also"] = f"{mechanism.title} does not depend on any promise."
        return reasons

    @property
    def of_task(self) -> bool:
        """Whether another column than X is to survive."""
        return self.purpose == "task" or (self.purpose == "guess" and bool(self.data.task))

    @property
    def numbers(self) -> Numbers:
        """The notion's numbers."""
        return Numbers(**{name: getattr(self, name) for name in declared()})

    def build_notion(self, joint: Joint) -> Notion:
        """Return the notion with this scenario's numbers, together with the further ones.

        Parameters
        ----------
        joint : Joint
            P(s, x); for RLDP the estimate P̂.

        Raises
        ------
        InvalidInputError
            If a number does not fit a notion, or a notion is not defined for this joint.
        """
        own = notion_catalogue.build(self.notion, joint, self.numbers)
        return Intersection(own, *(p.build(joint) for p in self.also)) if self.also else own

    def build_mechanism(
        self,
        joint: Joint,
        values: FloatArray | None = None,
        task: CountedTask | None = None,
    ) -> Mechanism:
        """Return the mechanism on a joint, audited.

        Parameters
        ----------
        joint : Joint
            P(s, x).
        values : ndarray, optional
            A number for each symbol of X, shape (n_x,), where X is numeric.
        task : CountedTask, optional
            The task T, where the data names one.

        Raises
        ------
        CoreError
            If the data lacks what the purpose needs, or the mechanism does not work under the
            notion or has no answer.
        """
        asks = mechanism_catalogue.entry(self.mechanism).uses_notion
        return mechanism_catalogue.build(
            self.mechanism,
            joint,
            self.build_notion(joint) if asks else NOTHING,
            Options(
                values=values, purpose=build_purpose(self, joint, values, task), **self.settings
            ),
        )


@dataclass(frozen=True, eq=False)
class Result:
    """The answer to a scenario.

    Attributes
    ----------
    scenario : Scenario
        The question.
    counted : Counted
        The joint, and what counting dropped or grouped.
    mechanism : Mechanism
        The mechanism, with its utility, bound and audit.
    before, after : Leakage
        What X itself and what the release give away about S.
    seconds : float
        Time it took to make the mechanism.
    """

    scenario: Scenario
    counted: Counted
    mechanism: Mechanism
    before: Leakage
    after: Leakage
    seconds: float

    @property
    def joint(self) -> Joint:
        """P(s, x)."""
        return self.counted.joint

    @cached_property
    def content_id(self) -> str:
        """A hash of the release: equal where data, kernel and outputs are equal.

        Whatever is derived from a release is cached under this hash, never under the scenario: a
        scenario may have a quick answer first and a better one later.
        """
        kernel = self.mechanism.kernel
        said = hashlib.sha256(repr((self.scenario.data, kernel.shape)).encode())
        said.update(repr(self.mechanism.y_labels).encode())
        said.update(np.ascontiguousarray(kernel).tobytes())
        return said.hexdigest()


def evaluate(scenario: Scenario, sources: Sources | None = None) -> Result:
    """Answer a scenario: count the data, make the mechanism, audit it, measure the release.

    Parameters
    ----------
    scenario : Scenario
        The question.
    sources : Sources, optional
        The session's uploads, where the scenario is about one.

    Raises
    ------
    CoreError
        If the data cannot be counted or the scenario has no answer.

    Examples
    --------
    >>> result = evaluate(Scenario(notion="lip", eps=0.4, mechanism="watchdog"))
    >>> result.mechanism.audit.holds
    True
    """
    return answer(scenario, count(scenario.data, sources))


def answer(scenario: Scenario, counted: Counted) -> Result:
    """Answer a scenario on data that is already counted; see `evaluate`."""
    started = time.perf_counter()
    mechanism = scenario.build_mechanism(counted.joint, counted.x_values, counted.task)
    return measured(scenario, counted, mechanism, time.perf_counter() - started)


def measured(
    scenario: Scenario, counted: Counted, mechanism: Mechanism, seconds: float = 0.0
) -> Result:
    """Return a mechanism as the answer to a scenario, with what it gives away about S."""
    after = counted.joint.release(mechanism.kernel)
    return Result(
        scenario=scenario,
        counted=counted,
        mechanism=mechanism,
        before=leakage(counted.joint.p, counted.joint.x_labels),
        after=leakage(after, mechanism.y_labels),
        seconds=seconds,
    )
