from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import clock, measures
from core import mechanisms as m
from core.errors import InfeasibleError, InvalidInputError
from core.joint import Joint
from core.mechanisms import catalogue
from core.mechanisms.options import Options
from core.notions import (
    LDP,
    LIP,
    SRLIP,
    Average,
    EpsDelta,
    GuessingProbability,
    Intersection,
    PointwiseMaximalLeakage,
)
from core.scenario import Scenario, evaluate
from core.scenario.snippet import snippet
from core.scenario.url import from_query, to_query
from core.studies.frontier import sweep
from core.utilities import Distortion, Guess, SquaredError, Task
from tests.strategies import joints

DRAW = Joint.from_counts(np.random.default_rng(3).random((3, 6)))


@pytest.mark.parametrize(("eps", "share"), [(0.0, 0.850), (0.1, 0.876), (0.5, 0.944)])
def test_what_is_kept_where_s_may_be_read(eps, share):
    made = m.optimal_reading_secret(DRAW, LIP(eps))
    assert made.status == "optimal"
    assert made.nmi == pytest.approx(share, abs=5e-4)
    assert made.kernel.shape[0] == 18
    assert LIP(eps).achieved(DRAW, made.kernel) <= eps + 1e-12
    assert made.utility == pytest.approx(
        float(measures.mutual_information(DRAW.release_x(made.kernel))), abs=1e-9
    )
    if eps:
        assert made.utility > m.conditional_reporting(DRAW, notion=LIP(eps)).utility


@given(joints(max_s=3, max_x=3), st.sampled_from([0.0, 0.4, np.inf]), st.integers(0, 10**6))
@settings(max_examples=25)
def test_no_kernel_that_reads_s_keeps_more(joint, eps, seed):
    rng = np.random.default_rng(seed)
    for notion in (LIP(eps), LDP(eps), PointwiseMaximalLeakage(eps)):
        made = m.optimal_reading_secret(joint, notion)
        assert notion.holds(joint, made.kernel)
        assert made.upper_bound >= m.optimal(joint, notion).utility - 1e-9
        kernel = rng.dirichlet(0.3 * np.ones(3), size=joint.n_s * joint.n_x)
        quiet = np.broadcast_to((joint.p.ravel() @ kernel), kernel.shape)
        for share in (0.0, 0.5, 0.9, 0.99):
            mixed = (1 - share) * kernel + share * quiet
            if notion.holds(joint, mixed):
                kept = float(measures.mutual_information(joint.release_x(mixed)))
                assert kept <= made.upper_bound + 1e-9


@pytest.mark.parametrize(
    "notion", [LIP(0.2), LDP(0.5), LIP(0.0), EpsDelta(LIP(0.2), 0.01)], ids=str
)
def test_it_is_below_no_mechanism_however_many_pairs_there_are(notion):
    """Of 250 pairs a search of a second kept .003 of X where the optimum of X alone kept .75."""
    rng = np.random.default_rng(5)
    cells = rng.dirichlet(np.full(50, 0.3), size=5) * [[5], [4], [3], [2], [1]]
    joint, limit = Joint.from_counts(np.ceil(500 * cells)), 1.0
    with clock.using(clock.Ticking(0.01)):
        made = m.optimal_reading_secret(joint, notion, time_limit=limit)
    with clock.using(clock.Ticking(0.01)):
        alone = m.optimal(joint, notion, time_limit=0.4 * limit)
    assert notion.holds(joint, made.kernel)
    assert made.utility >= alone.utility - 1e-9
    if isinstance(notion, LIP | LDP):
        assert made.utility >= m.conditional_reporting(joint, notion).utility - 1e-9


def test_promises_about_more_than_s_and_y_are_refused():
    with pytest.raises(InvalidInputError, match="notion on each output's P"):
        m.optimal_reading_secret(DRAW, SRLIP(1, (2, 3)))


def test_budgets_on_averages_and_exceptions_too():
    budget = Average("mutual_information", 0.05)
    for notion in (budget, EpsDelta(LIP(0.1), 0.05), Intersection(LIP(0.3), budget)):
        alone = m.optimal(DRAW, notion, time_limit=60, gap=1e-3)
        both = m.optimal_reading_secret(DRAW, notion, time_limit=60, gap=1e-3)
        assert both.audit.holds
        assert notion.holds(DRAW, both.kernel)
        assert both.utility > alone.utility + 0.05
        assert both.status == "optimal"
    with pytest.raises(InvalidInputError, match="or their average, got 1-SRLIP"):
        m.optimal_reading_secret(DRAW, Intersection(budget, SRLIP(1)))


