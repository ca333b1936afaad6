"""The worst member of a ball: against sampled members, climbing, closed forms, and its own dual."""

import numpy as np
import pytest

from core.uncertainty import RenyiBall, renyi_divergence
from core.uncertainty import worst_case as module
from core.uncertainty.extremes import (
    bound_of,
    budget_of,
    extreme_member,
    greatest,
    least,
    log_mean_exp,
    margin,
    nearly_extreme,
)
from core.uncertainty.worst_case import exceeds, worst_case
from tests.core.uncertainty.members import worst_member

ORDERS = [0.05, 0.3, 0.5, 0.9, 1.0, 1.1, 2.0, 5.0, 50.0]


def level_at(cells, values):
    """log max P(y|s)/min P(y|s) of members (..., n_s, n_u) and one output (n_s, n_u)."""
    given_s = (cells * values).sum(axis=-1) / cells.sum(axis=-1)
    return np.log(given_s.max(axis=-1) / given_s.min(axis=-1))


def pulled_in(ball, cells):
    """Move distributions towards P̂ until they are members."""
    low = np.where(ball.contains(cells), 1.0, 0.0)
    high = np.ones(len(cells))
    for _ in range(35):
        middle = (low + high) / 2
        inside = ball.contains(ball.p_hat_su + middle[:, None, None] * (cells - ball.p_hat_su))
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return ball.p_hat_su + low[:, None, None] * (cells - ball.p_hat_su)


def climbed(ball, values, rng, steps=60):
    """The greatest level found by random search with shrinking steps."""
    best = ball.sample(2000, rng, boundary=True)
    size = 0.3
    for _ in range(steps):
        order = np.argsort(-level_at(best, values))[:8]
        best = best[order]
        moved = best[:, None] * np.exp(size * rng.standard_normal((8, 30, *values.shape)))
        moved = moved.reshape(-1, *values.shape)
        moved /= moved.sum(axis=(1, 2), keepdims=True)
        best = np.concatenate([best, pulled_in(ball, moved)])
        size *= 0.88
    return level_at(best, values).max()


