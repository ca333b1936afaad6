"""Which bound is tried when: the ways to it, each on an optimum that is known."""

import numpy as np
import pytest

from core import clock
from core.clock import NEVER, Deadline
from core.joint import Joint
from core.notions import ALIP, LDP, GuessingProbability, Intersection, L1Privacy
from core.optimal.bounds.prover import Prover
from core.optimal.columns.vertex_search import ColumnSearch
from core.optimal.plan import SHARES, SIZES
from core.optimal.polytopes.standard_form import polytope
from core.optimal.utility import MutualInformation

GAP = 1e-6


def searched(joint, notion):
    """Return a prover and the mixture that a search found."""
    allowed = notion.allowed_set(joint)
    space = polytope(allowed, joint.p_x)
    search = ColumnSearch(space, joint.p_x, MutualInformation(), seed=0, deadline=NEVER)
    search.run()
    search.settled()
    return Prover(allowed, space, joint.p_x, MutualInformation()), search


def checked(prover, search, seconds):
    """Return a bound, by as many turns of search and proof as they need."""
    with clock.using(clock.Ticking(1e-3)):
        for _ in range(20):
            outputs = search.master.points[search.mixture.used]
            until = Deadline.after(seconds)
            verdict = prover.check(search.mixture.duals, GAP, until, outputs)
            if not search.include(verdict.better):
                break
            search.run()
    return verdict.bound, MutualInformation().offset(prover.p_x) - search.mixture.cost


@pytest.mark.parametrize("notion", [LDP(1.0), ALIP(0.5, 0.5)], ids=str)
def test_all_vertices_whose_rounding_leaves_too_much_are_no_end(notion, monkeypatch):
    """Floors that are 1e-4 nats short: branch and bound gives what they lack."""
    joint = Joint.random_dirichlet(3, 6, 1.0, np.random.default_rng(4))
    prover, search = searched(joint, notion)
    check_all = prover._check_all

    def short(duals):
        verdict = check_all(duals)
        return type(verdict)(verdict.bound + 1e-4, verdict.better)

    monkeypatch.setattr(prover, "_check_all", short)
    assert prover.walk(NEVER, 10_000)
    bound, value = checked(prover, search, 10.0)
    assert value - 1e-9 <= bound <= value + GAP


def test_branch_and_bound_that_keeps_most_boxes_is_left_for_boxes(monkeypatch):
    joint = Joint.random_dirichlet(12, 10, 2.0, np.random.default_rng(0))
    prover, search = searched(joint, ALIP(0.1, 0.1))
    monkeypatch.setitem(vars(SIZES), "wide_tree", -1.0)
    prover._most_low = 0
    monkeypatch.setitem(vars(SHARES), "first_branching", 1e-3)
    branched = []
    branch = prover._branch
    monkeypatch.setattr(prover, "_branch", lambda *given: branched.append(1) or branch(*given))
    bound, value = checked(prover, search, 0.2)
    assert len(branched) >= 2  # at first and in the end: not in between
    assert prover._boxes is not None
    assert value - 1e-9 <= bound < prover.utility.of_x(joint.p_x)


def test_branch_and_bound_that_closes_boxes_goes_on():
    joint = Joint.random_dirichlet(12, 10, 2.0, np.random.default_rng(0))
    prover, search = searched(joint, ALIP(0.1, 0.1))
    prover._most_low = 0
    bound, value = checked(prover, search, 20.0)
    assert value - 1e-9 <= bound <= value + GAP
    assert prover._boxes is None


def test_equations_that_leave_no_freedom_leave_a_number_of_vertices():
    joint = Joint.from_counts([[0, 6], [14, 0], [0, 0], [0, 0]])
    notion = Intersection(LDP(0.75), L1Privacy(np.inf, 1e-10), GuessingProbability(0.7))
    allowed = notion.allowed_set(joint)
    space = polytope(allowed, joint.p_x)
    assert space.n_free == -1
    assert Prover(allowed, space, joint.p_x, MutualInformation())._few() > 0
