"""[Lift] Figures 1, 2 and 4: ranges of lifts, and merging under LDP and ALIP."""

from __future__ import annotations

import numpy as np
from scipy import special

from core.joint import Joint
from core.mechanisms import subset_merging_batch, watchdog_batch
from core.mechanisms.merging.partition import merging_kernel
from core.notions import LDP, Notion
from core.notions.lip import log_max_lift, log_min_lift
from core.papers.as_printed import subset_merging_as_printed
from core.papers.experiment import Findings, Setting, mean_of
from core.papers.experiments.common import alip, at_eps, lines, mean_beside, of_ranges, ordered
from core.papers.printed import printed
from core.papers.results import Panel, Series, Verdict
from core.sweep.batched import released
from core.validation import FloatArray

N_S, N_X = 5, 17
"""The sizes of S and X in every figure but the sixth."""

GRID = np.arange(1, 33) / 4
"""ε of every figure but the sixth: .25, .5, …, 8."""

LAMBDAS = (0.35, 0.5, 0.65)

AT_ONCE = 50
"""Draws whose releases are held in memory together."""

SAID = printed("lift")


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
    return of_ranges(setting, 1000, N_S, N_X, SAID, "Figure 1")


def merging(setting: Setting) -> Findings:
    """Run Figures 2 and 4: complete and subset merging, with what they leak."""
    p = setting.uniform(setting.count(1000), N_S, N_X)
    notions: dict[str, list[Notion]] = {"LDP": [LDP(float(eps)) for eps in GRID]}
    notions |= {f"ALIP, λ = {lam}": [alip(lam, float(eps)) for eps in GRID] for lam in LAMBDAS}
    flat = [one for group in notions.values() for one in group]
    found: list[list[list[FloatArray]]] = []
    for make in (watchdog_batch, subset_merging_batch):
        setting.report((len(found), 3))
        batch = make(p, flat)
        leaked = merged_leakage(p, batch.sets)
        found.append([*(np.split(one, len(notions), axis=1) for one in (batch.nmi, *leaked))])
        attained = np.split(batch.attained, len(notions), axis=1)
    setting.report((2, 3))
    wrong = as_printed(p[: setting.count(1000)])
    series: tuple[Series, ...] = ()
    for place, measured in enumerate(found):
        for part, groups in enumerate(measured):
            named = dict(zip(notions, groups, strict=True))
            series += lines(named, GRID, 3 * place + part)
    nmi = [measured[0] for measured in found]
    broken = 1.0 - np.stack(attained)[2]  # λ = .5
    return Findings(
        len(p),
        panels("Complete merging (Figure 2): ", "Subset merging (Figure 4): "),
        series,
        (*_numbers(nmi, wrong, broken), *_orders(nmi)),
        scenario={
            "data": {"source": "example:lift_typical"},
            "notion": "alip",
            "eps": 2.0,
            "lam": 0.5,
            "mechanism": "subset_merging",
        },
    )


def merged_leakage(p: FloatArray, sets: np.ndarray) -> tuple[FloatArray, FloatArray]:
    """Return |log min Ψ| and log max Λ of mergings, each of shape (n_joints, n_notions)."""
    low, high = np.empty(sets.shape[:2]), np.empty(sets.shape[:2])
    for start in range(0, len(p), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        releases = released(p[some], sets[some])
        flat = releases.reshape(-1, *releases.shape[2:])
        low[some] = np.nanmax(log_min_lift(flat), axis=-1).reshape(low[some].shape)
        high[some] = np.nanmax(log_max_lift(flat), axis=-1).reshape(low[some].shape)
    return low, high


def as_printed(p: FloatArray) -> dict[str, FloatArray]:
    """Return the NMI of Algorithm 1's two errors at ε = 2, λ = .5, each of shape (n_draws,)."""
    notion = alip(0.5, 2.0)
    found: dict[str, list[float]] = {"risk": [], "line 4": []}
    for one in p:
        joint = Joint.from_counts(one)
        for wrong, values in found.items():
            sets = subset_merging_as_printed(joint, notion, wrong)  # type: ignore[arg-type]
            merged = {x for members in sets for x in members}
            whole = (*sets, *((x,) for x in range(joint.n_x) if x not in merged))
            p_y = joint.p_x @ merging_kernel(whole, joint.n_x)
            values.append(special.entr(p_y).sum() / special.entr(joint.p_x).sum())
    return {wrong: np.array(values) for wrong, values in found.items()}


def _numbers(
    nmi: list[list[FloatArray]], wrong: dict[str, FloatArray], broken: FloatArray
) -> tuple[Verdict, ...]:
    """Return the verdicts on printed numbers; lists are over LDP and the three λ."""
    two = int(np.flatnonzero(GRID == 2.0)[0])
    complete, subsets = (one[2][:, two] for one in nmi)
    slips = []
    for which, key, claim, cause in (
        (
            "risk",
            "risk",
            "Algorithm 1 chooses by ω = Λ + Ψ",
            "The variant chooses by Λ + Ψ, which is smaller where Ψ is, though such a set moves "
            "beliefs more; ours by max(log Λ, |log Ψ|).",
        ),
        (
            "line 4",
            "line_4",
            "Algorithm 1 stops as line 4 says",
            "The variant opens no new set as soon as all that is left meets the budget as one, "
            "which it mostly does at the start.",
        ),
    ):
        mean, error = mean_of(wrong[which])
        slips.append(
            Verdict(
                "ERR",
                f"{claim}, and reaches {SAID[key].number:g} so",
                SAID[key].place,
                (mean_beside(SAID[key], subsets, variant=float(mean), variant_error=float(error)),),
                cause,
            )
        )
    share = broken.mean(axis=0)  # no standard error: one draw is enough against what is said of all
    unmet = tuple(
        SAID["unsatisfied"].beside(share[i], name=f"share of draws at {name}")
        for i, name in enumerate(at_eps(GRID))
        if GRID[i] in (6.0, 8.0)
    )
    return (
        Verdict(
            "NUM",
            "Complete merging keeps .52",
            "Figure 2(a)",
            (mean_beside(SAID["merging"], complete),),
        ),
        Verdict(
            "NUM",
            "Subset merging keeps about .83",
            "Figure 4(a)",
            (mean_beside(SAID["subsets"], subsets),),
        ),
        *slips,
        Verdict(
            "ERR",
            "Privacy constraints have been satisfied in all cases",
            SAID["unsatisfied"].place,
            unmet,
            "X_H breaks the budget even as one set; it holds for the means that are drawn.",
        ),
    )


def _orders(nmi: list[list[FloatArray]]) -> tuple[Verdict, ...]:
    """Return the verdicts on which line is above which."""
    at, late = at_eps(GRID), GRID >= 1.5
    found = []
    for place, (ldp, low, middle, high) in zip(("Figure 2(a)", "Figure 4(a)"), nmi, strict=True):
        found += [
            ordered(
                "LDP keeps at least what ALIP at λ = .5 keeps", place, ldp, middle, at, weak=True
            ),
            ordered(
                "λ = .65 keeps more than λ = .5 for ε ≥ 1.5",
                place,
                high[:, late],
                middle[:, late],
                at_eps(GRID[late]),
            ),
            ordered("λ = .5 keeps more than λ = .35", place, middle, low, at),
        ]
    return tuple(found)
