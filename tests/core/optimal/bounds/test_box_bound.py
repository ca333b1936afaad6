"""Bounds by boxes against all vertices of small sets, found by brute force."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from core import clock
from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.errors import SolverError
from core.joint import Joint
from core.notions import ALIP, LDP, LIP, Intersection, PointwiseMaximalLeakage
from core.optimal.bounds.box_bound import Box, BoxBound, secants
from core.optimal.bounds.prover import Prover
from core.optimal.plan import SIZES
from core.optimal.polytopes.standard_form import polytope
from core.optimal.programs.batched_simplex import BatchedSimplex
from core.optimal.solve import maximise
from core.optimal.utility import MutualInformation
from tests.core.optimal.bounds.test_pricing_bound import joint_of, mixture_of, notion_of
from tests.vertices import allowed_vertices, entropies

STEP = 1e-4
"""Seconds that a reading of the clock counts for."""


def spiky(seed: int) -> Joint:
    """One symbol of nine in ten records, many zeros, as a country in a census."""
    rng = np.random.default_rng(seed)
    cells = rng.poisson(rng.gamma(0.3, 30.0, size=(3, 5))).astype(float)
    cells[:, 0] = 2_000 * rng.dirichlet(np.ones(3)) + 1
    cells[rng.integers(3, size=5), np.arange(5)] += 1
    return Joint.from_counts(cells)


def test_never_below_the_optimum_and_close_to_it():
    """48 sets with zeros, spikes and ties: at every stage a bound, and soon a close one."""
    lacking = []
    for seed in range(48):
        joint = joint_of(seed) if seed % 2 else spiky(seed)
        allowed = notion_of(seed).allowed_set(joint)
        cost, _ = mixture_of(allowed_vertices(allowed), joint.p_x)
        entropy = float(entropies(joint.p_x[None])[0])
        best = entropy - cost
        bounds = BoxBound(allowed, joint.p_x)
        with clock.using(clock.Ticking(STEP)):
            result = [
                bounds.bound(joint.p_x[None], best + 1e-4, Deadline(limit * STEP))
                for limit in (0, 10, 100, 1_000, 4_000)
            ]
        assert min(result) >= best - 1e-9, seed
        assert result == sorted(result, reverse=True), seed
        assert result[0] <= entropy + 1e-9
        lacking.append((result[-1] - best) / max(entropy, 1e-3))
    assert max(lacking) < 0.02
    assert np.median(lacking) < 1e-3


def test_a_far_aim_leaves_no_part_of_the_distance_unproven():
    """Columns are added to a fifth of the distance, and further where no split is left to do."""
    for seed in range(6):
        joint = joint_of(seed) if seed % 2 else spiky(seed)
        allowed = notion_of(seed).allowed_set(joint)
        cost, _ = mixture_of(allowed_vertices(allowed), joint.p_x)
        best = float(entropies(joint.p_x[None])[0]) - cost
        with clock.using(clock.Ticking(STEP)):
            bounds = BoxBound(allowed, joint.p_x)
            result = bounds.bound(joint.p_x[None], 0.0, Deadline(1_000 * STEP))
        assert best - 1e-9 <= result <= best + 1e-6, seed


@pytest.mark.parametrize("many", [False, True])
def test_rows_that_are_told_where_outputs_break_them_prove_as_much(many):
    """Two rows are known at first, and at most two more are told at a time."""
    for seed in range(6):
        joint = joint_of(seed) if seed % 2 else spiky(seed)
        allowed = LDP(0.7).allowed_set(joint)
        vertices = allowed_vertices(allowed)
        cost, _ = mixture_of(vertices, joint.p_x)
        best = float(entropies(joint.p_x[None])[0]) - cost
        points = vertices / vertices.sum(axis=1, keepdims=True)
        rows = allowed.rows.toarray()

        def cuts_off(outputs, rows=rows):
            return rows[(rows @ outputs.T > 1e-9).any(axis=1)][:2]

        bounds = BoxBound(
            AllowedSet(sparse.csr_array(rows[:2]), joint.n_x),
            joint.p_x,
            (points.min(axis=0), points.max(axis=0)),
            cuts_off,
            many=many,
        )
        with clock.using(clock.Ticking(STEP)):
            result = [
                bounds.bound(joint.p_x[None], best, Deadline(limit * STEP))
                for limit in (0, 10, 100, 1_000, 4_000)
            ]
        assert min(result) >= best - 1e-9, seed
        assert result == sorted(result, reverse=True), seed
        assert result[-1] <= best + 1e-3, seed


@pytest.mark.parametrize("readings", [0, 3, 12, 40])
def test_pivots_of_the_first_box_end_by_the_deadline(readings, monkeypatch):
    monkeypatch.setitem(vars(SIZES), "between_looks", 1)
    joint = Joint.random_uniform(3, 7, np.random.default_rng(0))
    allowed = LDP(0.5).allowed_set(joint)
    cost, _ = mixture_of(allowed_vertices(allowed), joint.p_x)
    entropy = float(entropies(joint.p_x[None])[0])
    pivots, step = [], BatchedSimplex._step
    monkeypatch.setattr(BatchedSimplex, "_step", lambda self: (pivots.append(0), step(self))[1])
    with clock.using(clock.Ticking(1.0)):
        result = BoxBound(allowed, joint.p_x).bound(joint.p_x[None], 0.0, Deadline(readings))
    assert len(pivots) <= readings + 4  # the clock is read after each
    assert entropy - cost - 1e-9 <= result <= entropy + 1e-9


@pytest.mark.parametrize(
    "notion",
    [LDP(0.0), LDP(np.inf), ALIP(0.0, 0.0), PointwiseMaximalLeakage(0.0), ALIP(0.5, 0.0)],
    ids=str,
)
def test_budgets_at_the_ends(notion):
    joint = joint_of(2)
    allowed = notion.allowed_set(joint)
    best = maximise(allowed, joint.p_x)
    with clock.using(clock.Ticking(STEP)):
        bound = BoxBound(allowed, joint.p_x).bound(
            joint.p_x[None], best.utility + 1e-4, Deadline(0.4)
        )
    assert best.utility - 1e-9 <= bound <= best.utility + 0.02


def test_without_rows_nothing_is_kept_back():
    p_x = np.array([0.5, 0.3, 0.2])
    allowed = AllowedSet(sparse.csr_array((0, 3)), 3)
    with clock.using(clock.Ticking(STEP)):
        bound = BoxBound(allowed, p_x).bound(p_x[None], 0.0, Deadline(0.1))
    assert bound == pytest.approx(float(entropies(p_x[None])[0]), abs=1e-9)


def test_a_bound_holds_whatever_the_programs_say(monkeypatch):
    """Multipliers and points are noise: what they prove is weak, and true."""
    joint = joint_of(3)
    allowed = Intersection(LDP(1.0), ALIP(0.5, 0.5)).allowed_set(joint)
    cost, _ = mixture_of(allowed_vertices(allowed), joint.p_x)
    best = float(entropies(joint.p_x[None])[0]) - cost
    rng = np.random.default_rng(0)
    bounds = BoxBound(allowed, joint.p_x)
    programs = bounds._programs
    solve = programs.solve

    def noisy(boxes, costs, **options):
        ends = solve(boxes, costs, **options)
        return replace(
            ends,
            rows=ends.rows * rng.uniform(-1, 3, ends.rows.shape),
            totals=ends.totals + rng.normal(scale=0.1, size=len(costs)),
        )

    monkeypatch.setattr(programs, "solve", noisy)
    with clock.using(clock.Ticking(STEP)):
        assert bounds.bound(joint.p_x[None], best, Deadline(0.1)) >= best - 1e-9


def test_what_is_proven_stands_where_a_program_fails(monkeypatch):
    joint = joint_of(3)
    bounds = BoxBound(ALIP(0.5, 0.5).allowed_set(joint), joint.p_x)
    with clock.using(clock.Ticking(STEP)):
        first = bounds.bound(joint.p_x[None], 0.0, Deadline(10 * STEP))

    def fails(*_, **__):
        raise SolverError("no answer")

    monkeypatch.setattr(bounds._programs, "solve", fails)
    assert bounds.bound(joint.p_x[None], 0.0, Deadline.after(10)) == first
    assert bounds.bound(joint.p_x[None], 0.0, Deadline.after(10)) == first


def test_secants_lie_below_the_entropy():
    rng = np.random.default_rng(0)
    lower = rng.random(200) * rng.choice([0, 1e-12, 1e-3, 1], 200)
    upper = np.minimum(lower + rng.random(200) * rng.choice([0, 1e-12, 1e-6, 1], 200), 1.0)
    slopes, intercepts = secants(lower, upper)
    for share in (0.0, 0.01, 0.5, 1.0):
        r = lower + share * (upper - lower)
        exact = -r * np.log(np.where(r > 0, r, 1.0))
        assert (slopes * r + intercepts <= exact + 1e-15).all()


def test_programs_of_sides_start_where_they_ended_last(monkeypatch):
    """Of the same sides in the same box nothing is left to do; another program's basis is far."""
    joint = spiky(2)
    steps = []
    step = BatchedSimplex._step
    monkeypatch.setattr(BatchedSimplex, "_step", lambda self: steps.append(1) or step(self))
    bounds = BoxBound(ALIP(0.5, 0.5).allowed_set(joint), joint.p_x)
    bounds.bound(joint.p_x[None], np.inf, Deadline.after(10))
    whole = replace(bounds._boxes[0], highest=np.full((joint.n_x, joint.n_x), np.inf))
    steps.clear()
    again = bounds._narrowed([(whole, np.arange(joint.n_x))], Deadline.after(10))
    assert len(again) == len(steps) == 1
    steps.clear()
    bounds._narrowed([(replace(whole, of_sides={}), np.arange(joint.n_x))], Deadline.after(10))
    assert len(steps) > 2


