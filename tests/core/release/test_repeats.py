from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import mechanisms as m
from core.data import DataSpec, count
from core.errors import InvalidInputError
from core.joint import Joint
from core.notions import (
    ALIP,
    LDP,
    LIP,
    SRLIP,
    EpsDelta,
    GuessingProbability,
    Intersection,
    L1Privacy,
)
from core.release import draws, repeated, repeats
from core.release.repeats import product_kernel
from tests.strategies import joints, kernels, symbol_notions


def in_sequence(kernel, k):
    """P(y_1, …, y_k | x) of every sequence of outputs, one after the other."""
    columns = [
        np.prod([kernel[:, y] for y in chosen], axis=0)
        for chosen in product(range(kernel.shape[1]), repeat=k)
    ]
    return np.array(columns).T


@st.composite
def questions(draw):
    joint = draw(joints(max_s=3, max_x=4))
    return joint, draw(kernels(joint.n_x, max_outputs=3)), draw(symbol_notions())


@given(questions())
def test_one_draw_is_what_is_achieved(question):
    joint, kernel, notion = question
    assert repeated(joint, kernel, notion, 1) == notion.achieved(joint, kernel)


@given(questions(), st.integers(2, 3))
def test_all_sequences_of_draws_one_by_one_say_the_same(question, k):
    joint, kernel, notion = question
    reference = notion.achieved(joint, in_sequence(kernel, k))
    assert repeated(joint, kernel, notion, k) == pytest.approx(reference, rel=1e-7, abs=1e-9)


@given(questions(), st.integers(2, 4))
def test_more_draws_tell_no_less(question, k):
    joint, kernel, _ = question
    for notion in (LIP(1), LDP(1), GuessingProbability(0.5)):
        fewer, more = (repeated(joint, kernel, notion, count) for count in (k - 1, k))
        assert more >= fewer - 1e-9


@pytest.mark.parametrize(
    "notion", [SRLIP(1, (2, 2)), Intersection(LIP(0.5), LDP(2)), GuessingProbability(0.7)]
)
def test_notions_that_see_the_whole_release(notion):
    rng = np.random.default_rng(3)
    joint = Joint.random_uniform(2, 4, rng)
    kernel = rng.dirichlet(np.ones(3), size=4)
    for k in (2, 3):
        reference = notion.achieved(joint, in_sequence(kernel, k))
        assert repeated(joint, kernel, notion, k) == pytest.approx(reference, rel=1e-9)


def test_a_mechanism_that_reads_the_secret():
    rng = np.random.default_rng(4)
    joint = Joint.random_uniform(2, 3, rng)
    kernel = rng.dirichlet(np.ones(3), size=6)
    reference = LIP(1).achieved(joint, in_sequence(kernel, 2))
    assert repeated(joint, kernel, LIP(1), 2) == pytest.approx(reference, rel=1e-9)


def test_multisets_are_drawn_in_as_many_orders_as_sequences():
    kernel = np.random.default_rng(5).dirichlet(np.ones(4), size=3)
    assert product_kernel(kernel, 3).shape == (3, 20)
    assert product_kernel(kernel, 3).sum(axis=1) == pytest.approx(np.ones(3))


def test_optima_of_adult_drawn_again_say_more():
    spec = DataSpec(source="adult", secret=("sex",), released=("occupation",))
    joint = count(spec).joint
    low, high = (m.optimal(joint, LIP(eps)).kernel for eps in (0.25, 0.5))
    assert repeated(joint, low, LIP(0.25), 2) == pytest.approx(1.81, abs=0.005)
    assert repeated(joint, high, LIP(0.5), 2) == np.inf


def test_what_never_comes_together_is_left_out():
    joint = Joint.from_counts([[2, 1], [1, 2]])
    assert repeated(joint, np.eye(2), LIP(1), 3) == pytest.approx(LIP(1).achieved(joint, np.eye(2)))


