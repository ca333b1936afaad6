"""Mechanisms that publish the set of a partition that holds x."""

from collections.abc import Sequence

import numpy as np

from core.joint import Joint
from core.mechanisms.outputs import numbered, output_names
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions.base import Notion
from core.validation import FloatArray

LONGEST = 40
"""Longest merged label, in characters, that lists all symbols: longer ones do not fit an axis."""

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
        Disjoint sets of indices that cover X; outputs are ordered by their first symbol.
    name, solver, status, notion, notes
        As in `Mechanism`.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
    >>> labels = {"name": "By hand", "solver": "none", "status": "heuristic"}
    >>> made = partition_mechanism(joint, [(0, 1), (2,)], notion=None, **labels)
    >>> made.y_labels, made.kernel.tolist()
    (('x1 + x2', 'x3'), [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    """
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


def merged_labels(
    partition: Partition, x_labels: Sequence[str], p_x: FloatArray
) -> tuple[str, ...]:
    """Name each output after the symbols of its set; all names are distinct.

    Parameters
    ----------
    partition : tuple of tuple of int
        The sets.
    x_labels : sequence of str
        Names of the symbols.
    p_x : ndarray
        P(x), shape (n_x,): a set whose label would be too long is named after its likeliest
        symbols and their shares, as in `output_names`.

    Examples
    --------
    >>> merged_labels(((0, 2), (1,)), ["Sales", "Tech", "Clerk"], np.ones(3) / 3)
    ('Sales + Clerk', 'Tech')
    >>> many = [f"Occupation {i}" for i in range(20)]
    >>> merged_labels((tuple(range(20)),), many, np.arange(20, 0, -1) / 210)[0].split("; ")[::5]
    ['Occupation 0 10 %', '15 more 57 %']
    """
    spelt = [" + ".join(x_labels[i] for i in members) for members in partition]
    long = [y for y, label in enumerate(spelt) if len(partition[y]) > 1 and len(label) > LONGEST]
    if long:
        shares = np.zeros((len(x_labels), len(long)))
        for column, y in enumerate(long):
            members = list(partition[y])
            mass = p_x[members]
            shares[members, column] = mass / mass.sum() if mass.sum() > 0 else 1 / len(members)
        for y, name in zip(long, output_names(shares, x_labels), strict=True):
            spelt[y] = name
    return numbered(spelt)
