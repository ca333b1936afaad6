"""A scenario: the data, the notion and the mechanism of a question; and its answer."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from core.codec import VERSION, json_object, listed, plain_json, read_json, without_version
from core.data import Counted, Sources, count
from core.data.counts.cells import JOINED
from core.data.counts.report import CountedTask
from core.data.spec import DataSpec
from core.errors import InvalidInputError
from core.joint import Joint
from core.measures.leakage import Leakage, leakage
from core.mechanisms import Mechanism
from core.mechanisms import catalogue as mechanism_catalogue
from core.mechanisms.options import Options, Settings
from core.nonstochastic import UTILITIES
from core.notions import LIP, Given, Intersection, Notion
from core.notions import catalogue as notion_catalogue
from core.notions.numbers import Numbers, declared
from core.scenario.purpose import (
    DOMAINS,
    Promise,
    PurposeChoice,
    build_purpose,
    check_numbers,
    check_purpose,
)
from core.validation import FloatArray, one_of, shown

NOTHING = LIP(np.inf)
"""The notion of a mechanism that depends on none: every release satisfies it."""


@dataclass(frozen=True)
class Scenario(PurposeChoice, Settings, Numbers):
    """A question: what releasing X under a notion, by a mechanism, keeps and gives away.

    - `data`: the data set, its columns and how they become symbols.
    - `notion`: key of the notion, as in `core.notions.catalogue`.
    - `eps`, `lam`, `alpha`, `beta`, `n`, `eps_l`, `eps_u`, `bound`, `delta`: the notion's numbers,
      as in `Numbers`.
    - `mechanism`: key of the mechanism, as in `core.mechanisms.catalogue`.
    - `time_limit`, `gap`, `seed`, `weight`, `utility`: the mechanism's settings, as in `Settings`;
      a scenario always has a time limit.
    - `also`: further notions, which are to hold together with the first.
    - `purpose`, `loss`, `table`: what to keep of X, as in `PurposeChoice`.
    """

    data: DataSpec = field(default_factory=DataSpec)
    notion: str = "alip"
    mechanism: str = "optimal"
    time_limit: float = field(default=5.0, kw_only=True)
    also: tuple[Promise, ...] = ()

    def __post_init__(self) -> None:
        notion_catalogue.entry(self.notion)
        mechanism_catalogue.entry(self.mechanism)
        one_of(self.utility, UTILITIES, "utility")
        check_numbers(self, DOMAINS)
        if not isinstance(self.also, tuple) or not all(isinstance(p, Promise) for p in self.also):
            raise InvalidInputError(f"also must hold notions, got {shown(self.also)}.")
        object.__setattr__(self, "table", check_purpose(self.purpose, self.loss, self.table))

    def to_json(self) -> str:
        """Return the scenario as JSON, which `from_json` reads back to an equal one."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the values of the JSON form, without ∞, which JSON does not have."""
        also = [promise.to_dict() for promise in self.also]
        values = asdict(self) | {"data": self.data.to_dict(), "also": also}
        values = {name: plain_json(value) for name, value in values.items()}
        first = ("data", "notion", *declared(), "mechanism")
        return {"version": VERSION} | {name: values[name] for name in first} | values

    @classmethod
    def from_json(cls, text: str) -> Scenario:
        """Read a scenario from JSON; missing entries take their defaults."""
        return cls.from_dict(read_json(text, "The scenario"))

    @classmethod
    def from_dict(cls, values: Any) -> Scenario:
        values = without_version(values, "The scenario")
        values = json_object(values, cls, "The scenario")
        if "data" in values:
            values["data"] = DataSpec.from_dict(values["data"])
        if "also" in values:
            values["also"] = tuple(map(Promise.from_dict, listed(values["also"], "also")))
        return cls(**values)

    def content_hash(self) -> str:
        """Return a hash of all that affects the answer: equal for equal questions."""
        unused = self.without_effect()
        plain = Scenario()
        same = {name: getattr(plain, name) for name in unused}
        canonical = json.dumps(replace(self, **same).to_dict(), sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()

    def without_effect(self) -> dict[str, str]:
        """Return, for each field that has no effect on the answer, the reason by its name."""
        notion = notion_catalogue.entry(self.notion)
        mechanism = mechanism_catalogue.entry(self.mechanism)
        reasons = {}
        for name in declared():
            if not mechanism.uses_notion:
                reasons[name] = f"{mechanism.title} uses no budget."
            elif name not in notion.parameters:
                reasons[name] = f"{notion.title} does not use it."
            elif name in mechanism.ignored:
                reasons[name] = f"{mechanism.title} is robust for every distribution."
        for name in ("weight", "utility"):
            if name not in mechanism.parameters:
                reasons[name] = f"{mechanism.title} merges no clusters."
        if self.purpose != "distortion":
            reasons["loss"] = reasons["table"] = (
                "Losses count only where a small error is what to keep."
            )
        elif self.loss != "table":
            reasons["table"] = "The losses are not those of a table."
        if not mechanism.uses_notion and self.also:
            reasons["also"] = f"{mechanism.title} uses no privacy notion."
        return reasons

    @property
    def of_task(self) -> bool:
        """Whether another column than X is to survive."""
        return self.purpose == "task" or (self.purpose == "guess" and bool(self.data.task))

    @property
    def kinds(self) -> tuple[type[Notion], ...]:
        """The classes of all notions that are asked for at once."""
        if self.data.known:
            return (Given,)
        keys = (self.notion, *(promise.notion for promise in self.also))
        return tuple(notion_catalogue.entry(key).kind for key in keys)

    @property
    def numbers(self) -> Numbers:
        return Numbers(**{name: getattr(self, name) for name in declared()})

    def build_notion(self, joint: Joint) -> Notion:
        """Return the notion with this scenario's numbers, together with the further ones.

        Where others know columns of the data, it is to hold given each of their values.

        Raises
        ------
        InvalidInputError
            If a number does not fit the joint, or the joint lacks the columns that others know.
        """
        own: Notion = notion_catalogue.build(self.notion, joint, self.numbers)
        if self.also:
            own = Intersection(own, *(p.build(joint) for p in self.also))
        if not self.data.known:
            return own
        if joint.known is None:
            raise InvalidInputError(
                f"This joint of S and X lacks {shown(JOINED.join(self.data.known))}, given which "
                "the promise is to hold."
            )
        return Given(own, joint.known)

    def build_mechanism(
        self,
        joint: Joint,
        values: FloatArray | None = None,
        task: CountedTask | None = None,
    ) -> Mechanism:
        """Return the mechanism on a joint, audited; `values` has shape (n_x,)."""
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

    `scenario`: the question. `counted`: the joint, and what counting dropped or grouped.
    `mechanism`: the mechanism, with its utility, bound and audit. `before`, `after`: what X itself
    and what the release give away about S. `seconds`: time it took to make the mechanism.
    """

    scenario: Scenario
    counted: Counted
    mechanism: Mechanism
    before: Leakage
    after: Leakage
    seconds: float

    @property
    def joint(self) -> Joint:
        return self.counted.joint

    @cached_property
    def lip(self) -> float:
        """The level of LIP in nats, to those who know what the data says that others know."""
        known = self.joint.known
        if known is None:
            return self.after.achieved["lip"]
        return Given(NOTHING, known).achieved(self.joint, self.mechanism.kernel)

    @cached_property
    def content_id(self) -> str:
        """A hash of the release: equal where data, kernel and outputs are equal.

        Whatever is derived from a release is cached under this hash, never under the scenario: a
        scenario may have a quick answer first and a better one later.
        """
        kernel = self.mechanism.kernel
        digest = hashlib.sha256(repr((self.scenario.data, kernel.shape)).encode())
        digest.update(repr(self.mechanism.y_labels).encode())
        digest.update(np.ascontiguousarray(kernel).data)
        return digest.hexdigest()


def evaluate(scenario: Scenario, sources: Sources | None = None) -> Result:
    """Answer a scenario: count the data, make the mechanism, audit it, measure the release."""
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
