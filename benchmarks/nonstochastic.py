"""Non-stochastic clustering: frontiers on real data, speed, and distance from the optimum.

Run with `python -m benchmarks.nonstochastic` (about a minute).
"""

import time
from collections.abc import Callable

import numpy as np

from core import nonstochastic as ns
from core.data import DataSpec, Sources, count
from tests import nonstochastic_reference as plain

PROBLEMS = {"anonymity": "Algorithm 1", "maximin": "Algorithm 2", "reduction": "variant for (10)"}
METHODS: dict[str, Callable[..., tuple[ns.FrontierPoint, ...]]] = {
    "Algorithm 1": lambda occurs, *rest: ns.pareto_frontier(occurs, "anonymity", *rest),
    "Algorithm 2": lambda occurs, *rest: ns.pareto_frontier(occurs, "maximin", *rest),
    "variant for (10)": lambda occurs, *rest: ns.pareto_frontier(occurs, "reduction", *rest),
    "generalise and suppress": ns.suppression_frontier,
    "submodular": ns.submodular_frontier,
}
CLAIMS = (("Algorithm 1", "generalise and suppress"), ("Algorithm 2", "submodular"))
WEIGHTS = (0.1, 0.25, 0.5, 1.0, 2.0)


def table() -> str:
    """Return every result as Markdown."""
    return "\n".join(
        [*heart(), *optimality(100), *large(n_s=200, n_x=500), *against_plain(n_s=40, n_x=80)]
    )


def main() -> None:
    print(table())


def heart() -> list[str]:
    """Return the frontiers of S = age, X = cholesterol, and whether the paper's claims hold."""
    occurs, values = heart_range()
    lines = [
        f"Hungarian heart disease, age × cholesterol: {occurs.shape[0]} × {occurs.shape[1]}, "
        f"{occurs.sum()} pairs occur, L0 {ns.max_uncertainty_reduction(occurs):.2f} bits, "
        f"I* {ns.maximin_information(occurs):.2f} bits.",
        "",
        "| utility | method | points | leakage : utility | seconds |",
        "|---|---|---:|---|---:|",
    ]
    for utility in ("resolution", "distortion"):
        frontiers = {}
        for name, method in METHODS.items():
            started = time.perf_counter()
            frontiers[name] = method(occurs, utility, values)
            seconds = time.perf_counter() - started
            points = " · ".join(f"{p.leakage:.2f} : {p.utility:.2f}" for p in frontiers[name])
            lines.append(
                f"| {utility} | {name} | {len(frontiers[name])} | {points} | {seconds:.2f} |"
            )
        for ours, theirs in CLAIMS:
            beaten = sum(_beaten(point, frontiers[ours]) for point in frontiers[theirs])
            shared = _shared(frontiers[theirs], frontiers[ours])
            lines.append(
                f"| {utility} | {ours} dominates {theirs} | {len(frontiers[theirs])} "
                f"| {beaten} of its points beaten, {shared} shared | |"
            )
    return lines


def heart_range() -> tuple[np.ndarray, np.ndarray]:
    """Return which (age, cholesterol) occur, and the cholesterol levels."""
    spec = DataSpec("heart_hungarian", ("age",), ("chol",), missing="drop")
    joint = count(spec, Sources()).joint
    return joint.p > 0, np.array([float(label) for label in joint.x_labels])


def optimality(draws: int) -> list[str]:
    """Return how often each heuristic reaches the optimum over all partitions of 6 symbols."""
    rng = np.random.default_rng(0)
    ranges = [sparse(5, 6, 0.25, rng) for _ in range(draws)]
    values = np.array([0.0, 1.0, 1.5, 4.0, 4.0, 7.0])
    lines = [
        "",
        f"Share of {draws} random 5 × 6 ranges at the exact optimum (mean excess of Lagrangian):",
        "",
        "| utility | λ | " + " | ".join(PROBLEMS.values()) + " |",
        "|---|---:|" + "---:|" * len(PROBLEMS),
    ]
    for utility in ("resolution", "distortion"):
        for weight in WEIGHTS:
            cells = []
            for problem in PROBLEMS:
                excess = [_excess(r, problem, weight, utility, values) for r in ranges]
                share = np.mean(np.array(excess) < 1e-9)
                cells.append(f"{share:.0%} ({np.mean(excess):.2f})")
            lines.append(f"| {utility} | {weight} | " + " | ".join(cells) + " |")
    return lines


