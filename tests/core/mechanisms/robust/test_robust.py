"""The robust mechanisms: golden numbers, orders that are theorems, limits, zero cells, errors."""

import importlib

import numpy as np
import pytest

from core import clock
from core import mechanisms as m
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.robust.reporting import best_split, conditional_distance, delta_of
from core.notions import LDP, RLDP
from core.studies import robust_designs
from core.uncertainty import RenyiBall

EXAMPLE = np.array([[0.07, 0.10], [0.26, 0.57]])
TRUTH = np.array([[0.1, 0.1], [0.2, 0.6]])
EPS = np.log(2)
BALL = RenyiBall.confidence(EXAMPLE, n=100, beta=0.05)


def at_truth(mechanism):
    return float(robust_designs.information(TRUTH, mechanism.kernel))


def test_printed_polyopt_of_example_3():
    result = m.polyopt(EXAMPLE, EPS, BALL, include_same_secret=True)
    assert result.utility == pytest.approx(0.42278, abs=5e-6)
    assert result.status == "optimal"
    assert at_truth(result) == pytest.approx(0.37021, abs=5e-6)
    printed = np.array(
        [
            [0.0885, 0.3840, 0.6667, 0.0507],
            [0.0860, 0.3731, 0.0, 0.3080],
            [0.6162, 0.1813, 0.0, 0.6159],
            [0.2094, 0.0616, 0.3333, 0.0254],
        ]
    )
    order = np.lexsort(result.kernel.round(3)), np.lexsort(printed.T.round(3))
    assert result.kernel[:, order[0]] == pytest.approx(printed.T[:, order[1]], abs=1e-4)


def test_polyopt_without_the_vacuous_rows():
    result = m.polyopt(EXAMPLE, EPS, BALL)
    assert result.utility == pytest.approx(0.5630, abs=5e-5)
    assert result.nmi == pytest.approx(0.518, abs=5e-4)
    assert result.audit.holds
    assert (
        RLDP(EPS, BALL).achieved(Joint.with_secret_released(EXAMPLE), result.kernel) <= EPS + 1e-12
    )


def test_exact_optimum_of_example_3():
    result = m.robust_optimal(EXAMPLE, EPS, BALL, time_limit=60)
    assert result.nmi >= 0.546
    assert result.nmi == pytest.approx(0.54607, abs=5e-6)
    assert result.status == "optimal"
    assert result.gap <= 1e-6
    assert result.audit.achieved <= EPS + 1e-12
    assert result.notion.exact


def test_a_robust_optimum_in_a_hurry_is_polyopt_with_a_bound_that_holds():
    result = m.robust_optimal(EXAMPLE, EPS, BALL, time_limit=0.3)
    assert result.status == "time limit"
    assert result.notion.exact
    assert result.audit.holds
    assert result.utility <= m.polyopt(EXAMPLE, EPS, BALL, time_limit=60).utility + 1e-6
    assert result.utility >= m.secret_randomized_response(EXAMPLE, EPS).utility - 1e-9
    assert result.upper_bound >= m.non_robust(EXAMPLE, EPS, time_limit=60).utility - 1e-9
    assert result.gap == pytest.approx(result.upper_bound - result.utility)


def test_the_robust_optimum_is_never_below_polyopt_of_the_same_time():
    rng = np.random.default_rng(0)
    counts = rng.multinomial(3000, rng.dirichlet([0.5] * 30)).reshape(2, 15)
    ball = RenyiBall.confidence(counts, 3000)
    exact = m.robust_optimal(counts, 1.0, ball, time_limit=3)
    poly = m.polyopt(counts, 1.0, ball, time_limit=3)
    assert poly.utility > 0.5
    assert exact.utility >= poly.utility - 1e-9
    assert RLDP(1.0, ball, exact=True).holds(
        Joint.with_secret_released(counts, keep_unseen=True), poly.kernel
    )


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("shape", [(3, 3), (4, 4), (2, 12)])
@pytest.mark.parametrize("limit", [0.3, 1.0, 5.0])
def test_no_optimum_is_below_polyopt_of_the_same_limit(shape, exact, limit):
    rng = np.random.default_rng(5)
    counts = rng.multinomial(3000, rng.dirichlet([0.5] * (shape[0] * shape[1]))).reshape(shape) + 1
    notion = RLDP(0.7, RenyiBall.confidence(counts, int(counts.sum())), exact=exact)
    with clock.using(clock.Ticking(1 / 32)):
        poly = m.polyopt(counts, 0.7, notion.uncertainty, time_limit=limit)
    with clock.using(clock.Ticking(1 / 32)):
        best = m.optimal(Joint.with_secret_released(counts), notion, time_limit=limit)
    assert best.utility >= poly.utility - 1e-9
    assert poly.utility >= m.secret_randomized_response(counts, 0.7).utility - 1e-9


