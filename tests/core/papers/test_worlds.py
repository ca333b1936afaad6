"""The worlds of [RLDP], and of merging: by routes that share no code with what they show."""

import math

import numpy as np
import pytest
from scipy.stats import chi2

from core import mechanisms as m
from core.data import count
from core.data.spec import DataSpec
from core.mechanisms.robust.reporting import conditional_distance
from core.papers import as_printed, merging_worlds, robust_worlds
from core.papers.experiments.lift import as_printed as of_the_experiment
from core.papers.worlds import SETTINGS, WORLDS, world
from core.uncertainty import RenyiBall

GIVEN = np.array([[7 / 17, 10 / 17], [26 / 83, 57 / 83]])
"""P̂(u | s) of the examples of [RLDP]."""

DEFAULTS = {key: item.default for key, item in SETTINGS.items()}


def made(key, **changes):
    item = world(key)
    return item.make(*item.numbers(DEFAULTS | changes))


def cells(share):
    return np.array([[share], [1 - share]]) * GIVEN


def divergence(p_hat, p):
    return math.log((p_hat**2 / p).sum())


@pytest.mark.parametrize("share", [0.05, 0.17, 0.5, 0.95])
@pytest.mark.parametrize("records", [30, 100, 10_000])
def test_a_distribution_that_the_records_allow_lies_outside_of_what_print_says(share, records):
    result = robust_worlds.bounds(share, records)
    bound = math.log1p(chi2.ppf(0.95, 3) / records)
    assert result.bound == pytest.approx(bound)
    assert result.witness.sum() == pytest.approx(1.0)
    assert divergence(cells(share), result.witness) == pytest.approx(bound)
    reached = result.witness[0, 0] / result.witness[0].sum()
    assert reached == pytest.approx(result.right)
    assert result.broken
    assert reached < result.printed < result.estimated
    assert (result.right_line <= result.printed_line + 1e-12).all()


def test_no_distribution_that_the_records_allow_goes_below_theorem_1():
    result, p_hat = robust_worlds.bounds(0.17, 100), cells(0.17)
    least = np.linspace(0.12, 0.2, 161)
    mass = np.linspace(0.05, 0.5, 451)
    # the second row as it is estimated: any other one is farther away
    allowed = [
        r
        for r in least
        for m_ in mass
        if divergence(p_hat, np.array([[m_ * r, m_ * (1 - r)], *((1 - m_) * GIVEN[1:])]))
        <= result.bound
    ]
    assert result.right <= min(allowed) < result.right + 0.001
    assert min(allowed) < result.printed


def ratio(p, kernel):
    """Return the largest log P(y | s)/P(y | s') under p(s, u), with nothing of core."""
    n_s, n_u = p.shape
    of_s = [sum(p[s, u] / p[s].sum() * kernel[s * n_u + u] for u in range(n_u)) for s in range(n_s)]
    return max(
        math.log(of_s[a][y] / of_s[b][y])
        for y in range(kernel.shape[1])
        for a in range(n_s)
        for b in range(n_s)
        if of_s[a][y] > 0
    )


@pytest.mark.parametrize(("unlike", "records"), [(0.8, 100), (0.8, 10_000), (0.95, 1000)])
def test_a_report_made_with_one_coordinate_breaks_its_promise_at_a_distribution(unlike, records):
    result = robust_worlds.reporting(1.0, unlike, records)
    table = robust_worlds.unlike_table(unlike)
    assert table.sum() == pytest.approx(1.0)
    ball = RenyiBall.confidence(table, records)
    assert result.distance == pytest.approx(conditional_distance(ball))
    wrong = as_printed.independent_reporting_as_printed(ball, 1.0)
    right = m.independent_reporting(table, 1.0, ball).kernel
    members = [table, *ball.sample(300, np.random.default_rng(1), boundary=True)]
    reached = max(ratio(item, wrong) for item in members)
    assert 1.0 < reached <= result.printed + 1e-6
    assert result.broken
    assert max(ratio(item, right) for item in members) <= result.right + 1e-6 <= 1.0 + 2e-6
    assert "more than it promises" in robust_worlds.of_reporting(result)[1]


def test_where_u_says_nothing_one_coordinate_is_all():
    result = robust_worlds.reporting(0.7, 0.5, 100_000)
    assert result.printed_distance == pytest.approx(result.distance)
    assert result.printed == pytest.approx(result.right)
    assert not result.broken
    assert "no more than it promises" in robust_worlds.of_reporting(result)[1]


