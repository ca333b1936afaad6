from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import measures
from core import mechanisms as m
from core.joint import Joint
from core.mechanisms.polish import polished
from core.notions import (
    ALIP,
    LIP,
    AlphaLift,
    Chi2Lift,
    Chi2Privacy,
    GuessingProbability,
    Intersection,
    L1Lift,
    L1Privacy,
    MinLift,
    PointwiseDivergence,
    PointwiseMaximalLeakage,
    divergence,
)
from tests.strategies import joints, kernels

PAIRS = [
    (MinLift, lambda eps: ALIP(eps, np.inf)),
    (L1Lift, lambda eps: L1Privacy(np.inf, eps)),
    (Chi2Lift, lambda eps: Chi2Privacy(np.inf, eps)),
    (PointwiseMaximalLeakage, lambda eps: ALIP(np.inf, eps)),
]


@st.composite
def releases(draw):
    joint = draw(joints(max_s=3, max_x=4))
    return joint, draw(kernels(joint.n_x, max_outputs=3))


@given(releases(), st.sampled_from([0.0, 0.2, 0.7, 2.0, np.inf]))
def test_one_side_is_what_the_two_sided_notion_says_of_it(release, eps):
    joint, kernel = release
    for item, both in PAIRS:
        assert item(eps).holds(joint, kernel) == both(eps).holds(joint, kernel)
        assert item(eps).scale(joint, kernel) == pytest.approx(both(eps).scale(joint, kernel))


@given(releases())
def test_divergence_is_that_of_the_posterior_and_averages_to_information(release):
    joint, kernel = release
    joint_sy = joint.release(kernel)
    levels = PointwiseDivergence(1).upper_level(joint_sy)
    for y in np.flatnonzero(joint_sy.sum(axis=0) > 0):
        posterior = joint_sy[:, y] / joint_sy[:, y].sum()
        some = posterior > 0
        reported = (posterior[some] * np.log(posterior[some] / joint.p_s[some])).sum()
        assert levels[y] == pytest.approx(reported, abs=1e-9)
    mean = np.nansum(levels * joint_sy.sum(axis=0))
    assert mean == pytest.approx(float(measures.mutual_information(joint_sy)), abs=1e-9)


@given(releases(), st.sampled_from([0.0, 1e-3, 0.05, 0.3, 2.0]), st.integers(0, 10**6))
@settings(max_examples=60)
def test_the_set_of_bounded_divergence_is_what_the_notion_holds_for(release, eps, seed):
    joint, _ = release
    notion = PointwiseDivergence(eps)
    allowed = notion.allowed_set(joint)
    rng = np.random.default_rng(seed)
    for r in rng.dirichlet(0.5 * np.ones(joint.n_x), size=20):
        belief = joint.p / joint.p_x @ r
        some = belief > 0
        level = (belief[some] * np.log(belief[some] / joint.p_s[some])).sum()
        rows = (allowed.rows @ r).max(initial=-np.inf)
        cuts = np.zeros((0, joint.n_x)) if allowed.oracle is None else allowed.oracle(r)
        if level < eps - 1e-7:
            assert rows <= 1e-9
            assert len(cuts) == 0
        if level > eps + 1e-7:
            assert rows > 0 or len(cuts) == 1
        inside = polished(joint, np.array([r, joint.p_x]).T / (r + joint.p_x)[:, None], notion)
        outputs = (joint.p_x[:, None] * inside).T
        assert (outputs @ cuts.T <= 1e-9).all()  # a cut holds for all that is allowed


def divergence_of_two(q, p):
    """Return d(q ‖ p) of two outcomes in nats, to 50 digits."""
    with localcontext() as context:
        context.prec = 50
        q, p = Decimal(q), Decimal(p)
        return sum((a * (a / b).ln() for a, b in ((q, p), (1 - q, 1 - p)) if a > 0), Decimal(0))


@pytest.mark.parametrize("prior", [1e-9, 1e-7, 1e-5, 1e-3, 0.1, 0.5, 0.999])
def test_rows_of_a_bounded_divergence_cut_no_belief_that_it_allows(prior):
    # a root finder's absolute tolerance of 2e-12 is much beside a prior of 1e-7
    for eps in np.geomspace(1.1e-12, 3, 40).tolist():
        low, high = (prior * (1 + gap) for gap in divergence._lift_range(prior, eps))
        assert low == 0 or divergence_of_two(low, prior) >= Decimal(eps)
        assert high >= 1 - 1e-15 or divergence_of_two(high, prior) >= Decimal(eps)
        if low > 0:
            assert divergence_of_two(low + 1e-8 * prior, prior) <= Decimal(eps + 1e-14)


@pytest.mark.parametrize("eps", [0.05, 0.3])
def test_optima_under_bounded_divergence(eps):
    joint = Joint.random_uniform(3, 8, np.random.default_rng(1))
    made = m.optimal(joint, PointwiseDivergence(eps), time_limit=3)
    assert made.gap <= 1e-3
    rng = np.random.default_rng(2)
    for _ in range(100):
        kernel = polished(joint, rng.dirichlet(0.1 * np.ones(4), size=8), PointwiseDivergence(eps))
        kept = float(measures.mutual_information(joint.release_x(kernel)))
        assert kept <= made.upper_bound + 1e-9


def test_chi2_lift_is_a_2_lift():
    joint = Joint.random_uniform(3, 6, np.random.default_rng(3))
    eps = 0.4
    chi2 = m.optimal(joint, Chi2Lift(eps))
    lift = m.optimal(joint, AlphaLift(np.inf, np.log1p(np.expm1(eps) ** 2) / 2, 2.0))
    assert chi2.utility == pytest.approx(lift.utility, abs=2e-6)


def test_several_at_once_keep_no_more_than_each():
    joint = Joint.random_uniform(3, 6, np.random.default_rng(4))
    parts = LIP(0.5), PointwiseDivergence(0.04), GuessingProbability(0.5), MinLift(0.4)
    together = m.optimal(joint, Intersection(*parts))
    assert together.audit.holds
    for part in parts:
        assert part.holds(joint, together.kernel)
        assert m.optimal(joint, part).upper_bound >= together.utility - 1e-9


def test_perfect_privacy_and_none():
    joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    for notion in (MinLift, L1Lift, Chi2Lift, PointwiseDivergence):
        nothing, everything = m.optimal(joint, notion(0.0)), m.optimal(joint, notion(np.inf))
        assert nothing.nmi == pytest.approx(m.optimal(joint, LIP(0.0)).nmi, abs=1e-6)
        assert everything.nmi == 1.0