def test_the_prover_turns_to_boxes_where_branch_and_bound_is_far_off():
    """42 symbols, nine tenths of one, 8 secrets: without boxes the bound is about H(X)."""
    rng = np.random.default_rng(5)
    cells = rng.poisson(rng.gamma(0.4, 20.0, size=(8, 42))).astype(float)
    cells[:, 0] = 9_000 * rng.dirichlet(np.full(8, 3.0))
    cells[0] += cells.sum(axis=0) == 0
    joint = Joint.from_counts(cells)
    allowed = ALIP.from_lambda(0.5, 0.5).allowed_set(joint)
    entropy = float(entropies(joint.p_x[None])[0])
    best = maximise(allowed, joint.p_x, prove=False)
    prover = Prover(allowed, polytope(allowed, joint.p_x), joint.p_x, MutualInformation())
    prover._most_low = 0
    weights = (joint.p_x[:, None] * best.kernel).T
    outputs = weights / weights.sum(axis=1, keepdims=True)
    with clock.using(clock.Ticking(1e-3)):
        prover._box(outputs, best.utility, Deadline(0.5))
    assert best.utility <= prover._known < best.utility + 0.1 * entropy


def test_boxes_that_are_wrongly_found_empty_prove_nothing(monkeypatch):
    """As by rounding, where budgets are 1e-300 and a symbol's probability is."""
    joint = joint_of(0)
    bounds = BoxBound(notion_of(0).allowed_set(joint), joint.p_x)
    entropy = bounds.bound(joint.p_x[None], np.inf, Deadline.after(10))
    again = BoxBound(notion_of(0).allowed_set(joint), joint.p_x)
    monkeypatch.setattr(BoxBound, "_narrowed", lambda *_: [])
    assert again.bound(joint.p_x[None], 0.0, Deadline.after(10)) >= entropy


