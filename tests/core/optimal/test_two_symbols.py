"""X with two symbols: the closed form against enumeration and a grid."""

import numpy as np
import pytest

from core import mechanisms as m
from core.joint import Joint
from core.measures import mutual_information
from core.notions import ALIP, LDP, LIP, MinLift, PointwiseMaximalLeakage
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


def test_zeros_and_other_purposes():
    joint = Joint.from_counts([[4, 0], [3, 3]])
    assert m.optimal(joint, LIP(0.5), utility=Guess()).status == "optimal"
    assert m.optimal(joint, LDP(0.5)).utility == pytest.approx(
        m.optimal(joint, LDP(0.5), solver="columns").utility, abs=1e-9
    )
    assert (
        two_outputs(LDP(1.0).allowed_set(Joint.from_counts(np.eye(3))), np.full(3, 1 / 3)) is None
    )
