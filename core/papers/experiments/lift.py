"""[Lift] Figures 1, 2 and 4: ranges of lifts, and merging under LDP and ALIP."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core.joint import Joint
from core.mechanisms import subset_merging_batch, watchdog_batch
from core.notions import ALIP, LDP, Notion
from core.notions.lip import log_max_lift, log_min_lift
from core.papers.as_printed import kept_as_printed
from core.papers.experiment import (
    Findings,
    Setting,
    at_eps,
    mean_beside,
    mean_of,
    numbers,
    ordered,
    panelled,
    question,
)
from core.papers.merging_worlds import SYMBOLS
from core.papers.results import Beyond, Panel, Printed, Series, Verdict, printed
from core.papers.verdicts import Relation, Value
from core.sweep.points import released
from core.validation import FloatArray

N_S, N_X = SYMBOLS
"""The sizes of S and X in every figure but the sixth."""

GRID = np.arange(1, 33) / 4
"""ε of every figure but the sixth: 0.25, 0.5, …, 8."""

LAMBDAS = (0.35, 0.5, 0.65)


PAPER = printed("lift")


ENDS: tuple[tuple[str, Relation], ...] = (("lower", "at least"), ("upper", "at most"))
"""The ends of a range, and what a number at each bounds."""

SAMPLES = 10
"""Samples over which extremes are averaged: at the inner end they differ by half from sample to
sample. A quick run takes fewer samples, each as large as the paper's: the extremes of fewer draws
lie farther inside and say nothing about the paper's."""


BINS = np.arange(-160, 21) / 10
"""Ends of the bins of the histograms of log Ψ and log Λ."""


def _peaks(low: FloatArray, high: FloatArray, place: str) -> Verdict:
    """Return the verdict on the peaks of both histograms, from |log Ψ| and log Λ over draws."""
    peaks = np.array(
        [
            [np.histogram(values, BINS)[0].max() for values in (b, -a)]
            for a, b in zip(low, high, strict=True)
        ]
    )
    return ordered(
        "The histogram of log Λ has a higher peak than that of log Ψ",
        place,
        peaks[:, :1] / low.shape[1],
        peaks[:, 1:] / low.shape[1],
        ("Mean difference within a draw, bins of 0.1",),
    )


def of_ranges(
    setting: Setting, count: int, n_s: int, n_x: int, published: Mapping[str, Printed], place: str
) -> Findings:
    """Return what the ranges of log Ψ and log Λ over random joints say."""
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
            f"{published[key].what}, {end} end",
            float(drawn.mean()),
            float(printed),
            float(drawn.std(ddof=1)),
            relation=relation,
        )
        for key, pair in zip(("log_min_lift", "log_max_lift"), extremes, strict=True)
        for (end, relation), drawn, printed in zip(ENDS, pair, published[key].value, strict=True)
    ]
    verdicts = [
        Verdict(
            "EXT",
            "log Ψ and log Λ span these ranges",
            place,
            tuple(values),
            few=samples if setting.quick else 0,
        ),
        _peaks(low, high, place),
    ]
    if "rare" in published:
        share = mean_beside(published["rare"], (low >= 6).mean(axis=1))
        verdicts.append(
            Verdict("NUM", "P(|log Ψ| ≥ 6) is near zero", published["rare"].place, (share,))
        )
    middles = numbers(BINS[:-1] + 0.05)
    return Findings(
        len(low),
        (Panel("Histogram", "log-lift, nats", "share of symbols"),),
        tuple(
            Series(name, middles, numbers(np.histogram(draws, BINS)[0] / draws.size), kind="bars")
            for name, draws in (("log Ψ", -low), ("log Λ", high))
        ),
        tuple(verdicts),
        scenario=question(f"random:uniform:{n_s}x{n_x}:1", "alip", 2.0, "identity", lam=0.5),
    )


