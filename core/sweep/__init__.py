"""Sweeps: many scenarios, each on data or on many random joints, in worker processes or a cluster.

A `Sweep` says what is asked and measured, `run` computes it, `Results` keep it on disk, and
`summary` has means, quantiles and paired differences.
"""

from core.sweep.definition import MAX_POINTS, Sweep
from core.sweep.draws import Draws
from core.sweep.findings.summary import Spread, differences, summary
from core.sweep.gathered import Gathered
from core.sweep.measures import MEASURES, measure_title
from core.sweep.results import Results, read
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
