"""Vertices below given prices: against a walk of all vertices, and the bound they prove."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.clock import NEVER, Deadline
from core.joint import Joint
from core.notions import ALIP, LIP, PointwiseMaximalLeakage
from core.optimal.bounds.low_vertices import refined, undercutting
from core.optimal.polytopes.enumeration import all_vertices, best_mixture
from core.optimal.polytopes.facets import facets_of
from core.optimal.polytopes.standard_form import polytope
from core.optimal.utility import MutualInformation

GOAL = MutualInformation()


def known(joint, notion):
    """Return a notion's polytope, its vertices and the prices of its optimum."""
    allowed = notion.allowed_set(joint)
    space = polytope(allowed, joint.p_x)
    points = all_vertices(allowed, joint.p_x, space, NEVER, 100_000).points
    _, mixture, _ = best_mixture(points, joint.p_x, GOAL, NEVER)
    return space, points, mixture


@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 1000),
    n_s=st.integers(2, 3),
    n_x=st.integers(2, 6),
    eps=st.floats(0.1, 2.0),
    lower=st.floats(-0.5, 0.5),
    which=st.integers(0, 2),
)
def test_they_are_vertices_and_the_lowest_is_among_them(seed, n_s, n_x, eps, lower, which):
    joint = Joint.random_dirichlet(n_s, n_x, 1.0, np.random.default_rng(seed))
    notion = [LIP(eps), ALIP(eps / 2, eps), PointwiseMaximalLeakage(eps)][which]
    space, points, mixture = known(joint, notion)
    assert space.plain()
    duals = mixture.duals + lower * np.random.default_rng(seed).random(n_x)
    prices = GOAL.cost(points) - points @ duals
    result = undercutting(space.facets(), joint.p_x, GOAL, duals, slack=1e-4)
    assert result.finished
    gains = result.outputs @ duals - GOAL.cost(result.outputs)
    if prices.min() < -1.01e-4:
        assert gains[0] == pytest.approx(-prices.min(), abs=1e-7)
    if len(gains):
        assert prices.min() < -0.99e-4
        assert (np.diff(gains) <= 1e-7).all()
        distances = np.abs(result.outputs[:, None] - points).max(axis=2)
        assert distances.min(axis=1).max() < 1e-6


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 1000), eps=st.floats(0.1, 2.0), shift=st.floats(-0.3, 0.3))
def test_the_bound_is_never_below_the_optimum(seed, eps, shift):
    joint = Joint.random_uniform(3, 6, np.random.default_rng(seed))
    space, _, mixture = known(joint, LIP(eps))
    best = GOAL.offset(joint.p_x) - mixture.cost
    duals = mixture.duals + shift * np.random.default_rng(seed).random(6)
    for most in (3, 2000):
        result = undercutting(space.facets(), joint.p_x, GOAL, duals, slack=1e-7, most=most)
        assert result.bound >= best - 1e-9
    exact = undercutting(space.facets(), joint.p_x, GOAL, mixture.duals, slack=1e-7)
    assert exact.bound == pytest.approx(best, abs=2e-7)
    assert len(exact.outputs) == 0


@pytest.mark.parametrize("most", [10, 20, 30, 60])
def test_where_there_are_too_many_the_lowest_are_found(most):
    joint = Joint.random_uniform(4, 8, np.random.default_rng(0))
    space, points, mixture = known(joint, LIP(0.5))
    duals = mixture.duals + 0.2
    prices = np.sort(GOAL.cost(points) - points @ duals)
    result = undercutting(space.facets(), joint.p_x, GOAL, duals, slack=1e-6, most=most)
    assert (result.slack > 1e-6) == (most < 60)
    assert len(result.outputs) <= most
    below = prices[prices < -result.slack]
    assert 0 < len(result.outputs) <= len(below) if most > 10 else len(below) == 0
    if len(below):
        lowest = GOAL.cost(result.outputs[0]) - result.outputs[0] @ duals
        assert lowest == pytest.approx(below[0], abs=1e-7)
    assert result.bound >= GOAL.offset(joint.p_x) - mixture.cost


def test_no_time_still_gives_a_bound():
    joint = Joint.random_uniform(3, 6, np.random.default_rng(0))
    space, _, mixture = known(joint, LIP(0.5))
    result = undercutting(
        space.facets(), joint.p_x, GOAL, mixture.duals, slack=1e-6, deadline=Deadline(0.0)
    )
    assert not result.finished
    assert result.bound >= GOAL.offset(joint.p_x) - mixture.cost


@pytest.mark.parametrize("angle", [3e-10, 1e-10])
def test_rows_that_are_nearly_parallel_prove_as_much(monkeypatch, angle):
    joint = Joint.random_uniform(3, 6, np.random.default_rng(0))
    _, _, mixture = known(joint, LIP(0.5))
    facets, duals = facets_of(LIP(0.5).allowed_set(joint), joint.p_x), mixture.duals + 0.5
    rows = facets.rows / facets.unit
    cuts = rows - angle * np.random.default_rng(1).random(rows.shape)  # all outputs meet them
    steepest = []

    def looked(square, inverse):
        steepest.append(np.abs(inverse).max())
        return refined(square, inverse)

    plain = undercutting(facets, joint.p_x, GOAL, duals, slack=1e-7)
    monkeypatch.setattr("core.optimal.bounds.low_vertices.refined", looked)
    result = undercutting(facets.with_cuts(cuts), joint.p_x, GOAL, duals, slack=1e-7)
    assert max(steepest) > 1e8
    assert result.sure
    assert result.bound == pytest.approx(plain.bound, abs=1e-7)
    assert result.bound >= GOAL.offset(joint.p_x) - mixture.cost


def test_an_inverse_that_cannot_be_refined_makes_the_bound_unsure(monkeypatch):
    monkeypatch.setattr("core.optimal.bounds.low_vertices.STEEP", 0.0)
    joint = Joint.random_uniform(3, 6, np.random.default_rng(0))
    space, _, mixture = known(joint, LIP(0.5))

    def never(_, inverse):
        return inverse, np.zeros(len(inverse), dtype=bool)

    for step, sure in ((refined, True), (never, False)):
        monkeypatch.setattr("core.optimal.bounds.low_vertices.refined", step)
        result = undercutting(space.facets(), joint.p_x, GOAL, mixture.duals, slack=1e-7)
        assert result.sure == sure
