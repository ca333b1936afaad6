import numpy as np
import pytest

from core import clock
from core import mechanisms as m
from core.joint import Joint
from core.notions import RLDP
from core.uncertainty import RenyiBall
from core.uncertainty.ball import mass_range

CELLS = np.array([[2.0, 1.0, 3.0], [1.0, 4.0, 2.0]])
CELLS /= CELLS.sum()


@pytest.mark.parametrize("alpha", [0.3, 0.9, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("bound", [1e-9, 1e-12, 1e-14, 1e-16])
def test_the_range_in_a_small_ball_is_not_too_small(alpha, bound):
    """To second order D = x²/(2αρ(1−ρ)/α²) = α(R − ρ)²/(2ρ(1 − ρ)) for a mass R beside ρ."""
    rho = np.array([0.1, 0.5, 0.8])
    low, high = mass_range(rho, np.array(bound), alpha)
    reach = np.sqrt(2 * bound * rho * (1 - rho) / alpha)
    np.testing.assert_allclose(high - rho, reach, rtol=3e-4 + 10 * np.sqrt(bound), atol=2e-16)
    np.testing.assert_allclose(rho - low, reach, rtol=3e-4 + 10 * np.sqrt(bound), atol=2e-16)
    assert (high - rho >= reach * (1 - 3e-4 - 10 * np.sqrt(bound)) - 2e-16).all()


@pytest.mark.parametrize("alpha", [0.3, 0.9, 3.0, 10.0])
@pytest.mark.parametrize("bound", [1e-10, 1e-13])
def test_polyopt_in_a_small_ball_keeps_its_promise_there(alpha, bound):
    ball = RenyiBall(CELLS, bound, alpha)
    with clock.using(clock.Ticking(0.05)):
        made = m.polyopt(CELLS, 0.3, ball, time_limit=2)
    whole = Joint.with_secret_released(CELLS, keep_unseen=True)
    assert RLDP(0.3, ball, exact=True).achieved(whole, made.kernel) <= 0.3 + 1e-12


@pytest.mark.parametrize(
    ("counts", "eps", "n", "beta", "alpha"),
    [
        ([[12345, 2], [1, 7], [12345, 0]], 0.01, 10**17, 1e-9, 100.0),
        ([[12345, 0], [12345, 1]], 1.0, 10**17, 0.05, 0.3),
        ([[1, 12345], [12345, 2]], 5.0, 10**12, 0.05, 1.001),
    ],
)
def test_polyopt_keeps_its_promise_where_rare_cells_are_beside_likely_ones(
    counts, eps, n, beta, alpha
):
    """The rounding of L_{u|s} near 1 was 1e-12 of the rare cell's weight: 4e-12 above ε."""
    joint = Joint.with_secret_released(counts)
    notion = RLDP.of_joint(joint, eps, n=n, beta=beta, alpha=alpha)
    with clock.using(clock.Ticking(1 / 16)):
        made = m.polyopt(counts, eps, notion.uncertainty, time_limit=3)
    assert notion.achieved(joint, made.kernel[joint.kept_x]) <= eps + 1e-12
    outside = notion.uncertainty.lower_rounded / notion.uncertainty.p_u_given_s.clip(1e-300)
    assert (outside < 1).all()


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.4, 0.49])
@pytest.mark.parametrize("eps", [0.0, 0.01, 0.5, 8.0])
@pytest.mark.parametrize("bound", [0.0, 0.1, 3.0, np.inf])
def test_sets_of_orders_below_one_half_allow_what_holds_for_every_distribution(alpha, eps, bound):
    ball = RenyiBall(CELLS, bound, alpha)
    notion = RLDP(eps, ball, exact=True)
    whole = Joint.with_secret_released(CELLS, keep_unseen=True)
    assert notion.achieved(whole, np.ones((6, 1))) == 0
    for made in (
        m.secret_randomized_response(CELLS, eps),
        m.pair_randomized_response(CELLS, eps),
        m.independent_reporting(CELLS, eps, ball),
    ):
        assert notion.holds(whole, made.kernel)
        assert notion.achieved(whole, made.kernel) <= eps + 1e-12


@pytest.mark.parametrize("eps", [0.0, 1e-9, 0.5])
def test_the_robust_optimum_of_an_order_below_one_half_passes_its_audit(eps):
    ball = RenyiBall.confidence(CELLS, n=100, alpha=0.3)
    with clock.using(clock.Ticking(0.2)):
        made = m.robust_optimal(CELLS, eps, ball, time_limit=4, gap=1e-3)
    assert made.audit.holds


def test_cells_that_hardly_exist_count_as_never_seen():
    cells = [[0.5, 1e-301, 0.1], [0.2, 0.2, 0.0]]
    ball = RenyiBall.confidence(cells, n=100)
    with clock.using(clock.Ticking(0.2)):
        made = m.polyopt(cells, 1.0, ball, time_limit=2)
    assert made.audit.holds
    assert made.notes[-1] == "2 cells never observed: treated as typical of the secret."
