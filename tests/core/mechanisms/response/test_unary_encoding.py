import random
from importlib import util
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import measures
from core import mechanisms as m
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.response.unary_encoding import unary_alpha, unary_kernel, unary_levels
from core.notions import ALIP, LDP, LIP, Chi2Privacy
from tests.strategies import joints


def equation_28(n_x, alpha, x, members):
    """P(T | x) of [Funnel] eq. 28."""
    share = np.exp((n_x - len(members) - (x not in members)) * alpha)
    return share / (2 * (np.exp(alpha) + 1) ** (n_x - 1))


@pytest.mark.parametrize("alpha", [0.0, 0.7, 3.0])
def test_the_kernel_is_equation_28_for_every_set(alpha):
    kernel = unary_kernel(4, alpha)
    for y in range(16):
        members = [x for x in range(4) if y >> x & 1]
        for x in range(4):
            assert kernel[x, y] == pytest.approx(equation_28(4, alpha, x, members), abs=1e-15)
    np.testing.assert_allclose(kernel.sum(axis=1), 1, atol=1e-14)


@settings(max_examples=60, deadline=None)
@given(joints(max_x=6), st.floats(0.01, 10.0))
def test_levels_without_enumeration_are_those_over_all_sets(joint, alpha):
    kernel = unary_kernel(joint.n_x, alpha)
    lower, upper = unary_levels(joint, LIP(1), alpha)
    joint_sy = joint.release(kernel)
    assert lower == pytest.approx(LIP(1).lower_level(joint_sy).max(), abs=1e-9)
    assert upper == pytest.approx(LIP(1).upper_level(joint_sy).max(), abs=1e-9)
    ratio = LDP(1).achieved(joint, kernel)
    assert unary_levels(joint, LDP(1), alpha) == (0.0, pytest.approx(ratio, abs=1e-9))


def unary_client(alpha, n_x):
    """The client of pure-ldp, from its file: the package around it asks for scikit-learn."""
    package = util.find_spec("pure_ldp")
    assert package is not None
    assert package.origin is not None
    path = Path(package.origin).parent / "frequency_oracles" / "unary_encoding" / "ue_client.py"
    spec = util.spec_from_file_location("ue_client", path)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.UEClient(epsilon=alpha, d=n_x, use_oue=True)


@pytest.mark.parametrize("alpha", [0.4, 1.7])
def test_the_kernel_is_that_of_another_library(alpha):
    """pure-ldp draws its outputs: its chances are exact, 30,000 draws are within 5 sigma."""
    client = unary_client(alpha, 4)
    kernel = unary_kernel(4, alpha)
    contains = np.arange(16)[:, None] >> np.arange(4) & 1
    chances = np.where(np.eye(4) == 1, client.p, client.q)
    np.testing.assert_allclose(kernel @ contains, chances, atol=1e-14)
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002  # what that library draws from
    draws = 30_000
    seen = np.array([client._perturb(2) for _ in range(draws)]) @ (1 << np.arange(4))
    counts = np.bincount(seen, minlength=16)
    error = np.sqrt(draws * kernel[2] * (1 - kernel[2]))
    assert (np.abs(counts - draws * kernel[2]) < 5 * error).all()


def test_equation_29_over_all_subsets_by_loops():
    joint = Joint.random_dirichlet(3, 7, 0.4, np.random.default_rng(2))
    k = np.expm1(1.7)
    given_s = joint.p / joint.p_s[:, None]
    level = max(
        abs(np.log((1 + k * given_s[s, list(t)].sum()) / (1 + k * joint.p_x[list(t)].sum())))
        for size in range(8)
        for t in combinations(range(7), size)
        for s in range(3)
    )
    assert max(unary_levels(joint, LIP(1), 1.7)) == pytest.approx(level, abs=1e-12)


def test_without_noise_the_levels_are_those_of_the_symbols():
    joint = Joint.from_counts([[3, 0, 2], [1, 4, 2]])
    assert unary_levels(joint, LIP(1), np.inf)[0] == np.inf
    assert unary_levels(joint, LIP(1), np.inf)[1] == pytest.approx(np.log(0.75 / (5 / 12)))
    assert unary_levels(joint, LDP(1), np.inf) == (0.0, np.inf)


@settings(max_examples=50, deadline=None)
@given(joints(max_x=5), st.sampled_from([LIP, LDP, lambda e: ALIP(e, 2 * e)]), st.floats(0, 2))
def test_it_keeps_every_promise_and_at_most_half_of_x(joint, family, eps):
    mechanism = m.optimized_unary_encoding(joint, notion=family(eps))
    assert mechanism.audit.holds
    assert mechanism.kernel.shape == (joint.n_x, 2**joint.n_x)
    assert mechanism.utility <= measures.entropy(joint.p_x) / 2 + 1e-12


