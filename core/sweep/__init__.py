"""Sweeps: many scenarios, on data or on many random joints, in worker processes or a cluster."""

from core.sweep.definition import MAX_POINTS, MEASURES, Draws, Sweep, measure_title
from core.sweep.findings import Spread, differences, summary
from core.sweep.results import Gathered, Results, read
from core.sweep.running import Ended, PoolWorkers, Workers, counted_data, counts_hash, run

__all__ = [
    "MAX_POINTS",
    "MEASURES",
    "Draws",
    "Ended",
    "Gathered",
    "PoolWorkers",
    "Results",
    "Spread",
    "Sweep",
    "Workers",
    "counted_data",
    "counts_hash",
    "differences",
    "measure_title",
    "read",
    "run",
    "summary",
]
