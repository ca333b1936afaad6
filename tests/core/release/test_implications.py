import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import clock, measures
from core.errors import InfeasibleError, InvalidInputError, NotConvexError
from core.joint import Joint
from core.mechanisms.polish import polished
from core.notions import (
    ALIP,
    LDP,
    LIP,
    AlphaLift,
    Average,
    Chi2Privacy,
    EpsDelta,
    GuessingProbability,
    Intersection,
    L1Privacy,
    PointwiseMaximalLeakage,
)
from core.release import implications, implied
from core.release.implications import AVERAGES
from tests.strategies import joints
from tests.vertices import allowed_vertices

AVERAGE = {
    "mutual_information": measures.mutual_information,
    "total_variation": measures.total_variation,
    "chi2_divergence": measures.chi2_divergence,
    "maximal_leakage": measures.maximal_leakage,
    "guessing": lambda p: p.max(axis=0).sum(),
}


def of_kernel(joint, kernel):
    """Every level of a mechanism, from its definition."""
    joint_sy = joint.release(kernel)
    joint_sy = joint_sy[:, joint_sy.sum(axis=0) > 1e-15]
    lift = joint_sy / (joint_sy.sum(axis=0) * joint.p_s[:, None])
    posterior = lift * joint.p_s[:, None]
    logs = np.log(np.where(lift > 0, lift, 1))
    with np.errstate(divide="ignore"):
        low, high = -np.log(lift.min(axis=0)), np.log(lift.max(axis=0))
    weights = joint.p_s[:, None]
    return {
        "lip": np.maximum(low, high).max(),
        "ldp": (low + high).max(),
        "pml": high.max(),
        "min_lift": low.max(),
        "guess": posterior.max(),
        "l1_upper": np.log1p((weights * np.abs(lift - 1)).sum(axis=0).max()),
        "chi2_upper": np.log1p(np.sqrt((weights * (lift - 1) ** 2).sum(axis=0).max())),
        "kl": (posterior * logs).sum(axis=0).max(),
        **{key: float(measure(joint_sy)) for key, measure in AVERAGE.items()},
    }


def with_output(joint, notion, output):
    """A mechanism under the notion that has a given output, and one more for the rest."""
    share = 0.5
    while share > 1e-9:
        rest = joint.p_x - share * output
        if (rest >= 0).all():
            kernel = np.array([share * output, rest]).T / joint.p_x[:, None]
            if notion.scale(joint, kernel) <= 1 + 1e-6:
                return kernel
        share /= 2
    raise AssertionError("no mechanism has this output")


@st.composite
def questions(draw, max_x=4):
    joint = draw(joints(max_s=3, max_x=max_x, min_x=2))
    eps = draw(st.sampled_from([0.1, 0.5, 1.5]))
    notion = draw(
        st.sampled_from(
            [
                LIP(eps),
                LDP(eps),
                ALIP(eps, np.inf),
                ALIP(2 * eps, eps),
                PointwiseMaximalLeakage(eps),
                L1Privacy(np.inf, eps / 3),
                Intersection(LIP(eps), LDP(1.2 * eps)),
            ]
        )
    )
    return joint, notion


@given(questions(), st.integers(0, 10**6))
@settings(max_examples=25)
def test_random_allowed_kernels_never_reach_more(question, seed):
    joint, notion = question
    levels = implied(joint, notion)
    rng = np.random.default_rng(seed)
    for _ in range(10):
        kernel = polished(joint, rng.dirichlet(0.3 * np.ones(4), size=joint.n_x), notion)
        for key, level in of_kernel(joint, kernel).items():
            assert level <= levels[key] + 1e-7, key


def test_a_budget_beside_exceptions_leaves_bounds():
    joint = Joint.from_counts([[6, 2, 2], [1, 3, 6]])
    promise, budget = EpsDelta(LIP(0.3), 0.1), Average("mutual_information", 0.05)
    both, alone = implied(joint, Intersection(promise, budget)), implied(joint, promise)
    assert both["mutual_information"] == pytest.approx(0.05)
    assert all(both[key] <= alone[key] + 1e-7 for key in alone)


RARE = [
    EpsDelta(LIP(0.3), 0.1),
    EpsDelta(LDP(0.1), 0.02),
    EpsDelta(Intersection(LIP(0.4), LDP(0.5)), 0.3),
    Average("mutual_information", 0.05),
    Average("maximal_leakage", 0.1),
    Average("guessing", 0.6),
    Intersection(LIP(0.5), Average("mutual_information", 0.02)),
    Intersection(LDP(0.8), Average("total_variation", 0.05)),
]
"""Promises that rare outputs break, or some of them."""


