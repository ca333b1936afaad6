"""Checks of the draw: whether the outputs can be draws, and the draw made again."""

from __future__ import annotations

import hashlib
import hmac
import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from core.errors import InvalidInputError
from core.records.checking.check import Check, UncheckedError, WrongError, check_named
from core.records.design import stand_in
from core.records.fields import LINKED, SHARED
from core.records.recount import Recount
from core.records.written import hashed
from core.validation import BoolArray, FloatArray, IntArray, shown

ALARM = 0.001
"""False alarm rate: the largest probability that a true release fails."""

DRAWS = 1_999
"""Draws from the kernel, with which the least p-value is half of `ALARM`."""


@dataclass(frozen=True)
class Consistency:
    """The p-values of the tests of cells and of totals; a row with an impossible output, if any.

    Two tests share the false alarm rate: the exact binomial tails of each cell, a secret's records
    of a row with an output, against the rate divided by the number of cells (Bonferroni), and the
    distance of the totals of each secret's outputs from their means, against draws from the kernel
    (Monte Carlo). Neither rests on an approximation, so the rate is an upper bound for every file.
    """

    impossible: tuple[int, int] | None
    cells: float
    totals: float

    @property
    def holds(self) -> bool:
        return self.impossible is None and min(self.cells, self.totals) > ALARM / 2


MOST_CELLS = 20_000
"""Cells up to which a secret's records are tested apart: some seconds, and 1 GB."""


