"""Cutting planes from outside and inside: against the other search, a plain polytope, and time."""

import numpy as np
import pytest

from core import measures
from core import mechanisms as m
from core.joint import Joint
from core.notions import LIP, AlphaLift
from core.optimal.polish import polished
from core.optimal.round_sets import maximise_round
from core.uncertainty import RenyiBall


def test_a_round_set_of_another_notion_has_the_same_optimum():
    joint = Joint.random_uniform(3, 4, np.random.default_rng(0))
    notion = AlphaLift(0.6, 0.6, 2.0)
    allowed = notion.allowed_set(joint)
    found = maximise_round(
        allowed,
        allowed.oracle,
        joint.p_x,
        np.ones((4, 1)),
        time_limit=30,
        gap=1e-6,
        finish=lambda kernel: polished(joint, kernel, notion),
    )
    other = m.optimal(joint, notion, time_limit=20)
    assert found.status == "optimal"
    assert found.utility <= other.upper_bound + 1e-9
    assert other.utility <= found.upper_bound + 1e-9
    assert notion.holds(joint, found.kernel)


def test_an_oracle_that_is_silent_leaves_the_polytope():
    joint = Joint.random_uniform(3, 4, np.random.default_rng(1))
    notion = LIP(0.4)
    found = maximise_round(
        notion.allowed_set(joint),
        lambda r: np.empty((0, len(r))),
        joint.p_x,
        np.ones((4, 1)),
        finish=lambda kernel: polished(joint, kernel, notion),
    )
    best = m.optimal(joint, notion)
    assert found.utility == pytest.approx(best.utility, abs=1e-6)
    assert found.utility == pytest.approx(
        float(measures.mutual_information(joint.release_x(found.kernel))), abs=1e-9
    )


def test_what_time_does_not_prove_is_bounded_all_the_same():
    rng = np.random.default_rng(0)
    counts = rng.multinomial(300, rng.dirichlet([0.5] * 10)).reshape(5, 2)
    ball = RenyiBall.confidence(counts, 300)
    free = m.non_robust(counts, 0.3)
    poly = m.polyopt(counts, 0.3, ball, time_limit=0.5)
    exact = m.robust_optimal(counts, 0.3, ball, time_limit=0.5)
    separate = m.independent_reporting(counts, 0.3, ball)
    assert exact.status == "time limit"
    assert exact.gap > 1e-6
    assert exact.utility >= separate.utility - 1e-9
    for found in (poly, exact):
        assert found.audit.holds
        assert free.utility <= found.upper_bound + 1e-6
        assert found.upper_bound <= float(measures.entropy(counts.ravel() / 300)) + 1e-12
