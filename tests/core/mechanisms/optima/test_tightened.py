"""Quick starts of robust optima: they keep the notion for every distribution that fits."""

import numpy as np
import pytest

from core import clock
from core import mechanisms as m
from core.audit import audit
from core.data import count
from core.joint import Joint
from core.limits import ROUNDING
from core.mechanisms.merging.subset_merging import subset_merging
from core.mechanisms.optima.robust_starts import PARTS, tightened
from core.notions import LDP, LIP, RLDP
from core.notions.robust_markov import RobustLDP, ball_around
from core.optimal.plan import SIZES
from core.scenario import Scenario
from core.scenario.presets import standard

COUNTS = np.array([[900, 120, 500, 480], [300, 100, 590, 510]])
NOISY = np.array([[9, 2, 5, 4], [3, 1, 6, 5], [1, 7, 2, 6]])


def members(ball, p_hat, seed=0):
    """Return distributions of the set, some of them on its border."""
    rng = np.random.default_rng(seed)
    for _ in range(60):
        away = rng.dirichlet(np.full(p_hat.size, 0.3)).reshape(p_hat.shape)
        inside, outside = 0.0, 1.0
        for _ in range(30):
            middle = (inside + outside) / 2
            fits = ball.contains((1 - middle) * p_hat + middle * away)
            inside, outside = (middle, outside) if fits else (inside, middle)
        yield (1 - inside) * p_hat + inside * away


@pytest.mark.parametrize("counts", [COUNTS, NOISY])
@pytest.mark.parametrize("eps", [0.3, 1.0, 3.0])
def test_each_keeps_ldp_at_every_distribution_that_the_records_leave_possible(counts, eps):
    joint = Joint.from_counts(counts)
    ball = ball_around(joint)
    result = tightened(joint, RobustLDP(eps, ball))
    for made in result:
        assert made.information > 0
        for truth in members(ball, joint.p):
            rows = truth / truth.sum(axis=1, keepdims=True) @ made.kernel
            assert np.log(rows.max(axis=0) / rows.min(axis=0)).max() <= eps + 1e-9
    assert result or eps < 1


def test_of_the_pair_each_keeps_it_too():
    joint = Joint.with_secret_released(COUNTS / COUNTS.sum())
    notion = RLDP.of_joint(joint, 1.0, n=int(COUNTS.sum()))
    result = tightened(joint, notion)
    assert result
    for made in result:
        kernel = made.kernel.reshape(2, 4, -1)
        for truth in members(notion.uncertainty, notion.uncertainty.p_hat_su):
            given = truth / truth.sum(axis=1, keepdims=True)
            rows = np.einsum("su,suy->sy", given, kernel)
            assert np.log(rows.max(axis=0) / rows.min(axis=0)).max() <= 1 + 1e-9


def test_there_are_none_without_a_robust_notion_a_finite_budget_or_few_cells():
    joint = Joint.from_counts(COUNTS)
    ball = ball_around(joint)
    assert tightened(joint, LIP(1.0)) == []
    assert tightened(joint, LDP(1.0)) == []
    assert tightened(joint, RobustLDP(np.inf, ball)) == []
    assert tightened(joint, RobustLDP(0.0, ball)) == []
    large = Joint.random_uniform(2, SIZES.tightened_at_all // 2 + 1, np.random.default_rng(0))
    assert tightened(large, RobustLDP(1.0, ball_around(large))) == []


@pytest.mark.parametrize(("eps", "least"), [(1.0, 0.1), (3.0, 0.6)])
def test_a_table_of_hundreds_of_cells_has_some_too(eps, least):
    rng = np.random.default_rng(0)
    drawn = Joint.random_uniform(4, 100, rng)
    assert drawn.p.size > SIZES.tightened_cells
    joint = Joint.from_counts(rng.multinomial(30_000, drawn.p.ravel()).reshape(4, 100))
    ball = ball_around(joint)
    result = tightened(joint, RobustLDP(eps, ball))
    assert max(made.nmi for made in result) > least
    for made in result:
        for truth in members(ball, joint.p):
            rows = truth / truth.sum(axis=1, keepdims=True) @ made.kernel
            assert np.log(rows.max(axis=0) / rows.min(axis=0)).max() <= eps + 1e-9


@pytest.mark.parametrize(("reading", "least"), [("markov", 0.8), ("pair", 0.65)])
def test_a_robust_optimum_without_time_keeps_most_of_what_can_be_kept(reading, least):
    """A search that may not begin answers with a start, not with an output that says nothing."""
    request = standard(Scenario(time_limit=0.25), reading).scenarios[2]
    counted = count(request.data)
    with clock.using(clock.Ticking(1.0)):
        made = request.build_mechanism(counted.joint)
    assert made.kept > least
    assert made.audit.holds
    assert made.status == "time limit"


def test_an_optimum_that_is_given_time_is_not_below_them():
    joint = Joint.from_counts(NOISY)
    notion = RobustLDP(2.0, ball_around(joint))
    best = max(made.utility for made in tightened(joint, notion))
    with clock.using(clock.Ticking(1e-4)):
        assert m.optimal(joint, notion, time_limit=2.0).utility >= best - 1e-12


def test_the_best_one_alone_is_audited():
    """Their audits took more time than a climb had left to find more."""
    joint = Joint.from_counts(NOISY)
    notion = RobustLDP(1.0, ball_around(joint))
    (made,) = tightened(joint, notion)
    each = [subset_merging(joint, LDP(part * notion.eps)) for part in PARTS]
    holding = [merged.utility for merged in each if notion.holds(joint, merged.kernel)]
    assert made.utility >= max(holding, default=0.0)
    assert made.utility > 0


def test_a_search_over_the_set_is_made_once_in_an_audit(monkeypatch):
    joint = Joint.from_counts(NOISY)
    notion = RobustLDP(1.0, ball_around(joint))
    (made,) = tightened(joint, notion)
    monkeypatch.setattr(RobustLDP, "holds", lambda *_: pytest.fail("searched twice"))
    verdict = audit(joint, made.kernel, notion)
    assert verdict.holds
    assert verdict.achieved <= notion.eps + ROUNDING