def panels(*titles: str) -> tuple[Panel, ...]:
    """Return the three panels that figures of the paper have, each title after a name."""
    return tuple(
        Panel(f"{title}{what}", "ε", axis)
        for title in titles or ("",)
        for what, axis in (
            ("Utility", "NMI"),
            ("Min-lift leakage", "|log min Ψ|"),
            ("Max-lift leakage", "log max Λ"),
        )
    )


def ranges(setting: Setting) -> Findings:
    """Run Figure 1: the ranges of log Ψ and log Λ over random joints."""
    return of_ranges(setting, 1000, N_S, N_X, PAPER, "Figure 1")


def merging(setting: Setting) -> Findings:
    """Run Figures 2 and 4: complete and subset merging, with what they leak."""
    p = setting.uniform(setting.count(1000), N_S, N_X)
    notions: dict[str, list[Notion]] = {"LDP": [LDP(float(eps)) for eps in GRID]}
    notions |= {
        f"ALIP, λ = {lam}": [ALIP.from_lambda(float(eps), lam) for eps in GRID] for lam in LAMBDAS
    }
    flat = [notion for group in notions.values() for notion in group]
    results: list[list[list[FloatArray]]] = []
    for make in (watchdog_batch, subset_merging_batch):
        setting.report((len(results), 3))
        batch = make(p, flat)
        leaked = merged_leakage(p, batch.sets)
        results.append([*(np.split(array, len(notions), axis=1) for array in (batch.nmi, *leaked))])
        attained = np.split(batch.attained, len(notions), axis=1)
    setting.report((2, 3))
    wrong = as_printed(p[: setting.count(1000)])
    nmi = [measured[0] for measured in results]
    broken = 1.0 - np.stack(attained)[2]  # λ = 0.5
    return Findings(
        len(p),
        panels("Complete merging (Figure 2): ", "Subset merging (Figure 4): "),
        panelled(notions, np.array([groups for measured in results for groups in measured]), GRID),
        (*_numbers(nmi, wrong), _satisfied(results[1]), *_orders(nmi)),
        beyond=(_other_risk(nmi[1][1], wrong["risk"]), *_unattained(broken)),
        scenario=question("example:lift_typical", "alip", 2.0, "subset_merging", lam=0.5),
    )


def merged_leakage(p: FloatArray, sets: np.ndarray) -> tuple[FloatArray, FloatArray]:
    """Return |log min Ψ| and log max Λ of mergings, each of shape (n_joints, n_notions)."""
    at_once = 50  # draws whose releases are held in memory together
    low, high = np.empty(sets.shape[:2]), np.empty(sets.shape[:2])
    for start in range(0, len(p), at_once):
        some = slice(start, start + at_once)
        releases = released(p[some], sets[some])
        flat = releases.reshape(-1, *releases.shape[2:])
        low[some] = np.nanmax(log_min_lift(flat), axis=-1).reshape(low[some].shape)
        high[some] = np.nanmax(log_max_lift(flat), axis=-1).reshape(low[some].shape)
    return low, high


def as_printed(p: FloatArray) -> dict[str, FloatArray]:
    """Return the NMI, (n_draws,), of Algorithm 1 as published at ε = 2, by its error.

    "line 4" is at λ = 0.5, "risk" at 0.35: there ω = Λ + Ψ is not what LIP has.
    """
    joints = [Joint.from_counts(weights) for weights in p]
    low, half = ALIP.from_lambda(2.0, 0.35), ALIP.from_lambda(2.0, 0.5)
    return {
        "risk": np.array([kept_as_printed(joint, low, "risk") for joint in joints]),
        "line 4": np.array([kept_as_printed(joint, half, "line 4") for joint in joints]),
    }


