import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import measures
from core import mechanisms as m
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.response.calibrated import conditional_alpha, conditional_kernel
from core.notions import LDP, LIP
from tests.strategies import joints, symbol_notions


def algorithm_1(joint, alpha):
    """P(y | s, x) of [Funnel] Algorithm 1, draw by draw."""
    n_s, n_x = joint.n_s, joint.n_x
    given_s = joint.p / joint.p_s[:, None]
    kernel = np.zeros((n_s * n_x, n_x))
    for s in range(n_s):
        for x in range(n_x):
            for mask in range(n_s):
                chance = (np.exp(alpha) if mask == s else 1.0) / (np.exp(alpha) + n_s - 1)
                release = np.eye(n_x)[x] if mask == s else given_s[mask]
                kernel[s * n_x + x] += chance * release
    return kernel


def equation_30(joint, alpha):
    """[Funnel] eq. 30, by loops."""
    k = np.expm1(alpha)
    given_s = joint.p / joint.p_s[:, None]
    total = given_s.sum(axis=0)
    with np.errstate(divide="ignore"):
        return max(
            abs(np.log((k * given_s[s, x] + total[x]) / (k * joint.p_x[x] + total[x])))
            for s in range(joint.n_s)
            for x in range(joint.n_x)
        )


@settings(max_examples=40, deadline=None)
@given(joints(), st.floats(0.0, 10.0))
def test_the_kernel_is_algorithm_1_and_proposition_1_is_its_level(joint, alpha):
    kernel = conditional_kernel(joint, alpha)
    np.testing.assert_allclose(kernel, algorithm_1(joint, alpha), atol=1e-13)
    level = LIP(1).achieved(joint, kernel)
    assert level == pytest.approx(equation_30(joint, alpha), abs=1e-9)
    # Proposition 2.
    assert LDP(1).achieved(joint, kernel) <= alpha + 1e-9
    assert level <= alpha + 1e-9


@pytest.mark.parametrize("eps", [0.02, 0.2, 0.5])
def test_it_solves_equation_30_from_the_private_side(eps):
    rng = np.random.default_rng(9)
    for _ in range(10):
        joint = Joint.random_dirichlet(3, 5, 0.5, rng)
        alpha = conditional_alpha(joint, LIP(eps))
        if alpha < np.inf:
            assert alpha >= eps - 1e-12  # Proposition 2
            assert eps - 1e-9 < equation_30(joint, alpha) <= eps
        else:
            assert LIP(eps).holds(joint, np.eye(5))


@settings(max_examples=60, deadline=None)
@given(joints(), symbol_notions())
def test_it_keeps_every_promise_and_its_utility_is_that_of_the_averaged_kernel(joint, notion):
    mechanism = m.conditional_reporting(joint, notion)
    assert mechanism.audit.holds
    assert mechanism.kernel.shape == (joint.n_s * joint.n_x, joint.n_x)
    cube = mechanism.kernel.reshape(joint.n_s, joint.n_x, joint.n_x)
    averaged = np.einsum("sx,sxy->xy", joint.p, cube) / joint.p_x[:, None]
    expected = measures.mutual_information(joint.p_x[:, None] * averaged)
    assert mechanism.utility == pytest.approx(expected, abs=1e-12)
    assert any("Reads S" in note for note in mechanism.notes)


def test_at_no_budget_it_keeps_some_of_x_where_the_optimum_over_x_keeps_none():
    joint = Joint.from_counts([[5, 1, 1], [1, 5, 1], [1, 1, 5]])
    # P(s | x) has full rank, so only P(X) itself is a posterior that tells nothing about S:
    # the optimum that reads X alone is the constant one.
    assert np.linalg.matrix_rank(joint.p) == 3
    mechanism = m.conditional_reporting(joint, LIP(0))
    assert mechanism.audit.achieved < 1e-12
    # By hand: y = x with probability (1 + (5·2 + 2·1·6)/49)/3, each other y half of the rest.
    truth = 71 / 147
    expected = np.log(3) + truth * np.log(truth) + (1 - truth) * np.log((1 - truth) / 2)
    assert mechanism.utility == pytest.approx(expected, abs=1e-12)


def test_its_level_comes_from_s_and_never_from_the_averaged_kernel():
    joint = Joint.from_counts([[5, 1, 1], [1, 5, 1], [1, 1, 5]])
    mechanism = m.conditional_reporting(joint, LIP(0.1))
    cube = mechanism.kernel.reshape(3, 3, 3)
    averaged = np.einsum("sx,sxy->xy", joint.p, cube) / joint.p_x[:, None]
    assert LIP(1).achieved(joint, averaged) > 2 * mechanism.audit.achieved


def test_with_one_secret_x_is_published():
    joint = Joint.from_counts([[3, 1, 2]])
    mechanism = m.conditional_reporting(joint, LIP(0))
    np.testing.assert_array_equal(mechanism.kernel, np.eye(3))
    assert mechanism.status == "no noise needed"


def test_probabilities_below_every_double_are_refused_in_a_sentence():
    """7e-301 · 6e-200 passed for 0, and the refusal was that no mechanism keeps the notion."""
    joint = Joint.from_counts([[5e-300, 0.0], [1e-100, 6e-300], [7.0, 3e-300]])
    with pytest.raises(InvalidInputError, match="with a probability of 1e-500 together") as result:
        m.conditional_reporting(joint, LIP(0.3))
    assert str(result.value).endswith("at least 1e-307.")
    ordinary = Joint.from_counts([[5e-300, 0.0], [1.0, 6.0], [7.0, 3.0]])
    assert LIP(0.3).holds(ordinary, m.conditional_reporting(ordinary, LIP(0.3)).kernel)
