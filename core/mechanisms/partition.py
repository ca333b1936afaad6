"""A mechanism that publishes which set of a partition X is in."""

from collections.abc import Sequence

import numpy as np

from core.joint import Joint
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions.base import Notion
from core.validation import FloatArray

LONGEST = 40
"""Most letters of a merged label that is spelt out: longer ones do not fit an axis."""

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
    """Return the audited mechanism that merges the symbols of each set into one output.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    sets : sequence of sequence of int
        Sets of indices that cover X; outputs are ordered by their first symbol.
    name, solver, status, notion, notes
        As in `Mechanism`.
    """
    ordered = tuple(sorted(tuple(sorted(members)) for members in sets))
    return make_mechanism(
        joint,
        merging_kernel(ordered, joint.n_x),
        name=name,
        solver=solver,
        status=status,
        notion=notion,
        y_labels=merged_labels(ordered, joint.x_labels),
        notes=notes,
        partition=ordered,
    )


def merging_kernel(partition: Partition, n_x: int) -> FloatArray:
    """Return P(y | x), shape (n_x, n_sets): 1 where x is in the y-th set.

    Examples
    --------
    >>> merging_kernel(((0, 2), (1,)), 3)
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    """
    kernel = np.zeros((n_x, len(partition)))
    for y, members in enumerate(partition):
        kernel[list(members), y] = 1.0
    return kernel


def merged_labels(partition: Partition, x_labels: Sequence[str]) -> tuple[str, ...]:
    """Name each output after the symbols it stands for; all names are distinct.

    Examples
    --------
    >>> merged_labels(((0, 2), (1,)), ["Sales", "Tech", "Clerk"])
    ('Sales + Clerk', 'Tech')
    >>> merged_labels((tuple(range(26)),), [f"Occupation {i}" for i in range(26)])
    ('Occupation 0 + 25 more',)
    """
    taken: set[str] = set()
    found = []
    for members in partition:
        label = _spelt(members, x_labels)
        number = 2
        while label in taken:
            label = f"{_spelt(members, x_labels)} ({number})"
            number += 1
        taken.add(label)
        found.append(label)
    return tuple(found)


def _spelt(members: Sequence[int], x_labels: Sequence[str]) -> str:
    label = " + ".join(x_labels[i] for i in members)
    if len(members) == 1 or len(label) <= LONGEST:
        return label
    return f"{x_labels[members[0]]} + {len(members) - 1} more"
