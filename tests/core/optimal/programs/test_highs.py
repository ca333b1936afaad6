"""The seam to HiGHS: right answers, every status read, warm changes equal to a fresh program."""

import time

import numpy as np
import pytest
from scipy import optimize, sparse

from core import clock
from core.errors import InfeasibleError, SolverError, TimeLimitError
from core.optimal.programs import highs
from core.optimal.programs.highs import INFINITY, LinearProgram


def program(rng, n_rows=6, n_cols=9, **options):
    rows = rng.random((n_rows, n_cols))
    lower, upper = np.full(n_rows, -INFINITY), rows.sum(axis=1)
    built = LinearProgram(sparse.csr_array(rows), lower, upper, **options)
    return built, rows, upper


@pytest.mark.parametrize("primal", [False, True])
def test_value_and_certificate_match_another_solver(primal):
    rng = np.random.default_rng(1)
    built, rows, upper = program(rng, primal=primal)
    for _ in range(5):
        cost = -rng.random(9)
        built.set_costs(cost)
        mine = built.solve()
        other = optimize.linprog(cost, A_ub=rows, b_ub=upper)
        assert mine.objective == pytest.approx(other.fun, abs=1e-9)
        assert mine.duals @ upper == pytest.approx(mine.objective, abs=1e-9)
        assert (cost - rows.T @ mine.duals).min() > -1e-9


def test_changes_to_a_warm_program_are_those_of_a_fresh_one():
    rng = np.random.default_rng(2)
    built, rows, upper = program(rng)
    cost = -rng.random(9)
    built.set_costs(cost)
    built.solve()
    new_cols, new_cost = rng.random((2, 6)), -rng.random(2)
    built.add_cols(new_cols, new_cost)
    built.set_col_bounds(np.zeros(3), np.full(3, 0.25))
    every = np.hstack([rows, new_cols.T])
    bounds = [(0, 0.25)] * 3 + [(0, None)] * 8
    other = optimize.linprog(np.append(cost, new_cost), A_ub=every, b_ub=upper, bounds=bounds)
    assert built.solve().objective == pytest.approx(other.fun, abs=1e-9)
    assert (built.n_rows, built.n_cols) == (6, 11)


def test_a_basis_can_be_returned_to():
    rng = np.random.default_rng(3)
    built, _, _ = program(rng)
    built.set_costs(-np.ones(9))
    first, basis = built.solve(), built.basis()
    cols, rows = built.basic()
    assert cols.sum() + rows.sum() == built.n_rows
    built.set_costs(-np.arange(9.0))
    built.solve()
    built.set_costs(-np.ones(9))
    built.set_basis(basis)
    np.testing.assert_allclose(built.solve().x, first.x, atol=1e-12)


def test_no_solution_is_an_error_of_its_own():
    built = LinearProgram(sparse.csr_array([[1.0, 1.0]]), np.full(1, -1.0), np.full(1, -1.0))
    with pytest.raises(InfeasibleError):
        built.solve()


def test_an_unbounded_program_is_a_solver_error():
    built = LinearProgram(sparse.csr_array([[1.0, -1.0]]), np.zeros(1), np.zeros(1))
    built.set_costs(-np.ones(2))
    with pytest.raises(SolverError, match=r"[Uu]nbounded"):
        built.solve()


def test_time_that_is_over_is_an_error_of_its_own():
    built, _, _ = program(np.random.default_rng(4), n_rows=200, n_cols=300)
    built.set_costs(-np.ones(300))
    with pytest.raises(TimeLimitError):
        built.solve(time_limit=0.0)
    assert built.solve(time_limit=1e-9).objective < 0  # a clock that counts leaves it time


def test_what_highs_rejects_is_an_error():
    built, _, _ = program(np.random.default_rng(5))
    with pytest.raises(SolverError, match="basis"):
        built.set_basis(LinearProgram(sparse.csr_array((1, 1)), np.zeros(1), np.ones(1)).basis())


@pytest.mark.parametrize("kept", [6, 4])
def test_a_similar_program_starts_from_a_basis_that_may_lack_the_last_rows(kept):
    rng = np.random.default_rng(4)
    rows, upper, cost = rng.random((6, 9)), rng.random(6), -rng.random(9)
    first = LinearProgram(
        *(sparse.csr_array(rows[:kept]), np.full(kept, -INFINITY), upper[:kept]), cost=cost
    )
    first.solve()
    changed = rows * (1 + 0.01 * rng.random((6, 9)))
    other = optimize.linprog(cost, A_ub=changed, b_ub=upper)
    near = LinearProgram(
        *(sparse.csr_array(changed), np.full(6, -INFINITY), upper), cost=cost, once=True
    )
    result = near.solve_near(first.basis())
    assert result.objective == pytest.approx(other.fun, abs=1e-9)
    assert result.duals @ upper == pytest.approx(result.objective, abs=1e-9)