def test_the_robust_optimum_normalises_the_estimate_as_polyopt_does():
    """Once more changes the last digit, and so the outputs that a search without a proof finds."""
    cells = [[10**13, 0, 5 * 10**8], [0, 1, 6 * 10**11], [0, 0, 9]]
    joint = Joint.with_secret_released(cells)
    notion = RLDP.of_joint(joint, 1.0, n=10**6, beta=0.5, alpha=0.3)
    centre = notion.uncertainty.p_hat_su
    with clock.using(clock.Ticking(1 / 16)):
        best = m.optimal(joint, notion)
        poly = m.polyopt(centre, 1.0, notion.uncertainty)
    assert best.utility >= poly.utility - 1e-9


@pytest.mark.parametrize(("eps", "n"), [(0.01, 10**6), (0.5, 10**12)])
def test_levels_rounded_up_cost_the_robust_optimum_no_more_than_polyopt_has(eps, n):
    """Below the order ½ the audit rounds levels up by 1e-6, which is dear where ε is small."""
    joint = Joint.with_secret_released([[1, 2], [2, 1]])
    notion = RLDP.of_joint(joint, eps, n=n, alpha=0.3)
    best = m.optimal(joint, notion)
    assert best.utility >= m.polyopt([[1, 2], [2, 1]], eps, notion.uncertainty).utility - 1e-9
    assert best.gap < 1e-5


def test_a_robust_optimum_without_a_proof_is_bounded_by_ldp_at_the_estimate():
    counts = np.random.default_rng(5).integers(1, 30, size=(3, 8))
    ball = RenyiBall.confidence(counts, int(counts.sum()))
    with clock.using(clock.Ticking(1 / 32)):
        result = m.robust_optimal(counts, 0.3, ball, time_limit=1.0)
        trusting = m.non_robust(counts, 0.3, time_limit=0.1)
    assert result.status == "time limit"
    assert result.utility < result.upper_bound <= trusting.upper_bound + 1e-12
    assert trusting.upper_bound < -(counts / counts.sum() * np.log(counts / counts.sum())).sum()


def test_a_robust_optimum_too_large_for_cutting_planes_is_not_below_polyopt(monkeypatch):
    module = importlib.import_module(
        "core.mechanisms.optima.robust_optimal"
    )  # the name is the function
    monkeypatch.setattr(module, "too_large", lambda allowed: allowed.oracle is not None)
    result = m.robust_optimal(EXAMPLE, EPS, BALL)
    assert result.utility >= m.polyopt(EXAMPLE, EPS, BALL).utility - 1e-9
    assert result.notion.exact
    assert result.audit.holds
    assert result.upper_bound >= max(result.utility, 0.59360)


def test_non_robust_optimum_of_example_3():
    result = m.non_robust(EXAMPLE, EPS)
    assert result.nmi == pytest.approx(0.610, abs=5e-4)
    assert (
        RLDP(EPS, BALL, exact=True).achieved(Joint.with_secret_released(EXAMPLE), result.kernel)
        > EPS
    )