@pytest.mark.parametrize("alpha", [0.3, 0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("zero", [False, True])
def test_worst_case_against_a_search_over_members(alpha, zero):
    rng = np.random.default_rng(7)
    cells = rng.dirichlet(np.ones(6)).reshape(2, 3)
    if zero:
        cells[0, 1] = 0.0
        cells /= cells.sum()
    ball = RenyiBall(cells, 0.05, alpha)
    values = rng.random((2, 3))
    result = worst_case(ball, values[..., None]).level
    searched = climbed(ball, values, rng)
    assert searched <= result + 1e-9
    # and the member that is named attains it
    member = worst_member(ball, values[..., None])
    assert ball.divergence(member) <= ball.bound + 1e-9
    assert level_at(member, values) == pytest.approx(result, abs=2e-6 if alpha < 0.5 else 1e-9)


@pytest.mark.parametrize("alpha", ORDERS)
def test_extreme_members_attain_their_dual_bound(alpha):
    rng = np.random.default_rng(11)
    p = rng.dirichlet(np.ones(4), size=30)
    p[::3, 0] = 0.0
    p /= p.sum(axis=1, keepdims=True)
    values = rng.random((30, 4))
    bound = 10 ** rng.uniform(-4, 0.5, 30)
    top = extreme_member(p, values.max(axis=1, keepdims=True) - values, bound, alpha).members
    low = extreme_member(p, values - values.min(axis=1, keepdims=True), bound, alpha).members
    for members in (top, low):
        assert members.sum(axis=1) == pytest.approx(np.ones(30))
        assert (renyi_divergence(p, members, alpha) <= bound * (1 + 1e-9)).all()
    # weak duality bounds the value from the other side: equality proves both
    assert greatest(p, values, bound, alpha) == pytest.approx((top * values).sum(axis=1), rel=1e-9)
    assert least(p, values, bound, alpha) == pytest.approx((low * values).sum(axis=1), rel=1e-9)


@pytest.mark.parametrize("alpha", ORDERS)
def test_nearly_extreme_members_are_in_the_ball_and_almost_reach_its_end(alpha):
    rng = np.random.default_rng(13)
    p = 0.9 * rng.dirichlet(np.ones(5), size=300) + 0.02
    p[::3, 0] = 0.0
    p /= p.sum(axis=1, keepdims=True)
    values = rng.random((300, 5)) ** rng.choice([1, 5], (300, 1))
    values[::7] = np.round(values[::7], 1)
    values[:3] = 0.5  # all members are as good
    gap = values - values.min(axis=1, keepdims=True)
    bound = 10 ** rng.uniform(-6, 0.3, 300)
    bound[3:5] = 0.0, np.inf
    members = nearly_extreme(p, gap, bound, alpha)
    assert (members >= 0).all()
    assert members.sum(axis=1) == pytest.approx(np.ones(300))
    moved = renyi_divergence(p, members, alpha)
    assert (moved <= bound * (1 + 1e-9) + 1e-14).all()
    reached = ((p - members) * gap).sum(axis=1)
    most = ((p - extreme_member(p, gap, bound, alpha).members) * gap).sum(axis=1)
    assert (reached >= 0.998 * most - 1e-12).all()
    assert (reached <= most * (1 + 1e-6) + 1e-12).all()


@pytest.mark.parametrize("alpha", [1 - 1e-9, 1 + 1e-12, 1 + 1e-9, 1 + 1e-6])
def test_nearly_extreme_members_are_in_the_ball_at_orders_near_1(alpha):
    rng = np.random.default_rng(14)
    p = rng.dirichlet(np.ones(5), size=300)
    gap = rng.random((300, 5))
    gap -= gap.min(axis=1, keepdims=True)
    bound = 10 ** rng.uniform(-2, 0.5, 300)
    moved = renyi_divergence(p, nearly_extreme(p, gap, bound, alpha), alpha)
    assert (moved <= bound * (1 + 1e-9)).all()


@pytest.mark.parametrize("alpha", ORDERS)
def test_price_is_the_derivative_by_the_budget(alpha):
    rng = np.random.default_rng(5)
    p, values = rng.dirichlet(np.ones(3), size=20), rng.random((20, 3))
    budget, step = np.full(20, 0.02), 1e-7
    gap = values.max(axis=1, keepdims=True) - values

    def value(spent):
        result = extreme_member(p, gap, bound_of(spent, 1.0, alpha), alpha)
        return (result.members * values).sum(axis=1), result.log_price

    (now, price), (later, _) = value(budget), value(budget + step)
    assert np.exp(price) == pytest.approx((later - now) / step, rel=1e-4, abs=1e-6)


def test_order_2_is_the_closed_form():
    # [RLDP] at α = 2: R_u ∝ p_u/√(ν − v_u), (Σ p√(ν − v))(Σ p/√(ν − v)) = e^B
    p, values, bound = np.array([0.2, 0.5, 0.3]), np.array([0.9, 0.1, 0.4]), 0.3
    member = extreme_member(p, values.max() - values, np.array(bound), 2.0).members
    ratio = (p / member) ** 2  # ∝ ν − v_u
    slope = np.diff(ratio) / np.diff(values)
    assert slope[0] == pytest.approx(slope[1])
    nu = values[0] - ratio[0] / slope[0]
    root = np.sqrt(nu - values)
    assert (p * root).sum() * (p / root).sum() == pytest.approx(np.exp(bound))


def test_costs_of_conditionals_add_up_to_the_joint():
    # the best masses make D(P̂‖P) as small as the sum of the conditionals' costs says
    rng = np.random.default_rng(2)
    for alpha in (0.4, 0.8, 1.0, 2.0, 3.0):
        cells = rng.dirichlet(np.ones(6)).reshape(3, 2)
        p_s, given = cells.sum(axis=1), cells / cells.sum(axis=1, keepdims=True)
        moved = rng.dirichlet(np.ones(2), size=3)
        apart = renyi_divergence(given, moved, alpha)
        cost = (p_s * budget_of(apart, alpha)).sum()
        least_joint = bound_of(cost, 1.0, alpha)
        masses = rng.dirichlet(np.full(3, 20.0), size=20_000)
        best = p_s * np.exp((alpha - 1) * apart / alpha)
        masses = np.concatenate([masses, (best / best.sum())[None]])
        joints = masses[:, :, None] * moved
        result = renyi_divergence(cells.ravel(), joints.reshape(-1, 6), alpha)
        assert result.min() == pytest.approx(float(least_joint), rel=1e-9)
        assert result.argmin() == 20_000


def test_whole_simplex_is_the_ratio_of_entries():
    # Prop. 3
    rng = np.random.default_rng(0)
    answers = rng.dirichlet(np.ones(4), size=(2, 3))
    expected = max(
        np.log(answers[s].max(axis=0) / answers[1 - s].min(axis=0)).max() for s in (0, 1)
    )
    ball = RenyiBall(np.full((2, 3), 1 / 6), np.inf)
    assert worst_case(ball, answers).level == pytest.approx(expected, rel=1e-12)


def test_no_uncertainty_is_the_level_at_the_estimate():
    rng = np.random.default_rng(1)
    cells, answers = rng.dirichlet(np.ones(6)).reshape(3, 2), rng.dirichlet(np.ones(4), (3, 2))
    given_s = np.einsum("su,suy->sy", cells / cells.sum(axis=1, keepdims=True), answers)
    expected = np.log(given_s.max(axis=0) / given_s.min(axis=0)).max()
    for alpha in (0.7, 1.0, 2.0):
        assert worst_case(RenyiBall(cells, 0.0, alpha), answers).level == pytest.approx(expected)


def test_an_output_that_rules_out_a_secret_is_infinite():
    answers = np.array([[[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]]])
    assert worst_case(RenyiBall(np.full((2, 2), 0.25), 0.1), answers).level == np.inf
    assert exceeds(RenyiBall(np.full((2, 2), 0.25), 0.1, 0.3), answers, 100.0)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 2.0])
