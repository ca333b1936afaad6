"""Robust mechanisms at sizes beyond those in the literature, and the exact robust optimum.

Run with `python -m benchmarks.robust`: everything takes about half an hour. `--seconds 15` bounds
each search, `--only large` (or adult, exact, released, table2, pairs) runs one part, `--draws 5`
averages over fewer. `--only pairs --eps 1 --seconds 5 --processor` goes over all ordered pairs of
Adult's columns, with limits in seconds of this process's processor. Prints Markdown tables.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.pairs import joints
from core import clock
from core import mechanisms as m
from core.data import count
from core.data.spec import DataSpec
from core.measures import entropy
from core.mechanisms import Mechanism
from core.mechanisms.optima.remembered import MEMORY
from core.mechanisms.optima.robust_starts import known_without_search
from core.notions.robust_markov import RobustLDP
from core.studies import robust_designs
from core.uncertainty import RenyiBall

RECORDS = 32_561
"""Records of Adult, and of every synthetic sample in [RLDP] §8."""

FLOOR = 1e-9
"""What cells that were never seen are lifted to."""

TABLE_2 = {
    (2, 5): ("0.231", "0.723", "0.501"),
    (5, 2): ("0.126", "0.372", "0.165"),
    (15, 16): ("0.009", "infeasible", "0.053"),
    (42, 6): ("0.005", "infeasible", "0.052"),
}
"""Printed mean NMI at β = .01 of secret RR, PolyOpt and independent reporting."""


def large_sample(n_s: int, n_u: int) -> np.ndarray:
    """Return P̂ of a sample from a Dirichlet(½) draw, unseen cells floored."""
    rng = np.random.default_rng(1)
    truth = rng.dirichlet([0.5] * (n_s * n_u))
    p_hat = np.maximum(rng.multinomial(RECORDS, truth) / RECORDS, FLOOR).reshape(n_s, n_u)
    return p_hat / p_hat.sum()


def adult(secret: str, released: str) -> np.ndarray:
    """Return the counts of two columns of Adult's training part, shape (n_s, n_u)."""
    spec = DataSpec(source="adult", secret=(secret,), released=(released,))
    joint = count(spec).joint
    return np.rint(joint.p * joint.n)


def timed(make: Callable[[], Mechanism]) -> tuple[Mechanism, float]:
    """Make a mechanism as a first call does, and return it with its seconds."""
    MEMORY.clear()
    start = clock.now()
    mechanism = make()
    return mechanism, clock.now() - start


def row(what: str, mechanism: Mechanism, seconds: float, *, bound: bool = True) -> str:
    entropy = mechanism.utility / mechanism.nmi if mechanism.nmi > 0 else np.inf
    most = f"{mechanism.upper_bound / entropy:.4f}" if bound else "—"
    return f"| {what} | {mechanism.name} | {mechanism.nmi:.4f} | {most} | {seconds:.1f} |"


def table(rows: Iterator[str]) -> None:
    print("| data | mechanism | NMI | NMI at most | seconds |")
    print("|---|---|---:|---:|---:|")
    for line in rows:
        print(line, flush=True)
    print()


def compared(what: str, p_hat: np.ndarray, eps: float, seconds: float) -> Iterator[str]:
    """Yield a row for each mechanism that large data allow."""
    n = int(p_hat.sum()) if p_hat.sum() > 2 else RECORDS
    ball = RenyiBall.confidence(p_hat, n, beta=0.05)
    for limit in sorted({min(15.0, seconds), seconds}):
        for same in (True, False):
            search = partial(m.polyopt, p_hat, eps, ball, same, time_limit=limit)
            yield row(f"{what}, {limit:g} s", *timed(search))
    yield row(what, *timed(lambda: m.independent_reporting(p_hat, eps, ball)), bound=False)
    yield row(what, *timed(lambda: m.secret_randomized_response(p_hat, eps)), bound=False)


def large(seconds: float) -> Iterator[str]:
    for n_s, n_u in ((15, 16), (42, 6)):
        yield from compared(f"{n_s}×{n_u}, ε=1.5", large_sample(n_s, n_u), 1.5, seconds)


def adult_large(seconds: float) -> Iterator[str]:
    for secret, released in (("occupation", "education"), ("native-country", "relationship")):
        what = f"Adult, S={secret}, U={released}, ε=1.5"
        yield from compared(what, adult(secret, released), 1.5, seconds)


