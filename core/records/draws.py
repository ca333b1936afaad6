"""Random numbers of a release, from a seed or from a secret key and each record's id.

Anyone who can predict them can undo part of the release. So they come from cryptographic hash
functions (SipHash-2-4 for ids: J.-P. Aumasson and D. J. Bernstein, INDOCRYPT 2012), and a
certificate shows only a hash of the seed or key, its commitment.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core import validation
from core.errors import InvalidInputError
from core.limits import CACHED
from core.records.written import hashed, written
from core.validation import FloatArray, IntArray, shown

LEAST_KEY = 16
"""Bytes of a hash's key, and the least of a key of draws: fewer can be found by trying."""


WORD = 8
"""Bytes of a word."""

Words = NDArray[np.uint64]


def siphash(texts: Any, key: bytes) -> Words:
    """Return the hash of each text, as whole numbers of 64 bits, shape (n,)."""
    if len(key) != LEAST_KEY:
        raise InvalidInputError(f"The key of a hash must have {LEAST_KEY} bytes, got {len(key)}.")
    starts, lengths, words = _words(texts)
    result = np.empty(len(lengths), dtype=np.uint64)
    order = np.argsort(-(lengths // WORD), kind="stable")  # those with most words first
    for first in range(0, len(order), CACHED):
        chosen = order[first : first + CACHED]
        result[chosen] = _hashed(words, starts[chosen], lengths[chosen], key)
    return result


def _words(texts: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], Words]:
    """Return where each text begins, its bytes, and the word at every byte of all texts."""
    plain = texts.cast(pa.string()).fill_null("")
    _, ends, content = plain.buffers()
    count = len(plain)
    offsets = np.zeros(count + 1, dtype=np.int64)
    if count:
        offsets[:] = np.frombuffer(ends, np.int32)[plain.offset : plain.offset + count + 1]
    data = np.zeros(offsets[-1] + 2 * WORD, dtype=np.uint8)
    if content is not None:
        data[: offsets[-1]] = np.frombuffer(content, np.uint8)[: offsets[-1]]
    words: Words = np.ndarray((len(data) - WORD + 1,), "<u8", data, strides=(1,))
    return offsets[:-1], np.diff(offsets), words


def _hashed(words: Words, starts: Any, lengths: Any, key: bytes) -> Words:
    """Return the hashes of some texts, which are sorted by their number of words."""
    halves = np.frombuffer(key, "<u8").astype(np.uint64)
    state = [
        np.full(len(starts), np.uint64(secret) ^ halves[place % 2])
        # as the function's authors chose it
        for place, secret in enumerate(
            (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
        )
    ]
    spare = np.empty(len(starts), dtype=np.uint64)
    whole, rest = np.divmod(lengths, WORD)
    for place in range(int(whole[0])):
        left = int(np.searchsorted(-whole, -place))  # those that have such a word
        part = [words_of[:left] for words_of in state]
        _taken(part, words[starts[:left] + WORD * place].astype(np.uint64), spare[:left])
    bits = (WORD * rest).astype(np.uint64)
    last = words[starts + WORD * whole].astype(np.uint64)
    last &= (np.uint64(1) << bits) - np.uint64(1)
    last |= lengths.astype(np.uint64) << np.uint64(56)
    _taken(state, last, spare)
    state[2] ^= np.uint64(0xFF)
    for _ in range(4):
        _round(state, spare)
    result: Words = state[0] ^ state[1] ^ state[2] ^ state[3]
    return result


def _taken(state: list[Words], word: Words, spare: Words) -> None:
    """Mix a word of each text into its state."""
    state[3] ^= word
    _round(state, spare)
    _round(state, spare)
    state[0] ^= word


def _round(state: list[Words], spare: Words) -> None:
    """Mix the four words of each state, in place."""
    a, b, c, d = state
    a += b
    c += d
    _turned(b, 13, spare)
    _turned(d, 16, spare)
    b ^= a
    d ^= c
    _turned(a, 32, spare)
    c += b
    a += d
    _turned(b, 17, spare)
    _turned(d, 21, spare)
    b ^= c
    d ^= a
    _turned(c, 32, spare)


def _turned(word: Words, bits: int, spare: Words) -> None:
    """Rotate words to the left, in place."""
    np.left_shift(word, np.uint64(bits), out=spare)
    np.right_shift(word, np.uint64(64 - bits), out=word)
    word |= spare


Ids = Sequence[str] | Any
"""Ids of records: texts in Python, or a string array of Arrow."""

BLOCK = 1 << 16
"""Random numbers that are computed together."""


GUESSABLE = 1 << 64
"""Seeds below this can be found by trying them all."""


def mechanism_hash(
    columns: Sequence[str],
    inputs: Sequence[str],
    outputs: Sequence[str],
    kernel: FloatArray,
    formed: Mapping[str, Any],
) -> str:
    """Return the SHA-256 of the columns of X, the names, a kernel and how X is formed, as JSON.

    The kernel has shape (rows, n_y). `formed`: see `core.records.formed.formed`.
    `InvalidInputError` as of `core.records.written.written`.
    """
    rows = hashed(written(kernel))
    parts = [list(columns), list(inputs), list(outputs), rows, formed]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Seeded:
    """Random numbers by the index of a record in its file, from a seed of 0 to 2²⁵⁶ − 1.

    The number of record i is made of the 8 bytes from 8(i mod 65536) of SHAKE-256 of the text
    "liftscope draw SEED ⌊i/65536⌋": the 53 highest bits of a little-endian number, over 2⁵³. For a
    mechanism its hash stands behind the seed, then that of names left out, if they are withheld and
    the mechanism was made for other data, and for a file then the commitment to it, if any.
    """

    seed: int
    mechanism: str = ""
    file: str = ""
    _kept: dict[int, FloatArray] = field(default_factory=dict, repr=False, compare=False)

    kind = "seed"

    def __post_init__(self) -> None:
        validation.whole(self.seed, "The seed", low=0, high=(1 << 256) - 1)

    @classmethod
    def from_text(cls, text: str) -> Seeded:
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
        """Return a hash of the seed, which identifies it without revealing it."""
        return hashlib.sha256(f"liftscope seed {self.seed}".encode()).hexdigest()

    def committed(self, sha256: str) -> str | None:
        """Return the HMAC-SHA-256 of a file's hash, by a key of the seed; None if it is guessable.

        With a plain hash, anyone who has the released file could try originals until one fits.
        """
        if self.guessable:
            return None
        secret = f"liftscope original {self.seed}".encode()
        return hmac.new(secret, sha256.encode(), hashlib.sha256).hexdigest()

    def of(self, mechanism: str) -> Seeded:
        """Return the draw with random numbers for a mechanism alone, by its `mechanism_hash`.

        Two mechanisms that share random numbers reveal X together: each output narrows the number
        to an interval, and few X fit both. So does one mechanism where X is formed in two ways:
        two outputs of a record differ only if its X does.
        """
        return Seeded(self.seed, mechanism, self.file)

    def on(self, sha256: str) -> Seeded:
        """Return the draw with random numbers for a file alone, by its SHA-256.

        Two files that share random numbers reveal X together, as two mechanisms do. A guessable
        seed has the same for every file.
        """
        return Seeded(self.seed, self.mechanism, self.committed(sha256) or "")

    def uniforms(self, start: int, count: int, ids: Ids | None = None) -> FloatArray:
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
            about = filter(None, (str(self.seed), self.mechanism, self.file))
            text = f"liftscope draw {' '.join(about)} {block}".encode()
            made = _unit(hashlib.shake_256(text).digest(8 * BLOCK))
            self._kept.clear()
            self._kept[block] = made
        return self._kept[block]


@dataclass(frozen=True)
class Keyed:
    """Random numbers by the id of a record, in a column: the same id always has the same number.

    It is the 53 highest bits, over 2⁵³, of SipHash-2-4 of the id in UTF-8; that hash's key is the
    16-byte BLAKE2b, with the person "record", of the 64-byte BLAKE2b of the key, and of the hash of
    the mechanism that it is for. SipHash is a pseudorandom function: as far as is known,
    the numbers of all other ids do not distinguish a record's number from a random one
    without trying 2¹²⁸ keys.
    """

    key: bytes = field(repr=False)
    column: str
    mechanism: str = ""

    kind = "key"

    def __post_init__(self) -> None:
        if len(self.key) < LEAST_KEY:
            raise InvalidInputError(
                f"The key must have at least {LEAST_KEY} bytes, got {len(self.key)}."
            )

    @classmethod
    def from_file(cls, path: Path, column: str) -> Keyed:
        """Read a key, which is all bytes of a file."""
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
        return hashlib.blake2b(
            b"liftscope key", key=self._hashed, digest_size=32, person=b"commitment"
        ).hexdigest()

    def committed(self, sha256: str) -> str | None:
        """Return the BLAKE2b of a file's hash, by the key."""
        return hashlib.blake2b(
            sha256.encode(), key=self._hashed, digest_size=32, person=b"original"
        ).hexdigest()

    def of(self, mechanism: str) -> Keyed:
        """Return the draw for a mechanism alone, as `Seeded.of` does."""
        return Keyed(self.key, self.column, mechanism)

    def on(self, sha256: str) -> Keyed:
        """Return the draw itself: by a key only records with the same id share a number."""
        del sha256
        return self

    @property
    def _hashed(self) -> bytes:
        return hashlib.blake2b(self.key).digest()

    def uniforms(self, start: int, count: int, ids: Ids | None = None) -> FloatArray:
        del start
        if ids is None or len(ids) != count:
            raise InvalidInputError(f"A draw by a key needs an id for each of {count:,} records.")
        secret = self._hashed + bytes.fromhex(self.mechanism)
        key = hashlib.blake2b(secret, digest_size=LEAST_KEY, person=b"record").digest()
        texts = ids if isinstance(ids, pa.Array) else pa.array(ids, pa.string())
        return _of_whole(siphash(texts, key))


Draw = Seeded | Keyed
"""A source of the random numbers of a release: a number in [0, 1) for each record, (n,)."""


def _unit(content: bytes) -> FloatArray:
    """Return a number in [0, 1) for each eight bytes, from the 53 highest bits."""
    return _of_whole(np.frombuffer(content, dtype="<u8"))


def _of_whole(whole: Words) -> FloatArray:
    """Return a number in [0, 1) for each of 64 bits, from the 53 highest."""
    result: FloatArray = (whole >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return result


class Sampler:
    """Draws outputs from the rows of a kernel (rows, n_y), with one random number a record."""

    def __init__(self, kernel: FloatArray) -> None:
        row, self._outputs = np.nonzero(kernel > 0)
        self._values = kernel[row, self._outputs]
        self._begin = np.searchsorted(row, np.arange(len(kernel) + 1))
        only = np.diff(self._begin) == 1
        self._certain = np.where(only, self._outputs[self._begin[:-1]], -1)

    def __call__(self, rows: IntArray, uniforms: FloatArray) -> IntArray:
        """Return the output of each record, (n,), of rows (n,) and uniforms (n,)."""
        outputs: IntArray = self._certain[rows]
        random = np.flatnonzero(outputs < 0)
        order = random[np.argsort(rows[random], kind="stable")]
        present, starts = np.unique(rows[order], return_index=True)
        for row, part in zip(present, np.split(order, starts[1:]), strict=False):
            own = slice(self._begin[row], self._begin[row + 1])
            upto = np.cumsum(self._values[own])
            upto[-1] = 1.0  # no output of probability 0
            outputs[part] = self._outputs[own][np.searchsorted(upto, uniforms[part], side="right")]
        return outputs
