"""Rényi balls: printed numbers, closed forms, brute force over subsets and sampled members."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from core.errors import InvalidInputError
from core.uncertainty import RenyiBall, renyi_divergence
from core.uncertainty import ball as ball_module
from core.uncertainty.ball import MAX_EXACT, mass_range, radii

EXAMPLE = np.array([[0.07, 0.10], [0.26, 0.57]])
ORDERS = [0.2, 0.5, 0.9, 1.0, 1.5, 2.0, 4.0]


@st.composite
def balls(draw, orders=ORDERS):
    n_s, n_u = draw(st.integers(2, 3)), draw(st.integers(2, 4))
    counts = draw(st.lists(st.integers(0, 9), min_size=n_s * n_u, max_size=n_s * n_u))
    cells = np.array(counts, dtype=float).reshape(n_s, n_u)
    cells[:, 0] += 1
    bound = draw(st.sampled_from([0.0, 1e-4, 0.1, 2.0, np.inf]))
    return RenyiBall(cells, bound, draw(st.sampled_from(orders)))


def test_example_2_follows_from_theorem_1():
    ball = RenyiBall.confidence(EXAMPLE, n=100, beta=0.05)
    assert ball.bound == pytest.approx(0.07524, abs=5e-6)
    assert ball.alpha == 2.0
    assert ball.conditional_bound == pytest.approx([0.40673, 0.09031], abs=5e-6)
    expected = np.array([[0.15522, 0.27272], [0.19213, 0.53337]])
    assert ball.lower == pytest.approx(expected, abs=5e-6)
    assert ball.radius == pytest.approx([0.63103, 0.30675], abs=5e-6)


def test_printed_conditional_bounds_are_another_formula():
    ball = RenyiBall.confidence(EXAMPLE, n=100)
    printed = np.log1p(np.expm1(ball.bound) / ball.p_s)
    assert printed == pytest.approx([0.3782, 0.0900], abs=5e-5)
    assert (ball.conditional_bound > printed).all()


def test_divergence_of_the_example():
    ball = RenyiBall.confidence(EXAMPLE, n=100)
    truth = [[0.1, 0.1], [0.2, 0.6]]
    assert float(ball.divergence(truth)) == pytest.approx(0.0281, abs=5e-5)
    assert ball.contains(truth)
    assert not ball.contains([[0.3, 0.1], [0.2, 0.4]])


@given(
    st.lists(st.floats(0.01, 1), min_size=3, max_size=3),
    st.lists(st.floats(0.01, 1), min_size=3, max_size=3),
    st.sampled_from(ORDERS),
)
def test_divergence_against_its_definition(p, q, alpha):
    p, q = np.array(p) / sum(p), np.array(q) / sum(q)
    if alpha == 1:
        expected = (p * np.log(p / q)).sum()
    else:
        expected = np.log((p**alpha * q ** (1 - alpha)).sum()) / (alpha - 1)
    assert float(renyi_divergence(p, q, alpha)) == pytest.approx(max(expected, 0), abs=1e-12)


def test_divergence_at_zero_cells():
    assert renyi_divergence([0.5, 0.5], [1.0, 0.0], 2.0) == np.inf
    assert renyi_divergence([0.5, 0.5], [1.0, 0.0], 1.0) == np.inf
    # α < 1 forgives it: log(√½)/(−½)
    assert renyi_divergence([0.5, 0.5], [1.0, 0.0], 0.5) == pytest.approx(np.log(2))
    assert renyi_divergence([1.0, 0.0], [0.5, 0.5], 3.0) == pytest.approx(np.log(2))
    assert renyi_divergence([1.0, 0.0], [0.0, 1.0], 0.5) == np.inf


def test_divergence_is_continuous_in_its_order():
    p, q = np.array([0.2, 0.3, 0.5]), np.array([0.4, 0.4, 0.2])
    at_one = float(renyi_divergence(p, q, 1.0))
    assert float(renyi_divergence(p, q, 1 + 1e-9)) == pytest.approx(at_one, rel=1e-8)
    assert float(renyi_divergence(p, q, 1 - 1e-9)) == pytest.approx(at_one, rel=1e-8)


@pytest.mark.parametrize("alpha", ORDERS)
def test_conditional_bound_against_its_formula(alpha):
    ball = RenyiBall(EXAMPLE, 0.05, alpha)
    if alpha == 1:
        expected = 0.05 / ball.p_s
    else:
        inner = (np.exp((alpha - 1) * 0.05 / alpha) - (1 - ball.p_s)) / ball.p_s
        with np.errstate(invalid="ignore"):
            expected = np.where(inner > 0, alpha / (alpha - 1) * np.log(inner), np.inf)
    assert ball.conditional_bound == pytest.approx(expected, rel=1e-9)


def test_conditional_bound_is_infinite_where_the_secret_may_vanish():
    # α = 0.2: P(s1) may go to 0 within the ball, so its conditional may be anything
    ball = RenyiBall(EXAMPLE, 0.075, 0.2)
    assert ball.conditional_bound[0] == np.inf
    assert ball.lower[0].tolist() == [0.0, 0.0]
    assert ball.radius[0] == pytest.approx(2 * (1 - 7 / 17))


def test_projection_is_attained_by_a_member():
    # Theorem 1, ⊇: the member built in the proof has its conditional on the border of F_{U|s}
    for alpha in (0.5, 1.0, 2.0, 3.0):
        ball = RenyiBall(EXAMPLE, 0.05, alpha)
        low = ball.lower[0, 0]
        conditional = np.array([low, 1 - low])
        assert float(renyi_divergence(ball.p_u_given_s[0], conditional, alpha)) == pytest.approx(
            ball.conditional_bound[0], rel=1e-9
        )

        def excess(mass, conditional=conditional, ball=ball):
            rest = ball.p_hat_su[1] / ball.p_hat_su[1].sum()
            cells = np.stack([mass * conditional, (1 - mass) * rest])
            return float(ball.divergence(cells))

        best = optimize.minimize_scalar(
            excess, bounds=(1e-3, 0.999), method="bounded", options={"xatol": 1e-10}
        )
        assert best.fun == pytest.approx(ball.bound, abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(balls(), st.integers(0, 2**32 - 1))
def test_sampled_members_stay_in_the_projections(ball, seed):
    drawn = ball.sample(60, np.random.default_rng(seed), boundary=True)
    assert ball.contains(drawn).all()
    masses = drawn.sum(axis=2, keepdims=True)
    conditional = drawn / masses
    assert (conditional >= ball.lower - 1e-7).all()
    assert (conditional <= ball.upper + 1e-7).all()
    distance = np.abs(conditional - ball.p_u_given_s).sum(axis=2)
    assert (distance <= ball.radius + 1e-7).all()
    inner = ball.sample(20, np.random.default_rng(seed))
    assert ball.contains(inner).all()


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0, 3.0])
def test_extremes_against_numerical_optimisation(alpha):
    ball = RenyiBall([[0.1, 0.15, 0.2], [0.25, 0.2, 0.1]], 0.03, alpha)
    rng = np.random.default_rng(0)
    drawn = ball.sample(60_000, rng, boundary=True)
    conditional = drawn / drawn.sum(axis=2, keepdims=True)
    assert conditional.min(axis=0) == pytest.approx(ball.lower, abs=0.02)
    centre = ball.p_u_given_s[0]

    def outside(tail):
        member = np.array([tail[0], tail[1], 1 - tail[0] - tail[1]])
        return ball.conditional_bound[0] - float(
            renyi_divergence(centre, np.clip(member, 1e-12, 1), alpha)
        )

    result = optimize.minimize(
        lambda tail: tail[0],
        centre[:2],
        method="SLSQP",
        constraints=[
            {"type": "ineq", "fun": outside},
            {"type": "ineq", "fun": lambda tail: 1 - tail.sum()},
        ],
        bounds=[(1e-9, 1)] * 2,
        options={"ftol": 1e-14},
    )
    assert result.fun == pytest.approx(ball.lower[0, 0], abs=1e-6)


def brute_radius(p, bound, alpha):
    """2·max over all non-empty U1 of the greatest R(U1) − p(U1), by a root search of its own."""
    worst = 0.0
    for size in range(1, p.size + 1):
        for chosen in itertools.combinations(range(p.size), size):
            rho = min(p[list(chosen)].sum(), 1.0)

            def excess(t, rho=rho):
                pair = np.array([[rho, 1 - rho], [t, 1 - t]])
                return float(renyi_divergence(pair[0], pair[1], alpha)) - bound

            top = 1.0
            if excess(1 - 1e-14) > 0:
                top = optimize.brentq(excess, rho, 1 - 1e-14) if rho < 1 - 1e-14 else rho
            worst = max(worst, 2 * (top - rho))
    return worst


@settings(max_examples=20, deadline=None)
@given(balls())
def test_radius_against_all_subsets(ball):
    for s in range(ball.n_s):
        bound = min(ball.conditional_bound[s], 500.0)
        expected = brute_radius(ball.p_u_given_s[s], float(bound), ball.alpha)
        assert ball.radius[s] == pytest.approx(expected, abs=2e-7)


def test_radius_of_printed_proposition_2_is_off():
    # Prop. 2(2) prints 2ρξ⁺ for 2(ρξ⁺ − ρ); (3) calls √b a lower bound, it is an upper one
    ball = RenyiBall.confidence(EXAMPLE, n=100)
    p, b = ball.p_u_given_s, np.expm1(ball.conditional_bound)
    high = mass_range(p[0].min(), ball.conditional_bound[0], 2.0)[1]
    assert ball.radius[0] == pytest.approx(2 * (high - p[0].min()))
    assert b[1] < (1 - 2 * p[1].min()) ** 2
    assert ball.radius[1] < np.sqrt(b[1])


def test_radius_of_many_symbols_is_the_bound_for_any_sum():
    p = np.full((2, MAX_EXACT + 1), 1.0)
    ball = RenyiBall(p / p.sum(), 0.01)
    b = np.expm1(ball.conditional_bound)
    assert ball.radius == pytest.approx(np.sqrt(b))
    few = RenyiBall(np.full((2, MAX_EXACT), 1 / (2 * MAX_EXACT)), 0.01)
    # 30 equal parts: sums are k/30, the one next to the peak is all but as good
    assert few.radius == pytest.approx(np.sqrt(np.expm1(few.conditional_bound)), rel=1e-2)
    assert (few.radius <= np.sqrt(np.expm1(few.conditional_bound)) + 1e-12).all()


@pytest.mark.parametrize("alpha", ORDERS)
def test_closed_ends(alpha):
    cells = np.array([[0.1, 0.2, 0.0], [0.0, 0.3, 0.4]])
    point, everything = RenyiBall(cells, 0.0, alpha), RenyiBall(cells, np.inf, alpha)
    assert point.conditional_bound.tolist() == [0.0, 0.0]
    assert point.lower == pytest.approx(point.p_u_given_s, abs=1e-15)
    assert point.radius == pytest.approx([0.0, 0.0], abs=1e-12)
    assert everything.conditional_bound.tolist() == [np.inf, np.inf]
    assert not everything.lower.any()
    assert (everything.upper == 1).all()
    assert everything.radius.tolist() == [2.0, 2.0]


def test_an_unseen_secret_has_no_bound():
    ball = RenyiBall([[0.0, 0.0], [0.4, 0.6]], 0.1)
    assert ball.conditional_bound[0] == np.inf
    assert ball.lower[0].tolist() == [0.0, 0.0]
    assert ball.upper[0].tolist() == [1.0, 1.0]
    assert ball.radius[0] == 2.0


@settings(max_examples=25, deadline=None)
@given(balls(), st.one_of(st.just(0.0), st.floats(1e-200, 1.0)))
def test_closed_form_of_order_2_agrees_with_the_general_root(ball, rho):
    bound = np.minimum(ball.conditional_bound, 5.0)
    closed = mass_range(np.array(rho), bound, 2.0)
    near = mass_range(np.array(rho), bound, 2.0 + 1e-9)
    assert closed[0] == pytest.approx(near[0], abs=1e-6)
    assert closed[1] == pytest.approx(near[1], abs=1e-6)


def test_a_ball_takes_counts_and_floored_probabilities():
    counts = RenyiBall.confidence([[7, 10], [26, 57]], n=100)
    assert counts.p_hat_su == pytest.approx(EXAMPLE)
    assert counts.bound == RenyiBall.confidence(EXAMPLE, n=100).bound
    floored = np.maximum([[0.5, 0.0], [0.25, 0.25]], 1e-9)
    assert RenyiBall(floored, 0.1).p_hat_su.sum() == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: RenyiBall([[0.4, 0.6]], 0.1), "at least two secrets s, got 1"),
        (lambda: RenyiBall([[0.4, 0.1], [0.1, 0.1]], 0.1), "must sum to 1 or hold whole counts"),
        (lambda: RenyiBall([[0.4, -0.1], [0.6, 0.1]], 0.1), "at least 0, got -0.1"),
        (lambda: RenyiBall(EXAMPLE, -1), "bound must be in"),
        (lambda: RenyiBall(EXAMPLE, 0.1, 0.0), "alpha must be in"),
        (lambda: RenyiBall(EXAMPLE, 0.1, np.inf), "alpha must be a finite order above 0"),
        (lambda: RenyiBall.confidence(EXAMPLE, 0), "n must be at least 1, got 0"),
        (lambda: RenyiBall.confidence(EXAMPLE, 10, 0), "strictly between 0 and 1, got 0"),
        (lambda: RenyiBall.confidence(EXAMPLE, 10, 1.0), "strictly between 0 and 1, got 1.0"),
        (lambda: RenyiBall.confidence(EXAMPLE, 10, 1.5), r"beta must be in \[0, 1\], got 1.5"),
        (lambda: RenyiBall.confidence([[7, 10], [26, 57]], 99), "records counted, 100, got 99"),
        (lambda: RenyiBall(EXAMPLE, 0.1).contains(np.full((2, 3), 1 / 6)), r"shape \(2, 2\)"),
        (lambda: RenyiBall(EXAMPLE, 0.1).sample(0, np.random.default_rng(0)), "count must be"),
    ],
)
def test_bad_input_gets_one_sentence(make, sentence):
    with pytest.raises(InvalidInputError, match=sentence) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_the_peaks_of_all_secrets_are_sought_together(monkeypatch):
    """One by one they took 5 s of a processor for 12 secrets, whatever limit a search had."""
    asked = []
    within = ball_module.greatest
    monkeypatch.setattr(ball_module, "greatest", lambda *args: asked.append(1) or within(*args))
    counts = np.arange(1.0, 25.0).reshape(12, 2)
    many = RenyiBall.confidence(counts, 300, alpha=5.0)
    together = many.radius
    assert len(asked) <= 80 + many.n_s
    for s in (0, 11):
        few = RenyiBall.confidence(counts, 300, alpha=5.0)
        alone = radii(few.p_u_given_s[s : s + 1], few.conditional_bound[s : s + 1], 5.0)
        assert together[s] == pytest.approx(alone[0], rel=1e-12)
