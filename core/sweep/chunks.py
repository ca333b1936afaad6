"""The points of a sweep in chunks: each is the work of one worker at one time.

Which points share a chunk follows from the sweep alone, never from who runs it: sums over several
points at once are rounded in the same way wherever and in whatever order the chunks are computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from core.data import Counted
from core.data.spec import DataSpec
from core.scenario import Scenario
from core.sweep.batched import batchable
from core.sweep.chunk import Chunk
from core.sweep.definition import Sweep

BATCH = 2048
"""Most points of a chunk that is computed at once; further draws gain nothing."""

SINGLE = 32
"""Most points of any other chunk: a worker that dies costs no more."""

CHUNKS = 1000
"""Chunks that a sweep is cut into before they hold several points."""


def chunks(sweep: Sweep, counted: Mapping[DataSpec, Counted] | None = None) -> Iterator[Chunk]:
    """Yield the chunks of a sweep, which together have each point once.

    Parameters
    ----------
    sweep : Sweep
        The sweep.
    counted : mapping, optional
        The counted data by its spec, where the sweep is not about draws.

    Examples
    --------
    >>> from core.sweep.draws import Draws
    >>> sweep = Sweep(Scenario(mechanism="grr"), (("eps", (0.5, 1.0)),), draws=Draws(3, 2, 4))
    >>> [chunk.points for chunk in chunks(sweep)]
    [[0], [1], [2], [3], [4], [5]]
    """
    number = 0
    for first, questions, at_once in _groups(sweep):
        for place, draws in _cut(sweep, len(questions), at_once=at_once):
            asked = questions if place is None else questions[place : place + 1]
            known = (counted or {}).get(asked[0].data)
            yield Chunk(
                number,
                first + (place or 0),
                asked,
                draws,
                sweep.n_draws,
                sweep.measures,
                sweep.scenario.numbers,
                at_once,
                known,
            )
            number += 1


def _groups(sweep: Sweep) -> Iterator[tuple[int, tuple[Scenario, ...], bool]]:
    """Yield neighbouring questions that differ in ε alone, where they can be computed at once."""
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
    most = max(1, BATCH // questions) if at_once else min(SINGLE, -(-sweep.size // CHUNKS))
    for place in (None,) if at_once else range(questions):
        for start in range(0, sweep.n_draws, most):
            numbers = range(start, min(start + most, sweep.n_draws))
            yield place, tuple((number, sweep.draws.spec(number)) for number in numbers)
