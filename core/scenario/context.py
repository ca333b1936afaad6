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
"""What a file is about: "data", "S", "X", "notion", "mechanism", and what else is asked."""

METADATA = "liftscope"
"""Name of the entry of a Parquet file's metadata that holds it, as JSON."""

BESIDE = " | "
"""Stands between the questions of a comparison."""

_ENDS = re.compile(rf"(?:{'|'.join(map(re.escape, ENDINGS))})(?=$| \| )", re.IGNORECASE)
"""How names of files end that data is read from."""


def context(scenario: Scenario, data: str = "") -> dict[str, str]:
    """Return what a question is about, for the title or the metadata of a file."""
    spec = scenario.data
    told = {"data": data or spec.undisclosed().source}
    if not spec.source.startswith(JOINTS):
        released = (*spec.secret, *spec.released) if spec.secret_released else spec.released
        told |= {"S": JOINER.join(spec.secret), "X": JOINER.join(released)}
        treated = _treated(scenario)
        if treated:
            told["records"] = treated
    entry = mechanisms.entry(scenario.mechanism)
    if entry.uses_notion:
        asked: tuple[Scenario | Promise, ...] = (scenario, *scenario.also)
        told["notion"] = " and ".join(_promise(one.notion, one.numbers) for one in asked)
    else:
        told["notion"] = "none"
    told["mechanism"] = entry.title
    if scenario.purpose != "information":
        kept = PURPOSES[scenario.purpose]
        if scenario.of_task:
            kept = f"{kept}: {JOINER.join(spec.task)}"
        elif scenario.purpose == "distortion":
            kept = f"{kept}: {LOSSES[scenario.loss]}"
        told["kept"] = kept
    return told


def together(contexts: Sequence[Context]) -> dict[str, str]:
    """Return what several questions are about: what all share once, all else side by side."""
    names = dict.fromkeys(name for one in contexts for name in one)
    found = {}
    for name in names:
        values = [one.get(name, "–") for one in contexts]
        found[name] = values[0] if len(set(values)) == 1 else BESIDE.join(values)
    return found


def parts(told: Context) -> list[str]:
    """Return what a file is about as parts of one line, those that need it named."""
    own = ("data", "mechanism", *(("notion",) if told.get("notion") != "none" else ()))
    return [value if name in own else f"{name}: {value}" for name, value in told.items()]


def file_part(told: Context) -> str:
    """Return what a file is about as a part of its name, which every system can write."""
    bare = {name: _ENDS.sub("", one) if name == "data" else one for name, one in told.items()}
    plain = re.sub(r"\s*=\s*", "=", " ".join(parts(bare)).replace(": ", "="))
    plain = re.sub(r"[^\w.=+−×-]+", "_", plain).strip("_.")
    return plain if len(plain) <= 120 else f"{plain[:119].rstrip('_.')}…"


def _promise(key: str, numbers: Numbers) -> str:
    """Return a notion's name and those of its numbers that are set."""
    entry, domains = notions.entry(key), declared()
    told = []
    for name in entry.parameters:
        value, domain = getattr(numbers, name), domains[name]
        if value is None:
            continue
        average = entry.family == "average" and bool(domain.of_average)
        title = domain.of_average if average else domain.title
        unit = " nats" if name.startswith("eps") and in_nats(key) else ""
        told.append(f"{title.partition(' · ')[0] or name} = {_number(value)}{unit}")
    return ", ".join([entry.title, *told])


def _number(value: float) -> str:
    return "∞" if value == float("inf") else f"{value:.12g}"


def _treated(scenario: Scenario) -> str:
    """Return what becomes of records before they are counted, as far as it is no default."""
    spec = scenario.data
    said = spec.read.said()
    for one in spec.filters:
        if one.is_range:
            low = "" if one.low is None else f"{one.low:g} ≤ "
            high = "" if one.high is None else f" ≤ {one.high:g}"
            said.append(f"{low}{one.column}{high}")
        else:
            said.append(f"{one.column} in {', '.join(one.levels)}")
    said += [
        f"{one.column} in {len(one.edges) - 1 if one.edges else one.count} bins ({one.kind})"
        for one in spec.binnings
    ]
    said += [
        f"{one.column} at level {one.level} of {one.height} of its hierarchy"
        for one in spec.hierarchies
        if one.level
    ]
    if spec.missing == "drop":
        said.append("missing values left out")
    said += [
        f"levels of {one.column} below {one.below:,} records grouped" for one in spec.rare_levels
    ]
    for name, least in (("X", spec.rare_below), ("S", spec.rare_below_s)):
        if least:
            said.append(f"levels of {name} below {least:,} records grouped")
    for merge in spec.merges:
        if merge.columns in (spec.secret, spec.released):
            said.append(f"{', '.join(merge.names)} merged")
    for gone in spec.left_out:
        if gone.columns in (spec.secret, spec.released):
            said.append(f"{', '.join(gone.names)} left out")
    return ", ".join(said)
