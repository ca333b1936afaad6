"""The points of a sweep in chunks, each the work of one worker at one time.

Which points share a chunk follows from the sweep alone: so sums over several points at once are
rounded in the same way wherever and in whatever order the chunks are computed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import special
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # no stubs

from core import mechanisms as m
from core.data import Counted, count
from core.data.joints import drawn
from core.data.spec import DataSpec
from core.errors import CoreError
from core.joint import Joint
from core.limits import ROUNDING
from core.notions import Notion, PointwiseNotion
from core.notions.numbers import Numbers
from core.scenario import Scenario, answer
from core.sweep.definition import PREFIX, Sweep, measured_notions, measured_values
from core.validation import FloatArray, IntArray

BATCH = 2048
"""Most points of a chunk that is computed at once; further draws gain nothing."""

SINGLE = 32
"""Most points of any other chunk: a worker that dies costs no more."""


MERGERS = {"watchdog": m.watchdog_batch, "subset_merging": m.subset_merging_batch}
"""The mechanisms that are computed on many joints at once, by key."""

SAMPLE = Joint.from_counts([[3, 1], [1, 3]])
"""A joint on which notions are made to ask what they can do."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some questions, each on some draws (by number), or on its own data.

    `first`: the sweep's number of the first question; point q·n_draws + d is question q on draw d.
    """

    number: int
    first: int
    questions: tuple[Scenario, ...]
    draws: tuple[tuple[int, DataSpec], ...]
    n_draws: int
    measures: tuple[str, ...]
    numbers: Numbers
    at_once: bool
    counted: Counted | None = None

    @classmethod
    def of(
        cls,
        sweep: Sweep,
        questions: tuple[Scenario, ...],
        draws: tuple[tuple[int, DataSpec], ...],
        counted: Mapping[DataSpec, Counted],
        at_once: bool,
        number: int = 0,
        first: int = 0,
    ) -> Chunk:
        """Return a chunk of some questions of a sweep, all on the same data."""
        measured = sweep.n_draws, sweep.measures, sweep.scenario.numbers
        known = counted.get(questions[0].data)
        return cls(number, first, questions, draws, *measured, at_once, known)

    @property
    def points(self) -> list[int]:
        """Numbers of its points in the sweep."""
        numbers = [number for number, _ in self.draws] or [0]
        return [
            (self.first + place) * self.n_draws + number
            for place in range(len(self.questions))
            for number in numbers
        ]

    @property
    def seconds(self) -> float:
        """Longest time that its searches may take together."""
        return sum(question.time_limit for question in self.questions) * max(1, len(self.draws))


def chunks(sweep: Sweep, counted: Mapping[DataSpec, Counted] | None = None) -> Iterator[Chunk]:
    """Yield the chunks of a sweep, which together have each point once."""
    number = 0
    for first, questions, at_once in _groups(sweep):
        for place, draws in _cut(sweep, len(questions), at_once=at_once):
            part = questions if place is None else questions[place : place + 1]
            yield Chunk.of(sweep, part, draws, counted or {}, at_once, number, first + (place or 0))
            number += 1


def _groups(sweep: Sweep) -> Iterator[tuple[int, tuple[Scenario, ...], bool]]:
    """Yield neighboring questions that differ in ε alone, where they can be computed at once."""
    questions = sweep.questions
    first = 0
    while first < len(questions):
        at_once = sweep.draws is not None and batchable(questions[first], sweep.measures)
        end = first + 1
        if at_once:
            like = replace(questions[first], eps=1.0)
            while end < len(questions) and replace(questions[end], eps=1.0) == like:
                end += 1
        yield first, questions[first:end], at_once
        first = end


def _cut(
    sweep: Sweep, questions: int, *, at_once: bool
) -> Iterator[tuple[int | None, tuple[tuple[int, DataSpec], ...]]]:
    """Yield the draws of each chunk of a group, with the question if it is only one of them."""
    if sweep.draws is None:
        yield from ((place, ()) for place in range(questions))
        return
    most = max(1, BATCH // questions) if at_once else min(SINGLE, -(-sweep.size // 1000))
    for place in (None,) if at_once else range(questions):
        for start in range(0, sweep.n_draws, most):
            numbers = range(start, min(start + most, sweep.n_draws))
            yield place, tuple((number, sweep.draws.spec(number)) for number in numbers)


def batchable(question: Scenario, measures: Sequence[str]) -> bool:
    """Return whether a question and its measures can be computed on many joints at once."""
    if question.mechanism not in MERGERS or question.purpose != "information" or question.also:
        return False
    try:
        notion = question.build_notion(SAMPLE)
        checks = [entry.make(SAMPLE, question.numbers) for entry in measured_notions(measures)]
    except CoreError:
        return False
    return isinstance(notion, PointwiseNotion) and all(level.of_joint_sy for level in checks)


SOLVERS = {"watchdog": "closed form", "subset_merging": "greedy"}
"""What their results say of how they were made."""


def answered_at_once(chunk: Chunk) -> list[dict[str, Any]] | None:
    """Return the points of a chunk; None where one has no answer, or a joint lacks a symbol."""
    started = time.perf_counter()
    draws = [drawn(spec.source.partition(":")[2]) for _, spec in chunk.draws]
    weights = [draw.weights for draw in draws]
    shapes = {array.shape for array in weights}
    if len(shapes) > 1 or 1 in min(shapes):  # a symbol of probability 0 was dropped; one is left
        return None
    p = np.stack(weights)
    like = Joint.from_counts(weights[0], draws[0].s_labels, draws[0].x_labels)
    notions = [question.build_notion(like) for question in chunk.questions]
    try:
        batch = MERGERS[chunk.questions[0].mechanism](p, notions)
        releases = released(p, batch.sets)
        columns = _figures(p, releases)
        columns["achieved"] = np.stack(
            [notion.achieved_by_each(releases[:, j]) for j, notion in enumerate(notions)], axis=1
        )
        for entry in measured_notions(chunk.measures):
            notion = entry.make(like, chunk.numbers)
            columns[f"{PREFIX}{entry.key}"] = _levels(notion, releases)
    except CoreError:
        return None
    merged = columns["outputs"] < p.shape[2]
    status = np.where(batch.attained, np.where(merged, "heuristic", "optimal"), "repaired")
    seconds = (time.perf_counter() - started) / status.size
    return [
        {key: float(columns[key][i, j]) for key in chunk.measures}
        | {
            "point": point,
            "status": str(status[i, j]),
            "solver": SOLVERS[chunk.questions[j].mechanism],
            "proven": bool(columns["gap"][i, j] <= chunk.questions[j].gap),
            "reason": "",
            "seconds": seconds,
        }
        for point, (j, i) in zip(chunk.points, np.ndindex(len(notions), len(p)), strict=True)
    ]


def released(p: FloatArray, sets: IntArray) -> FloatArray:
    """Return P(s, y) of p (n_joints, n_s, n_x) merged by sets (n_joints, n_notions, n_x)."""
    n_x = p.shape[2]
    alike = (sets[..., :, None] == sets[..., None, :]) & (sets[..., None] > 0)
    first = np.where(sets > 0, alike.argmax(axis=-1), np.arange(n_x))
    members = first[..., None] == np.arange(n_x)  # x is in the output at place y
    result: FloatArray = p[:, None] @ members.astype(np.float64)
    return result


def _figures(p: FloatArray, releases: FloatArray) -> dict[str, FloatArray]:
    """Return the measures that are no levels, each of shape (n_joints, n_notions)."""
    p_y = releases.sum(axis=2)
    entropy = np.broadcast_to(special.entr(p.sum(axis=1)).sum(axis=1)[:, None], p_y.shape[:2])
    # I(X;Y) = H(Y), as Y is a function of X; for one output its rounding may be below 0
    information = np.maximum(special.entr(p_y).sum(axis=2), 0.0)
    information = np.where(entropy - information < ROUNDING, entropy, information)
    some = entropy > 0
    nmi = np.divide(information, entropy, out=np.ones_like(entropy), where=some)
    return {
        "kept": nmi,
        "utility": information,
        "information": information,
        "nmi": nmi,
        "upper_bound": entropy,
        "gap": entropy - information,
        "most": np.ones_like(entropy),
        "outputs": (p_y > 0).sum(axis=2).astype(np.float64),
    }


def _levels(notion: Notion, releases: FloatArray) -> FloatArray:
    """Return the levels of a notion, shape (n_joints, n_notions)."""
    flat = releases.reshape(-1, *releases.shape[2:])
    return notion.achieved_by_each(flat).reshape(releases.shape[:2])


KEPT = {
    "point": pa.int64(),
    "status": pa.string(),
    "solver": pa.string(),
    "proven": pa.bool_(),
    "reason": pa.string(),
    "seconds": pa.float64(),
}
"""Columns of every point, with their types; each measure is a further one, of doubles."""


def schema(measures: tuple[str, ...]) -> Any:
    return pa.schema([*KEPT.items(), *((name, pa.float64()) for name in measures)])


def compute(chunk: Chunk, *, report: Callable[[Any], None]) -> Any:
    """Return a chunk's points in order as an Arrow table; where `reason` says why, NaN."""
    report(0)
    with _threads().limit(limits=1):  # sums in several threads are rounded in another way
        batch = answered_at_once(chunk) if chunk.at_once else None
        rows = one_by_one(chunk) if batch is None else batch
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
    mechanism = result.mechanism
    return values | {
        "status": mechanism.status,
        "solver": mechanism.solver,
        "proven": mechanism.gap <= question.gap * mechanism.purpose.size(),
        "reason": "",
        "seconds": time.perf_counter() - started,
    }


def nothing(chunk: Chunk, reason: str, seconds: float) -> dict[str, Any]:
    plain = {"status": "", "solver": "", "proven": False, "reason": reason, "seconds": seconds}
    return dict.fromkeys(chunk.measures, math.nan) | plain
