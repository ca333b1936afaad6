"""Optima for other purposes, checked against floors.

Run with `python -m benchmarks.kept`; a value below its floor is an error.
"""

import time

import numpy as np

from benchmarks.optimal import table, uniform
from core import mechanisms as m
from core.data import DataSpec, count
from core.joint import Joint
from core.mechanisms.optima.remembered import MEMORY
from core.notions import LDP, LIP, RobustLDP
from core.notions.robust_markov import ball_around
from core.release import implications, repeated
from core.utilities import Distortion, Guess, Information, SquaredError, Task

ADULT = DataSpec(source="adult", secret=("sex",), released=("occupation",))


def reading_secret() -> None:
    joint, rows = Joint.from_counts(np.random.default_rng(3).random((3, 6))), []
    for eps, floor in ((0.0, 0.850), (0.1, 0.876), (0.5, 0.944)):
        mechanism, alone = m.optimal_reading_secret(joint, LIP(eps)), m.optimal(joint, LIP(eps))
        assert mechanism.nmi > floor - 5e-4, (eps, mechanism.nmi)
        rows.append([eps, f"{alone.nmi:.3f}", f"{mechanism.nmi:.3f}", mechanism.status])
    table("3×6 draw, LIP, share of H(X)", ["ε", "X alone", "S read too", "status"], rows)


def purposes() -> None:
    rows = []
    for n_s, n_x in ((5, 17), (5, 42)):
        joint, places = uniform(n_s, n_x), np.arange(n_x)
        p_task = np.random.default_rng(1).dirichlet(np.ones(3), size=n_x).T
        error = Distortion(np.abs(np.subtract.outer(places, places)))
        for purpose in (
            Information(),
            Task(p_task),
            Guess(),
            Guess(p_task),
            error,
            SquaredError(places),
        ):
            start = time.process_time()
            mechanism = m.optimal(joint, LIP(0.5), utility=purpose)
            seconds = time.process_time() - start
            gap = f"{mechanism.gap / purpose.size():.0e}"
            rows.append(
                [f"{n_x}×{n_s}", purpose.title, f"{mechanism.kept:.3f}", gap, f"{seconds:.2f}"]
            )
    table("Uniform joints, LIP .5", ["size", "purpose", "kept", "gap", "CPU s"], rows)


def promises() -> None:
    joint, rows = count(ADULT).joint, []
    for eps, floor in ((0.25, 1.81), (0.5, np.inf)):
        levels = [
            repeated(joint, m.optimal(joint, LIP(eps)).kernel, LIP(eps), k) for k in (1, 2, 3)
        ]
        assert np.isclose(levels[1], floor, atol=0.005)
        rows.append([eps, *(f"{level:.2f}" for level in levels)])
    table("Adult, sex | occupation: LIP's optimum drawn again", ["ε", "1", "2", "3"], rows)
    for notion in (LIP(0.5), LDP(1.0)):
        start = time.process_time()
        implied = implications(joint, notion)
        seconds = f"{time.process_time() - start:.2f} CPU s"
        lines = [
            [key, f"{implication.level:.4f}", f"{implication.reached:.4f}"]
            for key, implication in implied.items()
        ]
        table(f"{notion} implies on Adult ({seconds})", ["level", "at most", "reached"], lines)


def robust() -> None:
    joint, rows = Joint.from_counts(np.random.default_rng(0).random((2, 3))), []
    for n, floor in ((100, 0.487), (1_000, 0.657), (10_000, 0.677), (1_000_000, 0.688)):
        MEMORY.clear()  # each of them as a first call finds it
        ball = ball_around(joint, n)
        loose = m.optimal(joint, RobustLDP(1.0, ball, exact=False)).nmi
        whole = m.optimal(joint, RobustLDP(1.0, ball)).nmi
        assert loose > floor - 5e-4
        assert whole >= loose
        rows.append([f"{n:,}", f"{loose:.3f}", f"{whole:.3f}"])
    rows.append(["∞", *[f"{m.optimal(joint, LDP(1.0)).nmi:.3f}"] * 2])
    table("Toy 2×3, robust 1-LDP of S – X – Y", ["records", "polytopes", "exact"], rows)


if __name__ == "__main__":
    reading_secret()
    purposes()
    promises()
    robust()
