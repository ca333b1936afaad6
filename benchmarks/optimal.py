"""The optimal mechanism: utility, time and gap.

Run with `python -m benchmarks.optimal` for all tables, or name some of: paper, frontier, large,
adult, ldp, alpha, proofs. `--quick` uses fewer draws and shorter limits; `--plot FILE` writes the
gap against time of the proofs as HTML; with `--processor` limits and times are of the processor.
"""

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np

from core import clock
from core import mechanisms as m
from core.data import DataSpec, count
from core.joint import Joint
from core.measures import entropy
from core.notions import ALIP, LDP, LIP, AlphaLift
from core.optimal.polytopes.double_description import double_description, generators
from core.optimal.polytopes.enumeration import best_mixture
from core.optimal.polytopes.standard_form import polytope
from core.optimal.utility import MutualInformation

LAMBDA = 0.5


def uniform(n_s: int, n_x: int, seed: int = 0) -> Joint:
    return Joint.random_uniform(n_s, n_x, np.random.default_rng(seed))


def timed(make: Callable, *arguments, **options):
    start = clock.now()
    answer = make(*arguments, **options)
    return answer, clock.now() - start


def by_cdd(joint: Joint, notion) -> float:
    """Return the NMI of the papers' route: all vertices by cdd, in this process, then a program."""
    points = double_description(polytope(notion.allowed_set(joint), joint.p_x))
    _, mixture, _ = best_mixture(points, joint.p_x, MutualInformation(), time.monotonic() + 600)
    return 1 - mixture.cost / entropy(joint.p_x)


