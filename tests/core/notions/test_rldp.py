"""Robust LDP: its sets against its levels, Prop. 3, Theorem 2, and what may not be asked."""

import itertools

import numpy as np
import pytest
from scipy import optimize

from core.allowed.robust import answers
from core.errors import InvalidInputError
from core.joint import Joint
from core.notions import LDP, RLDP
from core.studies.robust_designs import realised_level
from core.uncertainty import RenyiBall
from tests.core.uncertainty.members import worst_member

EXAMPLE = np.array([[0.07, 0.10], [0.26, 0.57]])


def settings(alpha=2.0, n=60, seed=0, shape=(3, 2)):
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(n, rng.dirichlet(np.ones(shape[0] * shape[1]))).reshape(shape)
    counts[:, 0] += 1
    ball = RenyiBall(counts, 0.08, alpha)
    return ball, Joint.with_secret_released(counts), rng


def printed_rows_hold(ball, v, eps, same_secret):
    """[RLDP] Def. 3, row by row."""
    low, (n_s, n_u) = ball.lower, v.shape
    for s1, s2 in itertools.product(range(n_s), repeat=2):
        if s1 == s2 and not same_secret:
            continue
        for u1, u2 in itertools.product(range(n_u), repeat=2):
            above = v[s1, u1] + low[s1] @ (v[s1] - v[s1, u1])
            below = v[s2, u2] + low[s2] @ (v[s2] - v[s2, u2])
            if above - np.exp(eps) * below > 1e-12:
                return False
    return True


def in_rows(allowed, r):
    """Whether auxiliary variables exist for a posterior, by an LP of scipy's own."""
    fixed = allowed.rows[:, : allowed.n_x] @ r
    rest = allowed.rows[:, allowed.n_x :]
    if allowed.n_auxiliary == 0:
        return bool((fixed <= 1e-12).all())
    result = optimize.linprog(
        np.zeros(allowed.n_auxiliary), A_ub=rest.toarray(), b_ub=-fixed, bounds=(0, None)
    )
    return result.status == 0


@pytest.mark.parametrize("same_secret", [False, True])
def test_compact_rows_are_the_printed_ones_and_the_level(same_secret):
    ball, joint, rng = settings()
    full = Joint.with_secret_released(ball.p_hat_su)
    verdicts = []
    for _ in range(60):
        v = 1 + rng.uniform(0, 2) * rng.random((3, 2))
        eps = rng.uniform(0.2, 0.8)
        notion = RLDP(eps, ball, include_same_secret=same_secret)
        r = v.ravel()[full.kept_x] * joint.p_x
        level = notion.achieved(joint, two_outputs(v.ravel()[full.kept_x]))
        expected = in_rows(notion.allowed_set(joint), r / r.sum())
        if joint.n_x == 6:
            assert printed_rows_hold(ball, v, eps, same_secret) == expected
        if abs(level_of(notion, joint, v) - eps) > 1e-6:
            assert expected == (level_of(notion, joint, v) <= eps)
        assert level >= level_of(notion, joint, v) - 1e-12
        verdicts.append(expected)
    assert {True, False} == set(verdicts)


def two_outputs(v):
    """A kernel whose first output is proportional to v."""
    first = 0.5 * v / v.max()
    return np.stack([first, 1 - first], axis=1)


def level_of(notion, joint, v):
    """The level of one output alone: the other one of `two_outputs` is made harmless."""
    column = 1e-6 * v.ravel()[joint.kept_x]
    return notion.achieved(joint, np.stack([column, 1 - column], axis=1))


