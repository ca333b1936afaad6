import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from core import measures
from core import mechanisms as m
from core.joint import Joint
from core.mechanisms.optima.search import chain_bound
from core.notions import (
    ALIP,
    LDP,
    LIP,
    SRLIP,
    GuessingProbability,
    Intersection,
    PointwiseMaximalLeakage,
)

NOTIONS = (
    LIP(0.4),
    LDP(0.7),
    ALIP(0.3, 0.9),
    ALIP(np.inf, 0.5),
    PointwiseMaximalLeakage(0.6),
    SRLIP(0.5, (2, 3)),
    Intersection(LIP(0.8), LDP(0.5)),
)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(NOTIONS), st.booleans())
def test_no_optimum_exceeds_it(seed, notion, released):
    rng = np.random.default_rng(seed)
    joint = (
        Joint.with_secret_released(rng.dirichlet(np.full(6, 0.7)).reshape(2, 3))
        if released
        else Joint.random_dirichlet(3, 6, 0.5, rng)
    )
    assert m.optimal(joint, notion).utility <= chain_bound(joint, notion)


@pytest.mark.parametrize("eps", [0.1, 1.5, 4.0])
def test_under_ldp_it_is_the_worst_chord(eps):
    """Against the maximum over the lowest lift a and the mass p of those who have a·e^ε."""

    def information(low):
        p = (1 / low - 1) / np.expm1(eps)
        return (1 - p) * low * np.log(low) + p * low * np.exp(eps) * (np.log(low) + eps)

    worst = minimize_scalar(
        lambda a: -information(a),
        bounds=(np.exp(-eps), 1),
        method="bounded",
        options={"xatol": 1e-12},
    )
    assert LDP(eps).most_about_secret() == pytest.approx(-worst.fun, abs=1e-9)


def test_a_secret_beside_what_has_nothing_to_do_with_it():
    """U is told whole, and of S what a uniform bit allows; the bound is for any P(S)."""
    joint = Joint.with_secret_released(np.full((2, 2), 0.25))
    best = m.optimal(joint, LDP(1.0))
    bit = m.optimal(Joint.from_counts(np.eye(2)), LDP(1.0)).utility
    assert best.utility == pytest.approx(np.log(2) + bit, abs=1e-7)
    assert best.utility < chain_bound(joint, LDP(1.0)) < best.utility + 0.02


@pytest.mark.parametrize("notion", [LIP(0.0), LDP(0.0), ALIP(0.0, 1.0), SRLIP(0.0, (2, 2))])
def test_perfect_privacy_leaves_what_s_does_not_say(notion):
    joint = Joint.random_uniform(3, 4, np.random.default_rng(1))
    left = measures.entropy(joint.p_x) - measures.mutual_information(joint.p)
    assert chain_bound(joint, notion) == pytest.approx(left, abs=1e-9)


@pytest.mark.parametrize("notion", [LIP(np.inf), LDP(np.inf), GuessingProbability(0.9)])
def test_what_bounds_no_lift_leaves_all(notion):
    joint = Joint.random_uniform(3, 4, np.random.default_rng(1))
    assert chain_bound(joint, notion) == pytest.approx(measures.entropy(joint.p_x), abs=1e-9)
