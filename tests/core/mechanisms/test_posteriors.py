"""Symbols with equal posteriors: the lemma against searches that do not use it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from core import entries
from core import mechanisms as m
from core.entries import made_of
from core.joint import Joint
from core.measures import entropy, lift, mutual_information
from core.mechanisms.posteriors import classes
from core.notions import (
    ALIP,
    LDP,
    LIP,
    SRLIP,
    AlphaLift,
    Average,
    EpsDelta,
    Given,
    Intersection,
)
from core.three_way import ThreeWay
from core.utilities import Distortion, Guess, Information, Task


def repeated(rng, n_s, n_c, most=3, scale=6):
    """Return counts whose columns come in multiples, shape (n_s, n_x), and each column's class."""
    base = rng.integers(0, scale, (n_s, n_c)) + np.eye(n_s, n_c, dtype=int)
    of = np.repeat(np.arange(n_c), rng.integers(1, most + 1, n_c))
    return base[:, of] * rng.integers(1, 5, len(of)), of


NOTIONS = [
    LIP(0.0),
    LIP(0.4),
    LIP(np.inf),
    ALIP(0.2, 0.7),
    ALIP.from_lambda(0.8, 0.0),
    ALIP.from_lambda(0.8, 1.0),
    LDP(0.0),
    LDP(0.6),
    AlphaLift(0.3, 0.3, 2.0),
    Intersection(LIP(0.5), LDP(0.7)),
    Average("total_variation", 0.05),
    EpsDelta(LIP(0.3), 0.05),
]


@pytest.mark.parametrize("notion", NOTIONS, ids=str)
def test_the_optimum_is_that_of_a_search_that_joins_nothing(notion):
    rng = np.random.default_rng(7)
    for _ in range(2):
        joint = Joint.from_counts(repeated(rng, 3, 3)[0])
        joined = m.optimal(joint, notion)
        alone = m.optimal(joint, notion, solver="columns")
        assert notion.holds(joint, joined.kernel)
        assert joined.utility <= alone.upper_bound + 1e-8
        assert alone.utility <= joined.upper_bound + 1e-8
        if alone.status == "optimal":
            assert_allclose(joined.utility, alone.utility, atol=2e-6)


@pytest.mark.parametrize("purpose", ["guess", "task", "guess of a task"])
def test_so_it_is_for_a_task_and_a_right_guess(purpose):
    rng = np.random.default_rng(3)
    joint = Joint.from_counts(repeated(rng, 2, 3)[0])
    table = np.eye(2)[:, np.arange(joint.n_x) % 2]
    goal = {"guess": Guess(), "task": Task(table), "guess of a task": Guess(table)}[purpose]
    joined = m.optimal(joint, LIP(0.4), utility=goal)
    alone = m.optimal(joint, LIP(0.4), solver="columns", utility=goal)
    assert joined.status == alone.status == "optimal"
    assert_allclose(joined.utility, alone.utility, atol=2e-6)
    assert_allclose(goal.value(joint, joined.kernel), joined.utility, atol=1e-9)


def test_what_is_told_of_x_is_added_and_lifts_stay():
    rng = np.random.default_rng(11)
    tried = 0
    while tried < 200:
        counts, _ = repeated(rng, int(rng.integers(2, 5)), int(rng.integers(1, 8)), 4)
        joint = Joint.from_counts(counts)
        result = classes(joint, LIP(1), Information())
        if not result.fewer:
            continue
        tried += 1
        n_y = int(rng.integers(1, 9))
        sizes = 10.0 ** -rng.integers(0, 18, (result.joint.n_x, n_y))
        kernel = rng.dirichlet(np.ones(n_y), result.joint.n_x) * sizes
        kernel *= rng.random(kernel.shape) < 0.8  # zeros
        kernel[kernel.sum(axis=1) == 0, 0] = 1.0
        kernel = kernel[:, kernel.sum(axis=0) > 0] / kernel.sum(axis=1, keepdims=True)
        whole = result.apart(joint, kernel)
        assert (whole >= 0).all()
        assert_allclose(whole.sum(axis=1), 1.0, atol=1e-12)
        of_c = mutual_information(result.joint.release_x(kernel))
        assert_allclose(mutual_information(joint.release_x(whole)), result.more + of_c, atol=1e-9)
        before, after = lift(result.joint.release(kernel)), lift(joint.release(whole))
        apart = np.abs(after[:, :, None] - before[:, None, :]).max(axis=0).min(axis=1)
        assert apart.max() < 1e-9
        # put together again, the outputs tell of C what they told
        again = result.together(joint, whole)
        assert_allclose(mutual_information(result.joint.release_x(again)), of_c, atol=1e-9)
        assert whole.shape[1] <= kernel.shape[1] + joint.n_x - result.joint.n_x


