"""Data that is a joint distribution: drawn at random, pasted or printed in a paper."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from core import validation
from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import MAX_CELLS, MAX_LEVELS
from core.validation import FloatArray, shown

LAWS = ("uniform", "dirichlet0.5", "dirichlet1")
"""Distributions of random joints that the interface offers; dirichlet takes any number above 0."""

_DRAWN = re.compile(
    r"(uniform|dirichlet(?P<alpha>[0-9.]{1,20}))"
    r":(?P<s>[0-9]{1,9})x(?P<x>[0-9]{1,9}):(?P<seed>[0-9]{1,20})"
)


@dataclass(frozen=True, eq=False)
class JointSource:
    """Weights of the pairs (s, x), before rows and columns of zeros are dropped.

    Attributes
    ----------
    title : str
        Its name, for sentences to the user.
    weights : ndarray
        Counts or probabilities, shape (n_s, n_x).
    s_labels, x_labels : tuple of str
        Names of the symbols.
    records : int or None
        Number of records, where the weights are counts.
    x_shape : tuple of int
        Sizes of X's attributes, where X is a product of several.
    """

    title: str
    weights: FloatArray
    s_labels: tuple[str, ...]
    x_labels: tuple[str, ...]
    records: int | None = None
    x_shape: tuple[int, ...] = ()


def drawn(text: str) -> JointSource:
    """Draw the random joint of a source "random:LAW:N_SxN_X:SEED", given without "random:".

    Raises
    ------
    InvalidInputError
        If the text does not have this form, or the joint would be too large.

    Examples
    --------
    >>> drawn("uniform:5x17:1").weights.shape
    (5, 17)
    """
    found = _DRAWN.fullmatch(text)
    if not found:
        raise InvalidInputError(
            "A random joint is written LAW:N_SxN_X:SEED, such as uniform:5x17:1, got "
            f"{shown(text)}."
        )
    n_s = _size(found["s"], "S")
    n_x = _size(found["x"], "X")
    if n_s * n_x > MAX_CELLS:
        raise InvalidInputError(
            f"A random joint may have at most {MAX_CELLS:,} cells, got {n_s}×{n_x} = {n_s * n_x:,}."
        )
    seed = validation.whole(int(found["seed"]), "The seed", low=0, high=2**63 - 1)
    rng = np.random.default_rng(seed)
    if found["alpha"] is None:
        joint = Joint.random_uniform(n_s, n_x, rng)
    else:
        joint = Joint.random_dirichlet(n_s, n_x, validation.number(found["alpha"], "alpha"), rng)
    title = f"Random joint, {text.split(':')[0]}, {n_s}×{n_x}, seed {seed}"
    return JointSource(title, joint.p, joint.s_labels, joint.x_labels)


def cells_drawn(source: str) -> int:
    """Return the number of cells of a source "random:LAW:N_SxN_X:SEED"; 0 for other sources.

    Examples
    --------
    >>> cells_drawn("random:uniform:5x17:1"), cells_drawn("adult")
    (85, 0)
    """
    kind, _, text = source.partition(":")
    found = _DRAWN.fullmatch(text) if kind == "random" else None
    return 0 if found is None else int(found["s"]) * int(found["x"])


def _size(digits: str, name: str) -> int:
    return validation.whole(int(digits), f"The number of levels of {name}", low=1, high=MAX_LEVELS)
