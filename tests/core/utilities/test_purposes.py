import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from core import measures
from core import mechanisms as m
from core.data import DataSpec, count
from core.entries import Entries, identity
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.optima.frontier import failed, frontier
from core.mechanisms.polish import polished
from core.mechanisms.result import revalued
from core.notions import ALIP, LDP, LIP, AlphaLift, PointwiseMaximalLeakage
from core.optimal.utility import Greatest
from core.utilities import Distortion, Guess, Information, SquaredError, Task
from tests.strategies import joints
from tests.vertices import allowed_vertices

LADDER = np.arange(3.0)


def plain_worth(purpose, joint_xy, p_x):
    """The utility of P(x, y), written out from its definition."""
    joint_xy = joint_xy[:, joint_xy.sum(axis=0) > 0]
    if isinstance(purpose, Information):
        return float(measures.mutual_information(joint_xy))
    if isinstance(purpose, Task):
        return float(measures.mutual_information(purpose.p_t_given_x @ joint_xy))
    if isinstance(purpose, Guess):
        given = np.eye(len(p_x)) if purpose.p_t_given_x is None else purpose.p_t_given_x
        return float((given @ joint_xy).max(axis=0).sum())
    if isinstance(purpose, Distortion):
        return -float((purpose.d.T @ joint_xy).min(axis=0).sum())
    p_y = joint_xy.sum(axis=0)
    mean, square = (power @ joint_xy / p_y for power in (purpose.values, purpose.values**2))
    return -float(p_y @ (square - mean**2))


def best_by_vertices(joint, notion, purpose):
    """The optimum from all vertices, tried basis by basis, and one linear program."""
    points = allowed_vertices(notion.allowed_set(joint))
    worth = [plain_worth(purpose, point[:, None], joint.p_x) for point in points]
    if isinstance(purpose, Information | Task):  # of one output alone it is 0: entropies instead
        given = np.eye(joint.n_x) if isinstance(purpose, Information) else purpose.p_t_given_x
        images = points @ given.T
        logs = np.log(np.where(images > 0, images, 1))
        prior = given @ joint.p_x
        prior_entropy = -(prior * np.log(np.where(prior > 0, prior, 1))).sum()
        worth = prior_entropy + (images * logs).sum(axis=1)
    result = optimize.linprog(-np.asarray(worth), A_eq=points.T, b_eq=joint.p_x, bounds=(0, None))
    assert result.status == 0
    return -result.fun


@st.composite
def questions(draw):
    joint = draw(joints(max_s=3, max_x=4, min_x=3))
    n_x = joint.n_x
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    table = rng.dirichlet(np.ones(3), size=n_x).T
    sure = np.eye(2)[:, rng.integers(0, 2, n_x)]
    sure[:, :2] = np.eye(2)
    purpose = draw(
        st.sampled_from(
            [
                Information(),
                Task(table),
                Task(sure),
                Guess(),
                Guess(table),
                Distortion(rng.integers(0, 4, (n_x, 3))),
                Distortion(np.abs(np.subtract.outer(np.arange(n_x), np.arange(n_x)))),
                SquaredError(rng.integers(-3, 4, n_x)),
            ]
        )
    )
    eps = draw(st.sampled_from([0.0, 0.1, 0.5, 1.5, np.inf]))
    notion = draw(
        st.sampled_from([LIP(eps), LDP(eps), ALIP(np.inf, eps), PointwiseMaximalLeakage(eps)])
    )
    return joint, notion, purpose


@given(questions())
@settings(max_examples=150)
def test_optima_are_those_of_all_vertices(question):
    joint, notion, purpose = question
    made = m.optimal(joint, notion, utility=purpose)
    size = purpose.size()
    best = best_by_vertices(joint, notion, purpose)
    assert made.status == "optimal"
    assert made.utility == pytest.approx(best, abs=2e-6 * size)
    assert made.upper_bound >= best - 1e-7 * size
    worth = plain_worth(purpose, joint.p_x[:, None] * made.kernel, joint.p_x)
    assert made.utility == pytest.approx(worth, abs=1e-9 * size)
    assert made.information == pytest.approx(
        float(measures.mutual_information(joint.release_x(made.kernel))), abs=1e-9
    )
    assert 0 <= made.kept <= 1


@given(questions(), st.integers(0, 10**6))
@settings(max_examples=40)
def test_random_kernels_never_exceed_the_bound_and_keep_the_share_told(question, seed):
    joint, notion, purpose = question
    made = m.optimal(joint, notion, utility=purpose)
    rng = np.random.default_rng(seed)
    nothing, everything = purpose.range(joint)
    for _ in range(10):
        kernel = polished(joint, rng.dirichlet(0.4 * np.ones(4), size=joint.n_x), notion)
        value = purpose.value(joint, kernel)
        assert value <= made.upper_bound + 1e-9 * purpose.size()
        assert nothing - 1e-9 * purpose.size() <= value <= everything + 1e-9 * purpose.size()


