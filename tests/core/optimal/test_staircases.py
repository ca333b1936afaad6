"""S = X: sets of symbols against all extreme outputs, known answers and the specification's."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from core import mechanisms as m
from core.allowed.allowed_set import LiftRange
from core.clock import NEVER
from core.joint import Joint
from core.measures import entropy, mutual_information
from core.notions import ALIP, LDP, LIP, Average, MinLift, PointwiseMaximalLeakage
from core.optimal.staircases import Staircases


def alone(p) -> Joint:
    return Joint.from_counts(np.diag(p))


def drawn(k: int) -> np.ndarray:
    return np.random.default_rng(k).dirichlet(np.ones(k))


def extreme_lifts(p, low, high, *, scaled):
    """Return every extreme output as lifts: all sets, and each symbol between."""
    k = len(p)
    for ends in product((low, high), repeat=k):
        if scaled:
            yield np.array(ends) / (p @ np.array(ends))
            continue
        for j in range(k):
            lifts = np.array(ends)
            lifts[j] = (1 - p @ lifts + p[j] * lifts[j]) / p[j]
            if low - 1e-12 <= lifts[j] <= high + 1e-12:
                yield lifts


def best_of_all(p, low, high, *, scaled):
    """Return the largest I(X;Y) of mixtures of all extreme outputs, by one linear program."""
    lifts = np.array(list(extreme_lifts(p, low, high, scaled=scaled)))
    safe = np.where(lifts > 0, lifts, 1.0)
    reported = (p * safe * np.log(safe)).sum(axis=1)
    return -linprog(-reported, A_eq=lifts.T, b_eq=np.ones(len(p))).fun


PRIORS = {
    "two": [0.7, 0.3],
    "ties": [0.25, 0.25, 0.2, 0.1, 0.1, 0.1],
    "uniform": [1 / 6] * 6,
    "one likely": [0.9, 0.04, 0.03, 0.02, 0.01],
    "one rare": [0.4, 0.3, 0.2, 0.1 - 1e-9, 1e-9],
    "drawn": drawn(7),
}


@pytest.mark.parametrize("name", PRIORS)
@pytest.mark.parametrize("eps", [1e-6, 0.3, 1.0, 3.0, 12.0])
def test_all_extreme_outputs_mix_to_no_more(name, eps):
    p = np.array(PRIORS[name])
    joint = alone(p)
    ratio = m.optimal(joint, LDP(eps))
    assert ratio.status == "optimal"
    assert ratio.utility == pytest.approx(best_of_all(p, 1.0, np.exp(eps), scaled=True), abs=1.1e-6)
    for notion in (LIP(eps), ALIP.from_lambda(eps, 0.3), PointwiseMaximalLeakage(eps)):
        best = m.optimal(joint, notion)
        low, high = np.exp(-notion.lower_budget), np.exp(notion.upper_budget)
        assert best.status == "optimal"
        expected = best_of_all(p, low, high, scaled=False)
        assert best.utility == pytest.approx(expected, abs=1.1e-6)


def test_a_bound_from_below_alone_raises_one_symbol_at_a_time():
    p = drawn(8)
    best = m.optimal(alone(p), MinLift(1.0))
    low = np.exp(-1.0)
    raised = low + (1 - low) / p  # its lift where it alone is raised, in a share P(x) of outputs
    reported = p @ (p * raised * np.log(raised) + (1 - p) * low * np.log(low))
    assert best.status == "optimal"
    assert best.utility == pytest.approx(reported, abs=1.1e-6)


@pytest.mark.parametrize(
    ("notion", "k", "share"),
    [
        (LDP(0.5), 10, 0.016116),
        (LDP(1.0), 10, 0.063802),
        (LDP(2.0), 10, 0.239915),
        (LDP(0.5), 14, 0.012985),
        (LDP(1.0), 14, 0.051413),
        (LDP(2.0), 14, 0.197835),
        (LDP(0.5), 20, 0.012159),
        (LDP(1.0), 20, 0.048142),
        (LDP(2.0), 20, 0.185178),
        (LDP(0.5), 42, 0.009190),
        (LDP(1.0), 42, 0.036387),
        (LDP(2.0), 42, 0.140020),
        (LDP(0.5), 100, 0.007376),
        (LDP(1.0), 100, 0.029203),
        (LDP(2.0), 100, 0.112376),
        (LIP(0.5), 10, 0.063090),
        (LIP(1.0), 10, 0.224459),
        (LIP(0.5), 14, 0.051023),
        (LIP(1.0), 14, 0.192364),
        (LIP(0.5), 42, 0.036138),
        (LIP(1.0), 42, 0.136373),
    ],
)
def test_shares_of_the_specification_are_proven(notion, k, share):
    p = drawn(k)
    best = m.optimal(alone(p), notion)
    assert best.status == "optimal"
    assert best.gap <= 1e-6
    assert best.utility / entropy(p) >= share - 1e-6


@pytest.mark.parametrize("k", [5, 60])
def test_uniform_symbols_are_told_by_sets_of_the_best_size(k):
    """Ye and Barg 2018: subset selection; its information for each size in closed form."""
    high = np.exp(1.0)
    sizes = np.arange(1, k) / k
    mean = 1 + (high - 1) * sizes
    reported = (sizes * high * np.log(high) / mean - np.log(mean)).max()
    best = m.optimal(alone(np.full(k, 1 / k)), LDP(1.0))
    assert best.gap <= 2e-12  # so no other mechanism has to be made
    assert best.utility == pytest.approx(reported, abs=1e-9)


@pytest.mark.parametrize("scaled", [False, True])
def test_no_set_gains_more_than_pricing_says(scaled):
    rng = np.random.default_rng(3)
    p = np.array([0.3, 0.2, 0.2, 0.15, 0.1, 0.05])
    lifts = LiftRange(0.0 if scaled else 0.5, 1.5, scaled=scaled)
    every = np.array(list(extreme_lifts(p, 1 - lifts.below, 2.5, scaled=scaled))) * p
    for most in (1, 3, 10_000):
        duals = entropy(p) + rng.normal(0, 0.2, len(p))
        duals[1] = duals[2]  # symbols of equal probability have one price
        *_, gain = Staircases(lifts, p, 0, NEVER).price(duals, 1e-7, most)
        safe = np.where(every > 0, every, 1.0)
        highest = (every @ duals + (safe * np.log(safe)).sum(axis=1)).max()
        assert gain >= highest - 1e-9
        if most == 10_000:
            assert gain == pytest.approx(max(highest, 1e-7), abs=1e-9)
        *_, gain = Staircases(lifts, p, 0, NEVER).price(duals, highest + 0.5, most)
        assert highest - 1e-9 <= gain <= highest + 0.5


def test_many_symbols_are_told_by_sets_in_turns():
    joint = alone(drawn(300))
    kernel = Staircases(LDP(1.0).allowed_set(joint).lifts, joint.p_x, 0, NEVER).in_turns()
    assert LDP(1.0).holds(joint, kernel)
    bound = Staircases(LDP(1.0).allowed_set(joint).lifts, joint.p_x, 0, NEVER).bound
    assert mutual_information(joint.p_x[:, None] * kernel) >= 0.999 * bound


def test_a_range_is_named_only_where_x_is_the_secret():
    assert LDP(1.0).allowed_set(alone(drawn(4))).lifts is not None
    assert LDP(1.0).allowed_set(Joint.from_counts([[3, 1], [1, 3]])).lifts is None
    assert LIP(0.0).allowed_set(alone(drawn(4))).lifts is None
    permuted = Joint.from_counts([[0, 2, 0], [0, 0, 3], [5, 0, 0]])
    assert m.optimal(permuted, LDP(1.0)).status == "optimal"


@pytest.mark.parametrize("bound", [0.0, 1e-9, 0.4, 1.2, 3.0])
def test_an_information_budget_on_the_secret_itself_is_used_up(bound):
    p = drawn(12)
    best = m.optimal(alone(p), Average("mutual_information", bound))
    assert best.status == "optimal"
    assert best.utility == pytest.approx(min(bound, entropy(p)), abs=1e-6)


@pytest.mark.parametrize("notion", [LIP(0.01), LIP(0.5), ALIP(0.2, 0.9), MinLift(0.3)])
def test_sets_in_turns_are_in_the_range_of_lifts(notion):
    joint = alone(np.random.default_rng(9).dirichlet(np.full(70, 0.5)))
    allowed = notion.allowed_set(joint).lifts
    kernel = Staircases(allowed, joint.p_x, 0, NEVER).in_turns()
    lifts = kernel / (joint.p_x @ kernel)
    assert lifts.max() <= 1 + allowed.above + 1e-12
    assert lifts.min() >= 1 - allowed.below - 1e-12
