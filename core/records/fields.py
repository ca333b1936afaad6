"""The form of a certificate: its entries, their types, and values as it has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from core.codec import plain_json
from core.data.treatment.symbols import Coding
from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import MAX_WRITTEN
from core.notions import catalogue as notions
from core.notions.numbers import Numbers
from core.records.design import COLUMNS, FORMATS, OWNERS, REFUSE
from core.release.attack import FOLDS, Attack
from core.release.beside import Beside
from core.release.in_turn import LEVELS
from core.release.persons import OfPersons, alike_and_independent
from core.validation import FloatArray, one_of, shown
from core.wording import listed

NUMBER = (int, float)
"""The types of a number in JSON."""

ANY = "*"
"""The name of all further entries in a form."""

FIGURES, SHARES = ("known", "added", "file"), ("determined", "unique")
"""The entries of what a column gives away, and all columns together."""

MOST_RECORDS = 100
"""Most records of a person whose outputs have levels in two cases, where they are not counted."""

EACH = 60
"""Most columns that each have figures in a certificate, besides those of all together."""

_FIGURES = ("lip", "ldp", "pml", "min_lift", "guess")

_NUMBERS = ("lam", "alpha", "beta", "n")

_LEVEL = (*NUMBER, str, type(None))

_OF_FIGURES: dict[str, Any] = dict.fromkeys(_FIGURES, (*NUMBER, str))

_OF_COLUMNS: dict[str, Any] = {
    **dict.fromkeys(FIGURES, _OF_FIGURES),
    **dict(zip(SHARES, (NUMBER, (*NUMBER, type(None))), strict=True)),
}

_OF_DRAWS: dict[str, Any] = dict.fromkeys(("level", "at_most"), (*NUMBER, str))

_ADDING: dict[str, Any] = dict.fromkeys(LEVELS, (*NUMBER, str))

_ATTACK = ("right", "blind")

KINDS = ("seed", "key")
"""What random numbers may be drawn by."""

FORM: dict[str, Any] = {
    "kind": str,
    "version": int,
    "code": {"version": str, "sha256": str},
    "scenario": {"data": dict, ANY: (bool, object)},
    "original": {"records": int, "filtered": int, "persons?": int},
    "released": {
        "sha256": str,
        "records": int,
        "column": str,
        "columns": [str],
        "treatment": str,
        "format": str,
    },
    "unknown": {"treatment": str, "records": int},
    "draw": {"kind": str, "commitment": str, "id": (str, type(None)), "mechanism": str},
    "design": {
        "data": str,
        "same": bool,
        "records": NUMBER,
        "s": [str],
        "marked": [str],
        "coding": [
            {
                "columns": [str],
                "edges": [(list, type(None))],
                "groups?": [(str, type(None))],
                "kept?": [(list, type(None))],
                "symbols": [{"label": str, "rare": bool, "levels": [(str, int, type(None))]}],
            }
        ],
        "left_out?": {"s": [str], "x": [str]},
    },
    "mechanism": {
        "name": str,
        "inputs": [str],
        "outputs": [str],
        "reads_s": bool,
        "kernel": [[NUMBER]],
        "places?": [[int]],
    },
    "levels": {
        "asked": ({"notion": str, "achieved": _LEVEL, "unit": str, "holds": bool}, type(None)),
        "numbers": {f"{name}?": _LEVEL for name in _NUMBERS},
        "units": {ANY: str},
        "design": {ANY: _LEVEL},
        "records": ({ANY: _LEVEL}, type(None)),
        "repeated": {ANY: {"level": _LEVEL, "at_most?": _LEVEL}},
        "persons?": (
            {
                "counted": {ANY: {"persons": int, "levels": (_OF_FIGURES, type(None))}},
                "cases": ({"alike": _OF_DRAWS, "independent": _OF_DRAWS}, type(None)),
            },
            type(None),
        ),
    },
    "beside": (
        {
            "columns": [str],
            "known": [str],
            "records": int,
            "holds": (bool, type(None)),
            "each": {ANY: _OF_COLUMNS},
            "together": _OF_COLUMNS,
            "attack?": ({**dict.fromkeys(_ATTACK, NUMBER), "records": int}, type(None)),
        },
        type(None),
    ),
    "proof": {
        "purpose": str,
        "utility": NUMBER,
        "information": NUMBER,
        "upper_bound": (*NUMBER, str),
        "gap": (*NUMBER, str),
        "status": str,
        "solver": str,
        "notes": [str],
    },
    "promises": [{"about": str, "status": str, "sentence": str}],
    "fingerprint": str,
}
"""The entries of a certificate with their types; those that end in ? may be missing.

