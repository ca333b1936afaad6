"""Symbols that a scenario leaves out: a certificate commits to their names and shows none.

Such a name shows a value of records that were not released. Only the secret of the draw
can test a guess of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.data.counts.report import Counted
from core.data.spec import DataSpec, LeftOut, Merge
from core.data.tables import BLANKS
from core.data.treatment.symbols import Kept
from core.joint import JOINER, Joint
from core.records.fields import LINKED, OF_ALL, SHARED, VERSION, plain_coding

Committed = Callable[[str], str | None]
"""Returns a hash of a text that only the secret of a draw can test; None where there is none."""

SIDES = ("s", "x")
"""Entries of the symbols of S and of X that were left out."""


def nameless(data: DataSpec) -> DataSpec:
    """Return data without the names that are left out, which merges may have too."""
    merges = []
    for merge in data.merges:
        names = tuple(name for name in merge.names if name not in data.without(merge.columns))
        if len(names) > 1:  # else nothing becomes one
            merges.append(Merge(merge.columns, names))
    return replace(data, left_out=(), merges=tuple(merges))


def for_others(data: DataSpec) -> DataSpec:
    """Return data as others may see it: of a user's file neither its hash nor names left out."""
    return nameless(data.undisclosed()) if data.hashed else data


def commitments(data: DataSpec, committed: Committed, release: str) -> dict[str, list[str]] | None:
    """Return a hash of each symbol left out, by `SIDES`; None where the secret can be guessed.

    Symbols that no record has are included, because the number of hashes would show how many occur.
    The hashes are for one `release`, as `release_text` writes it: those of another release do not
    show which names both leave out.
    """
    result = {}
    for side, gone in zip(SIDES, _gone(data), strict=True):
        hashes = [committed(_text(side, name, release)) for name in gone]
        if committed("") is None or None in hashes:
            return None
        result[side] = sorted(map(str, hashes))
    return result


def shown_codings(counted: Counted, data: DataSpec, committed: Committed) -> list[dict[str, Any]]:
    """Return a count's codings as a certificate has them, by the secret of its draw."""
    codings = [plain_coding(coding) for coding in counted.codings]
    hides = bool(data.left_out) and committed("") is not None
    return without(codings, data, counted) if hides else codings


def release_text(commitment: str | None, released: str, *, version: int = VERSION) -> str:
    """Return a text that only this release has, for its commitments to names left out.

    `commitment`: to the original. `released`: the SHA-256 of the released file.
    """
    return "" if version <= LINKED else f" ({commitment} {released})"


def without(
    codings: Sequence[Mapping[str, Any]],
    data: DataSpec,
    counted: Counted | None = None,
    *,
    version: int = VERSION,
) -> list[dict[str, Any]]:
    """Return a certificate's codings without the symbols left out, as of a version.

    A symbol of S that only records with a left-out X have reveals something about those records, as
    does a level of a rare symbol: with `counted`, these are left out too.
    """
    gone = _gone(data)
    kept: list[Kept] = [()] * len(codings)
    if counted is not None and version > OF_ALL:
        lost = _absent(codings, data, counted.joint)
        gone = tuple(own | others for own, others in zip(gone, lost, strict=True))
    if counted is not None and version > SHARED:
        kept = [count.left_in for count in counted.codings]
    return [
        _stripped(coding, names, left_in)
        for coding, names, left_in in zip(codings, gone, kept, strict=True)
    ]


def marked_columns(
    counted: Counted, codings: Iterable[Mapping[str, Any]], data: DataSpec, *, same: bool
) -> list[str]:
    """Return the columns with marks of missing numbers that a certificate names."""
    marks = {marks_read.column for marks_read in counted.report.marks}
    if not same:
        return sorted(marks)
    missing = dict(counted.report.missing)
    used = {
        chosen.column
        for chosen in data.filters
        if chosen.column not in missing or any(level.lower() in BLANKS for level in chosen.levels)
    }
    for coding in codings:
        for place, name in enumerate(coding["columns"]):
            has = (
                symbol["rare"] or symbol["levels"][place] is None for symbol in coding["symbols"]
            )
            if missing.get(name) and (data.missing == "drop" or any(has)):
                used.add(name)
    return sorted(marks & used)


def named(
    labels: Sequence[Sequence[str]],
    data: DataSpec,
    stated: Mapping[str, Any],
    committed: Committed,
    release: str,
    *,
    version: int = VERSION,
) -> DataSpec | None:
    """Return data with the names, among the labels of S and X, that a certificate commits to.

    None where the labels are not those of the data that the certificate is about, as far as its
    version shows: those up to `SHARED` commit only to names that occur.
    """
    left = []
    for side, columns, names in zip(SIDES, (data.secret, data.released), labels, strict=True):
        gone = tuple(
            name for name in names if committed(_text(side, name, release)) in stated[side]
        )
        if len(gone) != len(stated[side]) and version <= SHARED:
            return None
        if gone and LeftOut(columns, gone) not in left:
            left.append(LeftOut(columns, gone))
    return replace(data, left_out=tuple(left))


def _absent(
    codings: Sequence[Mapping[str, Any]], data: DataSpec, joint: Joint
) -> tuple[frozenset[str], ...]:
    """Return the symbols of S and of X that no record of a joint has."""
    s, x = (frozenset(symbol["label"] for symbol in coding["symbols"]) for coding in codings)
    known = frozenset(joint.x_labels)
    if data.secret_released:
        known = frozenset(u for u in x for a in joint.s_labels if f"{a}{JOINER}{u}" in known)
    return s.difference(joint.s_labels), x - known


def _gone(data: DataSpec) -> tuple[frozenset[str], ...]:
    return data.without(data.secret), data.without(data.released)


def _text(side: str, name: str, release: str) -> str:
    """Return the text that is committed to: no file's hash, to which the same secret commits."""
    return f"left out of {side}{release}: {name}"


def _stripped(
    coding: Mapping[str, Any], gone: frozenset[str], left_in: Kept = ()
) -> dict[str, Any]:
    """Return a coding without some symbols, and without levels that only they have."""
    stay = [symbol for symbol in coding["symbols"] if symbol["label"] not in gone]
    if left_in:
        kept = [None if levels is None else list(levels) for levels in left_in]
        return {**coding, "symbols": stay, "kept": kept}
    left = [
        symbol["levels"]
        for symbol in coding["symbols"]
        if symbol["label"] in gone and not symbol["rare"]
    ]
    stripped = {**coding, "symbols": stay}
    if left and "kept" in coding:
        own = [
            {symbol["levels"][i] for symbol in stay if not symbol["rare"]}
            for i in range(len(left[0]))
        ]
        lost = [{values[i] for values in left} - own[i] for i in range(len(left[0]))]
        stripped["kept"] = [
            None if levels is None else [level for level in levels if level not in lost[i]]
            for i, levels in enumerate(coding["kept"])
        ]
    return stripped
