"""LDP by distance: libqif's figures, one plain linear program, known mechanisms, and bad input."""

import numpy as np
import pytest
from scipy.optimize import linprog

from core import clock
from core import mechanisms as m
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.response.calibrated import geometric_kernel
from core.notions import LDP, MetricLDP, ldp
from core.notions.ldp import neighbors
from core.optimal.plan import SIZES
from core.utilities import Distortion


def apart(n: int) -> np.ndarray:
    return np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)


def drawn(n: int) -> Joint:
    return Joint.from_counts(np.diag(np.random.default_rng(n).dirichlet(np.ones(n))))


def least_loss(joint: Joint, distances, loss, eps: float) -> float:
    """Return the least expected loss by one program with a row for every pair and output."""
    n_x, n_a = joint.n_x, loss.shape[1]
    given = joint.p / joint.p_s[:, None]
    rows = [
        np.kron(given[s] - np.exp(eps * distances[s][t]) * given[t], np.eye(n_a))
        for s in range(joint.n_s)
        for t in range(joint.n_s)
        if s != t and np.isfinite(distances[s][t])
    ]
    result = linprog(
        (joint.p_x[:, None] * loss).ravel(),
        A_ub=np.vstack(rows),
        b_ub=np.zeros(len(rows) * n_a),
        A_eq=np.kron(np.eye(n_x), np.ones(n_a)),
        b_eq=np.ones(n_x),
    )
    return float(result.fun)


@pytest.mark.parametrize(
    ("n", "eps", "loss"),
    [
        (5, 0.5, 0.729038),
        (5, 1.0, 0.495019),
        (8, 0.5, 1.090611),
        (8, 1.0, 0.651477),
        (16, 0.5, 1.416958),
        (16, 1.0, 0.650005),
    ],
)
def test_the_least_loss_is_libqifs(n, eps, loss):
    best = m.optimal(drawn(n), MetricLDP(eps, apart(n)), utility=Distortion(apart(n)))
    assert best.status == "optimal"
    assert -best.utility == pytest.approx(loss, abs=1e-6)


TABLES = {
    "places": apart(4),
    "numbers": np.abs(np.subtract.outer([1.0, 2.0, 10.0, 11.5], [1.0, 2.0, 10.0, 11.5])),
    "discrete": 1 - np.eye(4),
    "no metric": np.array([[0, 5, 1, 1], [5, 0, 1, 2], [1, 1, 0, 9], [1, 2, 9, 0.0]]),
    "two alike": np.array([[0, 0, 1, 2], [0, 0, 1, 2], [1, 1, 0, 1], [2, 2, 1, 0.0]]),
    "two worlds": np.array(
        [
            [0, 1, np.inf, np.inf],
            [1, 0, np.inf, np.inf],
            [np.inf, np.inf, 0, 2],
            [np.inf] * 2 + [2, 0],
        ]
    ),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("eps", [0.0, 0.3, 1.5])
def test_rows_of_neighbors_say_what_all_pairs_say(name, eps):
    joint = Joint.random_uniform(4, 6, np.random.default_rng(1))
    table, loss = TABLES[name], np.abs(np.subtract.outer(np.arange(6), np.arange(6))).astype(float)
    notion = MetricLDP(eps, table)
    best = m.optimal(joint, notion, utility=Distortion(loss))
    assert best.audit.holds
    assert -best.utility == pytest.approx(least_loss(joint, table, loss, eps), abs=2e-6)


def test_neighbors_on_a_line_are_next_to_each_other():
    assert neighbors(apart(6)).sum() == 10
    assert neighbors(1 - np.eye(5)).sum() == 20


@pytest.mark.parametrize("scale", [1.0, 2.5])
def test_equal_distances_are_ldp(scale):
    joint = Joint.random_uniform(4, 7, np.random.default_rng(2))
    kernel = np.random.default_rng(3).dirichlet(np.ones(5), size=7)
    notion = MetricLDP(0.4, scale * (1 - np.eye(4)))
    assert notion.achieved(joint, kernel) == pytest.approx(
        LDP(1.0).achieved(joint, kernel) / scale, abs=1e-12
    )
    assert m.optimal(joint, notion).utility == pytest.approx(
        m.optimal(joint, LDP(0.4 * scale)).utility, abs=1e-6
    )


def test_the_level_is_the_largest_ratio_by_distance():
    joint = Joint.random_uniform(5, 6, np.random.default_rng(4))
    kernel = np.random.default_rng(5).dirichlet(np.ones(4), size=6)
    given = joint.p @ kernel / joint.p_s[:, None]
    expected = max(
        np.log(given[s, y] / given[t, y]) / abs(s - t)
        for s in range(5)
        for t in range(5)
        for y in range(4)
        if s != t
    )
    notion = MetricLDP.of_joint(joint, 1.0)
    assert notion.achieved(joint, kernel) == pytest.approx(expected, abs=1e-12)
    assert notion.achieved(joint, np.ones((6, 1))) == pytest.approx(0.0, abs=1e-12)


def test_outputs_that_rule_out_secrets_have_an_infinite_level():
    joint = Joint.from_counts(np.eye(3))
    notion = MetricLDP(1.0, apart(3))
    assert notion.achieved(joint, np.eye(3)) == np.inf
    both_out = [[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]]
    assert notion.achieved(joint, both_out) == np.inf
    worlds = MetricLDP(1.0, [[0, 1, np.inf], [1, 0, np.inf], [np.inf, np.inf, 0]])
    assert worlds.achieved(joint, [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1.0]]) == 0.0
    same = MetricLDP(1.0, [[0, 0, 1], [0, 0, 1], [1, 1, 0]])
    assert same.achieved(joint, [[0.5, 0.5], [0.4, 0.6], [0.5, 0.5]]) == np.inf
    by_name = np.eye(3)
    assert same.achieved(joint, by_name) == np.inf
    assert not same.holds(joint, by_name)
    assert m.optimal(joint, same).information < np.log(2)


