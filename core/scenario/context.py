"""What a file is about that is exported: data, S, X, promise and its numbers, in a few words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.data.options import ENDINGS
from core.joint import JOINER
from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.notions.numbers import Numbers, declared
from core.scenario.data_url import JOINTS
from core.scenario.purpose import LOSSES, PURPOSES, Promise
from core.scenario.scenario import Scenario
from core.scenario.spans import in_nats

Context = Mapping[str, str]
"""What a file is about: "data", "S", "X", "notion", "mechanism", and what else the question has."""

METADATA = "liftscope"
"""Name of the entry of a Parquet file's metadata that holds it, as JSON."""

BESIDE = " | "
"""Stands between the questions of a comparison."""

_ENDS = re.compile(rf"(?:{'|'.join(map(re.escape, ENDINGS))})(?=$| \| )", re.IGNORECASE)
"""How names of files end that data is read from."""


def context(scenario: Scenario, data: str = "") -> dict[str, str]:
    """Return what a question is about, for the title or the metadata of a file."""
    spec = scenario.data
    facts = {"data": data or spec.undisclosed().source}
    if not spec.source.startswith(JOINTS):
        released = (*spec.secret, *spec.released) if spec.secret_released else spec.released
        facts |= {"S": JOINER.join(spec.secret), "X": JOINER.join(released)}
        if spec.known:
            facts["known"] = JOINER.join(spec.known)
        treated = _treated(scenario)
        if treated:
            facts["records"] = treated
    entry = mechanisms.entry(scenario.mechanism)
    if entry.uses_notion:
        promises: tuple[Scenario | Promise, ...] = (scenario, *scenario.also)
        facts["notion"] = " and ".join(
            _promise(promise.notion, promise.numbers) for promise in promises
        )
    else:
        facts["notion"] = "none"
    facts["mechanism"] = entry.title
    if scenario.purpose != "information":
        purpose = PURPOSES[scenario.purpose].title
        if scenario.of_task:
            purpose = f"{purpose}: {JOINER.join(spec.task)}"
        elif scenario.purpose == "distortion":
            purpose = f"{purpose}: {LOSSES[scenario.loss]}"
        facts["kept"] = purpose
    return facts


def together(contexts: Sequence[Context]) -> dict[str, str]:
    """Return what several questions are about: what all share once, all else side by side."""
    names = dict.fromkeys(name for facts in contexts for name in facts)
    joined = {}
    for name in names:
        values = [facts.get(name, "–") for facts in contexts]
        joined[name] = values[0] if len(set(values)) == 1 else BESIDE.join(values)
    return joined


def parts(facts: Context) -> list[str]:
    """Return what a file is about as parts of one line, those that need it named."""
    own = ("data", "mechanism", *(("notion",) if facts.get("notion") != "none" else ()))
    return [value if name in own else f"{name}: {value}" for name, value in facts.items()]


def file_part(facts: Context) -> str:
    """Return what a file is about as a part of its name, which every system can write."""
    bare = {
        name: _ENDS.sub("", value) if name == "data" else value for name, value in facts.items()
    }
    plain = re.sub(r"\s*=\s*", "=", " ".join(parts(bare)).replace(": ", "="))
    plain = re.sub(r"[^\w.=+−×-]+", "_", plain).strip("_.")
    return plain if len(plain) <= 120 else f"{plain[:119].rstrip('_.')}…"


def _promise(key: str, numbers: Numbers) -> str:
    """Return a notion's name and those of its numbers that are set."""
    entry, domains = notions.entry(key), declared()
    texts = []
    for name in entry.parameters:
        value, domain = getattr(numbers, name), domains[name]
        if value is None:
            continue
        average = entry.family == "average" and bool(domain.of_average)
        title = domain.of_average if average else domain.title
        unit = " nats" if name.startswith("eps") and in_nats(key) else ""
        texts.append(f"{title.partition(' · ')[0] or name} = {_number(value)}{unit}")
    return ", ".join([entry.title, *texts])


def _number(value: float) -> str:
    return "∞" if value == float("inf") else f"{value:.12g}"


def _treated(scenario: Scenario) -> str:
    """Return what becomes of records before they are counted, as far as it is no default."""
    spec = scenario.data
    steps = spec.read.phrases()
    for condition in spec.filters:
        if condition.is_range:
            low = "" if condition.low is None else f"{condition.low:g} ≤ "
            high = "" if condition.high is None else f" ≤ {condition.high:g}"
            steps.append(f"{low}{condition.column}{high}")
        else:
            steps.append(f"{condition.column} in {', '.join(condition.levels)}")
    steps += [
        f"{cut.column} in {len(cut.edges) - 1 if cut.edges else cut.count} bins ({cut.kind})"
        for cut in spec.binnings
    ]
    steps += [
        f"{hierarchy.column} at level {hierarchy.level} of {hierarchy.height} of its hierarchy"
        for hierarchy in spec.hierarchies
        if hierarchy.level
    ]
    if spec.missing == "drop":
        steps.append("missing values left out")
    steps += [
        f"levels of {group.column} below {group.below:,} records grouped"
        for group in spec.rare_levels
    ]
    for name, least in (("X", spec.rare_below), ("S", spec.rare_below_s)):
        if least:
            steps.append(f"levels of {name} below {least:,} records grouped")
    for merge in spec.merges:
        if merge.columns in (spec.secret, spec.released):
            steps.append(f"{', '.join(merge.names)} merged")
    for gone in spec.left_out:
        if gone.columns in (spec.secret, spec.released):
            steps.append(f"{', '.join(gone.names)} left out")
    return ", ".join(steps)
