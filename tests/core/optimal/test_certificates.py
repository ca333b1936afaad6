"""Optima that were once proven wrongly, or refused, and others of their kind."""

import numpy as np
import pytest

from core import mechanisms as m
from core.allowed.inequalities import excess_lift
from core.errors import SolverError
from core.joint import Joint
from core.notions import (
    ALIP,
    LDP,
    LIP,
    SRLIP,
    Average,
    GuessingProbability,
    Intersection,
    L1Privacy,
    PointwiseDivergence,
    PointwiseMaximalLeakage,
)
from core.optimal.solve import not_below

INF = float("inf")
SOLVERS = ("auto", "enumerate", "columns")

NEARLY_INDEPENDENT = [[795607, 476812, 636606], [848260, 508375, 678733]]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("counts", "notion", "utility"),
    [
        ([[0, 1, 0, 0], [2, 0, 3, 2], [0, 0, 3, 3]], SRLIP(5.0, (2, 2)), 1.180472),
        ([[30, 38, 0, 0], [25, 0, 34, 11], [15, 5, 10, 34]], SRLIP(18.0, (2, 2)), 1.363067),
        (NEARLY_INDEPENDENT, LDP(0), 0.545996),
        (NEARLY_INDEPENDENT, PointwiseMaximalLeakage(0), 0.545996),
        (NEARLY_INDEPENDENT, Intersection(LIP(1), LDP(0)), 0.545996),
    ],
    ids=str,
)
def test_the_optimum_is_that_of_whole_numbers(solver, counts, notion, utility):
    result = m.optimal(Joint.from_counts(counts), notion, solver, time_limit=60)
    assert result.status == "optimal"
    assert result.utility == pytest.approx(utility, abs=2e-6)
    assert result.upper_bound >= utility - 1e-6


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    "counts",
    [
        [[82425, 136333], [28322, 46184], [404497, 659383]],
        [[154351, 338541, 64142], [296101, 649445, 123047], [168751, 370125, 70123]],
        [[6, 12], [3, 12], [3, 3], [6, 9]],
        [[23, 9], [22, 38], [0, 13], [38, 15]],
    ],
    ids=str,
)
def test_no_budget_leaves_the_constant_mechanism(solver, counts, subtests):
    for notion in (LIP(0), LDP(0), ALIP(0, 3), L1Privacy(INF, 0)):
        with subtests.test(str(notion)):
            result = m.optimal(Joint.from_counts(counts), notion, solver, time_limit=60)
            assert result.status == "optimal"
            assert result.utility == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_tells_nothing_may_be_published_whole(solver):
    joint = Joint.from_counts([[200, 300, 500], [400, 600, 1000]])
    for notion in (LDP(0), LIP(0), PointwiseMaximalLeakage(0), L1Privacy(INF, 0.1)):
        result = m.optimal(joint, notion, solver, time_limit=60)
        assert result.status == "optimal"
        assert result.nmi == pytest.approx(1.0)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("notion", [LIP(50), LDP(50), ALIP(50, 2)], ids=str)
def test_a_budget_that_asks_hardly_anything_is_no_failure(solver, notion):
    joint = Joint.from_counts([[4, 6, 4, 2], [6, 9, 4, 3], [0, 0, 1, 0], [2, 3, 4, 1]])
    result = m.optimal(joint, notion, solver, time_limit=60)
    assert result.upper_bound >= result.utility > 0


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_symbol_of_next_to_no_probability_is_told_too(solver):
    joint = Joint.from_counts([[0.0, 0.51, 0.12], [1e-13, 0.08, 0.19]])
    result = m.optimal(joint, PointwiseMaximalLeakage(0.3), solver, time_limit=60)
    assert result.audit.holds
    np.testing.assert_allclose(result.kernel.sum(axis=1), 1.0)


def test_vertices_too_close_to_be_mixed_by_columns_are_mixed_by_enumeration():
    counts = [[584244, 450781, 430991], [721902, 558943, 518806], [124598, 97176, 91747]]
    result = m.optimal(
        Joint.from_counts(counts), GuessingProbability(0.50281), "columns", time_limit=60
    )
    assert result.audit.holds
    assert result.upper_bound >= result.utility > 0


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("counts", "notion", "utility"),
    [
        ([[2500000000, 80], [6, 300000000000], [0, 300000000]], LDP(0.0), 0.0),
        ([[10**13, 80, 0], [6, 300000000000, 8], [0, 300000000, 0]], LDP(0.0), 0.0),
        (
            [[0, 3, 2, 1, 1], [2, 1, 6, 3, 2], [1, 1, 0, 0, 0], [0, 3, 6, 3, 3]],
            LIP(0.012882),
            0.401914492793,
        ),
        ([[1, 1, 680677487920], [15649051923035, 6841820953711, 0]], LDP(50.0), 0.728901590094),
        ([[10004000000000, 7 * 10**13, 5], [0, 0, 7], [0, 3 * 10**11, 0]], ALIP(1.0, 0.0), 0.0),
        ([[1, 1, 600, 1, 7 * 10**13], [0, 1, 0, 0, 0], [0, 2, 8, 7000000, 4]], ALIP(INF, 0.0), 0.0),
    ],
    ids=str,
)
def test_numbers_far_apart_are_a_question_like_any_other(solver, counts, notion, utility):
    result = m.optimal(Joint.from_counts(counts), notion, solver, time_limit=60)
    assert result.utility == pytest.approx(utility, abs=2e-6)
    assert result.upper_bound >= utility - 1e-9