def consistency(
    rows: IntArray, outputs: IntArray, kernel: FloatArray, secrets: IntArray | None = None
) -> Consistency:
    """Test the outputs (n,) of records, by rows and secrets (n,), against a kernel (rows, n_y)."""
    together = np.zeros(len(rows), dtype=np.int64)
    groups = together if secrets is None else np.unique(secrets, return_inverse=True)[1]
    kinds, place = np.unique(groups * len(kernel) + rows, return_inverse=True)
    if (kernel > 0).sum(axis=1)[kinds % len(kernel)].sum() > MOST_CELLS:
        kinds, place = np.unique(rows, return_inverse=True)
    wrong = np.flatnonzero(kernel[rows, outputs] <= 0)
    if len(wrong):
        first = wrong[np.lexsort((outputs[wrong], place[wrong]))[0]]
        return Consistency((int(rows[first]), int(outputs[first])), 0.0, 0.0)
    # rows of one output, most of a large kernel, are as they must be now
    of_row: BoolArray = np.asarray(((kernel > 0) & (kernel < 1)).any(axis=1))
    random = of_row[kinds % len(kernel)]
    kept, place = random[place], (np.cumsum(random) - 1)[place]
    of_kind = kernel[kinds[random] % len(kernel)]
    pairs = np.zeros(of_kind.shape, dtype=np.int64)
    np.add.at(pairs, (place[kept], outputs[kept]), 1)
    records = pairs.sum(axis=1)
    totals = _totals(pairs, records, of_kind, kinds[random] // len(kernel))
    return Consistency(None, _cells(pairs, records, of_kind), totals)


def _cells(pairs: IntArray, records: IntArray, kernel: FloatArray) -> float:
    """Return the least two-sided p-value of a cell, times the number of cells, at most 1."""
    random = (kernel > 0) & (kernel < 1)
    if not random.any():
        return 1.0
    of_row = np.broadcast_to(records[:, None], kernel.shape)[random]
    seen, chance = pairs[random], kernel[random]
    below = stats.binom.cdf(seen, of_row, chance)
    above = stats.binom.sf(seen - 1, of_row, chance)
    return float(min(1.0, 2 * random.sum() * np.minimum(below, above).min()))


def _totals(pairs: IntArray, records: IntArray, kernel: FloatArray, groups: IntArray) -> float:
    """Return the p-value of the distance of the outputs' totals in groups of rows from means."""
    rng = np.random.default_rng(20_261_122)  # so that a check has the same outcome each time
    distance, drawn = 0.0, np.zeros(DRAWS)
    for group in np.unique(groups):
        of_group = np.flatnonzero(groups == group)
        mean = records[of_group] @ kernel[of_group]
        variance = records[of_group] @ (kernel[of_group] * (1 - kernel[of_group]))
        free = variance > 1e-12 * records[of_group].sum()
        if not free.any():
            continue
        totals = np.zeros((DRAWS + 1, kernel.shape[1]))
        totals[0] = pairs[of_group].sum(axis=0)
        for row in of_group:
            possible = np.flatnonzero(kernel[row] > 0)
            chances = kernel[row, possible] / kernel[row, possible].sum()
            totals[1:, possible] += rng.multinomial(records[row], chances, size=DRAWS)
        away = ((totals[:, free] - mean[free]) ** 2 / variance[free]).sum(axis=1)
        distance, drawn = distance + float(away[0]), drawn + away[1:]
    return float((1 + (drawn >= distance).sum()) / (DRAWS + 1))


BLOCK = 65_536
"""Random numbers of a seed that come from one hash."""


@dataclass(frozen=True)
class Owner:
    """What the owner gives besides a certificate: the seed's digits, or the key or its file."""

    body: Mapping[str, Any]
    seed: str | None = None
    key: Path | bytes | None = None

    @property
    def guessable(self) -> bool:
        """Whether the secret of the draw is a seed that can be found by trying all of them."""
        seeded = self.body["draw"]["kind"] == "seed" and self.seed is not None
        return seeded and int(_digits(self.seed or "")) < 2**64

    @property
    def is_other(self) -> bool:
        """Whether what was given is another seed, or key, than the certificate commits to."""
        given = self.seed if self.body["draw"]["kind"] == "seed" else self.key
        return given is not None and self.committed("") is None

    def committed(self, sha256: str) -> str | None:
        """Return the commitment to a file of this hash; None without the secret of the draw."""
        stated = self.body["draw"]["commitment"]
        if self.body["draw"]["kind"] == "key":
            if self.key is None or _of_key(self.key, b"liftscope key", b"commitment") != stated:
                return None
            return _of_key(self.key, sha256.encode(), b"original")
        if self.seed is None or _of_seed(_digits(self.seed)) != stated:
            return None
        secret = f"liftscope original {_digits(self.seed)}".encode()
        return hmac.new(secret, sha256.encode(), hashlib.sha256).hexdigest()


def other_secret(kind: str) -> Check:
    """Return the check of a seed or a key that the certificate does not commit to."""
    return Check(kind, False, f"This is not the {kind} that the certificate commits to.")


@check_named("draw")
def drawn(body: Mapping[str, Any], counted: Recount, outputs: IntArray, kernel: FloatArray) -> str:
    """Test whether the outputs can be draws from the kernel."""
    if (
        len(outputs) != len(counted.rows)
        or (outputs < 0).any()
        or counted.rows.max(initial=-1) >= len(kernel)
    ):
        text = "The released records do not match the original's, so the draw cannot be theirs."
        raise WrongError(text)
    test = consistency(counted.rows, outputs, kernel, counted.secrets)
    if test.impossible is not None:
        row, y = test.impossible
        label = body["mechanism"]["outputs"][y]
        text = f"A record has the output {label!r}, which row {row + 1} of the kernel rules out."
        raise WrongError(text)
    how = "consistent with the kernel" if test.holds else "inconsistent with the kernel"
    text = (
        f"The outputs are {how} (p = {test.cells:.3g} cell by cell, {test.totals:.3g} in all; a "
        f"true release fails once in {1 / ALARM:,.0f})."
    )
    if not test.holds:
        raise WrongError(text)
    return text


@check_named("seed")
def replayed(
    body: Mapping[str, Any],
    counted: Recount,
    outputs: IntArray,
    kernel: FloatArray,
    seed: str,
    whole: Mapping[str, Any],
) -> str:
    """Check the commitment to the seed, and draw every output again.

    `whole`: the certificate with the names that it withholds, which the random numbers are for.
    """
    digits = _digits(seed)
    committed = _of_seed(digits) == body["draw"]["commitment"]
    seeded = body["draw"]["kind"] == "seed"
    if seeded and not committed:
        raise WrongError(other_secret("seed").sentence)
    about = drawn_for(body)
    if about != body["draw"].get("mechanism", ""):
        raise WrongError(OTHER_MECHANISM)
    file = body["original"]["commitment"] if body["version"] > SHARED else None
    other: int | None = None
    for names in dict.fromkeys((_withheld(whole), "")):  # the first of version 6 were for no names
        named = " ".join(filter(None, (digits, about, names, file)))
        numbers = _numbers(named, counted.places.tolist())
        other = _first_other(counted, outputs, kernel, numbers)
        if other is None:
            break
    if not seeded:
        chance = len(outputs) > 0 and bool((kernel[counted.rows].max(axis=1) < 1).any())
        if committed or (other is None and chance):
            raise WrongError("The certificate names a key, but this seed made the draw.")
        raise UncheckedError("The release was drawn with a key, not with a seed.")
    if other is not None:
        raise WrongError(f"Record {other + 1:,} has a different output than the seed draws.")
    return "The seed draws every output of the file."


@check_named("key")
def keyed(
    body: Mapping[str, Any],
    counted: Recount,
    outputs: IntArray,
    kernel: FloatArray,
    ids: Sequence[str | None],
    key: Path | bytes | None,
) -> str:
    """Check the ids of a keyed draw and, with the key, its commitment and every output."""
    column = body["draw"]["id"]
    if None in ids or len(set(ids)) < len(ids):
        text = f"The column {column!r} must have a distinct id for each record, as a key needs."
        raise WrongError(text)
    if key is None:
        raise UncheckedError("You did not give the key, so the draws were not repeated.")
    if _of_key(key, b"liftscope key", b"commitment") != body["draw"]["commitment"]:
        raise WrongError(other_secret("key").sentence)
    about = drawn_for(body)
    if about != body["draw"].get("mechanism", ""):
        raise WrongError(OTHER_MECHANISM)
    secret = _hashed(key) + bytes.fromhex(about)
    secret = hashlib.blake2b(secret, digest_size=16, person=b"record").digest()
    names = [str(ids[place]) for place in counted.places.tolist()]
    if about:
        names = [f"{row} {name}" for row, name in zip(counted.rows.tolist(), names, strict=True)]
    hashes = siphashes([name.encode() for name in names], secret)
    numbers = ((number >> 11) / 2.0**53 for number in hashes)
    other = _first_other(counted, outputs, kernel, numbers)
    if other is not None:
        raise WrongError(f"Record {other + 1:,} has a different output than the key draws.")
    return "The key draws every output of the file, by each record's id."


OTHER_MECHANISM = "The draw belongs to another mechanism than the certificate's."
"""The error where a draw's mechanism is not that of its certificate."""


def drawn_for(body: Mapping[str, Any]) -> str:
    """Return the hash of the mechanism that a draw is for; "" in the first certificates."""
    if "mechanism" not in body["draw"]:
        return ""
    mechanism = body["mechanism"]
    columns = body["design"]["coding"][1]["columns"]
    parts = [columns, mechanism["inputs"], mechanism["outputs"], hashed(mechanism)]
    if body["version"] > LINKED:
        parts.append(_formed(body) | _grouped(body))
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _grouped(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return how what others know is formed, and its groups, where each has a mechanism."""
    if "groups" not in body:
        return {}
    groups = [[group["values"], group["mechanism"]["inputs"]] for group in body["groups"]]
    return {"groups": groups, "known": body["known"]}


def _withheld(body: Mapping[str, Any]) -> str:
    """Return a hash of the names that data of another file have and a release leaves out, or ""."""
    gone = []
    for coding in body["design"]["coding"]:
        left_out = body["scenario"]["data"].get("left_out", [])
        names = [
            name
            for group in left_out
            if group["columns"] == coding["columns"]
            for name in group["names"]
        ]
        gone.append(sorted({symbol["label"] for symbol in coding["symbols"]}.intersection(names)))
    if body["design"]["same"] or not any(gone):
        return ""
    return hashlib.sha256(json.dumps(gone).encode()).hexdigest()


def _formed(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the rows of the kernel follow from, and by a seed which records are released."""
    keyed = body["draw"]["kind"] == "key"
    data, design, reads_s = body["scenario"]["data"], body["design"], body["mechanism"]["reads_s"]
    secret, released = design["coding"]
    by_x = keyed and not reads_s and not data.get("secret_released")
    sides = [released] if by_x else [secret, released]
    names = {name for side in sides for name in side["columns"]}
    used = [hierarchy for hierarchy in data.get("hierarchies", []) if hierarchy["column"] in names]
    parents = [dict(hierarchy, rows=sorted(hierarchy.get("rows", []))) for hierarchy in used]
    return {
        "coding": sides,
        "filters": [] if keyed else sorted(data.get("filters", []), key=json.dumps),
        "hierarchies": sorted(parents, key=lambda hierarchy: hierarchy["column"]),
        "id": body["draw"]["id"],
        "marked": sorted(name for name in design["marked"] if not keyed or name in names),
        "missing": data.get("missing"),
        "read": data.get("read", {}),
        "s": design["s"] if reads_s else None,
        "unknown": stand_in(body["unknown"]["treatment"]),
    }


def _first_other(
    counted: Recount, outputs: IntArray, kernel: FloatArray, numbers: Iterator[float]
) -> int | None:
    """Return the first record whose output is not that of its random number, or None."""
    if len(outputs) != len(counted.rows):
        return min(len(outputs), len(counted.rows))
    places = [np.flatnonzero(row).tolist() for row in kernel]
    sums = [list(accumulate(row[own].tolist())) for row, own in zip(kernel, places, strict=True)]
    pairs = zip(counted.rows.tolist(), outputs.tolist(), numbers, strict=True)
    for record, (row, y, number) in enumerate(pairs):
        at = min(bisect_right(sums[row], number), len(sums[row]) - 1)
        if places[row][at] != y:
            return record
    return None


def _digits(seed: str) -> str:
    """Return a seed's digits without zeros in front."""
    digits = seed.strip().lstrip("0") or "0"
    if not seed.strip().isdecimal() or len(digits) > 78:  # as 2^256 − 1, the largest seed
        raise InvalidInputError(
            f"The seed must be a whole number from 0 to 2^256 − 1, got {shown(seed)}."
        )
    return str(int(digits))


def _of_seed(digits: str) -> str:
    return hashlib.sha256(f"liftscope seed {digits}".encode()).hexdigest()


def _of_key(key: Path | bytes, content: bytes, person: bytes) -> str:
    """Return a key's hash of a content, for one purpose."""
    made = hashlib.blake2b(content, key=_hashed(key), digest_size=32, person=person)
    return made.hexdigest()


def _hashed(key: Path | bytes) -> bytes:
    """Return the hash of a key, all bytes of its file, which stands for the key."""
    if isinstance(key, bytes):
        return hashlib.blake2b(key).digest()
    try:
        return hashlib.blake2b(key.read_bytes()).digest()
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"The key file {str(key)!r} cannot be read: {error}.") from error


def _numbers(about: str, places: Sequence[int]) -> Iterator[float]:
    """Yield the random number of each record, by its place in the original; `about`: the seed."""
    held, block = -1, b""
    for record in places:
        if record // BLOCK != held:
            held = record // BLOCK
            block = hashlib.shake_256(f"liftscope draw {about} {held}".encode()).digest(8 * BLOCK)
        place = 8 * (record % BLOCK)
        yield _unit(block[place : place + 8])


def siphashes(texts: Sequence[bytes], key: bytes) -> list[int]:
    """Return SipHash-2-4 of texts, with other code than `core.records.draws`."""
    by_length: dict[int, list[int]] = {}
    for place, text in enumerate(texts):
        by_length.setdefault(len(text), []).append(place)
    low, high = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    results = [0] * len(texts)
    for length, places in by_length.items():
        tail = bytes(7 - length % 8) + bytes([length % 256])
        table = np.frombuffer(b"".join(texts[place] + tail for place in places), "<u8")
        hashes = _sipped(table.reshape(len(places), -1).astype(np.uint64), low, high)
        for place, value in zip(places, hashes.tolist(), strict=True):
            results[place] = value
    return results


def _sipped(table: NDArray[np.uint64], low: int, high: int) -> NDArray[np.uint64]:
    """Return the hash of each row of words, by the authors' description."""
    text = b"somepseudorandomlygeneratedbytes"
    begun = [int.from_bytes(text[i : i + 8], "big") for i in range(0, 32, 8)]
    ones = np.ones(len(table), dtype=np.uint64)
    v0, v1, v2, v3 = (
        ones * np.uint64(part ^ key) for part, key in zip(begun, (low, high) * 2, strict=True)
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