def test_its_limit_is_half_of_the_entropy():
    joint = Joint.random_uniform(3, 5, np.random.default_rng(0))
    mechanism = m.optimized_unary_encoding(joint, eps=np.inf)
    assert mechanism.nmi == pytest.approx(0.5, abs=1e-14)
    assert mechanism.status == "no noise needed"
    near = joint.p_x[:, None] * unary_kernel(5, 30.0)
    assert measures.mutual_information(near) == pytest.approx(mechanism.utility, abs=1e-9)


def test_outputs_are_named_after_their_sets():
    joint = Joint.from_counts([[1, 2, 1]], x_labels=["a", "b", "c"])
    labels = m.optimized_unary_encoding(joint, eps=1).y_labels
    assert labels == ("{}", "{a}", "{b}", "{a, b}", "{c}", "{a, c}", "{b, c}", "{a, b, c}")


def test_more_symbols_than_a_matrix_holds_are_refused_with_the_way_out():
    joint = Joint.random_uniform(2, 17, np.random.default_rng(0))
    with pytest.raises(InvalidInputError, match=r"2\^17 outputs.*unary_encoding_summary"):
        m.optimized_unary_encoding(joint, eps=1)
    with pytest.raises(InvalidInputError, match="LIP, ALIP or LDP, got"):
        m.optimized_unary_encoding(joint, notion=Chi2Privacy(1, 1))
    with pytest.raises(InvalidInputError, match="n_x must be at least 1 and at most 16, got 17"):
        unary_kernel(17, 1.0)


@pytest.mark.parametrize("eps", [0.1, 0.4, 0.8])
def test_the_estimate_agrees_with_the_matrix_and_its_level_is_exact(eps):
    joint = Joint.random_uniform(3, 9, np.random.default_rng(12))
    mechanism = m.optimized_unary_encoding(joint, eps=eps)
    summary = m.unary_encoding_summary(joint, eps=eps, seed=1)
    assert 0 < summary.standard_error < 0.005
    assert abs(summary.utility - mechanism.utility) < 5 * summary.standard_error
    assert max(summary.lower_level, summary.upper_level) == pytest.approx(
        mechanism.audit.achieved, abs=1e-12
    )
    assert summary.nmi == pytest.approx(summary.utility / measures.entropy(joint.p_x))
    assert summary.alpha == unary_alpha(joint, LIP(eps))
    assert summary.flip == pytest.approx(1 / (np.exp(summary.alpha) + 1))
    again = m.unary_encoding_summary(joint, eps=eps, seed=1)
    assert again == summary
    assert m.unary_encoding_summary(joint, eps=eps, seed=2).utility != summary.utility


def test_standard_errors_are_neither_too_small_nor_too_large():
    joint = Joint.random_uniform(3, 8, np.random.default_rng(5))
    exact = m.optimized_unary_encoding(joint, eps=0.3).utility
    made = [m.unary_encoding_summary(joint, eps=0.3, seed=i, draws=300) for i in range(100)]
    scores = np.array([(item.utility - exact) / item.standard_error for item in made])
    # The mean square of 100 standard normal scores has standard error 0.14.
    assert abs((scores**2).mean() - 1) < 0.6


def test_many_symbols_and_the_exact_ends():
    joint = Joint.random_uniform(4, 120, np.random.default_rng(8))
    summary = m.unary_encoding_summary(joint, notion=LDP(1.0))
    assert summary.upper_level == pytest.approx(1.0, abs=1e-9)
    assert 0 < summary.nmi < 0.5
    none = m.unary_encoding_summary(joint, eps=0)
    assert (none.alpha, none.utility, none.standard_error) == (0.0, 0.0, 0.0)
    everything = m.unary_encoding_summary(joint, eps=np.inf)
    assert (everything.alpha, everything.standard_error) == (np.inf, 0.0)
    assert everything.nmi == pytest.approx(0.5)
    with pytest.raises(InvalidInputError, match="draws must be at least 2, got 1"):
        m.unary_encoding_summary(joint, eps=1, draws=1)
    assert m.unary_encoding_summary(Joint.from_counts([[1], [1]]), eps=1).nmi == 1


@pytest.mark.parametrize("notion", [LIP(37.0), ALIP(37.0, 1.0), LIP(600.0)])
def test_a_secret_of_1e_300_is_never_told_by_rounding(notion):
    """Its probability with a rare output passed for 0, which the audit saw as no privacy at all."""
    rare = [[6e-300, 6e-300, 8e-300, 1e-300], [9e-300, 6.0, 9.0, 5.0], [4.0, 4e-300, 4.0, 1.0]]
    joint = Joint.from_counts(rare)
    mechanism = m.optimized_unary_encoding(joint, notion=notion)
    assert notion.holds(joint, mechanism.kernel)
    assert (joint.release(mechanism.kernel) >= np.finfo(float).tiny).all()
    assert mechanism.utility > 0.1
