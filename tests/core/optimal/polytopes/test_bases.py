"""Both systems of a basis, over its labels and over the variables, have one solution."""

import numpy as np
import pytest

from core.clock import Deadline
from core.errors import SolverError
from core.joint import Joint
from core.notions import ALIP, LDP, LIP, SRLIP
from core.optimal.columns.vertex_search import ColumnSearch
from core.optimal.polytopes import tableaux
from core.optimal.polytopes.standard_form import polytope
from core.optimal.utility import MutualInformation

WIDE = Joint.random_uniform(3, 8, np.random.default_rng(0))
EQUAL = Joint.from_counts([[1, 1, 2, 2, 3, 3], [3, 3, 2, 2, 1, 1]])


@pytest.mark.parametrize("perturbed", [False, True])
@pytest.mark.parametrize(
    ("joint", "notion"),
    [
        (WIDE, ALIP(0.4, 0.8)),
        (WIDE, LDP(0.5)),
        (WIDE, SRLIP(0.5, (2, 4))),
        (WIDE, LIP(0)),
        (EQUAL, LIP(0.3)),
    ],
    ids=str,
)
def test_both_systems_give_the_same_tableaux(joint, notion, perturbed):
    space = polytope(notion.allowed_set(joint), joint.p_x)
    space = space.perturbed() if perturbed else space
    costs = np.random.default_rng(1).standard_normal((20, joint.n_x))
    result = tableaux.corners(space, costs)
    for edges in (False, True):
        first = tableaux._over_basic(space, result.basic, result.nonbasic, edges=edges)
        second = tableaux._over_variables(space, result.basic, result.nonbasic, edges=edges)
        np.testing.assert_allclose(second, first, rtol=1e-9, atol=1e-10)
        chosen = tableaux.solved(space, result.basic, result.nonbasic, edges=edges)
        np.testing.assert_allclose(chosen, first, rtol=1e-9, atol=1e-10)


def spoilt():
    """Vertices of which the second names one label twice, so that its basis is singular."""
    space = polytope(ALIP(0.4, 0.8).allowed_set(WIDE), WIDE.p_x)
    result = tableaux.corners(space, np.random.default_rng(1).standard_normal((4, WIDE.n_x)))
    basic, nonbasic = result.basic.copy(), result.nonbasic.copy()
    basic[1, 0], nonbasic[1, 0] = basic[1, 1], nonbasic[1, 1]
    return space, result, basic, nonbasic


@pytest.mark.parametrize("system", [tableaux._over_basic, tableaux._over_variables])
@pytest.mark.parametrize("edges", [False, True])
def test_a_singular_basis_is_nan_and_spoils_no_other(system, edges):
    space, result, basic, nonbasic = spoilt()
    body = system(space, basic, nonbasic, edges=edges)
    whole = system(space, result.basic, result.nonbasic, edges=edges)
    assert np.isnan(body[1]).any()
    np.testing.assert_array_equal(body[[0, 2, 3]], whole[[0, 2, 3]])


def test_vertices_of_singular_bases_are_left_out():
    space, result, basic, nonbasic = spoilt()
    kept = tableaux.tableaux(space, basic, nonbasic)
    np.testing.assert_array_equal(kept.nonbasic, result.nonbasic[[0, 2, 3]])
    with pytest.raises(SolverError, match="singular basis"):
        start_from(space, basic[1:2], nonbasic[1:2])


def start_from(space, basic, nonbasic):
    """Start where HiGHS ends in a singular basis."""
    result = tableaux.BasicSolutions(space, basic, nonbasic, np.zeros(basic.shape))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tableaux, "corners", lambda *_: result)
        tableaux.start(space, np.random.default_rng(0))


def test_a_search_passes_over_singular_starts(monkeypatch):
    space, _, basic, nonbasic = spoilt()
    result = tableaux.BasicSolutions(space, basic[1:2], nonbasic[1:2], np.zeros((1, space.n_basic)))
    later = Deadline.after(60)
    search = ColumnSearch(space, WIDE.p_x, MutualInformation(), seed=0, deadline=later)
    count = len(search.pool)
    monkeypatch.setattr(tableaux, "some_corners", lambda *_: result)
    assert not search.descend_from(np.ones((1, WIDE.n_x)))
    assert len(search.pool) == count