@pytest.mark.parametrize("notion", [LIP(1), ALIP(0.5, 1.0), LDP(1)])
def test_too_many_products_are_bracketed(notion, monkeypatch):
    rng = np.random.default_rng(6)
    joint = Joint.random_uniform(3, 5, rng)
    kernel = 0.3 * np.eye(5) + 0.7 * rng.dirichlet(np.ones(5), size=5)
    exact = draws(joint, kernel, notion, 4)
    assert exact.exact
    monkeypatch.setattr("core.release.repeats.MOST_PRODUCTS", 10)
    some = draws(joint, kernel, notion, 4)
    assert not some.exact
    assert some.level == pytest.approx(exact.level, rel=1e-9)  # the kept products include it
    assert some.level <= some.at_most
    assert some.at_most == pytest.approx(notion.achieved(joint, np.eye(5)))


def test_whole_releases_that_are_too_large_fall_back_on_fewer_draws(monkeypatch):
    joint = Joint.random_uniform(2, 4, np.random.default_rng(7))
    kernel = 0.5 * np.eye(4) + 0.125
    twice = repeated(joint, kernel, SRLIP(1, (2, 2)), 2)
    monkeypatch.setattr("core.release.repeats.MOST_HELD", 60)
    some = draws(joint, kernel, SRLIP(1, (2, 2)), 3)
    assert (some.level, some.exact) == (twice, False)
    assert some.at_most >= twice


def test_no_bound_is_claimed_where_mixtures_may_be_worse(monkeypatch):
    joint = Joint.random_uniform(2, 4, np.random.default_rng(7))
    kernel = 0.5 * np.eye(4) + 0.125
    monkeypatch.setattr("core.release.repeats.MOST_PRODUCTS", 3)
    assert draws(joint, kernel, L1Privacy(1, 1), 3).at_most == np.inf


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_the_number_of_draws_is_whole_and_positive(k):
    joint = Joint.from_counts([[2, 1], [1, 2]])
    with pytest.raises(InvalidInputError, match="k must be"):
        draws(joint, np.eye(2), LIP(1), k)


def test_exceptions_of_several_draws_are_counted_or_it_is_said_that_they_are_not(monkeypatch):
    joint = Joint.from_counts([[30, 5, 10], [5, 40, 10]])
    promise = EpsDelta(LIP(0.5), 0.1)
    kernel = m.optimal(joint, promise).kernel
    assert repeated(joint, kernel, promise, 1) == promise.achieved(joint, kernel)
    pairs = (kernel[:, :, None] * kernel[:, None, :]).reshape(3, -1)
    twice = repeated(joint, kernel, promise, 2)
    assert twice == pytest.approx(promise.achieved(joint, pairs))
    assert twice > 0.5  # the exceptions of one draw are twice as likely in two
    monkeypatch.setattr("core.release.repeats.MOST_HELD", 20)
    with pytest.raises(InvalidInputError, match=r"too many to count the exceptions of 0\.5-LIP"):
        repeated(joint, kernel, promise, 2)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("zeros", [0.0, 0.6, 0.9])
def test_of_a_large_kernel_only_outputs_that_a_row_gives_together_are_measured(
    monkeypatch, k, zeros
):
    """All pairs of 3,000 outputs of as many rows are 216 GB."""
    rng = np.random.default_rng(7)
    joint = Joint.from_counts(rng.integers(1, 9, (3, 6)))
    kernel = rng.random((6, 7)) * (rng.random((6, 7)) >= zeros)
    kernel[:, 0] += kernel.sum(axis=1) == 0
    kernel /= kernel.sum(axis=1, keepdims=True)
    for notion in (LIP(1.0), LDP(1.0)):
        every = draws(joint, kernel, notion, k)
        with monkeypatch.context() as patch:
            patch.setattr(repeats, "MAX_WRITTEN", 0)
            some = draws(joint, kernel, notion, k)
            patch.setattr(repeats, "MOST_PRODUCTS", 5)
            few = draws(joint, kernel, notion, k)
        assert some.exact
        assert some.level == pytest.approx(every.level)
        assert few.level <= every.level + 1e-12
        assert every.level <= few.at_most + 1e-12
