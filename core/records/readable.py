"""A certificate in words: its figures by subject, as rows of a name and a text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.notions import catalogue as notions
from core.records.plan import COLUMNS, LEAVE_OUT, REFUSE
from core.records.promises import figure, numbers_of, reached
from core.release.sentences import question
from core.scenario import PURPOSES, Scenario
from core.studies.side_by_side import level_title
from core.wording import listed, number_of

DRAWS = {
    "seed": "by a secret seed, once",
    "key": "by a secret key and the id in {id!r}, the same in every release",
}
"""How outputs were drawn, by the kind of the draw."""


IN_NATS = ("information", "task")
"""Keys of the purposes whose utility is information."""

NO_GAP = 1e-4
"""Share of the bound up to which what is kept is told as the most: figures have four digits."""

METHODS = {
    "closed form": "a formula",
    "greedy": "a greedy search",
    "enumerate": "linear programs over all outputs that the promise allows",
    "columns": "linear programs that search for better outputs",
    "cutting planes": "linear programs under conditions that are added where one is broken",
}
"""How a mechanism was computed, by its solver; others are named as they are."""

OPTIMAL = {
    "optimal": "yes, proven: no mechanism under this promise keeps more",
    "heuristic": "not proven: it is a heuristic, and another mechanism may keep more",
    "repaired": "not proven: it is a heuristic that was changed until the promise held",
    "calibrated": "not proven: it is a family of mechanisms, set to the promise",
    "closed form": "not proven: another mechanism may keep more",
    "time limit": "not proven: time ended the search",
}
"""What is proven of a mechanism, by its status; others are named as they are."""


@dataclass(frozen=True)
class Section:
    """One subject of a certificate.

    Attributes
    ----------
    title : str
        The subject.
    rows : tuple of (str, str)
        Names and what is said of them.
    """

    title: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Level:
    """A notion's level in a certificate.

    Attributes
    ----------
    title : str
        Name of the level, with the numbers that it depends on.
    unit : str
        "nats", or "" for a plain number.
    design : float or None
        The level by the distribution that the mechanism was made for; None where not defined.
    records : float or None
        The level by the released records' own distribution, where that is another.
    """

    title: str
    unit: str
    design: float | None
    records: float | None


def sections(body: Mapping[str, Any]) -> tuple[Section, ...]:
    """Return what a certificate says of the question, the files, the proof and the code.

    Parameters
    ----------
    body : mapping
        The certificate, of the form that `core.records.fields` checks.
    """
    return (
        Section("What was released", tuple(_question(body))),
        Section("How it was drawn", tuple(_draw(body))),
        Section("Proof", tuple(_proof(body))),
        Section("Hashes", tuple(_hashes(body))),
    )


def level_rows(body: Mapping[str, Any]) -> tuple[Level, ...]:
    """Return the achieved level of every notion, in the catalogue's order.

    Parameters
    ----------
    body : mapping
        The certificate.
    """
    numbers = numbers_of(body)
    own = body["levels"]["records"] or {}
    return tuple(
        Level(
            level_title(key, numbers),
            "nats" if notions.entry(key).in_nats else "",
            _number(value),
            _number(own.get(key)),
        )
        for key, value in body["levels"]["design"].items()
    )


def _question(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    scenario = Scenario.from_json(json.dumps(body["scenario"]))
    asked, released = body["levels"]["asked"], body["released"]
    yield "Question", question(scenario)
    yield "Mechanism", body["mechanism"]["name"] + ", made for " + body["design"]["data"]
    if body["mechanism"]["reads_s"]:
        yield "Reads", "S and X of each record"
    if asked is not None:
        yield "Promise", f"{asked['notion']}; level reached {_reached(asked, asked['achieved'])}"
    yield (
        "Records",
        f"{number_of(released['records'], 'record')} of {body['original']['records']:,}",
    )
    yield "Column of Y", released["column"]
    yield "Columns written", listed(released["columns"])
    if "format" in released:
        yield "Format of the file", released["format"]
    yield "Original columns", COLUMNS.get(released["treatment"], released["treatment"])


def _draw(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    draw, unknown = body["draw"], body["unknown"]
    how = DRAWS.get(draw["kind"], draw["kind"])
    yield "Outputs", how.format(id=draw.get("id"))
    yield "Unknown or missing values", _unknown(unknown["treatment"], unknown["records"])
    if body["original"]["filtered"]:
        yield "Left out by the scenario", number_of(body["original"]["filtered"], "record")
    for k, one in body["levels"]["repeated"].items():
        level = _reached(body["levels"]["asked"], one["level"])
        yield f"Level of {k} independent releases", level


def _proof(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    proof = body["proof"]
    unit = " nats" if proof["purpose"] in IN_NATS else ""
    what = PURPOSES.get(proof["purpose"], proof["purpose"])
    yield "Kept", f"{figure(proof['utility'])}{unit} of {what}"
    yield "Proven: no mechanism keeps more than", figure(proof["upper_bound"]) + unit
    yield "I(X;Y)", f"{figure(proof['information'])} nats"
    yield "Computed by", METHODS.get(proof["solver"], proof["solver"])
    yield "Is it the best?", _best(proof, unit)
    for note in proof.get("notes", ()):
        yield "Note", note


def _best(proof: Mapping[str, Any], unit: str) -> str:
    """Return what is proven of a mechanism: a proof says no more than its bound."""
    gap, status = proof["upper_bound"] - proof["utility"], str(proof["status"])
    if status == "optimal" and gap > NO_GAP * max(1.0, abs(proof["upper_bound"])):
        return f"proven to within {figure(gap)}{unit}: another mechanism may keep that much more"
    return OPTIMAL.get(status, status)


def _hashes(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "Original file, SHA-256", body["original"]["sha256"]
    yield "Released file, SHA-256", body["released"]["sha256"]
    yield f"Commitment to the {body['draw']['kind']}", body["draw"]["commitment"]
    yield "Code", f"version {body['code']['version']}, SHA-256 {body['code']['sha256']}"
    yield "This certificate", body["fingerprint"]


def _unknown(treatment: str, records: int) -> str:
    """Say what happened to records with unknown or missing values, or would have."""
    if treatment == REFUSE:
        return "no record has one; with one, nothing would have been released"
    how = "left out" if treatment == LEAVE_OUT else f"taken for {treatment!r}"
    if not records:
        return f"no record has one; it would have been {how}"
    return f"{number_of(records, 'record')}, {how}"


def _reached(asked: Mapping[str, Any], value: float | str) -> str:
    return reached(value, asked["unit"])


def _number(value: float | str | None) -> float | None:
    return None if value is None else float(value)
