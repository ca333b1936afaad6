"""Ways to release X: each returns a `Mechanism` that passed its audit."""

from core.mechanisms.batch import Batch, subset_merging_batch, watchdog_batch
from core.mechanisms.quantisation import quantisation, secret_quantisation
from core.mechanisms.result import Mechanism, make_mechanism
from core.mechanisms.subset_merging import (
    HighRiskMerging,
    MergeStep,
    merge_high_risk,
    subset_merging,
    subset_merging_steps,
)
from core.mechanisms.trivial import constant, identity
from core.mechanisms.watchdog import watchdog

__all__ = [
    "Batch",
    "HighRiskMerging",
    "Mechanism",
    "MergeStep",
    "constant",
    "identity",
    "make_mechanism",
    "merge_high_risk",
    "quantisation",
    "secret_quantisation",
    "subset_merging",
    "subset_merging_batch",
    "subset_merging_steps",
    "watchdog",
    "watchdog_batch",
]
