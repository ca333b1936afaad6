"""What pages derive is kept for all that it depends on: another question has another answer."""

from dataclasses import replace

import numpy as np
import pytest

from core.data.spec import Binning, DataSpec, Filter
from core.notions.numbers import Numbers
from core.scenario import Scenario, answer
from core.studies.side_by_side import levels
from pages.ui.compare.columns import Answered, columns
from pages.ui.work import derived, store


@pytest.fixture(autouse=True)
def _afresh(monkeypatch):
    monkeypatch.setattr(store, "SHARED", store.Store(50))


def test_a_preview_of_bins_counts_the_records_that_pass_the_filters():
    spec, binning = DataSpec(), Binning("age", "edges", edges=(17.0, 40.0, 90.0))
    every = derived.previewed(spec, binning)
    young = replace(spec, filters=(Filter("age", high=39.0),))
    assert sum(every.counts) == 32_561
    assert derived.previewed(young, binning).counts == (0, every.counts[1], 0, 0)
    finer = replace(binning, edges=(17.0, 30.0, 40.0, 90.0))
    assert sum(derived.previewed(spec, finer).counts[1:3]) == every.counts[1]
    assert derived.previewed(spec, binning) == every


def test_levels_of_a_column_are_those_for_the_numbers_of_the_page():
    scenario = Scenario(DataSpec("example:parity", (), ()), notion="lip", mechanism="identity")
    result = answer(scenario, derived.counted(scenario.data))
    outcome = [Answered(0, "first", "", scenario, result)]
    for numbers in (Numbers(alpha=2.0), Numbers(alpha=5.0), Numbers(alpha=2.0)):
        reached = columns(outcome, numbers)[0].levels
        wanted = levels(result.joint, result.mechanism.kernel, numbers, slow=False)
        np.testing.assert_equal(dict(reached), wanted)
