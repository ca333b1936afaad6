"""Ways to release X: each returns a `Mechanism` that passed its audit."""

from core.mechanisms.batch import Batch, subset_merging_batch, watchdog_batch
from core.mechanisms.conditional_reporting import conditional_reporting
from core.mechanisms.frontier import frontier
from core.mechanisms.generalized_randomized_response import generalized_randomized_response
from core.mechanisms.independent_reporting import independent_reporting
from core.mechanisms.non_robust import non_robust
from core.mechanisms.optimal import optimal
from core.mechanisms.pair_randomized_response import pair_randomized_response
from core.mechanisms.polyopt import polyopt
from core.mechanisms.quantisation import clustering, quantisation, secret_quantisation
from core.mechanisms.result import Mechanism, make_mechanism
from core.mechanisms.robust_design import on_symbols
from core.mechanisms.robust_optimal import robust_optimal
from core.mechanisms.secret_randomized_response import secret_randomized_response
from core.mechanisms.srlip_product import srlip_product
from core.mechanisms.subset_merging import (
    HighRiskMerging,
    MergeStep,
    merge_high_risk,
    subset_merging,
    subset_merging_steps,
)
from core.mechanisms.subset_random_response import subset_random_response
from core.mechanisms.trivial import constant, identity
from core.mechanisms.unary_encoding import optimized_unary_encoding
from core.mechanisms.unary_summary import UnaryEncoding, unary_encoding_summary
from core.mechanisms.watchdog import watchdog

__all__ = [
    "Batch",
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
    "unary_encoding_summary",
    "watchdog",
    "watchdog_batch",
]