def test_level_rises_with_the_ball_and_exceeds_agrees(alpha):
    rng = np.random.default_rng(3)
    cells, answers = rng.dirichlet(np.ones(6)).reshape(3, 2), rng.dirichlet(np.ones(3), (3, 2))
    levels = [worst_case(RenyiBall(cells, b, alpha), answers).level for b in (0, 0.01, 0.1, np.inf)]
    assert levels == sorted(levels)
    assert levels[1] > levels[0]
    ball = RenyiBall(cells, 0.01, alpha)
    assert exceeds(ball, answers, levels[1] - 1e-5)
    assert not exceeds(ball, answers, levels[1] + 1e-5)


def test_a_worst_case_names_where_it_is():
    ball = RenyiBall([[0.25, 0.25], [0.25, 0.25]], 0.1)
    answers = np.zeros((2, 2, 3))
    answers[..., 2] = [[0.9, 0.7], [0.3, 0.1]]  # outputs 0 and 1 never or hardly tell
    answers[..., 1] = 1 - answers[..., 2]
    worst = worst_case(ball, answers)
    assert (worst.output, worst.above, worst.below) == (1, 1, 0) or worst.output == 2
    assert 0 < worst.angle < np.pi / 2


def test_log_mean_exp_keeps_digits_and_does_not_overflow():
    weights = np.array([[0.5, 0.5], [0.25, 0.75], [1.0, 0.0], [0.0, 0.0]])
    exponents = np.array([[1e-12, -1e-12], [1000.0, -1000.0], [np.inf, 3.0], [5.0, 5.0]])
    result = log_mean_exp(weights, exponents)
    assert result[0] == pytest.approx(5e-25, abs=1e-27)
    assert result[1] == pytest.approx(1000 + np.log(0.25))
    assert result[2] == np.inf
    assert result[3] == 0.0


