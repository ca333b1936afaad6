"""Histograms of log-lift: for one release, and over many random joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core import measures, validation
from core.joint import Joint
from core.limits import CLOSE
from core.measures.leakage import Leakage
from core.notions.base import Notion
from core.validation import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class LiftHistogram:
    """The shares of records by log Ψ (the first `below` bins) and by log Λ, on one axis around 0.

    Three edges are 0: values of 0 count between two of these, log Ψ on the left and log Λ on the
    right. Log Ψ = −∞ has no bin. Shapes: edges in nats (k + 1,), low (log Ψ) and high (log Λ) (k,).
    """

    edges: FloatArray
    below: int
    low: FloatArray
    high: FloatArray
    excluded: float
    members: tuple[tuple[str, ...], ...]
    excluded_members: tuple[str, ...]


def reach(leak: Leakage, step: float = 0.5) -> float:
    """Return the axis' end, a multiple of `step`, that the finite lifts fit."""
    finite = leak.log_min_lift[np.isfinite(leak.log_min_lift)]
    furthest = float(np.concatenate([-finite, leak.log_max_lift]).max())
    return max(step, float(np.ceil(furthest / step - 1e-9)) * step)


def lift_histogram(
    leak: Leakage,
    furthest: float,
    bins: int = 12,
    limits: tuple[float, float] | None = None,
) -> LiftHistogram:
    """Count a release's records by log Ψ and by log Λ."""
    far = validation.number(furthest, "furthest", low=0.0, high=1e6, open_low=True)
    count = validation.whole(bins, "bins", low=1)
    fall_limit, rise_limit = (np.inf, np.inf) if limits is None else limits
    falls, rises = _edges(far, count, fall_limit), _edges(far, count, rise_limit)
    below, total = len(falls) - 1, len(falls) + len(rises) - 2
    mass = leak.joint_sy.sum(axis=0)
    ruled_out = np.isneginf(leak.log_min_lift)
    fall = below - 1 - _places(falls, np.where(ruled_out, 0.0, -leak.log_min_lift))
    rise = below + _places(rises, leak.log_max_lift)
    low = np.bincount(fall[~ruled_out], mass[~ruled_out], total)
    high = np.bincount(rise, mass, total)
    members: list[list[str]] = [[] for _ in range(total)]
    for label, out, down, up in zip(leak.labels, ruled_out, fall, rise, strict=True):
        members[up].append(label)
        if not out:
            members[down].append(label)
    return LiftHistogram(
        edges=np.concatenate([-falls[::-1], rises[1:]]),
        below=below,
        low=low.astype(np.float64),
        high=high.astype(np.float64),
        excluded=float(mass[ruled_out].sum()),
        members=tuple(map(tuple, members)),
        excluded_members=tuple(np.array(leak.labels, dtype=object)[ruled_out]),
    )


def _edges(far: float, count: int, limit: float) -> FloatArray:
    """Return the edges on one side, two of them 0, up to `far`, and the limit if it is below."""
    bound = validation.number(limit, "limits", low=0.0)
    if bound <= CLOSE or bound >= far - CLOSE:
        return np.concatenate([[0.0], np.linspace(0.0, far, count + 1)])
    inside = max(1, min(round(count * bound / far), count - 1))
    outside = max(1, count - inside)
    inner = np.linspace(0.0, bound, inside + 1)
    return np.concatenate([[0.0], inner, np.linspace(bound, far, outside + 1)[1:]])


def _places(edges: FloatArray, values: FloatArray) -> IntArray:
    """Return the bin of each value; a value at an edge counts in the bin before it."""
    bins: IntArray = np.searchsorted(edges[1:], values - CLOSE)
    return np.minimum(bins, len(edges) - 2)


@dataclass(frozen=True, eq=False)
class Asymmetry:
    """The shares (k,) of symbols of random joints by log Ψ and log Λ in nats ([Lift] Fig. 1)."""

    edges: FloatArray
    low: FloatArray
    high: FloatArray
    low_range: tuple[float, float]
    high_range: tuple[float, float]


def asymmetry(n_s: int = 5, n_x: int = 17, draws: int = 1000, seed: int = 0) -> Asymmetry:
    """Draw random joints and count their symbols by log Ψ and by log Λ ([Lift] Fig. 1)."""
    rng = np.random.default_rng(validation.whole(seed, "seed", low=0))
    count = validation.whole(draws, "draws", low=1)
    joints = np.stack([Joint.random_uniform(n_s, n_x, rng).p for _ in range(count)])
    low = np.log(measures.min_lift(joints)).ravel()
    high = np.log(measures.max_lift(joints)).ravel()
    edges = np.histogram_bin_edges(np.concatenate([low, high]), bins=60)
    return Asymmetry(
        edges=edges,
        low=_share(low, edges),
        high=_share(high, edges),
        low_range=(float(low.min()), float(low.max())),
        high_range=(float(high.min()), float(high.max())),
    )


def _share(values: ArrayLike, edges: FloatArray) -> FloatArray:
    counts, _ = np.histogram(values, edges)
    shares: FloatArray = counts / counts.sum()
    return shares


def limits(notion: Notion | None) -> tuple[float, float] | None:
    """Return how far a notion lets log Ψ fall and log Λ rise, in nats, or None."""
    named = {} if notion is None else notion.named_levels()
    bounds = named.get("min_lift", np.inf), named.get("pml", np.inf)
    return None if min(bounds) == np.inf else bounds


def no_limits(notion: Notion | None) -> str:
    """Say why a notion has no `limits`; "" where it has some, or there is no notion."""
    if notion is None or limits(notion) is not None:
        return ""
    if notion.exceptions > 0:
        return "exceptions may have any lift"
    if notion.inner is not notion:
        return "the notion bounds lifts for those who know more"
    return "the notion bounds no single lift"
