import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidInputError
from core.joint import Joint
from core.measures.leakage import leakage
from core.release.histogram import asymmetry, lift_histogram, reach

HALF = leakage([[0.4, 0.1, 0.0], [0.1, 0.3, 0.1]], ("a", "b", "c"))


def test_each_record_falls_into_one_bin_on_either_side():
    result = lift_histogram(HALF, 1.0, bins=4)
    assert result.low.sum() + result.excluded == pytest.approx(1)
    assert result.high.sum() == pytest.approx(1)
    assert result.below == 5  # four, and that of 0
    assert result.low[5:].sum() == 0
    assert result.high[:5].sum() == 0


def test_bins_by_hand():
    # a: lifts 1.6, 0.4; b: 0.5, 1.5; c: 0, 2. Edges at ±0.5 and ±1 nats.
    result = lift_histogram(HALF, 1.0, bins=2)
    np.testing.assert_allclose(result.edges, [-1, -0.5, 0, 0, 0, 0.5, 1])
    np.testing.assert_allclose(result.low, [0.9, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(result.high, [0, 0, 0, 0, 0.9, 0.1], atol=1e-12)
    assert result.excluded == pytest.approx(0.1)
    assert result.excluded_members == ("c",)
    assert result.members == (("a", "b"), (), (), (), ("a", "b"), ("c",))


def test_a_value_at_an_edge_counts_on_the_side_of_0():
    eps = 0.5
    low, high = np.exp(-eps) * (1 - 1e-12), np.exp(eps) * (1 + 1e-12)
    s = (1 - low) / (high - low)
    p = np.array([[s * high, s * (2 - high)], [(1 - s) * low, (1 - s) * (2 - low)]]) / 2
    result = lift_histogram(leakage(p / p.sum(), ("a", "b")), 1.0, bins=2)
    assert "a" not in result.members[0]
    assert "a" in result.members[1]
    assert "a" in result.members[4]


@pytest.mark.parametrize("limits", [None, (0.1, 0.2), (np.inf, 0.0), (0.0, np.inf), (0.5, 0.5)])
def test_what_tells_nothing_stands_at_0(limits):
    # not in the bin from 0 to the next edge: there beliefs would seem to move
    leak = leakage([[0.2, 0.3], [0.2, 0.3]], ("a", "b"))
    result = lift_histogram(leak, 0.5, 3, limits)
    (fall,), (rise,) = np.flatnonzero(result.low), np.flatnonzero(result.high)
    assert result.edges[[fall, fall + 1, rise, rise + 1]].tolist() == [0, 0, 0, 0]
    assert fall < result.below <= rise
    assert result.low.sum() == pytest.approx(1)
    assert result.high.sum() == pytest.approx(1)


@given(seed=st.integers(0, 10_000), n_s=st.integers(2, 5), n_x=st.integers(2, 8))
@settings(max_examples=25, deadline=None)
def test_the_reach_of_x_holds_every_release(seed, n_s, n_x):
    rng = np.random.default_rng(seed)
    joint = Joint.random_uniform(n_s, n_x, rng)
    kernel = rng.dirichlet(np.ones(4), n_x)
    before = leakage(joint.p, joint.x_labels)
    after = leakage(joint.p @ kernel, ("a", "b", "c", "d"))
    assert reach(after) <= reach(before)
    assert max(-before.log_min_lift.min(), before.log_max_lift.max()) <= reach(before)


def test_where_x_rules_something_out_a_release_may_fall_further_than_its_other_symbols():
    joint = Joint.from_counts([[50, 1, 49], [50, 0, 49]])
    kernel = np.array([[0.9999, 0.0001, 0.0], [0.01, 0.99, 0.0], [0.0, 0.0, 1.0]])
    before = leakage(joint.p, joint.x_labels)
    after = leakage(joint.p @ kernel, ("a", "b", "c"))
    assert np.isneginf(before.log_min_lift).any()
    assert np.isfinite(after.log_min_lift).all()
    assert reach(after) > reach(before)
    far = max(reach(before), reach(after))
    result = lift_histogram(after, far)
    assert result.edges[0] <= after.log_min_lift.min()
    low = result.low[: result.below]
    place = np.searchsorted(result.edges[: result.below + 1], after.log_min_lift.min()) - 1
    assert low[max(place, 0)] > 0


@pytest.mark.parametrize(("furthest", "bins"), [(0.0, 3), (np.inf, 3), (1.0, 0)])
def test_a_bad_axis_is_named(furthest, bins):
    with pytest.raises(InvalidInputError, match=r"furthest|bins"):
        lift_histogram(HALF, furthest, bins)


def test_asymmetry_is_that_of_the_paper():
    # [Lift] Fig. 1: log Ψ ∈ [−12, −0.06], log Λ ∈ [0.02, 1.64], over 10³ draws of 17×5.
    result = asymmetry()
    assert -14 < result.low_range[0] < -8
    assert -0.1 < result.low_range[1] < 0
    assert 0 < result.high_range[0] < 0.1
    assert 1.5 < result.high_range[1] <= np.log(5)
    assert result.low.sum() == pytest.approx(1)
    assert result.high.sum() == pytest.approx(1)


def test_asymmetry_repeats_with_its_seed():
    np.testing.assert_array_equal(asymmetry(draws=20).low, asymmetry(draws=20).low)
    assert asymmetry(draws=20).low_range != asymmetry(draws=20, seed=1).low_range


LIMIT = st.sampled_from([0.0, 1e-12, 1e-6, 0.01, 0.35, 0.999, 1.0, np.inf]) | st.floats(0, 3)


@given(
    seed=st.integers(0, 10_000), fall=LIMIT, rise=LIMIT, bins=st.integers(1, 14), at=st.booleans()
)
@settings(max_examples=200, deadline=None)
def test_no_bin_holds_both_what_is_allowed_and_what_is_not(seed, fall, rise, bins, at):
    rng = np.random.default_rng(seed)
    joint = Joint.random_uniform(3, 6, rng)
    leak = leakage(joint.p, joint.x_labels)
    if at:  # limits that some symbol reaches exactly
        fall, rise = float(-leak.log_min_lift.max()), float(leak.log_max_lift.min())
    far = reach(leak)
    result = lift_histogram(leak, far, bins, (fall, rise))
    assert result.low.sum() == pytest.approx(1)
    assert result.high.sum() == pytest.approx(1)
    assert (np.diff(result.edges) >= 0).all()
    assert result.edges[0] == -far
    assert result.edges[-1] == far
    assert result.edges[result.below] == 0
    places = {name: y for y, name in enumerate(leak.labels)}
    for place, names in enumerate(result.members):
        low, high = result.edges[place], result.edges[place + 1]
        limit = -fall if place < result.below else rise
        inside = low >= limit - 1e-9 if place < result.below else high <= limit + 1e-9
        for name in names:
            y = places[name]
            value = leak.log_min_lift[y] if place < result.below else leak.log_max_lift[y]
            assert low - 1e-8 <= value <= high + 1e-8
            allowed = value >= limit - 1e-9 if place < result.below else value <= limit + 1e-9
            assert inside == allowed or min(abs(value - limit), far - abs(limit)) < 1e-8


def test_nothing_allowed_leaves_a_bin_of_its_own_at_0():
    still = leakage([[0.2, 0.3], [0.2, 0.3]], ("a", "b"))
    result = lift_histogram(still, 0.5, 3, (0.0, 0.0))
    assert result.edges[result.below - 1 : result.below + 2].tolist() == [0, 0, 0]
    assert result.low[result.below - 1] == pytest.approx(1)
    assert result.high[result.below] == pytest.approx(1)