def test_rounding_at_a_small_distance_is_no_room_at_a_large_one():
    joint = Joint.from_counts(np.eye(3))
    notion = MetricLDP(1.0, [[0, 1e-9, 1], [1e-9, 0, 1], [1, 1, 0]])
    share = 0.2 * np.exp([0.0, 0.0, 1 + 1e-6])
    assert not notion.holds(joint, np.stack([share, 1 - share], axis=1))
    share = 0.2 * np.exp([0.0, 1e-9, 1.0])
    assert notion.holds(joint, np.stack([share, 1 - share], axis=1))
    assert m.optimal(joint, notion).audit.holds
    rounded = 0.3 * np.array([1.0, 1 + 4e-16, 1.0])
    nothing = MetricLDP(0.0, notion.distances)
    assert nothing.scale(joint, np.stack([rounded, 1 - rounded], axis=1)) == 0


@pytest.mark.parametrize(
    ("eps", "furthest", "named"),
    [(0.5, 3.0, {"ldp": 1.5}), (0.0, np.inf, {}), (0.5, np.inf, {}), (np.inf, 3.0, {})],
)
def test_the_largest_distance_names_a_bound_for_all_pairs(eps, furthest, named):
    assert MetricLDP(eps, [[0, furthest], [furthest, 0]]).named_levels() == named


def test_what_the_largest_distance_bounds_is_known_of_the_secret():
    table = [[0, 1, 3], [1, 0, 2], [3, 2, 0]]
    assert MetricLDP(0.5, table).most_about_secret() == LDP(1.5).most_about_secret()
    assert MetricLDP(0.5, [[0, np.inf], [np.inf, 0]]).most_about_secret() == np.inf


def test_too_many_pairs_for_tableaux_leave_a_bound_below_the_entropy(monkeypatch):
    """With 25 secrets and 200 symbols the bound was H(X), 5.29 nats: it is 4.5 now."""
    at = np.random.default_rng(2).random((5, 2))
    apart_in_plane = np.linalg.norm(at[:, None] - at, axis=2)
    joint, notion = (
        Joint.random_uniform(5, 7, np.random.default_rng(0)),
        MetricLDP(1, apart_in_plane),
    )
    exact = m.optimal(joint, notion)
    monkeypatch.setitem(vars(SIZES), "search_entries", 0)
    with clock.using(clock.Ticking(0.02)):
        result = m.optimal(joint, notion)
    entropy = -float(joint.p_x @ np.log(joint.p_x))
    assert exact.utility - 1e-9 <= result.upper_bound < entropy - 0.2
    assert result.utility <= exact.upper_bound + 1e-9


def test_truncated_geometric_noise_keeps_it_at_its_own_parameter():
    joint = drawn(8)
    made = m.truncated_geometric(joint, MetricLDP.of_joint(joint, 0.7))
    np.testing.assert_allclose(made.kernel, geometric_kernel(8, 0.7), atol=1e-9)
    best = m.optimal(joint, made.notion, utility=Distortion(apart(8)))
    loss = float((joint.p_x[:, None] * made.kernel * apart(8)).sum())
    assert -best.utility <= loss
    assert m.optimal(joint, made.notion).utility >= made.utility
    ends = geometric_kernel(5, 0.0)
    np.testing.assert_array_equal(ends, np.full((5, 2), 0.5))
    np.testing.assert_array_equal(geometric_kernel(5, np.inf), np.eye(5))


