import math
import statistics
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from core.errors import InvalidInputError
from core.scenario import Scenario
from core.sweep import Draws, Spread, Sweep, differences, summary
from core.sweep.findings import as_table
from core.sweep.points import schema
from core.sweep.results import question_columns

SWEEP = Sweep(
    Scenario(notion="lip"),
    (("mechanism", ("watchdog", "grr")), ("eps", (0.5, 1.0))),
    draws=Draws(7, 2, 3),
    measures=("kept", "level_lip"),
)


def table(values, points=None):
    """Return a table of points whose `kept` is given, and whose level is its square."""
    at = np.arange(len(values)) if points is None else np.array(points)
    rows = [
        {"point": int(p), "status": "", "solver": "", "proven": p % 2 == 0, "reason": ""}
        | {"seconds": 0.0, "kept": v, "level_lip": v * v}
        for p, v in zip(at, values, strict=True)
    ]
    result = pa.Table.from_pylist(rows, schema=schema(SWEEP.measures))
    columns = {"point": result["point"], **question_columns(SWEEP, at)}
    return pa.table(columns | {name: result[name] for name in result.column_names[1:]})


def exact(values):
    """Return mean, standard error squared and quantiles of numbers, exactly."""
    parts = [Fraction(value) for value in values]
    n = len(parts)
    mean = sum(parts) / n
    error = sum((part - mean) ** 2 for part in parts) / (n - 1) / n
    ordered = sorted(parts)
    quantiles = []
    for level in (
        Fraction(1, 20),
        Fraction(1, 4),
        Fraction(1, 2),
        Fraction(3, 4),
        Fraction(19, 20),
    ):
        low, share = divmod(level * (n - 1), 1)
        high = min(int(low) + 1, n - 1)
        quantiles.append(ordered[int(low)] * (1 - share) + ordered[high] * share)
    return mean, error, quantiles


def test_the_spread_is_that_of_exact_fractions():
    values = np.random.default_rng(1).random(29)
    result = Spread.of(values)
    mean, error, quantiles = exact(values.tolist())
    assert result.n == 29
    assert result.mean == pytest.approx(float(mean), rel=1e-14)
    assert result.error**2 == pytest.approx(float(error), rel=1e-13)
    assert result.quantiles == pytest.approx([float(q) for q in quantiles], rel=1e-14)
    assert result.quantiles[1:4] == pytest.approx(
        statistics.quantiles(values.tolist(), n=4, method="inclusive"), rel=1e-14
    )
    assert result.error == pytest.approx(statistics.stdev(values.tolist()) / 29**0.5, rel=1e-13)


def test_numbers_that_are_none_or_infinite_are_neither_lost_nor_averaged():
    inf, nan = math.inf, math.nan
    none = Spread.of(np.array([nan, nan]))
    assert none.n == 0
    assert all(map(math.isnan, (none.mean, none.error, *none.quantiles)))
    item = Spread.of(np.array([0.5, nan]))
    assert (item.n, item.mean, item.quantiles) == (1, 0.5, (0.5,) * 5)
    assert math.isnan(item.error)
    some = Spread.of(np.array([1.0, 2.0, inf, 3.0, inf]))
    assert (some.n, some.mean) == (5, inf)
    assert math.isnan(some.error)
    assert some.quantiles == (1.2, 2.0, 3.0, inf, inf)
    assert math.isnan(Spread.of(np.array([-inf, inf])).mean)
    same = Spread.of(np.full(4, 0.1))
    assert (same.mean, same.error, same.quantiles) == (0.1, 0.0, (0.1,) * 5)


def test_a_summary_has_a_row_for_each_question_and_measure():
    rng = np.random.default_rng(5)
    values = rng.random(28)
    values[3] = np.nan
    rows = summary(table(values), SWEEP)
    assert [(r["question"], r["mechanism"], r["eps"], r["measure"]) for r in rows] == [
        (q, m, e, key)
        for q, (m, e) in enumerate(
            [("watchdog", 0.5), ("watchdog", 1.0), ("grr", 0.5), ("grr", 1.0)]
        )
        for key in ("kept", "level_lip")
    ]
    first, second = rows[0], rows[2]
    assert (first["n"], first["none"], first["proven"]) == (6, 1, 4)
    assert (second["n"], second["none"], second["proven"]) == (7, 0, 3)
    assert second["mean"] == pytest.approx(statistics.fmean(values[7:14]), rel=1e-14)
    assert rows[3]["mean"] == pytest.approx(statistics.fmean(values[7:14] ** 2), rel=1e-14)
    assert as_table(rows).num_rows == 8


def test_differences_are_paired_by_draw():
    rng = np.random.default_rng(6)
    values = rng.random(28)
    values[16] = np.nan
    rows = differences(table(values), SWEEP, "mechanism", ["kept"])
    assert [(r["mechanism"], r["than"], r["eps"]) for r in rows] == [
        ("grr", "watchdog", 0.5),
        ("grr", "watchdog", 1.0),
    ]
    apart = [values[14 + d] - values[d] for d in range(7) if d != 2]
    mean, error, quantiles = exact(apart)
    assert rows[0]["n"] == 6
    assert rows[0]["mean"] == pytest.approx(float(mean), rel=1e-12)
    assert rows[0]["error"] == pytest.approx(float(error) ** 0.5, rel=1e-12)
    assert rows[0]["q50"] == pytest.approx(float(quantiles[2]), rel=1e-12)
    assert rows[0]["above"] == sum(value > 0 for value in apart)
    assert rows[0]["below"] == sum(value < 0 for value in apart)
    assert len(differences(table(values), SWEEP, "eps")) == 4


def test_partial_results_are_paired_where_both_are_there():
    rows = differences(table([1.0, 2.0, 5.0, 7.0], [0, 1, 15, 16]), SWEEP, "mechanism", ["kept"])
    assert [(r["n"], r["mean"]) for r in rows] == [(1, 3.0)]
    assert summary(table([], []), SWEEP) == []


def test_what_the_sweep_does_not_have_is_refused():
    with pytest.raises(InvalidInputError, match="no measure 'nmi'"):
        summary(table([0.1]), SWEEP, ["nmi"])
    with pytest.raises(InvalidInputError, match="a field that varies"):
        differences(table([0.1]), SWEEP, "lam")
