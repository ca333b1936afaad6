"""The experiments of [Funnel]: Figures 3 to 9, with our solvers and our repaired protocols.

Run with `python -m benchmarks.funnel` for all figures, or name some of: 3, 5, 6, 7, 8, 9 (4 is
shown with 3). `--draws` sets the random joints behind each (the paper: 10, 10 and 100),
`--limit` the seconds that one optimum may take.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import product
from math import prod

import numpy as np

from core import measures
from core import mechanisms as m
from core.clock import NEVER
from core.data import DataSpec, count
from core.joint import Joint
from core.mechanisms import Mechanism
from core.mechanisms.polish import polished
from core.mechanisms.response.calibrated import conditional_alpha, grr_alpha
from core.mechanisms.result import make_mechanism
from core.notions import LDP, LIP, SRLIP
from core.optimal import plan
from core.optimal.polytopes.double_description import double_description
from core.optimal.polytopes.enumeration import best_mixture
from core.optimal.polytopes.standard_form import polytope
from core.optimal.utility import MutualInformation

BUDGETS = (0.5, 1.0, 1.5, 2.0)
"""ε of Figures 3 to 5, in nats."""

SHAPE = (3, 3, 4)
"""Attributes of Figure 5; S has two values."""

SIZES = ((5, 2), (2, 5), (5, 5), (3, 5), (5, 7), (7, 5))
"""(a, c) of Figure 7: symbols of X and of S."""


def timed(make: Callable[..., Mechanism], *arguments: object, **options) -> tuple[Mechanism, float]:
    started = time.perf_counter()
    mechanism = make(*arguments, **options)
    return mechanism, time.perf_counter() - started


def table(title: str, head: list[str], rows: list[list[object]]) -> None:
    print(f"\n### {title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def shown(values: list[float], digits: int = 4) -> str:
    return f"{np.mean(values):.{digits}f} ± {np.std(values):.{digits}f}"


def quick(seconds: list[float]) -> str:
    return f"{1000 * np.mean(seconds):.1f} ms"


def figure_3(draws: int, limit: float) -> None:
    rows = []
    for eps in BUDGETS:
        runs = {
            name: [
                timed(m.optimal, joint, notion, time_limit=limit) for joint in uniform(draws, 2, 5)
            ]
            for name, notion in (
                ("LDP", LDP(eps)),
                ("LIP", LIP(eps)),
                ("half", LIP(eps / 2)),
            )
        }
        utility = {
            name: [mechanism.utility for mechanism, _ in pairs] for name, pairs in runs.items()
        }
        rows.append(
            [
                eps,
                *(shown(utility[name]) for name in runs),
                *(quick([seconds for _, seconds in pairs]) for pairs in runs.values()),
            ]
        )
    names = ["ε-LDP", "ε-LIP", "ε/2-LIP"]
    table(
        f"Figures 3 and 4: I(X;Y) in nats and time, a = 5, c = 2, {draws} draws "
        "(the paper at ε = .5: LDP 133 s, LIP 20.6 ms)",
        ["ε", *names, *(f"time, {name}" for name in names)],
        rows,
    )


def theorem_3(joint: Joint, notion: LIP) -> Mechanism:
    """Optimal LIP as the paper computes it: all vertices by cdd, in this process, then one LP."""
    points = double_description(polytope(notion.allowed_set(joint), joint.p_x))
    master, mixture, _ = best_mixture(points, joint.p_x, MutualInformation(), NEVER)
    return make_mechanism(
        joint,
        polished(joint, master.kernel(mixture), notion),
        name="Theorem 3",
        solver="cdd",
        status="optimal",
        notion=notion,
    )


def figure_5(draws: int, limit: float) -> None:
    rows = []
    names = ["LIP", "LIP by cdd", "SRLIP", "product, even", "product, best split"]
    for eps in BUDGETS:
        runs: dict[str, list[tuple[Mechanism, float]]] = {}
        for joint in uniform(draws, 2, prod(SHAPE)):
            lip = timed(m.optimal, joint, LIP(eps), time_limit=limit)
            srlip = timed(m.optimal, joint, SRLIP(eps, SHAPE), time_limit=limit)
            even = timed(m.srlip_product, joint, eps, SHAPE)
            split = timed(m.srlip_product, joint, eps, SHAPE, "optimised")
            listed = timed(theorem_3, joint, LIP(eps))
            for name, run in zip(names, (lip, listed, srlip, even, split), strict=True):
                runs.setdefault(name, []).append(run)
        gaps = [mechanism.gap for mechanism, _ in runs["SRLIP"]]
        repaired = sum(mechanism.status == "repaired" for mechanism, _ in runs["product, even"])
        rows.append(
            [
                eps,
                *(shown([mechanism.utility for mechanism, _ in pairs]) for pairs in runs.values()),
                f"{max(gaps):.4f}",
                *(quick([seconds for _, seconds in pairs]) for pairs in runs.values()),
                repaired,
            ]
        )
    table(
        f"Figure 5: I(X;Y) in nats and time, c = 2, a = 3·3·4, {draws} draws "
        "(the paper's Theorem 4, the product, took 476 times as long as its Theorem 3: LIP from "
        "all vertices)",
        ["ε", *names, "SRLIP gap, at most", *(f"time, {name}" for name in names), "repaired"],
        rows,
    )


def figure_6(_draws: int, limit: float) -> None:
    for secret, released in product(
        ("marital-status", "occupation"), ("education", "relationship", "race")
    ):
        joint = count(DataSpec(secret=(secret,), released=(released,))).joint
        rows = []
        for eps in BUDGETS:
            best, seconds = timed(m.optimal, joint, LIP(eps), time_limit=limit)
            rows.append(
                [
                    eps,
                    f"{best.utility:.4f}",
                    f"{best.gap:.4f}",
                    f"{seconds:.2f} s",
                    f"{m.conditional_reporting(joint, eps=eps).utility:.4f}",
                    f"{m.generalized_randomized_response(joint, eps=eps).utility:.4f}",
                    unary(joint, eps),
                ]
            )
        table(
            f"Figure 6: S = {secret} ({joint.n_s}), X = {released} ({joint.n_x}), "
            f"H(X) = {measures.entropy(joint.p_x):.4f}: I(X;Y) in nats",
            ["ε", "Opt-LIP", "gap", "time", "CR", "GRR", "OUE"],
            rows,
        )


def unary(joint: Joint, eps: float) -> str:
    """Return OUE's utility; the paper calls 16 symbols infeasible, above that it is estimated."""
    if joint.n_x <= plan.SIZES.listed_symbols:
        return f"{m.optimized_unary_encoding(joint, eps=eps).utility:.4f}"
    summary = m.unary_encoding_summary(joint, eps=eps)
    return f"{summary.utility:.4f} ± {summary.standard_error:.4f}"


