"""[Funnel] Figures 6 to 9: conditional reporting beside randomized response and the optimum."""

from __future__ import annotations

import numpy as np
from scipy import special

from core import measures
from core.data import DataSpec, count
from core.joint import Joint
from core.mechanisms import (
    conditional_reporting,
    generalized_randomized_response,
    optimal,
    unary_encoding_summary,
)
from core.mechanisms.response.calibrated import conditional_alpha, grr_alpha
from core.mechanisms.response.unary_encoding import unary_kernel
from core.notions import LIP
from core.papers.experiment import Findings, Setting, at_eps, mean_of, numbers, question
from core.papers.experiments.funnel import GRID, PAPER, SECONDS
from core.papers.results import Panel, Series, Verdict
from core.papers.verdicts import Value
from core.validation import FloatArray

ADULT = tuple(
    (secret, released)
    for released in ("education", "relationship", "race", "sex")
    for secret in ("marital-status", "occupation")
)
"""S and X of Figure 6; the text names sex, the captions race."""

NINTH = (("occupation", "education"), ("occupation", "relationship"))
"""S and X of Figure 9."""

ADULT_GRID = np.arange(1, 21) / 4
"""ε of Figures 6 and 9."""


SHAPES = ((2, 5), (5, 2), (5, 5), (5, 3), (7, 5), (5, 7))
"""Numbers of secrets and of symbols in Figure 7."""


NO_OUE = "education"
"""The X for which the paper could not compute unary encoding's I(X;Y)."""


def adult(setting: Setting) -> Findings:
    """Run Figures 6 and 9: four protocols on eight pairs of Adult's columns."""
    grid = ADULT_GRID[1::6] if setting.quick else ADULT_GRID
    series: list[Series] = []
    panels: list[Panel] = []
    cases = np.zeros(4)
    halves, alphas = [], {}
    for place, (secret, released) in enumerate(ADULT):
        joint = count(DataSpec("adult", (secret,), (released,))).joint
        curves: dict[str, list[float]] = {}
        for step, eps in enumerate(grid.tolist()):
            setting.report((place * len(grid) + step, len(ADULT) * len(grid)))
            for name, value in _protocols(joint, eps).items():
                curves.setdefault(name, []).append(value)
        nmi = {name: np.array(curve) for name, curve in curves.items()}
        cases += _cases(nmi, printed=released != NO_OUE)
        panels.append(Panel(f"S = {secret}, X = {released}", "ε", "NMI"))
        series += [
            Series(name, numbers(grid), numbers(curve), panel=place) for name, curve in nmi.items()
        ]
        alphas[secret, released] = _alphas(joint, grid), nmi
        if joint.n_x <= 8:  # else unary encoding's I(X;Y) is not computed exactly for its limit
            name = f"X = {released}, S = {secret}"
            halves.append(PAPER["half"].beside(_beyond_half(joint), name=name))
    for letter, (secret, released) in zip("ab", NINTH, strict=True):
        series += [
            Series(name, numbers(grid), numbers(curve), panel=len(panels))
            for name, curve in zip(("GRR", "CR"), alphas[secret, released][0], strict=True)
        ]
        panels.append(Panel(f"Figure 9({letter}): S = {secret}, X = {released}", "ε", "α"))
    return Findings(
        0,
        tuple(panels),
        tuple(series),
        (
            Verdict("NUM", "The limit of OUE is ½H(X)", PAPER["half"].place, tuple(halves)),
            Verdict(
                "ERR",
                "GRR and CR both perform somewhere between Opt-LIP and OUE",
                PAPER["above"].place,
                (
                    PAPER["above"].beside(
                        cases[0], name=f"CR above Opt-LIP, out of {cases[2]:.0f}"
                    ),
                    PAPER["below"].beside(
                        cases[1], name=f"GRR or CR below OUE, out of {cases[3]:.0f}"
                    ),
                ),
                "CR also reads S, so the optimum over chains S–X–Y does not bound it. CR is far "
                "below OUE for S = occupation, X = race at ε ≤ 1.5.",
            ),
            *_signs(alphas, grid),
        ),
        scenario={
            "data": {"source": "adult", "secret": ["occupation"], "released": ["relationship"]},
            "notion": "lip",
            "eps": 1.0,
            "mechanism": "conditional_reporting",
        },
    )


def _protocols(joint: Joint, eps: float) -> dict[str, float]:
    return {
        "Opt-LIP": optimal(joint, LIP(eps), time_limit=SECONDS).nmi,
        "CR": conditional_reporting(joint, LIP(eps)).nmi,
        "GRR": generalized_randomized_response(joint, eps=eps).nmi,
        "OUE": unary_encoding_summary(joint, eps=eps).nmi,
    }


def _cases(nmi: dict[str, FloatArray], *, printed: bool) -> FloatArray:
    """Return in how many cases CR is above the optimum, GRR or CR below OUE, and of how many."""
    above = nmi["CR"] > nmi["Opt-LIP"] + 1e-9  # less is rounding
    below = printed & (np.minimum(nmi["CR"], nmi["GRR"]) < nmi["OUE"] - 1e-3)
    return np.array([above.sum(), below.sum(), len(above), printed * len(above)], dtype=np.float64)


def _beyond_half(joint: Joint) -> float:
    """Return I(X;Y) of unary encoding at α = 50 less ½H(X), in nats."""
    kernel = unary_kernel(joint.n_x, 50.0)  # there it is at its limit
    information = float(measures.mutual_information(joint.p_x[:, None] * kernel))
    return information - float(special.entr(joint.p_x).sum()) / 2


