"""Outputs that are taken off P_X one after the other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from core import mechanisms as m
from core.clock import Deadline, Ticking, using
from core.joint import Joint
from core.measures import entropy, mutual_information
from core.mechanisms.optima.search import chain_bound
from core.mechanisms.polish import polished
from core.notions import LDP, LIP, SRLIP, MinLift
from core.optimal.columns.peeling import Peeling
from core.optimal.plan import SIZES


def total(search):
    """Return the sum of all outputs, shape (n_x,)."""
    result = np.zeros(len(search.p_x))
    for symbols, weights in search.outputs:
        assert (weights > 0).all()
        result[symbols] += weights
    return result


def sparse_joint(n_s, n_x, seed):
    """Return a joint of few records a symbol, as of two columns, without equal posteriors."""
    rng = np.random.default_rng(seed)
    return Joint.from_counts(rng.poisson(rng.gamma(0.4, 4.0, (n_s, n_x))) + 0.01 * rng.random(n_x))


@pytest.mark.parametrize("notion", [LIP(0.3), LDP(0.5), MinLift(0.2), LIP(1e-3)], ids=str)
def test_its_outputs_add_up_to_p_x_and_are_allowed(notion):
    joint = sparse_joint(7, 60, 1)
    search = Peeling(notion.allowed_set(joint), joint.p_x, seed=0, deadline=Deadline.after(60))
    search.begin()
    search.improve(moves=20)
    assert_allclose(total(search), joint.p_x, atol=1e-12)
    kernel = search.kernel()
    moved = polished(joint, kernel, notion)
    assert notion.holds(joint, moved)
    # hardly anything is lost where an output is moved inside
    kept, reported = (mutual_information(joint.release_x(item)) for item in (moved, kernel))
    assert kept > reported * (1 - 1e-4) - 1e-9
    assert reported <= chain_bound(joint, notion) + 1e-6


@pytest.mark.parametrize("notion", [LIP(0.3), LDP(0.5)], ids=str)
def test_what_outputs_leave_of_p_x_is_taken_apart_with_few_of_them(notion):
    """At 10×442 outputs left .01 of P(X) after 1 s, and all but .68 of .78 was given up."""
    joint = sparse_joint(7, 60, 1)
    search = Peeling(notion.allowed_set(joint), joint.p_x, seed=0, deadline=Deadline.after(60))
    search.begin()
    kept = mutual_information(joint.release_x(search.kernel()))
    weights = (joint.p_x[:, None] * search.kernel()).T
    small = weights.sum(axis=1) < np.quantile(weights.sum(axis=1), 0.3)
    search.complete(weights[~small])
    assert_allclose(total(search), joint.p_x, atol=1e-12)
    moved = polished(joint, search.kernel(), notion)
    assert notion.holds(joint, moved)
    assert mutual_information(joint.release_x(moved)) > 0.8 * kept


def test_outputs_of_few_symbols_are_moved_inside_among_these():
    """At 6×10000 all cells of 3,400 outputs took 6 of 5 s, and 1.3 GB."""
    joint, notion = sparse_joint(5, 60, 2), LIP(0.3)
    search = Peeling(notion.allowed_set(joint), joint.p_x, seed=0, deadline=Deadline.after(60))
    symbols, whole = np.arange(0, 60, 3), joint.p_x[::3]
    parts = search._inside(symbols, np.vstack([0.9 * whole, 0.1 * whole]))
    assert_allclose(parts, [0.9 * whole, 0.1 * whole])
    half = np.where(np.arange(len(whole)) % 2, 0.9, 0.1) * whole
    parts = search._inside(symbols, np.vstack([half, whole - half]))
    assert_allclose(parts.sum(axis=0), whole)
    assert_allclose(search._inside(symbols, parts), parts, rtol=1e-9)
    assert notion.allowed_set(joint).rows.toarray()[:, symbols] @ parts.T == pytest.approx(
        np.minimum(notion.allowed_set(joint).rows.toarray()[:, symbols] @ parts.T, 0.0), abs=1e-12
    )


def test_moves_never_lose_and_mostly_gain():
    joint = sparse_joint(5, 80, 2)
    allowed = LIP(0.3).allowed_set(joint)
    kept = []
    for moves in (0, 10, 60):
        search = Peeling(allowed, joint.p_x, seed=4, deadline=Deadline.after(60))
        search.begin()
        search.improve(moves=moves)
        kept.append(mutual_information(joint.release_x(search.kernel())))
    assert kept[0] <= kept[1] + 1e-12 <= kept[2] + 2e-12
    assert kept[2] > kept[0]
    assert kept[0] > 0.2 * entropy(joint.p_x)


def test_without_time_p_x_is_the_only_output():
    joint = sparse_joint(3, 20, 0)
    search = Peeling(LIP(0.3).allowed_set(joint), joint.p_x, seed=0, deadline=Deadline.after(0))
    search.begin()
    search.improve()
    assert_allclose(search.kernel(), np.ones((joint.n_x, 1)))


def test_what_the_first_run_took_off_is_kept_when_time_ends_it():
    joint, notion = sparse_joint(3, 60, 0), LIP(0.3)
    with using(Ticking(1.0)):
        search = Peeling(notion.allowed_set(joint), joint.p_x, seed=0, deadline=Deadline.after(30))
        search.begin()
        search.improve()
    assert_allclose(total(search), joint.p_x, atol=1e-12)
    assert 2 < len(search.outputs) < 12
    kernel = polished(joint, search.kernel(), notion)
    assert mutual_information(joint.release_x(kernel)) > 0.05 * entropy(joint.p_x)


def test_the_same_seed_gives_the_same_outputs():
    joint = sparse_joint(4, 30, 0)
    result = []
    for _ in range(2):
        search = Peeling(
            LDP(0.4).allowed_set(joint), joint.p_x, seed=3, deadline=Deadline.after(60)
        )
        search.begin()
        search.improve(moves=5)
        result.append(search.kernel())
    assert np.array_equal(*result)


def test_it_begins_with_the_outputs_of_a_kernel():
    joint = sparse_joint(4, 30, 0)
    kernel = np.random.default_rng(0).dirichlet(np.ones(5), 30) * (np.arange(5) != 2)
    kernel /= kernel.sum(axis=1, keepdims=True)
    search = Peeling(LIP(9).allowed_set(joint), joint.p_x, seed=0, deadline=Deadline.after(60))
    search.begin_with(kernel)
    assert_allclose(search.kernel(), np.delete(kernel, 2, axis=1), rtol=1e-14)


def test_outputs_are_not_taken_off_under_more_rows_than_symbols(monkeypatch):
    """Under SRLIP at 4×756 the first of these programs, of 1,939 rows, took 15 of 2 s."""
    joint = Joint.random_dirichlet(3, 160, 1.0, np.random.default_rng(0))
    notion = SRLIP(0.5, (4, 40))
    assert notion.allowed_set(joint).rows.shape[0] > joint.n_x >= SIZES.peeled_symbols
    monkeypatch.delattr(Peeling, "begin_once")
    with using(Ticking(0.002)):
        made = m.optimal(joint, notion, time_limit=0.4)
    assert notion.holds(joint, made.kernel)
    with pytest.raises(AttributeError), using(Ticking(0.002)):
        m.optimal(joint, LIP(0.5), time_limit=0.4)


def test_a_run_that_would_not_end_in_time_leaves_most_of_it():
    """At 40×400 one run took seven of one second, and the mechanisms to start from came after."""
    joint = Joint.random_uniform(5, 80, np.random.default_rng(0))
    with using(Ticking(1.0)):
        limit = 90.0  # a whole run takes hundreds of readings
        search = Peeling(
            LIP(0.5).allowed_set(joint), joint.p_x, seed=0, deadline=Deadline.after(limit)
        )
        assert not search.begin()
        assert search.deadline.left > limit / 2
    assert_allclose(total(search), joint.p_x, atol=1e-12)


def test_a_run_that_ends_goes_on_after_a_third_of_the_time():
    joint = sparse_joint(3, 30, 0)
    search = Peeling(LIP(0.3).allowed_set(joint), joint.p_x, seed=0, deadline=Deadline.after(60))
    assert search.begin()


def test_symbols_without_a_part_leave_the_others_theirs(monkeypatch):
    """Of 40×400 under LDP the sixth had none by rounding, and all else was one output."""
    joint, notion = sparse_joint(4, 40, 0), LDP(0.5)
    inner, tried = Peeling._part, []

    def part(self, program, left, symbol, worth):
        tried.append(symbol)
        return None if len(tried) % 3 == 1 else inner(self, program, left, symbol, worth)

    monkeypatch.setattr(Peeling, "_part", part)
    search = Peeling(notion.allowed_set(joint), joint.p_x, seed=0, deadline=Deadline.after(60))
    search._keep([0])
    assert len(search.outputs) > 3
    assert_allclose(total(search), joint.p_x, atol=1e-12)
