import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import measures
from core.allowed.average_cost import Divergence, SmoothCost
from core.allowed.inequalities import excess_lift
from core.errors import InfeasibleError, InvalidInputError
from core.joint import Joint
from core.limits import ROUNDING
from core.mechanisms.polish import polished
from core.notions import LIP, Average, AverageBudget, Intersection
from tests.strategies import joints

INF = float("inf")
MEASURES = [
    ("mutual_information", None),
    ("total_variation", None),
    ("chi2", None),
    ("maximal_leakage", None),
    ("guessing", None),
    *((name, order) for name in ("sibson", "arimoto") for order in (0.5, 1.0, 1.3, 2.0, 8.0, INF)),
]
named = pytest.mark.parametrize(("name", "order"), MEASURES)
JOINT = Joint.random_uniform(3, 5, np.random.default_rng(2))


def budget(joint, name, order, share=0.5):
    """Return a notion between what a constant and what X itself tells, and its one budget."""
    full = Average(name, 1.0, order)
    reported, least = (
        full.achieved(joint, k) for k in (np.eye(joint.n_x), np.ones((joint.n_x, 1)))
    )
    notion = Average(name, least + share * (reported - least), order)
    return notion, notion.allowed_set(joint).budgets[0]


def spread(rng, n_x, n_y):
    return rng.dirichlet(np.full(n_y, 0.3), size=n_x)


@named
def test_a_kernel_holds_iff_its_outputs_spend_no_more_than_the_limit(name, order):
    rng = np.random.default_rng(0)
    verdicts = []
    for _ in range(200):
        kernel = spread(rng, JOINT.n_x, 4)
        notion, item = budget(JOINT, name, order, rng.uniform(0.05, 0.95))
        fits = item.spent(kernel, JOINT.p_x) <= item.limit
        assert fits == notion.holds(JOINT, kernel)
        verdicts.append(fits)
    assert {True, False} == set(verdicts)


@named
def test_spending_the_limit_exactly_is_the_bound(name, order):
    notion, item = budget(JOINT, name, order)
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        kernel = middle * np.eye(JOINT.n_x) + (1 - middle) * np.outer(np.ones(5), JOINT.p_x)
        low, high = (middle, high) if item.spent(kernel, JOINT.p_x) < item.limit else (low, middle)
    assert notion.achieved(JOINT, kernel) == pytest.approx(notion.bound, rel=1e-7)


@named
@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_tangents_lie_below_and_touch(name, order, seed):
    rng = np.random.default_rng(seed)
    _, item = budget(JOINT, name, order)
    at, other = rng.dirichlet(np.full(5, 0.4), size=(2, 3))
    tangents = item.tangents(at)
    assert np.diag(tangents @ at.T) == pytest.approx(item.value(at), abs=1e-9)
    assert (tangents @ other.T <= item.value(other) + 1e-9).all()
    assert (tangents @ JOINT.p_x <= 1e-9).all()


@named
def test_the_curvature_is_that_of_the_value(name, order):
    _, item = budget(JOINT, name, order)
    r, step = JOINT.p_x, np.array([1.0, -2.0, 3.0, -1.0, -1.0])
    excess, change = item.excess @ r, item.excess @ step
    if not isinstance(item.cost, SmoothCost):
        assert item.pieces() is not None
        return
    curvature = item.cost.curvature(excess[None])
    h = 1e-4
    second = (item.value(np.array([r + h * step, r, r - h * step])) @ [1.0, -2.0, 1.0]) / h**2
    assert change @ curvature[0] @ change == pytest.approx(second, rel=1e-4)


@named
def test_pieces_are_the_whole_of_a_cost_with_kinks(name, order):
    _, item = budget(JOINT, name, order)
    pieces = item.pieces()
    if pieces is not None:
        points = np.random.default_rng(1).dirichlet(np.full(5, 0.5), size=50)
        assert (points @ pieces.T).max(axis=1) == pytest.approx(item.value(points), abs=1e-12)


def test_total_variation_of_many_secrets_has_tangents_only():
    joint = Joint.random_uniform(9, 4, np.random.default_rng(0))
    _, item = budget(joint, "total_variation", None)
    assert item.pieces() is None
    points = np.eye(4)
    assert np.diag(item.tangents(points)) == pytest.approx(item.value(points))


@named
@settings(max_examples=20)
@given(joint=joints())
def test_what_tells_nothing_is_kept_and_what_x_keeps_asks_nothing(name, order, joint):
    constant, identity = np.ones((joint.n_x, 1)), np.eye(joint.n_x)
    least = Average(name, 1.0, order).achieved(joint, constant)
    tight = Average(name, min(least, 1.0) if name == "guessing" else 0.0, order)
    assert tight.holds(joint, constant)
    allowed = tight.allowed_set(joint)
    assert (allowed.rows[:, : joint.n_x] @ joint.p_x <= 1e-12).all()
    assert allowed.budgets == ()
    reported = Average(name, 1.0, order).achieved(joint, identity)
    loose = Average(name, min(reported, 1.0) if name == "guessing" else reported, order)
    assert loose.allowed_set(joint).rows.shape[0] == 0
    assert loose.allowed_set(joint).budgets == ()


