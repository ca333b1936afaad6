import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInputError
from core.joint import Joint
from core.notions import ALIP
from core.release import least_bounds
from tests.strategies import joints


@given(joints(min_x=2), st.integers(0, 10**6))
def test_merging_the_set_achieves_both_bounds_and_nothing_less_keeps_them(joint, seed):
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(joint.n_x)[: rng.integers(1, joint.n_x + 1)]
    eps_l, eps_u = least_bounds(joint, chosen)
    merged = np.zeros((joint.n_x, 2))
    merged[:, 1] = 1
    merged[chosen] = [1, 0]
    lift = joint.release(merged)[:, 0] / (joint.p_s * joint.p_x[chosen].sum())
    assert np.exp(eps_u) == pytest.approx(lift.max())
    assert np.exp(-eps_l) == pytest.approx(lift.min(), abs=1e-12)
    # any other answer within the set has an output at least as bad on either side
    answers = rng.dirichlet(np.ones(3), size=len(chosen))
    joint_sy = joint.p[:, chosen] @ answers
    lifts = joint_sy / (joint.p_s[:, None] * joint_sy.sum(axis=0))
    assert lifts.max() >= np.exp(eps_u) - 1e-9
    assert lifts.min() <= np.exp(-eps_l) + 1e-9


def test_the_whole_alphabet_tells_nothing_and_an_excluded_secret_costs_everything():
    joint = Joint.from_counts([[3, 0, 1], [1, 2, 3]])
    assert least_bounds(joint, [0, 1, 2]) == pytest.approx((0, 0), abs=1e-12)
    eps_l, eps_u = least_bounds(joint, [1])
    assert eps_l == np.inf
    assert ALIP(eps_l, eps_u).eps_u == pytest.approx(np.log(10 / 6))


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ([], "at least one symbol"),
        ([0, 0], "each once"),
        ([2], "from 0 to 1, got 2"),
        ([-1], "from 0 to 1, got -1"),
        ([0.5], "indices of X, got 0.5"),
        ([True], "indices of X, got True"),
    ],
)
def test_bad_sets_are_named(chosen, message):
    with pytest.raises(InvalidInputError, match=message):
        least_bounds(Joint.from_counts([[3, 1], [1, 3]]), chosen)
