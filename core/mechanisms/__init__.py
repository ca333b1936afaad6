"""Mechanisms: each function returns a `Mechanism` that passed its audit, if it has a notion."""

from core.mechanisms.merging.batch import Batch, subset_merging_batch, watchdog_batch
from core.mechanisms.merging.partition import constant, identity
from core.mechanisms.merging.subset_merging import (
    HighRiskMerging,
    MergeStep,
    merge_high_risk,
    subset_merging,
    subset_merging_steps,
    watchdog,
)
from core.mechanisms.optima.for_each import ForEach, optimal_for_each
from core.mechanisms.optima.frontier import frontier
from core.mechanisms.optima.optimal import optimal
from core.mechanisms.optima.reading_secret import optimal_reading_secret
from core.mechanisms.optima.robust_optimal import non_robust, polyopt, robust_optimal
from core.mechanisms.products import srlip_product
from core.mechanisms.quantisation import clustering, quantisation, secret_quantisation
from core.mechanisms.response.calibrated import (
    conditional_reporting,
    generalized_randomized_response,
    truncated_geometric,
)
from core.mechanisms.response.subset_random_response import subset_random_response
from core.mechanisms.response.unary_encoding import (
    UnaryEncoding,
    optimized_unary_encoding,
    unary_encoding_summary,
)
from core.mechanisms.result import Mechanism, make_mechanism
from core.mechanisms.robust.reporting import (
    independent_reporting,
    on_symbols,
    pair_randomized_response,
    secret_randomized_response,
)

__all__ = [
    "Batch",
    "ForEach",
    "HighRiskMerging",
    "Mechanism",
    "MergeStep",
    "UnaryEncoding",
    "clustering",
    "conditional_reporting",
    "constant",
    "frontier",
    "generalized_randomized_response",
    "identity",
    "independent_reporting",
    "make_mechanism",
    "merge_high_risk",
    "non_robust",
    "on_symbols",
    "optimal",
    "optimal_for_each",
    "optimal_reading_secret",
    "optimized_unary_encoding",
    "pair_randomized_response",
    "polyopt",
    "quantisation",
    "robust_optimal",
    "secret_quantisation",
    "secret_randomized_response",
    "srlip_product",
    "subset_merging",
    "subset_merging_batch",
    "subset_merging_steps",
    "subset_random_response",
    "truncated_geometric",
    "unary_encoding_summary",
    "watchdog",
    "watchdog_batch",
]
