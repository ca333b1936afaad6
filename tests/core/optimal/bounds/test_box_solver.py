"""What is kept of a box's program proves what the program proved, there and in boxes inside."""

import numpy as np
import pytest
from scipy.optimize import linprog

from core.joint import Joint
from core.notions import ALIP, LDP
from core.optimal.bounds.box_bound import BoxSolver
from core.optimal.bounds.box_programs import BoxPrograms


def floors(answers, costs, lower, upper):
    """Return what multipliers prove at any costs: each symbol takes its cheaper end."""
    reduced = costs + answers.priced.rows - answers.masses[:, None]
    least = np.minimum(reduced * lower, reduced * upper).sum(axis=1)
    return least + answers.masses + answers.priced.rest


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


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("notion", [LDP(0.5), ALIP(0.3, 0.4)], ids=str)
def test_kept_multipliers_prove_the_floors_of_their_programs(notion, together, monkeypatch):
    """LDP has an auxiliary variable, whose own ends count: without them floors were lost."""
    if not together:
        monkeypatch.setattr(BoxPrograms, "suits", lambda _: False)
    rng = np.random.default_rng(0)
    joint = Joint.random_dirichlet(12, 6, 1.0, rng)
    allowed = notion.allowed_set(joint)
    solver = BoxSolver(allowed)
    assert solver.together == together
    lower = np.maximum(joint.p_x - rng.uniform(0, 0.5, (40, 6)), 0.0)
    upper = np.minimum(joint.p_x + rng.uniform(0, 0.5, (40, 6)), 1.0)
    costs = rng.normal(size=(40, 6))
    answers = solver.solve(costs, lower, upper, [None] * 40)
    assert answers.met.sum() > 10
    met = np.flatnonzero(answers.met)
    kept = floors(answers, costs, lower, upper)
    np.testing.assert_allclose(kept[met], answers.floors[met], atol=1e-10)
    other = rng.normal(size=(40, 6))  # other prices, and a part of each box
    inside, most = lower + 0.2 * (upper - lower), upper - 0.1 * (upper - lower)
    proven = floors(answers, other, inside, most)
    for i in met:
        same = optimum(allowed, costs[i], lower[i], upper[i])
        assert kept[i] == pytest.approx(same.fun, abs=1e-8)
        narrower = optimum(allowed, other[i], inside[i], most[i])
        if narrower.status == 0:
            assert proven[i] <= narrower.fun + 1e-10
