"""Symbols that a scenario leaves out: a certificate is committed to their names and has none.

Such a name shows a value of records that were not released. Only the secret of the draw tests one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.data.spec import DataSpec, LeftOut, Merge

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


def commitments(
    codings: Sequence[Mapping[str, Any]], data: DataSpec, committed: Committed
) -> dict[str, list[str]] | None:
    """Return a hash of each symbol left out, by `SIDES`; None where the secret is no secret."""
    found = {}
    for side, coding, gone in zip(SIDES, codings, _gone(data), strict=True):
        names = [one["label"] for one in coding["symbols"] if one["label"] in gone]
        hashes = [committed(_text(side, name)) for name in names]
        if committed("") is None or None in hashes:
            return None
        found[side] = sorted(map(str, hashes))
    return found


def without(codings: Sequence[Mapping[str, Any]], data: DataSpec) -> list[dict[str, Any]]:
    """Return a certificate's codings without the symbols left out."""
    return [_stripped(coding, gone) for coding, gone in zip(codings, _gone(data), strict=True)]


def named(
    labels: Sequence[Sequence[str]], data: DataSpec, said: Mapping[str, Any], committed: Committed
) -> DataSpec | None:
    """Return data with the names, among the labels of S and X, that a certificate is committed to.

    None where the labels are not those of the data that the certificate is about.
    """
    left = []
    for side, columns, names in zip(SIDES, (data.secret, data.released), labels, strict=True):
        gone = tuple(name for name in names if committed(_text(side, name)) in said[side])
        if len(gone) != len(said[side]):
            return None
        if gone and LeftOut(columns, gone) not in left:
            left.append(LeftOut(columns, gone))
    return replace(data, left_out=tuple(left))


def _gone(data: DataSpec) -> tuple[frozenset[str], frozenset[str]]:
    return data.without(data.secret), data.without(data.released)


def _text(side: str, name: str) -> str:
    """Return what is committed to: no hash of a file, which is committed to by the same secret."""
    return f"left out of {side}: {name}"


def _stripped(coding: Mapping[str, Any], gone: frozenset[str]) -> dict[str, Any]:
    """Return a coding without some symbols, and without levels that only they have."""
    stay = [one for one in coding["symbols"] if one["label"] not in gone]
    left = [one["levels"] for one in coding["symbols"] if one["label"] in gone and not one["rare"]]
    found = {**coding, "symbols": stay}
    if left and "kept" in coding:
        own = [{one["levels"][i] for one in stay if not one["rare"]} for i in range(len(left[0]))]
        lost = [{one[i] for one in left} - own[i] for i in range(len(left[0]))]
        found["kept"] = [
            None if levels is None else [one for one in levels if one not in lost[i]]
            for i, levels in enumerate(coding["kept"])
        ]
    return found
