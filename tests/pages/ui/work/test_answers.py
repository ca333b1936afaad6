"""The work that a page asks other processes for: how long it may take at first."""

import pytest

from core.data import DataSpec
from core.optimal.plan import SIZES
from core.scenario import Scenario
from pages.ui.work.answers import LINE, MANY, sweep_work


@pytest.mark.parametrize("mechanism", ["optimal", "subset_random_response"])
@pytest.mark.parametrize(("n_x", "many"), [(MANY - 1, False), (MANY, True)])
def test_a_line_of_many_symbols_is_there_soon(n_x, many, mechanism):
    data = DataSpec(source=f"random:uniform:3x{n_x}:1")
    work = sweep_work(Scenario(data, "ldp", mechanism, time_limit=5.0))
    request, _, budgets, _, _ = work.arguments()
    first = 1.5 if mechanism == "optimal" else 5.0
    assert request.time_limit == pytest.approx(LINE / len(budgets) if many else first)


def test_a_line_under_a_robust_notion_rests_within_its_own_limit():
    """That of 2×29 took 48 s of a processor."""
    asked = Scenario(DataSpec("adult", ("sex",), ("sex", "occupation")), "robust_ldp")
    request, _, budgets, *_ = sweep_work(asked).arguments()
    assert request.time_limit * len(budgets) == pytest.approx(16 * SIZES.robust_seconds)
    assert 16 * SIZES.robust_seconds <= 20.0


@pytest.mark.parametrize("mechanism", ["robust_optimal", "polyopt", "non_robust"])
def test_a_robust_line_of_pairs_rests_as_soon(mechanism):
    """Each of its budgets was searched for 5 s: that was 160 s of a processor."""
    pairs = DataSpec("adult", ("sex",), ("occupation",), secret_released=True)
    each = sweep_work(Scenario(pairs, "rldp", mechanism, time_limit=5.0)).arguments()[0]
    # the optimum at the estimate is proven soon: no set is searched
    robust = mechanism != "non_robust"
    assert each.time_limit == (SIZES.robust_seconds / 2 if robust else 5.0)
