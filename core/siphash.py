"""SipHash-2-4 of many texts at once, in NumPy.

Source: J.-P. Aumasson and D. J. Bernstein, SipHash: a fast short-input PRF, INDOCRYPT 2012.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.errors import InvalidInputError

KEY = 16
"""Bytes of a key."""

SECRETS = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
"""What the key is mixed with at first, as the function's authors chose it."""

TOGETHER = 1 << 14
"""Texts whose state is held at once: more leave the processor's cache."""

WORD = 8
"""Bytes of a word."""

Words = NDArray[np.uint64]


def siphash(texts: Any, key: bytes) -> Words:
    """Return the hash of each text, as whole numbers of 64 bits, shape (n,).

    Parameters
    ----------
    texts : pyarrow.Array
        Texts, n of them; their bytes in UTF-8 are hashed. A missing one counts as empty.
    key : bytes
        16 bytes.

    Raises
    ------
    InvalidInputError
        If the key has another length.

    Examples
    --------
    >>> [hex(one) for one in siphash(pa.array(["", "7"]), bytes(range(16)))]
    ['0x726fdb47dd0e0e31', '0x18733d77b7f7e614']
    """
    if len(key) != KEY:
        raise InvalidInputError(f"The key of a hash must have {KEY} bytes, got {len(key)}.")
    starts, lengths, words = _words(texts)
    result = np.empty(len(lengths), dtype=np.uint64)
    order = np.argsort(-(lengths // WORD), kind="stable")  # those with most words first
    for first in range(0, len(order), TOGETHER):
        chosen = order[first : first + TOGETHER]
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
        for place, secret in enumerate(SECRETS)
    ]
    spare = np.empty(len(starts), dtype=np.uint64)
    whole, rest = np.divmod(lengths, WORD)
    for place in range(int(whole[0])):
        left = int(np.searchsorted(-whole, -place))  # those that have such a word
        part = [one[:left] for one in state]
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
