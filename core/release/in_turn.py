"""Several columns released in turn: a bound on what all of them reveal, and a split of a budget.

The levels of mechanisms that are made apart do not add ([Funnel] Theorem 4 is wrong). Levels given
the outputs before do: log P(s | y_1 … y_m, k)/P(s | k) is the sum over i of
log P(s | y_1 … y_i, k)/P(s | y_1 … y_{i−1}, k).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.clock import Deadline
from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import MAX_ATTRIBUTES
from core.measures import entropy
from core.mechanisms.optima.optimal import optimal
from core.mechanisms.result import Mechanism
from core.notions.base import Notion
from core.notions.given import Given
from core.notions.lip import LIP
from core.release.beside import Beside, beside
from core.validation import FloatArray

LEVELS = ("lip", "ldp", "pml", "min_lift")
"""Levels that add up along the outputs."""

MOST_TOGETHER = 4_096
"""Most combinations of outputs whose levels are counted: one matrix of 128 MB."""

MOST_HELD = 20_000_000
"""Most probabilities of S, columns left to release, K and outputs that are held: 160 MB."""

PARTS = 60
"""Parts into which a search divides a budget: two to six columns can have equal shares."""

ALL_ORDERS = 3
"""Most columns of which a search tries every order."""


@dataclass(frozen=True, eq=False)
class InTurn:
    """What columns released one after the other reveal about S.

    Attributes
    ----------
    added : tuple of dict
        For each column, in the order of release: "lip", "ldp", "pml" and "min_lift" of its output,
        given K and the outputs before.
    alone : dict
        Those of K alone.
    bound : dict
        The level of K alone plus those of `added`: no file of K and these outputs exceeds it. ∞
        where K rules a secret out.
    together : Beside or None
        The exact levels of K, of all outputs given K, and of both; None where the outputs have more
        than 4,096 combinations.
    """

    added: tuple[dict[str, float], ...]
    alone: dict[str, float]
    bound: dict[str, float]
    together: Beside | None


@dataclass(frozen=True, eq=False)
class Design:
    """Mechanisms for several columns, each within its notion given K and the outputs before.

    Attributes
    ----------
    order : tuple of int
        The columns in the order of release, numbered from 0 as the joint's axes are.
    mechanisms : tuple of Mechanism
        Theirs, in that order. The notion of each is a `Given`; its kernel has a row for each symbol
        that occurs.
    released : InTurn
        What all of them reveal.
    """

    order: tuple[int, ...]
    mechanisms: tuple[Mechanism, ...]
    released: InTurn

    @property
    def kept(self) -> float:
        """Mean over the columns of I(X;Y)/H(X), in [0, 1]."""
        return math.fsum(mechanism.kept for mechanism in self.mechanisms) / len(self.mechanisms)


def in_turn(joint: ArrayLike, kernels: Sequence[ArrayLike]) -> InTurn:
    """Return what several columns reveal, each released by its own mechanism.

    Parameters
    ----------
    joint : array_like
        Counts, weights or probabilities of S, the columns in their order of release, and K, shape
        (n_s, n_1, …, n_m, n_k); n_k is 1 where nothing else is known.
    kernels : sequence of array_like
        P(y_i | x_i) of each column, shape (n_i, n_y).

    Raises
    ------
    InvalidInputError
        If the joint has other axes, negative entries or none above 0, a kernel does not fit, or
        too many probabilities would have to be held.

    Examples
    --------
    S is x_1 xor x_2. Neither column reveals anything alone; the second one, given the first, all:

    >>> xor = np.zeros((2, 2, 2, 1))
    >>> for x_1, x_2 in product(range(2), repeat=2):
    ...     xor[x_1 ^ x_2, x_1, x_2] = 1
    >>> released = in_turn(xor, [np.eye(2), np.eye(2)])
    >>> [levels["lip"] for levels in released.added], released.together.added["lip"]
    ([0.0, inf], inf)
    """
    state = _State.of(joint)
    n = state.columns
    if len(kernels) != n:
        raise InvalidInputError(
            f"The joint has {n} columns to release, got {len(kernels)} kernels."
        )
    for kernel in kernels:
        state = state.after(validation.kernel(kernel, state.table.shape[1]))
    return state.released()


def released_in_turn(
    joint: ArrayLike,
    notions: Sequence[Notion],
    order: Sequence[int] | None = None,
    time_limit: float | None = None,
    gap: float = 1e-6,
    seed: int = 0,
) -> Design:
    """Return the best mechanism for each column given K and the mechanisms before it.

    Each maximizes I(X_i;Y_i) over P(y_i | x_i), one kernel for whatever was released before. Under
    LIP with budgets ε_1, …, ε_m all outputs together satisfy LIP with Σ ε_i given K.

    Parameters
    ----------
    joint : array_like
        As for `in_turn`; its columns may have any order.
    notions : sequence of Notion
        For each column, in the joint's order, what it must satisfy given what is known by then: a
        notion of P(s, y) about each output, such as `LIP(0.5)`.
    order : sequence of int, optional
        The columns in the order of release, numbered from 0; that of the joint by default.
    time_limit : float, optional
        Seconds for each column, as in `core.mechanisms.optima.optimal`.
    gap, seed
        As there.

    Raises
    ------
    InvalidInputError
        If the joint is no such table, notions or order do not fit, or K and the outputs before a
        column have more than 2,000 values together.
    NotConvexError
        If a notion's set is not convex.

    Examples
    --------
    >>> joint = [[[[8], [2]], [[4], [1]]], [[[1], [3]], [[2], [9]]]]
    >>> made = released_in_turn(joint, [LIP(0.3), LIP(0.2)], order=[1, 0])
    >>> made.released.together.added["lip"] <= 0.5 + 1e-9
    True
    """
    search = _Search(_State.of(joint), Deadline(), gap, seed, time_limit)
    n = search.begin.columns
    turns = tuple(range(n)) if order is None else tuple(order)
    if len(notions) != n:
        raise InvalidInputError(
            f"The joint has {n} columns to release, got {len(notions)} notions."
        )
    if sorted(turns) != list(range(n)):
        raise InvalidInputError(
            f"The order must name each of the columns 0 to {n - 1} once, got {list(turns)}."
        )
    return search.design(tuple((column, notions[column]) for column in turns))


def split_budget(
    joint: ArrayLike,
    eps: float,
    notion: Callable[[float], Notion] = LIP,
    time_limit: float = 60.0,
    gap: float = 1e-6,
    seed: int = 0,
) -> Design:
    """Return the best design found whose budgets add up to ε, over orders and splits.

    Every order of up to three columns is tried (of more, the joint's and the reverse), each with
    equal budgets and with budgets by entropy. From the best, parts of the budget move between two
    columns as long as the mean share kept rises.

    Parameters
    ----------
    joint : array_like
        As for `in_turn`.
    eps : float
        The budget of all columns together, in nats.
    notion : callable
        Makes a notion of a budget: `LIP`, `LDP`, `MinLift` or `PointwiseMaximalLeakage`, whose
        levels add up.
    time_limit : float
        Seconds after which no further design is begun.
    gap, seed
        As in `core.mechanisms.optima.optimal`.

    Raises
    ------
    InvalidInputError
        As `released_in_turn`; or if ε is negative, not a number or ∞.

    Examples
    --------
    The first column reveals nothing about S and needs no budget:

    >>> joint = [[[[4], [1]], [[4], [1]]], [[[1], [4]], [[1], [4]]]]
    >>> made = split_budget(joint, 0.4)
    >>> column = made.order.index(1)
    >>> made.mechanisms[column].notion.notion.eps > 0.3, made.kept > 0.5
    (True, True)
    """
    total = validation.budget(eps, "ε")
    if math.isinf(total):
        raise InvalidInputError("ε must be finite to be split, got inf.")
    deadline = Deadline.after(validation.number(time_limit, "time_limit"))
    search = _Search(_State.of(joint), deadline, gap, seed)
    n = search.begin.columns

    def turns(order: Sequence[int], parts: Sequence[int]) -> _Turns:
        return tuple((column, notion(total * parts[column] / PARTS)) for column in order)

    return search.best(turns, _orders(n), [_shares(np.ones(n)), _shares(search.begin.entropies())])


_Turns = tuple[tuple[int, Notion], ...]
"""Columns in the order of release, with the notion of each."""


def _orders(n: int) -> list[tuple[int, ...]]:
    """Return the orders of n columns that a search begins with."""
    if n <= ALL_ORDERS:
        return list(permutations(range(n)))
    return [tuple(range(n)), tuple(reversed(range(n)))]


def _shares(weights: FloatArray) -> tuple[int, ...]:
    """Return weights as whole parts that add up to `PARTS`; equal ones where all are 0."""
    sizes = weights if weights.any() else np.ones_like(weights)
    exact = PARTS * sizes / sizes.sum()
    whole = np.floor(exact).astype(int)
    for place in np.argsort(whole - exact, kind="stable")[: PARTS - int(whole.sum())]:
        whole[place] += 1
    return tuple(whole.tolist())


@dataclass(frozen=True, eq=False)
class _State:
    """P(s, x_i, …, x_m, k, y_1 … y_{i−1}): what is left to release, K, and what was released.

    `table`: shape (n_s, n_i, …, n_m, n_k·n_y), K before the outputs; `columns`: how many are left.
    `outputs`: the number of combinations of outputs. `added`: as in `InTurn`.
    """

    table: FloatArray
    n_k: int
    outputs: int = 1
    added: tuple[dict[str, float], ...] = ()

    @classmethod
    def of(cls, joint: ArrayLike) -> _State:
        name = "The joint of S, the columns and K"
        table = validation.matrix(joint, name, batch=True)
        if not 3 <= table.ndim <= MAX_ATTRIBUTES + 2:
            raise InvalidInputError(
                f"{name} must have an axis for S, one for each of 1 to {MAX_ATTRIBUTES} columns, "
                f"and one for K, got {table.ndim} axes."
            )
        if not table.any():
            raise InvalidInputError(f"{name} must not be all zero.")
        return cls(table, table.shape[-1])

    @property
    def columns(self) -> int:
        return self.table.ndim - 2

    def entropies(self) -> FloatArray:
        """Return H(X) of each column left, shape (columns,)."""
        sums = [self.of_column(column).sum(axis=(0, 2)) for column in range(self.columns)]
        return np.array([entropy(masses / masses.sum()) for masses in sums])

    def of_column(self, column: int) -> FloatArray:
        """Return P(s, x, known) of one column, shape (n_s, n_x, n_k·n_y)."""
        others = (axis for axis in range(1, self.columns + 1) if axis != column + 1)
        table: FloatArray = self.table.sum(axis=tuple(others))
        return table

    def after(self, kernel: FloatArray, column: int = 0) -> _State:
        """Return what is left once a column was released by P(y | x), shape (n_x, n_y)."""
        n_x, n_y = kernel.shape
        if self.table.size // n_x * n_y > MOST_HELD:
            raise InvalidInputError(
                f"The columns left, K and the outputs have over {MOST_HELD:,} combinations "
                "together: merge rare values, or release fewer columns."
            )
        given = beside(self.of_column(column), kernel).added
        drawn = np.tensordot(self.table, kernel, (column + 1, 0))
        return _State(
            drawn.reshape(*drawn.shape[:-2], -1),
            self.n_k,
            self.outputs * n_y,
            (*self.added, {key: given[key] for key in LEVELS}),
        )

    def released(self) -> InTurn:
        """Return the figures, once no column is left."""
        table = self.table.reshape(-1, self.n_k, self.outputs)
        known = beside(table.sum(axis=2)[:, None, :], [[1.0]]).known
        alone = {key: known[key] for key in LEVELS}
        bound = {
            key: alone[key] + math.fsum(levels[key] for levels in self.added) for key in LEVELS
        }
        counted = self.outputs <= MOST_TOGETHER
        together = beside(table.swapaxes(1, 2), np.eye(self.outputs)) if counted else None
        return InTurn(self.added, alone, bound, together)


@dataclass
class _Search:
    """Designs from one joint; what two of them begin with alike is made once.

    `limit`: seconds for each mechanism; None for the solver's own, or a part of what is left.
    """

    begin: _State
    deadline: Deadline
    gap: float
    seed: int
    limit: float | None = None
    made: dict[str, tuple[Mechanism, _State]] = field(default_factory=dict)

    def design(self, turns: _Turns) -> Design:
        """Return the mechanisms of columns in turn."""
        state, mechanisms, left = self.begin, [], list(range(self.begin.columns))
        for place, (column, notion) in enumerate(turns):
            key = repr(turns[: place + 1])
            if key not in self.made:
                self.made[key] = self._step(state, left.index(column), notion)
            mechanism, state = self.made[key]
            mechanisms.append(mechanism)
            left.remove(column)
        return Design(tuple(column for column, _ in turns), tuple(mechanisms), state.released())

    def _step(self, state: _State, column: int, notion: Notion) -> tuple[Mechanism, _State]:
        table = state.of_column(column)
        joint = Joint.from_counts(table.sum(axis=2))
        limit = self.limit
        if limit is None and self.deadline != Deadline():
            limit = max(self.deadline.left / 4, 0.1)
        mechanism = optimal(
            joint, Given(notion, table), time_limit=limit, gap=self.gap, seed=self.seed
        )
        kernel = np.zeros((table.shape[1], mechanism.n_y))
        kernel[:, 0] = 1  # of symbols that never occur
        kernel[joint.kept_x] = mechanism.kernel
        return mechanism, state.after(kernel, column)

    def best(
        self,
        turns: Callable[[Sequence[int], Sequence[int]], _Turns],
        orders: Sequence[tuple[int, ...]],
        splits: Sequence[tuple[int, ...]],
    ) -> Design:
        """Return the design that keeps most among some orders and splits, and those near them."""
        chosen: tuple[Design, tuple[int, ...]] | None = None
        for order, parts in product(orders, dict.fromkeys(splits)):
            if chosen is not None and self.deadline.over:
                break
            chosen = _better(chosen, self.design(turns(order, parts)), parts)
        assert chosen is not None  # there is an order and a split
        step = PARTS // (2 * len(orders[0]))
        while step:
            before = chosen
            for parts in _moved(before[1], step):
                if self.deadline.over:
                    return chosen[0]
                chosen = _better(chosen, self.design(turns(before[0].order, parts)), parts)
            if chosen is before:
                step //= 2
        return chosen[0]


def _better(
    best: tuple[Design, tuple[int, ...]] | None, design: Design, parts: tuple[int, ...]
) -> tuple[Design, tuple[int, ...]]:
    """Return whichever keeps more; the earlier one where the difference may be the solver's."""
    if best is None or design.kept > best[0].kept + 1e-6:
        return design, parts
    return best


def _moved(parts: tuple[int, ...], step: int) -> Iterator[tuple[int, ...]]:
    """Yield the splits in which one column has `step` parts more, and another one fewer."""
    for less, more in permutations(range(len(parts)), 2):
        if parts[less] >= step:
            changed = list(parts)
            changed[less] -= step
            changed[more] += step
            yield tuple(changed)