Where names can be any, such as those of columns, `ANY` stands for each. A scenario and its parts
check their own entries.
"""


def but(entries: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return entries without some."""
    return {name: entry for name, entry in entries.items() if name not in names}


FORM_BEFORE: dict[str, Any] = {
    **but(FORM, "beside"),
    "beside?": FORM["beside"],
    "released": but(FORM["released"], "format") | {"format?": str},
    "draw": but(FORM["draw"], "mechanism") | {"mechanism?": str},
}
"""The same up to version `LINKED`: the first certificates lack some entries."""

_CODING: dict[str, Any] = {"coding": FORM["design"]["coding"][0], "marked": [str]}

FORM_OF_SEVERAL: dict[str, Any] = {
    **but(FORM, "mechanism", "proof"),
    "released": but(FORM["released"], "column"),
    "draw": but(FORM["draw"], "mechanism"),
    "design": but(FORM["design"], "marked", "left_out?"),
    "levels": FORM["levels"] | {"known": _ADDING, "exact": bool},
    "columns": [
        _CODING
        | {"column": str, "eps": (*NUMBER, str), "draw": str, "added": _ADDING}
        | {"mechanism": FORM["mechanism"], "proof": FORM["proof"]}
    ],
    "known": (_CODING | {"inputs": [str]}, type(None)),
}
"""The same of a certificate of several columns, each with a mechanism of its own.

Its coding is that of S. `columns`, in the order of release: the column of Y, the budget, how X is
formed and drawn, and the levels given what is known and the outputs before. `known`: how that is
formed. `levels.known`: those of what is known alone; `levels.design`: those of all outputs given
it, `exact` or the sums of the columns' own.
"""

FORM_OF_EACH: dict[str, Any] = {
    **but(FORM_OF_SEVERAL, "columns", "known"),
    "beside": ({**FORM["beside"][0], "certain": NUMBER}, type(None)),
    "released": FORM["released"],
    "draw": FORM["draw"],
    "design": but(FORM["design"], "left_out?") | {"x": [str]},
    "levels": FORM["levels"] | {"known": _ADDING},
    "known": _CODING | {"inputs": [str]},
    "groups": [
        {"values": [str], "records": int, "level": (*NUMBER, str)}
        | {"mechanism": FORM["mechanism"], "proof": FORM["proof"]}
    ],
}
"""The same of a certificate with a mechanism for each group of values of what others know.

`design.x`: all symbols of X; the inputs of a mechanism are those that its group has.
`groups.level`: that of the notion given each of the group's values. `levels.known`: those of what
is known alone; `levels.design`: those given it. `beside.certain`: share of records whose Y and
columns beside it occur with one secret alone.
"""

KIND, VERSION = "liftscope release certificate", 6
"""The entries "kind" and "version" of a certificate."""

SEVERAL = 7
"""The version of certificates of several columns that are randomized separately."""

FOR_EACH = 8
"""The version of certificates with a mechanism for each group of values of what others know."""

VERSIONS = (2, 3, 4, 5, VERSION, SEVERAL, FOR_EACH)
"""The versions that are checked."""

PLAIN_HASH = 2
"""The last version with the plain SHA-256 of the original, not a commitment to it."""

OF_ALL = 3
"""The last version with symbols and marks that only records left out may have."""

SHARED = 4
"""The last version with the same random numbers for each file, and levels of records left out."""

LINKED = 5
"""The last version with the same random numbers however X is formed from a record, the same
commitments to names left out in each certificate, nothing on the counts of other columns, and NaN
as the original has them, bit by bit."""


_COMMITMENT = re.compile("[0-9a-f]{64}")
"""What a commitment looks like."""


def plain_numbers(numbers: Numbers) -> dict[str, float | str | None]:
    return {name: plain_json(getattr(numbers, name)) for name in _NUMBERS}


def plain_beside(levels: Beside) -> dict[str, Any]:
    """Return what columns give away as values for JSON."""
    return {part: plain_json(getattr(levels, part)) for part in FIGURES} | {
        part: getattr(levels, part) for part in SHARES
    }


def beside_of(figures: Mapping[str, Any], records: int) -> Beside:
    """Return what columns give away by a certificate's values."""
    known, added, file = (
        {key: float(level) for key, level in figures[part].items()} for part in FIGURES
    )
    return Beside(known, added, file, figures["determined"], figures["unique"], records)