@pytest.mark.parametrize("solver", ["enumerate", "columns"])
@pytest.mark.parametrize("notion", [LIP(0.5), AlphaLift(0.4, 0.4, 2.0)])
def test_a_task_that_is_x_under_other_names_is_information(solver, notion):
    joint = Joint.random_uniform(3, 9, np.random.default_rng(2))
    names = np.eye(9)[np.random.default_rng(3).permutation(9)]
    of_x = m.optimal(joint, notion, solver=solver)
    of_t = m.optimal(joint, notion, solver=solver, utility=Task(names))
    assert (of_t.utility, of_t.upper_bound) == (of_x.utility, of_x.upper_bound)
    assert (of_t.nmi, of_t.kept, of_t.information) == (of_x.nmi, of_x.nmi, of_x.utility)


@pytest.mark.parametrize(
    "purpose",
    [
        Task(np.random.default_rng(1).dirichlet(np.ones(3), size=42).T),
        Guess(),
        Distortion(np.abs(np.subtract.outer(np.arange(42), np.arange(42)))),
        SquaredError(np.arange(42)),
    ],
)
def test_sizes_that_no_enumeration_reaches_are_proven(purpose):
    joint = Joint.random_uniform(5, 42, np.random.default_rng(0))
    made = m.optimal(joint, LIP(0.5), utility=purpose, time_limit=60)
    linear = purpose.solver_utility(joint).pieces() is not None
    assert (made.status, made.solver) == ("optimal", "one program" if linear else "columns")
    assert made.gap <= 1e-6 * purpose.size()
    assert made.audit.holds


@pytest.mark.parametrize(("eps", "share"), [(0.0, 0.850), (0.1, 0.876), (0.5, 0.944)])
def test_mechanisms_that_read_the_secret_are_tasks_of_the_pair(eps, share):
    cells = np.random.default_rng(3).random((3, 6))
    pairs = Joint.with_secret_released(cells)
    made = m.optimal(pairs, LIP(eps), utility=Task(np.tile(np.eye(6), 3)))
    assert made.status == "optimal"
    assert made.kept == pytest.approx(share, abs=5e-4)
    alone = m.optimal(Joint.from_counts(cells), LIP(eps))
    assert made.kept > alone.nmi + 0.05


def test_a_task_in_the_way_of_the_secret_is_kept_where_x_is_not():
    # X is a pair of bits: T is the one, S the other
    joint = Joint.from_counts([[1, 1, 0, 0], [0, 0, 1, 1]])
    made = m.optimal(joint, LIP(0), utility=Task([[1, 0, 1, 0], [0, 1, 0, 1]]))
    assert made.kept == pytest.approx(1.0)
    assert made.nmi == pytest.approx(0.5)


def test_what_was_kept_for_one_purpose_is_told_of_another():
    joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    made = m.optimal(joint, LIP(0.5))
    guess = revalued(joint, made, Guess())
    assert guess.utility == pytest.approx(joint.release_x(made.kernel).max(axis=0).sum())
    assert guess.upper_bound == 1.0  # the bound on I(X;Y) says nothing of guesses
    assert guess.information == made.utility
    assert revalued(joint, made, Information()) is made
    back = revalued(joint, guess, Information())
    assert (back.utility, back.kept) == (made.utility, pytest.approx(made.nmi))


def test_a_frontier_of_a_task_never_falls():
    joint = Joint.random_uniform(3, 8, np.random.default_rng(4))
    task = Task(np.random.default_rng(5).dirichlet(np.ones(2), size=8).T)
    points = frontier(joint, LIP, [0.05, 0.2, 0.8], utility=task)
    assert all(point.purpose is task for point in points)
    assert np.all(np.diff([point.utility for point in points]) >= 0)
    assert points[-1].utility == pytest.approx(
        m.optimal(joint, LIP(0.8), utility=task).utility, abs=2e-6
    )
    assert failed(joint, "None.", task).upper_bound == pytest.approx(task.range(joint)[1])


def test_tables_may_have_columns_for_symbols_that_never_occur():
    joint = Joint.from_counts([[3, 0, 1], [1, 0, 3]])
    task = Task([[1, 0.3, 0], [0, 0.3, 1]])
    assert task.value(joint, np.eye(2)) == pytest.approx(np.log(2))
    table = Distortion([[0, 1], [9, 9], [1, 0]])
    assert table.value(joint, np.ones((2, 1))) == -0.5
    assert SquaredError([0, 100, 2]).value(joint, np.ones((2, 1))) == pytest.approx(-1)