def _numbers(nmi: list[list[FloatArray]], wrong: dict[str, FloatArray]) -> tuple[Verdict, ...]:
    """Return the verdicts on published numbers; lists are over LDP and the three λ."""
    two = int(np.flatnonzero(GRID == 2.0)[0])
    complete, subsets = (curves[2][:, two] for curves in nmi)
    mean, error = mean_of(wrong["line 4"])
    slip = mean_beside(PAPER["line_4"], subsets, variant=float(mean), variant_error=float(error))
    return (
        Verdict(
            "NUM",
            "Complete merging keeps an NMI of 0.52",
            "Figure 2(a)",
            (mean_beside(PAPER["merging"], complete),),
        ),
        Verdict(
            "NUM",
            "Subset merging keeps an NMI of about 0.83",
            "Figure 4(a)",
            (mean_beside(PAPER["subsets"], subsets),),
        ),
        Verdict(
            "ERR",
            f"Algorithm 1, stopped as line 4 says, reaches an NMI of {PAPER['line_4'].number:g}",
            PAPER["line_4"].place,
            (slip,),
            "The published algorithm opens no further set once the remaining symbols together meet "
            "the budget, which they usually do from the start.",
        ),
    )


def _satisfied(measured: list[list[FloatArray]]) -> Verdict:
    """Return the verdict on what Figures 4(b) and 4(c) draw: mean leakages, within the budgets.

    `measured` holds NMI, |log min Ψ| and log max Λ, each over LDP and the three λ.
    """
    values = []
    for j, lam in enumerate(LAMBDAS, start=1):
        for name, leaked, part in (
            ("|log min Ψ| − εₗ", measured[1][j], lam),
            ("log max Λ − εᵤ", measured[2][j], 1 - lam),
        ):
            mean, error = mean_of(leaked - part * GRID)
            worst = int(mean.argmax())
            what = f"Largest mean of {name} over ε, λ = {lam}"
            values.append(PAPER["unsatisfied"].beside(mean[worst], error[worst], what))
    return Verdict(
        "NUM",
        "“Privacy constraints have been satisfied in all cases”",
        PAPER["unsatisfied"].place,
        tuple(values),
    )


def _unattained(broken: FloatArray) -> tuple[Beyond, ...]:
    """Return in which share of single draws X_H breaks the budget even as one set, at two ε."""
    mean, error = mean_of(broken)
    return tuple(
        Beyond(
            f"Share of draws in which X_H breaks the budget even as one set, λ = 0.5, {at}",
            float(mean[i]),
            float(error[i]),
        )
        for i, at in enumerate(at_eps(GRID))
        if GRID[i] in (6.0, 8.0)
    )


def _other_risk(nmi: FloatArray, printed: FloatArray) -> Beyond:
    """Return what is kept at λ = 0.35 with LIP's ω in place of the sum, NMI over draws and ε."""
    mean, error = mean_of(nmi[:, int(np.flatnonzero(GRID == 2.0)[0])])
    return Beyond(
        "Mean NMI at ε = 2, λ = 0.35, with ω = max(log Λ, |log Ψ|), the paper's choice for LIP, "
        "instead of Λ + Ψ, its choice for ALIP",
        float(mean),
        float(error),
        printed_method=float(printed.mean()),
    )


def _orders(nmi: list[list[FloatArray]]) -> tuple[Verdict, ...]:
    at, late = at_eps(GRID), GRID > 1
    place = "§III-A3, Figure 2(a)"
    ldp, low, middle, high = nmi[0]
    names = ("LDP", *(f"ALIP at λ = {lam}" for lam in LAMBDAS))
    return (
        *(
            ordered(f"LDP keeps at least as much as {name}", place, ldp, other, at, weak=True)
            for name, other in zip(names[1:], nmi[0][1:], strict=True)
        ),
        ordered(
            "λ = 0.65 keeps more than λ = 0.5 for ε > 1",
            place,
            high[:, late],
            middle[:, late],
            at_eps(GRID[late]),
        ),
        ordered("λ = 0.5 keeps more than λ = 0.35", place, middle, low, at),
        *(
            ordered(
                f"Subset merging keeps at least as much as complete merging under {name}",
                "§IV-B, Figure 4(a)",
                subsets,
                complete,
                at,
                weak=True,
            )
            for name, complete, subsets in zip(names, *nmi, strict=True)
        ),
    )
