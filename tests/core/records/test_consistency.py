"""The test of outputs against a kernel: its false alarms, and what it finds."""

import numpy as np
import pytest
from scipy import stats

from core.records.consistency import ALARM, consistency
from core.records.draws import Sampler


def test_the_rate_of_false_alarms_is_below_the_stated_one():
    rng = np.random.default_rng(3)
    kernel = np.array([[0.7, 0.2, 0.1], [0.001, 0.499, 0.5], [0.0, 0.0, 1.0]])
    rows = rng.integers(0, 3, 400)
    alarms = 0
    for _ in range(300):
        outputs = Sampler(kernel)(rows, rng.random(400))
        alarms += not consistency(rows, outputs, kernel).holds
    assert stats.binom.sf(alarms - 1, 300, ALARM) > 1e-3


@pytest.mark.parametrize("off", [0.03, 0.1])
def test_a_kernel_that_is_off_is_found_with_enough_records(off):
    rng = np.random.default_rng(4)
    said = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
    true = said + off * np.array([[1, -1, 0], [1, -1, 0]])
    rows = rng.integers(0, 2, 20_000)
    found = consistency(rows, Sampler(true)(rows, rng.random(20_000)), said)
    assert not found.holds
    assert found.cells < ALARM / 2
    assert found.totals == 1 / 2_000


def test_an_impossible_output_is_named():
    found = consistency(np.array([0, 1]), np.array([0, 0]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert found.impossible == (1, 0)
    assert not found.holds
    fine = consistency(np.array([0, 1]), np.array([0, 1]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert (fine.cells, fine.totals, fine.holds) == (1.0, 1.0, True)