def test_numbers_are_apart_by_their_difference_and_names_by_their_places():
    numbers = Joint.from_counts(np.eye(3), ["10", "12.5", "30"])
    assert MetricLDP.of_joint(numbers, 1.0).distances[0] == (0.0, 2.5, 20.0)
    names = Joint.from_counts(np.eye(3), ["low", "middle", "high"])
    assert MetricLDP.of_joint(names, 1.0).distances[2] == (2.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("distances", "sentence"),
    [
        ([[0, -1], [-1, 0]], "must be at least 0, got -1"),
        ([[0, np.nan], [np.nan, 0]], "must be at least 0, got nan"),
        ([[0, 1], [2, 0]], "must be symmetric, got 1 from secret 1 to 2 and 2 back"),
        ([[1, 1], [1, 0]], "of a secret to itself must be 0, got 1 for secret 1"),
        ([[0, 1, 2], [1, 0, 1]], r"must be a square table, got shape \(2, 3\)"),
        ([], "must be a square table"),
        ([["a", "b"], ["c", "d"]], "must be numbers"),
    ],
)
def test_what_is_no_table_of_distances_is_named(distances, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        MetricLDP(1.0, distances)


def test_distances_of_other_secrets_are_named():
    with pytest.raises(InvalidInputError, match="of 3 secrets, and S has 2"):
        m.optimal(Joint.from_counts([[3, 1], [1, 3]]), MetricLDP(1.0, apart(3)))


@pytest.mark.parametrize("kind", ["line", "plane", "ties and gaps", "no triangle inequality"])
def test_neighbors_have_the_level_of_all_pairs(kind, monkeypatch):
    """Of 40 secrets on a line all pairs took six milliseconds for each step of a merging."""
    monkeypatch.setattr(ldp, "AT_ONCE", 20)
    rng = np.random.default_rng(0)
    for _ in range(20):
        n = int(rng.integers(2, 8))
        place = rng.integers(0, 4, size=(n, 1 + (kind == "plane"))).astype(float)
        table = np.abs(place[:, None] - place).sum(axis=-1)
        if kind == "ties and gaps":
            table[table == 3] = np.inf
        elif kind == "no triangle inequality":
            table = np.triu(rng.exponential(size=(n, n)), 1)
            table += table.T
        joint_sy = rng.exponential(size=(2, n, 5)) * (rng.random((2, n, 5)) < 0.9)
        joint_sy /= joint_sy.sum(axis=(1, 2), keepdims=True)
        lifts = joint_sy / joint_sy.sum(axis=2, keepdims=True)
        expected = np.zeros((2, 5))
        for s, t in zip(*np.nonzero(np.isfinite(table) & ~np.eye(n, dtype=bool)), strict=True):
            with np.errstate(divide="ignore", invalid="ignore"):
                gap = np.log(lifts[:, s]) - np.log(lifts[:, t])
                far = np.where(gap > 1e-9, gap / table[s, t], 0.0)  # also where both rule it out
            expected = np.maximum(expected, far)
        found = MetricLDP(0.5, table.tolist()).upper_level(joint_sy)
        reached = joint_sy.sum(axis=1) > 0
        np.testing.assert_allclose(found[reached], expected[reached], rtol=1e-9)
    assert len(MetricLDP(0.5, apart(40).tolist())._pairs) == 39


def test_a_slight_detour_implies_no_bound():
    """Each is 1e-9 longer than the way it replaces: over 40 secrets a level came out 2e-8 low."""
    n = 40
    table = np.zeros((n, n))
    for gap in range(1, n):
        for s in range(n - gap):
            table[s, s + gap] = 1.0 if gap == 1 else (table[s, s + gap - 1] + 1.0) / (1 + 9e-10)
    table += table.T
    rare = 1e-3 * np.exp(np.linspace(0.0, -3.0, n))
    joint = Joint.from_counts(np.stack([rare, 1 - rare], axis=1) / n)
    level = MetricLDP(1.0, table.tolist()).achieved(joint, np.eye(2))
    assert level == pytest.approx(3.0 / table[0, -1], rel=1e-12)
    assert MetricLDP(level, table.tolist()).holds(joint, np.eye(2))
