"""Both systems of a basis, over its labels and over the variables, have one solution."""

import numpy as np
import pytest

from core.joint import Joint
from core.notions import ALIP, LDP, LIP, SRLIP
from core.optimal import bases, pivoting
from core.optimal.polytope import polytope

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
def test_both_systems_give_the_same_tableaus(joint, notion, perturbed):
    space = polytope(notion.allowed_set(joint), joint.p_x)
    space = space.perturbed() if perturbed else space
    costs = np.random.default_rng(1).standard_normal((20, joint.n_x))
    found = pivoting.corners(space, costs)
    for edges in (False, True):
        first = bases._over_basic(space, found.basic, found.tight, edges=edges)
        second = bases._over_variables(space, found.basic, found.tight, edges=edges)
        np.testing.assert_allclose(second, first, rtol=1e-9, atol=1e-10)
        chosen = bases.solved(space, found.basic, found.tight, edges=edges)
        np.testing.assert_allclose(chosen, first, rtol=1e-9, atol=1e-10)
