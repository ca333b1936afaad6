"""[ALIP] Figures 1 to 4: complete merging on large random joints."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from core.limits import CLOSE, ROUNDING
from core.mechanisms import watchdog_batch
from core.notions import ALIP
from core.notions.lip import log_max_lift, log_min_lift
from core.papers.experiment import (
    Findings,
    Setting,
    lines,
    mean_beside,
    mean_of,
    numbers,
    ordered,
    question,
)
from core.papers.experiments.lift import of_ranges
from core.papers.merging_worlds import LARGE
from core.papers.results import Panel, Series, Verdict, printed
from core.papers.verdicts import Value
from core.validation import FloatArray

RISES = (0.6, 0.8, 1.0)
"""εᵤ of Figure 2."""

FALLS = np.arange(4, 61) / 10
"""εₗ of Figure 2: 0.4, 0.5, …, 6."""

BUDGETS = (1.5, 2.0)
"""ε of Figures 3 and 4."""

SHARES = np.array([0.5, 0.525, 0.55, 0.575, 0.6, 0.625, 0.65, 0.675, 0.7])
"""Nine λ along which shares are drawn."""

HALF, MORE = 0, 6
"""Places of λ = 0.5 and 0.65 among these."""

LEAKS = (("Min-lift leakage", "|log min Ψ|"), ("Max-lift leakage", "log max Λ"))
"""What Figures 3(b, c) and 4(b, c) measure, and its name on the axis."""

PAPER = printed("alip")


def ranges(setting: Setting) -> Findings:
    """Run Figure 1: the ranges of log Ψ and log Λ over random joints."""
    return of_ranges(setting, 10_000, *LARGE, PAPER, "Figure 1")


def _pieces(setting: Setting, count: int) -> Iterator[tuple[slice, FloatArray]]:
    """Yield the draws and their places, five hundred at once: more would fill the memory."""
    for start in range(0, count, 500):
        setting.report((start, count))
        some = slice(start, min(start + 500, count))
        yield some, setting.uniform(some.stop - start, *LARGE, start)


def watchdog(setting: Setting) -> Findings:
    """Run Figure 2: what the watchdog keeps along εₗ, for three εᵤ."""
    count = setting.count(10_000)
    notions = [ALIP(float(low), high) for high in RISES for low in FALLS]
    by_notion = np.empty((count, len(notions)))
    for some, p in _pieces(setting, count):
        by_notion[some] = watchdog_batch(p, notions).nmi
    nmi = np.split(by_notion, len(RISES), axis=1)
    top = nmi[0][:, -1]
    gaps = (nmi[1] - nmi[0])[:, -1:], (nmi[2] - nmi[1])[:, -1:]
    mean, error = mean_of(gaps[0] - gaps[1])
    return Findings(
        count,
        (Panel("Watchdog", "εₗ", "NMI"),),
        lines({f"εᵤ = {rise}": draws for rise, draws in zip(RISES, nmi, strict=True)}, FALLS),
        (
            Verdict(
                "NUM",
                "The highest NMI at εᵤ = 0.6 is 0.35",
                "Figure 2",
                (mean_beside(PAPER["highest"], top),),
            ),
            Verdict(
                "ORD",
                "NMI rises more from εᵤ = 0.6 to 0.8 than from 0.8 to 1",
                "Figure 2",
                (Value("εₗ = 6", float(mean[0]), error=float(error[0])),),
            ),
            *(
                ordered(
                    "NMI saturates: it rises less from εₗ = 5 to 6 than from 4 to 5",
                    "§III-A, Figure 2",
                    draws[:, [46]] - draws[:, [36]],  # εₗ = 5 and 4
                    draws[:, [-1]] - draws[:, [46]],
                    (f"εᵤ = {high}",),
                )
                for high, draws in zip(RISES, nmi, strict=True)
            ),
        ),
        scenario=question("example:alip_typical", "alip", 2.0, "watchdog", lam=0.65),
    )


def asymmetry(setting: Setting) -> Findings:
    """Run Figures 3 and 4: what a larger share of ε for falling beliefs does to each draw."""
    count = setting.count(10_000)
    notions = [ALIP.from_lambda(eps, float(lam)) for eps in BUDGETS for lam in SHARES]
    nmi = np.empty((count, len(notions)))
    leaked = np.empty((2, count, len(notions)))
    for some, p in _pieces(setting, count):
        nmi[some] = watchdog_batch(p, notions).nmi
        leaked[:, some] = _leaked(p, notions)
    by_eps = np.split(nmi, len(BUDGETS), axis=1)
    leaks = [np.split(side, len(BUDGETS), axis=1) for side in leaked]
    limits = np.array([[notion.eps_l, notion.eps_u] for notion in notions]).T[:, None, :]
    chosen = [len(SHARES) * i + j for i in range(len(BUDGETS)) for j in (HALF, MORE)]
    within = list((leaked <= limits + ROUNDING)[:, :, chosen].astype(np.float64))
    return Findings(
        count,
        (
            Panel("Share of draws with NMI > 0", "λ", "share"),
            *(
                Panel(f"NMI over draws, ε = {eps:g}", "NMI", "share of draws below")
                for eps in BUDGETS
            ),
            *(
                Panel(f"{title} over draws, ε = {eps:g}", measure, "share of draws below")
                for eps in BUDGETS
                for title, measure in LEAKS
            ),
        ),
        (
            *(
                Series(f"ε = {eps:g}", numbers(SHARES), numbers((draws > ROUNDING).mean(axis=0)))
                for eps, draws in zip(BUDGETS, by_eps, strict=True)
            ),
            *(
                _distribution(f"λ = {SHARES[j]:g}", draws[:, j], 1 + i)
                for i, draws in enumerate((*by_eps, *chain.from_iterable(zip(*leaks, strict=True))))
                for j in (HALF, MORE)
            ),
        ),
        _verdicts(by_eps, within),
        scenario=question("example:alip_typical", "alip", BUDGETS[1], "watchdog", lam=0.65),
    )


def _verdicts(by_eps: list[FloatArray], within: list[FloatArray]) -> tuple[Verdict, ...]:
    """Return the verdicts on NMI at each ε, and on which draws keep each budget."""
    names = [f"ε = {eps:g}, λ = {SHARES[j]:g}" for eps in BUDGETS for j in (HALF, MORE)]
    shares = tuple(
        mean_beside(PAPER[f"share_{eps:g}_{lam}"], (nmi[:, j] > ROUNDING).astype(np.float64))
        for eps, nmi in zip(BUDGETS, by_eps, strict=True)
        for j, lam in ((HALF, 0.5), (MORE, 0.65))
    )
    fallen = tuple(
        # without a standard error: one draw is enough against a claim about all
        PAPER["fallen"].beside(
            float((nmi[:, MORE] < nmi[:, HALF] - CLOSE).mean()),
            name=f"Share of draws that lose utility, ε = {eps:g}",
        )
        for eps, nmi in zip(BUDGETS, by_eps, strict=True)
    )
    return (
        Verdict("NUM", "These shares of draws have some utility", "Figures 3(a), 4(a)", shares),
        Verdict(
            "ERR",
            "“For both ε values utility have been increased in all 10⁴ generated distributions”",
            "§III-B",
            fallen,
            "In some draws, a smaller εᵤ puts more symbols into X_H. At ε = 1.5 the paper itself "
            "reports any utility in only 11% of draws, so utility cannot have increased in the "
            "other 89%.",
        ),
        *(
            Verdict(
                "NUM",
                f"After merging, these shares of distributions meet {budget}",
                PAPER[key].place,
                PAPER[key].table(*mean_of(met), names),
                "Merging X_H completely meets both budgets in nearly every draw. We know of no "
                "variant that gives the published shares.",
            )
            for key, budget, met in (("lower", "εₗ", within[0]), ("upper", "εᵤ", within[1]))
        ),
    )


def _leaked(p: FloatArray, notions: list[ALIP]) -> FloatArray:
    """Return |log min Ψ| and log max Λ of the watchdog, shape (2, n_joints, n_notions)."""
    low, high = log_min_lift(p), log_max_lift(p)
    leakage = np.empty((2, len(p), len(notions)))
    for j, notion in enumerate(notions):
        risky = (low > notion.eps_l + ROUNDING) | (high > notion.eps_u + ROUNDING)
        merged = (p * risky[:, None, :]).sum(axis=2)
        joint = np.stack([merged, p.sum(axis=2) - merged], axis=2)
        for side, (alone, measure) in enumerate(((low, log_min_lift), (high, log_max_lift))):
            together = np.nan_to_num(measure(joint)[:, 0])  # none where nothing is merged
            leakage[side, :, j] = np.maximum(np.where(risky, 0.0, alone).max(axis=1), together)
    return leakage


def _distribution(name: str, draws: FloatArray, panel: int) -> Series:
    """Return the cumulative distribution of a number over draws, at a hundred quantiles."""
    shares = np.linspace(0, 1, 101)
    return Series(name, numbers(np.quantile(draws, shares)), numbers(shares), panel=panel)
