"""Large linear purposes, solved an action at a time."""

import numpy as np
import pytest

from core import clock
from core.errors import SolverError
from core.joint import Joint
from core.mechanisms import optimal
from core.notions import (
    LDP,
    LIP,
    Average,
    Intersection,
    MetricLDP,
    MinLift,
    PointwiseMaximalLeakage,
)
from core.optimal import direct, solve
from core.optimal.direct import Direct
from core.optimal.interior import InteriorProgram
from core.optimal.plan import SIZES
from core.optimal.utility import Centred
from core.utilities import Distortion, Guess

JOINT = Joint.from_counts(np.random.default_rng(3).random((4, 18)))
APART = np.abs(np.subtract.outer(np.arange(18.0), np.arange(18.0)))
CHECKS = {
    "rows": LIP(0.3),
    "ratios": LDP(0.5),
    "several": Intersection(PointwiseMaximalLeakage(0.3), MinLift(0.2)),
    "with variables": LDP(0.5),
    "guesses": Average("guessing", 0.3),
    "leakage": Average("maximal_leakage", 0.1),
    "total variation and rows": Intersection(LIP(0.5), Average("total_variation", 0.02)),
}


@pytest.fixture
def large(monkeypatch):
    """Let every program be a large one, and forbid the other way."""
    monkeypatch.setitem(vars(SIZES), "direct_entries", 10)
    monkeypatch.setitem(vars(SIZES), "first_actions", 2)

    def never(_program, _deadline):
        raise AssertionError("Another way was taken.")

    monkeypatch.setattr(Direct, "solve", never)
    return monkeypatch


@pytest.mark.parametrize("purpose", [Guess(), Distortion(APART)], ids=["guess", "distance"])
@pytest.mark.parametrize("name", CHECKS)
def test_some_actions_then_all_end_with_the_optimum(request, name, purpose):
    joint = JOINT
    if name == "with variables":  # with nine secrets LDP's rows have them
        joint = Joint.from_counts(np.random.default_rng(3).random((9, 18)))
        assert LDP(0.5).allowed_set(joint).n_auxiliary
    whole = optimal(joint, CHECKS[name], utility=purpose)
    large = request.getfixturevalue("large")
    counts, bounds = [], []
    run, bound = InteriorProgram.run, direct.utility_bound

    def ran(program, *args):
        counts.append(len(program.v))
        return run(program, *args)

    def bounded(*args):
        bounds.append(bound(*args))
        return bounds[-1]

    large.setattr(InteriorProgram, "run", ran)
    large.setattr(direct, "utility_bound", bounded)
    result = optimal(joint, CHECKS[name], utility=purpose)
    assert counts == [2, 8, 18]
    assert (whole.status, result.status, result.solver) == ("optimal", "optimal", "one program")
    assert result.utility == pytest.approx(whole.utility, abs=2e-6 * purpose.size())
    goal = Centred(purpose.solver_utility(joint), joint.p_x)
    assert min(bounds) >= whole.utility / purpose.size() - goal.base - 1e-8


def test_at_the_deadline_the_answer_so_far_is_allowed(large):
    with clock.using(clock.Ticking(0.01)):
        result = optimal(JOINT, LDP(0.5), utility=Distortion(APART), time_limit=0.12)
    assert result.status == "time limit"
    assert result.solver == "one program"
    assert LDP(0.5).holds(JOINT, result.kernel)
    large.undo()
    best = optimal(JOINT, LDP(0.5), utility=Distortion(APART))
    assert best.utility - 2.0 <= result.utility <= best.upper_bound + 1e-9
    assert result.utility <= result.upper_bound


def test_no_search_follows_in_the_time_that_is_too_short_for_a_step(large):
    large.setitem(vars(SIZES), "step_seconds", 2e-7)
    large.setattr(solve, "search_within", lambda *_, **__: pytest.fail("A search began."))
    notion = CHECKS["total variation and rows"]
    with clock.using(clock.Ticking(0.01)):
        result = optimal(JOINT, notion, utility=Distortion(APART), time_limit=0.4)
    assert (result.status, result.solver) == ("time limit", "one program")
    assert notion.holds(JOINT, result.kernel)


def test_a_program_that_cannot_end_in_time_is_not_begun(large):
    large.setitem(vars(SIZES), "step_seconds", 1.0)
    large.setattr(InteriorProgram, "run", lambda *_: pytest.fail("It was begun."))
    large.setattr(Direct, "solve", lambda *_: (_ for _ in ()).throw(SolverError("None.")))
    with clock.using(clock.Ticking(0.01)):
        result = optimal(JOINT, LIP(0.3), utility=Guess(), time_limit=2.0)
    assert result.notes
    assert LIP(0.3).holds(JOINT, result.kernel)


def test_steps_of_many_rows_take_long_and_are_not_begun(large):
    joint = Joint.from_counts(np.random.default_rng(3).random((12, 18)))
    places = np.random.default_rng(4).random((12, 3))
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    notion = MetricLDP(1.0, apart.tolist())
    assert notion.allowed_set(joint).rows.shape == (132, 18)
    large.setitem(vars(SIZES), "step_seconds", 4e-7)  # 1.9 s for the rows of two actions
    large.setattr(InteriorProgram, "run", lambda *_: pytest.fail("It was begun."))
    large.setattr(Direct, "solve", lambda *_: (_ for _ in ()).throw(SolverError("None.")))
    with clock.using(clock.Ticking(0.01)):
        result = optimal(joint, notion, utility=Guess(), time_limit=2.0)
    assert result.notes
    assert notion.holds(joint, result.kernel)


def test_a_set_without_an_inside_is_left_to_another_way(monkeypatch):
    whole = optimal(JOINT, LIP(0.0), utility=Guess())
    monkeypatch.setitem(vars(SIZES), "direct_entries", 10)
    result = optimal(JOINT, LIP(0.0), utility=Guess())
    assert result.utility == pytest.approx(whole.utility, abs=2e-6)
    assert result.status == whole.status
    assert not result.notes


def test_a_set_that_rounding_leaves_empty_has_no_inside():
    with pytest.raises(SolverError, match="no inside"):
        InteriorProgram(np.ones((2, 2)), np.array([[1.0, 1e-9]]), np.zeros((0, 2)), np.zeros(0))


def test_points_stay_inside_and_multipliers_close_the_gap():
    rng = np.random.default_rng(0)
    rows = np.array([[1.0, -2.0, 0.0, 0.0], [0.0, 1.0, -3.0, 0.0], [1.0, 1.0, 1.0, -1.0]])
    costs = rng.random((5, 3))
    shared, limits = np.array([[0.0, 0.0, 0.0, 1.0]]), np.array([4.0])
    program = InteriorProgram(costs, rows, shared, limits)
    before = program.gap
    assert program.run(before / 100, clock.NEVER)
    assert program.run(1e-7, clock.NEVER)
    v = program.v
    assert min(v.min(), program.slack.min(), program.spare.min()) > 0
    assert (v @ rows.T).max() <= 1e-12
    assert v[:, :3].sum(axis=0) == pytest.approx(1)
    assert (shared @ v.sum(axis=0)) <= limits
    symbols, multipliers, prices = program.multipliers()
    reduced = np.hstack([costs - symbols, np.zeros((5, 1))]) + multipliers @ rows + prices @ shared
    assert reduced.min() >= -1e-7
    value = float((costs * v[:, :3]).sum())
    assert symbols.sum() - prices @ limits == pytest.approx(value, abs=2e-7)
