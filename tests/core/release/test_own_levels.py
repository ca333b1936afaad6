"""What a release reaches: by the notions' own `achieved`, and by its own product kernel."""

import numpy as np
import pytest

from core.joint import Joint
from core.notions import (
    ALIP,
    LDP,
    LIP,
    Average,
    Chi2Privacy,
    EpsDelta,
    GuessingProbability,
    Intersection,
    L1Privacy,
)
from core.notions.guessing import PointwiseMaximalLeakage
from core.release.implications import implied
from core.release.repeats import own_levels, product_kernel, redrawn


@pytest.fixture
def joint():
    return Joint.random_uniform(3, 4, np.random.default_rng(5))


@pytest.fixture
def kernel():
    return np.random.default_rng(6).dirichlet(np.ones(5), size=4)


def test_levels_are_those_that_the_notions_achieve(joint, kernel):
    own = own_levels(joint, kernel)
    assert own["lip"] == pytest.approx(LIP(1).achieved(joint, kernel), rel=1e-12)
    assert own["ldp"] == pytest.approx(LDP(1).achieved(joint, kernel), rel=1e-12)
    pml = PointwiseMaximalLeakage(1).achieved(joint, kernel)
    assert own["pml"] == pytest.approx(pml, rel=1e-12)
    assert own["min_lift"] == pytest.approx(ALIP(1, np.inf).achieved(joint, kernel), rel=1e-12)
    assert own["l1_upper"] == pytest.approx(L1Privacy(np.inf, 1).achieved(joint, kernel), rel=1e-12)
    chi2 = Chi2Privacy(np.inf, 1).achieved(joint, kernel)
    assert own["chi2_upper"] == pytest.approx(chi2, rel=1e-12)


def test_divergence_and_guesses_follow_from_their_definitions(joint, kernel):
    joint_sy = joint.release(kernel)
    posterior = joint_sy / joint_sy.sum(axis=0)
    own = own_levels(joint, kernel)
    divergence = [float(r @ np.log(r / joint.p_s)) for r in posterior.T]
    assert own["kl"] == pytest.approx(max(divergence), rel=1e-12)
    assert own["guess"] == posterior.max()
    assert own["guessing"] == pytest.approx(joint_sy.max(axis=0).sum(), rel=1e-12)
    assert own["mutual_information"] == pytest.approx(
        float(np.dot(joint_sy.sum(axis=0), divergence)), rel=1e-10
    )


def test_a_release_reaches_no_more_than_its_promise_implies(joint, kernel):
    own = own_levels(joint, kernel)
    levels = implied(joint, LIP(own["lip"]))
    assert levels.keys() == own.keys()
    assert all(own[key] <= levels[key] + 1e-9 for key in own)


def test_what_excludes_a_secret_is_infinite():
    own = own_levels(Joint.from_counts([[1, 0], [1, 2]]), np.eye(2))
    assert own["lip"] == own["ldp"] == own["min_lift"] == np.inf
    assert own["guess"] == 1.0
    assert own["kl"] == pytest.approx(np.log(4 / 3))


@pytest.mark.parametrize(
    "notion",
    [
        *(LIP(0.6), ALIP(0.4, 0.5), LDP(0.8), GuessingProbability(0.5)),
        *(Average("mutual_information", 0.0), Average("mutual_information", 0.002)),
        *(Average("total_variation", 0.03), Average("guessing", 0.4)),
        *(EpsDelta(LIP(0.05), 0.1), Intersection(LIP(0.6), Average("chi2", 0.004))),
    ],
)
def test_draws_keep_a_promise_where_their_kernel_does(joint, notion):
    weak = 0.9 * np.full((4, 2), 0.5) + 0.1 * np.eye(4)[:, :2] + 0.05 * np.eye(4)[:, 2:]
    weak = np.hstack([weak, 1 - weak.sum(axis=1, keepdims=True)])
    weak = np.maximum(weak, 0) / np.maximum(weak, 0).sum(axis=1, keepdims=True)
    result = redrawn(joint, weak, notion)
    assert [item.k for item in result] == [1, 2, 3]
    for item in result:
        together = product_kernel(weak, item.k)
        assert item.kept == notion.holds(joint, together)
        assert item.lip.level == pytest.approx(LIP(1).achieved(joint, together), rel=1e-9)
        assert item.ldp.level == pytest.approx(LDP(1).achieved(joint, together), rel=1e-9)
        assert item.promise.exact


def test_two_draws_of_perfect_privacy_may_break_it():
    # a draw is a fair coin under either secret; two agree always under the one, half the time
    # under the other
    joint = Joint.from_counts([[1, 0, 1], [0, 2, 0]])
    hidden = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    notion = Average("mutual_information", 0.0)
    result = redrawn(joint, hidden, notion)
    assert [item.kept for item in result] == [True, False, False]
    assert result[1].promise.level == pytest.approx(
        np.log(2) - 0.75 * (-(1 / 3) * np.log(1 / 3) - (2 / 3) * np.log(2 / 3)), abs=1e-12
    )


def test_saying_nothing_keeps_every_promise_however_often(joint):
    result = redrawn(joint, np.ones((4, 1)), LIP(0))
    assert all(item.kept for item in result)
    assert [item.lip.level for item in result] == pytest.approx([0, 0, 0], abs=1e-12)
