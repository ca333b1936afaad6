"""What experiments of several papers share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.notions import ALIP
from core.notions.budgets import split
from core.notions.lip import log_max_lift, log_min_lift
from core.papers.experiment import Findings, Setting, line, mean_of, numbers
from core.papers.printed import Printed
from core.papers.results import Panel, Series, Verdict
from core.papers.verdicts import EQUAL, Relation, Value
from core.validation import FloatArray


def alip(lam: float, eps: float) -> ALIP:
    """Return ALIP with the share λ of ε for falling beliefs."""
    return ALIP(*split(eps, lam))


def at_eps(grid: FloatArray) -> tuple[str, ...]:
    """Return the names of the points of a grid of ε.

    Examples
    --------
    >>> at_eps(np.array([0.5, 1.0]))
    ('ε = 0.5', 'ε = 1')
    """
    return tuple(f"ε = {one:g}" for one in grid.tolist())


def ordered(
    claim: str,
    place: str,
    above: FloatArray,
    below: FloatArray,
    at: Sequence[str],
    cause: str = "",
    *,
    weak: bool = False,
) -> Verdict:
    """Return the verdict that one mean is above another at every point, on the same draws.

    Parameters
    ----------
    claim, place, cause : str
        As in `Verdict`.
    above, below : ndarray
        What is said to be larger and smaller, shape (n_draws, k).
    at : sequence of str
        Name of each point, shape (k,).
    weak : bool
        Whether print says "at least": then a point passes where no draw says otherwise, and no
        standard error is counted there.

    Examples
    --------
    >>> ordered("a > b", "", np.array([[2.0], [2.1]]), np.ones((2, 1)), ["ε = 1"]).outcome
    'reproduced'
    """
    apart = above - below
    mean, error = mean_of(apart)
    if weak:
        error = np.where((apart >= -EQUAL).all(axis=0), 0.0, error)
    values = zip(at, numbers(mean), numbers(error), strict=True)
    relation: Relation = "at least" if weak else "is"
    return Verdict(
        "ORD",
        claim,
        place,
        tuple(Value(name, m, error=e, relation=relation) for name, m, e in values),
        cause,
    )


def mean_beside(said: Printed, draws: FloatArray, **more: Any) -> Value:
    """Return the mean of draws, shape (n_draws,), beside a printed number."""
    mean, error = mean_of(draws)
    return said.beside(float(mean), float(error), **more)


def lines(
    named: Mapping[str, FloatArray], x: FloatArray, panel: int = 0, *, beyond: bool = False
) -> tuple[Series, ...]:
    """Return the series of several methods' draws, each of shape (n_draws, len(x))."""
    return tuple(line(name, x, one, panel, beyond=beyond) for name, one in named.items())


ENDS: tuple[tuple[str, Relation], ...] = (("lower", "at least"), ("upper", "at most"))
"""The ends of a range, and what a number at each bounds."""

SAMPLES = 10
"""Samples over which extremes are averaged: at the inner end they differ by half from sample to
sample. A quick run takes fewer of them, each as large as print's: the extremes of fewer draws lie
farther inside and say nothing about print's."""


BINS = np.arange(-160, 21) / 10
"""Ends of the bins of the histograms of log Ψ and log Λ."""


def _peaks(low: FloatArray, high: FloatArray, place: str) -> Verdict:
    """Return the verdict on the peaks of both histograms, from |log Ψ| and log Λ over draws."""
    peaks = np.array(
        [
            [np.histogram(one, BINS)[0].max() for one in (b, -a)]
            for a, b in zip(low, high, strict=True)
        ]
    )
    return ordered(
        "The histogram of log Λ has a higher peak than that of log Ψ",
        place,
        peaks[:, :1] / low.shape[1],
        peaks[:, 1:] / low.shape[1],
        ("each draw's own difference, on average, bins of 0.1",),
    )


def of_ranges(
    setting: Setting, count: int, n_s: int, n_x: int, said: Mapping[str, Printed], place: str
) -> Findings:
    """Return what the ranges of log Ψ and log Λ over random joints say.

    Parameters
    ----------
    setting : Setting
        How to run.
    count : int
        Number of draws of one sample, in a quick run too.
    n_s, n_x : int
        Sizes of S and X.
    said : mapping
        Printed values "log_min_lift" and "log_max_lift", and "rare" if there is one.
    place : str
        The figure.
    """
    ends = []
    samples = setting.count(SAMPLES)
    for sample in range(samples):
        setting.report((sample, samples))
        p = setting.uniform(count, n_s, n_x, start=(samples - 1 - sample) * count)
        low, high = log_min_lift(p), log_max_lift(p)
        ends.append([[-low.max(), -low.min()], [high.min(), high.max()]])
    extremes = np.moveaxis(np.array(ends), 0, -1)
    values = [
        Value(
            f"{said[key].what}, {end} end",
            float(found.mean()),
            float(printed),
            float(found.std(ddof=1)),
            relation=relation,
        )
        for key, pair in zip(("log_min_lift", "log_max_lift"), extremes, strict=True)
        for (end, relation), found, printed in zip(ENDS, pair, said[key].value, strict=True)
    ]
    verdicts = [
        Verdict(
            "EXT",
            "log Ψ and log Λ range over these intervals",
            place,
            tuple(values),
            few=samples if setting.quick else 0,
        ),
        _peaks(low, high, place),
    ]
    if "rare" in said:
        share = mean_beside(said["rare"], (low >= 6).mean(axis=1))
        verdicts.append(Verdict("NUM", "P(|log Ψ| ≥ 6) is near zero", said["rare"].place, (share,)))
    middles = numbers(BINS[:-1] + 0.05)
    return Findings(
        len(low),
        (Panel("Histogram", "log of the lift", "share of symbols"),),
        tuple(
            Series(name, middles, numbers(np.histogram(one, BINS)[0] / one.size), kind="bars")
            for name, one in (("log Ψ", -low), ("log Λ", high))
        ),
        tuple(verdicts),
        scenario={
            "data": {"source": f"random:uniform:{n_s}x{n_x}:1"},
            "notion": "alip",
            "eps": 2.0,
            "lam": 0.5,
            "mechanism": "identity",
        },
    )
