"""Cutting planes from outside and inside: against the other search, a plain polytope, and time."""

from dataclasses import replace

import numpy as np
import pytest

from core import clock, measures
from core import mechanisms as m
from core.clock import NEVER, Deadline
from core.errors import SolverError
from core.joint import Joint
from core.mechanisms.polish import polished
from core.notions import LIP, RLDP, AlphaLift
from core.optimal.bounds.low_vertices import undercutting
from core.optimal.columns.vertex_search import ColumnSearch
from core.optimal.cutting_planes import AllowedOutputs, CutLoop, enclose
from core.optimal.plan import SIZES
from core.optimal.polytopes.facets import facets_of
from core.optimal.polytopes.standard_form import polytope
from core.optimal.solve import maximise
from core.optimal.utility import MutualInformation
from core.uncertainty import RenyiBall


def test_a_round_set_has_the_same_optimum_carved_and_searched(monkeypatch):
    joint = Joint.random_uniform(3, 4, np.random.default_rng(0))
    notion = AlphaLift(0.6, 0.6, 2.0)
    allowed = notion.allowed_set(joint)
    result = maximise(allowed, joint.p_x, time_limit=30)
    monkeypatch.setitem(vars(SIZES), "enclosed_symbols", 0)
    other = maximise(allowed, joint.p_x, time_limit=30)
    assert result.status == "optimal"
    assert result.utility <= other.upper_bound + 1e-9
    assert other.utility <= result.upper_bound + 1e-9
    assert notion.holds(joint, result.kernel)


def test_an_oracle_that_is_silent_leaves_the_polytope():
    joint = Joint.random_uniform(3, 4, np.random.default_rng(1))
    notion = LIP(0.4)
    silent = replace(notion.allowed_set(joint), oracle=lambda r: np.empty((0, len(r))))
    result = maximise(silent, joint.p_x, finish=lambda kernel: polished(joint, kernel, notion))
    best = m.optimal(joint, notion)
    assert result.utility == pytest.approx(best.utility, abs=1e-6)
    assert result.utility == pytest.approx(
        float(measures.mutual_information(joint.release_x(result.kernel))), abs=1e-9
    )


@pytest.fixture(scope="module")
def whole():
    """Return the optimum of those counts, given all the time it takes."""
    counts, ball = five_by_two()
    return m.robust_optimal(counts, 0.3, ball, time_limit=60)


def test_what_time_does_not_prove_is_bounded_all_the_same(whole):
    counts, ball = five_by_two()
    hasty = m.robust_optimal(counts, 0.3, ball, time_limit=0.5)
    assert hasty.status == "time limit"
    assert hasty.gap > 1e-6
    assert hasty.audit.holds
    assert hasty.utility <= whole.upper_bound + 1e-12
    assert whole.utility <= hasty.upper_bound + 1e-12
    assert hasty.upper_bound <= float(measures.entropy(counts.ravel() / 300)) + 1e-12


def test_five_secrets_with_two_u_are_proven_between_polyopt_and_non_robust(whole):
    counts, ball = five_by_two()
    poly = m.polyopt(counts, 0.3, ball)
    assert whole.status == poly.status == "optimal"
    assert whole.gap <= 1e-6
    assert whole.utility == pytest.approx(0.11524, abs=1e-5)  # a search by columns ends there too
    assert poly.utility + 0.01 < whole.utility < m.non_robust(counts, 0.3).utility
    assert m.polyopt(counts, 0.3, ball, include_same_secret=True).utility < poly.utility


@pytest.mark.parametrize(("digits", "seed"), [(10, 1), (6, 0)])
def test_a_start_moved_by_its_last_digits_is_proven_too(digits, seed):
    # from both starts, cuts are so nearly parallel where they meet that inverses are refined
    counts, ball = five_by_two()
    joint = Joint.with_secret_released(counts)
    allowed = RLDP(0.3, ball, exact=True).allowed_set(joint)
    kernel = m.polyopt(counts, 0.3, ball, time_limit=20).kernel[joint.kept_x]
    kernel = kernel * (1 + 10.0**-digits * np.random.default_rng(seed).normal(size=kernel.shape))
    kernel /= kernel.sum(axis=1, keepdims=True)
    inside = AllowedOutputs(kernel, joint.p_x, MutualInformation(), allowed.oracle)
    deadline = Deadline.after(60)
    outer = replace(allowed, oracle=None)
    space = polytope(outer, joint.p_x)
    bound = enclose(outer, space, inside, gap=5e-7, patience=deadline, deadline=deadline)
    assert 0 <= bound - inside.value <= 5e-7
    assert inside.value == pytest.approx(0.1152448, abs=5e-7)


