"""Pairs (S, U) under RLDP where every distribution is possible, against all extreme outputs."""

import numpy as np
import pytest

from core import clock
from core.data import DataSpec, count
from core.limits import FAR
from core.measures import entropy
from core.mechanisms import polyopt, robust_optimal, secret_randomized_response
from core.mechanisms.optima.every_distribution import (
    most_of_one_output,
    under_every_distribution,
)
from core.mechanisms.robust.reporting import pair_randomized_response
from core.notions.rldp import RLDP
from core.uncertainty import RenyiBall


def drawn(n_s: int, n_u: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(n_s * n_u)).reshape(n_s, n_u)


def without_knowledge(cells: np.ndarray, eps: float) -> RLDP:
    return RLDP(eps, RenyiBall(cells, np.inf), exact=True)


@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3, 2), (2, 4)])
@pytest.mark.parametrize("eps", [0.3, 1.0, 3.0])
def test_no_vertex_tells_more_than_the_bound_and_nothing_is_above_the_optimum(shape, eps):
    cells = drawn(*shape)
    best = polyopt(cells, eps, RenyiBall(cells, np.inf))
    assert best.status == "optimal"
    (known,) = under_every_distribution(cells, without_knowledge(cells, eps), 5.0)
    assert known.utility == pytest.approx(best.utility, abs=1e-6)
    assert best.utility <= known.upper_bound <= best.utility + 1e-6
    assert best.utility <= most_of_one_output(cells.sum(axis=1), eps).max() + 1e-9
    for response in (secret_randomized_response, pair_randomized_response):
        assert known.utility >= response(cells, eps).utility - 1e-9


def test_a_secret_of_most_records_is_told_apart_within_itself():
    # there LDP of the pairs is far from the optimum: two u of one secret may be 2ε apart
    cells = count(DataSpec(source="adult", secret=("race",), released=("education",))).joint.p
    whole = float(entropy(cells.ravel()))
    with clock.using(clock.Ticking(4e-3)):
        result = robust_optimal(cells, 1.0, RenyiBall(cells, np.inf), time_limit=0.3)
    assert result.audit.holds
    assert 0.15 * whole <= result.utility <= result.upper_bound <= 0.155 * whole


@pytest.mark.parametrize("shape", [(3, 4), (4, 4), (3, 6)])
@pytest.mark.parametrize("eps", [0.3, 1.0, 3.0])
def test_a_dozen_cells_and_more_are_proven_without_a_search(shape, eps):
    cells = drawn(*shape, seed=1)
    with clock.using(clock.Ticking(4e-3)):
        result = robust_optimal(cells, eps, RenyiBall(cells, np.inf), time_limit=2.0)
    assert result.status == "optimal"
    assert result.audit.holds
    assert result.gap <= 1e-6


def test_cells_of_one_probability_have_prices_of_their_own():
    cells = np.array([[4, 1, 1, 1], [1, 1, 1, 1]]) / 11
    best = polyopt(cells, 1.0, RenyiBall(cells, np.inf))
    (known,) = under_every_distribution(cells, without_knowledge(cells, 1.0), 5.0)
    assert best.status == "optimal"
    assert known.utility == pytest.approx(best.utility, abs=1e-6)
    assert best.utility <= known.upper_bound <= best.utility + 1e-6


@pytest.mark.parametrize("n", [200, 10**7])
def test_it_keeps_every_smaller_set_too(n):
    cells = drawn(3, 4)
    ball = RenyiBall.confidence(cells, n)
    (known,) = under_every_distribution(cells, RLDP(1.0, ball, exact=True), 5.0)
    assert known.audit.holds
    assert known.utility > 0.05


def test_budgets_and_conditions_that_it_is_not_for():
    cells = drawn(2, 3)
    ball = RenyiBall(cells, np.inf)
    same = RLDP(1.0, ball, include_same_secret=True)
    for notion in (without_knowledge(cells, 0.0), without_knowledge(cells, 2 * FAR), same):
        assert under_every_distribution(cells, notion, 1.0) == []