def test_a_loss_that_is_nothing_is_kept_whole():
    joint = Joint.from_counts([[3, 1], [1, 3]])
    made = m.optimal(joint, LIP(0.1), utility=Distortion(np.zeros((2, 2))))
    assert (made.utility, made.kept, made.status) == (0.0, 1.0, "optimal")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Task([[1.0, 1.0]]), "only one level"),
        (lambda: Task([[0.5, -0.1], [0.5, 1.1]]), "at least 0, got -0.1"),
        (lambda: Task([0.5, 0.5]), "two axes"),
        (lambda: Guess([[1.0, 1.0]]), "only one level"),
        (lambda: Distortion([[0, np.nan], [1, 0]]), "got nan at"),
        (lambda: Distortion([[0, -1], [1, 0]]), r"got -1\.0 at"),
        (lambda: Distortion([[0, None], [1, 0]]), "got nan at"),
        (lambda: Distortion([]), "two axes"),
        (lambda: SquaredError([0, np.inf]), "finite"),
        (lambda: SquaredError([[0, 1]]), "one for each symbol"),
        (lambda: SquaredError(["one", "two"]), "finite, one for each symbol: could not convert"),
        (lambda: SquaredError([]), "one for each symbol, got"),
    ],
)
def test_bad_tables_are_named(make, message):
    with pytest.raises(InvalidInputError, match=message):
        make()


@pytest.mark.parametrize(
    ("purpose", "message"),
    [
        (Task(np.eye(3)), "must have 2 columns, one for each x, got 3"),
        (Task([[0.5, 0.5], [0.4, 0.5]]), "that of 'x1' sums to 0.9"),
        (Task([[1, 1], [0, 0]]), "only one level"),
        (Distortion(np.ones((3, 2))), "must have 2 rows"),
        (SquaredError([1, 2, 3]), "must have 2 entries"),
        ("guess", "Guess, Distortion or SquaredError, got 'guess'"),
    ],
)
def test_what_does_not_fit_the_joint_is_named(purpose, message):
    with pytest.raises(InvalidInputError, match=message):
        m.optimal(Joint.from_counts([[3, 1], [1, 3]]), LIP(0.5), utility=purpose)


def test_what_a_reader_of_the_secret_tells_of_a_task_is_not_known():
    joint = Joint.from_counts([[3, 1], [1, 3]])
    made = m.conditional_reporting(joint, notion=LIP(0.5))
    with pytest.raises(InvalidInputError, match="also reads S"):
        revalued(joint, made, Guess([[1, 0], [0, 1]]))
    p_xy = joint.release_x(made.kernel)
    assert revalued(joint, made, Guess()).utility == pytest.approx(p_xy.max(axis=0).sum())
    assert Information().value(joint, made.kernel) == pytest.approx(made.utility)


def test_a_loss_of_many_symbols_is_that_of_the_entries_of_a_kernel():
    rng, n_x = np.random.default_rng(0), 1_100
    joint = Joint.random_dirichlet(2, n_x, 1.0, rng)
    loss = Distortion(rng.random((n_x, 40)))
    at = np.sort(rng.choice(1_000 * n_x, 3 * n_x, replace=False))
    at = np.union1d(at, np.arange(n_x))  # the first output has all symbols
    totals = np.bincount(at % n_x)
    few = Entries((n_x, 1_000), at, 1 / totals[at % n_x], by_columns=True)
    kernel = few.dense()
    best = (loss.d.T @ (joint.p_x[:, None] * kernel)).min(axis=0)
    assert loss.value(joint, kernel) == pytest.approx(-best.sum(), rel=1e-12)
    assert loss.value(joint, np.array(kernel)) == pytest.approx(-best.sum(), rel=1e-12)
    assert loss.solver_utility(joint) is loss.solver_utility(joint)
    assert b"Greatest" not in pickle.dumps(loss)


def test_a_loss_without_entries_does_not_multiply_all_cells(monkeypatch):
    n_x = 1_100
    joint = Joint.random_dirichlet(2, n_x, 1.0, np.random.default_rng(0))
    places = np.arange(n_x, dtype=float)
    loss = Distortion(np.abs(np.subtract.outer(places, places)))
    of_x, kernel = loss.range(joint)[1], identity(n_x)
    monkeypatch.setattr(Greatest, "cost", None)
    assert loss.value(joint, kernel) == of_x == 0.0


@pytest.mark.parametrize("outputs", [1, 3])
def test_nothing_released_keeps_nothing(outputs):
    """LDP by the watchdog at ε = 0 was said to keep <0.1%, beside 0 nats."""
    joint = count(DataSpec()).joint
    kernel = np.tile(np.random.default_rng(1).dirichlet(np.ones(outputs)), (joint.n_x, 1))
    assert Information().value(joint, kernel) == 0.0
    hardly = np.vstack([[[0.5 + 1e-6, 0.5 - 1e-6]], np.full((joint.n_x - 1, 2), 0.5)])
    assert Information().value(joint, hardly) > 0.0