def _alphas(joint: Joint, grid: FloatArray) -> FloatArray:
    """Return α of GRR and of CR along ε, shape (2, len(grid))."""
    notions = [LIP(float(eps)) for eps in grid]
    return np.array(
        [[make(joint, notion) for notion in notions] for make in (grr_alpha, conditional_alpha)]
    )


def _signs(
    curves: dict[tuple[str, str], tuple[FloatArray, dict[str, FloatArray]]], grid: FloatArray
) -> tuple[Verdict, ...]:
    """Return the verdicts that the mechanism with the larger α keeps more, for Figure 9."""
    verdicts = []
    for released, sign, panel in (
        ("education", 1.0, "9(a), 6(b)"),
        ("relationship", -1.0, "9(b), 6(d)"),
    ):
        alphas, nmi = curves["occupation", released]
        first, second = ("GRR", "CR") if sign > 0 else ("CR", "GRR")
        for what, apart, width in (
            ("a larger α", alphas[0] - alphas[1], 0.0),
            # difference of two NMI that cannot be seen in a figure
            ("more utility", nmi["GRR"] - nmi["CR"], 0.01),
        ):
            values = zip(at_eps(grid), numbers(sign * apart), strict=True)
            verdicts.append(
                Verdict(
                    "ORD",
                    f"{first} has {what} than {second} for X = {released}",
                    f"Figures {panel}",
                    tuple(Value(name, value, unit=width) for name, value in values),
                )
            )
    return tuple(verdicts)


def differences(setting: Setting, count: int, n_s: int, n_x: int, eps: float) -> FloatArray:
    """Return α and NMI of GRR and of CR on random joints, (4, k), without draws of infinite α."""
    rows = []
    for weights in setting.dirichlet(count, n_s, n_x):
        joint = Joint.from_counts(weights)
        alphas = grr_alpha(joint, LIP(eps)), conditional_alpha(joint, LIP(eps))
        grr = generalized_randomized_response(joint, eps=eps).nmi
        rows.append((*alphas, grr, conditional_reporting(joint, LIP(eps)).nmi))
    table = np.array(rows).T
    result: FloatArray = table[:, np.isfinite(table[:2]).all(axis=0)]
    return result


def synthetic(setting: Setting) -> Findings:
    """Run Figure 7: GRR and CR on random joints of six shapes."""
    count = setting.count(100)
    series: list[Series] = []
    gains: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for place, (n_s, n_x) in enumerate(SHAPES):
        along = []
        for step, eps in enumerate(GRID.tolist()):
            setting.report((place * len(GRID) + step, len(SHAPES) * len(GRID)))
            along.append(differences(setting, count, n_s, n_x, eps)[2:])
            mean, error = mean_of(along[-1][1] - along[-1][0])
            gains.setdefault((n_s, n_x), []).append((float(mean), float(error)))
        for j, name in enumerate(("GRR", "CR")):
            series.append(
                Series(
                    f"{name}, bars show standard deviations",
                    numbers(GRID),
                    numbers([nmi[j].mean() for nmi in along]),
                    numbers([nmi[j].std(ddof=1) for nmi in along]),
                    place,
                )
            )
    return Findings(
        count,
        tuple(Panel(f"a = {n_x}, c = {n_s}", "ε", "NMI") for n_s, n_x in SHAPES),
        tuple(series),
        tuple(
            Verdict(
                "ORD",
                f"CR gains more over GRR at a = {more[1]}, c = {more[0]} than at a = {less[1]}, c "
                f"= {less[0]}",
                "§VII-D, Figure 7",
                tuple(
                    Value(name, a - b, error=float(np.hypot(e, f)))
                    for name, (a, e), (b, f) in zip(
                        at_eps(GRID), gains[more], gains[less], strict=True
                    )
                ),
            )
            for more, less in (
                ((2, 5), (5, 2)),
                ((2, 5), (5, 5)),
                ((5, 5), (5, 2)),
                ((5, 7), (7, 5)),
            )
        ),
        scenario=question("random:dirichlet0.5:5x5:1", "lip", 1.0, "conditional_reporting"),
    )


def correlations(setting: Setting) -> Findings:
    """Run Figure 8: the difference in α beside that in utility."""
    budgets = (1.0, 1.5, 2.0)  # ε of Figure 8
    count = setting.count(100) if not setting.quick else 25
    series, values = [], []
    for place, eps in enumerate(budgets):
        setting.report((place, len(budgets)))
        table = differences(setting, count, 5, 5, eps)
        apart = table[0] - table[1], table[2] - table[3]
        rho = float(np.corrcoef(*apart)[0, 1])
        published = float(PAPER["correlation"].value[place])
        error = 1 / np.sqrt(97) if count == 100 else 1 / np.sqrt(count - 3)
        series.append(
            Series("draws", numbers(apart[0]), numbers(apart[1]), panel=place, kind="points")
        )
        values.append(
            Value(
                f"atanh ρ at ε = {eps:g} (ρ = {rho:.4f}, published {published})",
                float(np.arctanh(rho)),
                float(np.arctanh(published)),
                float(error),
                drawn=True,
            )
        )
    return Findings(
        count,
        tuple(
            Panel(f"ε = {eps:g}", "α of GRR minus that of CR", "NMI of GRR minus that of CR")
            for eps in budgets
        ),
        tuple(series),
        (
            Verdict(
                "NUM",
                "The difference in α explains most of the difference in utility",
                PAPER["correlation"].place,
                tuple(values),
            ),
        ),
        scenario=question("random:dirichlet0.5:5x5:1", "lip", 1.0, "grr"),
    )
