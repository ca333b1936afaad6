"""The order and the names of a mechanism's outputs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from core.entries import Entries, entries_of
from core.joint import Joint
from core.validation import FloatArray, IntArray
from core.wording import percent

NAMED = 5
"""Most inputs that a name lists, the likeliest first; of the others it gives the number."""

SOME = 64
"""Outputs whose posteriors are looked at together."""

PART = re.compile(r"(.+?) ([<>]?\d+(?:\.\d+)? ?%)(?:; |$)")
"""Matches an input and its share in a name, as in files or as pages show it."""


class _Members(NamedTuple):
    """The inputs of one output that count: the first ones, their shares, and what the rest has."""

    first: IntArray
    shares: FloatArray
    number: int
    rest: float


def in_reading_order(joint: Joint, kernel: FloatArray) -> tuple[FloatArray, tuple[str, ...]]:
    """Order the outputs of a kernel (n_x, n_y) by likeliest input, and name them after inputs."""
    return reading_order(joint.p_x, joint.x_labels, kernel)


def reading_order(
    p_x: FloatArray, x_labels: Sequence[str], kernel: FloatArray
) -> tuple[FloatArray, tuple[str, ...]]:
    """Do as `in_reading_order`, where some P(x) may be 0; shapes: p_x (n_x,), kernel (n_x, n_y)."""
    few = entries_of(kernel)
    if few is not None:
        return _few_in_reading_order(p_x, x_labels, few)
    n_y = kernel.shape[1]
    likeliest, most = np.zeros(n_y, dtype=np.intp), np.zeros(n_y)
    listed: list[_Members] = []
    for y in range(0, n_y, SOME):  # the posteriors of all outputs take three times the memory
        part = kernel[:, y : y + SOME]
        posterior = p_x[:, None] * part
        mass = posterior.sum(axis=0)
        # where P(y) = 0, the inputs that lead to y
        posterior = np.where(mass > 0, posterior, part)
        posterior = posterior / np.maximum(posterior.sum(axis=0), np.finfo(float).tiny)
        likeliest[y : y + SOME] = posterior.argmax(axis=0)
        most[y : y + SOME] = posterior.max(axis=0)
        listed += _members(posterior)
    order = np.lexsort((-most, likeliest))
    # as it lies in memory: 5,000 × 3,800 are turned in half a second
    ordered: FloatArray = kernel.T[order].T if kernel.flags.f_contiguous else kernel[:, order]
    return ordered, _names([listed[y] for y in order], x_labels)


def _few_in_reading_order(
    p_x: FloatArray, x_labels: Sequence[str], few: Entries
) -> tuple[FloatArray, tuple[str, ...]]:
    """Do as `reading_order` with the entries of a kernel."""
    n_x, n_y = few.shape
    x, y = few.places()
    sort = np.lexsort((x, y))
    x, y, values = x[sort], y[sort], few.values[sort]
    ends = [0, *np.cumsum(np.bincount(y, minlength=n_y)).tolist()]
    each = [slice(*span) for span in pairwise(ends)]
    parts = [x[own] if own.start < own.stop else np.zeros(1, np.intp) for own in each]
    weights = p_x[x] * values
    shares = [
        # where P(y) = 0, the inputs that lead to y, if any
        weights[own] if weights[own].any() else values[own] if own.start < own.stop else np.zeros(1)
        for own in each
    ]
    listed = [_part(part, mass) for part, mass in zip(parts, shares, strict=True)]
    likeliest = np.array([members.first[0] for members in listed], dtype=np.intp)
    # an output of no input is named after the first one, and is the last of those
    most = [of.shares[0] * mass.any() for of, mass in zip(listed, shares, strict=True)]
    order = np.lexsort((-np.array(most), likeliest))
    names = _names([listed[y] for y in order], x_labels)
    if few.by_columns and (order[1:] > order[:-1]).all():  # with 10,000 symbols it is 800 MB
        return few.dense(), names
    place = np.empty(n_y, dtype=np.intp)
    place[order] = np.arange(n_y)
    at = place[y] * n_x + x
    sort = np.argsort(at)
    ordered = Entries(few.shape, at[sort], values[sort], by_columns=True)
    return ordered.dense(), names


def _part(part: Sequence[int] | IntArray, mass: FloatArray) -> _Members:
    """Return the inputs of an output that count, given those that lead to it and their weights."""
    if len(mass) == 1:  # of 10,000 symbols erased now and then, all outputs but that
        return _Members(np.asarray(part), np.ones(1), 1, 0.0)
    total = mass.sum()
    members = _counting(mass / total if total > 0 else np.full(len(mass), 1 / len(mass)))
    return members._replace(first=np.asarray(part)[members.first])


def names_of_parts(
    parts: Sequence[Sequence[int]], masses: Sequence[FloatArray], x_labels: Sequence[str]
) -> tuple[str, ...]:
    """Name each output by its likeliest inputs, given the inputs of each and their weights."""
    return _names(list(map(_part, parts, masses)), x_labels)


def output_names(posterior: FloatArray, x_labels: Sequence[str]) -> tuple[str, ...]:
    """Name each output by its likeliest inputs with their shares; posterior (n_x, n_y)."""
    return _names(_members(posterior), x_labels)


def _names(listed: Sequence[_Members], x_labels: Sequence[str]) -> tuple[str, ...]:
    """Name outputs by what `_members` tells of them."""
    plain = [_name(members, x_labels, 0) for members in listed]
    names = list(plain)
    for decimals in range(1, 4):  # most decimals of a share in a name
        count = Counter(names)
        names = [
            _name(listed[y], x_labels, decimals) if count[name] > 1 else name
            for y, name in enumerate(names)
        ]
    count = Counter(names)  # names that decimals do not tell apart have none
    return numbered([plain[y] if count[name] > 1 else name for y, name in enumerate(names)])


def numbered(names: Sequence[str]) -> tuple[str, ...]:
    taken: set[str] = set()
    following: Counter[str] = Counter()  # the last number of each name, so no label is tried twice
    labels = []
    for name in names:
        label = name
        while label in taken:
            following[name] += 1
            label = f"{name} ({following[name] + 1})"
        taken.add(label)
        labels.append(label)
    return tuple(labels)


def leads(names: Sequence[str]) -> tuple[str, ...]:
    """Return the likeliest input of each output, numbered where several share it."""
    matches = (PART.match(name) if ";" in name else None for name in names)
    return numbered(
        [name if part is None else str(part[1]) for name, part in zip(names, matches, strict=True)]
    )


def _members(posterior: FloatArray) -> list[_Members]:
    """Return the inputs of each output that count, the likeliest first; posterior (n_x, n_y)."""
    mass = posterior.sum(axis=0)
    columns = np.ascontiguousarray((posterior / np.where(mass > 0, mass, 1.0)).T)
    return [_counting(shares) for shares in columns]


def _counting(shares: FloatArray) -> _Members:
    """Return the inputs of an output that count, given the shares of all, (n_x,)."""
    # least P(x | y) at which x is named: residues of a solver's tolerance are smaller
    members = np.flatnonzero(shares >= 1e-6)
    if len(members) <= 1:
        members = np.array([shares.argmax()])
    members = members[np.argsort(-shares[members], kind="stable")]
    rest = float(shares[members[NAMED:]].sum())
    return _Members(members[:NAMED], shares[members[:NAMED]], len(members), rest)


def _name(members: _Members, x_labels: Sequence[str], decimals: int) -> str:
    if members.number == 1:
        return x_labels[int(members.first[0])]
    parts = [
        f"{x_labels[x]} {percent(float(share), decimals)}"
        for x, share in zip(members.first, members.shares, strict=True)
    ]
    if members.number > NAMED:
        parts.append(f"{members.number - NAMED} more {percent(members.rest, decimals)}")
    return "; ".join(parts)
