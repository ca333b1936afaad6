"""Optima of every ordered pair of Adult's categorical columns: how many are proven, how closely.

Run with `python -m benchmarks.pairs`; `--limit 5` is the seconds for each optimum, `--only` picks
one of ALIP and LDP, `--hard` leaves out the pairs that half a second proves, and `--processor`
lets limits count the seconds of this process's processor alone, for a machine with other work.
`--columns 2` takes pairs of columns for S and for X, of Adult and of german_credit, some of each.
"""

import argparse
import time
from itertools import permutations

import numpy as np

from core import clock
from core import mechanisms as m
from core.data import DataSpec, count
from core.joint import Joint
from core.measures import entropy
from core.notions import ALIP, LDP

COLUMNS = (
    "sex",
    "race",
    "marital-status",
    "relationship",
    "workclass",
    "education",
    "occupation",
    "native-country",
    "income",
)

SETTINGS = {
    "ALIP, ε=.5": ALIP.from_lambda(0.5, 0.5),
    "ALIP, ε=1": ALIP.from_lambda(1.0, 0.5),
    "LDP, ε=.5": LDP(0.5),
    "LDP, ε=1": LDP(1.0),
}
"""λ = ½."""

WORST = 6
"""Pairs that are listed for each setting, of those that are not proven."""

SHORT = 0.5
"""Seconds that prove most pairs."""


def joints() -> dict[str, Joint]:
    """Return Adult's joint of each ordered pair S, X."""
    return {
        f"{s} → {x}": count(DataSpec(source="adult", secret=(s,), released=(x,))).joint
        for s, x in permutations(COLUMNS, 2)
    }


OF_CREDIT = ("status", "credit_history", "purpose", "savings", "property", "housing", "job")

SOME = 6
"""Pairs of column pairs of each data set, drawn with seed 0."""


def of_two_columns() -> dict[str, Joint]:
    """Return joints of two columns as S and two others as X, some of each data set."""
    rng = np.random.default_rng(0)
    counted = {}
    for source, names in (("adult", COLUMNS), ("german_credit", OF_CREDIT)):
        for _ in range(SOME):
            a, b, c, d = (str(name) for name in rng.choice(names, 4, replace=False))
            spec = DataSpec(source=source, secret=(a, b), released=(c, d))
            counted[f"{source}: {a}, {b} → {c}, {d}"] = count(spec).joint
    return counted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=5.0, help="seconds for each optimum")
    parser.add_argument("--only", choices=("ALIP", "LDP"), help="one notion")
    parser.add_argument("--columns", type=int, choices=(1, 2), default=1, help="of S and of X")
    parser.add_argument("--hard", action="store_true", help="only pairs not proven in .5 s")
    parser.add_argument("--processor", action="store_true", help="limits in processor seconds")
    options = parser.parse_args()
    read = time.process_time if options.processor else time.monotonic
    with clock.using(read):
        table(options)


def table(options: argparse.Namespace) -> None:
    """Print how many are proven in each setting, and the pairs that are furthest from it."""
    pairs = joints() if options.columns == 1 else of_two_columns()
    print("| setting | proven | largest gap (NMI) | median s | slowest proof, s |")
    print("|---|---|---|---|---|")
    listed = []
    for title, notion in SETTINGS.items():
        if options.only and not title.startswith(options.only):
            continue
        seconds, gaps, took = {}, {}, []
        for pair, joint in pairs.items():
            if options.hard and m.optimal(joint, notion, time_limit=SHORT).status == "optimal":
                continue
            start = clock.now()
            best = m.optimal(joint, notion, time_limit=options.limit)
            took.append(clock.now() - start)
            if best.status == "optimal":
                seconds[pair] = took[-1]
            else:
                gaps[pair] = (best.gap / entropy(joint.p_x), best.nmi)
        proven = len(pairs) - len(gaps)
        largest = max((gap for gap, _ in gaps.values()), default=0.0)
        slowest = max(seconds.values(), default=0.0)
        median = sorted(took)[len(took) // 2] if took else 0.0
        print(
            f"| {title} | {proven}/{len(pairs)} | {largest:.1e} | {median:.2f} | {slowest:.2f} |",
            flush=True,
        )
        worst = sorted(gaps.items(), key=lambda item: -item[1][0])[:WORST]
        listed += [(title, pair, gap, nmi) for pair, (gap, nmi) in worst]
    if listed:
        print("\n| setting | S → X | gap (NMI) | NMI |\n|---|---|---|---|")
    for title, pair, gap, nmi in listed:
        print(f"| {title} | {pair} | {gap:.1e} | {nmi:.4f} |")


if __name__ == "__main__":
    main()