def test_a_wide_polytope_is_cut_before_it_is_enclosed(monkeypatch):
    counts, ball = five_by_two()
    joint = Joint.with_secret_released(counts)
    allowed = RLDP(0.3, ball, exact=True).allowed_set(joint)
    goal, widths = MutualInformation(), []

    def width(outer, space, inside, **_):
        search = ColumnSearch(space, joint.p_x, goal, seed=0, deadline=Deadline.after(10))
        search.run()
        widths.append(goal.offset(joint.p_x) - search.mixture.cost - inside.value)
        assert (outer.rows @ inside.points.T <= 1e-9).all()  # no allowed output is cut off
        return inside.value  # ends the search

    monkeypatch.setattr("core.optimal.cutting_planes.enclose", width)
    start = m.polyopt(counts, 0.3, ball).kernel[joint.kept_x]
    with clock.using(clock.Ticking(0.01)):
        until = Deadline.after(100)
        loop = CutLoop(allowed, allowed.oracle, joint.p_x, start, goal, until, 1e-6, 0)
        width(loop.outer, polytope(loop.outer, joint.p_x), loop.inside)
        loop.run()
    assert widths[0] > 0.1
    assert widths[1] < 0.001


@pytest.mark.parametrize("most", [2, 32_000])
def test_a_proof_of_too_few_vertices_is_tried_with_more(monkeypatch, most):
    monkeypatch.setitem(vars(SIZES), "low_vertices", (2, 2))
    monkeypatch.setitem(vars(SIZES), "enclosed_vertices", most)
    joint = Joint.random_uniform(3, 4, np.random.default_rng(0))
    allowed = AlphaLift(0.6, 0.6, 2.0).allowed_set(joint)
    inside = AllowedOutputs(np.ones((4, 1)), joint.p_x, MutualInformation(), allowed.oracle)
    space = polytope(allowed, joint.p_x)
    bound = enclose(allowed, space, inside, gap=1e-6, patience=NEVER, deadline=Deadline.after(30))
    proven = bound - inside.value <= 1e-6
    assert bound >= inside.value
    assert proven == (most == 32_000)


def five_by_two():
    """Return counts of five secrets and two u, and the confidence set around them."""
    rng = np.random.default_rng(0)
    counts = rng.multinomial(300, rng.dirichlet([0.5] * 10)).reshape(5, 2)
    return counts, RenyiBall.confidence(counts, 300)


def test_the_oracle_says_of_many_outputs_what_it_says_of_each():
    counts, ball = five_by_two()
    joint = Joint.with_secret_released(counts)
    oracle = RLDP(0.3, ball, exact=True).allowed_set(joint).oracle
    points = np.vstack([np.random.default_rng(1).dirichlet(np.ones(joint.n_x), 6), joint.p_x])
    cuts, which = oracle.each(points)
    assert set(which) == set(range(6))
    assert ((cuts * points[which]).sum(axis=1) > 0).all()
    assert (cuts @ joint.p_x < 0).all()
    for number, point in enumerate(points):
        np.testing.assert_allclose(oracle(point), cuts[which == number], atol=1e-6)


