"""Side-channel resistant LIP: LIP also against adversaries who know some attributes of X."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from core import validation
from core.allowed import inequalities
from core.allowed.allowed_set import AllowedSet
from core.allowed.inequalities import excess_lift
from core.attributes import attribute_shape, attribute_values, cells_of, given_known, known_sets
from core.joint import Joint
from core.measures.pointwise import most_divergence
from core.notions.base import LevelNotion, Notion, OfEps
from core.notions.lip import LIP
from core.validation import FloatArray, IntArray


@dataclass(frozen=True)
class SRLIP(OfEps, LevelNotion):
    """ε-side-channel resistant LIP, for X = (X¹, …, X^m).

    e^{−ε} ≤ P(y | s, x^J)/P(y | x^J) ≤ e^{ε} for every proper subset J of the attributes, every
    x^J, s and y with P(s, x^J) > 0 and P(x^J, y) > 0. J = ∅ is ε-LIP; with one attribute it is
    the only J.

    Source: [Funnel] Def. 3.

    Parameters
    ----------
    eps : float
        Budget in nats, in [0, ∞]; ∞ is no bound.
    shape : tuple of int, optional
        Sizes of the attributes: the columns that the joint was made of are all combinations in
        C order, the last attribute fastest. The joint's own `x_shape` by default.

    Raises
    ------
    InvalidInputError
        If the budget is negative, NaN or not a number, or a size is not a positive whole number;
        when it is used, if the sizes do not fit the joint.

    Examples
    --------
    X¹ alone is independent of S = X¹ xor X², but not given X²:

    >>> joint = Joint.from_counts([[1, 0, 0, 1], [0, 1, 1, 0]])
    >>> first = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> SRLIP(1, (4,)).achieved(joint, first), SRLIP(1, (2, 2)).achieved(joint, first)
    (0.0, inf)
    """

    shape: tuple[int, ...] | None = None

    of_attributes: ClassVar[bool] = True

    name: ClassVar[str] = "SRLIP"
    bounds_levels: ClassVar[Mapping[str, str]] = LIP.bounds_levels  # it implies LIP

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shape is not None:
            sizes = tuple(validation.whole(n, "An attribute's size", low=1) for n in self.shape)
            object.__setattr__(self, "shape", sizes)

    def achieved(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the least ε at which the notion holds, in nats; ∞ if at none."""
        return max(side_channel_levels(joint, kernel, self.shape).values())

    def most_about_secret(self) -> float:
        """Return the upper bound on I(S;Y) of ε-LIP, which it implies, in nats."""
        return most_divergence(float(np.exp(-self.eps)), self.eps)

    def without_budget(self) -> SRLIP:
        """Return 0-SRLIP for the same attributes."""
        return SRLIP(0.0, self.shape)

    def simplest(self, joint: Joint) -> Notion:
        """Return LIP where X is one attribute: nothing of X is known besides Y then."""
        alone = len(attribute_shape(joint, self.shape)) == 1
        return LIP(self.budget) if alone else self

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the cone of outputs that the notion allows: two rows for each (J, x^J, s).

        P(y | s, x^J)/P(y | x^J) = Σ_x C[s, x] r(x)/Σ_x r(x), both over the x that agree with
        x^J, and C the lift of the data given x^J. A set of x that occurs for several J has its
        rows once, and one of a single x none.
        """
        shape = attribute_shape(joint, self.shape)
        values = attribute_values(joint, shape)
        rows = [sparse.csr_array((0, joint.n_x))]
        seen: set[bytes] = set()
        for known in known_sets(len(shape)):
            cells = cells_of(values, known)
            for cell in range(int(cells.max()) + 1):
                members = np.flatnonzero(cells == cell)
                if members.size > 1 and members.tobytes() not in seen:
                    seen.add(members.tobytes())
                    rows.append(self._rows(joint, members))
        matrix = sparse.csr_array(sparse.vstack(rows, format="csr"))
        return AllowedSet(matrix, joint.n_x, blocks=_blocks(values))

    def _rows(self, joint: Joint, members: np.ndarray) -> sparse.csr_array:
        """Return the rows of one x^J: `members` are the x that agree with it."""
        excess = excess_lift(joint, members, self.eps)
        if self.eps == 0:
            dense = inequalities.equations(excess, joint)
        else:
            lift = inequalities.lifts(joint, excess, members, self.eps)
            below = inequalities.lift_at_least(excess, self.eps, lift=lift)
            dense = np.vstack([below, inequalities.lift_at_most(excess, self.eps)])
        at = np.tile(members, len(dense))
        of = np.repeat(np.arange(len(dense)), members.size)
        return sparse.csr_array((dense.ravel(), (of, at)), shape=(len(dense), joint.n_x))


def side_channel_levels(
    joint: Joint, kernel: ArrayLike, shape: tuple[int, ...] | None = None
) -> dict[tuple[int, ...], float]:
    """Return for each proper subset J of the attributes the LIP level given x^J, in nats.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    kernel : array_like
        P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).
    shape : tuple of int, optional
        As in `SRLIP`.

    Examples
    --------
    >>> joint = Joint.from_counts([[1, 0, 0, 1], [0, 1, 1, 0]])
    >>> first = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> side_channel_levels(joint, first, (2, 2))
    {(): 0.0, (0,): 0.0, (1,): inf}
    """
    sizes = attribute_shape(joint, shape)
    cells = _all_cells(joint.kept_x.tobytes(), sizes)
    known = known_sets(len(sizes))
    # largest product of symbols of X and sets of known attributes in one batch
    together = max(1, 100_000 // joint.n_x)
    levels: list[float] = []
    for first in range(0, len(known), together):
        part = cells[first : first + together]
        reached = np.concatenate([_lip_levels(block) for block in given_known(joint, kernel, part)])
        firsts = part.min(axis=1) - part.min()
        levels += np.maximum.reduceat(reached, firsts).tolist()
    return dict(zip(known, levels, strict=True))


def _blocks(values: IntArray) -> tuple[IntArray, ...]:
    """Return partitions by x^J, coarsest first; with many attributes one J of each size."""
    known = known_sets(len(values))[1:]
    if len(values) > 3:  # of so few, every set gives a partition
        counts = [int(cells_of(values, attributes).max()) for attributes in known]
        best: dict[int, int] = {}
        for i in np.argsort(counts, kind="stable"):
            best.setdefault(len(known[i]), int(i))
        known = tuple(known[i] for i in best.values())
    partitions = sorted(
        (cells_of(values, attributes) for attributes in known), key=lambda cells: int(cells.max())
    )
    return tuple(cells for cells in partitions if 0 < cells.max() < cells.size - 1)


@lru_cache(maxsize=4)  # of 16 MB each at most
def _all_cells(kept_x: bytes, shape: tuple[int, ...]) -> IntArray:
    """Return the number of x^J at each x for every J, shape (k, n_x); no two J share a number."""
    symbols = np.frombuffer(kept_x, dtype=np.int64)
    values = np.array(np.unravel_index(symbols, shape))
    cells = np.array([cells_of(values, known) for known in known_sets(len(shape))])
    counts = cells.max(axis=1) + 1
    cells += (np.cumsum(counts) - counts)[:, None]
    cells.flags.writeable = False
    return cells


def _lip_levels(joint_sy: FloatArray) -> FloatArray:
    """Return LIP levels of P(s, y), (k, n_s, n_y) → (k,); ∞ where P(s, y) = 0 < P(s)P(y)."""
    independent = joint_sy.sum(axis=2, keepdims=True) * joint_sy.sum(axis=1, keepdims=True)
    occurs = independent > 0
    lift = np.divide(joint_sy, independent, out=np.ones_like(joint_sy), where=occurs)
    with np.errstate(divide="ignore"):
        low, high = -np.log(lift.min(axis=(1, 2))), np.log(lift.max(axis=(1, 2)))
    levels: FloatArray = np.maximum(np.maximum(low, high), 0.0)
    return levels
