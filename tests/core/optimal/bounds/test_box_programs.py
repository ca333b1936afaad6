"""What is kept of a box's program proves what the program proved, there and in boxes inside."""

import numpy as np
import pytest
from scipy.optimize import linprog

from core.joint import Joint
from core.notions import ALIP, LDP, L1Lift
from core.notions.robust_markov import RobustLIP, ball_around
from core.optimal.bounds.box_programs import Boxes, BoxPrograms

JOINT = Joint.random_dirichlet(12, 6, 1.0, np.random.default_rng(0))


def floors(priced, totals, costs, lower, upper):
    """Return what multipliers prove at any costs: each symbol takes its cheaper end."""
    reduced = costs + priced.rows - totals[:, None]
    least = np.minimum(reduced * lower, reduced * upper).sum(axis=1)
    return least + totals + priced.rest


def optimum(allowed, costs, lower, upper):
    rows = allowed.rows.toarray()
    others = rows.shape[1] - allowed.n_x
    return linprog(
        np.append(costs, np.zeros(others)),
        A_ub=rows,
        b_ub=np.zeros(len(rows)),
        A_eq=np.append(np.ones(allowed.n_x), np.zeros(others))[None],
        b_eq=[1.0],
        bounds=[*zip(lower, upper, strict=True), *[(0, None)] * others],
    )


@pytest.mark.parametrize(
    "notion",
    [LDP(0.5), ALIP(0.3, 0.4), L1Lift(0.3), RobustLIP(1.0, ball_around(JOINT, n=10**5))],
    ids=str,
)
def test_kept_multipliers_prove_the_floors_of_their_programs(notion):
    """LDP has an auxiliary variable, others several: their own ends count, else floors are lost."""
    rng, joint = np.random.default_rng(0), JOINT
    allowed = notion.allowed_set(joint)
    programs = BoxPrograms(allowed)
    lower = np.maximum(joint.p_x - rng.uniform(0, 0.5, (40, 6)), 0.0)
    upper = np.minimum(joint.p_x + rng.uniform(0, 0.5, (40, 6)), 1.0)
    costs = rng.normal(size=(40, 6))
    boxes = Boxes(lower, upper, np.ones((40, 6)))
    ends = programs.solve(boxes, costs)
    met = np.flatnonzero(ends.solved)
    assert len(met) > 10
    priced = programs.priced(boxes, ends)
    kept = floors(priced, ends.totals, costs, lower, upper)
    np.testing.assert_allclose(kept[met], programs.proven(boxes, costs, ends)[0][met], atol=1e-10)
    other = rng.normal(size=(40, 6))  # other prices, and a part of each box
    inside, most = lower + 0.2 * (upper - lower), upper - 0.1 * (upper - lower)
    proven = floors(priced, ends.totals, other, inside, most)
    for i in met:
        same = optimum(allowed, costs[i], lower[i], upper[i])
        assert kept[i] == pytest.approx(same.fun, abs=1e-8)
        narrower = optimum(allowed, other[i], inside[i], most[i])
        if narrower.status == 0:
            assert proven[i] <= narrower.fun + 1e-10