@pytest.mark.parametrize("alpha", [0.3, 0.5, 1.0, 2.0, 3.0])
def test_the_oracle_agrees_with_the_level(alpha):
    ball, joint, rng = settings(alpha)
    seen = []
    for _ in range(25):
        v = 1 + rng.uniform(0, 2) * rng.random((3, 2))
        level = level_of(RLDP(1, ball, exact=True), joint, v)
        r = v.ravel()[joint.kept_x] * joint.p_x
        r /= r.sum()
        for eps in (0.9 * level, 1.1 * level):
            allowed = RLDP(eps, ball, exact=True).allowed_set(joint)
            fine = in_rows(allowed, r) and len(allowed.oracle(r)) == 0
            assert fine == (eps > level)
            seen.append(len(allowed.oracle(r)))
    assert max(seen) > 0


@pytest.mark.parametrize("alpha", [0.3, 1.0, 2.0])
def test_cuts_hold_on_the_whole_set_and_cut_the_point_off(alpha):
    ball, joint, rng = settings(alpha, seed=4)
    notion = RLDP(0.5, ball, exact=True)
    oracle = notion.allowed_set(joint).oracle
    allowed = []
    while len(allowed) < 20:
        v = 1 + rng.uniform(0, 1) * rng.random((3, 2))
        if level_of(notion, joint, v) <= 0.5:
            r = v.ravel()[joint.kept_x] * joint.p_x
            allowed.append(r / r.sum())
    checked = 0
    for _ in range(20):
        r = rng.dirichlet(np.ones(joint.n_x))
        cuts = oracle(r)
        assert (cuts @ r > 0).all()
        assert (np.array(allowed) @ cuts.T <= 1e-12).all()
        assert (cuts @ joint.p_x < 0).all()
        checked += len(cuts)
    assert checked > 20


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_theorem_2_no_member_breaks_the_level(alpha, exact):
    ball, joint, rng = settings(alpha, seed=2)
    kernel = rng.dirichlet(np.ones(4), size=6)
    level = RLDP(1, ball, exact=exact).achieved(joint, kernel)
    members = ball.sample(4000, rng, boundary=True)
    realised = realised_level(members, kernel)
    assert (realised <= level + 1e-12).all()
    if exact:
        assert realised.max() > 0.75 * level
        worst = worst_member(ball, answers(ball, joint, kernel))
        assert float(realised_level(worst, kernel)) == pytest.approx(level, abs=1e-9)


def test_the_polytopes_are_stricter_than_the_ball():
    ball, joint, rng = settings(seed=5)
    for _ in range(10):
        kernel = rng.dirichlet(np.ones(4), size=6)
        at_hat = LDP(1).achieved(joint, kernel[joint.kept_x])
        exact = RLDP(1, ball, exact=True).achieved(joint, kernel)
        poly = RLDP(1, ball).achieved(joint, kernel)
        printed = RLDP(1, ball, include_same_secret=True).achieved(joint, kernel)
        assert at_hat < exact <= poly + 1e-12 <= printed + 2e-12


@pytest.mark.parametrize("exact", [False, True])
def test_proposition_3(exact):
    # F everything: ε-RLDP iff Q(y|s,u)/Q(y|s',u') ≤ e^ε for s ≠ s'
    rng = np.random.default_rng(8)
    ball = RenyiBall(EXAMPLE, np.inf)
    joint = Joint.with_secret_released(EXAMPLE)
    for _ in range(20):
        kernel = rng.dirichlet(np.ones(3), size=4)
        table = kernel.reshape(2, 2, 3)
        ratio = max((table[s].max(axis=0) / table[1 - s].min(axis=0)).max() for s in range(2))
        notion = RLDP(1.0, ball, exact=exact)
        assert notion.achieved(joint, kernel) == pytest.approx(np.log(ratio))
        r = kernel[:, 0] * joint.p_x
        inside = max(table[s, :, 0].max() / table[1 - s, :, 0].min() for s in range(2)) <= np.e
        assert in_rows(notion.allowed_set(joint), r / r.sum()) == inside
        assert notion.allowed_set(joint).oracle is None