def test_boxes_that_their_programs_wrongly_find_empty_prove_nothing(monkeypatch):
    """The bound is not lowered before it is known that one of those left holds P_X."""
    joint = joint_of(0)
    bounds = BoxBound(notion_of(0).allowed_set(joint), joint.p_x)
    begun = bounds.bound(joint.p_x[None], np.inf, Deadline.after(10))
    solve, proven = bounds._programs.solve, bounds._programs.proven

    def empty(boxes, costs, **options):
        ends = solve(boxes, costs, **options)
        none, every = np.zeros(len(boxes), dtype=bool), np.ones(len(boxes), dtype=bool)
        return replace(ends, solved=none, empty=every)

    def more(boxes, costs, ends):
        floors, reduced = proven(boxes, costs, ends)
        return np.ones_like(floors), reduced

    monkeypatch.setattr(bounds._programs, "solve", empty)
    monkeypatch.setattr(bounds._programs, "proven", more)
    entropy = float(entropies(joint.p_x[None])[0])
    assert bounds.bound(joint.p_x[None], 0.0, Deadline.after(10)) == begun >= entropy - 1e-9


def test_a_box_found_empty_holds_nothing_and_is_not_split():
    joint = joint_of(0)
    bounds = BoxBound(notion_of(0).allowed_set(joint), joint.p_x)
    with clock.using(clock.Ticking(STEP)):
        bounds.bound(joint.p_x[None], 0.0, Deadline(40 * STEP))
    weights = np.ones(len(bounds._columns))
    k = bounds._holder(joint.p_x)
    bounds._boxes[k] = replace(bounds._boxes[k], intercept=np.inf)
    assert bounds._holder(joint.p_x) != k
    bounds._boxes = [replace(box, intercept=np.inf) for box in bounds._boxes]
    assert bounds._holder(joint.p_x) == -1
    before = len(bounds._boxes)
    bounds._of = np.minimum(np.maximum(bounds._of, 0), before - 1)
    bounds._refine(weights, Deadline.after(10))
    assert len(bounds._boxes) == before


def test_a_box_found_empty_late_does_not_hold_the_bound_up():
    """Sides alone may not show that a box is empty: its program does, and it is left out."""
    for seed in range(6):
        p_x = np.random.default_rng(seed).dirichlet(np.full(4, 3.0))
        allowed = LIP(0.5).allowed_set(Joint.from_counts(np.diag(p_x)))  # no symbol is sure
        bounds = BoxBound(allowed, p_x)
        best = maximise(allowed, p_x).upper_bound
        with clock.using(clock.Ticking(STEP)):
            bounds.bound(p_x[None], best + 1e-4, Deadline(40 * STEP))
            corner = np.eye(4)[p_x.argmin()]
            ends = {"lower": 0.999 * corner, "upper": np.maximum(corner, 1e-3)}
            bounds._boxes.append(
                Box(**ends, slopes=0 * p_x, intercept=-9.0, highest=np.eye(4), priced=0 * p_x)
            )
            result = bounds.bound(p_x[None], best + 1e-4, Deadline(4_000 * STEP))
        assert best - 1e-9 <= result <= best + 2e-4, seed
