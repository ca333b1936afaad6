"""Conditions of one secret each: enough for robust LDP of pairs, and a climb under them."""

import numpy as np
import pytest

from core import clock
from core import mechanisms as m
from core.joint import Joint
from core.measures import mutual_information
from core.notions import LDP, RLDP
from core.notions.robust_markov import RobustLDP
from core.optimal.cutting_planes import AllowedOutputs
from core.optimal.utility import MutualInformation
from core.optimal.whole_kernel import SidesOracle, climbed


def pairs_of(shape, n=2_000):
    """The joint of S and X = (S, U) of n records, some cells of which are empty."""
    rng = np.random.default_rng([*shape, n])
    counts = rng.multinomial(n, rng.dirichlet(np.full(shape[0] * shape[1], 0.7))).reshape(shape)
    counts[counts.sum(axis=1) == 0, 0] = 1
    return Joint.with_secret_released(counts / counts.sum())


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("shape", [(2, 3), (4, 5)])
def test_outputs_that_meet_the_sides_keep_robust_ldp(shape, alpha):
    joint = pairs_of(shape)
    notion = RLDP.of_joint(joint, 0.7, n=2_000, alpha=alpha)
    exact = RLDP(notion.eps, notion.uncertainty, exact=True)
    oracle = exact.allowed_set(joint).oracle
    assert oracle.has_sides
    rng = np.random.default_rng(0)
    kernel = rng.dirichlet(np.full(6, 0.5), joint.n_x)
    for share in np.linspace(0, 1, 21):
        moved = share * kernel + (1 - share) * (joint.p_x @ kernel)
        weights = (joint.p_x[:, None] * moved).T
        high, low = ((rows @ weights[..., None])[..., 0] for rows in oracle.sides(weights))
        if (high.max(axis=1) <= low.min(axis=1)).all():
            kept = share
    moved = kept * kernel + (1 - kept) * (joint.p_x @ kernel)
    assert 0 < kept < 1
    assert exact.holds(joint, moved)


def test_where_secrets_share_symbols_there_are_no_sides():
    joint = Joint.from_counts([[30, 10, 10], [10, 10, 30]])
    oracle = RobustLDP.of_joint(joint, 1.0).allowed_set(joint).oracle
    assert isinstance(oracle, SidesOracle)
    assert not oracle.has_sides


def test_a_climb_from_nothing_keeps_half_of_what_ldp_at_the_estimate_does():
    joint = pairs_of((3, 4), 30_000)
    ball = RLDP.of_joint(joint, 0.5, n=30_000).uncertainty
    exact = RLDP(0.5, ball, exact=True)
    allowed = exact.allowed_set(joint)
    inside = AllowedOutputs(np.ones((joint.n_x, 1)), joint.p_x, MutualInformation(), allowed.oracle)
    with clock.using(clock.Ticking(4e-3)):
        most = m.optimal(joint, LDP(0.5), time_limit=1.0).utility
        climbed(
            *(inside, allowed.oracle, allowed.rows.toarray()),
            seed=0,
            deadline=clock.Deadline.after(0.6),
        )
    kernel = inside.kernel()
    assert exact.holds(joint, kernel)
    assert mutual_information(joint.p_x[:, None] * kernel) == pytest.approx(inside.value)
    assert inside.value >= 0.5 * most
