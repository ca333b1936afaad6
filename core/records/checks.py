"""One check of a certificate; and the draw made again from its seed."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from core.errors import InvalidInputError
from core.records.recount import Recount
from core.validation import FloatArray, IntArray, shown

MOST_DIGITS = 78
"""Digits of the largest seed, 2^256 − 1."""


@dataclass(frozen=True)
class Check:
    """One check of a certificate.

    Attributes
    ----------
    name : str
        What is checked.
    passed : bool or None
        Whether it holds; None where it could not be checked.
    sentence : str
        What was found.
    """

    name: str
    passed: bool | None
    sentence: str


def replayed(
    body: Mapping[str, Any],
    counted: Recount,
    outputs: IntArray,
    kernel: FloatArray,
    seed: str,
) -> Check:
    """Check the commitment to the seed, and draw every output again."""
    if body["draw"]["kind"] != "seed":
        return Check("seed", None, "The release was drawn by a key, not by a seed.")
    digits = seed.strip().lstrip("0") or "0"
    if not seed.strip().isdecimal() or len(digits) > MOST_DIGITS:
        raise InvalidInputError(
            f"The seed must be a whole number from 0 to 2^256 − 1, got {shown(seed)}."
        )
    digits = str(int(digits))
    said = hashlib.sha256(f"liftscope seed {digits}".encode()).hexdigest()
    if said != body["draw"]["commitment"]:
        return Check("seed", False, "This is not the seed that the certificate is committed to.")
    if counted.filtered or counted.unknown or len(outputs) != len(counted.rows):
        return Check("seed", None, "Records were left out, so the draw was not made again.")
    sums = [list(accumulate(row)) for row in kernel.tolist()]
    last = [max(y for y, p in enumerate(row) if p > 0) for row in kernel.tolist()]
    block = b""
    for record, (row, y) in enumerate(zip(counted.rows.tolist(), outputs.tolist(), strict=True)):
        place = record % 65_536
        if place == 0:
            name = f"liftscope draw {digits} {record // 65_536}".encode()
            block = hashlib.shake_256(name).digest(8 * 65_536)
        number = (int.from_bytes(block[8 * place : 8 * place + 8], "little") >> 11) / 2.0**53
        if min(bisect_right(sums[row], number), last[row]) != y:
            return Check(
                "seed", False, f"Record {record + 1:,} has another output than the seed draws."
            )
    return Check("seed", True, "The seed draws every output of the file.")
