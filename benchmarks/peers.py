"""Purposes that are linear in the mechanism, beside one plain linear program of a solver.

Run with `python -m benchmarks.peers`. Each line has our answer, proven and audited, and the same
question as SciPy's HiGHS answers it in one call, both in one run. Where a budget is on information,
which is no linear program, there is no such line: the figure beside ours is the specification's.
"""

import time

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from core import mechanisms as m
from core.joint import Joint
from core.notions import LDP, LIP, Average
from core.utilities import Distortion, Guess

SHAPES = ((5, 17), (5, 42), (10, 100))
"""Sizes (n_s, n_x) of uniform joints, each entry uniform before it is normalised."""

ACCURACY = 1e-9
"""Tolerance of HiGHS, as our own programs have it."""


def main() -> None:
    """Print the table."""
    print("| question | ours | gap | seconds | one call of HiGHS | seconds | ratio |")
    print("|---|---|---|---|---|---|---|")
    for n_s, n_x in SHAPES:
        joint = Joint.from_counts(np.random.default_rng(0).random((n_s, n_x)))
        places = np.arange(n_x)
        apart = np.abs(np.subtract.outer(places, places)).astype(float)
        for name, notion in (
            ("LIP, ε = .3", LIP(0.3)),
            ("LDP, ε = .5", LDP(0.5)),
            ("guessing, 30 %", _share(joint, "guessing", float(joint.p_s.max()))),
            ("total variation, 30 %", _share(joint, "total_variation", 0.0)),
            ("I(S;Y), 30 %", _share(joint, "mutual_information", 0.0)),
        ):
            for what, purpose, loss in (
                ("distance", Distortion(apart), apart),
                ("wrong guess", Guess(), 1 - np.eye(n_x)),
            ):
                begun = time.perf_counter()
                ours = m.optimal(joint, notion, utility=purpose)
                took = time.perf_counter() - begun
                value = -ours.utility if what == "distance" else 1 - ours.utility
                theirs, other = "", ""
                if notion.allowed_set(joint).rows.shape[0]:
                    begun = time.perf_counter()
                    found = _one_call(joint, notion, loss)
                    seconds = time.perf_counter() - begun
                    theirs, other = f"{found:.6f} | {seconds:.2f}", f"{took / seconds:.1f}"
                print(
                    f"| {n_s}×{n_x}, {name}, {what} | {value:.6f} | {ours.gap:.0e} | {took:.2f} | "
                    f"{theirs or ' | '} | {other} |",
                    flush=True,
                )


def _share(joint: Joint, measure: str, prior: float) -> Average:
    """Return the budget that is 30 % of the way from the prior to what X itself gives."""
    level = Average(measure, 1.0).achieved(joint, np.eye(joint.n_x))
    return Average(measure, prior + 0.3 * (level - prior))


def _one_call(joint: Joint, notion: LIP | LDP, loss: np.ndarray) -> float:
    """Return the least expected loss under a notion of linear rows, by one call of HiGHS."""
    rows, n_a = notion.allowed_set(joint).rows, loss.shape[1]
    scaled = rows * np.concatenate([joint.p_x, np.ones(rows.shape[1] - joint.n_x)])
    upper = sparse.kron(sparse.eye_array(n_a), scaled, format="csr")
    equal = sparse.kron(np.ones((1, n_a)), np.eye(joint.n_x, rows.shape[1]), format="csr")
    cost = np.zeros((n_a, rows.shape[1]))
    cost[:, : joint.n_x] = (joint.p_x[:, None] * loss).T
    found = linprog(
        *(cost.ravel(), upper, np.zeros(upper.shape[0]), equal, np.ones(joint.n_x)),
        method="highs-ipm",
        options={
            "primal_feasibility_tolerance": ACCURACY,
            "dual_feasibility_tolerance": ACCURACY,
        },
    )
    return float(found.fun)


if __name__ == "__main__":
    main()