@settings(max_examples=50)
@given(joint=joints(), seed=st.integers(0, 10**6))
def test_costs_of_awkward_joints_are_at_least_0(joint, seed):
    rng = np.random.default_rng(seed)
    points = rng.dirichlet(np.full(joint.n_x, 0.2), size=4) * rng.integers(0, 2, (4, joint.n_x))
    points = points[points.sum(axis=1) > 0]
    points /= points.sum(axis=1, keepdims=True)
    for name, order in MEASURES:
        notion = Average(
            name, 1e-3 if name != "guessing" else min(joint.p_s.max() + 1e-3, 1), order
        )
        for item in notion.allowed_set(joint).budgets:
            assert (item.value(points) >= -1e-12).all()
            assert (item.tangents(points) @ joint.p_x <= 1e-9).all()
            below = (item.tangents(points) * points).sum(axis=1)
            assert (below <= item.value(points) + 1e-9).all()


def test_no_bound_on_guesses_is_below_the_prior():
    joint = Joint.from_counts([[3, 0], [1, 1]])
    with pytest.raises(InfeasibleError, match=r"probability 0\.6 .* so that is the smallest"):
        Average("guessing", 0.5).allowed_set(joint)
    rows = Average("guessing", 0.6).allowed_set(joint).rows.toarray()
    np.testing.assert_allclose(rows @ [2, 1], [0.0], atol=1e-12)  # both guesses are as good
    assert (rows @ [2, 1.1] > 0).all()


def test_values_are_those_of_the_measures():
    kernel = spread(np.random.default_rng(3), JOINT.n_x, 3)
    joint_sy = JOINT.release(kernel)
    assert Average("chi2", 1).achieved(JOINT, kernel) == measures.chi2_divergence(joint_sy)
    reported = Average("sibson", 1, order=2.5).achieved(JOINT, kernel)
    assert reported == measures.sibson(joint_sy, 2.5)
    assert Average("guessing", 1).achieved(JOINT, kernel) == pytest.approx(
        joint_sy.max(axis=0).sum(), rel=1e-15
    )
    both = Intersection(Average("chi2", 0.01), LIP(0.5))
    assert both.achieved(JOINT, kernel) == max(
        measures.chi2_divergence(joint_sy) / 0.01, LIP(0.5).achieved(JOINT, kernel) / 0.5
    )


def test_an_intersection_keeps_rows_and_budgets():
    both = Intersection(Average("chi2", 0.01), LIP(0.5), Average("total_variation", 0.02))
    allowed = both.allowed_set(JOINT)
    assert len(allowed.budgets) == 2
    assert allowed.rows.shape == LIP(0.5).allowed_set(JOINT).rows.shape
    assert str(both) == "χ² ≤ 0.01 and 0.5-LIP and total variation ≤ 0.02"


def test_a_mechanism_that_reads_the_secret_is_measured():
    kernel = np.repeat(np.eye(3), JOINT.n_x, axis=0)  # publishes S itself
    assert Average("guessing", 1).achieved(JOINT, kernel) == pytest.approx(1.0)


def test_the_excess_of_nearly_independent_data_keeps_its_digits():
    joint = Joint.from_counts([[10**8, 10**8], [10**8, 10**8 + 1]])
    item = AverageBudget(Divergence(joint.p_s), excess_lift(joint), 1.0)
    half_chi2 = item.excess.T**2 @ joint.p_s / 2  # what it is near independence: some 3e-18
    assert item.value(np.eye(2)) == pytest.approx(half_chi2, rel=1e-6)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("leakage", 1), "measure must be one of mutual_information, .*, got 'leakage'"),
        ((["chi2"], 1), "measure must be one of"),
        (("chi2", -1), r"bound must be in \[0, inf\], got -1"),
        (("chi2", float("nan")), "bound must be"),
        (("guessing", 0), r"bound must be in \(0, 1\], got 0"),
        (("guessing", 1.5), r"bound must be in \(0, 1\], got 1\.5"),
        (("sibson", 1), "sibson needs an order"),
        (("arimoto", 1, 0), r"order must be in \(0, inf\], got 0"),
        (("chi2", 1, 2), "chi2 has no order, got 2"),
    ],
)
def test_bad_arguments_are_named(arguments, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        Average(*arguments)


def test_the_audit_allows_rounding_and_no_more():
    kernel = spread(np.random.default_rng(4), JOINT.n_x, 3)
    for measure in ("chi2", "total_variation"):
        reported = Average(measure, 1).achieved(JOINT, kernel)
        # χ² grows with the square of what the rounding of a lift moves
        slack = ROUNDING * (2 * reported**0.5 if measure == "chi2" else 1.0)
        assert Average(measure, reported - slack / 2).holds(JOINT, kernel)
        assert not Average(measure, reported - 2 * slack).holds(JOINT, kernel)
    assert Average("chi2", INF).holds(JOINT, kernel)
    assert Average("chi2", 0.0).scale(JOINT, kernel) == INF


def test_each_measure_has_a_name_of_one_short_word():
    names = {name: Average(name, 0.5, order).short_name() for name, order in MEASURES}
    assert len(set(names.values())) == len(names) == 7
    assert all(1 <= len(short) <= 9 and " " not in short for short in names.values())


@named
@settings(max_examples=25, deadline=None)
@given(joint=joints(), bound=st.floats(0.02, 0.6))
def test_what_keeps_it_in_each_output_keeps_the_average(name, order, joint, bound):
    most = joint.p_s.max() + bound * (1 - joint.p_s.max()) if name == "guessing" else bound
    budget = Average(name, most, order)
    each = budget.of_each_output()
    kernel = polished(joint, np.eye(joint.n_x), each)
    assert each.holds(joint, kernel)
    assert budget.holds(joint, kernel)