def figure_7(draws: int, _limit: float) -> None:
    rows = []
    for a, c in SIZES:
        for eps in BUDGETS:
            nmi = {"CR": [], "GRR": []}
            for joint in jeffreys(draws, c, a):
                nmi["CR"].append(m.conditional_reporting(joint, eps=eps).nmi)
                nmi["GRR"].append(m.generalized_randomized_response(joint, eps=eps).nmi)
            wins = np.mean(np.array(nmi["CR"]) > np.array(nmi["GRR"]))
            rows.append([a, c, eps, *(shown(values, 3) for values in nmi.values()), f"{wins:.0%}"])
    table(
        f"Figure 7: NMI, Jeffreys prior, {draws} draws",
        ["a", "c", "ε", "CR", "GRR", "CR better in"],
        rows,
    )


def figure_8(draws: int, _limit: float) -> None:
    rows = []
    for eps, printed in ((1.0, 0.9815), (1.5, 0.9889), (2.0, 0.9731)):
        noise, utility = [], []
        for joint in jeffreys(draws, 5, 5):
            cr = m.conditional_reporting(joint, eps=eps)
            grr = m.generalized_randomized_response(joint, eps=eps)
            alphas = conditional_alpha(joint, LIP(eps)), grr_alpha(joint, LIP(eps))
            if np.isfinite(alphas).all():
                noise.append(alphas[0] - alphas[1])
                utility.append(cr.utility - grr.utility)
        rows.append([eps, len(noise), f"{np.corrcoef(noise, utility)[0, 1]:.4f}", printed])
    table(
        f"Figure 8: correlation of the differences in α and in I(X;Y), a = c = 5, {draws} draws",
        ["ε", "draws with finite α", "ρ", "the paper's ρ"],
        rows,
    )


def figure_9(_draws: int, _limit: float) -> None:
    rows = []
    for released in ("education", "relationship"):
        joint = count(DataSpec(secret=("occupation",), released=(released,))).joint
        for eps in BUDGETS:
            alphas = grr_alpha(joint, LIP(eps)), conditional_alpha(joint, LIP(eps))
            rows.append([released, eps, *(f"{alpha:.4f}" for alpha in alphas)])
    table(
        "Figure 9: α at which the protocols run, S = occupation",
        ["X", "ε", "GRR", "CR"],
        rows,
    )


def uniform(draws: int, n_s: int, n_x: int) -> list[Joint]:
    rng = np.random.default_rng(0)
    return [Joint.random_uniform(n_s, n_x, rng) for _ in range(draws)]


def jeffreys(draws: int, n_s: int, n_x: int) -> list[Joint]:
    rng = np.random.default_rng(0)
    return [Joint.random_dirichlet(n_s, n_x, 0.5, rng) for _ in range(draws)]


FIGURES = {
    "3": figure_3,
    "5": figure_5,
    "6": figure_6,
    "7": figure_7,
    "8": figure_8,
    "9": figure_9,
}


def main() -> None:
    """Print the requested figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", nargs="*", metavar="|".join(FIGURES), help="all by default")
    parser.add_argument("--draws", type=int, help="random joints; 5 (100 for 7 and 8) by default")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds for one optimum")
    chosen = parser.parse_args()
    for name in chosen.figures or FIGURES:
        if name not in FIGURES:
            parser.error(f"there is no figure {name!r}")
        draws = chosen.draws or (100 if name in ("7", "8") else 5)
        FIGURES[name](draws, chosen.limit)


if __name__ == "__main__":
    main()
