"""How far outputs are from the rows of a set: against the levels of the notion that it is of."""

import numpy as np
import pytest

from core import clock
from core.clock import Deadline
from core.joint import Joint
from core.notions import LDP, LIP, RLDP, Intersection, L1Privacy, RobustLDP, RobustPML
from core.optimal.polish import least_share, mixed, share_to_rows, shares_to_rows
from core.uncertainty import RenyiBall

INF = float("inf")


def joint_of(n_s, n_x):
    return Joint.from_counts(np.random.default_rng(n_s).integers(1, 30, (n_s, n_x)))


def robust(n_s, n_x, kind, eps=0.3, **options):
    joint = joint_of(n_s, n_x)
    if kind is RLDP:
        joint = Joint.with_secret_released(joint.p)
    return joint, kind(eps, RenyiBall(joint_of(n_s, n_x).p, 1e-3), **options)


QUESTIONS = [
    (joint_of(3, 4), L1Privacy(INF, 0.1)),
    (joint_of(7, 4), LDP(0.05)),
    (joint_of(7, 4), LDP(0.5)),
    (joint_of(7, 4), Intersection(LDP(0.5), L1Privacy(INF, 0.1))),
    (joint_of(7, 4), Intersection(L1Privacy(INF, 0.1), LIP(0.2))),
    robust(3, 8, RLDP, exact=False),
    robust(9, 30, RLDP, exact=False),
    robust(7, 4, RobustLDP, exact=False),
    robust(3, 4, RobustPML),
]
"""Notions whose rows have auxiliary variables."""


@pytest.mark.parametrize(("joint", "notion"), QUESTIONS, ids=lambda item: str(item)[:9])
def test_outputs_meet_rows_with_auxiliary_variables_exactly_where_they_keep_the_notion(
    joint, notion
):
    allowed, rng = notion.allowed_set(joint), np.random.default_rng(0)
    assert allowed.n_auxiliary
    reported = set()
    for part in (0.02, 0.1, 0.3, 1.0):
        kernel = mixed(rng.dirichlet(np.ones(4), joint.n_x), joint.p_x, 1 - part)
        share = share_to_rows(allowed, joint.p_x, kernel)
        assert (share > 0) == (notion.scale(joint, kernel) > 1)
        assert share < 1
        met = notion.scale(joint, mixed(kernel, joint.p_x, share))
        assert met <= 1 + 1e-9
        if share > 0 and not notion.of_estimate:
            assert met == pytest.approx(1, abs=1e-9)
        reported.add(share > 0)
    assert reported == {True, False}


@pytest.mark.parametrize(("joint", "notion"), QUESTIONS, ids=lambda item: str(item)[:9])
def test_the_shares_of_many_outputs_are_those_of_each(joint, notion):
    allowed, rng = notion.allowed_set(joint), np.random.default_rng(1)
    points = 0.7 * rng.dirichlet(np.ones(joint.n_x), 5) + 0.3 * joint.p_x
    alone = [share_to_rows(allowed, joint.p_x, (r / joint.p_x)[:, None]) for r in points]
    assert max(alone) > 0
    assert shares_to_rows(allowed, joint.p_x, points) == pytest.approx(alone)


def test_slow_checks_of_shares_end_by_a_deadline():
    """Beside a budget on an average robust ones of 220 symbols took four seconds after it."""
    asked = []

    def passes(share):
        asked.append(share)
        return share > 0.01

    def found(seconds):
        asked.clear()
        with clock.using(clock.Ticking(1.0)):
            return least_share(passes, slow=True, deadline=Deadline.after(seconds))

    assert 0.01 < found(1000.0) < 0.0101
    assert found(5.5) == 1.0  # none had passed
    assert len(asked) < 10
    assert 0.0101 < found(18.5) < 0.02  # the first that passed, or one between it and the last
