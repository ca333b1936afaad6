import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from core.allowed.allowed_set import AllowedSet
from core.clock import NEVER, Deadline
from core.errors import InfeasibleError
from core.joint import Joint
from core.notions import LDP, LIP, L1Privacy
from core.optimal.bounds.image_bound import ImageBound
from core.optimal.bounds.prover import Prover
from core.optimal.polytopes.standard_form import polytope
from core.optimal.utility import (
    Centred,
    Greatest,
    MutualInformation,
    OfImage,
    Utility,
    entropy_terms,
)
from tests.strategies import joints
from tests.vertices import allowed_vertices


def task(joint, n_t, seed):
    table = np.random.default_rng(seed).dirichlet(np.ones(n_t), size=joint.n_x).T
    return OfImage(table, entropy_terms, float(entropy_terms(table @ joint.p_x).sum()))


@given(joints(max_s=3, max_x=4, min_x=2), st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 2.0]))
def test_the_least_price_is_that_of_the_best_vertex(joint, seed, eps):
    rng = np.random.default_rng(seed)
    for notion in (LIP(eps), LDP(eps), L1Privacy(np.inf, eps)):
        allowed = notion.allowed_set(joint)
        goal = task(joint, 3, seed)
        prices = 0.5 * rng.random(joint.n_x)
        result = ImageBound(allowed, goal).minimise(prices, tolerance=1e-7, deadline=NEVER)
        points = allowed_vertices(allowed)
        best = (goal.cost(points) - points @ prices).min()
        assert result.floor <= best + 1e-9
        if not result.best < -4e-7:  # else it may end early, as better prices help more
            assert result.floor >= min(best, 0) - 1.1e-7
        assert result.best >= best - 1e-8
        assert goal.cost(result.point) - prices @ result.point == pytest.approx(
            result.best, abs=1e-9
        )
        assert (goal.cost(result.outputs) - result.outputs @ prices < 0).all()


def test_a_floor_is_valid_however_short_the_time():
    joint = Joint.random_uniform(3, 12, np.random.default_rng(1))
    goal = task(joint, 4, 1)
    bound = ImageBound(LIP(0.3).allowed_set(joint), goal)
    prices = np.full(12, 0.9)
    quick = bound.minimise(prices, tolerance=1e-9, deadline=Deadline(0.0))
    long = bound.minimise(prices, tolerance=1e-7, deadline=NEVER)
    assert quick.floor <= long.floor <= long.best <= quick.best


def test_a_set_without_an_output_is_told():
    nothing = AllowedSet(sparse.csr_array(np.ones((1, 2))), 2)
    with pytest.raises(InfeasibleError, match="No output at all"):
        ImageBound(nothing, OfImage(np.eye(2), entropy_terms, 0.0))


def test_a_prover_proves_a_task_by_its_image():
    joint = Joint.random_uniform(4, 30, np.random.default_rng(2))
    goal = Centred(task(joint, 2, 3), joint.p_x)
    allowed = LIP(0.4).allowed_set(joint)
    prover = Prover(allowed, polytope(allowed, joint.p_x), joint.p_x, goal)
    prover._most_low = 0
    prover.walk = lambda *_: False
    verdict = prover.check(np.zeros(30), 1e-6, Deadline.after(60))
    # at prices of 0 no output is below 0: all that X is worth is the bound
    assert verdict.bound == pytest.approx(goal.offset(joint.p_x), abs=1e-6)
    dear = prover.check(np.full(30, 1.0), 1e-6, Deadline.after(60))
    assert len(dear.better) > 0
    assert dear.bound <= verdict.bound


def test_centred_costs_are_none_at_symbols_and_none_below():
    rng = np.random.default_rng(4)
    p_x = rng.dirichlet(np.ones(5))
    for inner in (Greatest(rng.random((3, 5))), OfImage(rng.random((2, 5)), np.sqrt, 1.0)):
        goal = Centred(inner, p_x)
        assert goal.cost(np.eye(5)) == pytest.approx(np.zeros(5), abs=1e-12)
        weights = rng.random((50, 5))
        assert (goal.cost(weights) >= -1e-12).all()
        kernel = rng.dirichlet(np.ones(3), size=5)
        outputs = (p_x[:, None] * kernel).T
        assert goal.value(outputs, p_x) + goal.base == pytest.approx(inner.value(outputs, p_x))
    assert Greatest(np.eye(2)).image() is None


def test_centred_costs_of_a_few_symbols_need_no_array_of_all(monkeypatch):
    """Under a budget on an average 200 symbols took .7 of 1 s."""
    rng = np.random.default_rng(5)
    p_x = rng.dirichlet(np.ones(6))
    for inner in (MutualInformation(), Greatest(rng.random((3, 6)))):
        goal = Centred(inner, p_x)
        symbols = np.array([rng.permutation(7)[:3] for _ in range(8)]).reshape(2, 4, 3)
        weights = rng.random((2, 4, 3))
        wide = np.zeros((2, 4, 7))
        np.put_along_axis(wide, symbols, weights, axis=2)
        costs = goal.supported_cost(weights, symbols, 6)
        assert costs == pytest.approx(goal.cost(wide[..., :6]))
    monkeypatch.setattr(Utility, "supported_cost", None)  # a call would end in an error
    assert Centred(MutualInformation(), p_x).supported_cost(weights, symbols, 6).shape == (2, 4)
