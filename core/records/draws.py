"""Random numbers of a release, from a seed or from a secret key and each record's id.

Whoever can predict the random numbers of a release can undo a part of it. So they come from
cryptographic hash functions, not from a generator for simulations; and of a seed or key only a
commitment is written, a hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from core import validation
from core.errors import InvalidInputError
from core.siphash import KEY, Words, siphash
from core.validation import FloatArray, IntArray, shown

Ids = Sequence[str] | Any
"""Ids of records: texts in Python, or a string array of Arrow."""

BLOCK = 1 << 16
"""Random numbers that are computed together."""

LARGEST_SEED = (1 << 256) - 1
"""The largest seed: 256 bits are the strength of SHAKE-256."""

GUESSABLE = 1 << 64
"""A seed below this can be found by trying all of them."""

LEAST_KEY = 16
"""Least bytes of a key: fewer can be found by trying."""


class Draw(Protocol):
    """A source of the random numbers of a release."""

    @property
    def kind(self) -> str:
        """Return "seed" or "key"."""

    @property
    def commitment(self) -> str:
        """Return a hash of the secret, which identifies it without revealing it."""

    def uniforms(self, start: int, count: int, ids: Ids | None = None) -> FloatArray:
        """Return a number in [0, 1) for each record, shape (count,).

        Parameters
        ----------
        start : int
            Index of the first record in the file, from 0.
        count : int
            Number of records.
        ids : sequence of str or pyarrow.Array, optional
            Their ids, which a keyed draw needs.
        """


@dataclass(frozen=True)
class Seeded:
    """Random numbers by the index of a record in its file.

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
    The number of record i is made of the 8 bytes from 8(i mod 65536) of SHAKE-256 of the text
    "liftscope draw SEED ⌊i/65536⌋": the 53 highest bits of a little-endian number, over 2⁵³.

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
        """Read a seed from text.

        Raises
        ------
        InvalidInputError
            If it is no whole number from 0 to 2²⁵⁶ − 1.

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

    def uniforms(self, start: int, count: int, ids: Ids | None = None) -> FloatArray:
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
        """Return the random numbers of a block; the last one is kept, as batches may share it."""
        if block not in self._kept:
            text = f"liftscope draw {self.seed} {block}".encode()
            made = _unit(hashlib.shake_256(text).digest(8 * BLOCK))
            self._kept.clear()
            self._kept[block] = made
        return self._kept[block]


@dataclass(frozen=True)
class Keyed:
    """Random numbers by the id of a record: the same id always has the same number.

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
    The number of a record is made of SipHash-2-4 of its id in UTF-8: the 53 highest bits, over
    2⁵³. The hash's key is the 16-byte BLAKE2b, with the person "record", of the 64-byte BLAKE2b of
    the key. SipHash is a pseudorandom function: whoever does not have the key, but all numbers of
    other ids, can tell a record's number from a random one only by trying 2¹²⁸ keys, as far as
    is known.

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
        """Read a key, which is all bytes of a file.

        Raises
        ------
        InvalidInputError
            If the file cannot be read or is too short.
        """
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

    def uniforms(self, start: int, count: int, ids: Ids | None = None) -> FloatArray:
        """Return a number in [0, 1) for each record; see `Draw`."""
        del start
        if ids is None or len(ids) != count:
            raise InvalidInputError(f"A keyed draw needs an id for each of {count:,} records.")
        key = hashlib.blake2b(self._hashed, digest_size=KEY, person=b"record").digest()
        texts = ids if isinstance(ids, pa.Array) else pa.array(ids, pa.string())
        return _of_whole(siphash(texts, key))


def _unit(content: bytes) -> FloatArray:
    """Return a number in [0, 1) for each eight bytes, from the 53 highest bits."""
    return _of_whole(np.frombuffer(content, dtype="<u8"))


def _of_whole(whole: Words) -> FloatArray:
    """Return a number in [0, 1) for each of 64 bits, from the 53 highest."""
    result: FloatArray = (whole >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return result


class Sampler:
    """Draws outputs from the rows of a kernel, with one random number for each record.

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
            The kernel's row of each record, shape (n,).
        uniforms : ndarray
            A number in [0, 1) for each record, shape (n,).
        """
        outputs: IntArray = self._certain[rows]
        random = np.flatnonzero(outputs < 0)
        order = random[np.argsort(rows[random], kind="stable")]
        present, starts = np.unique(rows[order], return_index=True)
        for row, part in zip(present, np.split(order, starts[1:]), strict=False):
            outputs[part] = np.searchsorted(self._upto[row], uniforms[part], side="right")
        return outputs
