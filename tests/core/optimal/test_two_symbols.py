"""X with two symbols: the closed form against enumeration and a grid."""

from dataclasses import replace

import numpy as np
import pytest

from core import mechanisms as m
from core.joint import Joint
from core.measures import mutual_information
from core.notions import (
    ALIP,
    LDP,
    LIP,
    AlphaLift,
    Chi2Lift,
    Intersection,
    L1Lift,
    L1Privacy,
    MinLift,
    PointwiseDivergence,
    PointwiseMaximalLeakage,
)
from core.optimal.two_symbols import two_outputs
from core.utilities import Guess


@pytest.mark.parametrize("n_s", [2, 3, 6, 7, 40])
@pytest.mark.parametrize(
    "notion",
    [
        LDP(0.0),
        LDP(1e-3),
        LDP(0.4),
        LDP(50.0),
        LIP(0.0),
        LIP(0.2),
        ALIP(0.1, 0.6),
        MinLift(0.3),
        PointwiseMaximalLeakage(0.2),
    ],
)
def test_it_agrees_with_enumeration(n_s, notion):
    joint = Joint.random_uniform(n_s, 2, np.random.default_rng(n_s))
    best = m.optimal(joint, notion)
    assert best.status == "optimal"
    assert best.utility == pytest.approx(
        m.optimal(joint, notion, solver="enumerate").utility, abs=1e-9
    )


def allows(notion, joint, posterior):
    """Say whether a notion allows a posterior: as one output, beside all that is left of X."""
    part = 0.5 * (joint.p_x / np.maximum(posterior, 1e-300)).min() * posterior / joint.p_x
    release = joint.release(np.column_stack([part, 1 - part]))
    return all(item.allows(release)[0] for item in notion.parts)


def end_towards(notion, joint, end):
    """Return the last a of posteriors (a, 1 − a) from P_X to an end that a notion allows."""
    inside, outside = joint.p_x[0], end
    if allows(notion, joint, np.array([end, 1 - end])):
        return end
    for _ in range(40):
        middle = (inside + outside) / 2
        if allows(notion, joint, np.array([middle, 1 - middle])):
            inside = middle
        else:
            outside = middle
    return inside


@pytest.mark.parametrize("n_s", [2, 3, 7])
@pytest.mark.parametrize(
    "notion",
    [
        AlphaLift(0.3, 0.4, 2.0),
        AlphaLift(0.3, np.inf, 1.5),
        Chi2Lift(0.2),
        PointwiseDivergence(0.05),
        Intersection(Chi2Lift(0.3), LDP(0.4)),
        L1Privacy(np.inf, 0.2),
        Intersection(L1Privacy(np.inf, 0.3), LDP(0.4)),
    ],
    ids=str,
)
def test_whatever_bounds_an_output_leaves_an_interval(n_s, notion):
    joint = Joint.random_uniform(n_s, 2, np.random.default_rng(n_s))
    best = m.optimal(joint, notion)
    assert (best.status, best.solver) == ("optimal", "closed form")
    ends = [end_towards(notion, joint, end) for end in (0.0, 1.0)]
    share = (joint.p_x[0] - ends[0]) / (ends[1] - ends[0])
    weights = np.array([1 - share, share])[:, None] * [[end, 1 - end] for end in ends]
    assert best.utility == pytest.approx(mutual_information(weights), abs=1e-7)


def test_a_thousand_secrets_take_one_look():
    joint = Joint.random_uniform(1_000, 2, np.random.default_rng(0))
    best = m.optimal(joint, LDP(0.5))
    assert (best.status, best.solver) == ("optimal", "closed form")
    beliefs = np.linspace(0, 1, 2_001)
    lifts = (joint.p / joint.p_s[:, None] / joint.p_x) @ np.vstack([beliefs, 1 - beliefs])
    fits = beliefs[lifts.max(axis=0) <= np.exp(0.5) * lifts.min(axis=0)]
    low, high = float(fits.min()), float(fits.max())
    share = (joint.p_x[0] - low) / (high - low)
    inside = np.array(
        [[share * high, share * (1 - high)], [(1 - share) * low, (1 - share) * (1 - low)]]
    )
    assert 0 <= best.utility - mutual_information(inside) <= 2e-3


@pytest.mark.parametrize("notion", [Chi2Lift(0.3), L1Lift(0.2), AlphaLift(0.3, 0.3, 2.0)], ids=str)
def test_a_thousand_secrets_take_one_look_under_other_promises_too(notion):
    joint = Joint.random_uniform(1_000, 2, np.random.default_rng(0))
    best = m.optimal(joint, notion)
    assert (best.status, best.solver) == ("optimal", "closed form")
    assert notion.scale(joint, best.kernel) > 1 - 1e-6  # the budget is used up
    assert notion.holds(joint, best.kernel)


def test_zeros_and_other_purposes():
    joint = Joint.from_counts([[4, 0], [3, 3]])
    assert m.optimal(joint, LIP(0.5), utility=Guess()).status == "optimal"
    assert m.optimal(joint, LDP(0.5)).utility == pytest.approx(
        m.optimal(joint, LDP(0.5), solver="columns").utility, abs=1e-9
    )
    assert (
        two_outputs(LDP(1.0).allowed_set(Joint.from_counts(np.eye(3))), np.full(3, 1 / 3)) is None
    )


@pytest.mark.parametrize("depth", [1e-12, 1e-9, 5e-7, 1e-4])
@pytest.mark.parametrize("notion", [Chi2Lift(0.2), AlphaLift(0.3, 0.4, 2.0)], ids=str)
def test_a_cut_that_goes_too_deep_is_not_believed(notion, depth):
    joint = Joint.random_uniform(3, 2, np.random.default_rng(3))
    allowed = notion.allowed_set(joint)

    def too_deep(r):
        cuts = allowed.oracle(r)
        inward = np.array([cuts.sum(), -cuts.sum()]) if len(cuts) else np.zeros(2)
        turned = cuts + depth * np.sign(r[0] - joint.p_x[0]) * np.abs(inward)
        return turned if len(cuts) else cuts

    _, beyond = two_outputs(replace(allowed, oracle=too_deep), joint.p_x)
    weights = joint.p_x[:, None] * beyond
    first = np.sort(weights[0] / weights.sum(axis=0))
    ends = [end_towards(notion, joint, end) for end in (0.0, 1.0)]
    assert first[0] <= ends[0] + 1e-12
    assert first[1] >= ends[1] - 1e-12
