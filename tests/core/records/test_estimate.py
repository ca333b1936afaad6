import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from core.errors import InvalidInputError, SolverError
from core.records import estimate as module
from core.records.estimate import estimate


@pytest.mark.parametrize(("yes", "n", "honest"), [(60, 100, 0.75), (400, 1_000, 0.9), (9, 20, 0.6)])
def test_two_symbols_are_warners_estimate(yes, n, honest):
    result = estimate([yes, n - yes], [[honest, 1 - honest], [1 - honest, honest]])
    share = yes / n
    by_hand = (share - (1 - honest)) / (2 * honest - 1)
    error = np.sqrt(share * (1 - share) / n) / (2 * honest - 1)
    assert result.p == pytest.approx([by_hand, 1 - by_hand], abs=1e-12)
    assert result.stderr == pytest.approx([error, error], rel=1e-6)
    assert result.method == "inverse"


def test_many_symbols_of_randomised_response_have_the_known_estimate():
    k, true, false = 6, 0.5, 0.1
    kernel = np.full((k, k), false) + (true - false) * np.eye(k)
    counts = np.array([305, 200, 145, 125, 115, 110])
    result = estimate(counts, kernel)
    shares = counts / 1_000
    assert result.p == pytest.approx((shares - false) / (true - false), abs=1e-12)
    error = np.sqrt(shares * (1 - shares) / 1_000) / (true - false)
    assert result.stderr == pytest.approx(error, rel=1e-5)


def test_the_identity_gives_shares_and_their_binomial_errors():
    result = estimate([2, 3, 5], np.eye(3))
    assert result.p == pytest.approx([0.2, 0.3, 0.5])
    assert result.stderr == pytest.approx(np.sqrt(np.array([0.16, 0.21, 0.25]) / 10))


@pytest.mark.parametrize("n_y", [4, 9])
def test_errors_are_as_large_as_the_standard_errors_say(n_y):
    rng = np.random.default_rng(7)
    kernel = rng.dirichlet(np.full(n_y, 0.4), 4)
    p = np.array([0.4, 0.3, 0.2, 0.1])
    scores, methods = [], []
    for _ in range(400):
        result = estimate(rng.multinomial(20_000, p @ kernel), kernel)
        methods.append(result.method)
        scores.append((result.p - p) / result.stderr)
    assert set(methods) == {"inverse"}
    scores = np.array(scores)
    assert np.abs(scores.mean(axis=0)).max() < 0.2  # 4 standard errors of the mean
    assert np.abs(scores.std(axis=0) - 1).max() < 0.15
    assert stats.kstest(scores[:, 0], "norm").pvalue > 1e-3


def likelihood(p, counts, kernel):
    seen = counts > 0
    return counts[seen] @ np.log((p @ kernel)[seen])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(2, 6))
def test_em_is_the_likeliest_distribution(seed, n_x, n_y):
    rng = np.random.default_rng(seed)
    kernel = rng.dirichlet(np.ones(n_y), n_x)
    counts = rng.multinomial(30, rng.dirichlet(np.full(n_y, 0.5)))
    result = estimate(counts, kernel)
    assert result.p.sum() == pytest.approx(1)
    assert result.p.min() >= -1e-12
    if result.method == "EM":
        best = optimize.minimize(  # another route: a general solver on the simplex
            lambda p: -likelihood(np.abs(p) / np.abs(p).sum(), counts, kernel),
            np.full(n_x, 1 / n_x),
            method="Nelder-Mead",
            options={"maxiter": 20_000, "maxfev": 20_000, "xatol": 1e-10, "fatol": 1e-12},
        )
        assert likelihood(result.p, counts, kernel) >= -best.fun - 2e-6


def test_noise_outside_the_simplex_is_left_to_em():
    result = estimate([100, 0], [[0.75, 0.25], [0.25, 0.75]])
    assert result.method == "EM"
    assert result.p == pytest.approx([1, 0], abs=1e-6)
    assert result.stderr == pytest.approx(np.full(2, np.sqrt(0.75 * 0.25 / 100) / 0.5), rel=1e-4)