@pytest.mark.parametrize(
    ("purpose", "by_hand"),
    [
        (Guess(), lambda p_xy: p_xy.max(axis=0).sum()),
        (Distortion(1 - np.eye(6)), lambda p_xy: p_xy.max(axis=0).sum() - 1),
        (
            SquaredError(np.arange(6.0)),
            lambda p_xy: (
                ((np.arange(6) @ p_xy) ** 2 / p_xy.sum(axis=0)).sum()
                - np.arange(6) ** 2 @ p_xy.sum(axis=1)
            ),
        ),
    ],
    ids=["guess", "any error", "squared error"],
)
def test_other_purposes_of_x_alone(purpose, by_hand):
    alone = m.optimal(DRAW, LIP(0.2), utility=purpose)
    both = m.optimal_reading_secret(DRAW, LIP(0.2), utility=purpose)
    assert both.status == "optimal"
    assert both.purpose is purpose
    assert both.utility == pytest.approx(by_hand(DRAW.release_x(both.kernel)))
    assert both.utility > alone.utility + 1e-3
    assert 0 < both.kept < 1
    heuristic = catalogue.build("conditional_reporting", DRAW, LIP(0.2), Options(purpose=purpose))
    assert heuristic.utility <= both.upper_bound + 1e-9


def test_a_task_beside_x_is_not_known_of_what_reads_s():
    task = Task(np.eye(2)[:, [0, 1, 0, 1, 0, 1]])
    for purpose in (task, Guess(task.p_t_given_x)):
        with pytest.raises(InvalidInputError, match="mechanism that reads S is not defined"):
            m.optimal_reading_secret(DRAW, LIP(0.2), utility=purpose)
        with pytest.raises(InvalidInputError, match="read X alone, and this one also reads S"):
            purpose.value(DRAW, np.ones((18, 1)))


def test_one_symbol_says_nothing():
    joint = Joint.from_counts([[3], [1]])
    made = m.optimal_reading_secret(joint, LIP(0.1))
    assert (made.utility, made.n_y) == (0.0, 1)


def test_it_is_a_question_like_any_other(capsys):
    request = Scenario(notion="lip", eps=0.1, mechanism="optimal_reading_secret")
    assert Scenario.from_json(request.to_json()) == request
    assert from_query(to_query(request)) == (request, ())
    result = evaluate(request)
    made = result.mechanism
    assert made.kernel.shape[0] == result.joint.n_s * result.joint.n_x
    assert made.audit.holds
    assert result.after.achieved["lip"] <= 0.1 + 1e-12
    assert made.utility > evaluate(replace(request, mechanism="optimal")).mechanism.utility
    exec(snippet(request), {})
    assert f"NMI {made.nmi:.6f}" in capsys.readouterr().out
    guessed = replace(request, purpose="guess")
    program = snippet(guessed)
    assert "seed=0, utility=purpose)" in program
    exec(program, {})
    assert f"{evaluate(guessed).mechanism.utility:.6f}" in capsys.readouterr().out
    line = sweep(request, result.joint, [0.05, 0.1, 0.2])
    assert (np.diff(line.utility) > 0).all()
    assert line.utility[1] == pytest.approx(made.utility, abs=1e-6)


def test_a_bound_below_the_prior_names_the_secret():
    joint = Joint.from_counts([[8, 1, 5], [1, 4, 3]], s_labels=["yes", "no"])
    with pytest.raises(InfeasibleError, match=r"'yes' alone has probability 0\.636364"):
        m.optimal_reading_secret(joint, GuessingProbability(0.5))


@pytest.mark.parametrize("counts", [[[1.0]], [[3.0], [1.0]]])
def test_one_symbol_is_no_way_around_a_budget_that_nothing_keeps(counts):
    joint = Joint.from_counts(counts)
    with pytest.raises(InfeasibleError, match="before any release"):
        m.optimal_reading_secret(joint, GuessingProbability(0.001))
    made = m.optimal_reading_secret(joint, LIP(0.5), utility=Distortion([[2.0, 5.0]]))
    assert made.kernel.tolist() == [[1.0]] * joint.n_s
    assert made.utility == made.upper_bound == -2.0


@pytest.mark.parametrize(
    ("counts", "notion"),
    [
        (
            [[1.0, 15.0, 7.0], [24.0, 18.0, 19.0]],
            Intersection(
                Average("maximal_leakage", 1.0397207708399179),
                Average("total_variation", 0.003976757369614512),
            ),
        ),
        (
            [[19.0, 38.0, 4.0], [7.0, 14.0, 17.0]],
            Intersection(
                Average("arimoto", 0.006659119735267654, 1.0),
                Average("total_variation", 0.4730129578614427),
            ),
        ),
        ([[8.0, 17.0, 22.0], [0.0, 17.0, 20.0]], Average("sibson", 6.930758136653179e-13, 100.0)),
    ],
    ids=["leakage and variation", "information and variation", "next to nothing"],
)
def test_a_budget_that_is_used_up_is_kept_in_every_order_of_summing(counts, notion):
    joint = Joint.from_counts(counts)
    made = m.optimal_reading_secret(joint, notion)  # its audit refused what the pairs kept
    assert notion.holds(joint, made.kernel)
    assert made.upper_bound >= m.optimal(joint, notion).utility - 1e-9