def test_secret_randomised_response_of_example_4():
    result = m.secret_randomized_response(EXAMPLE, EPS)
    assert result.kernel[0] == pytest.approx([4 / 9, 1 / 9, 2 / 9, 2 / 9])
    assert result.utility == pytest.approx(0.1005, abs=5e-5)
    assert at_truth(result) == pytest.approx(0.0942, abs=5e-5)
    assert result.audit.achieved == pytest.approx(EPS)


def test_generalised_randomised_response_of_example_4():
    kernel = np.full((4, 4), 0.2) + 0.2 * np.eye(4)
    assert float(robust_designs.information(EXAMPLE, kernel)) == pytest.approx(0.0419, abs=5e-5)
    assert float(robust_designs.information(TRUTH, kernel)) == pytest.approx(0.0412, abs=5e-5)


def test_independent_reporting_of_example_5():
    # the printed d = 1.4591 follows from the right B_s, not from the printed radii (1.4184)
    assert conditional_distance(BALL) == pytest.approx(1.4591, abs=5e-5)
    assert pytest.approx(1.4184, abs=1e-4) == 2 * 0.6107 + 2 * (7 / 17 - 26 / 83)
    result = m.independent_reporting(EXAMPLE, EPS, BALL)
    assert best_split(EXAMPLE, EPS, conditional_distance(BALL)) == pytest.approx(EPS)
    assert np.unique(result.kernel.round(4)) == pytest.approx([0.1483, 0.3517])
    assert result.utility == pytest.approx(0.0755, abs=5e-5)
    assert at_truth(result) == pytest.approx(0.0718, abs=5e-5)


def test_independent_reporting_is_a_product_with_the_stated_budgets():
    cells, eps = np.array([[0.2, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.2]]), 4.0
    ball = RenyiBall.confidence(cells, 100_000)
    result = m.independent_reporting(cells, eps, ball)
    distance = conditional_distance(ball)
    assert 0.1 < best_split(cells, eps, distance) < eps - 0.1
    utilities = []
    for other in np.linspace(0, eps, 201):
        of_s = np.where(np.eye(2) > 0, np.exp(eps - other), 1.0)
        of_u = np.where(np.eye(4) > 0, np.exp(delta_of(other, distance)), 1.0)
        kernel = np.kron(
            of_s / of_s.sum(axis=1, keepdims=True), of_u / of_u.sum(axis=1, keepdims=True)
        )
        utilities.append(float(robust_designs.information(cells, kernel)))
    assert result.utility >= max(utilities) - 1e-9
    assert result.utility == pytest.approx(max(utilities), abs=1e-3)


@pytest.mark.parametrize("eps", [400.0, 709.5, 1e308])
@pytest.mark.parametrize(
    "made", [m.secret_randomized_response, m.pair_randomized_response], ids=["secret", "pair"]
)
def test_a_finite_budget_leaves_no_answer_impossible(made, eps):
    result = made(EXAMPLE, eps)
    assert result.audit.holds
    assert result.nmi == pytest.approx(1.0)
    assert (result.kernel > 0).all()
    assert m.independent_reporting(EXAMPLE, eps, BALL).nmi == pytest.approx(1.0)


def test_independent_secret_releases_u():
    cells = np.outer([0.3, 0.7], [0.5, 0.25, 0.25])
    ball = RenyiBall(cells, 0.0)
    assert conditional_distance(ball) == pytest.approx(0.0, abs=1e-15)
    assert delta_of(0.3, 0.0) == np.inf
    assert best_split(cells, 1.0, 0.0) == 0.0
    everything = m.independent_reporting(EXAMPLE, np.inf, BALL)
    assert everything.nmi == pytest.approx(1.0)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_utilities_are_in_the_order_of_their_sets(seed):
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(200, rng.dirichlet(np.ones(4))).reshape(2, 2) + 1
    ball = RenyiBall.confidence(counts, int(counts.sum()))
    eps = [0.3, 0.7, 1.5][seed]
    options = {"gap": 1e-5, "time_limit": 8}
    printed = m.polyopt(counts, eps, ball, include_same_secret=True)
    poly = m.polyopt(counts, eps, ball)
    exact = m.robust_optimal(counts, eps, ball, **options)
    free = m.non_robust(counts, eps)
    secret = m.secret_randomized_response(counts, eps)
    separate = m.independent_reporting(counts, eps, ball)
    slack = 1e-8
    assert printed.utility <= poly.utility + slack
    assert poly.utility <= exact.utility + slack
    assert exact.utility <= free.utility + slack
    assert secret.utility <= poly.utility + slack
    assert separate.utility <= exact.utility + slack
    assert exact.upper_bound <= free.upper_bound + slack