@pytest.mark.parametrize("shape", [(6, 8), (7, 9), (6, 9)])
def test_a_basis_of_another_shape_or_far_away_is_left(shape):
    rng = np.random.default_rng(5)
    n_rows, n_cols = shape
    first = LinearProgram(
        *(sparse.csr_array(rng.random(shape)), np.full(n_rows, -INFINITY), np.ones(n_rows)),
        cost=-np.ones(n_cols),
    )
    first.solve()
    built, rows, upper = program(rng, once=True)
    cost = -rng.random(9)
    built.set_costs(cost)
    other = optimize.linprog(cost, A_ub=rows, b_ub=upper)
    assert built.solve_near(first.basis()).objective == pytest.approx(other.fun, abs=1e-9)
    built.set_costs(cost[::-1].copy())
    other = optimize.linprog(cost[::-1], A_ub=rows, b_ub=upper)
    assert built.solve().objective == pytest.approx(other.fun, abs=1e-9)


def large(**options):
    """Return a program of half a second, at least a hundred steps of the simplex method."""
    rng = np.random.default_rng(5)
    rows = rng.random((500, 900))
    free, most = np.full(500, -INFINITY), 10 + rng.random(500)
    cost = -rng.random(900)
    return LinearProgram(sparse.csr_array(rows), free, most, cost=cost, **options)


@pytest.mark.parametrize("once", [False, True])
def test_a_limit_in_seconds_of_the_processor_ends_a_program(once):
    # without a limit it takes ten times as long even on a fast machine, and has an answer
    with clock.using(time.process_time), pytest.raises(TimeLimitError):
        large(once=once).solve(0.05)


@pytest.mark.parametrize("once", [False, True])
def test_a_program_goes_on_while_others_have_the_processor(once, monkeypatch):
    monkeypatch.setattr(time, "process_time", lambda: 0.0)
    whole = large(once=once).solve()
    with clock.using(time.process_time):
        assert large(once=once).solve(0.2).objective == pytest.approx(whole.objective)


def test_a_limit_is_forgotten_in_a_run_without_one():
    rng = np.random.default_rng(14)
    built, _, _ = program(rng, 60, 90, cost=-rng.random(90), once=True)
    with clock.using(time.monotonic):
        with pytest.raises(TimeLimitError):
            built.solve(1e-9)
        assert np.isfinite(built.solve().objective)


def test_a_program_that_begins_anew_has_the_time_that_is_left(monkeypatch):
    given, elsewhere = [], clock.elsewhere
    monkeypatch.setattr(clock, "elsewhere", lambda left: given.append(left) or elsewhere(left))
    rng = np.random.default_rng(15)
    first, rows, upper = program(rng, 40, 60, cost=-rng.random(60))
    first.solve()
    far = LinearProgram(
        sparse.csr_array(rows),
        np.full(40, -INFINITY),
        upper,
        cost=-(rng.random(60) ** 6),
        once=True,
    )
    with clock.using(time.monotonic):
        far.solve_near(first.basis(), 60.0)
    assert len(given) == 2
    assert given[1] < given[0] == 60.0


def test_a_program_that_goes_in_a_circle_begins_anew(monkeypatch):
    """A mixture of 87 symbols did for seven minutes, whatever its limit."""
    rows = sparse.eye_array(40, format="csr")
    built = LinearProgram(rows, np.full(40, -INFINITY), np.ones(40), cost=-np.ones(40), primal=True)
    assert built.solve().objective == -40.0
    runs, run = [], LinearProgram._run
    monkeypatch.setattr(LinearProgram, "_run", lambda self: runs.append(1) or run(self))
    monkeypatch.setattr(highs, "STEPS", 0)  # from the last basis 40 are needed, from none 0
    built.set_costs(np.ones(40))
    assert built.solve().objective == 0.0
    assert len(runs) == 2
    built.set_costs(-np.ones(40))  # then from none too
    with pytest.raises(SolverError, match="limit"):
        built.solve()
