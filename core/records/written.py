"""A kernel as a certificate writes it: row by row, or of a large one the entries that are not 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from core.entries import Entries
from core.errors import InvalidInputError
from core.limits import MAX_WRITTEN
from core.validation import FloatArray


def written(kernel: FloatArray) -> dict[str, Any]:
    """Return a kernel's entries of a certificate: all rows, or those with the `places` in them.

    Raises
    ------
    InvalidInputError
        If there are more numbers than a certificate writes out.
    """
    if kernel.size <= MAX_WRITTEN:
        return {"kernel": kernel.tolist()}
    x, y = np.nonzero(kernel)
    if len(x) > MAX_WRITTEN:
        rows, outputs = kernel.shape
        raise InvalidInputError(
            f"A release's certificate writes out its mechanism, of {rows:,} rows and {outputs:,} "
            f"outputs: {len(x):,} entries that are not 0; at most {MAX_WRITTEN:,} are allowed. "
            "Group rare levels, or choose a mechanism of fewer outputs."
        )
    ends = np.cumsum(np.bincount(x, minlength=len(kernel)))[:-1]
    values, places = np.split(kernel[x, y], ends), np.split(y, ends)
    return {
        "kernel": [part.tolist() for part in values],
        "places": [part.tolist() for part in places],
    }


def hashed(mechanism: Mapping[str, Any]) -> list[Any]:
    """Return what a hash of a mechanism covers of its kernel: its rows, and their places."""
    rows: list[Any] = mechanism["kernel"]
    return [mechanism["places"], rows] if "places" in mechanism else rows


def read(mechanism: Mapping[str, Any]) -> FloatArray:
    """Return the kernel of a certificate's mechanism, shape (rows, n_y)."""
    rows = mechanism["kernel"]
    if "places" not in mechanism:
        return np.array(rows, dtype=np.float64)
    n_y = len(mechanism["outputs"])
    at = [np.array(own, dtype=np.int64) + x * n_y for x, own in enumerate(mechanism["places"])]
    values = np.concatenate([np.array(row, dtype=np.float64) for row in rows])
    return Entries((len(rows), n_y), np.concatenate(at), values, by_columns=False).dense()
