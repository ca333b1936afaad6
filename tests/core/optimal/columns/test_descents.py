"""Descents that pivot together end where programs solved one by one do."""

import numpy as np
import pytest
from scipy import special

from core.clock import NEVER, Deadline
from core.joint import Joint
from core.notions import ALIP, LDP, LIP, Notion
from core.optimal.columns.descents import Descents
from core.optimal.columns.linear_search import LinearSearch
from core.optimal.plan import SIZES


@pytest.mark.parametrize("notion", [LIP(0.3), LDP(0.5), ALIP(0.2, 0.6)], ids=str)
@pytest.mark.parametrize("rare", [False, True])
def test_they_end_where_programs_one_by_one_do(
    notion: Notion, rare: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(vars(SIZES), "together_rows", 0)
    rng = np.random.default_rng(2)
    counts = rng.poisson(rng.gamma(0.4, 4.0, (4, 40))) + 0.01 * rng.random(40)
    if rare:
        counts[:, 3] *= 1e-3
    joint = Joint.from_counts(counts)
    allowed = notion.allowed_set(joint)
    search = LinearSearch(allowed, joint.p_x, seed=0, deadline=NEVER)
    together = Descents(search._rows, joint.p_x)
    for _ in range(2):  # the second begins at the vertices of the first
        duals = -np.log(joint.p_x) * 0.9 + rng.normal(size=40) * 0.2
        starts = joint.p_x * rng.exponential(size=(60, 40)) ** 4
        met = together.outputs(starts, duals, NEVER)
        alone = [search._descend(start, duals)[-1] for start in starts]
        values, ends = (
            special.entr(points).sum(axis=1) - points @ duals for points in (met, np.array(alone))
        )
        # each end is met, but where two vertices have nearly the same tangent
        near = np.abs(values[None] - ends[:, None]).min(axis=1) < 1e-7
        assert near.mean() > 0.95
        np.testing.assert_allclose(met.sum(axis=1), 1.0)
        assert (met >= 0).all()
        assert ((met > 0).sum(axis=1) <= allowed.rows.shape[0] + 1).all()
        if not allowed.n_auxiliary:
            assert (allowed.rows @ met.T).max() < 1e-9


def test_no_time_gives_no_outputs() -> None:
    joint = Joint.random_uniform(3, 20, np.random.default_rng(0))
    search = LinearSearch(LIP(0.3).allowed_set(joint), joint.p_x, seed=0, deadline=NEVER)
    together = Descents(search._rows, joint.p_x)
    assert together.outputs(np.eye(20), np.zeros(20), Deadline(0.0)).shape == (0, 20)