@pytest.mark.parametrize("notion", RARE, ids=str)
def test_promises_on_all_outputs_together_bind_no_rare_output(notion):
    joint = Joint.from_counts([[6, 2, 2], [1, 3, 6]])
    with clock.using(clock.Ticking(0.01)):
        promised = implications(joint, notion)
    levels = {key: result.level for key, result in promised.items()}
    rng = np.random.default_rng(3)
    for scale in (0.02, 0.1, 0.5, 1.0):
        for _ in range(40):
            rare = scale * rng.dirichlet(0.3 * np.ones(3), size=3)
            kernel = polished(joint, np.hstack([rare, np.full((3, 1), 1 - scale)]), notion)
            for key, level in of_kernel(joint, kernel).items():
                assert level <= levels[key] + 1e-7, key
    for key, result in promised.items():
        made = result.kernel
        if key in AVERAGES:
            made = polished(joint, made, notion)
        else:
            made = with_output(joint, notion, result.output)
        # smooth budgets are proven to a gap that time decides
        assert of_kernel(joint, made)[key] == pytest.approx(result.level, abs=5e-4), key


def test_what_a_budget_says_of_itself_is_what_it_implies():
    joint = Joint.from_counts([[6, 2, 2], [1, 3, 6]])
    for name, key in [("mutual_information",) * 2, ("chi2", "chi2_divergence"), ("guessing",) * 2]:
        bound = 0.6 if name == "guessing" else 0.05
        with clock.using(clock.Ticking(0.01)):
            level = implied(joint, Average(name, bound))[key]
        assert level == pytest.approx(bound, abs=1e-6)
        assert level <= bound
    free = implied(joint, EpsDelta(LIP(0.3), 0.1))
    assert free["lip"] == pytest.approx(LIP(1).achieved(joint, np.eye(3)))
    assert implied(joint, EpsDelta(LIP(0.3), 0.0)) == implied(joint, LIP(0.3))


@given(questions())
@settings(max_examples=25)
def test_every_level_is_reached_by_an_allowed_mechanism(question):
    joint, notion = question
    for key, result in implications(joint, notion).items():
        assert result.level == pytest.approx(result.reached, abs=2e-6)
        kernel = result.kernel
        if key in AVERAGES:
            kernel = polished(joint, kernel, notion)
        else:
            kernel = with_output(joint, notion, result.output)
        reached = of_kernel(joint, kernel)[key]
        if np.isinf(result.level):
            assert reached > 15  # a lift that is 0 but for rounding
        else:
            assert reached == pytest.approx(result.level, abs=1e-5)


@given(questions(max_x=3))
@settings(max_examples=25)
def test_levels_of_outputs_are_those_of_the_worst_vertex(question):
    joint, notion = question
    levels = implied(joint, notion)
    points = allowed_vertices(notion.allowed_set(joint))
    lift = points @ (joint.p / joint.p_x / joint.p_s[:, None]).T
    weights = joint.p_s
    assert levels["pml"] == pytest.approx(np.log(lift.max()), abs=1e-7)
    assert levels["guess"] == pytest.approx((lift * weights).max(), abs=1e-7)
    assert np.exp(-levels["min_lift"]) == pytest.approx(lift.min(), abs=1e-7)
    assert np.expm1(levels["l1_upper"]) == pytest.approx(
        (np.abs(lift - 1) @ weights).max(), abs=1e-7
    )
    assert np.expm1(levels["chi2_upper"]) ** 2 == pytest.approx(
        ((lift - 1) ** 2 @ weights).max(), abs=1e-7
    )
    if lift.min() > 1e-6:
        ratio = (lift.max(axis=1) / lift.min(axis=1)).max()
        assert levels["ldp"] == pytest.approx(np.log(ratio), abs=1e-6)


@pytest.mark.parametrize(
    "notion", [AlphaLift(0.4, 0.4, 2.0), Chi2Privacy(np.inf, 0.3), AlphaLift(np.inf, 0.3, 3.0)]
)
def test_round_sets(notion):
    joint = Joint.random_uniform(3, 5, np.random.default_rng(1))
    result = implications(joint, notion, time_limit=1)
    rng = np.random.default_rng(2)
    for _ in range(50):
        kernel = polished(joint, rng.dirichlet(0.2 * np.ones(3), size=5), notion)
        for key, level in of_kernel(joint, kernel).items():
            assert level <= result[key].level + 1e-6, key
    for key in ("lip", "ldp", "pml", "guess"):
        assert result[key].level == pytest.approx(result[key].reached, abs=1e-5)
        kernel = with_output(joint, notion, result[key].output)
        assert of_kernel(joint, kernel)[key] == pytest.approx(result[key].level, abs=1e-4)


def test_what_a_notion_says_of_itself_is_never_more_than_asked():
    joint = Joint.random_uniform(5, 17, np.random.default_rng(0))
    assert implied(joint, LIP(0.5))["lip"] == 0.5
    assert implied(joint, LDP(0.5))["ldp"] == 0.5
    assert implied(joint, Chi2Privacy(np.inf, 0.3), time_limit=0.05)["chi2_upper"] <= 0.3
    assert implied(joint, L1Privacy(np.inf, 0.3))["l1_upper"] <= 0.3