def test_x_itself_is_released_where_it_tells_nothing():
    joint = Joint.from_counts(np.outer([2, 3], [1, 2, 3, 4]))
    made = m.optimal(joint, LIP(0.0))
    assert made.status == "optimal"
    assert_allclose(made.utility, entropy(joint.p_x))


def test_a_secret_that_x_determines_is_the_secret_itself():
    joint = Joint.from_counts([[5, 7, 0, 0, 0], [0, 0, 1, 2, 3]])
    result = classes(joint, LDP(1), Information())
    assert result.joint.is_secret_released
    assert m.optimal(joint, LDP(1.0)).status == "optimal"


@pytest.mark.parametrize("apart", [1e-15, 1e-12, 1e-9])
def test_nearly_equal_posteriors_are_not_joined(apart):
    p = np.array([[0.1, 0.2, 0.1 * (1 + apart)], [0.2, 0.1, 0.2]])
    assert not classes(Joint.from_counts(p), LIP(1), Information()).fewer
    exact = np.array([[0.1, 0.2, 0.2], [0.2, 0.1, 0.4]])
    assert_allclose(classes(Joint.from_counts(exact), LIP(1), Information()).of_x, [0, 1, 0])


def test_what_looks_at_x_itself_joins_nothing():
    joint = Joint.from_counts(np.outer([2, 3], [1, 2, 3, 4]))
    assert not classes(joint, SRLIP(1.0, (2, 2)), Information()).fewer
    assert not classes(joint, LIP(1), Distortion(1 - np.eye(4))).fewer
    table = np.array([[1, 0, 1, 0], [0, 1, 0, 1]])
    assert_allclose(classes(joint, LIP(1), Task(table)).of_x, [1, 0, 1, 0])
    whole = Task(np.eye(4))
    assert not classes(joint, LIP(1), whole).fewer
    unseen = Joint.with_secret_released([[1, 0, 0], [2, 3, 0]], keep_unseen=True)
    assert not classes(unseen, LIP(1), Information()).fewer


def test_a_start_is_put_together():
    rng = np.random.default_rng(5)
    joint = Joint.from_counts(repeated(rng, 3, 4)[0])
    first = m.optimal(joint, LIP(0.5), time_limit=0.05)
    again = m.optimal(joint, LIP(0.5), start=first.kernel)
    assert again.utility >= first.utility - 1e-9


def test_large_kernels_of_classes_and_symbols_are_made_of_entries(monkeypatch):
    """At 6×10000, of half as many classes, all their cells took 8.5 of 5 s, and 1.7 GB."""
    rng = np.random.default_rng(5)
    joint = Joint.from_counts(repeated(rng, 3, 30)[0])
    joined = classes(joint, LIP(0.5), Information())
    kernel = np.zeros((joint.n_x, 40))
    kernel[np.arange(joint.n_x), rng.integers(0, 40, joint.n_x)] = 1.0
    plain = joined.together(joint, kernel)
    monkeypatch.setattr(entries, "LARGE", 1)
    made = joined.together(joint, kernel)
    assert_allclose(made, plain, atol=1e-15)
    apart = joined.apart(joint, made)
    assert made_of(made) is not None
    assert made_of(apart) is not None
    assert_allclose(apart.sum(axis=1), 1.0)
    information = mutual_information(joint.release_x(apart))
    assert_allclose(information, joined.more + mutual_information(joined.joint.release_x(plain)))


def known(rng, n_s=2, n_c=3, n_k=2):
    """Return counts (n_s, n_x, n_k) whose symbols come in multiples, and each symbol's class."""
    base = rng.integers(0, 5, (n_s, n_c, n_k))
    base[:, :, 0] += np.eye(n_s, n_c, dtype=int)
    of = np.repeat(np.arange(n_c), rng.integers(1, 4, n_c))
    return base[:, of] * rng.integers(1, 5, len(of))[:, None], of


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    "of",
    [
        lambda table: Given(LIP(0.4), table),
        lambda table: Given(LDP(0.0), table),
        lambda table: Intersection(LDP(0.6), Given(LIP(0.7), table)),
    ],
    ids=["LIP", "perfect privacy", "with LDP"],
)
def test_given_what_is_known_symbols_with_equal_posteriors_of_s_and_k_are_one(of, whole):
    rng = np.random.default_rng(19)
    for _ in range(4):
        counts, _ = known(rng)
        counts = counts if whole else counts / 2.0**9
        joint, notion = Joint.from_counts(counts.sum(axis=2)), of(counts)
        joined, alone = m.optimal(joint, notion), m.optimal(joint, notion, solver="columns")
        assert notion.holds(joint, joined.kernel)
        assert joined.utility <= alone.upper_bound + 1e-8
        assert alone.utility <= joined.upper_bound + 1e-8
        assert_allclose(joined.utility, alone.utility, atol=2e-6)