@pytest.mark.parametrize("alpha", [0.5, 1 + 1e-12, 3.0, 1e300])
@pytest.mark.parametrize("bound", [0.0, 1e-17, 0.3, 700.0, 1e300])
def test_balls_of_any_order_and_size_have_a_worst_case(alpha, bound):
    cells = np.array([[0.3, 1e-13, 0.1], [0.2, 0.3, 0.1 - 1e-13]])
    ball = RenyiBall(cells, bound, alpha)
    answers = np.array([[[0.8, 0.2], [0.5, 0.5], [0.1, 0.9]], [[0.3, 0.7], [0.4, 0.6], [1.0, 0.0]]])
    result = worst_case(ball, answers)
    assert result.level >= 0
    member = worst_member(ball, answers)
    assert (member >= 0).all()
    assert member.sum() == pytest.approx(1)
    assert (ball.lower <= ball.p_u_given_s + 1e-15).all()
    assert (ball.p_u_given_s <= ball.upper + 1e-15).all()
    assert (ball.radius >= 0).all()


@pytest.mark.parametrize("alpha", [0.5, 0.7, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("bound", [1e-4, 0.1, 3.0])
@pytest.mark.parametrize("seed", [0, 9])
def test_worst_split_is_the_best_of_a_thousand(alpha, bound, seed):
    rng = np.random.default_rng(seed)
    cells = rng.multinomial(200, rng.dirichlet(np.full(12, 0.4))).reshape(3, 4).astype(float)
    cells[cells.sum(axis=1) == 0, 0] = 1.0  # unseen symbols stay, secrets do not
    ball = RenyiBall(cells / cells.sum(), bound, alpha)
    kernel = rng.dirichlet([0.7] * 3, size=4)
    spent = ball.budget * np.sin(np.linspace(0, np.pi / 2, 1001)) ** 2
    highest = 0.0
    for s1, s2 in np.argwhere(~np.eye(3, dtype=bool)):
        p1, p2 = ball.p_u_given_s[[s1, s2]]
        b1, b2 = bound_of(spent, ball.p_s[s1], alpha), bound_of(spent[::-1], ball.p_s[s2], alpha)
        for v in kernel.T:
            values = np.tile(v, (1001, 1))
            levels = np.log(greatest(p1, values, b1, alpha) / least(p2, values, b2, alpha))
            highest = max(highest, float(levels.max()))
    level = worst_case(ball, np.tile(kernel, (3, 1, 1))).level
    assert level >= highest - 1e-12
    assert level == pytest.approx(highest, rel=1e-4)


@pytest.mark.parametrize("n", [1, 10**15])
@pytest.mark.parametrize("beta", [1e-300, 0.5, 1 - 1e-12])
@pytest.mark.parametrize("alpha", [0.05, 0.5, 1.0, 100.0])
def test_confidence_sets_of_any_number_of_records_are_balls(n, beta, alpha):
    ball = RenyiBall.confidence([[0.4, 0.1], [0.2, 0.3]], n, beta, alpha)
    assert ball.bound >= 0
    assert ((ball.lower >= 0) & (ball.lower <= ball.upper) & (ball.upper <= 1)).all()
    assert ball.contains(ball.p_hat_su)


@pytest.mark.parametrize("alpha", [0.3, 2.0])
def test_many_outputs_are_looked_at_in_parts(alpha, monkeypatch):
    rng = np.random.default_rng(3)
    ball = RenyiBall(rng.dirichlet(np.ones(12)).reshape(3, 4), 0.02, alpha)
    answers = rng.dirichlet(np.ones(9), size=(3, 4))
    answers[..., 2] = 0.0  # an output that never occurs
    whole = worst_case(ball, answers)
    monkeypatch.setattr("core.uncertainty.worst_case.CELLS", 24)  # two outputs
    assert worst_case(ball, answers) == whole


def test_outputs_behind_one_above_the_limit_are_not_looked_at(monkeypatch):
    """At 442 symbols a mechanism that breaks RLDP took half a second for its last outputs."""
    rng = np.random.default_rng(3)
    ball = RenyiBall(rng.dirichlet(np.ones(12)).reshape(3, 4), 0.02)
    answers = rng.dirichlet(np.ones(9), size=(3, 4))
    answers[..., :7] = answers[..., :7].sum(axis=(0, 1)) / 12  # which reveal nothing
    answers /= answers.sum(axis=2, keepdims=True)
    answers[..., 7] *= 0.1
    looked_at = []

    def counted(p, values, bound, alpha):
        looked_at.append(len(values))
        return greatest(p, values, bound, alpha)

    monkeypatch.setattr("core.uncertainty.worst_case.greatest", counted)
    monkeypatch.setattr("core.uncertainty.worst_case.CELLS", 12)
    level = worst_case(ball, answers).level
    assert len(looked_at) == 9
    looked_at.clear()
    given_s = np.einsum("su,suy->sy", ball.p_u_given_s, answers)
    at_estimate = float(np.log(given_s.max(axis=0) / given_s.min(axis=0)).max())
    assert exceeds(ball, answers, (at_estimate + level) / 2)
    assert looked_at == [1]  # the one that reveals most, wherever it stands
    ratios = np.log(answers.max(axis=(0, 1))) - np.log(answers.min(axis=(0, 1)))
    limit = float(ratios.max()) + 1e-9
    looked_at.clear()
    assert not exceeds(ball, answers, limit)  # no distribution has more
    assert looked_at == []
    assert not exceeds(ball, answers, level)


@pytest.mark.parametrize("alpha", [0.3, 0.5, 1.0, 2.0])
def test_equal_values_of_an_output_are_one(alpha):
    rng = np.random.default_rng(5)
    ball = RenyiBall(rng.dirichlet(np.ones(24)).reshape(3, 8), 0.05, alpha)
    group = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    answers = rng.dirichlet(np.ones(4), size=(3, 2))[:, group]
    answers[:, :, 3] = answers[:, 0, 3][:, None]  # an output of one value
    answers /= answers.sum(axis=-1, keepdims=True)
    values = module._values_of(ball, answers)
    plain = module._Values(answers, values.sizes, ball.p_u_given_s[..., None])
    assert values.answers.shape[1] < ball.n_u
    assert values.p.sum(axis=1) == pytest.approx(1)
    every = [worst_case(ball, answers).level]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_values_of", lambda *_: plain)
        every.append(worst_case(ball, answers).level)
    assert every[0] == pytest.approx(every[1], abs=1e-9 if alpha >= 0.5 else 2e-6)


def test_what_the_estimate_exceeds_is_not_searched_over_the_ball(monkeypatch):
    """At 10×442 the symbols as they are took .14 of the .3 s of each budget of a line."""
    monkeypatch.setattr(module, "_worst", None)  # a call would end in an error
    ball = RenyiBall(np.array([[0.3, 0.1], [0.2, 0.4]]), 0.1, 1.0)
    answers = np.broadcast_to([[0.9, 0.1], [0.2, 0.8]], (2, 2, 2))
    # P(y=1 | s) is .9·¾ + .2·¼ = .725 and .9·⅓ + .2·⅔ = .43 at P̂, P(y=2 | s) .275 and .57
    level = np.log((0.1 / 3 + 1.6 / 3) / 0.275)
    assert exceeds(ball, answers, level - 1e-9)
    with pytest.raises(TypeError):
        exceeds(ball, answers, level + 1e-9)


def test_a_constant_output_tells_nothing_about_a_secret_that_was_never_seen():
    ball = RenyiBall([[1, 3], [3, 1], [0, 0]], 0.1)
    assert not exceeds(ball, np.full((3, 2, 2), 0.5), 1e-12)
    answers = np.broadcast_to([[0.6, 0.4], [0.4, 0.6]], (3, 2, 2))
    level = worst_case(ball, answers).level
    # anything is possible there, so all may be on the second symbol
    assert level == pytest.approx(np.log((0.4 + 0.2 * ball.upper[1, 0]) / 0.4))
    assert exceeds(ball, answers, level - 1e-9)
    assert not exceeds(ball, answers, level + 1e-9)


@pytest.mark.parametrize("alpha", [0.3, 0.5, 0.6, 0.9, 1.0, 2.0])
def test_a_ball_of_everything_has_the_least_and_the_greatest_answer(alpha):
    """Where both sides had only just enough of a budget the level was 5.5e-5 too low."""
    ball = RenyiBall([[0.0, 0.99], [0.0, 0.01]], np.inf, alpha)
    answers = np.array([[[0.9], [0.6]], [[0.001], [0.9]]])
    assert worst_case(ball, answers).level == pytest.approx(np.log(900), abs=1e-12)


def test_a_tilt_is_found_between_where_the_divergence_is_flat_and_where_it_is_rounding():
    """Newton's steps began at −50, leapt to 24 and crept: the margin was −2e9."""
    p, gap = np.array([[0.0023, 0.9568, 2.87e-8, 0.0409]]), np.array([[0.73, 0.61, 0.0, 1.0]])
    p /= p.sum()
    bounds = np.linspace(0.03, 0.07, 400)
    margins = margin(np.repeat(p, 400, axis=0), np.repeat(gap, 400, axis=0), bounds, 2.0)
    assert (np.diff(margins) < 0).all()
    assert (margins > 0.5).all()


def test_only_pairs_that_may_be_worse_are_sorted(monkeypatch):
    """Of a thousand secrets all pairs of four outputs took half a second to sort."""
    cells = np.diag(np.arange(1.0, 41.0))
    ball = RenyiBall.confidence(cells / cells.sum(), n=10**6)
    kernel = np.full((40, 40), 0.015) + 0.4 * np.eye(40)
    sizes, sort = [], np.argsort

    def noted(values, *args, **how):
        sizes.append(len(values) * (np.ndim(values) == 1))
        return sort(values, *args, **how)

    monkeypatch.setattr(np, "argsort", noted)
    result = worst_case(ball, np.broadcast_to(kernel, (40, 40, 40)))
    assert result.level == pytest.approx(np.log(0.415 / 0.015))
    assert max(sizes, default=0) < 40 * 39 * 40 / 10


STEEP = np.array(
    [
        [0.45752223518867663, 0.27803685184374044, 0.07656159793709368, 0.18787931503048919],
        [0.2941894308941116, 0.0950966361318835, 0.5826191545782977, 0.02809477839570717],
        [0.15719873004841858, 0.26819989271366934, 0.398016693095505, 0.176584684142407],
        [0.0016615790387159363, 0.1653363061573751, 0.15452987637324908, 0.67847223843066],
    ]
)
"""A kernel of (y | x) whose worst case takes all of its mass from a secret."""


def test_a_secret_may_lose_all_of_its_mass_at_an_order_below_one():
    """The level has a kink there, near which a split found to 1e-7 was 9.4e-6 nats too low."""
    p_hat = np.zeros((3, 4))
    p_hat[0, 2], p_hat[1, 1] = 0.12089313209857866, 0.006956402848331687
    p_hat[2] = [0.2990103989302672, 0.5164993480573566, 0.0, 0.05664071806546582]
    member = np.zeros((3, 4))
    member[0, 2], member[1, 3] = 0.1312643645909606, 1.085788434068571e-15
    member[2] = [0.5345004719447333, 0.3224550152942941, 0.0, 0.011780148170010876]
    ball = RenyiBall.confidence(p_hat, 61, alpha=0.5)
    member /= member.sum()
    assert -2 * np.log(np.sqrt(ball.p_hat_su * member).sum()) <= ball.bound + 1e-12
    told = (member / member.sum(axis=1, keepdims=True)) @ STEEP
    revealed = np.log(told.max(axis=0) / told.min(axis=0)).max()
    found = worst_case(ball, np.broadcast_to(STEEP, (3, 4, 4))).level
    assert revealed == pytest.approx(5.4602107165, abs=1e-9)
    assert found >= revealed - 1e-10
