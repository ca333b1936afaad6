"""Compute the points of a chunk: what a worker does."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import pyarrow as pa
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # no stubs

from core.data import Counted, count
from core.data.spec import DataSpec
from core.errors import CoreError
from core.scenario import Scenario, answer
from core.sweep.batched import answered_at_once
from core.sweep.chunk import Chunk
from core.sweep.measures import measured_values

KEPT = {
    "point": pa.int64(),
    "status": pa.string(),
    "solver": pa.string(),
    "proven": pa.bool_(),
    "reason": pa.string(),
    "seconds": pa.float64(),
}
"""Columns of every point, with their types; each measure is a further one, of doubles."""

COMPARED = tuple(name for name in KEPT if name != "seconds")
"""Those that are the same wherever a point is computed, like every measure."""


def schema(measures: tuple[str, ...]) -> Any:
    """Return the Arrow schema of points.

    Examples
    --------
    >>> schema(("kept",)).names
    ['point', 'status', 'solver', 'proven', 'reason', 'seconds', 'kept']
    """
    return pa.schema([*KEPT.items(), *((name, pa.float64()) for name in measures)])


def compute(chunk: Chunk, *, report: Callable[[Any], None]) -> Any:
    """Return the points of a chunk as an Arrow table, in their order.

    A question that has no answer is a point whose measures are NaN; `reason` says why.

    Parameters
    ----------
    chunk : Chunk
        The questions and their draws.
    report : callable
        Is called with the number of points done, for the pool.
    """
    report(0)
    with _threads().limit(limits=1):  # sums in several threads are rounded in another way
        found = answered_at_once(chunk) if chunk.at_once else None
        rows = one_by_one(chunk) if found is None else found
    return pa.Table.from_pylist(rows, schema=schema(chunk.measures))


@cache
def _threads() -> Any:
    """Return what limits the threads of all libraries; to look for them takes milliseconds."""
    return ThreadpoolController()


def one_by_one(chunk: Chunk) -> list[dict[str, Any]]:
    """Return the points of a chunk, each answered by itself."""
    rows: dict[int, dict[str, Any]] = {}
    for number, spec in chunk.draws or ((0, None),):
        counted = chunk.counted if spec is None else _drawn(spec)
        for at, question in enumerate(chunk.questions):
            point = (chunk.first + at) * chunk.n_draws + number
            rows[point] = _row(question, counted, chunk) | {"point": point}
    return [rows[point] for point in chunk.points]


def _drawn(spec: DataSpec) -> Counted | CoreError:
    """Return a draw's joint; the error where it has none, such as that S has a single level."""
    try:
        return count(spec)
    except CoreError as error:
        return error


def _row(question: Scenario, counted: Counted | CoreError | None, chunk: Chunk) -> dict[str, Any]:
    """Return one point as the values of its columns."""
    started = time.perf_counter()
    if isinstance(counted, CoreError):
        return nothing(chunk, str(counted), 0.0)
    try:
        result = answer(question, count(question.data) if counted is None else counted)
        values = measured_values(result, chunk.measures, chunk.numbers)
    except CoreError as error:
        return nothing(chunk, str(error), time.perf_counter() - started)
    made = result.mechanism
    return values | {
        "status": made.status,
        "solver": made.solver,
        "proven": made.gap <= question.gap * made.purpose.size(),
        "reason": "",
        "seconds": time.perf_counter() - started,
    }


def nothing(chunk: Chunk, reason: str, seconds: float) -> dict[str, Any]:
    """Return a point without an answer."""
    plain = {"status": "", "solver": "", "proven": False, "reason": reason, "seconds": seconds}
    return dict.fromkeys(chunk.measures, math.nan) | plain