@pytest.mark.parametrize(("eps", "records"), [(0.3, 30), (0.7, 100), (2.0, 100_000)])
def test_the_needless_rows_never_gain_and_both_designs_keep_the_promise(eps, records):
    result = robust_worlds.rows(eps, records)
    assert result.printed <= result.right + 1e-6 <= result.best + 2e-6
    assert max(result.printed_level, result.right_level) <= eps + 1e-9
    assert (result.printed_line <= result.right_line + 1e-6).all()
    assert result.broken == (result.right - result.printed > 1e-6)
    assert ("cost nothing" in robust_worlds.of_rows(result)[0]) == (not result.broken)
    ball = RenyiBall.confidence(robust_worlds.estimate(), records)
    kernel = m.polyopt(robust_worlds.estimate(), eps, ball).kernel
    members = ball.sample(200, np.random.default_rng(2), boundary=True)
    assert max(ratio(item, kernel) for item in members) <= eps + 1e-6


def test_the_rows_cost_what_the_paper_prints_at_its_own_numbers():
    result = robust_worlds.rows(math.log(2), 100)
    entropy = -(robust_worlds.estimate() * np.log(robust_worlds.estimate())).sum()
    # the paper gives I in nats: 0.4228 with the rows; without them it is 0.5630
    assert result.printed * entropy == pytest.approx(0.4228, abs=1e-4)
    assert result.right * entropy == pytest.approx(0.5630, abs=1e-4)


@pytest.mark.parametrize("sizes", [merging_worlds.SYMBOLS, merging_worlds.LARGE])
def test_a_drawn_table_is_the_data_that_the_link_opens(sizes):
    opened = count(DataSpec(merging_worlds.source(sizes, 7), (), ())).joint
    assert opened.p == pytest.approx(merging_worlds.drawn(sizes, 7).p, rel=1e-14)


@pytest.mark.parametrize("draw", [0, 3, 11])
def test_line_4_keeps_what_the_experiment_finds_at_its_budget(draw):
    result = merging_worlds.merging(draw, 2.0)
    joint = merging_worlds.drawn(merging_worlds.SYMBOLS, draw)
    reported = of_the_experiment(joint.p[None])
    assert result.printed == pytest.approx(reported["line 4"][0])
    at = int(np.flatnonzero(result.budgets == 2.0)[0])
    assert (result.printed_line[at], result.right_line[at]) == (result.printed, result.right)
    assert result.broken


def test_the_world_of_algorithm_1_charges_lip_with_no_risk_that_the_paper_has_for_alip_alone():
    result = merging_worlds.merging(3, 2.0)  # λ = ½ is LIP, whose ω is max(log Λ, |log Ψ|)
    assert "ω" not in " ".join(merging_worlds.of_merging(result)) + str(world("merging"))


def test_a_budget_that_every_symbol_keeps_leaves_nothing_to_merge():
    wide = merging_worlds.merging(4, 99.0)
    assert wide.right == wide.printed == 1.0
    assert not wide.broken


def watched(p, eps, share):
    """Return the share of X that complete merging keeps, and how many symbols it merges."""
    low, high = share * eps, (1 - share) * eps
    p_x, p_s = p.sum(axis=0), p.sum(axis=1)
    broken = [
        x
        for x in range(p.shape[1])
        if not all(
            -low - 1e-9 <= math.log(p[s, x] / (p_x[x] * p_s[s])) <= high + 1e-9
            for s in range(p.shape[0])
        )
    ]
    kept = [p_x[x] for x in range(p.shape[1]) if x not in broken]
    kept += [sum(p_x[x] for x in broken)] if broken else []
    return sum(-q * math.log(q) for q in kept) / sum(-q * math.log(q) for q in p_x), len(broken)


@pytest.mark.parametrize(
    ("draw", "eps", "broken"), [(199, 2.0, True), (8, 1.5, True), (2, 2.0, False)]
)
def test_a_larger_share_may_keep_less_of_a_single_table(draw, eps, broken):
    result = merging_worlds.sharing(draw, eps)
    p = merging_worlds.drawn(merging_worlds.LARGE, draw).p
    half, more = watched(p, eps, 0.5), watched(p, eps, 0.65)
    assert (result.half, result.more) == pytest.approx((half[0], more[0]), abs=1e-12)
    assert result.merged_half == (half[1] if half[1] > 1 else 0)
    assert result.merged_more == (more[1] if more[1] > 1 else 0)
    assert result.broken == broken
    text = merging_worlds.of_sharing(result)[1]
    assert text == f"The paper's claim {'fails' if broken else 'holds'} for this table."


@pytest.mark.parametrize("entry", WORLDS, ids=lambda item: item.key)
def test_each_world_begins_where_print_is_wrong(entry):
    result = made(entry.key)
    assert result.broken
    assert entry.words(result)


def test_the_keys_of_the_numbers_are_no_others():
    used = [key for item in WORLDS for key in item.settings]
    assert set(used) == set(SETTINGS)
    with pytest.raises(KeyError):
        world("alchemy")
