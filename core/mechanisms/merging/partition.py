"""Mechanisms that merge the symbols of each set of a partition; the two trivial ones among them."""

from collections.abc import Sequence

import numpy as np

from core.entries import Entries
from core.joint import Joint
from core.mechanisms.outputs import names_of_parts, numbered
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions.base import Notion
from core.validation import FloatArray

Partition = tuple[tuple[int, ...], ...]
"""Disjoint sets of indices of X that cover it."""


def partition_mechanism(
    joint: Joint,
    sets: Sequence[Sequence[int]],
    *,
    name: str,
    solver: str,
    status: str,
    notion: Notion | None,
    notes: tuple[str, ...] = (),
) -> Mechanism:
    """Return the audited mechanism that merges the symbols of each set into one output."""
    ordered = tuple(sorted(tuple(sorted(members)) for members in sets))
    return make_mechanism(
        joint,
        merging_kernel(ordered, joint.n_x),
        name=name,
        solver=solver,
        status=status,
        notion=notion,
        y_labels=merged_labels(ordered, joint.x_labels, joint.p_x),
        notes=notes,
        partition=ordered,
    )


def merging_kernel(partition: Partition, n_x: int) -> FloatArray:
    """Return P(y | x), shape (n_x, n_sets): 1 where x is in the y-th set."""
    at = [y * n_x + np.sort(members) for y, members in enumerate(map(np.array, partition))]
    places = np.concatenate(at)
    return Entries((n_x, len(partition)), places, np.ones(len(places)), by_columns=True).dense()


def merged_labels(
    partition: Partition, x_labels: Sequence[str], p_x: FloatArray
) -> tuple[str, ...]:
    """Name each output after the symbols of its set; all names are distinct. Shapes: p_x (n_x,)."""
    spelt = [" + ".join(x_labels[i] for i in members) for members in partition]
    # labels of more than 40 characters do not fit an axis
    long = [y for y, label in enumerate(spelt) if len(partition[y]) > 1 and len(label) > 40]
    shares = [p_x[list(partition[y])] for y in long]
    named = names_of_parts([partition[y] for y in long], shares, x_labels)
    for y, name in zip(long, named, strict=True):
        spelt[y] = name
    return numbered(spelt)


def identity(joint: Joint) -> Mechanism:
    """Publish X as it is: the most utility, without a notion."""
    return make_mechanism(
        joint,
        np.eye(joint.n_x),
        name="Identity",
        status="optimal",
        notion=None,
        y_labels=joint.x_labels,
        partition=tuple((x,) for x in range(joint.n_x)),
    )


def constant(joint: Joint) -> Mechanism:
    """Publish the same output whatever X is: perfect privacy, no utility."""
    return partition_mechanism(
        joint,
        [range(joint.n_x)],
        name="Constant",
        solver="closed form",
        status="fixed",
        notion=None,
    )