def test_a_mechanism_above_the_bound_is_an_error():
    assert not_below(1.0, 0.5) == 1.0
    assert not_below(1.0, 1.0 + 1e-12) == 1.0 + 1e-12
    with pytest.raises(SolverError, match="does not hold"):
        not_below(1.0, 1.001)
    with pytest.raises(SolverError, match="does not hold"):
        not_below(1.0, 1.001, lambda: 1.001)
    assert not_below(1.0, 1.001, lambda: 0.999) == 1.001


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_the_audit_alone_lets_pass_disproves_no_bound(solver):
    joint = Joint.from_counts([[10**13, 0, 2 * 10**13], [5, 2 * 10**7, 0], [0, 3, 0]])
    notion = L1Privacy(INF, 0.0)
    made = m.optimal(joint, notion, solver)
    assert notion.holds(joint, made.kernel)
    # either meaning of an ℓ1 distance of 5e-13: more than 0, or rounding, as the audit takes it
    assert any(abs(made.utility - value) < 1e-9 for value in (0.0, 0.636513743737))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("counts", "notion"),
    [
        (
            [[7500000000000, 400000000], [3, 7]],
            Intersection(L1Privacy(INF, 0.10062), GuessingProbability(0.9999999999995455)),
        ),
        (
            [[30000000000000, 400000000, 800000000000, 200, 1], [3, 7, 0, 4, 0]],
            Intersection(L1Privacy(INF, 0.10062), GuessingProbability(0.9999999999995455)),
        ),
        (
            [[10000000000004, 8000000000, 0, 0], [2, 0, 0, 0]],
            Intersection(GuessingProbability(0.9999999999999001), L1Privacy(INF, 4e-13)),
        ),
        (
            [[6380000001, 3769999999], [4840000001, 2859999999]],
            Intersection(L1Privacy(INF, 5.2e-11), ALIP(4.7990277619715836e-11, 3.7e-11)),
        ),
    ],
    ids=str,
)
def test_what_the_audit_lets_pass_disproves_no_bound_on_several_notions(solver, counts, notion):
    """Beside an ℓ1 distance, whose rows have auxiliary variables, this was an error."""
    joint = Joint.from_counts(counts)
    identity = m.identity(joint)
    assert notion.holds(joint, identity.kernel)
    for part in (*notion.notions, notion):
        made = m.optimal(joint, part, solver)
        assert made.audit.holds
        assert made.upper_bound >= made.utility >= identity.utility - 1e-9


@pytest.mark.parametrize(
    "notion",
    [PointwiseDivergence(0.0), PointwiseDivergence(1e-12), LIP(0.5), Average("chi2", 0.1)],
)
@pytest.mark.parametrize(
    "counts", [[[8.0, 5e-100]], [[6e-300, 5e-100, 2e-300], [9e-300, 2.0, 6.0]], [[8.0, 6e-300]]]
)
def test_a_probability_that_rounds_to_one_has_an_answer(counts, notion):
    joint = Joint.from_counts(counts)
    for made in (m.optimal(joint, notion), m.optimal_reading_secret(joint, notion)):
        assert made.audit.holds
        assert made.upper_bound >= made.utility >= 0


def test_lifts_near_one_keep_their_digits():
    excess = excess_lift(Joint.from_counts(NEARLY_INDEPENDENT))
    n = np.array(NEARLY_INDEPENDENT, dtype=object)
    exact = n * n.sum() - np.outer(n.sum(axis=1), n.sum(axis=0))
    expected = [
        [float(a) / float(b) for a, b in zip(*rows, strict=True)]
        for rows in zip(exact, np.outer(n.sum(axis=1), n.sum(axis=0)), strict=True)
    ]
    np.testing.assert_allclose(excess, expected, rtol=1e-15)
    assert (excess_lift(Joint.from_counts([[2, 6, 14], [3, 9, 21]])) == 0).all()