def test_printed_polyopt_can_fall_below_secret_randomised_response():
    # it bounds the ratio of two u of one secret by e^ε, where secret RR uses e^{2ε}
    counts = np.array([[2, 3], [3, 2]])
    ball = RenyiBall.confidence(counts, 10)
    printed = m.polyopt(counts, 1.0, ball, include_same_secret=True)
    secret = m.secret_randomized_response(counts, 1.0)
    ours = m.polyopt(counts, 1.0, ball)
    assert printed.upper_bound < secret.utility - 0.01
    assert ours.utility >= secret.utility - 1e-9


def test_no_uncertainty_gives_the_non_robust_optimum():
    free = m.non_robust(EXAMPLE, EPS)
    for make in (m.polyopt, m.robust_optimal):
        assert make(EXAMPLE, EPS, RenyiBall(EXAMPLE, 0.0)).utility == pytest.approx(
            free.utility, abs=1e-6
        )
    utilities = [
        m.polyopt(EXAMPLE, EPS, RenyiBall.confidence(EXAMPLE, n)).utility
        for n in (100, 10_000, 1_000_000, 10**9)
    ]
    assert utilities == sorted(utilities)
    assert utilities[-1] == pytest.approx(free.utility, abs=2e-4)


def test_theorem_4_secret_rr_is_optimal_without_knowledge_for_large_budgets():
    for cells in (EXAMPLE, np.array([[0.3, 0.2, 0.1], [0.1, 0.1, 0.2]])):
        ball = RenyiBall(cells, np.inf)
        best = m.polyopt(cells, 4.0, ball)
        secret = m.secret_randomized_response(cells, 4.0)
        assert best.status == "optimal"
        assert secret.utility == pytest.approx(best.upper_bound, abs=1e-6)
    # for small ones it is not
    assert m.polyopt(EXAMPLE, 0.2, RenyiBall(EXAMPLE, np.inf)).utility > 1.2 * (
        m.secret_randomized_response(EXAMPLE, 0.2).utility
    )


@pytest.mark.parametrize("alpha", [0.7, 1.0, 3.0])
def test_other_orders_keep_the_promise_for_all_sampled_members(alpha):
    ball = RenyiBall(EXAMPLE, 0.02, alpha)
    result = m.robust_optimal(EXAMPLE, EPS, ball, gap=1e-3, time_limit=3)
    poly = m.polyopt(EXAMPLE, EPS, ball)
    assert poly.utility - 1e-8 <= result.utility <= m.non_robust(EXAMPLE, EPS).utility + 1e-8
    members = ball.sample(3000, np.random.default_rng(0), boundary=True)
    levels = robust_designs.realised_level(members, result.kernel)
    assert levels.max() <= EPS + 1e-12


def test_zero_cells_get_an_answer_and_keep_the_promise():
    cells = np.array([[7, 10, 0], [26, 30, 27]])
    ball = RenyiBall.confidence(cells, 100)
    for result in (m.polyopt(cells, EPS, ball), m.non_robust(cells, EPS)):
        assert result.kernel.shape[0] == 6
        assert result.kernel.sum(axis=1) == pytest.approx(np.ones(6))
        assert result.kernel[2] == pytest.approx(
            (7 * result.kernel[0] + 10 * result.kernel[1]) / 17
        )
        assert result.notes[-1] == "1 cell never observed: treated as typical of the secret."
    poly = m.polyopt(cells, EPS, ball)
    members = ball.sample(3000, np.random.default_rng(0), boundary=True)
    assert members[:, 0, 2].max() > 0.01
    assert robust_designs.realised_level(members, poly.kernel).max() <= EPS + 1e-12
    assert poly.x_labels[2] == "s1 · u3"
    assert m.secret_randomized_response(cells, EPS).kernel.shape == (6, 6)