def test_what_a_merging_does_not_tell_has_no_finite_error():
    result = estimate([10, 50, 40], [[0.75, 0.25, 0], [0.75, 0.25, 0], [0, 0.2, 0.8]])
    assert result.identified.tolist() == [False, False, True]
    assert np.isinf(result.stderr[:2]).all()
    assert result.stderr[2] < 0.1
    assert result.p[0] == pytest.approx(result.p[1])


def test_counts_by_secret_give_the_joint():
    rng = np.random.default_rng(1)
    joint = np.array([[0.3, 0.1, 0.1], [0.05, 0.15, 0.3]])
    kernel = 0.6 * np.eye(3) + 0.4 / 3
    scores = []
    for _ in range(300):
        counts = rng.multinomial(30_000, (joint @ kernel).ravel()).reshape(2, 3)
        result = estimate(counts, kernel)
        scores.append((result.p - joint) / result.stderr)
    scores = np.array(scores)
    assert result.p.shape == (2, 3)
    assert np.abs(scores.mean(axis=0)).max() < 0.24
    assert np.abs(scores.std(axis=0) - 1).max() < 0.17
    plain = estimate(counts.sum(axis=0), kernel)
    assert result.p.sum(axis=0) == pytest.approx(plain.p)


def test_a_kernel_that_reads_s_is_undone_by_secret_or_whole():
    joint = np.array([[0.4, 0.1], [0.2, 0.3]])
    by_s = np.array([[[0.9, 0.1], [0.2, 0.8]], [[0.6, 0.4], [0.1, 0.9]]])
    exact = np.rint(10_000 * np.einsum("sx,sxy->sy", joint, by_s))
    result = estimate(exact, by_s.reshape(4, 2), reads_s=True)
    assert result.p == pytest.approx(joint, abs=1e-12)
    whole = np.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.7, 0.1, 0.1], [0.2, 0, 0.8, 0], [0, 0, 0, 1]])
    outputs = np.rint(10_000 * joint.ravel() @ whole)
    assert estimate(outputs, whole).p == pytest.approx(joint.ravel(), abs=1e-12)


def test_a_secret_without_records_has_probability_0():
    result = estimate([[10, 20], [0, 0]], [[0.9, 0.1], [0.1, 0.9]])
    assert result.p[1].tolist() == [0, 0]
    assert result.p[0].sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("counts", "kernel", "more", "sentence"),
    [
        ([0, 0], np.eye(2), {}, "not all of them 0"),
        ([1.5, 2], np.eye(2), {}, "whole numbers"),
        ([-1, 2], np.eye(2), {}, "at least 0"),
        ([1, 2, 3], np.eye(2), {}, "must have 3 outputs"),
        ([1, 2], [1, 2], {}, "must have 2 outputs"),
        ([1, 2], [[0.5, 0.6], [0, 1]], {}, "sum to 1"),
        ([1, 2], [[1, 0], [1, 0]], {}, "Output 2 was counted"),
        ([[1, 2], [2, 1]], [[1, 0], [0, 1], [0.5, 0.5]], {"reads_s": True}, "a multiple of 2"),
    ],
)
def test_what_does_not_fit_is_refused(counts, kernel, more, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        estimate(counts, kernel, **more)


def test_a_search_that_does_not_end_is_an_error(monkeypatch):
    monkeypatch.setattr(module, "STEPS", 1)
    with pytest.raises(SolverError, match="did not converge"):
        estimate([100, 3], [[0.75, 0.25], [0.25, 0.75]])


def test_four_hundred_symbols_are_estimated():
    rng = np.random.default_rng(2)
    kernel = 0.5 * np.eye(400) + 0.5 / 400
    p = rng.dirichlet(np.full(400, 0.2))
    result = estimate(rng.multinomial(100_000, p @ kernel), kernel)
    assert result.method == "EM"
    assert np.abs(result.p - p).max() < 5 * result.stderr.max()
    assert result.p.sum() == pytest.approx(1)