def test_a_set_too_large_for_vertices_keeps_the_best_mixture_of_what_is_known(monkeypatch):
    counts, ball = five_by_two()
    joint = Joint.with_secret_released(counts)
    notion = RLDP(0.3, ball, exact=True)
    allowed = notion.allowed_set(joint)
    known = m.polyopt(counts, 0.3, ball, time_limit=0.5)
    monkeypatch.setattr("core.optimal.cutting_planes.too_large", lambda _: True)
    result = maximise(
        allowed,
        joint.p_x,
        start=lambda _: known.kernel[joint.kept_x],
        finish=lambda kernel: polished(joint, kernel, notion, quick=True),
    )
    assert result.status == "time limit"  # of the climb, which has a share of the time
    assert result.utility >= known.utility - 1e-9
    assert result.upper_bound == pytest.approx(float(measures.entropy(joint.p_x)))


@pytest.mark.parametrize(("count", "seconds"), [(20_000, 1e6), (20, 0.02)])
def test_no_polytope_is_made_of_too_many_cuts_or_out_of_time(monkeypatch, count, seconds):
    def made(*_):
        raise AssertionError("A polytope looks at no clock.")

    monkeypatch.setattr("core.optimal.cutting_planes.polytope", made)
    joint = Joint.random_uniform(3, 4, np.random.default_rng(1))
    cuts = np.random.default_rng(0).normal(size=(count, 4))
    cuts -= np.outer(cuts @ joint.p_x, joint.p_x) / (joint.p_x @ joint.p_x)
    goal, start = MutualInformation(), np.ones((4, 1))
    with clock.using(clock.Ticking(0.01)):
        until = Deadline.after(seconds)
        loop = CutLoop(
            LIP(1.0).allowed_set(joint),
            *(lambda r: np.empty((0, len(r))), joint.p_x, start, goal, until),
            gap=1e-6,
            seed=0,
        )
        loop.narrow(cuts)
        loop.run()
    assert loop.outer.rows.shape[0] >= count
    assert loop.upper == pytest.approx(float(measures.entropy(joint.p_x)))


def test_a_search_under_an_oracle_never_ends_below_its_start():
    counts, ball = five_by_two()
    joint = Joint.with_secret_released(counts)
    notion = RLDP(0.3, ball, exact=True)
    known = m.polyopt(counts, 0.3, ball, time_limit=0.5)
    result = maximise(
        notion.allowed_set(joint),
        joint.p_x,
        time_limit=0.5,
        start=lambda _: known.kernel[joint.kept_x],
    )
    assert known.utility > 0.05
    assert result.utility >= known.utility - 1e-9
    assert result.utility <= result.upper_bound


def test_ten_symbols_are_far_above_polyopt_and_below_their_bound():
    counts = np.array([[20, 69, 311, 119, 10252], [192, 346, 1560, 162, 19530]])
    ball = RenyiBall.confidence(counts, int(counts.sum()))
    exact = m.robust_optimal(counts, 0.25, ball, time_limit=6)
    poly = m.polyopt(counts, 0.25, ball)
    free = m.non_robust(counts, 0.25)
    assert exact.audit.holds
    assert exact.utility >= poly.utility + 0.01
    assert exact.utility <= free.utility + 1e-9
    assert exact.gap <= 0.01


@pytest.mark.parametrize(
    "broken",
    [
        "polytopes.lazy_double_description.LazyDoubleDescription.best",
        "columns.vertex_search.ColumnSearch.run",
    ],
)
def test_a_solver_without_an_answer_leaves_the_best_known(monkeypatch, broken):
    result, known, joint = broken_search(monkeypatch, broken)
    assert result.status == "time limit"  # of the climb, which has a share of the time
    assert len(result.notes) == 1
    assert result.utility >= known.utility - 1e-9
    assert result.upper_bound == pytest.approx(float(measures.entropy(joint.p_x)))


def test_a_proof_without_an_answer_leaves_the_search(monkeypatch):
    result, known, joint = broken_search(monkeypatch, "bounds.prover.Prover.check")
    assert result.status in {"heuristic", "time limit"}
    assert not result.notes
    assert result.utility >= known.utility - 1e-9
    assert result.upper_bound == pytest.approx(float(measures.entropy(joint.p_x)))