def test_the_classes_given_what_is_known_are_those_of_brute_force():
    rng = np.random.default_rng(23)
    fewer = 0
    for _ in range(30):
        counts, _ = known(rng, 3, 4, 3)
        counts[:, rng.integers(counts.shape[1])] = 0  # a symbol that never occurs
        counts[0, 0, 0] += 1
        joint = Joint.from_counts(counts.sum(axis=2))
        result = classes(joint, Given(LIP(1), counts), Information())
        shares = counts[:, joint.kept_x] / counts[:, joint.kept_x].sum(axis=(0, 2))[:, None]
        same = np.abs(shares[:, :, None] - shares[:, None]).max(axis=(0, 3)) < 1e-12
        assert ((result.of_x[:, None] == result.of_x) == same).all()
        fewer += result.fewer
    assert fewer > 10


def test_what_is_known_keeps_symbols_apart_that_tell_the_same_of_s():
    counts = np.zeros((2, 3, 2))
    counts[:, 0, 0], counts[:, 1, 1], counts[:, 2] = (1, 2), (2, 4), 1
    joint = Joint.from_counts(counts.sum(axis=2))
    assert classes(joint, LIP(1), Information()).fewer
    assert not classes(joint, Given(LIP(1), counts), Information()).fewer
    twice = ThreeWay.of(counts)  # a combination that is listed twice counts as their sum
    twice = ThreeWay(
        *(np.tile(part, 2) for part in (twice.s, twice.x, twice.k)),
        np.tile(twice.weight, 2),
        twice.shape,
    )
    assert not classes(joint, Given(LIP(1), twice), Information()).fewer


def test_a_budget_near_the_slack_costs_nothing_that_the_classes_do_not_tell():
    counts = [[0, 2, 2, 0, 0, 0], [2, 3, 3, 6, 9, 6]]  # two classes
    joint = Joint.from_counts(counts)
    silent = m.optimal(joint, LIP(0.0))
    for eps in (1e-9, 1e-10):
        notion = Average("total_variation", eps)
        result = m.optimal(joint, notion)
        assert notion.holds(joint, silent.kernel)
        assert result.utility >= silent.utility - 1e-9


def test_a_budget_at_which_no_vertex_is_left_is_searched_by_columns():
    counts = [
        [1, 1, 4, 1, 3, 0, 9, 3, 0, 0],
        [2, 2, 8, 1, 3, 6, 3, 1, 3, 6],
        [3, 3, 12, 0, 0, 9, 6, 2, 3, 6],
    ]
    joint = Joint.from_counts(counts)
    for eps in (1e-9, 1.3e-9):
        notion = Intersection(LIP(eps), LDP(1.3 * eps))
        joined = m.optimal(joint, notion)
        alone = m.optimal(joint, notion, solver="enumerate")  # joins nothing
        assert joined.status == "optimal"
        assert notion.holds(joint, alone.kernel)
        assert alone.utility <= joined.upper_bound + 1e-8
        assert joined.utility <= alone.upper_bound + 1e-8


@pytest.mark.parametrize("kind", [LIP, LDP])
def test_near_a_budget_of_0_given_what_is_known_perfect_privacy_is_the_least(kind):
    """Weights are rounded: outputs were moved until they kept .59 of .69 nats, or nothing of .5."""
    first = [[1.2943790231485002, 0.6153851114812539, 0.38367755426188344, 0.997209935789211]]
    first += [[0.6471895115742501, 0.6153851114812539, 0.0, 0.0]]
    rng = np.random.default_rng(0)
    tables = [np.array(first)[:, :, None]]
    for _ in range(6):
        counts, _ = known(rng, 3, 3, 3)
        tables.append(counts * rng.random(counts.shape[1])[:, None])
    for table in tables:
        joint = Joint.from_counts(table.sum(axis=2))
        silent = m.optimal(joint, Given(LIP(0.0), table))
        assert m.optimal(joint, Given(kind(1e-9), table)).utility >= silent.utility - 1e-9


@pytest.mark.parametrize(
    ("notion", "apart"), [(Average("total_variation", 1e-9), 1e-13), (LDP(1e-10), 1e-10)], ids=str
)
def test_nearly_equal_posteriors_keep_what_equal_ones_do(notion, apart):
    """A search of their own differences kept nothing, or a tenth, where time ended it."""
    rng = np.random.default_rng(1)
    base = np.array([[3, 1, 6], [6, 8, 6], [3, 8, 6]])
    weights = np.repeat(base, 2, axis=1) * np.array([3, 1, 1, 2, 1, 2])
    equal = m.optimal(Joint.from_counts(weights), notion)
    near = Joint.from_counts(weights * (1 + apart * rng.uniform(-1, 1, weights.shape)))
    assert (
        classes(near, notion, Information()).joint.n_x
        > classes(near, notion, Information(), 8).joint.n_x
    )
    assert notion.holds(near, equal.kernel)
    result = m.optimal(near, notion, time_limit=1.0)
    assert result.audit.holds
    assert result.utility >= equal.utility - 1e-6 > 0
