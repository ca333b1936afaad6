import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import mechanisms as m
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.polish import polished
from core.notions import LDP, PointwiseMaximalLeakage, RobustLDP, RobustPML
from core.notions.robust_markov import ball_around
from core.uncertainty import RenyiBall

TOY = Joint.from_counts(np.random.default_rng(0).random((2, 3)))


@pytest.mark.parametrize(
    ("n", "nmi"), [(100, 0.487), (1_000, 0.657), (10_000, 0.677), (1_000_000, 0.688)]
)
def test_what_is_kept_of_a_toy_grows_with_the_records(n, nmi):
    ball = ball_around(TOY, n)
    polytopes = m.optimal(TOY, RobustLDP(1.0, ball, exact=False))
    assert polytopes.nmi == pytest.approx(nmi, abs=5e-4)
    whole = m.optimal(TOY, RobustLDP(1.0, ball))
    assert polytopes.nmi <= whole.nmi <= m.optimal(TOY, LDP(1.0)).nmi


def test_members_of_the_set_find_no_more_than_the_level():
    rng = np.random.default_rng(1)
    joint = Joint.random_uniform(3, 4, rng)
    ball = ball_around(joint, n=200)
    kernel = rng.dirichlet(np.ones(3), size=4)
    level = RobustLDP(1.0, ball).achieved(joint, kernel)
    looser = RobustLDP(1.0, ball, exact=False).achieved(joint, kernel)
    found = [
        LDP(1.0).achieved(Joint.from_counts(member), kernel)
        for member in ball.sample(400, rng, boundary=True)
    ]
    assert max(found) <= level + 1e-9
    assert level <= looser
    assert max(found) > 0.8 * level


def test_pml_is_the_worst_of_conditionals_in_the_polytopes():
    rng = np.random.default_rng(2)
    joint = Joint.random_uniform(3, 4, rng)
    ball = ball_around(joint, n=100)
    kernel = rng.dirichlet(np.ones(3), size=4)
    level = RobustPML(1.0, ball).achieved(joint, kernel)
    free = 1 - ball.lower.sum(axis=1)
    corners = []
    for choice in np.ndindex(4, 4, 4):  # a vertex of D_s gives one x all the mass that is free
        given = ball.lower + free[:, None] * np.eye(4)[list(choice)]
        corners.append(
            PointwiseMaximalLeakage(1.0).achieved(
                Joint.from_counts(given * ball.p_s[:, None]), kernel
            )
        )
    assert level == pytest.approx(max(corners), rel=1e-9)


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 1.0, np.inf]))
@settings(max_examples=20)
def test_optima_keep_their_promise_and_no_random_kernel_keeps_more(seed, eps):
    rng = np.random.default_rng(seed)
    joint = Joint.random_uniform(2, 3, rng)
    ball = ball_around(joint, n=300)
    for notion in (RobustLDP(eps, ball, exact=False), RobustPML(eps, ball)):
        made = m.optimal(joint, notion)
        assert made.status == "optimal"
        assert notion.holds(joint, made.kernel)
        for _ in range(20):
            kernel = polished(joint, rng.dirichlet(0.3 * np.ones(3), size=3), notion)
            kept = m.result.make_mechanism(
                joint, kernel, name="", solver="", status="", notion=notion
            )
            assert kept.utility <= made.upper_bound + 1e-9


def test_many_records_leave_the_estimate():
    ball = RenyiBall(TOY.p, 0.0)
    assert m.optimal(TOY, RobustLDP(1.0, ball)).utility == pytest.approx(
        m.optimal(TOY, LDP(1.0)).utility, abs=2e-6
    )
    assert m.optimal(TOY, RobustPML(0.3, ball)).utility == pytest.approx(
        m.optimal(TOY, PointwiseMaximalLeakage(0.3)).utility, abs=2e-6
    )


def test_more_cells_than_pairs_of_vertices():
    joint = Joint.random_uniform(3, 10, np.random.default_rng(3))
    ball = ball_around(joint, n=10_000)
    made = m.optimal(joint, RobustLDP(1.0, ball, exact=False))
    assert made.audit.holds
    assert 0 < made.nmi <= m.optimal(joint, LDP(1.0)).nmi


def test_a_secret_that_is_likely_anyway_asks_nothing():
    joint = Joint.from_counts([[50, 30, 10], [1, 4, 5]])
    made = m.optimal(joint, RobustPML(3.0, ball_around(joint)))
    assert made.nmi == pytest.approx(1.0)


def test_words_and_bad_input():
    ball = ball_around(TOY, 100)
    assert str(RobustLDP(0.5, ball)) == "0.5-RLDP for S – X – Y"
    assert str(RobustPML(np.inf, ball)) == "∞-robust PML"
    assert RobustPML(0.5, ball).scale(TOY, np.ones((3, 1))) == 0.0
    with pytest.raises(InvalidInputError, match="uncertainty must be a RenyiBall"):
        RobustLDP(1.0, TOY)
    with pytest.raises(InvalidInputError, match="with 2×2 cells as the joint has, got 2×3"):
        RobustPML(1.0, ball).allowed_set(Joint.from_counts([[3, 1], [1, 3]]))
    with pytest.raises(InvalidInputError, match="must have 3 rows"):
        RobustLDP(1.0, ball).achieved(TOY, np.ones((6, 1)))
