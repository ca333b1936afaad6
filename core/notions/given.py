"""A notion against those who know K of each record, such as the columns that stay in a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from core.allowed import inequalities
from core.allowed.allowed_set import AllowedSet, weighed
from core.errors import InvalidInputError, NotConvexError
from core.joint import Joint
from core.limits import CLOSE, MOST_KNOWN
from core.notions.base import Notion, PointwiseNotion
from core.notions.lip import LIP
from core.three_way import ThreeWay, direction
from core.validation import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class _Known:
    """P(s, x | k) of one k, the notion of its secrets, and which symbols of all its S and X are."""

    joint: Joint
    notion: Notion
    s: IntArray
    x: IntArray


@dataclass(frozen=True, eq=False)
class Given(Notion):
    """A notion that holds given every k: P(s, x | k) is in the place of P(s, x).

    Anyone who knows k has the beliefs P(s | k) before Y, and the notion bounds what Y adds to them.
    Secrets that k rules out do not count for it, nor do distances to them. One mechanism P(y | x)
    is made for all k, so an output must be allowed for each: the rows of their allowed sets,
    weighted by P(k | x), together.

    It does not imply the notion for those who do not know k: Y may reveal k, and k the secret.

    Parameters
    ----------
    notion : Notion
        A notion of P(s, y) alone, without exceptions and about each output.
    joint_sxk : array_like or ThreeWay
        Counts, weights or probabilities, shape (n_s, n_x, n_k). Summed over k it is the joint that
        the notion is used with, before symbols of probability 0 are dropped.

    Raises
    ------
    InvalidInputError
        If the notion is another one, the joint has other axes or too many k; when it is used, if it
        does not fit the joint.

    Examples
    --------
    S and K are fair coins: X = S xor K reveals nothing about S, but everything given k.

    >>> from core.notions import LIP
    >>> xor = [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
    >>> joint = Joint.from_counts(np.sum(xor, axis=2))
    >>> LIP(1).achieved(joint, np.eye(2)), Given(LIP(1), xor).achieved(joint, np.eye(2))
    (0.0, inf)
    """

    notion: Notion
    joint_sxk: ArrayLike | ThreeWay
    _known: tuple[_Known, ...] = field(init=False, repr=False)
    _joint: Joint = field(init=False, repr=False)

    name: ClassVar[str] = "a notion given what is known"

    def __post_init__(self) -> None:
        parts = self.notion.parts
        if any(part.on_average or part.exceptions > 0 or not part.of_joint_sy for part in parts):
            raise InvalidInputError(
                f"{self.notion} cannot consider known columns: it is not a condition on P(s, y) of "
                "each output."
            )
        table = ThreeWay.of(self.joint_sxk)
        n_s, n_x, _ = table.shape
        order = np.argsort(table.k, kind="stable")
        starts = np.flatnonzero(np.diff(table.k[order], prepend=-1))
        if len(starts) > MOST_KNOWN:
            raise InvalidInputError(
                f"What is known has {len(starts):,} values; one notion allows at most "
                f"{MOST_KNOWN:,}: merge rare ones, or assume fewer known columns."
            )
        counts = np.zeros((n_s, n_x))
        np.add.at(counts, (table.s, table.x), table.weight)
        whole = Joint.from_counts(counts)
        known = []
        for some in np.split(order, starts[1:]):
            counts = np.zeros((n_s, n_x))
            np.add.at(counts, (table.s[some], table.x[some]), table.weight[some])
            joint = Joint.from_counts(counts)
            notion = self.notion
            if joint.n_s < whole.n_s:
                notion = notion.among(np.searchsorted(whole.kept_s, joint.kept_s), whole.n_s)
            known.append(_Known(joint, notion, joint.kept_s, joint.kept_x))
        object.__setattr__(self, "_known", tuple(known))
        object.__setattr__(self, "_joint", whole)

    @staticmethod
    def holds_for(kind: type[Notion]) -> bool:
        """Say whether notions of a kind, without exceptions, can be asked given what is known."""
        return kind.of_joint_sy and not kind.on_average

    def __str__(self) -> str:
        return self.composed(str)

    def composed(self, write: Callable[[Notion], str]) -> str:
        """Return the notion's name, and that something is known."""
        return f"{write(self.notion)} given what is known"

    @property
    def in_nats(self) -> tuple[str, ...]:
        """None: the budgets are those of its notion."""
        return ()

    @property
    def level_unit(self) -> str:
        """That of its notion."""
        return self.notion.level_unit

    @property
    def inner(self) -> Notion:
        """The notion that must hold given each k."""
        return self.notion

    @property
    def is_perfect_privacy(self) -> bool:
        """Whether its notion is."""
        return self.notion.is_perfect_privacy

    def is_convex(self) -> bool:
        """Return whether its notion is."""
        return self.notion.is_convex()

    def without_budget(self) -> Given:
        """Return 0-LIP given every k; itself, if it is that."""
        return self if self.notion == LIP(0.0) else Given(LIP(0.0), self.joint_sxk)

    def achieved(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the largest of the notion's levels over all k.

        Parameters
        ----------
        joint : Joint
            P(s, x): that of S, X and K without K.
        kernel : array_like
            P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y).
        """
        if isinstance(self.notion, PointwiseNotion):
            each = (notion.achieved_by_each(p) for notion, p in self._releases(joint, kernel))
            return max(float(levels.max()) for levels in each)
        return max(notion.achieved(own, rows) for notion, own, rows in self._given(joint, kernel))

    def scale(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the largest scale of the notion's budgets over all k; shapes as `achieved`."""
        if isinstance(self.notion, PointwiseNotion):
            return self.notion.over_budget(self.achieved(joint, kernel))
        return max(notion.scale(own, rows) for notion, own, rows in self._given(joint, kernel))

    def holds(self, joint: Joint, kernel: ArrayLike) -> bool:
        """Return whether the notion holds given every k; shapes as `achieved`."""
        if isinstance(self.notion, PointwiseNotion):
            return all(notion.allows(p).all() for notion, p in self._releases(joint, kernel))
        return all(notion.holds(own, rows) for notion, own, rows in self._given(joint, kernel))

    def allowed_set(self, joint: Joint) -> AllowedSet:
        """Return the outputs that are allowed given every k, equal rows once.

        Raises
        ------
        NotConvexError
            If the notion's set is not convex.
        InvalidInputError
            If the joint is another one than that of S, X and K without K.
        """
        if not self.is_convex():
            raise NotConvexError(
                f"{self} has no certified optimum, because {self.notion.name} does not allow a "
                "convex set of outputs, and no other mechanism considers what is known: choose "
                "another notion."
            )
        place = self._places(joint)[1]
        sets = []
        for known in self._known:
            members = place[known.x]
            likelihood = known.joint.p_x / joint.p_x[members]
            sets.append(
                weighed(
                    known.notion.allowed_set(known.joint),
                    likelihood / likelihood.max(),
                    members,
                    joint.p_x,
                )
            )
        whole = inequalities.combined(sets)
        if whole.n_auxiliary:
            return whole
        rows = np.unique(whole.rows.toarray(), axis=0)
        return inequalities.plain(rows, whole.oracle)

    def alike(self, joint: Joint, decimals: int | None = None) -> IntArray:
        """Return a number for each symbol of X, equal for those with equal P(s, k | x), (n_x,)."""
        self._places(joint)  # checks that the joint fits
        table = ThreeWay.of(self.joint_sxk)
        of_sk, place = np.unique(table.s * table.shape[2] + table.k, return_inverse=True)
        cells = sparse.csc_array(
            (table.weight, (place, table.x)), shape=(len(of_sk), table.shape[1])
        )
        cells.sum_duplicates()
        whole = table.records is not None and table.records < 2**53
        numbers: dict[bytes, int] = {}
        result = []
        for x in self._joint.kept_x:
            own = slice(*cells.indptr[x : x + 2])
            weights = cells.data[own, None]
            if decimals is None:
                weights = direction(weights, whole=whole)
            else:
                weights = np.round(weights / weights.sum(), decimals)
            key = cells.indices[own].tobytes() + weights.tobytes()
            result.append(numbers.setdefault(key, len(numbers)))
        return np.array(result)

    def with_classes(self, of_x: IntArray) -> Given:
        """Return it for classes of symbols, `of_x` (n_x,), in the place of X."""
        table = ThreeWay.of(self.joint_sxk)
        of_table = np.zeros(table.shape[1], dtype=np.int64)
        of_table[self._joint.kept_x] = of_x
        shape = (table.shape[0], int(of_x.max()) + 1, table.shape[2])
        return Given(self.notion, replace(table, x=of_table[table.x], shape=shape))

    def _given(self, joint: Joint, kernel: ArrayLike) -> list[tuple[Notion, Joint, FloatArray]]:
        """Return notion and P(s, x | k) of each k, with the kernel's rows for its symbols."""
        checked = joint.checked_kernel(kernel)
        of_s, of_x = self._places(joint)
        if len(checked) == joint.n_x:
            return [(known.notion, known.joint, checked[of_x[known.x]]) for known in self._known]
        cube = checked.reshape(joint.n_s, joint.n_x, -1)
        return [
            (
                known.notion,
                known.joint,
                cube[of_s[known.s]][:, of_x[known.x]].reshape(
                    known.joint.n_s * known.joint.n_x, -1
                ),
            )
            for known in self._known
        ]

    def _releases(
        self, joint: Joint, kernel: ArrayLike
    ) -> list[tuple[PointwiseNotion, FloatArray]]:
        """Return P(s, y | k), (k, n_s, n_y), of the k with one notion and number of secrets."""
        checked = joint.checked_kernel(kernel)
        if len(checked) != joint.n_x:
            each = self._given(joint, kernel)
            return [
                (cast(PointwiseNotion, notion), own.release(rows)[None])
                for notion, own, rows in each
            ]
        place = self._places(joint)[1]
        x, rows = place >= 0, checked[place[place >= 0]]
        return [(cast(PointwiseNotion, notion), p[..., x] @ rows) for notion, p in self._stacks]

    @cached_property
    def _stacks(self) -> tuple[tuple[Notion, FloatArray], ...]:
        """P(s, x | k), (k, n_s, n_x), of the k with one notion and number of secrets, all X."""
        n_x = len(self._joint.kept_x) + len(self._joint.dropped_x)
        alike: dict[tuple[Notion, int], list[_Known]] = {}
        for known in self._known:
            alike.setdefault((known.notion, known.joint.n_s), []).append(known)
        stacks = []
        for (notion, n_s), some in alike.items():
            p = np.zeros((len(some), n_s, n_x))
            for own, known in zip(p, some, strict=True):
                own[:, known.x] = known.joint.p
            stacks.append((notion, p))
        return tuple(stacks)

    def _places(self, joint: Joint) -> tuple[IntArray, IntArray]:
        """Return the symbol of a joint that each symbol of S, and of X, is; −1 for none."""
        own = self._joint
        if joint.p.shape != own.p.shape or np.abs(joint.p - own.p).max() > CLOSE:
            raise InvalidInputError(
                f"The joint of S and X ({joint.n_s}×{joint.n_x}) is not that of S, X and K without "
                f"K ({own.n_s}×{own.n_x})."
            )
        places = []
        for kept, size in (
            (own.kept_s, len(own.kept_s) + len(own.dropped_s)),
            (own.kept_x, len(own.kept_x) + len(own.dropped_x)),
        ):
            place = np.full(size, -1)
            place[kept] = np.arange(len(kept))
            places.append(place)
        return places[0], places[1]
