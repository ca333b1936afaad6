"""The joint distribution of a secret S and the data X that is to be released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.entries import made_of
from core.errors import InvalidInputError
from core.level_order import all_numbers, position
from core.three_way import ThreeWay
from core.validation import FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd

MISSING = "(missing)"
"""The level of a missing value."""

JOINER = " · "
"""Between the labels of columns that are joined into one."""


@dataclass(frozen=True, eq=False)
class Joint:
    """The joint distribution P(s, x) of a secret S and the data X that is to be released.

    Symbols of probability 0 are dropped: they carry no guarantee and no utility.

    Attributes
    ----------
    p : ndarray
        P(s, x), shape (n_s, n_x), sums to 1, read-only. No row or column is all zero, unless
        `with_secret_released` keeps them on request.
    s_labels, x_labels : tuple of str
        Names of the symbols.
    n : int or None
        Number of records behind the probabilities, where there are any. With sampling weights w it
        is approximate: Kish's effective number, (Σw)²/Σw².
    kept_s, kept_x : ndarray
        For each symbol its index in the matrix handed in, shapes (n_s,) and (n_x,).
    dropped_s, dropped_x : tuple of str
        Names of the symbols that never occur and were dropped.
    x_shape : tuple of int
        Sizes of X's attributes where X is a product of several: the columns handed in are all
        combinations in C order, the last attribute fastest. Empty where X is one attribute.
    weighted : bool
        Whether the probabilities are shares of sampling weights.
    known : ThreeWay or None
        The counts of S, X and the columns K that others know, where such were chosen; its symbols
        of S and X are those of the matrix handed in.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1, 0], [1, 3, 0]])
    >>> joint.p
    array([[0.375, 0.125],
           [0.125, 0.375]])
    >>> joint.n, joint.dropped_x
    (8, ('x3',))
    """

    p: FloatArray
    s_labels: tuple[str, ...]
    x_labels: tuple[str, ...]
    n: int | None
    kept_s: IntArray
    kept_x: IntArray
    dropped_s: tuple[str, ...] = ()
    dropped_x: tuple[str, ...] = ()
    x_shape: tuple[int, ...] = ()
    known: ThreeWay | None = None
    weighted: bool = False

    @property
    def n_s(self) -> int:
        """Number of symbols of S."""
        return int(self.p.shape[0])

    @property
    def n_x(self) -> int:
        """Number of symbols of X."""
        return int(self.p.shape[1])

    @property
    def p_s(self) -> FloatArray:
        """P(s), shape (n_s,)."""
        masses: FloatArray = self.p.sum(axis=1)
        return masses

    @property
    def p_x(self) -> FloatArray:
        """P(x), shape (n_x,)."""
        masses: FloatArray = self.p.sum(axis=0)
        return masses

    @property
    def counts(self) -> FloatArray | None:
        """Numbers of records, shape (n_s, n_x); None without any, weighted, or beyond doubles."""
        if self.n is None or self.n >= 2.0**53 or self.weighted:
            return None
        result: FloatArray = np.rint(self.p * self.n)
        return result

    @property
    def is_secret_released(self) -> bool:
        """Whether X is S itself, up to names: each symbol of one occurs with one of the other."""
        return self.n_s == self.n_x == int(np.count_nonzero(self.p))

    @classmethod
    def from_counts(
        cls,
        counts: ArrayLike,
        s_labels: Sequence[object] | None = None,
        x_labels: Sequence[object] | None = None,
    ) -> Joint:
        """Make a joint of counts or of weights, normalized.

        Parameters
        ----------
        counts : array_like
            Non-negative, shape (n_s, n_x), not all zero. `n` is their sum if all are whole
            and add up to more than 1.
        s_labels, x_labels : sequence, optional
            Names of the symbols; s1, s2, … and x1, x2, … where not given.

        Raises
        ------
        InvalidInputError
            If a count is negative, no number or not finite, all are zero, a probability is too
            small for its ratios to be computed, or labels do not fit.
        """
        array = validation.matrix(counts, "The joint matrix")
        if not array.any():
            raise InvalidInputError("The joint matrix must not be all zero: nothing was counted.")
        shares = validation.normalised(array, "The joint matrix")
        s_names = validation.labels(s_labels, array.shape[0], "s", "s_labels")
        x_names = validation.labels(x_labels, array.shape[1], "x", "x_labels")
        of_s, of_x = array.any(axis=1), array.any(axis=0)
        kept_s, kept_x = np.flatnonzero(of_s), np.flatnonzero(of_x)
        p = shares[np.ix_(kept_s, kept_x)]
        p.flags.writeable = False
        with np.errstate(over="ignore"):
            total = array.sum()
        whole = 1 < total < np.inf and bool((array == np.rint(array)).all())
        return cls(
            p=p,
            s_labels=tuple(s_names[i] for i in kept_s),
            x_labels=tuple(x_names[i] for i in kept_x),
            n=int(total) if whole else None,
            kept_s=kept_s,
            kept_x=kept_x,
            dropped_s=tuple(s_names[i] for i in np.flatnonzero(~of_s)),
            dropped_x=tuple(x_names[i] for i in np.flatnonzero(~of_x)),
        )

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        sensitive: str | Sequence[str],
        released: str | Sequence[str],
    ) -> Joint:
        """Count the columns of a data frame; a missing value counts as a level.

        Symbols come in the order of the columns' levels: numbers along the number line, names by
        letter, missing ones last.

        Parameters
        ----------
        frame : DataFrame
            One record a row.
        sensitive, released : str or sequence of str
            The column of S and of X; several are joined into one.

        Raises
        ------
        InvalidInputError
            If a column is missing or occurs twice, or the frame has no row.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"sex": ["f", "m", "m"], "job": ["a", "a", "b"]})
        >>> Joint.from_frame(frame, "sex", "job").x_labels
        ('a', 'b')
        """
        import pandas as pd  # only here: a process that sees no frame is spared some 60 MB

        s, x = _columns(frame, sensitive), _columns(frame, released)
        if len(frame) == 0:
            raise InvalidInputError("The data has no rows.")
        labels = pd.Series(_joined(s)), pd.Series(_joined(x))
        table = pd.crosstab(*labels).reindex(index=_order(s), columns=_order(x))
        return cls.from_counts(table.to_numpy(), list(table.index), list(table.columns))

    @classmethod
    def with_secret_released(
        cls,
        p_su: ArrayLike,
        s_labels: Sequence[object] | None = None,
        u_labels: Sequence[object] | None = None,
        *,
        keep_unseen: bool = False,
    ) -> Joint:
        """Make the joint of S and X = (S, U), flattened as x = s·n_u + u ([RLDP] §3).

        Parameters
        ----------
        p_su : array_like
            P(s, u), or counts, shape (n_s, n_u). Cells of 0 are not symbols of X:
            `kept_x` shows which cell each symbol is.
        s_labels, u_labels : sequence, optional
            Names of the secrets and of the u; numbered where not given.
        keep_unseen : bool
            Keep cells of 0 as symbols: a robust mechanism needs an answer for them.

        Raises
        ------
        InvalidInputError
            As `from_counts`.

        Examples
        --------
        >>> Joint.with_secret_released([[0.5, 0.25], [0.0, 0.25]]).p
        array([[0.5 , 0.25, 0.  ],
               [0.  , 0.  , 0.25]])
        """
        cells = validation.matrix(p_su, "P(s, u)")
        n_s, n_u = cells.shape
        s_names = validation.labels(s_labels, n_s, "s", "s_labels")
        u_names = validation.labels(u_labels, n_u, "u", "u_labels")
        counts = np.zeros((n_s, n_s, n_u))
        counts[np.arange(n_s), np.arange(n_s)] = cells
        names = [f"{s}{JOINER}{u}" for s in s_names for u in u_names]
        joint = cls.from_counts(counts.reshape(n_s, n_s * n_u), s_names, names)
        if not keep_unseen:
            return joint
        p = validation.normalised(counts.reshape(n_s, n_s * n_u), "P(s, u)")
        p.flags.writeable = False
        every_s, every_x = np.arange(n_s), np.arange(n_s * n_u)
        return cls(p, s_names, tuple(names), joint.n, every_s, every_x)

    @classmethod
    def random_uniform(cls, n_s: int, n_x: int, rng: np.random.Generator) -> Joint:
        """Draw i.i.d. uniform(0, 1) entries and normalize: the random joints of [Lift] and [ALIP].

        Examples
        --------
        >>> Joint.random_uniform(5, 17, np.random.default_rng(0)).p.shape
        (5, 17)
        """
        shape = _sizes(n_s, n_x)
        return cls.from_counts(rng.random(shape))

    @classmethod
    def random_dirichlet(cls, n_s: int, n_x: int, alpha: float, rng: np.random.Generator) -> Joint:
        """Draw from the symmetric Dirichlet; alpha = ½ is the Jeffreys prior ([RLDP] §8)."""
        shape = _sizes(n_s, n_x)
        alpha = validation.number(alpha, "alpha", low=0.0, open_low=True)
        return cls.from_counts(rng.dirichlet([alpha] * (shape[0] * shape[1])).reshape(shape))

    def release(self, kernel: ArrayLike) -> FloatArray:
        """Return P(s, y), shape (n_s, n_y), of a mechanism on this joint.

        Parameters
        ----------
        kernel : array_like
            P(y | x), shape (n_x, n_y), or P(y | s, x), shape (n_s·n_x, n_y), rows s·n_x + x,
            of a mechanism that reads S too.

        Examples
        --------
        >>> Joint.from_counts([[3, 1], [1, 3]]).release([[1.0], [1.0]])
        array([[0.5],
               [0.5]])
        """
        array = self.checked_kernel(kernel)
        released: FloatArray
        if array.shape[0] == self.n_x:
            few = made_of(array)
            released = self.p @ array if few is None else few.mixed(self.p)
        else:
            cube = array.reshape(self.n_s, self.n_x, -1)
            released = np.einsum("sx,sxy->sy", self.p, cube)
        return released

    def release_x(self, kernel: ArrayLike) -> FloatArray:
        """Return P(x, y), shape (n_x, n_y), of a mechanism on this joint (see `release`)."""
        array = self.checked_kernel(kernel)
        released: FloatArray
        if array.shape[0] == self.n_x:
            released = self.p_x[:, None] * array
        else:
            cube = array.reshape(self.n_s, self.n_x, -1)
            released = np.einsum("sx,sxy->xy", self.p, cube)
        return released

    def checked_kernel(self, kernel: ArrayLike) -> FloatArray:
        """Return a kernel with n_x or n_s·n_x rows as an array, checked."""
        array = np.asarray(kernel, dtype=np.float64)
        reads_secret = array.ndim == 2 and array.shape[0] == self.n_s * self.n_x
        rows = self.n_s * self.n_x if reads_secret else self.n_x
        few = made_of(array)
        if few is None or few.shape[0] != rows:
            return validation.kernel(array, rows)
        validation.matrix(few.values[None], "kernel")
        validation.sums_to_one(few.sums(), "kernel")
        return array


def _sizes(n_s: int, n_x: int) -> tuple[int, int]:
    return validation.whole(n_s, "n_s", low=1), validation.whole(n_x, "n_x", low=1)


def _columns(frame: pd.DataFrame, names: str | Sequence[str]) -> list[list[str | None]]:
    """Return the named columns as text, None where a value is missing."""
    listed = [names] if isinstance(names, str) else list(names)
    if not listed:
        raise InvalidInputError("Name at least one column for S and one for X.")
    for name in listed:
        if list(frame.columns).count(name) != 1:
            have = ", ".join(map(repr, frame.columns))
            raise InvalidInputError(
                f"Column {name!r} must occur once in the data, which has {have}."
            )
    return [
        [
            None if missing else str(value)
            for value, missing in zip(column, column.isna(), strict=True)
        ]
        for column in (frame[name] for name in listed)
    ]


def _label(levels: Sequence[str | None]) -> str:
    return JOINER.join(MISSING if level is None else level for level in levels)


def _joined(columns: Sequence[Sequence[str | None]]) -> list[str]:
    """Return one column of labels: the columns' texts, joined."""
    return list(map(_label, zip(*columns, strict=True)))


def _order(columns: Sequence[Sequence[str | None]]) -> list[str]:
    """Return the labels of the joined columns, once each, in the order of their levels."""
    numeric = [all_numbers(column) for column in columns]
    seen = dict.fromkeys(zip(*columns, strict=True))

    def place(levels: tuple[str | None, ...]) -> tuple[object, ...]:
        return tuple(position(*pair) for pair in zip(levels, numeric, strict=True))

    return list(dict.fromkeys(map(_label, sorted(seen, key=place))))