def test_known_implications():
    joint = Joint.random_uniform(5, 17, np.random.default_rng(0))
    levels = implied(joint, LDP(0.5))
    assert levels["lip"] <= 0.5
    assert implied(joint, LIP(0.5))["ldp"] <= 1.0 + 1e-12
    for key, worst in (("mutual_information", "kl"), ("maximal_leakage", "pml")):
        assert levels[key] <= levels[worst]


def test_a_budget_that_is_the_prior_binds_every_output():
    # the best guess may not improve, so P(s1 | y) is its prior for every output of any mechanism
    joint = Joint.from_counts([[6, 3, 3], [1, 4, 1], [2, 1, 3]])
    levels = implied(joint, GuessingProbability(0.5))
    assert levels["guess"] == pytest.approx(0.5)
    assert levels["guessing"] == pytest.approx(0.5)
    rng = np.random.default_rng(3)
    for _ in range(20):
        kernel = polished(joint, rng.dirichlet(np.ones(3), size=3), GuessingProbability(0.5))
        assert all(level <= levels[key] + 1e-6 for key, level in of_kernel(joint, kernel).items())


def test_no_privacy_and_perfect_privacy():
    joint = Joint.from_counts([[3, 1, 0], [1, 3, 2]])
    nothing = implied(joint, LIP(np.inf))
    assert nothing["lip"] == nothing["ldp"] == nothing["min_lift"] == np.inf
    assert nothing["mutual_information"] == pytest.approx(
        float(measures.mutual_information(joint.p))
    )
    perfect = implied(joint, LIP(0.0))
    assert max(perfect[key] for key in perfect if "guess" not in key) == pytest.approx(0, abs=1e-5)
    assert perfect["guess"] == pytest.approx(0.6)


def test_one_secret_can_not_be_told():
    levels = implied(Joint.from_counts([[3, 1, 2]]), LIP(1))
    assert levels["ldp"] == levels["lip"] == 0.0
    assert levels["guess"] == 1.0


def test_bad_questions():
    joint = Joint.from_counts([[3, 1], [1, 2]])
    with pytest.raises(NotConvexError):
        implied(joint, L1Privacy(1, 1))
    with pytest.raises(InfeasibleError, match="independent of X breaks it"):
        implied(joint, GuessingProbability(0.3))
    with pytest.raises(InvalidInputError, match="time_limit"):
        implied(joint, LIP(1), time_limit=0)


def test_what_reaches_an_average_keeps_the_promise_to_the_last_digit():
    joint = Joint.from_counts([[1.9e-8, 7e-9], [2.0, 7.0], [11.0, 10.0]])
    notion = Chi2Privacy(np.inf, 0.05)
    result = implications(joint, notion)
    for key in AVERAGES:
        assert notion.holds(joint, result[key].kernel), key
        assert of_kernel(joint, result[key].kernel)[key] == pytest.approx(
            result[key].reached, abs=1e-9
        )


def test_levels_bound_one_another_where_no_time_is_left():
    joint = Joint.from_counts(
        [[1.9e-8, 2.6e-8, 2.7e-8, 2.1e-8], [25.0, 2.0, 5.0, 28.0], [14.0, 28.0, 9.0, 25.0]]
    )
    notion = Intersection(LIP(np.inf), PointwiseMaximalLeakage(0.3))
    levels = implied(joint, notion, time_limit=1e-3)
    assert levels["kl"] <= 0.3 + 1e-12
    assert np.expm1(levels["l1_upper"]) <= 2 * (1 - np.exp(-0.3)) + 1e-12
    assert levels["total_variation"] <= 1 - np.exp(-0.3) + 1e-12
    rng = np.random.default_rng(1)
    for _ in range(50):
        kernel = polished(joint, rng.dirichlet(0.3 * np.ones(4), size=4), notion)
        for key, level in of_kernel(joint, kernel).items():
            assert level <= levels[key] + 1e-7, key
    nothing = implied(joint, LDP(0.0), time_limit=1e-3)
    assert nothing["chi2_upper"] == nothing["l1_upper"] == nothing["kl"] == 0.0


def test_levels_of_thousands_of_symbols_keep_their_time_limit():
    """Each of 120 programs, and what three measures and five averages began with, took .1 s."""
    joint = Joint.random_dirichlet(10, 2_000, 1.0, np.random.default_rng(0))
    before = time.process_time()
    with clock.using(time.process_time):
        result = implications(joint, LDP(0.5), time_limit=0.5)
    assert time.process_time() - before < 1.5
    assert all(0 <= level.reached <= level.level < np.inf for level in result.values())
    assert result["ldp"].level == 0.5


def test_levels_without_any_time_are_implied_still():
    """What is not searched is bounded by the symbols of X, and by the notion's own budget."""
    joint = Joint.random_dirichlet(3, 60, 1.0, np.random.default_rng(1))
    within = implications(joint, LDP(0.5), time_limit=5)
    with clock.using(clock.Ticking(1e9)):
        result = implications(joint, LDP(0.5), time_limit=1.0)
    for key, level in result.items():
        assert level.level >= within[key].reached - 1e-9
        assert level.reached <= within[key].level + 1e-9