def broken_search(monkeypatch, broken):
    """Return what a search finds when a part of the solver fails, what it knew, and the joint."""

    def fail(*_, **__):
        raise SolverError("HiGHS gave no answer: Unknown.")

    counts = np.array([[7, 10], [26, 57]])
    ball = RenyiBall.confidence(counts, 100)
    joint = Joint.with_secret_released(counts)
    notion = RLDP(np.log(2), ball, exact=True)
    known = m.polyopt(counts, np.log(2), ball)
    if not broken.startswith("polytopes"):
        monkeypatch.setitem(vars(SIZES), "enclosed_symbols", 0)
    monkeypatch.setattr(f"core.optimal.{broken}", fail)
    return searched(joint, notion, known.kernel, time_limit=2), known, joint


def searched(joint, notion, start, **options):
    """Return what `maximise` finds for a notion with an oracle."""
    return maximise(
        notion.allowed_set(joint),
        joint.p_x,
        start=lambda _: start,
        finish=lambda kernel: polished(joint, kernel, notion, quick=True),
        **options,
    )


def test_carving_and_a_search_by_columns_agree(monkeypatch):
    counts = np.array([[40, 10], [25, 25]])
    ball = RenyiBall.confidence(counts, 100)
    joint = Joint.with_secret_released(counts)
    notion = RLDP(0.8, ball, exact=True)
    start = m.polyopt(counts, 0.8, ball).kernel
    carved = searched(joint, notion, start, time_limit=20)
    monkeypatch.setitem(vars(SIZES), "enclosed_symbols", 0)
    by_columns = searched(joint, notion, start, time_limit=20)
    assert carved.status == by_columns.status == "optimal"
    assert carved.utility == pytest.approx(by_columns.utility, abs=2e-6)


def test_a_round_set_is_proven_of_its_rows_as_they_were_given_and_of_its_cuts(monkeypatch):
    joint = Joint.random_uniform(3, 4, np.random.default_rng(0))
    allowed = AlphaLift(0.6, 0.6, 2.0).allowed_set(joint)
    seen = []

    def looked(facets, *arguments, **options):
        seen.append(facets)
        return undercutting(facets, *arguments, **options)

    monkeypatch.setattr("core.optimal.cutting_planes.undercutting", looked)
    assert maximise(allowed, joint.p_x, time_limit=30).status == "optimal"
    given = facets_of(allowed, joint.p_x)
    for facets in seen:
        np.testing.assert_array_equal(facets.rows[: len(given.rows)], given.rows)
        np.testing.assert_array_equal(facets.unit, joint.p_x)
        assert len(facets.rows) > len(given.rows)
        assert (facets.limits == 0).all()


def test_vertices_that_rounding_may_have_moved_prove_nothing(monkeypatch):
    def unsure(*arguments, **options):
        return replace(undercutting(*arguments, **options), sure=False)

    monkeypatch.setattr("core.optimal.cutting_planes.undercutting", unsure)
    monkeypatch.setattr("core.optimal.bounds.prover.undercutting", unsure)
    monkeypatch.setattr("core.optimal.bounds.prover.may_enumerate", lambda _: False)
    joint = Joint.random_uniform(3, 4, np.random.default_rng(0))
    allowed = AlphaLift(0.6, 0.6, 2.0).allowed_set(joint)
    inside = AllowedOutputs(np.ones((4, 1)), joint.p_x, MutualInformation(), allowed.oracle)
    space = polytope(allowed, joint.p_x)
    bound = enclose(allowed, space, inside, gap=1e-6, patience=NEVER, deadline=Deadline.after(30))
    assert inside.value > 0.1
    assert bound == pytest.approx(measures.entropy(joint.p_x))


def test_outputs_that_do_not_mix_leave_the_mechanism_to_start_from(monkeypatch):
    def broken(*_arguments):
        raise SolverError("HiGHS gave no answer: Unknown.")

    monkeypatch.setattr("core.optimal.programs.highs.LinearProgram.solve", broken)
    joint = Joint.random_uniform(3, 4, np.random.default_rng(0))
    notion = AlphaLift(0.6, 0.6, 2.0)
    start = m.subset_merging(joint, notion)
    result = searched(joint, notion, start.kernel)
    assert result.utility == pytest.approx(start.utility)
    assert result.status == "heuristic"
    assert "HiGHS" in result.notes[-1]