def exact(seconds: float) -> Iterator[str]:
    rng = np.random.default_rng(0)
    draw = rng.multinomial(300, rng.dirichlet([0.5] * 10)).reshape(5, 2)
    cases = [
        ("Example 3, ε=log 2", np.array([[7, 10], [26, 57]]), np.log(2)),
        ("5×2, n=300, ε=0.3", draw, 0.3),
    ]
    for secret, released in (("sex", "race"), ("race", "sex")):
        cells = adult(secret, released)
        cases += [
            (f"Adult {secret} × {released}, ε={eps}", cells, eps)
            for eps in (0.25, 0.5, 1.0, 1.5, 2.0)
        ]
    for what, cells, eps in cases:
        ball = RenyiBall.confidence(cells, int(cells.sum()))
        searches = (
            partial(m.polyopt, cells, eps, ball, True, time_limit=seconds),
            partial(m.polyopt, cells, eps, ball, time_limit=seconds),
            partial(m.robust_optimal, cells, eps, ball, time_limit=min(seconds, 10.0)),
            partial(m.non_robust, cells, eps, time_limit=seconds),
        )
        for search in searches:
            yield row(what, *timed(search))


def with_secret_released(seconds: float) -> Iterator[str]:
    for secret, released in (("race", "education"), ("relationship", "occupation")):
        cells = adult(secret, released)
        ball = RenyiBall.confidence(cells, int(cells.sum()))
        for eps in (0.5, 1.0):
            search = partial(m.robust_optimal, cells, eps, ball, time_limit=seconds)
            yield row(f"Adult, X = ({secret}, {released}), ε={eps:g}", *timed(search))


def table_2(draws: int, seconds: float) -> None:
    """Print mean NMI over draws of P*, ours beside [RLDP] Table 2, at β = .01 and ε = 1.5."""
    print("| a1×a2 | secret RR | printed | PolyOpt | printed | independent reporting | printed |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for shape, printed in TABLE_2.items():
        rng = np.random.default_rng(2)
        nmi: list[list[float]] = []
        for truth in robust_designs.draw_truth(*shape, rng, count=draws):
            p_hat = np.maximum(robust_designs.draw_sample(truth, RECORDS, rng) / RECORDS, FLOOR)
            ball = RenyiBall.confidence(p_hat, RECORDS, beta=0.01)
            small = truth.size <= 10
            polyopt = m.polyopt(p_hat, 1.5, ball, True, time_limit=seconds) if small else None
            nmi.append(
                [
                    m.secret_randomized_response(p_hat, 1.5).nmi,
                    polyopt.nmi if polyopt is not None else np.nan,
                    m.independent_reporting(p_hat, 1.5, ball).nmi,
                ]
            )
        means = [f"{value:.3f}" for value in np.mean(nmi, axis=0)]
        cells = " | ".join(
            f"{ours} | {theirs}" for ours, theirs in zip(means, printed, strict=True)
        )
        print(f"| {shape[0]}×{shape[1]} | {cells} |", flush=True)
    print()


PROVEN = 0.02
"""Gap, as a share of H(X), up to which an answer counts beside those that are proven."""


def pairs(eps: float, seconds: float) -> None:
    """Print what is known of S – X – Y without a search, what is found, and the bound."""
    print("| S → X | known | found | bound | seconds |")
    print("|---|---:|---:|---:|---:|")
    gaps, nothing = [], 0
    for pair, joint in joints().items():
        notion = RobustLDP.of_joint(joint, eps)
        known = [mechanism.nmi for mechanism in known_without_search(joint, notion)]
        mechanism, took = timed(partial(m.optimal, joint, notion, time_limit=seconds))
        most = mechanism.upper_bound / float(entropy(joint.p_x))
        gaps.append(0.0 if mechanism.status == "optimal" else most - mechanism.nmi)
        nothing += mechanism.nmi < 1e-6
        first = max(known, default=0.0)
        print(
            f"| {pair} | {first:.4f} | {mechanism.nmi:.4f} | {most:.4f} | {took:.1f} |", flush=True
        )
    near = sum(gap <= PROVEN for gap in gaps)
    print(
        f"\nε = {eps:g}, {seconds:g} s: {gaps.count(0.0)} of {len(gaps)} proven, {near} proven or "
        f"within {PROVEN}, largest gap {max(gaps):.3f}, nothing kept on {nothing}."
    )


PARTS = {"large": large, "adult": adult_large, "exact": exact, "released": with_secret_released}
"""Tables of what each search finds, by the names of `--only`."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each search")
    parser.add_argument("--draws", type=int, default=20, help="for Table 2")
    parser.add_argument("--only", choices=[*PARTS, "table2", "pairs"])
    parser.add_argument("--eps", type=float, default=1.0, help="for the pairs")
    parser.add_argument("--processor", action="store_true", help="limits in processor seconds")
    options = parser.parse_args()
    with clock.using(time.process_time if options.processor else time.monotonic):
        for name, part in PARTS.items():
            if options.only in (None, name):
                table(part(options.seconds))
        if options.only in (None, "table2"):
            table_2(options.draws, options.seconds)
        if options.only in (None, "pairs"):
            pairs(options.eps, options.seconds)


if __name__ == "__main__":
    main()