def large(n_s: int, n_x: int) -> list[str]:
    """Return the seconds of every algorithm on a large range of many components."""
    rng = np.random.default_rng(1)
    occurs = sparse(n_s, n_x, 0.001, rng)
    values = rng.normal(size=n_x) * 50
    lines = [
        "",
        f"{n_x} symbols × {n_s} secrets ({ns.maximin_information(occurs):.2f} bits of I*):",
        "",
        "| algorithm | utility | one run, s | frontier, s |",
        "|---|---|---:|---:|",
    ]
    for problem, name in PROBLEMS.items():
        for utility in ("resolution", "distortion"):
            run = _seconds(lambda p=problem, u=utility: _run(occurs, p, 0.1, u, values))
            whole = _seconds(lambda p=problem, u=utility: ns.pareto_frontier(occurs, p, u, values))
            lines.append(f"| {name} | {utility} | {run:.2f} | {whole:.2f} |")
    return lines


def against_plain(n_s: int, n_x: int) -> list[str]:
    """Return the time of plain versions that recompute everything, over ours; paths are equal."""
    rng = np.random.default_rng(2)
    occurs = sparse(n_s, n_x, 0.004, rng)
    values = rng.integers(0, 500, n_x).tolist()
    rows = occurs.tolist()
    lines = [
        "",
        f"Against versions that recompute from scratch ({n_x} × {n_s} symbols and secrets):",
        "",
        "| algorithm | from scratch, s | ours, s | ratio |",
        "|---|---:|---:|---:|",
    ]
    runs = {
        "anonymity": lambda: plain.algorithm_1(rows, plain.centroid_loss, values),
        "maximin": lambda: plain.algorithm_2(rows, plain.centroid_loss, values),
        "reduction": lambda: plain.algorithm_2(rows, plain.centroid_loss, values, 0.1),
    }
    for problem, scratch in runs.items():
        weight = 0.1 if problem == "reduction" else 0.0
        ours = _run(occurs, problem, weight, "distortion", values)
        if [step.clusters for step in ours.steps] != scratch():
            raise SystemExit(f"{PROBLEMS[problem]}: the paths differ.")
        slow = _seconds(scratch, repeat=1)
        quick = _seconds(lambda p=problem, w=weight: _run(occurs, p, w, "distortion", values))
        lines.append(f"| {PROBLEMS[problem]} | {slow:.2f} | {quick:.4f} | {slow / quick:.0f} |")
    return lines


def sparse(n_s: int, n_x: int, density: float, rng: np.random.Generator) -> np.ndarray:
    """Return a random range in which every symbol has a secret."""
    occurs = rng.random((n_s, n_x)) < density
    occurs[rng.integers(0, n_s, n_x), np.arange(n_x)] = True
    return occurs


def _run(
    occurs: np.ndarray, problem: str, weight: float, utility: str, values: object
) -> ns.Clustering:
    if problem == "anonymity":
        return ns.merge_for_anonymity(occurs, weight, utility, values)
    return ns.merge_for_indistinguishability(occurs, weight, utility, values, problem)


def _excess(
    occurs: np.ndarray, problem: str, weight: float, utility: str, values: np.ndarray
) -> float:
    best = ns.all_partitions(occurs, problem, utility, values).optimum(weight).lagrangian
    return _run(occurs, problem, weight, utility, values).lagrangian - best


def _beaten(point: ns.FrontierPoint, points: tuple[ns.FrontierPoint, ...]) -> bool:
    return any(
        p.leakage <= point.leakage
        and p.utility >= point.utility
        and (p.leakage, p.utility) != (point.leakage, point.utility)
        for p in points
    )


def _shared(points: tuple[ns.FrontierPoint, ...], others: tuple[ns.FrontierPoint, ...]) -> int:
    return len({(p.leakage, p.utility) for p in points} & {(p.leakage, p.utility) for p in others})


def _seconds(run: Callable[[], object], repeat: int = 3) -> float:
    """Return the least time of some runs."""
    times = []
    for _ in range(repeat):
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return min(times)


if __name__ == "__main__":
    main()
