"""Robust LDP and purposes that are linear in the mechanism: one smooth convex program."""

import numpy as np
import pytest

from core import clock
from core.clock import NEVER, Deadline
from core.joint import Joint
from core.mechanisms import optimal
from core.notions import LIP, RLDP, Intersection
from core.notions.robust_markov import RobustLDP
from core.optimal.robust_program import RobustProgram
from core.uncertainty import RenyiBall
from core.utilities import Distortion, Guess


def distance(n):
    places = np.arange(n)
    return Distortion(np.abs(np.subtract.outer(places, places)).astype(float))


def program(alpha, eps=0.5):
    joint = Joint.random_uniform(3, 5, np.random.default_rng(0))
    notion = RobustLDP.of_joint(joint, eps, n=1_000, alpha=alpha)
    allowed = notion.allowed_set(joint)
    pieces = np.random.default_rng(1).random((4, 5))
    return RobustProgram(allowed, allowed.oracle, joint.p_x, pieces), joint, notion


@pytest.mark.parametrize("alpha", [1.3, 2.0, 6.0])
def test_derivatives_are_those_of_differences(alpha):
    it, _, _ = program(alpha)
    it.weight = 300.0
    it.run(np.inf, NEVER)
    gradient, of_shared, own, cross, inner = it._derivatives()
    rng = np.random.default_rng(2)
    kernel = rng.normal(size=it.point.kernel.shape) * it.point.kernel
    shared = rng.normal(size=it.point.shared.shape) * np.abs(it.point.shared)

    def value(length):
        return it._value(
            it._at(it.point.kernel + length * kernel, it.point.shared + length * shared)
        )

    h = 1e-5
    slope = (gradient * kernel).sum() + (of_shared * shared).sum()
    assert (value(h) - value(-h)) / (2 * h) == pytest.approx(slope, rel=1e-4)
    bend = np.einsum("axw,ax,aw", own, kernel, kernel)
    bend += 2 * np.einsum("apix,api,ax", cross, shared, kernel)
    bend += np.einsum("apij,api,apj", inner, shared, shared)
    assert (value(h) + value(-h) - 2 * value(0)) / h**2 == pytest.approx(bend, rel=1e-3)


@pytest.mark.parametrize("alpha", [1.3, 2.0, 6.0])
def test_the_path_ends_at_the_edge_of_the_allowed_set(alpha):
    it, joint, notion = program(alpha)
    it.run(1e-6, NEVER)
    level = notion.achieved(joint, it.point.kernel.T)
    assert 0.5 - 1e-4 < level <= 0.5


def test_every_kernel_on_the_path_is_allowed():
    it, joint, notion = program(2.0)
    begun = float((it._cost * it.point.kernel).sum())
    with clock.using(clock.Ticking(1.0)):
        it.run(1e-6, Deadline.after(9.0))
    assert notion.achieved(joint, it.point.kernel.T) < 0.5
    assert float((it._cost * it.point.kernel).sum()) < begun


@pytest.mark.parametrize("purpose", [Guess(), distance(20)], ids=["guess", "distance"])
def test_six_secrets_and_twenty_symbols_are_proven(purpose):
    joint = Joint.random_uniform(6, 20, np.random.default_rng(0))
    notion = RobustLDP.of_joint(joint, 0.5, n=10_000)
    with clock.using(clock.Ticking(5e-3)):
        mechanism = optimal(joint, notion, time_limit=10.0, utility=purpose)
    assert mechanism.status == "optimal"
    assert notion.achieved(joint, mechanism.kernel) <= 0.5 + 1e-9


def test_pairs_are_proven_too_and_outputs_stay_few():
    cells = np.random.default_rng(0).random((3, 6)) / 18
    joint = Joint.with_secret_released(cells)
    ball = RenyiBall.confidence(cells / cells.sum(), 10_000)
    notion = RLDP(0.5, ball, exact=True)
    with clock.using(clock.Ticking(5e-3)):
        mechanism = optimal(joint, notion, time_limit=2.0, utility=Guess())
    assert mechanism.status == "optimal"
    assert mechanism.kernel.shape[1] <= 18
    assert (joint.p_x @ mechanism.kernel).min() > 1e-6


@pytest.mark.parametrize("eps", [1.0, 1e-17])
def test_a_set_without_an_inside_is_answered_otherwise(eps):
    """Beside LIP of ε = 0, whose rows are equations, an assertion failed."""
    joint = Joint.from_counts([[8, 24, 19, 91], [87, 7, 18, 46]])
    notion = Intersection(LIP(0.0), RobustLDP.of_joint(joint, eps))
    with clock.using(clock.Ticking(5e-3)):
        result = optimal(joint, notion, utility=Guess(), time_limit=2.0)
    assert result.status == "optimal"
    assert result.audit.holds
    assert (result.utility > joint.p_x.max() + 0.2) == (eps == 1.0)
