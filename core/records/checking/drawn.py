"""Checks of the draw: whether the outputs can be draws, and the draw made again."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidInputError
from core.records.checking.check import Check
from core.records.consistency import ALARM, consistency
from core.records.recount import Recount
from core.validation import FloatArray, IntArray, shown

MOST_DIGITS = 78
"""Digits of the largest seed, 2^256 − 1."""

BLOCK = 65_536
"""Random numbers of a seed that have a name in common."""


def drawn(
    body: Mapping[str, Any], counted: Recount, outputs: IntArray, kernel: FloatArray
) -> Check:
    """Test whether the outputs can be draws from the kernel."""
    if (
        len(outputs) != len(counted.rows)
        or (outputs < 0).any()
        or counted.rows.max() >= len(kernel)
    ):
        text = "The released records are not those of the original, so the draw cannot be theirs."
        return Check("draw", False, text)
    found = consistency(counted.rows, outputs, kernel)
    if found.impossible is not None:
        row, y = found.impossible
        label = body["mechanism"]["outputs"][y]
        return Check(
            "draw",
            False,
            f"The kernel gives {label!r} to no record of its row {row + 1}: one has it.",
        )
    told = f"p = {found.cells:.3g} cell by cell, {found.totals:.3g} in all"
    if found.holds:
        return Check(
            "draw",
            True,
            f"The outputs are consistent with the kernel ({told}; a true release fails once in "
            f"{1 / ALARM:,.0f}).",
        )
    return Check(
        "draw",
        False,
        f"The outputs are not those of the kernel ({told}; a true release fails once in "
        f"{1 / ALARM:,.0f}).",
    )


def replayed(
    body: Mapping[str, Any],
    counted: Recount,
    outputs: IntArray,
    kernel: FloatArray,
    seed: str,
) -> Check:
    """Check the commitment to the seed, and draw every output again."""
    digits = seed.strip().lstrip("0") or "0"
    if not seed.strip().isdecimal() or len(digits) > MOST_DIGITS:
        raise InvalidInputError(
            f"The seed must be a whole number from 0 to 2^256 − 1, got {shown(seed)}."
        )
    digits = str(int(digits))
    said = hashlib.sha256(f"liftscope seed {digits}".encode()).hexdigest()
    committed = said == body["draw"]["commitment"]
    seeded = body["draw"]["kind"] == "seed"
    if seeded and not committed:
        return Check("seed", False, "This is not the seed that the certificate is committed to.")
    other = _first_other(counted, outputs, kernel, _of_seed(digits, counted.places.tolist()))
    if not seeded:
        chance = len(outputs) > 0 and bool((kernel[counted.rows].max(axis=1) < 1).any())
        if committed or (other is None and chance):
            text = "The certificate says that it was drawn by a key, and this seed made the draw."
            return Check("seed", False, text)
        return Check("seed", None, "The release was drawn by a key, not by a seed.")
    if other is not None:
        return Check("seed", False, f"Record {other + 1:,} has another output than the seed draws.")
    return Check("seed", True, "The seed draws every output of the file.")


def keyed(
    body: Mapping[str, Any],
    counted: Recount,
    outputs: IntArray,
    kernel: FloatArray,
    ids: Sequence[str | None],
    key: Path | None,
) -> Check:
    """Check the ids of a keyed draw and, with the key, its commitment and every output.

    Parameters
    ----------
    body : mapping
        The certificate.
    counted, outputs, kernel
        The records, their outputs and P(y | row).
    ids : sequence of str or None
        The id of each record of the original.
    key : Path or None
        The file of the key, where it is given.
    """
    column = body["draw"]["id"]
    if None in ids or len(set(ids)) < len(ids):
        text = f"The column {column!r} does not name each record once, as a key needs."
        return Check("key", False, text)
    if key is None:
        return Check(
            "key", None, "The key was not given (--key), so the draw was not made again from it."
        )
    try:
        hashed = hashlib.blake2b(key.read_bytes()).digest()
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"The key file {str(key)!r} cannot be read: {error}.") from error
    said = hashlib.blake2b(b"liftscope key", key=hashed, digest_size=32, person=b"commitment")
    if said.hexdigest() != body["draw"]["commitment"]:
        return Check("key", False, "This is not the key that the certificate is committed to.")
    secret = hashlib.blake2b(hashed, digest_size=16, person=b"record").digest()
    found = siphashes([str(ids[place]).encode() for place in counted.places.tolist()], secret)
    numbers = ((one >> 11) / 2.0**53 for one in found)
    other = _first_other(counted, outputs, kernel, numbers)
    if other is not None:
        return Check("key", False, f"Record {other + 1:,} has another output than the key draws.")
    return Check("key", True, "The key draws every output of the file, by each record's id.")


def _first_other(
    counted: Recount, outputs: IntArray, kernel: FloatArray, numbers: Iterator[float]
) -> int | None:
    """Return the first record whose output is not that of its random number, None if none is."""
    if len(outputs) != len(counted.rows):
        return min(len(outputs), len(counted.rows))
    sums = [list(accumulate(row)) for row in kernel.tolist()]
    last = [max(y for y, p in enumerate(row) if p > 0) for row in kernel.tolist()]
    pairs = zip(counted.rows.tolist(), outputs.tolist(), numbers, strict=True)
    for record, (row, y, number) in enumerate(pairs):
        if min(bisect_right(sums[row], number), last[row]) != y:
            return record
    return None


def _of_seed(digits: str, places: Sequence[int]) -> Iterator[float]:
    """Yield the random number of each record, by its place in the original."""
    held, block = -1, b""
    for record in places:
        if record // BLOCK != held:
            held = record // BLOCK
            block = hashlib.shake_256(f"liftscope draw {digits} {held}".encode()).digest(8 * BLOCK)
        place = 8 * (record % BLOCK)
        yield _unit(block[place : place + 8])


def siphashes(texts: Sequence[bytes], key: bytes) -> list[int]:
    """Return SipHash-2-4 of texts, by other code than `core.siphash`.

    Texts of one length are a table of words, a row for each text, and are hashed together.

    Examples
    --------
    >>> hex(siphashes([bytes(range(15))], bytes(range(16)))[0])  # the authors' example
    '0xa129ca6149be45e5'
    """
    by_length: dict[int, list[int]] = {}
    for place, text in enumerate(texts):
        by_length.setdefault(len(text), []).append(place)
    low, high = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    found = [0] * len(texts)
    for length, places in by_length.items():
        tail = bytes(7 - length % 8) + bytes([length % 256])
        table = np.frombuffer(b"".join(texts[place] + tail for place in places), "<u8")
        hashes = _sipped(table.reshape(len(places), -1).astype(np.uint64), low, high)
        for place, value in zip(places, hashes.tolist(), strict=True):
            found[place] = value
    return found


def _sipped(table: NDArray[np.uint64], low: int, high: int) -> NDArray[np.uint64]:
    """Return the hash of each row of words, by the authors' description."""
    text = b"somepseudorandomlygeneratedbytes"
    begun = [int.from_bytes(text[i : i + 8], "big") for i in range(0, 32, 8)]
    ones = np.ones(len(table), dtype=np.uint64)
    v0, v1, v2, v3 = (
        ones * np.uint64(one ^ key) for one, key in zip(begun, (low, high) * 2, strict=True)
    )

    def turned(v: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
        return (v << np.uint64(bits)) | (v >> np.uint64(64 - bits))

    words = [*table.T, None]
    for word in words:
        if word is None:
            v2 = v2 ^ np.uint64(255)
        else:
            v3 = v3 ^ word
        for _ in range(4 if word is None else 2):
            v0, v2 = v0 + v1, v2 + v3
            v1, v3 = turned(v1, 13) ^ v0, turned(v3, 16) ^ v2
            v0 = turned(v0, 32)
            v2, v0 = v2 + v1, v0 + v3
            v1, v3 = turned(v1, 17) ^ v2, turned(v3, 21) ^ v0
            v2 = turned(v2, 32)
        if word is not None:
            v0 = v0 ^ word
    result: NDArray[np.uint64] = v0 ^ v1 ^ v2 ^ v3
    return result


def _unit(content: bytes) -> float:
    return (int.from_bytes(content, "little") >> 11) / 2.0**53