def table(title: str, head: list[str], rows: list[list[object]]) -> None:
    print(f"\n### {title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def paper(quick: bool) -> None:
    draws, rows = 10 if quick else 100, []
    for eps in (0.5, 1, 2, 4):
        notion = ALIP.from_lambda(eps, LAMBDA)
        exact, times, short, proven = [], {"cdd": [], "walk": [], "columns": []}, [], 0
        for seed in range(draws):
            joint = uniform(5, 17, seed)
            nmi, seconds = timed(by_cdd, joint, notion)
            exact.append(nmi)
            times["cdd"].append(seconds)
            _, seconds = timed(m.optimal, joint, notion, solver="enumerate")
            times["walk"].append(seconds)
            result, seconds = timed(m.optimal, joint, notion, solver="columns")
            times["columns"].append(seconds)
            short.append(nmi - result.nmi)
            proven += result.status == "optimal"
        medians = [f"{1000 * np.median(times[key]):.0f}" for key in times]
        rows.append([eps, f"{np.mean(exact):.4f}", f"{max(short):.1e}", f"{np.mean(short):.1e}"])
        rows[-1] += [f"{proven}/{draws}", *medians]
    head = ["ε", "mean NMI", "columns short of exact, worst", "mean", "proven"]
    head += ["cdd + LP, ms", "walk, ms", "columns with proof, ms"]
    table(f"{draws} uniform joints of 17×5, λ=.5 (medians)", head, rows)


def frontier(quick: bool) -> None:
    joint, budgets = uniform(5, 17), np.arange(1, 33) * 0.25

    def family(eps: float) -> ALIP:
        return ALIP.from_lambda(eps, 0.65)

    along, together = timed(m.frontier, joint, family, budgets)
    every = budgets[:: 8 if quick else 1]
    _, walks = timed(lambda: [m.optimal(joint, family(e), solver="enumerate") for e in every])
    _, double = timed(lambda: [by_cdd(joint, family(e)) for e in every])
    scale = len(budgets) / len(every)
    rows = [
        ["frontier", f"{together:.2f}", f"{max(point.gap for point in along):.0e}"],
        ["32 enumerations, walked", f"{walks * scale:.2f}", ""],
        ["32 enumerations, cdd + LP", f"{double * scale:.2f}", ""],
    ]
    table("A frontier of 32 budgets, 17×5, λ=.65", ["", "s", "largest gap, nats"], rows)


def large(quick: bool) -> None:
    joint, rows = uniform(15, 200), []
    for eps in (1, 2, 4):
        notion = ALIP.from_lambda(eps, LAMBDA)
        limits = (5,) if quick else (5, 60)
        for limit in limits:
            best, seconds = timed(m.optimal, joint, notion, time_limit=limit)
            gap = best.gap / entropy(joint.p_x)
            cells = [f"{best.nmi:.5f}", f"{gap:.1e}", best.status, f"{seconds:.1f}"]
            rows.append([eps, f"optimal, {limit} s", *cells])
        for make in (m.subset_random_response, m.subset_merging):
            best, seconds = timed(make, joint, notion)
            rows.append([eps, best.name, f"{best.nmi:.5f}", "", best.status, f"{seconds:.1f}"])
    table("200×15, λ=.5", ["ε", "mechanism", "NMI", "gap (NMI)", "status", "s"], rows)
    several(quick)


SEVERAL = (
    (("race", "sex"), ("occupation", "native-country")),
    (("sex", "income"), ("education", "occupation", "workclass")),
    (("race", "relationship"), ("education", "occupation", "native-country")),
)
"""Columns of Adult that are S and X together."""


def several(quick: bool) -> None:
    """Print optima of several columns of Adult, and of random joints of 1,000 and 5,000 symbols."""
    joints = [count(DataSpec(source="adult", secret=s, released=x)).joint for s, x in SEVERAL]
    joints += [
        Joint.random_dirichlet(*size, 1.0, np.random.default_rng(0))
        for size in ((10, 1000), (6, 5000))
    ]
    rows = []
    for joint in joints:
        for notion in (LDP(0.5), LIP(0.25)):
            for limit in (1, 5) if quick else (1, 5, 60):
                best, seconds = timed(m.optimal, joint, notion, time_limit=limit)
                bound = best.upper_bound / entropy(joint.p_x)
                cells = [f"{best.nmi:.4f}", f"{bound:.4f}", best.status, f"{seconds:.1f}"]
                rows.append([f"{joint.n_s}×{joint.n_x}", str(notion), limit, *cells])
    head = ["n_s×n_x", "notion", "limit, s", "NMI", "bound", "status", "s"]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    table(f"Several columns of Adult; the last two joints are random; {peak} MB", head, rows)


def adult(quick: bool) -> None:
    rows = []
    for secret, eps in (("race", 2), ("relationship", 1)):
        spec = DataSpec(source="adult", secret=(secret,), released=("native-country",))
        joint = count(spec).joint
        for limit in (3,) if quick else (3, 30):
            best, seconds = timed(m.optimal, joint, ALIP.from_lambda(eps, LAMBDA), "auto", limit)
            size = f"{joint.n_s}×{joint.n_x}"
            rows.append([secret, size, eps, f"{best.nmi:.5f}", f"{best.gap:.1e}", best.status])
            rows[-1] += [f"{seconds:.2f}", limit]
    head = ["S (X: native-country)", "n_s×n_x", "ε", "NMI", "gap, nats", "status", "s", "limit, s"]
    table("Adult, where cdd does not finish in 60 s, λ=.5", head, rows)


def whole_kernels(joint: Joint, eps: float) -> np.ndarray:
    """Return the vertices of the set of whole kernels, as [Funnel] Theorem 2 enumerates them."""
    n, likelihood = joint.n_x, joint.p / joint.p_s[:, None]
    pairs = [(s, t) for s in range(joint.n_s) for t in range(joint.n_s) if s != t]
    bounds = np.array([np.exp(eps) * likelihood[t] - likelihood[s] for s, t in pairs])
    block = np.vstack([bounds, np.eye(n)])
    columns = np.kron(np.eye(n), block)  # a kernel, column after column
    sums = np.kron(np.ones(n), np.eye(n))
    inside = np.hstack([np.zeros((len(columns), 1)), columns])
    rows = np.vstack([inside, np.hstack([-np.ones((n, 1)), sums])])
    return generators(rows, list(range(len(columns), len(rows))))


def ldp(quick: bool) -> None:
    draws, rows = 5 if quick else 50, []
    for n_x in (3, 5):
        mine, theirs = [], []
        for seed in range(draws):
            joint = uniform(2, n_x, seed)
            best, seconds = timed(m.optimal, joint, LDP(1.0))
            mine.append(seconds)
            if n_x == 3:
                theirs.append(timed(whole_kernels, joint, 1.0)[1])
        paper_route = f"{1000 * np.median(theirs):.1f}" if theirs else "133,000 (printed)"
        rows.append([n_x, f"{1000 * np.median(mine):.1f}", paper_route, best.status])
    head = ["n_x", "optimal, ms", "all kernels' polytope, ms", "status"]
    table("LDP, n_s=2, ε=1 ([Funnel] Fig. 3; medians)", head, rows)


def alpha(quick: bool) -> None:
    draws, rows = 2 if quick else 10, []
    for order in (2.0, 10.0):
        for eps in (1, 2):
            notion, strict = AlphaLift(eps / 2, eps / 2, order), ALIP(eps / 2, eps / 2)
            nmi = {"optimal": [], "merging": [], "ALIP": []}
            seconds, proven = [], 0
            for seed in range(draws):
                joint = uniform(5, 17, seed)
                best, took = timed(m.optimal, joint, notion, time_limit=10)
                seconds.append(took)
                proven += best.status == "optimal"
                nmi["optimal"].append(best.nmi)
                nmi["merging"].append(m.subset_merging(joint, notion).nmi)
                nmi["ALIP"].append(m.optimal(joint, strict).nmi)
            means = [f"{np.mean(values):.3f}" for values in nmi.values()]
            rows.append([order, eps, *means, f"{proven}/{draws}", f"{np.median(seconds):.2f}"])
    head = ["α", "ε", "optimal", "subset merging", "optimal ALIP", "proven", "median s"]
    table(f"α-lift, 17×5, λ=.5, mean NMI of {draws} draws", head, rows)


PROOFS = (
    (5, 17, 0.5, 1.0),
    (5, 17, 1, 1.0),
    (5, 17, 2, 1.0),
    (5, 42, 1, 3.0),
    (5, 42, 2, 3.0),
    (6, 42, 1, 3.0),
    (5, 100, 2, 5.0),
    (10, 100, 2, 60.0),
    (15, 200, 4, 60.0),
    (15, 200, 2, 60.0),
    (15, 200, 1, 60.0),
)
"""n_s, n_x, ε, and the time limit in seconds."""


def proofs(quick: bool, plot: str | None = None) -> None:
    rows, curves = [], {}
    for n_s, n_x, eps, limit in PROOFS:
        joint, notion = uniform(n_s, n_x), ALIP.from_lambda(eps, LAMBDA)
        scale = entropy(joint.p_x)
        seconds = min(limit, 5.0) if quick else limit
        best, took = timed(m.optimal, joint, notion, time_limit=seconds)
        name = f"{n_x}×{n_s}, ε={eps}"
        rows.append([name, f"{best.nmi:.6f}", f"{best.gap / scale:.1e}", best.status])
        rows[-1] += [f"{took:.2f}", f"{seconds:g}"]
        if plot:
            shorter = seconds * np.array([0.02, 0.05, 0.1, 0.2, 0.4, 0.7])
            runs = [m.optimal(joint, notion, time_limit=limit) for limit in shorter]
            gaps = [run.gap / scale for run in runs]
            curves[name] = ([*shorter, took], [*gaps, best.gap / scale])
    head = ["n_x×n_s, ε", "NMI", "gap (NMI)", "status", "s", "limit, s"]
    table("Proofs, uniform joints, λ=.5", head, rows)
    if plot:
        draw(curves, plot)


def draw(curves: dict[str, tuple[list[float], list[float]]], path: str) -> None:
    """Write the gap that is left after a time limit, against it."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for name, (seconds, gaps) in curves.items():
        figure.add_scatter(x=seconds, y=np.maximum(gaps, 1e-12), name=name, mode="lines+markers")
    figure.update_xaxes(type="log", title="seconds")
    figure.update_yaxes(type="log", title="proven gap (NMI)")
    figure.write_html(path)


TABLES = {
    "paper": paper,
    "frontier": frontier,
    "large": large,
    "adult": adult,
    "ldp": ldp,
    "alpha": alpha,
    "proofs": proofs,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=[], metavar="|".join(TABLES))
    parser.add_argument("--quick", action="store_true", help="fewer draws, shorter limits")
    parser.add_argument("--plot", metavar="FILE", help="gap against time of the proofs, as HTML")
    parser.add_argument("--processor", action="store_true", help="limits in processor seconds")
    options = parser.parse_args()
    with clock.using(time.process_time if options.processor else time.monotonic):
        run(parser, options)


def run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    for name in options.tables or TABLES:
        if name not in TABLES:
            parser.error(f"there is no table {name!r}")
        if name == "proofs":
            proofs(options.quick, options.plot)
        else:
            TABLES[name](options.quick)


if __name__ == "__main__":
    main()