def test_infinite_and_zero_budgets():
    assert m.polyopt(EXAMPLE, np.inf, BALL).nmi == pytest.approx(1.0)
    assert m.secret_randomized_response(EXAMPLE, np.inf).kernel.tolist() == np.eye(4).tolist()
    assert m.secret_randomized_response(EXAMPLE, 0).utility == pytest.approx(0.0, abs=1e-12)
    assert m.independent_reporting(EXAMPLE, 0, BALL).utility == pytest.approx(0.0, abs=1e-12)
    assert m.polyopt(EXAMPLE, 0, BALL).utility == pytest.approx(0.0, abs=1e-9)
    assert m.robust_optimal(EXAMPLE, np.inf, BALL).nmi == pytest.approx(1.0)


def test_figure_4_the_non_robust_optimum_breaks_its_promise_and_polyopt_keeps_it():
    rng = np.random.default_rng(0)
    eps, broken, kept = 0.5, 0, 0
    for _ in range(12):
        truth = robust_designs.draw_truth(2, 2, rng)[0]
        counts = robust_designs.draw_sample(truth, 400, rng)
        if (counts.sum(axis=1) == 0).any():
            continue
        ball = RenyiBall.confidence(counts, 400)
        broken += bool(robust_designs.realised_level(truth, m.non_robust(counts, eps).kernel) > eps)
        if ball.contains(truth):
            level = robust_designs.realised_level(truth, m.polyopt(counts, eps, ball).kernel)
            assert level <= eps + 1e-12
            kept += 1
    assert broken >= 4
    assert kept >= 8


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: m.secret_randomized_response([[0.4, 0.6]], 1), "at least two secrets"),
        (lambda: m.secret_randomized_response(EXAMPLE, -1), "eps must be in"),
        (lambda: m.polyopt(np.full((2, 3), 1 / 6), 1, BALL), r"must have the shape \(2, 2\)"),
        (lambda: m.polyopt(TRUTH, 1, BALL), "they differ by 0.06"),
        (lambda: m.polyopt(EXAMPLE, 1, "ball"), "uncertainty must be a RenyiBall"),
        (lambda: m.polyopt(EXAMPLE, 1, BALL, solver="magic"), "solver must be"),
        (lambda: m.independent_reporting(EXAMPLE, np.nan, BALL), "eps must be in"),
        (lambda: m.independent_reporting(EXAMPLE, 1, 0.1), "must be a RenyiBall, got 0.1"),
        (lambda: m.non_robust([[0, 0], [3, 4]], 1), "Secret number 1 never occurs"),
        (
            lambda: m.robust_optimal([[3, 4], [0, 0]], 1, RenyiBall([[3, 4], [0, 0]], 0.1)),
            r"Secret number 2 never occurs in the sample.*B_s = ∞",
        ),
    ],
)
def test_bad_input_gets_one_sentence(make, sentence):
    with pytest.raises(InvalidInputError, match=sentence) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_ldp_of_the_non_robust_optimum_is_audited_at_the_estimate():
    result = m.non_robust(EXAMPLE, EPS)
    assert result.notion == LDP(EPS)
    assert result.audit.achieved <= EPS + 1e-12


def test_polyopt_in_place_of_the_optimum_passes_the_audit_of_the_set_itself():
    counts = np.array([[1, 1, 0, 2, 1], [1, 1, 1, 1, 1]])
    ball = RenyiBall.confidence(counts, 10, 0.001, 1.0)
    hasty = m.robust_optimal(counts, 8.0, ball, time_limit=0.08)  # too little for cutting planes
    assert hasty.audit.holds
    assert hasty.utility == pytest.approx(2.1505, abs=1e-3)
    assert hasty.utility <= m.robust_optimal(counts, 8.0, ball).upper_bound
