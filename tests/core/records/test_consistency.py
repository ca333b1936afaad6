"""The test of outputs against a kernel: its false alarms, and what it finds."""

import numpy as np
import pytest
from scipy import stats

from core.records.checking import drawn
from core.records.checking.drawn import ALARM, consistency
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
    text = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
    true = text + off * np.array([[1, -1, 0], [1, -1, 0]])
    rows = rng.integers(0, 2, 20_000)
    result = consistency(rows, Sampler(true)(rows, rng.random(20_000)), text)
    assert not result.holds
    assert result.cells < ALARM / 2
    assert result.totals == 1 / 2_000


def test_an_impossible_output_is_named():
    result = consistency(np.array([0, 1]), np.array([0, 0]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert result.impossible == (1, 0)
    assert not result.holds
    fine = consistency(np.array([0, 1]), np.array([0, 1]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert (fine.cells, fine.totals, fine.holds) == (1.0, 1.0, True)


@pytest.mark.parametrize("rows_of", [1, 2])
def test_outputs_sorted_by_the_secret_are_found_though_each_row_has_those_of_its_kernel(rows_of):
    rng = np.random.default_rng(5)
    kernel = np.array([[0.7, 0.3], [0.4, 0.6]])[:rows_of]
    rows, secrets = rng.integers(0, rows_of, 1_000), rng.integers(0, 2, 1_000)
    outputs = Sampler(kernel)(rows, rng.random(1_000))
    assert consistency(rows, outputs, kernel, secrets).holds
    for row in range(rows_of):
        of_row = np.flatnonzero(rows == row)
        by_secret = of_row[np.argsort(secrets[of_row], kind="stable")]
        outputs[by_secret] = np.sort(outputs[of_row])
    assert consistency(rows, outputs, kernel).holds
    result = consistency(rows, outputs, kernel, secrets)
    assert result.cells < ALARM / 2
    assert result.totals == 1 / 2_000


def test_false_alarms_are_as_rare_with_secrets():
    rng = np.random.default_rng(6)
    kernel = np.array([[0.7, 0.2, 0.1], [0.0, 0.499, 0.501]])
    rows, secrets = rng.integers(0, 2, 400), rng.integers(-1, 4, 400)
    alarms = 0
    for _ in range(200):
        outputs = Sampler(kernel)(rows, rng.random(400))
        alarms += not consistency(rows, outputs, kernel, secrets).holds
    assert stats.binom.sf(alarms - 1, 200, ALARM) > 1e-3


def test_where_secrets_make_too_many_cells_rows_are_tested_as_a_whole(monkeypatch):
    monkeypatch.setattr(drawn, "MOST_CELLS", 3)
    rows, kernel = np.zeros(60, np.int64), np.array([[0.5, 0.5]])
    outputs = np.arange(60) // 30
    assert consistency(rows, outputs, kernel, outputs).holds
    monkeypatch.undo()
    assert not consistency(rows, outputs, kernel, outputs).holds
