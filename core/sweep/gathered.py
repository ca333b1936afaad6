"""The points of a sweep in memory, as they come in any order."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute

from core.records.certificate import code_hash
from core.studies.known import UNPROVEN
from core.sweep.columns import question_columns
from core.sweep.definition import Sweep
from core.sweep.points import schema
from core.validation import BoolArray

KEY = b"liftscope.sweep"
"""Metadata of a table of results: the sweep as JSON."""

UNFINISHED = b"liftscope.sweep.unfinished"
"""The same of a table that lacks points, so that no run takes it for a finished one."""

CODE = b"liftscope.code"
"""Metadata of a table of results: the hash of the code that made it."""


COMPRESSIONS = {"SNAPPY", "UNCOMPRESSED"}
"""How columns of results are written: neither makes pages of gigabytes of a small file."""

ENCODINGS = {"PLAIN", "RLE", "RLE_DICTIONARY", "PLAIN_DICTIONARY"}
"""Likewise: in others a text may be said to begin as the one before."""


class Gathered:
    """The points of one sweep that are computed, which `core.sweep.run` adds to; safe for threads.

    Parameters
    ----------
    sweep : Sweep
        The sweep.
    origin : str
        Hash of the file that some of its points are from; "" where this code computes them all.

    Attributes
    ----------
    found : int
        Number of points that were there when the work under way began: it took no time for them.

    Examples
    --------
    >>> found = Gathered(Sweep())
    >>> found.count, found.complete, found.table().num_rows
    (0, False, 0)
    """

    def __init__(self, sweep: Sweep, origin: str = "") -> None:
        self.sweep, self.origin = sweep, origin
        self.done: BoolArray = np.zeros(sweep.size, dtype=np.bool_)
        self.found = 0
        self._parts: list[Any] = []
        self._lock = threading.Lock()

    @property
    def count(self) -> int:
        """Number of points that are computed."""
        return int(self.done.sum())

    @property
    def complete(self) -> bool:
        """Whether all points are."""
        return bool(self.done.all())

    def add(self, table: Any) -> None:
        """Keep computed points; those that are there already stay as they are."""
        with self._lock:
            fresh = table.filter(pa.array(~self.done[table["point"].to_numpy()]))
            self._parts.append(fresh)
            self.done[fresh["point"].to_numpy()] = True

    @classmethod
    def of(cls, sweep: Sweep, table: Any, origin: str = "") -> Gathered | None:
        """Return the points of a table; None where it is not as `described` would write it.

        Parameters
        ----------
        sweep : Sweep
            What the table says that it is of.
        table : pyarrow.Table
            Points with their questions.
        origin : str
            Hash of the file that it is from.

        Examples
        --------
        >>> sweep = Sweep()
        >>> Gathered.of(sweep, Gathered(sweep).table()).count
        0
        >>> Gathered.of(sweep, pa.table({"point": [1]})) is None
        True
        """
        found = cls(sweep, origin)
        if table.schema.remove_metadata() != found.table().schema.remove_metadata():
            return None
        points = table.select(schema(sweep.measures).names)
        if any(column.null_count for column in points.columns):
            return None
        places = points["point"].to_numpy()
        if (places < 0).any() or (places >= sweep.size).any() or (np.diff(places) <= 0).any():
            return None
        asked = question_columns(sweep, places)
        if not all(table[name].equals(pa.chunked_array([one])) for name, one in asked.items()):
            return None
        found.add(points)
        return found

    def flush(self) -> None:
        """Do nothing: memory is all that there is."""

    def finish(self) -> None:
        """Do nothing: the table is made when it is asked for."""

    def table(self) -> Any:
        """Return the points that are computed, in their order, as `Results.table` does."""
        with self._lock:
            parts = list(self._parts)
        return described(self.sweep, parts)


def is_final(table: Any) -> bool:
    """Return whether no search of a sweep was cut short, and every point has its answer.

    Parameters
    ----------
    table : pyarrow.Table
        Points, as `Gathered.table` returns them.

    Examples
    --------
    >>> is_final(Gathered(Sweep()).table())
    True
    """
    open_ = UNPROVEN in table["status"].to_pylist()
    return not open_ and not any(table["reason"].to_pylist())


def described(sweep: Sweep, parts: list[Any]) -> Any:
    """Return points in their order, with their questions and what they are results of.

    Parameters
    ----------
    sweep : Sweep
        The sweep.
    parts : list of pyarrow.Table
        Its points, as `core.sweep.points.compute` returns them.

    Returns
    -------
    pyarrow.Table
        The columns are those of `question_columns`, `points.KEPT` and the measures.
    """
    points = pa.concat_tables([schema(sweep.measures).empty_table(), *parts]).sort_by("point")
    asked = question_columns(sweep, points["point"].to_numpy())
    columns = {"point": points["point"], **asked}
    columns |= {name: points[name] for name in points.column_names if name != "point"}
    said = {KEY: sweep.to_json().encode(), CODE: code_hash().encode()}
    return pa.table(columns).replace_schema_metadata(said)


def is_as_written(metadata: Any) -> bool:
    """Return whether a Parquet file says that it is compressed and encoded as results are.

    Parameters
    ----------
    metadata : pyarrow.parquet.FileMetaData
        Of the file.
    """
    return all(
        column.compression in COMPRESSIONS and set(column.encodings) <= ENCODINGS
        for column in _columns(metadata)
    )


def packed_bytes(metadata: Any) -> int:
    """Return how many bytes a Parquet file's columns have, with each text of a dictionary once."""
    return sum(int(column.total_uncompressed_size) for column in _columns(metadata))


def _columns(metadata: Any) -> list[Any]:
    groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
    return [group.column(place) for group in groups for place in range(group.num_columns)]


def written_out(table: Any) -> int:
    """Return how many bytes a table has once each text of a dictionary is repeated.

    Parameters
    ----------
    table : pyarrow.Table
        Its texts are in dictionaries.

    Examples
    --------
    >>> texts = pa.array(["abcd", None, "abcd"]).dictionary_encode()
    >>> written_out(pa.table({"reason": texts, "kept": [0.1, 0.2, 0.3]}))
    32
    """
    found = 0
    for column in table.columns:
        if not pa.types.is_dictionary(column.type):
            found += column.nbytes
            continue
        for chunk in column.chunks:
            lengths = compute.binary_length(chunk.dictionary).cast(pa.int64())
            found += compute.sum(lengths.take(chunk.indices)).as_py() or 0
    return found
