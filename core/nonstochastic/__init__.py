"""Privacy without probabilities: ranges, confusability graphs and clustering."""

from core.nonstochastic.baselines import (
    EXACT,
    AllPartitions,
    all_partitions,
    generalise_and_suppress,
    rivals,
    submodular_frontier,
    submodular_path,
    suppression_frontier,
)
from core.nonstochastic.clustering.algorithms import (
    merge_for_anonymity,
    merge_for_indistinguishability,
)
from core.nonstochastic.clustering.clusters import Clustering, Step, stopped
from core.nonstochastic.clustering.frontier import (
    PROBLEMS,
    FrontierPoint,
    non_dominated,
    pareto_frontier,
    solve,
    weight_within,
)
from core.nonstochastic.clustering.utility import UTILITIES, DistortionMeasure, max_distortion
from core.nonstochastic.ranges.graph import (
    confusability_graph,
    connected_components,
    overlap_partition,
    positions,
    shared_by_edge,
)
from core.nonstochastic.ranges.measures import (
    anonymity,
    hartley,
    max_uncertainty_reduction,
    maximin_information,
    min_uncertainty_reduction,
    worst_case_resolution,
)
from core.nonstochastic.ranges.partition import (
    Partition,
    joint_range,
    quantised,
    singletons,
    with_secret,
)

__all__ = [
    "EXACT",
    "PROBLEMS",
    "UTILITIES",
    "AllPartitions",
    "Clustering",
    "DistortionMeasure",
    "FrontierPoint",
    "Partition",
    "Step",
    "all_partitions",
    "anonymity",
    "confusability_graph",
    "connected_components",
    "generalise_and_suppress",
    "hartley",
    "joint_range",
    "max_distortion",
    "max_uncertainty_reduction",
    "maximin_information",
    "merge_for_anonymity",
    "merge_for_indistinguishability",
    "min_uncertainty_reduction",
    "non_dominated",
    "overlap_partition",
    "pareto_frontier",
    "positions",
    "quantised",
    "rivals",
    "shared_by_edge",
    "singletons",
    "solve",
    "stopped",
    "submodular_frontier",
    "submodular_path",
    "suppression_frontier",
    "weight_within",
    "with_secret",
    "worst_case_resolution",
]
