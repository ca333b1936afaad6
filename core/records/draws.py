"""Random numbers of a release, from a seed or from a secret key and each record's id.

Whoever can tell the random numbers of a release can undo a part of it. So they come from hash
functions of cryptographic strength, not from a generator of simulations; and a seed or key is
never written anywhere, only a commitment to it: a hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from core import validation
from core.errors import InvalidInputError
from core.validation import FloatArray, IntArray, shown

BLOCK = 1 << 16
"""Random numbers that are made together."""

LARGEST_SEED = (1 << 256) - 1
"""The largest seed: as much as the hash can take in."""

GUESSABLE = 1 << 64
"""A seed below this can be found by trying all of them."""

LEAST_KEY = 16
"""Bytes that a key must have: fewer can be found by trying."""


class Draw(Protocol):
    """Where the random numbers of a release come from."""

    @property
    def kind(self) -> str:
        """Return "seed" or "key"."""

    @property
    def commitment(self) -> str:
        """Return a hash of the secret, by which it can be recognised but not found."""

    def uniforms(self, start: int, count: int, ids: Sequence[str] | None = None) -> FloatArray:
        """Return a number in [0, 1) for each record, shape (count,).

        Parameters
        ----------
        start : int
            Place of the first record in the file, from 0.
        count : int
            Number of records.
        ids : sequence of str, optional
            Their ids, which a keyed draw needs.
        """


@dataclass(frozen=True)
class Seeded:
    """Random numbers by the place of a record in its file.

    Attributes
    ----------
    seed : int
        From 0 to 2²⁵⁶ − 1.

    Raises
    ------
    InvalidInputError
        If the seed is no such number.

    Notes
    -----
    Record i has bytes 8(i mod 65536) onwards of SHAKE-256("liftscope draw", seed, ⌊i/65536⌋), read
    as a little-endian number of which the 53 highest bits count.

    Examples
    --------
    >>> Seeded(1).uniforms(0, 2).round(6)
    array([0.560731, 0.561804])
    """

    seed: int
    _kept: dict[int, FloatArray] = field(default_factory=dict, repr=False, compare=False)

    kind = "seed"

    def __post_init__(self) -> None:
        validation.whole(self.seed, "The seed", low=0, high=LARGEST_SEED)

    @classmethod
    def from_text(cls, text: str) -> Seeded:
        """Read a seed as it is typed.

        Examples
        --------
        >>> Seeded.from_text("7").seed
        7
        """
        try:
            seed = int(text)
        except ValueError as error:
            raise InvalidInputError(
                f"The seed must be a whole number of at least 0, got {shown(text)}."
            ) from error
        return cls(seed)

    @property
    def guessable(self) -> bool:
        """Whether the seed is so small that it can be found by trying."""
        return self.seed < GUESSABLE

    @property
    def commitment(self) -> str:
        """Return the hash of the seed."""
        return hashlib.sha256(f"liftscope seed {self.seed}".encode()).hexdigest()

    def uniforms(self, start: int, count: int, ids: Sequence[str] | None = None) -> FloatArray:
        """Return a number in [0, 1) for each record; see `Draw`."""
        del ids
        parts = []
        place, end = start, start + count
        while place < end:
            block, first = divmod(place, BLOCK)
            last = min(BLOCK, first + end - place)
            parts.append(self._block(block)[first:last])
            place += last - first
        return np.concatenate(parts) if parts else np.zeros(0)

    def _block(self, block: int) -> FloatArray:
        """Return the random numbers of a block; the newest is kept, since batches may share it."""
        if block not in self._kept:
            text = f"liftscope draw {self.seed} {block}".encode()
            made = _unit(hashlib.shake_256(text).digest(8 * BLOCK))
            self._kept.clear()
            self._kept[block] = made
        return self._kept[block]


@dataclass(frozen=True)
class Keyed:
    """Random numbers by the id of a record: the same record is answered the same way twice.

    Attributes
    ----------
    key : bytes
        The secret, of 16 bytes or more.
    column : str
        The column of the ids.

    Raises
    ------
    InvalidInputError
        If the key is too short.

    Notes
    -----
    A record has the first 8 bytes of BLAKE2b, keyed with BLAKE2b(key), of its id in UTF-8.

    Examples
    --------
    >>> keyed = Keyed(b"0123456789abcdef", "id")
    >>> first, again = keyed.uniforms(0, 2, ["7", "8"]), keyed.uniforms(5, 1, ["8"])
    >>> bool(first[1] == again[0])
    True
    """

    key: bytes = field(repr=False)
    column: str

    kind = "key"

    def __post_init__(self) -> None:
        if len(self.key) < LEAST_KEY:
            raise InvalidInputError(
                f"The key must have at least {LEAST_KEY} bytes, got {len(self.key)}."
            )

    @classmethod
    def from_file(cls, path: Path, column: str) -> Keyed:
        """Read a key from a file, all of whose bytes count."""
        try:
            return cls(path.read_bytes(), column)
        except (OSError, ValueError) as error:
            if isinstance(error, InvalidInputError):
                raise
            raise InvalidInputError(
                f"The key file {str(path)!r} cannot be read: {error}."
            ) from error

    @property
    def commitment(self) -> str:
        """Return a hash of the key."""
        return hashlib.blake2b(
            b"liftscope key", key=self._hashed, digest_size=32, person=b"commitment"
        ).hexdigest()

    @property
    def _hashed(self) -> bytes:
        return hashlib.blake2b(self.key).digest()

    def uniforms(self, start: int, count: int, ids: Sequence[str] | None = None) -> FloatArray:
        """Return a number in [0, 1) for each record; see `Draw`."""
        del start
        if ids is None or len(ids) != count:
            raise InvalidInputError(f"A keyed draw needs an id for each of {count:,} records.")
        blank = hashlib.blake2b(key=self._hashed, digest_size=8, person=b"record")
        digests = bytearray()
        for one in ids:
            hashed = blank.copy()
            hashed.update(one.encode())
            digests += hashed.digest()
        return _unit(bytes(digests))


def _unit(content: bytes) -> FloatArray:
    """Return a number in [0, 1) for each eight bytes: their 53 highest bits."""
    whole = np.frombuffer(content, dtype="<u8") >> np.uint64(11)
    result: FloatArray = whole.astype(np.float64) * 2.0**-53
    return result


class Sampler:
    """Draws outputs from the rows of a kernel, by one random number each.

    Parameters
    ----------
    kernel : ndarray
        P(y | row), shape (rows, n_y).

    Examples
    --------
    >>> sampler = Sampler(np.array([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]]))
    >>> sampler(np.array([0, 0, 1]), np.array([0.4, 0.5, 0.9]))
    array([0, 2, 1])
    """

    def __init__(self, kernel: FloatArray) -> None:
        self._upto = np.cumsum(kernel, axis=1)
        last = kernel.shape[1] - 1 - (kernel[:, ::-1] > 0).argmax(axis=1)
        self._upto[np.arange(kernel.shape[1]) >= last[:, None]] = 1.0  # no output of probability 0
        only = (kernel > 0).sum(axis=1) == 1
        self._certain = np.where(only, last, -1)

    def __call__(self, rows: IntArray, uniforms: FloatArray) -> IntArray:
        """Return the output of each record.

        Parameters
        ----------
        rows : ndarray
            Which row of the kernel each record has, shape (n,).
        uniforms : ndarray
            A number in [0, 1) for each, shape (n,).
        """
        outputs: IntArray = self._certain[rows]
        random = np.flatnonzero(outputs < 0)
        order = random[np.argsort(rows[random], kind="stable")]
        present, starts = np.unique(rows[order], return_index=True)
        for row, part in zip(present, np.split(order, starts[1:]), strict=False):
            outputs[part] = np.searchsorted(self._upto[row], uniforms[part], side="right")
        return outputs
