"""Programs solved from within: close to the least cost, far from a vertex."""

import numpy as np
import pytest
from scipy.optimize import linprog

from core.errors import SolverError
from core.optimal.programs import centred_master
from core.optimal.programs.centred_master import CentredMaster, centre
from core.optimal.utility import MutualInformation


def mixing_program(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return np.hstack([np.eye(6), rng.exponential(size=(6, 40)) ** 3]), rng.uniform(1, 9, size=46)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("gap", [1.0, 1e-2, 1e-7])
def test_the_cost_is_within_the_gap_of_the_least(seed: int, gap: float) -> None:
    columns, costs = mixing_program(seed)
    least = linprog(costs, A_eq=columns, b_eq=np.ones(6)).fun
    result = centre(columns, costs, gap)
    np.testing.assert_allclose(columns @ result.amounts, 1.0, atol=1e-5)
    assert (result.amounts > 0).all()
    assert result.gap <= gap
    assert least - 1e-4 <= costs @ result.amounts <= least + 1.1 * gap + 1e-4


def test_a_wider_gap_leaves_all_prices_further_below_the_costs() -> None:
    columns, costs = mixing_program(0)
    wide, narrow = (centre(columns, costs, gap) for gap in (1.0, 1e-7))
    margins = [(costs - result.duals @ columns).min() for result in (wide, narrow)]
    assert margins[0] > 100 * margins[1] > 0


def test_rows_without_prices_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(centred_master, "RIDGES", (0.0,))
    with pytest.raises(SolverError, match="no price"):
        centre(np.ones((2, 3)), np.ones(3), 0.1)


def test_symbols_published_as_they_are_become_dearer_until_outputs_cover_them() -> None:
    p_x = np.array([0.5, 0.3, 0.2])
    goal = MutualInformation()
    master = CentredMaster(p_x, goal)
    outputs = np.array([[0.6, 0.2, 0.2], [0.4, 0.4, 0.2], [0.5, 0.3, 0.2]])
    master.add(outputs)
    for _ in range(20):
        master.solve(1e-7)
    mixture = (master.amounts[:, None] * master.points).sum(axis=0)
    np.testing.assert_allclose(mixture, p_x, atol=1e-2)
    # with .2 of the third in every output, P_X is half each of the first two
    cost = float(goal.cost(outputs[:2]) @ [0.5, 0.5])
    assert float(goal.cost(master.points) @ master.amounts) == pytest.approx(cost, abs=1e-2)
    assert set(master.most_used(2)) == {1, 2}


def test_outputs_that_are_too_dear_are_dropped_first() -> None:
    p_x = np.array([0.5, 0.5])
    master = CentredMaster(p_x, MutualInformation())
    shares = np.concatenate([np.linspace(0.3, 0.7, 41), [0.1, 0.9]])
    master.add(np.stack([shares, 1 - shares], axis=1))
    master.solve(1e-3)
    assert len(master.points) == 2 * centred_master.KEPT
    assert {0.1, 0.9} <= set(master.points[:, 0])
