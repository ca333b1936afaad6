"""The order and the names of a mechanism's outputs."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from core.joint import Joint
from core.validation import FloatArray
from core.wording import percent

VISIBLE = 1e-6
"""Least P(x | y) at which x is named: residues of a solver's tolerance are smaller."""

NAMED = 5
"""Most inputs that a name lists, the likeliest first; of the others it gives the number."""

FINEST = 3
"""Most decimals of a share in a name."""

PART = re.compile(r"(.+?) ([<>]?\d+(?:\.\d+)? %)(?:; |$)")
"""Matches an input and its share in a name."""


def in_reading_order(joint: Joint, kernel: FloatArray) -> tuple[FloatArray, tuple[str, ...]]:
    """Order outputs by their likeliest input, and name them after their inputs.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : ndarray
        P(y | x), shape (n_x, n_y).

    Returns
    -------
    kernel : ndarray
        The same with its columns in order, shape (n_x, n_y).
    y_labels : tuple of str
        Distinct names, as `output_names` gives them.

    Examples
    --------
    >>> joint = Joint.from_counts([[1, 1, 2]], x_labels=["a", "b", "c"])
    >>> in_reading_order(joint, np.array([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]))[1]
    ('a 67 %; b 33 %', 'c 80 %; b 20 %')
    """
    return reading_order(joint.p_x, joint.x_labels, kernel)


def reading_order(
    p_x: FloatArray, x_labels: Sequence[str], kernel: FloatArray
) -> tuple[FloatArray, tuple[str, ...]]:
    """Order and name outputs as `in_reading_order`, where some P(x) may be 0.

    Parameters
    ----------
    p_x : ndarray
        P(x), shape (n_x,).
    x_labels : sequence of str
        Names of the inputs.
    kernel : ndarray
        P(y | x), shape (n_x, n_y).

    Examples
    --------
    >>> reading_order(np.array([0.0, 1.0]), ["a", "b"], np.eye(2))[1]
    ('a', 'b')
    """
    posterior = p_x[:, None] * kernel
    mass = posterior.sum(axis=0)
    posterior = np.where(mass > 0, posterior, kernel)  # where P(y) = 0, the inputs that lead to y
    posterior = posterior / np.maximum(posterior.sum(axis=0), np.finfo(float).tiny)
    ranked = np.argsort(-posterior, axis=0, kind="stable")
    order = sorted(
        range(kernel.shape[1]), key=lambda y: (ranked[0, y], -posterior[ranked[0, y], y])
    )
    ordered: FloatArray = kernel[:, order]
    return ordered, output_names(posterior[:, order], x_labels)


def output_names(posterior: FloatArray, x_labels: Sequence[str]) -> tuple[str, ...]:
    """Name each output by its likeliest inputs with their shares.

    An output of a single input has that input's name.

    Parameters
    ----------
    posterior : ndarray
        P(x | y), or P(x, y), shape (n_x, n_y): each column is taken relative to its sum.
    x_labels : sequence of str
        Names of the inputs.

    Returns
    -------
    tuple of str
        Distinct names: where two would be equal they get decimals, and then numbers.

    Examples
    --------
    >>> output_names(np.array([[1.0, 0.5, 0.004], [0.0, 0.5, 0.996]]), ["a", "b"])
    ('a', 'a 50 %; b 50 %', 'b >99 %; a <1 %')
    """
    mass = posterior.sum(axis=0)
    posterior = posterior / np.where(mass > 0, mass, 1.0)
    plain = [_name(column, x_labels, 0) for column in posterior.T]
    names = list(plain)
    for decimals in range(1, FINEST + 1):
        count = Counter(names)
        names = [
            _name(posterior[:, y], x_labels, decimals) if count[name] > 1 else name
            for y, name in enumerate(names)
        ]
    count = Counter(names)  # names that decimals do not tell apart have none
    return numbered([plain[y] if count[name] > 1 else name for y, name in enumerate(names)])


def numbered(names: Sequence[str]) -> tuple[str, ...]:
    """Return names with a number after each that repeats an earlier one.

    Examples
    --------
    >>> numbered(["a", "b", "a", "a (2)"])
    ('a', 'b', 'a (2)', 'a (2) (2)')
    """
    taken: set[str] = set()
    following: Counter[str] = Counter()  # the last number of each name, so that none is tried twice
    found = []
    for name in names:
        label = name
        while label in taken:
            following[name] += 1
            label = f"{name} ({following[name] + 1})"
        taken.add(label)
        found.append(label)
    return tuple(found)


def leads(names: Sequence[str]) -> tuple[str, ...]:
    """Return the likeliest input of each output, numbered where several outputs share it.

    Shares change with every budget, these seldom do, so a link or a selection refers to them.

    Parameters
    ----------
    names : sequence of str
        Names of outputs as of `output_names`; any other name stays as it is.

    Examples
    --------
    >>> leads(["a 67 %; b 33 %", "a 60 %; c 40 %", "d"])
    ('a', 'a (2)', 'd')
    """
    found = (PART.match(name) if ";" in name else None for name in names)
    return numbered(
        [name if part is None else str(part[1]) for name, part in zip(names, found, strict=True)]
    )


def _name(shares: FloatArray, x_labels: Sequence[str], decimals: int) -> str:
    """Return the name of one output, given P(x | y), shape (n_x,)."""
    ranked = np.argsort(-shares, kind="stable")
    members = ranked[shares[ranked] >= VISIBLE]
    if len(members) <= 1:
        return x_labels[int(ranked[0])]
    named = members[:NAMED]
    parts = [f"{x_labels[x]} {percent(float(shares[x]), decimals)}" for x in named]
    if len(members) > NAMED:
        rest = float(shares[members[NAMED:]].sum())
        parts.append(f"{len(members) - NAMED} more {percent(rest, decimals)}")
    return "; ".join(parts)
