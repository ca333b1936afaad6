"""Utilities: what a release should preserve of X, and how much of it a mechanism preserves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from core import measures, validation
from core.entries import entries_of
from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import CLOSE, ROUNDING
from core.measures.average import information_of_entries
from core.optimal.plan import SIZES
from core.optimal.utility import (
    Greatest,
    Likeliest,
    MutualInformation,
    OfImage,
    Utility,
    entropy_terms,
)
from core.validation import FloatArray, shown


class Purpose(ABC):
    """A utility: a number that is larger the more of X, or of a task, a release preserves.

    Subclasses are frozen; arrays in them are read-only.
    """

    title: ClassVar[str]
    """Name of the utility in the interface."""

    unit: ClassVar[str]
    """"nats", "" for a probability, "error" for the negative of an error."""

    @property
    def of_x(self) -> bool:
        """Whether P(x, y) determines it, so it is defined for mechanisms that read S too."""
        return True

    @abstractmethod
    def solver_utility(self, joint: Joint) -> Utility:
        """Return the utility in the solver's form, divided by `size`."""

    def size(self) -> float:
        """Return the factor from the solver's utility to this one."""
        return 1.0

    def value(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return the utility of a mechanism, in its own unit.

        Parameters
        ----------
        joint : Joint
            P(s, x).
        kernel : array_like
            P(y | x), shape (n_x, n_y); where `of_x` also P(y | s, x), shape (n_s·n_x, n_y).

        Raises
        ------
        InvalidInputError
            If the mechanism reads S and `of_x` is False, or the kernel or the utility's table does
            not fit the joint.
        """
        array = joint.checked_kernel(kernel)
        if len(array) != joint.n_x and not self.of_x:
            raise InvalidInputError(
                f"{self.title} is defined only for mechanisms that read X alone, and this one "
                "also reads S. Release the pair (S, X) instead."
            )
        utility = self.solver_utility(joint)
        if isinstance(utility, MutualInformation):
            return Information().value(joint, array)
        if len(array) == joint.n_x:
            return self.size() * utility.of_kernel(array, joint.p_x)
        return self.size() * utility.value(joint.release_x(array).T, joint.p_x)

    def range(self, joint: Joint) -> tuple[float, float]:
        """Return the utility of an output independent of X, and that of X itself."""
        nothing = self.value(joint, np.ones((joint.n_x, 1)))
        return nothing, max(nothing, self.size() * self.solver_utility(joint).of_x(joint.p_x))

    def share(self, joint: Joint, value: float) -> float:
        """Return (value − low)/(high − low) of `range`, clipped to [0, 1]; 1 where low = high."""
        low, high = self.range(joint)
        if high - low <= ROUNDING * self.size():
            return 1.0
        return float(np.clip((value - low) / (high - low), 0.0, 1.0))


@dataclass(frozen=True)
class Information(Purpose):
    """I(X;Y), in nats.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> round(Information().value(joint, np.eye(2)), 6)
    0.693147
    """

    title: ClassVar[str] = "I(X;Y)"
    unit: ClassVar[str] = "nats"

    def solver_utility(self, joint: Joint) -> Utility:  # noqa: ARG002 - the same for all joints
        """Return H(X) − Σ_y P(y) H(X | Y=y)."""
        return MutualInformation()

    def value(self, joint: Joint, kernel: ArrayLike) -> float:
        """Return I(X;Y) in nats, of a mechanism that may read S too."""
        array = joint.checked_kernel(kernel)
        if (array[0] == array[-1]).all() and (array == array[0]).all():
            return 0.0  # sums of logarithms would leave their rounding: a share of <0.1%
        few = entries_of(array) if len(array) == joint.n_x else None
        if few is None:
            information = float(measures.mutual_information(joint.release_x(array)))
        else:
            x, y = few.places()
            seen = joint.p_x[x] * few.values
            information = information_of_entries(x, y, seen)
        entropy = float(measures.entropy(joint.p_x))
        return entropy if entropy - information < ROUNDING else information

    def range(self, joint: Joint) -> tuple[float, float]:
        """Return 0 and H(X)."""
        return 0.0, float(measures.entropy(joint.p_x))


@dataclass(frozen=True, eq=False)
class Task(Purpose):
    """I(T;Y), in nats, for a task T that depends on X.

    T – X – Y is a Markov chain, so I(T;Y) depends on T through P(t | x) alone.

    Parameters
    ----------
    p_t_given_x : array_like
        P(t | x), shape (n_t, n_x): the columns sum to 1. There may be a column for each symbol that
        the joint was made of; those of symbols that never occur are ignored.

    Raises
    ------
    InvalidInputError
        If an entry is negative or not finite, or T has one level only; when it is used, if a column
        does not sum to 1, their number does not fit, or only one level of T occurs.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
    >>> task = Task([[1, 1, 0], [0, 0, 1]])
    >>> round(task.value(joint, np.eye(3)), 4), task.share(joint, task.value(joint, np.eye(3)))
    (0.6365, 1.0)
    """

    p_t_given_x: FloatArray = field(repr=False)

    title: ClassVar[str] = "I(T;Y)"
    unit: ClassVar[str] = "nats"

    def __post_init__(self) -> None:
        object.__setattr__(self, "p_t_given_x", _task_table(self.p_t_given_x))

    @property
    def of_x(self) -> bool:
        """False: where a mechanism reads S, T – X – Y need not be a Markov chain."""
        return False

    def solver_utility(self, joint: Joint) -> Utility:
        """Return H(T) − Σ_y P(y) H(T | Y=y); where T only renames X, that of `Information`."""
        table = _task_of(self.p_t_given_x, joint)
        if table.shape[0] == table.shape[1] and (np.sort(table, axis=0)[-1] == 1).all():
            return MutualInformation()  # a permutation matrix
        return OfImage(table, entropy_terms, float(entropy_terms(table @ joint.p_x).sum()))


@dataclass(frozen=True, eq=False)
class Guess(Purpose):
    """The probability that the best guess of T from Y is right.

    Parameters
    ----------
    p_t_given_x : array_like, optional
        As in `Task`; T = X by default.

    Raises
    ------
    InvalidInputError
        As `Task`.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
    >>> Guess().value(joint, np.ones((3, 1))) == 1 / 3, Guess().value(joint, np.eye(3))
    (True, 1.0)
    """

    p_t_given_x: FloatArray | None = field(default=None, repr=False)

    title: ClassVar[str] = "probability of a right guess"
    unit: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if self.p_t_given_x is not None:
            object.__setattr__(self, "p_t_given_x", _task_table(self.p_t_given_x))

    @property
    def of_x(self) -> bool:
        """Whether T = X."""
        return self.p_t_given_x is None

    def solver_utility(self, joint: Joint) -> Utility:
        """Return Σ_y max_t P(t, y)."""
        task = self.p_t_given_x
        if task is None and joint.n_x**2 > SIZES.action_symbols:
            return Likeliest()
        return Greatest(np.eye(joint.n_x) if task is None else _task_of(task, joint))


@dataclass(frozen=True, eq=False)
class Distortion(Purpose):
    """Negative expected loss of the best guess z of X from Y: −Σ_y min_z Σ_x P(x, y) d(x, z).

    Parameters
    ----------
    d : array_like
        The loss d(x, z) ≥ 0 of guessing z where X is x, shape (n_x, n_z). There may be a row for
        each symbol that the joint was made of, as in `Task`.

    Raises
    ------
    InvalidInputError
        If an entry is negative or not finite; when it is used, if the number of rows does not fit.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
    >>> places = np.arange(3.0)
    >>> absolute = Distortion(np.abs(places[:, None] - places))
    >>> round(absolute.value(joint, np.ones((3, 1))), 4)
    -0.6667
    """

    d: FloatArray = field(repr=False)

    title: ClassVar[str] = "expected error, negative"
    unit: ClassVar[str] = "error"

    def __post_init__(self) -> None:
        table = np.array(validation.matrix(self.d, "The loss table"))
        table.flags.writeable = False
        object.__setattr__(self, "d", table)

    @cached_property
    def _size(self) -> float:
        return float(self.d.max()) or 1.0

    def size(self) -> float:
        """Return the largest loss, or 1 where all losses are 0."""
        return self._size

    def solver_utility(self, joint: Joint) -> Utility:
        """Return −Σ_y min_z Σ_x P(x, y) d(x, z) divided by the largest loss."""
        table = self.of_symbols(joint)
        if table is not self.d:
            return Greatest(table.T / -self.size())
        if self not in _OF_TABLES:
            _OF_TABLES[self] = Greatest(table.T / -self.size())
        return _OF_TABLES[self]

    def of_symbols(self, joint: Joint) -> FloatArray:
        """Return d of the joint's symbols, shape (n_x, n_z)."""
        if len(self.d) == joint.n_x:
            return self.d
        return _of_symbols(self.d.T, joint, "The loss table", "rows").T


_OF_TABLES: WeakKeyDictionary[Distortion, Greatest] = WeakKeyDictionary()
"""Losses for the solver, which are no part of a purpose that is sent to another process: of 10,000
symbols each copy of a table is 800 MB, and takes half a second."""


@dataclass(frozen=True, eq=False)
class SquaredError(Purpose):
    """Negative expected squared error of the best guess of v(X) from Y: −E Var(v(X) | Y).

    The best guess is E[v(X) | y], which need not be a value of v: it is no `Distortion`.

    Parameters
    ----------
    values : array_like
        v(x), finite, shape (n_x,), or of every symbol that the joint was made of.

    Raises
    ------
    InvalidInputError
        If a value is not a finite number; when it is used, if their number does not fit.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
    >>> round(SquaredError([0, 1, 2]).value(joint, np.ones((3, 1))), 4)
    -0.6667
    """

    values: FloatArray = field(repr=False)

    title: ClassVar[str] = "expected squared error, negative"
    unit: ClassVar[str] = "error"

    def __post_init__(self) -> None:
        try:
            values = np.array(self.values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidInputError(
                f"The numbers of X must be finite, one for each symbol: {error}."
            ) from error
        if values.ndim != 1 or not values.size or not np.isfinite(values).all():
            raise InvalidInputError(
                f"The numbers of X must be finite, one for each symbol, got {shown(self.values)}."
            )
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    def size(self) -> float:
        """Return the square of the values' range, or 1 where all values are equal."""
        return float(np.ptp(self.values)) ** 2 or 1.0

    def solver_utility(self, joint: Joint) -> Utility:
        """Return −Σ_y P(y) (E[v² | y] − E[v | y]²) with v scaled to [0, 1]."""
        v = (self.of_symbols(joint) - self.values.min()) / np.sqrt(self.size())
        return OfImage(np.vstack([v**2, v]), _variance_terms, 0.0)

    def of_symbols(self, joint: Joint) -> FloatArray:
        """Return v of the joint's symbols, shape (n_x,)."""
        numbers: FloatArray = _of_symbols(self.values[None], joint, "The numbers of X", "entries")[
            0
        ]
        return numbers


def _variance_terms(image: FloatArray) -> FloatArray:
    """Return E[v²] and −E[v]² of an image (E[v²], E[v]), shape (..., 2): their sum is Var v."""
    result: FloatArray = np.stack([image[..., 0], -(image[..., 1] ** 2)], axis=-1)
    return result


def _task_table(values: ArrayLike) -> FloatArray:
    table = np.array(validation.matrix(values, "P(t | x)"))
    if table.shape[0] == 1:
        raise InvalidInputError("The task T has only one level, so it carries no information.")
    table.flags.writeable = False
    return table


def _task_of(table: FloatArray, joint: Joint) -> FloatArray:
    """Return P(t | x) of the symbols and levels that occur, with normalized columns."""
    columns = _of_symbols(table, joint, "P(t | x)", "columns")
    sums = columns.sum(axis=0)
    off = np.abs(sums - 1)
    if off.max() > CLOSE:
        x = int(off.argmax())
        raise InvalidInputError(
            f"Each column of P(t | x) must sum to 1, that of {joint.x_labels[x]!r} sums to "
            f"{sums[x]:.12g}."
        )
    columns = columns[columns.sum(axis=1) > 0]
    if len(columns) == 1:
        raise InvalidInputError("The task T has only one level, so it carries no information.")
    result: FloatArray = columns / sums
    return result


def _of_symbols(table: FloatArray, joint: Joint, name: str, what: str) -> FloatArray:
    """Return the columns of the joint's symbols of a table of these or of all it was made of."""
    whole = joint.n_x + len(joint.dropped_x)
    count = table.shape[1]
    if count == joint.n_x:
        return table
    if count == whole:
        return table[:, joint.kept_x]
    allowed = f"{joint.n_x}" + (f" (or {whole}, with those that never occur)" * (whole > joint.n_x))
    raise InvalidInputError(f"{name} must have {allowed} {what}, one for each x, got {count}.")