def plain_persons(
    persons: Mapping[int, OfPersons] | None, joint: Joint, kernel: FloatArray
) -> dict[str, Any] | None:
    """Return what all outputs of a person reveal as values for JSON, in two cases if not counted.

    `joint`, `kernel`: P(s, x) of one record, and its mechanism.
    """
    if persons is None:
        return None
    several = {m: of for m, of in persons.items() if m > 1}
    left = max((m for m, of in several.items() if of.levels is None), default=0)
    cases = None
    if 0 < left <= MOST_RECORDS:
        names = ("alike", "independent")
        levels = alike_and_independent(joint, kernel, left)
        cases = {
            name: plain_json({"level": case.level, "at_most": case.at_most})
            for name, case in zip(names, levels, strict=True)
        }
    counted = {str(m): plain_json({**asdict(of)}) for m, of in several.items()}
    return {"counted": counted, "cases": cases}


def plain_attack(attack: Attack) -> dict[str, Any]:
    """Return how often an attack is right as values for JSON."""
    return {part: getattr(attack, part) for part in _ATTACK} | {"records": attack.records}


def unit_of(key: str) -> str:
    """Return the unit of a notion's level: "nats", or "" for a plain number."""
    return "nats" if notions.entry(key).in_nats else ""


def level_units(keys: Iterable[str]) -> dict[str, str]:
    return {key: unit_of(key) for key in keys}


def plain_coding(coding: Coding) -> dict[str, Any]:
    """Return how records become symbols as values for JSON; hierarchies are the scenario's."""
    groups: dict[str, Any] = {}
    if coding.rare:
        groups["groups"] = [name or None for name in coding.rare]
    if coding.kept:
        groups["kept"] = [None if levels is None else list(levels) for levels in coding.kept]
    return groups | {
        "columns": list(coding.columns),
        "edges": [None if cut is None else list(cut.edges) for cut in coding.bins],
        "symbols": [
            {"label": label, "rare": rare, "levels": list(values)}
            for label, (rare, values) in zip(coding.labels, coding.keys, strict=True)
        ],
    }


def outputs_of(body: Mapping[str, Any]) -> list[str]:
    if "columns" in body:
        return [column["column"] for column in body["columns"]]
    return [body["released"]["column"]]