def test_no_uncertainty_is_ldp():
    rng = np.random.default_rng(9)
    joint = Joint.with_secret_released(EXAMPLE)
    kernel = rng.dirichlet(np.ones(3), size=4)
    expected = LDP(1).achieved(joint, kernel)
    for exact in (False, True):
        notion = RLDP(1, RenyiBall(EXAMPLE, 0.0), exact=exact)
        assert notion.achieved(joint, kernel) == pytest.approx(expected)
        assert notion.allowed_set(joint).oracle is None
        assert notion.allowed_set(joint).n_auxiliary == 0


def test_unseen_cells_answer_like_their_secret():
    cells = np.array([[0.3, 0.2, 0.0], [0.1, 0.0, 0.4]])
    ball, joint = RenyiBall(cells, 0.05), Joint.with_secret_released(cells)
    rng = np.random.default_rng(1)
    kernel = rng.dirichlet(np.ones(3), size=4)
    table = answers(ball, joint, kernel)
    assert table[0, 2] == pytest.approx(0.6 * table[0, 0] + 0.4 * table[0, 1])
    assert table[1, 1] == pytest.approx(0.2 * table[1, 0] + 0.8 * table[1, 2])
    for exact in (False, True):
        notion = RLDP(1, ball, exact=exact)
        full = notion.achieved(joint, table.reshape(6, 3))
        assert notion.achieved(joint, kernel) == pytest.approx(full)
        # no other answer of the unseen cells is safer
        for _ in range(10):
            other = table.reshape(6, 3).copy()
            other[[2, 4]] = rng.dirichlet(np.ones(3), size=2)
            assert notion.achieved(joint, other) >= full - 1e-9


def test_holds_scale_and_text():
    ball, joint, rng = settings()
    kernel = rng.dirichlet(np.ones(4), size=6)
    for exact in (False, True):
        level = RLDP(1, ball, exact=exact).achieved(joint, kernel)
        assert RLDP(level + 1e-9, ball, exact=exact).holds(joint, kernel)
        assert not RLDP(level - 1e-6, ball, exact=exact).holds(joint, kernel)
        assert RLDP(2 * level, ball, exact=exact).scale(joint, kernel) == pytest.approx(0.5)
    assert str(RLDP(0.5, ball, exact=True)) == "0.5-RLDP"
    assert str(RLDP(0.5, ball)) == "0.5-RLDP over polytopes"
    printed = RLDP(0.5, ball, include_same_secret=True)
    assert str(printed) == "0.5-RLDP over polytopes, as printed"
    assert str(RLDP(0.5, RenyiBall(ball.p_hat_su, np.inf))) == "0.5-RLDP"  # the simplex is both
    assert RLDP(np.inf, ball, exact=True).allowed_set(joint).rows.shape == (0, joint.n_x)


def test_equal_answers_tell_nothing():
    ball, joint, _ = settings()
    for exact in (False, True):
        assert RLDP(0, ball, exact=exact).achieved(joint, np.ones((6, 1))) == 0.0


BALL, JOINT = RenyiBall(EXAMPLE, 0.1), Joint.with_secret_released(EXAMPLE)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: RLDP(-1, BALL), "eps must be in"),
        (lambda: RLDP(1, "F"), "uncertainty must be a RenyiBall, got 'F'"),
        (lambda: RLDP(1, BALL, True, True), "cannot go with exact=True"),
        (lambda: RLDP(1, BALL).achieved(JOINT, np.ones((5, 1))), "kernel must have 4 rows, got 5"),
        (
            lambda: RLDP(1, BALL).achieved(Joint.from_counts([[3, 1], [1, 3]]), np.eye(2)),
            r"2×2 cells as in P̂ \(Joint.with_secret_released\), got 2×2",
        ),
        (
            lambda: RLDP(1, BALL).allowed_set(Joint.with_secret_released(np.ones((3, 2)))),
            "got 3×6 with another structure",
        ),
        (
            lambda: RLDP(1, BALL).allowed_set(Joint.with_secret_released([[0, 0], [1, 2]])),
            "Secret number 1 never occurs in the sample",
        ),
    ],
)
def test_bad_input_gets_one_sentence(make, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        make()
