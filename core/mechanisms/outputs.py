"""The order and the names of a mechanism's outputs."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from core.joint import Joint
from core.validation import FloatArray, IntArray
from core.wording import percent_in_files

NAMED = 5
"""Most inputs that a name lists, the likeliest first; of the others it gives the number."""

PART = re.compile(r"(.+?) ([<>]?\d+(?:\.\d+)? ?%)(?:; |$)")
"""Matches an input and its share in a name, as in files or as pages show it."""


def in_reading_order(joint: Joint, kernel: FloatArray) -> tuple[FloatArray, tuple[str, ...]]:
    """Order the outputs of a kernel (n_x, n_y) by likeliest input, and name them after inputs."""
    return reading_order(joint.p_x, joint.x_labels, kernel)


def reading_order(
    p_x: FloatArray, x_labels: Sequence[str], kernel: FloatArray
) -> tuple[FloatArray, tuple[str, ...]]:
    """Do as `in_reading_order`, where some P(x) may be 0; shapes: p_x (n_x,), kernel (n_x, n_y)."""
    posterior = p_x[:, None] * kernel
    mass = posterior.sum(axis=0)
    posterior = np.where(mass > 0, posterior, kernel)  # where P(y) = 0, the inputs that lead to y
    posterior = posterior / np.maximum(posterior.sum(axis=0), np.finfo(float).tiny)
    likeliest = posterior.argmax(axis=0)
    order = np.lexsort((-posterior.max(axis=0), likeliest))
    ordered: FloatArray = kernel[:, order]
    return ordered, output_names(posterior[:, order], x_labels)


def output_names(posterior: FloatArray, x_labels: Sequence[str]) -> tuple[str, ...]:
    """Name each output by its likeliest inputs with their shares; posterior (n_x, n_y)."""
    mass = posterior.sum(axis=0)
    columns = np.ascontiguousarray((posterior / np.where(mass > 0, mass, 1.0)).T)
    members = [_members(column) for column in columns]
    plain = [_name(column, of, x_labels, 0) for column, of in zip(columns, members, strict=True)]
    names = list(plain)
    for decimals in range(1, 4):  # most decimals of a share in a name
        count = Counter(names)
        names = [
            _name(columns[y], members[y], x_labels, decimals) if count[name] > 1 else name
            for y, name in enumerate(names)
        ]
    count = Counter(names)  # names that decimals do not tell apart have none
    return numbered([plain[y] if count[name] > 1 else name for y, name in enumerate(names)])


def numbered(names: Sequence[str]) -> tuple[str, ...]:
    taken: set[str] = set()
    following: Counter[str] = Counter()  # the last number of each name, so that none is tried twice
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


def _members(shares: FloatArray) -> IntArray:
    """Return the inputs of one output that count, the likeliest first, given P(x | y), (n_x,)."""
    # least P(x | y) at which x is named: residues of a solver's tolerance are smaller
    members = np.flatnonzero(shares >= 1e-6)
    if len(members) <= 1:
        return np.array([shares.argmax()])
    result: IntArray = members[np.argsort(-shares[members], kind="stable")]
    return result


def _name(shares: FloatArray, members: IntArray, x_labels: Sequence[str], decimals: int) -> str:
    """Return the name of one output, given P(x | y), shape (n_x,), and its members."""
    if len(members) == 1:
        return x_labels[int(members[0])]
    named = members[:NAMED]
    parts = [f"{x_labels[x]} {percent_in_files(float(shares[x]), decimals)}" for x in named]
    if len(members) > NAMED:
        rest = float(shares[members[NAMED:]].sum())
        parts.append(f"{len(members) - NAMED} more {percent_in_files(rest, decimals)}")
    return "; ".join(parts)