def of_each(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return for each column of Y what a certificate of it alone would have, but for levels.

    Mechanisms for groups are one there: its rows are the pairs of a group and its symbols of X.
    """
    if "groups" in body:
        return [{**but(body, "proof"), "mechanism": _of_all_groups(body)}]
    if "columns" not in body:
        return [dict(body)]
    return [
        _of_coded(body, column)
        | {name: column[name] for name in ("mechanism", "proof")}
        | {
            "scenario": _of_coded(body, column)["scenario"] | {"eps": column["eps"]},
            "draw": {**body["draw"], "mechanism": column["draw"]},
            "released": {**body["released"], "column": column["column"]},
        }
        for column in body["columns"]
    ]


def of_groups(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return for each group, or column of Y, what a certificate of its mechanism would have."""
    if "groups" not in body:
        return of_each(body)
    return [
        {**body, "mechanism": group["mechanism"], "proof": group["proof"]}
        for group in body["groups"]
    ]


def _of_all_groups(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mechanisms of all groups as one, whose inputs are all symbols of X."""
    each = [group["mechanism"] for group in body["groups"]]
    outputs = list(dict.fromkeys(name for own in each for name in own["outputs"]))
    size = sum(len(own["kernel"]) for own in each) * len(outputs)
    if size > MAX_WRITTEN:
        raise InvalidInputError(
            f"The certificate's mechanisms have {size:,} entries together; at most "
            f"{MAX_WRITTEN:,} are allowed."
        )
    place = {name: y for y, name in enumerate(outputs)}
    rows = []
    for own in each:
        every = [place[name] for name in own["outputs"]]
        few = own.get("places") or [range(len(every))] * len(own["kernel"])
        for line, at in zip(own["kernel"], few, strict=False):
            row = [0.0] * len(outputs)
            for y, chance in zip(at, line, strict=False):
                if 0 <= y < len(every):  # else the check of the kernel says so
                    row[every[y]] = chance
            rows.append(row)
    return {
        "name": each[0]["name"],
        "inputs": body["design"]["x"],
        "outputs": outputs,
        "reads_s": False,
        "kernel": rows,
    }


def of_known(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a certificate has of what others know, as if it were X."""
    known = body.get("known")
    if known is None:
        return None
    mechanism = {"inputs": known["inputs"], "reads_s": False, "outputs": [], "kernel": []}
    return _of_coded(body, known) | {"mechanism": mechanism}


def _of_coded(body: Mapping[str, Any], coded: Mapping[str, Any]) -> dict[str, Any]:
    """Return a certificate with X as one of its codings forms it."""
    data = {**body["scenario"]["data"], "released": coded["coding"]["columns"]}
    own = body["design"]["coding"]
    coding = [*(own[:1] if "groups" in body else own), coded["coding"]]
    return {
        **but(body, "columns", "groups", "known"),
        "scenario": {**body["scenario"], "data": data},
        "design": {**body["design"], "coding": coding, "marked": coded["marked"]},
    }


def check_form(body: Any) -> None:
    if not isinstance(body, Mapping) or body.get("kind") != KIND:
        raise InvalidInputError(
            f"This is not a release certificate: its entry 'kind' must be {KIND!r}."
        )
    if isinstance(body.get("version"), bool) or body.get("version") not in VERSIONS:
        raise InvalidInputError(
            f"The certificate's version must be {listed([*map(str, VERSIONS)], 'or')}, got "
            f"{shown(body.get('version'))}."
        )
    _check_numbers(body, "")
    plain = body["version"] <= PLAIN_HASH
    named = {"sha256": str} if plain else {"commitment": (str, type(None))}
    forms = {VERSION: FORM, SEVERAL: FORM_OF_SEVERAL, FOR_EACH: FORM_OF_EACH}
    form = forms.get(body["version"], FORM_BEFORE)
    _check(body, form | {"original": FORM["original"] | named}, "")
    if body["version"] == SEVERAL:
        _check_several(body)
    elif body["version"] == FOR_EACH:
        _check_for_each(body)
    _check_choices(body)
    for part in (*of_each(body), of_known(body)):
        if part is not None:
            _check_codings(part)


def _check_several(body: Mapping[str, Any]) -> None:
    """Raise unless a certificate of several columns is about those of its question."""
    named = [name for column in body["columns"] for name in column["coding"]["columns"]]
    if len(body["columns"]) < 2 or len(set(named)) < len(named):
        raise InvalidInputError(
            "A certificate of this version must have two columns or more, each once."
        )
    if body["scenario"]["data"].get("released") != named:
        raise InvalidInputError(
            f"The certificate's columns are {shown(', '.join(named))}, not those of its scenario."
        )
    _check_whole(body, "several columns")
    if any(column["mechanism"]["reads_s"] for column in body["columns"]):
        raise InvalidInputError(
            "A mechanism of one of several columns must read that column alone."
        )


def _check_whole(body: Mapping[str, Any], what: str) -> None:
    """Raise unless a certificate is about all records of the file of its design, one a person."""
    refuses = body["unknown"] == {"treatment": REFUSE, "records": 0}
    persons = body["original"].get("persons", 1) > 1 or "persons" in body["levels"]
    if not (refuses and body["design"]["same"]) or persons:
        raise InvalidInputError(
            f"A certificate of {what} must be about all records of the file that the "
            "mechanisms are made for, one a person."
        )


def _check_for_each(body: Mapping[str, Any]) -> None:
    """Raise unless the groups have each value of what is known once, and inputs that X has."""
    known, beside = body["known"], body["beside"]
    _check_whole(body, "mechanisms for groups")
    groups = body["groups"]
    values = [value for group in groups for value in group["values"]]
    each = [group["mechanism"] for group in groups]
    if (
        not values
        or sorted(values) != sorted(known["inputs"])
        or len(set(values)) < len(values)
        or not all(group["values"] for group in groups)
        or body["scenario"]["data"].get("known") != known["coding"]["columns"]
    ):
        raise InvalidInputError(
            "The certificate's groups must have each value of what others know, once."
        )
    x = body["design"]["x"]
    rows = {symbol: place for place, symbol in enumerate(x)}
    for own in each:
        places = [rows.get(name, -1) for name in own["inputs"]]
        if own["reads_s"] or -1 in places or places != sorted(set(places)) or len(rows) < len(x):
            raise InvalidInputError("The inputs of a group's mechanism must be symbols of X.")
    if body["released"]["treatment"] != OWNERS and not set(known["coding"]["columns"]) <= {
        *(beside or {}).get("columns", ()),
        *(beside or {}).get("known", ()),
    }:
        raise InvalidInputError(
            "The certificate must have figures for the columns that others know."
        )


def _check_codings(body: Mapping[str, Any]) -> None:
    """Raise unless the symbols of a certificate of one column are consistent."""
    for side, hashes in body["design"].get("left_out", {}).items():
        if hashes != sorted(set(hashes)) or not all(map(_COMMITMENT.fullmatch, hashes)):
            raise InvalidInputError(
                f"The certificate's entry 'design.left_out.{side}' must list commitments of "
                "64 hexadecimal digits each, sorted and each once."
            )
    if len(body["design"]["coding"]) != 2:
        raise InvalidInputError("The certificate must have two codings, one for S and one for X.")
    for coding in body["design"]["coding"]:
        width = len(coding["columns"])
        for edges in coding["edges"]:
            if edges is not None:
                _check(edges, [NUMBER], "design.coding.edges")
        groups = coding.get("groups", [None] * width)
        kept = coding.get("kept", [None] * width)
        for own in kept:
            _check(own or [], [(str, type(None))], "design.coding.kept")
        levels = [symbol["levels"] for symbol in coding["symbols"]]
        if {len(coding["edges"]), len(groups), len(kept)} != {width} or any(
            len(level) != width for level in levels
        ):
            raise InvalidInputError(
                f"The certificate's coding of {', '.join(coding['columns'])} is inconsistent."
            )


def kept_levels(coding: Mapping[str, Any], place: int) -> set[Any]:
    """Return the levels of a column outside its group of rare ones, by a certificate's coding."""
    symbols = coding["symbols"]
    if not any(symbol["rare"] for symbol in symbols):
        return {symbol["levels"][place] for symbol in symbols}
    kept = (coding.get("kept") or [None] * len(coding["columns"]))[place]
    if kept is None:
        raise InvalidInputError(
            f"The certificate does not list the levels of {coding['columns'][place]!r} that are "
            "outside its group of rare ones, so its symbols cannot be counted: release the file "
            "again."
        )
    return set(kept)


def _check_numbers(value: Any, place: str) -> None:
    """Raise where a whole number is too large to compute with."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            _check_numbers(part, f"{place}.{key}" if place else key)
    elif isinstance(value, list):
        for part in value:
            _check_numbers(part, place)
    elif isinstance(value, int) and abs(value) > 1e300:  # no floating-point number is larger
        raise InvalidInputError(
            f"The certificate's entry {shown(place)} holds a number of {len(str(abs(value)))} "
            "digits, which is too large."
        )


def _check_choices(body: Mapping[str, Any]) -> None:
    """Raise where an entry with few possible values has none of them."""
    draw = body["draw"]
    for name, value, known in (
        ("released.treatment", body["released"]["treatment"], COLUMNS),
        ("draw.kind", draw["kind"], KINDS),
    ):
        one_of(value, known, f"The certificate's entry {name!r}")
    written = body["released"].get("format")  # which the first certificates did not have
    if written is not None and written not in FORMATS.values():
        raise InvalidInputError(
            f"The certificate's entry 'released.format' is not a format of a release: "
            f"{shown(written)}."
        )
    attack = (body.get("beside") or {}).get("attack")
    if attack is not None and not (
        all(0 <= attack[part] <= 1 for part in _ATTACK) and attack["records"] >= FOLDS
    ):
        raise InvalidInputError(
            "The certificate's entry 'beside.attack' must have shares from 0 to 1, of at least "
            f"{FOLDS} records, got {shown(attack)}."
        )
    if (draw["kind"] == "key") != (draw["id"] is not None):
        raise InvalidInputError(
            "The certificate's entry 'draw.id' must name a column if the draw is by a key, and "
            f"be null if it is by a seed, got {shown(draw['id'])}."
        )


def _check(value: Any, form: Any, place: str) -> None:
    """Check a value, and all that it holds, against its form."""
    if isinstance(form, tuple) and isinstance(form[0], dict):
        if value is None:
            return
        form = form[0]
    if isinstance(form, dict):
        if not isinstance(value, Mapping):
            raise _wrong(place, value)
        _check_entries(value, form, f"{place}." if place else "")
    elif isinstance(form, list):
        if not isinstance(value, list):
            raise _wrong(place, value)
        for item in value:
            _check(item, form[0], place)
    else:
        kinds = form if isinstance(form, tuple) else (form,)
        if (isinstance(value, bool) and bool not in kinds) or not isinstance(value, kinds):
            raise _wrong(place, value)


def _check_entries(value: Mapping[str, Any], form: Mapping[str, Any], place: str) -> None:
    """Check the entries of an object: none may be missing, and none may be added."""
    for key in form:
        if not key.endswith("?") and key not in {*value, ANY}:
            raise InvalidInputError(f"The certificate lacks the entry {place + key!r}.")
    for key, part in value.items():
        kind = form.get(key, form.get(f"{key}?", form.get(ANY)))
        if kind is None:
            raise InvalidInputError(
                f"The certificate has the entry {shown(place + key)}, which no certificate has."
            )
        _check(part, kind, place + key)


def _wrong(place: str, value: Any) -> InvalidInputError:
    return InvalidInputError(
        f"The certificate's entry {place!r} has the wrong type: {shown(value)}."
    )
