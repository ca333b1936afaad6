"""Many random joints and budgets at once, for mechanisms that merge symbols.

The values are those of the points one by one, up to the rounding of sums.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import special

from core import mechanisms as m
from core.data.joints import drawn
from core.errors import CoreError
from core.joint import Joint
from core.limits import ROUNDING
from core.notions import Notion, PointwiseNotion
from core.scenario import Scenario
from core.sweep.chunk import Chunk
from core.sweep.measures import PREFIX, asked_levels
from core.validation import FloatArray, IntArray

MERGERS = {"watchdog": m.watchdog_batch, "subset_merging": m.subset_merging_batch}
"""The mechanisms that are computed on many joints at once, by key."""

SOLVERS = {"watchdog": "closed form", "subset_merging": "greedy"}
"""What their results say of how they were made."""

SAMPLE = Joint.from_counts([[3, 1], [1, 3]])
"""A joint on which notions are made to ask what they can do."""


def batchable(question: Scenario, measures: Sequence[str]) -> bool:
    """Return whether a question and its measures can be computed on many joints at once.

    Examples
    --------
    >>> batchable(Scenario(mechanism="watchdog"), ("kept", "level_lip"))
    True
    >>> batchable(Scenario(mechanism="optimal"), ("kept",))
    False
    """
    if question.mechanism not in MERGERS or question.purpose != "information" or question.also:
        return False
    try:
        notion = question.build_notion(SAMPLE)
        told = [entry.make(SAMPLE, question.numbers) for entry in asked_levels(measures)]
    except CoreError:
        return False
    return isinstance(notion, PointwiseNotion) and all(one.of_joint_sy for one in told)


def answered_at_once(chunk: Chunk) -> list[dict[str, Any]] | None:
    """Return the points of a chunk; None where one has no answer, or a joint lacks a symbol.

    Those chunks are computed one by one, which says why.
    """
    started = time.perf_counter()
    weights = [drawn(spec.source.partition(":")[2]).weights for _, spec in chunk.draws]
    shapes = {one.shape for one in weights}
    if len(shapes) > 1 or 1 in min(shapes):  # a symbol of probability 0 was dropped; one is left
        return None
    p = np.stack(weights)
    notions = [question.build_notion(SAMPLE) for question in chunk.questions]
    try:
        batch = MERGERS[chunk.questions[0].mechanism](p, notions)
        releases = released(p, batch.sets)
        columns = _figures(p, releases)
        columns["achieved"] = np.stack(
            [one.achieved_by_each(releases[:, j]) for j, one in enumerate(notions)], axis=1
        )
        for entry in asked_levels(chunk.measures):
            notion = entry.make(SAMPLE, chunk.numbers)
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
    """Return P(s, y) of mergings, each output in the place of its first symbol.

    Parameters
    ----------
    p : ndarray
        P(s, x), shape (n_joints, n_s, n_x).
    sets : ndarray
        The number of each symbol's set, shape (n_joints, n_notions, n_x); 0 for a symbol that is
        published as it is.

    Returns
    -------
    ndarray
        Shape (n_joints, n_notions, n_s, n_x); 0 in the place of symbols that are not the first.

    Examples
    --------
    >>> released(np.array([[[0.25, 0.25, 0.5]]]), np.array([[[1, 0, 1]]])).tolist()
    [[[[0.75, 0.25, 0.0]]]]
    """
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
