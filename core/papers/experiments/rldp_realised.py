"""[RLDP] Figure 4: what designs give away at the truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.papers.experiment import Findings, Setting, numbers
from core.papers.experiments.common import at_eps, ordered
from core.papers.experiments.rldp_examples import SAID
from core.papers.experiments.rldp_figures import (
    BETA,
    RECORDS,
    SCENARIO,
    SHAPES,
    named,
    sampled,
    searched,
)
from core.papers.results import Panel, Series, Verdict
from core.studies.realised import realised_level
from core.uncertainty import RenyiBall
from core.validation import FloatArray

GRID_4 = np.array([0.075, 0.15, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0])
"""ε of Figure 4."""

FAR = 5.0
"""Nats by which ε* counts as above ε at most, so that it has a mean."""


def realised(setting: Setting) -> Findings:
    """Run Figure 4: ε* at the truth of the non-robust optimum and of PolyOpt."""
    draws = setting.count(100)
    grid = GRID_4[::3] if setting.quick else GRID_4
    names = ("NR", "PolyOpt as printed")
    series: list[Series] = [Series("ε* = ε", numbers(grid), numbers(grid), panel=p) for p in (0, 1)]
    verdicts: list[Verdict] = []
    for place, shape in enumerate(SHAPES[:2]):
        levels = np.empty((2, draws, len(grid)))
        for i in range(draws):
            setting.report((place * draws + i, 2 * draws))
            truth, cells = sampled(setting, i, shape, place)
            ball = RenyiBall.confidence(cells, RECORDS, BETA)
            for k, eps in enumerate(grid.tolist()):
                made = searched(cells, ball, eps)
                for j, name in enumerate(names):
                    levels[j, i, k] = float(realised_level(truth, made[name].kernel))
        for j, name in enumerate(names):
            series += [
                Series(f"{name}, {share:.0%}", numbers(grid), numbers(one), panel=place)
                for share, one in zip(
                    (0.25, 0.75), np.quantile(levels[j], (0.25, 0.75), axis=0), strict=True
                )
            ]
        verdicts += _realised(shape, levels, grid, setting)
    return Findings(
        draws,
        tuple(Panel(f"({'ab'[i]}) {named(SHAPES[i])}", "ε", "ε*") for i in (0, 1)),
        tuple(series),
        tuple(verdicts),
        notes=("Print does not say in which panel NR's quantile is .3897.",),
        scenario=SCENARIO,
    )


def _realised(
    shape: tuple[int, int], levels: FloatArray, grid: FloatArray, setting: Setting
) -> list[Verdict]:
    """Return the verdicts on ε* of NR and of PolyOpt, shape (2, n_draws, n_eps)."""
    finite = np.minimum(levels, grid + FAR)  # a mean needs numbers; ∞ is above ε too
    over = (levels[1] > grid + 1e-9).mean(axis=0)
    # print says it of its own hundred draws, and so it is asked of ours, to the draw; of a quick
    # run's, of which one alone is more, the binomial distribution decides
    few = len(finite[0]) if setting.quick else 0
    low = levels[0][:, 0]
    drawn = setting.rng(10**6).integers(len(low), size=(1000, len(low)))
    spread = np.quantile(low[drawn], 0.75, axis=1)
    ends = np.quantile(spread, (0.05, 0.95))
    return [
        ordered(
            f"NR's ε* is consistently greater than ε at {named(shape)}",
            "Figure 4",
            finite[0],
            np.broadcast_to(grid, finite[0].shape),
            at_eps(grid),
        ),
        Verdict(
            "NUM",
            f"PolyOpt's ε* is at most ε in 95 % of draws at {named(shape)}",
            SAID["covered"].place,
            tuple(
                SAID["covered"].beside(float(one), name=name, draws=few)
                for name, one in zip(at_eps(grid), over, strict=True)
            ),
        ),
        Verdict(
            "NUM",
            f"The 75 % quantile of NR's ε* at ε = .075 is .3897 (at {named(shape)})",
            SAID["quartile"].place,
            (
                replace(
                    SAID["quartile"].beside(ends[0], name="5 % of the bootstrap"),
                    relation="at most",
                ),
                replace(
                    SAID["quartile"].beside(ends[1], name="95 % of the bootstrap"),
                    relation="at least",
                ),
            ),
            f"Ours is {np.quantile(low, 0.75):.4f}; print names no panel.",
        ),
    ]
