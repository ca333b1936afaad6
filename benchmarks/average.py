"""Optima under budgets on averages: utility, gap and time.

Run with `python -m benchmarks.average`, or name some of: floors, adult, large. `--processor` lets
limits count the seconds of this process's processor alone, for a machine with other work.
"""

import argparse
import time

import numpy as np

from benchmarks.optimal import table, uniform
from core import clock
from core import mechanisms as m
from core.data import DataSpec, count
from core.joint import Joint
from core.measures import entropy
from core.notions import LIP, Average, PointwiseMaximalLeakage

MEASURES = (
    ("mutual_information", None),
    ("total_variation", None),
    ("chi2", None),
    ("maximal_leakage", None),
    ("guessing", None),
    ("sibson", 2.0),
    ("arimoto", 2.0),
    ("sibson", 0.5),
)
HEAD = ["budget", "kept (NMI)", "gap (NMI)", "status", "CPU seconds"]

CLOSE, SOON = 1e-3, 2.0
"""Gap, as a share of H(X), and seconds in which Adult's budgets are to be proven so closely."""


def solved(joint: Joint, notion: Average, seconds: float | None = None) -> list[object]:
    start = time.process_time()
    close = 1e-6 if seconds is None else 0.99 * CLOSE * entropy(joint.p_x)
    result = m.optimal(joint, notion, time_limit=seconds, gap=close)
    spent = time.process_time() - start
    gap = result.gap / entropy(joint.p_x)
    return [notion, f"{result.nmi:.6f}", f"{gap:.1e}", result.status, f"{spent:.2f}"]


def between(joint: Joint, name: str, order: float | None, share: float) -> Average:
    full = Average(name, 1.0, order)
    whole, least = (full.achieved(joint, k) for k in (np.eye(joint.n_x), np.ones((joint.n_x, 1))))
    return Average(name, least + share * (whole - least), order)


def floors() -> None:
    joint, rows = uniform(5, 17), []
    for notion, name, floors_of in (
        (LIP, "mutual_information", (0.783, 0.871, 0.949)),
        (PointwiseMaximalLeakage, "maximal_leakage", (0.825, 0.929, 0.979)),
    ):
        for eps, floor in zip((0.25, 0.5, 1.0), floors_of, strict=True):
            by_output = m.optimal(joint, notion(eps))
            leakage = Average(name, 1.0).achieved(joint, by_output.kernel)
            label = f"{notion(eps)} {by_output.nmi:.3f}"
            rows.append([label, floor, *solved(joint, Average(name, leakage))])
    head = ["pointwise keeps", "floor", *HEAD]
    table("17×5, default_rng(0): the leakage that a pointwise optimum attains", head, rows)
    for share in (0.1, 0.5):
        rows = [solved(joint, between(joint, *named, share)) for named in MEASURES]
        table(f"17×5, {share:.0%} of what X itself tells", HEAD, rows)


def adult() -> None:
    for secret, released in (("sex", "occupation"), ("race", "education")):
        data = DataSpec(source="adult", secret=(secret,), released=(released,))
        joint = count(data).joint
        rows = [
            solved(joint, between(joint, *named, share), SOON)
            for named in MEASURES
            for share in (0.001, 0.005, 0.02, 0.2, 0.6)
        ]
        table(f"Adult, {secret} | {released}: {joint.n_s}×{joint.n_x}", HEAD, rows)


def large() -> None:
    for n_s, n_x in ((5, 42), (15, 42), (10, 400)):
        joint = uniform(n_s, n_x)
        rows = [
            solved(joint, between(joint, name, None, share))
            for name in ("mutual_information", "maximal_leakage")
            for share in (0.1, 0.5)
        ]
        table(f"{n_s} secrets, {n_x} symbols, limit of 5 s", HEAD, rows)


TABLES = {"floors": floors, "adult": adult, "large": large}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], help="all where none is named")
    parser.add_argument("--processor", action="store_true", help="limits in processor seconds")
    options = parser.parse_args()
    with clock.using(time.process_time if options.processor else time.monotonic):
        for name in options.tables or TABLES:
            TABLES[name]()
