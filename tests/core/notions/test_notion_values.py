"""Levels, budgets and verdicts of each notion, by hand."""

import numpy as np
import pytest

from core.errors import InvalidInputError
from core.joint import Joint
from core.notions import (
    ALIP,
    LDP,
    LIP,
    AlphaLift,
    Chi2Privacy,
    GuessingProbability,
    Intersection,
    L1Privacy,
    PointwiseMaximalLeakage,
)
from tests import channels

INF = float("inf")
SYMMETRIC = Joint.from_counts(channels.SYMMETRIC)  # lifts 1.5 and .5
IDENTITY = np.eye(2)
CONSTANT = np.ones((2, 1))


@pytest.mark.parametrize(
    ("notion", "achieved"),
    [
        (LIP(1), np.log(2)),
        (LDP(1), np.log(3)),
        (PointwiseMaximalLeakage(1), np.log(1.5)),
        (GuessingProbability(0.9), 0.75),
        (ALIP(1, INF), np.log(2)),
        (ALIP(INF, 1), np.log(1.5)),
        (ALIP(2, 0.1), np.log(1.5) / 0.1),
        (L1Privacy(INF, 1), np.log(1.5)),
        (L1Privacy(1, INF), np.log(1 + 2 / 3)),
        (Chi2Privacy(INF, 1), np.log(1.5)),
        (Chi2Privacy(1, INF), np.log(1 + np.sqrt(5) / 3)),
        (AlphaLift(INF, 1, 2), np.log(1.25) / 2),
        (AlphaLift(1, INF, INF), np.log(2)),
        (Intersection(LIP(1), LDP(2)), np.log(2)),
        (Intersection(LIP(4), LDP(2), GuessingProbability(0.5)), 1.5),
    ],
    ids=str,
)
def test_achieved_of_the_identity(notion, achieved):
    assert notion.achieved(SYMMETRIC, IDENTITY) == pytest.approx(achieved, rel=1e-13)


@pytest.mark.parametrize(
    "make",
    [
        lambda eps: LIP(eps),
        lambda eps: LDP(eps),
        lambda eps: PointwiseMaximalLeakage(eps),
        lambda eps: ALIP(eps, INF),
        lambda eps: ALIP(INF, eps),
        lambda eps: L1Privacy(eps, INF),
        lambda eps: L1Privacy(INF, eps),
        lambda eps: Chi2Privacy(eps, INF),
        lambda eps: Chi2Privacy(INF, eps),
        lambda eps: AlphaLift(eps, INF, 3),
        lambda eps: AlphaLift(INF, eps, 3),
    ],
)
def test_a_notion_holds_from_its_achieved_level_on(make):
    joint = Joint.from_counts([[5, 1, 2], [2, 3, 1]])
    kernel = np.array([[0.8, 0.2], [0.3, 0.7], [0.5, 0.5]])
    scale = make(1.0).scale(joint, kernel)  # of the budget 1: the least budget
    assert make(scale).holds(joint, kernel)
    assert not make(scale - 1e-9).holds(joint, kernel)
    assert make(scale).scale(joint, kernel) == pytest.approx(1)
    assert make(INF).holds(joint, kernel)
    assert make(INF).scale(joint, kernel) == 0


def test_an_intersection_holds_where_all_do():
    both = Intersection(LIP(1), Intersection(LDP(1), PointwiseMaximalLeakage(1)))
    assert not both.holds(SYMMETRIC, IDENTITY)  # LDP needs log 3
    assert both.achieved(SYMMETRIC, IDENTITY) == pytest.approx(np.log(3))
    assert both.holds(SYMMETRIC, CONSTANT)


def test_zero_budgets_allow_the_constant_only():
    for notion in (LIP(0), LDP(0), ALIP(0, 0), AlphaLift(0, 0, 2), L1Privacy(0, 0)):
        assert notion.holds(SYMMETRIC, CONSTANT)
        assert not notion.holds(SYMMETRIC, IDENTITY)
        assert notion.scale(SYMMETRIC, CONSTANT) == 0
        assert notion.scale(SYMMETRIC, IDENTITY) == INF


def test_a_secret_that_is_told_has_no_finite_level():
    reported = Joint.from_counts(channels.DETERMINISTIC)
    for notion in (LIP(1), LDP(1), ALIP(1, 1), L1Privacy(1, 1), AlphaLift(1, 1, 2)):
        assert notion.achieved(reported, np.eye(3)) == INF
        assert not notion.holds(reported, np.eye(3))
        assert type(notion)(*[INF] * (2 if hasattr(notion, "eps_l") else 1), *order(notion)).holds(
            reported, np.eye(3)
        )
    assert PointwiseMaximalLeakage(1).achieved(reported, np.eye(3)) == pytest.approx(np.log(2))


def order(notion):
    return (notion.alpha,) if isinstance(notion, AlphaLift) else ()


def test_an_output_that_never_occurs_is_allowed():
    kernel = np.array([[1.0, 0.0], [1.0, 0.0]])
    for notion in (LIP(0.1), LDP(0.1), GuessingProbability(0.5), Chi2Privacy(0.1, 0.1)):
        assert notion.allows(SYMMETRIC.release(kernel)).tolist() == [True, True]
        assert notion.holds(SYMMETRIC, kernel)


def test_one_symbol_of_s_is_always_private():
    single = Joint.from_counts([[1, 2, 3]])
    for notion in (LIP(0), LDP(0), AlphaLift(0, 0, 2), Chi2Privacy(0, 0), L1Privacy(0, 0)):
        assert notion.holds(single, np.eye(3))


def test_names_that_errors_use():
    texts = {
        "1-LIP": LIP(1),
        "(0.5, 1)-ALIP": ALIP(0.5, 1),
        "∞-LDP": LDP(INF),
        "(∞, 0.3)-χ²-privacy": Chi2Privacy(INF, 0.3),
        "(1, 1)-α-lift-privacy of order ∞": AlphaLift(1, 1, INF),
        "guessing probability ≤ 0.75": GuessingProbability(0.75),
        "1-LIP and 2-LDP": Intersection(LIP(1), LDP(2)),
    }
    for text, notion in texts.items():
        assert str(notion) == text


def test_from_lambda_splits_the_budget():
    assert ALIP.from_lambda(2, 0.25) == ALIP(0.5, 1.5)
    assert ALIP.from_lambda(INF, 0) == ALIP(INF, INF)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: LIP(-1), r"eps must be in \[0, inf\], got -1\."),
        (lambda: LDP(float("nan")), "eps must be in"),
        (lambda: ALIP(1, "a"), "eps_u must be a number, got 'a'"),
        (lambda: L1Privacy(-0.1, 1), "eps_l must be in"),
        (lambda: AlphaLift(1, 1, 1), r"alpha must be in \(1, inf\], got 1\."),
        (lambda: ALIP.from_lambda(1, 1.5), r"lam must be in \[0, 1\], got 1\.5\."),
        (lambda: GuessingProbability(0), r"bound must be in \(0, 1\], got 0\."),
        (lambda: Intersection(), "at least one notion"),
        (lambda: Intersection(LIP(1), 3), "takes notions only, got 3"),
    ],
)
def test_a_bad_budget_is_named(make, text):
    with pytest.raises(InvalidInputError, match=text):
        make()
